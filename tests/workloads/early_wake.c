// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * early_wake [MS]: two threads on two CPUs hand a turn to and fro by futex as fast as they can, so
 * that the wake often arrives while the sleeper is still on its way into the scheduler. The phase
 * "wait" is the time in the futex call, "handshake" the whole loop.
 */
#include "workload.h"

#include <linux/futex.h>

struct shaker {
	struct thread_log log;
	unsigned int number;
	uint32_t *turn;
	uint64_t wall_ns;
	volatile bool *is_over;
};

static long futex(uint32_t *word, int operation, uint32_t value)
{
	return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

NAMED static void wait_for_turn(struct shaker *shaker)
{
	struct phase *phase = phase_begin(&shaker->log, 0, "wait");
	uint32_t turn;

	while ((turn = __atomic_load_n(shaker->turn, __ATOMIC_ACQUIRE)) != shaker->number &&
		!*shaker->is_over)
		futex(shaker->turn, FUTEX_WAIT_PRIVATE, turn);
	phase_end(phase);
}

static void *shaker_main(void *context)
{
	struct shaker *shaker = context;
	struct phase *whole;
	uint64_t end;

	log_start(&shaker->log, shaker->number ? "shaker-two" : "shaker-one");
	pin(0, usable_cpu(shaker->number));
	whole = phase_begin(&shaker->log, 1, "handshake");
	end = wall_ns() + shaker->wall_ns;
	while (wall_ns() < end && !*shaker->is_over) {
		wait_for_turn(shaker);
		__atomic_store_n(shaker->turn, !shaker->number, __ATOMIC_RELEASE);
		futex(shaker->turn, FUTEX_WAKE_PRIVATE, 1);
	}
	*shaker->is_over = true;
	/* A value that nobody waits for, so that no late sleeper stays behind. */
	__atomic_store_n(shaker->turn, 2, __ATOMIC_RELEASE);
	futex(shaker->turn, FUTEX_WAKE_PRIVATE, 2);
	phase_end(whole);
	log_end(&shaker->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct shaker shakers[2];
	struct thread_log logs[2];
	pthread_t threads[2];
	volatile bool is_over = false;
	uint32_t turn = 0;

	for (unsigned int i = 0; i < 2; i++) {
		shakers[i].number = i;
		shakers[i].turn = &turn;
		shakers[i].is_over = &is_over;
		shakers[i].wall_ns = argument(argc, argv, 1, 1000) * NS_PER_MS;
		threads[i] = start_thread(shaker_main, &shakers[i]);
	}
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		logs[i] = shakers[i].log;
	}
	print_logs(logs, 2);
	return 0;
}
