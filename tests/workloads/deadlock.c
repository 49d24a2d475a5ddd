// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deadlock [WORD...]: threads "left" and "right" take left_lock and right_lock, each the other's
 * one last, and are stuck. Says when. "later": they begin when told to, by a line. "asleep": it is
 * no deadlock, both want left_lock, whose owner "keeper" sleeps for ever. "handed": it is none
 * either, but looks like one to who asks only when waits begin: left waits for right_lock, which
 * right had then, and gave to keeper, who had asked before, and sleeps; then right waits for
 * left_lock. The program's first thread is called "program", so that the word deadlock is the
 * report's own.
 */
#include <stdatomic.h>

#include "workload.h"

pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_have_one;
static bool is_asleep;
static int tids[2];

NAMED static void take_both(pthread_mutex_t *first, pthread_mutex_t *second, int *tid)
{
	pthread_mutex_lock(first);
	pthread_barrier_wait(&both_have_one);
	*tid = own_tid();
	pthread_mutex_lock(second);
}

NAMED static void take_one(int *tid)
{
	pthread_barrier_wait(&both_have_one);
	*tid = own_tid();
	pthread_mutex_lock(&left_lock);
}

static void *left(void *unused)
{
	set_name("left");
	if (is_asleep)
		take_one(&tids[0]);
	else
		take_both(&left_lock, &right_lock, &tids[0]);
	return unused;
}

static void *right(void *unused)
{
	set_name("right");
	if (is_asleep)
		take_one(&tids[1]);
	else
		take_both(&right_lock, &left_lock, &tids[1]);
	return unused;
}

static void *keeper(void *unused)
{
	set_name("keeper");
	pthread_mutex_lock(&left_lock);
	pthread_barrier_wait(&both_have_one);
	for (;;)
		sleep_ns(3600 * NS_PER_S);
	return unused;
}

static atomic_int may_give, has_taken;
static int keeper_tid;

static void *giver(void *unused)
{
	set_name("right");
	pthread_mutex_lock(&right_lock);
	atomic_store(&has_taken, 1);
	while (!atomic_load(&may_give))
		sleep_ns(NS_PER_S / 1000);
	pthread_mutex_unlock(&right_lock);
	while (atomic_load(&has_taken) != 2)
		sleep_ns(NS_PER_S / 1000);
	tids[1] = own_tid();
	pthread_mutex_lock(&left_lock);
	return unused;
}

static void *next_keeper(void *unused)
{
	set_name("keeper");
	keeper_tid = own_tid();
	pthread_mutex_lock(&right_lock);
	atomic_store(&has_taken, 2);
	for (;;)
		sleep_ns(3600 * NS_PER_S);
	return unused;
}

static void *waiter(void *unused)
{
	set_name("left");
	pthread_mutex_lock(&left_lock);
	tids[0] = own_tid();
	pthread_mutex_lock(&right_lock);
	return unused;
}

static void hand_on(pthread_t threads[2])
{
	threads[1] = start_thread(giver, NULL);
	while (!atomic_load(&has_taken))
		sleep_ns(NS_PER_S / 1000);
	start_thread(next_keeper, NULL);
	wait_until_asleep(&keeper_tid);
	threads[0] = start_thread(waiter, NULL);
	wait_until_asleep(&tids[0]);
	atomic_store(&may_give, 1);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	bool is_later = false, is_handed = false;

	set_name("program");
	for (int i = 1; i < argc; i++) {
		is_later |= !strcmp(argv[i], "later");
		is_asleep |= !strcmp(argv[i], "asleep");
		is_handed |= !strcmp(argv[i], "handed");
	}
	if (is_later)
		wait_for_go();
	pthread_barrier_init(&both_have_one, NULL, is_asleep ? 3 : 2);
	if (is_asleep)
		start_thread(keeper, NULL);
	if (is_handed) {
		hand_on(threads);
	} else {
		threads[0] = start_thread(left, NULL);
		threads[1] = start_thread(right, NULL);
	}
	for (int i = 0; i < 2; i++)
		wait_until_asleep(&tids[i]);
	puts("\"stuck\"");
	fflush(stdout);
	pthread_join(threads[0], NULL);
	return 0;
}
