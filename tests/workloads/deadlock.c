// SPDX-License-Identifier: GPL-2.0-or-later
/* deadlock: threads "left" and "right" take two mutexes, each the other one first. Says when. */
#include "workload.h"

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t both_have_one;
static int tids[2];

NAMED static void take_both(int first)
{
	pthread_mutex_lock(&mutexes[first]);
	pthread_barrier_wait(&both_have_one);
	tids[first] = own_tid();
	pthread_mutex_lock(&mutexes[!first]);
}

static void *left(void *unused)
{
	set_name("left");
	take_both(0);
	return unused;
}

static void *right(void *unused)
{
	set_name("right");
	take_both(1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&both_have_one, NULL, 2);
	threads[0] = start_thread(left, NULL);
	threads[1] = start_thread(right, NULL);
	for (int i = 0; i < 2; i++)
		wait_until_asleep(&tids[i]);
	puts("stuck");
	fflush(stdout);
	pthread_join(threads[0], NULL);
	return 0;
}
