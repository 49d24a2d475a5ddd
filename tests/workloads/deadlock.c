// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deadlock [WORD...]: threads "left" and "right" take left_lock and right_lock, each the other's
 * one last, and are stuck. Says when. "later": they begin when told to, by a line. "asleep": it is
 * no deadlock, both want left_lock, whose owner "keeper" sleeps for ever. The program's first
 * thread is called "program", so that the word deadlock is the report's own.
 */
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

int main(int argc, char **argv)
{
	pthread_t threads[2];
	bool is_later = false;

	set_name("program");
	for (int i = 1; i < argc; i++) {
		is_later |= !strcmp(argv[i], "later");
		is_asleep |= !strcmp(argv[i], "asleep");
	}
	if (is_later)
		wait_for_go();
	pthread_barrier_init(&both_have_one, NULL, is_asleep ? 3 : 2);
	if (is_asleep)
		start_thread(keeper, NULL);
	threads[0] = start_thread(left, NULL);
	threads[1] = start_thread(right, NULL);
	for (int i = 0; i < 2; i++)
		wait_until_asleep(&tids[i]);
	puts("\"stuck\"");
	fflush(stdout);
	pthread_join(threads[0], NULL);
	return 0;
}
