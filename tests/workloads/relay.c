// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relay [ROUNDS] [SLEEP_MS] [BUSY_C_MS] [BUSY_B_MS]: thread "carol" sleeps, computes and wakes
 * "bob", who computes and wakes "alice". Each notes when it slept, computed and waited; what it
 * prints is how much of alice's waits each of them took: the timer that carol slept on, carol, bob.
 * And the inodes of the pipes that alice and bob wait at.
 */
#include <sys/stat.h>

#include "workload.h"

#define MAX_ROUNDS 1000

static struct {
	uint64_t alice_waits, alice_woken;
	uint64_t bob_woken, bob_done;
	uint64_t carol_sleeps, carol_woken, carol_done;
} rounds[MAX_ROUNDS];

static uint64_t round_count, sleep_ms, busy_c_ms, busy_b_ms;
static int to_bob[2], to_alice[2], to_carol[2];

/* Carol must not run ahead: she is let go while alice is still on her way to the wait. */
static void *alice(void *unused)
{
	(void)unused;
	set_name("alice");
	for (uint64_t i = 0; i < round_count; i++) {
		give(to_carol[1]);
		rounds[i].alice_waits = wall_ns();
		take(to_alice[0]);
		rounds[i].alice_woken = wall_ns();
	}
	return NULL;
}

static void *bob(void *unused)
{
	(void)unused;
	set_name("bob");
	for (uint64_t i = 0; i < round_count; i++) {
		take(to_bob[0]);
		rounds[i].bob_woken = wall_ns();
		burn_ns(busy_b_ms * NS_PER_MS);
		rounds[i].bob_done = wall_ns();
		give(to_alice[1]);
	}
	return NULL;
}

static void *carol(void *unused)
{
	(void)unused;
	set_name("carol");
	for (uint64_t i = 0; i < round_count; i++) {
		take(to_carol[0]);
		rounds[i].carol_sleeps = wall_ns();
		sleep_ns(sleep_ms * NS_PER_MS);
		rounds[i].carol_woken = wall_ns();
		burn_ns(busy_c_ms * NS_PER_MS);
		rounds[i].carol_done = wall_ns();
		give(to_bob[1]);
	}
	return NULL;
}

static unsigned long long inode_of(int fd)
{
	struct stat info;

	if (fstat(fd, &info))
		die("fstat");
	return info.st_ino;
}

int main(int argc, char **argv)
{
	uint64_t wait = 0, timer = 0, by_carol = 0, by_bob = 0;
	pthread_t threads[3];

	round_count = argument(argc, argv, 1, 20);
	sleep_ms = argument(argc, argv, 2, 30);
	busy_c_ms = argument(argc, argv, 3, 10);
	busy_b_ms = argument(argc, argv, 4, 20);
	if (round_count > MAX_ROUNDS || pipe(to_bob) || pipe(to_alice) || pipe(to_carol))
		die("relay");
	threads[0] = start_thread(carol, NULL);
	threads[1] = start_thread(bob, NULL);
	threads[2] = start_thread(alice, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (uint64_t i = 0; i < round_count; i++) {
		wait += rounds[i].alice_woken - rounds[i].alice_waits;
		timer += rounds[i].carol_woken - rounds[i].carol_sleeps;
		by_carol += rounds[i].carol_done - rounds[i].carol_woken;
		by_bob += rounds[i].bob_done - rounds[i].bob_woken;
	}
	printf("{\"rounds\":%llu,\"wait_ns\":%llu,\"timer_ns\":%llu,\"carol_ns\":%llu,"
	       "\"bob_ns\":%llu,\"alice_inode\":%llu,\"bob_inode\":%llu}\n",
		(unsigned long long)round_count, (unsigned long long)wait,
		(unsigned long long)timer, (unsigned long long)by_carol, (unsigned long long)by_bob,
		inode_of(to_alice[0]), inode_of(to_bob[0]));
	return 0;
}
