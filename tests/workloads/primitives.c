// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * primitives [MS]: a thread for each way to wait for another one, named after it, and one that
 * gives all of them what they wait for after so long.
 */
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "workload.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int sem_id, msg_id;
static uint64_t nap_ms;
static pthread_t sleeper_thread;

struct message {
	long type;
	char text[8];
};

NAMED static void *at_mutex(void *unused)
{
	set_name("mutex");
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

NAMED static void *at_rwlock(void *unused)
{
	set_name("rwlock");
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	return unused;
}

NAMED static void *at_condition(void *unused)
{
	set_name("condition");
	pthread_mutex_lock(&guard);
	pthread_cond_wait(&condition, &guard);
	pthread_mutex_unlock(&guard);
	return unused;
}

NAMED static void *at_semaphore(void *unused)
{
	set_name("semaphore");
	while (sem_wait(&semaphore))
		;
	return unused;
}

NAMED static void *at_barrier(void *unused)
{
	set_name("barrier");
	pthread_barrier_wait(&barrier);
	return unused;
}

NAMED static void *at_sysv(void *unused)
{
	struct sembuf down = {0, -1, 0};

	set_name("sysv");
	while (semop(sem_id, &down, 1))
		;
	return unused;
}

NAMED static void *at_queue(void *unused)
{
	struct message message;

	set_name("queue");
	while (msgrcv(msg_id, &message, sizeof(message.text), 0, 0) < 0)
		;
	return unused;
}

static void *sleeper(void *unused)
{
	set_name("sleeper");
	sleep_ns(nap_ms * NS_PER_MS);
	return unused;
}

NAMED static void *at_join(void *unused)
{
	set_name("join");
	pthread_join(sleeper_thread, NULL);
	return unused;
}

static void let_go(void)
{
	struct sembuf up = {0, 1, 0};
	struct message message = {.type = 1};

	pthread_mutex_unlock(&mutex);
	pthread_rwlock_unlock(&rwlock);
	pthread_mutex_lock(&guard);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&guard);
	sem_post(&semaphore);
	pthread_barrier_wait(&barrier);
	if (semop(sem_id, &up, 1) || msgsnd(msg_id, &message, sizeof(message.text), 0))
		die("let go");
}

int main(int argc, char **argv)
{
	void *(*const ways[])(void *) = {at_mutex, at_rwlock, at_condition, at_semaphore,
		at_barrier, at_sysv, at_queue, at_join};
	pthread_t threads[sizeof(ways) / sizeof(*ways)];

	nap_ms = argument(argc, argv, 1, 500);
	sem_id = semget(IPC_PRIVATE, 1, 0600);
	msg_id = msgget(IPC_PRIVATE, 0600);
	if (sem_id < 0 || msg_id < 0 || sem_init(&semaphore, 0, 0) ||
		pthread_barrier_init(&barrier, NULL, 2))
		die("primitives");
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	sleeper_thread = start_thread(sleeper, NULL);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		threads[i] = start_thread(ways[i], NULL);
	sleep_ns(nap_ms * NS_PER_MS);
	let_go();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		pthread_join(threads[i], NULL);
	semctl(sem_id, 0, IPC_RMID);
	msgctl(msg_id, IPC_RMID, NULL);
	return 0;
}
