// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * three_waits [MS]: "asker" asks "answerer" through pipes for MS ms, both on one CPU, and waits for
 * the answer in one of three functions: in wait_often() for 7 of 10 short answers, in
 * wait_seldom() for the others, chosen by chance, and once in 100 ms in wait_long() for one that
 * takes 20 ms. Prints the count of each and the time in it as its phases.
 */
#include "workload.h"

#define LONG_EVERY_NS (100 * NS_PER_MS)
#define LONG_NS (20 * NS_PER_MS)

static int to_answerer[2], to_asker[2];

static void get_answer(struct thread_log *log, unsigned int index, const char *name)
{
	struct phase *phase = phase_begin(log, index, name);
	char answer;

	if (read(to_asker[0], &answer, 1) != 1)
		die("read");
	phase_end(phase);
}

NAMED static void wait_often(struct thread_log *log)
{
	get_answer(log, 0, "wait_often");
}

NAMED static void wait_seldom(struct thread_log *log)
{
	get_answer(log, 1, "wait_seldom");
}

NAMED static void wait_long(struct thread_log *log)
{
	get_answer(log, 2, "wait_long");
}

static void *answer(void *context)
{
	char question;

	(void)context;
	set_name("answerer");
	while (read(to_answerer[0], &question, 1) == 1) {
		if (question == 'l')
			sleep_ns(LONG_NS);
		if (write(to_asker[1], "!", 1) != 1)
			die("write");
	}
	return NULL;
}

static void ask(char question)
{
	if (write(to_answerer[1], &question, 1) != 1)
		die("write");
}

int main(int argc, char **argv)
{
	uint64_t end_ns = wall_ns() + argument(argc, argv, 1, 1000) * NS_PER_MS;
	uint64_t long_ns = wall_ns() + LONG_EVERY_NS;
	struct thread_log log = {0};
	unsigned int chance = 1;
	pthread_t thread;

	if (pipe(to_answerer) || pipe(to_asker))
		die("pipe");
	pin(0, usable_cpu(0));
	/* Whoever is woken waits for its turn, so that each question is followed by a wait. */
	if (sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}))
		die("sched_setscheduler");
	log_start(&log, "asker");
	thread = start_thread(answer, NULL);
	for (uint64_t now; (now = wall_ns()) < end_ns;) {
		bool is_long = now >= long_ns;

		ask(is_long ? 'l' : 's');
		if (is_long) {
			wait_long(&log);
			long_ns += LONG_EVERY_NS;
		} else if (rand_r(&chance) % 10 < 7) {
			wait_often(&log);
		} else {
			wait_seldom(&log);
		}
	}
	close(to_answerer[1]);
	pthread_join(thread, NULL);
	log_end(&log);
	print_logs(&log, 1);
	return 0;
}
