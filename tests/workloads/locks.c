// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locks: threads wait for other threads and for children: at words of memory, for ids of System V,
 * in wait4. Each waits for one thing, as things.h says. Every lock is a variable of its own, so
 * that its symbol tells which one it is.
 */
#include <linux/futex.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>

#include "things.h"

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t the_guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock_for_reading = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t lock_for_writing = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t the_barrier;
static sem_t the_semaphore;
static _Atomic int the_word;

/* Locks: the ender has them before the waiter asks. */

static void prepare_mutex(struct thing *thing)
{
	thing_object(thing, "the_mutex", &the_mutex, sizeof(the_mutex.__data.__lock));
}

static void begin_mutex(struct thing *thing)
{
	(void)thing;
	pthread_mutex_lock(&the_mutex);
}

static void wait_mutex(struct thing *thing)
{
	(void)thing;
	pthread_mutex_lock(&the_mutex);
	pthread_mutex_unlock(&the_mutex);
}

static void end_mutex(struct thing *thing)
{
	(void)thing;
	pthread_mutex_unlock(&the_mutex);
}

static void prepare_reader(struct thing *thing)
{
	thing_object(thing, "lock_for_reading", &lock_for_reading, sizeof(lock_for_reading));
}

static void begin_reader(struct thing *thing)
{
	(void)thing;
	pthread_rwlock_wrlock(&lock_for_reading);
}

static void wait_reader(struct thing *thing)
{
	(void)thing;
	pthread_rwlock_rdlock(&lock_for_reading);
	pthread_rwlock_unlock(&lock_for_reading);
}

static void end_reader(struct thing *thing)
{
	(void)thing;
	pthread_rwlock_unlock(&lock_for_reading);
}

static void prepare_writer(struct thing *thing)
{
	thing_object(thing, "lock_for_writing", &lock_for_writing, sizeof(lock_for_writing));
}

static void begin_writer(struct thing *thing)
{
	(void)thing;
	pthread_rwlock_wrlock(&lock_for_writing);
}

static void wait_writer(struct thing *thing)
{
	(void)thing;
	pthread_rwlock_wrlock(&lock_for_writing);
	pthread_rwlock_unlock(&lock_for_writing);
}

static void end_writer(struct thing *thing)
{
	(void)thing;
	pthread_rwlock_unlock(&lock_for_writing);
}

/* What another thread tells. */

static void prepare_condition(struct thing *thing)
{
	thing_object(thing, "the_condition", &the_condition, sizeof(the_condition));
}

static void wait_condition(struct thing *thing)
{
	(void)thing;
	pthread_mutex_lock(&the_guard);
	pthread_cond_wait(&the_condition, &the_guard);
	pthread_mutex_unlock(&the_guard);
}

static void end_condition(struct thing *thing)
{
	(void)thing;
	pthread_mutex_lock(&the_guard);
	pthread_cond_signal(&the_condition);
	pthread_mutex_unlock(&the_guard);
}

static void prepare_semaphore(struct thing *thing)
{
	if (sem_init(&the_semaphore, 0, 0))
		die("sem_init");
	thing_object(thing, "the_semaphore", &the_semaphore, sizeof(the_semaphore));
}

static void wait_semaphore(struct thing *thing)
{
	(void)thing;
	while (sem_wait(&the_semaphore))
		;
}

static void end_semaphore(struct thing *thing)
{
	(void)thing;
	sem_post(&the_semaphore);
}

static void prepare_barrier(struct thing *thing)
{
	if (pthread_barrier_init(&the_barrier, NULL, 2))
		die("pthread_barrier_init");
	thing_object(thing, "the_barrier", &the_barrier, sizeof(the_barrier));
}

static void at_barrier(struct thing *thing)
{
	(void)thing;
	pthread_barrier_wait(&the_barrier);
}

static void prepare_word(struct thing *thing)
{
	thing_object(thing, "the_word", &the_word, sizeof(the_word));
}

static void begin_word(struct thing *thing)
{
	(void)thing;
	atomic_store(&the_word, 2);
}

static void wait_word(struct thing *thing)
{
	(void)thing;
	while (atomic_load(&the_word) == 2)
		syscall(SYS_futex, &the_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void end_word(struct thing *thing)
{
	(void)thing;
	atomic_store(&the_word, 0);
	syscall(SYS_futex, &the_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* A thread's end: at a word of libc's description of it, which lies at the end of its stack. */

static char stack_of_joined[256 << 10] __attribute__((aligned(64)));
static _Atomic bool may_end;
static pthread_t joined;

static void *sleep_until_told(void *unused)
{
	set_name("joined");
	while (!atomic_load(&may_end))
		sleep_ns(NS_PER_MS);
	return unused;
}

static void prepare_join(struct thing *thing)
{
	thing_object(thing, "stack_of_joined", stack_of_joined, sizeof(stack_of_joined));
}

static void begin_join(struct thing *thing)
{
	pthread_attr_t attributes;

	(void)thing;
	atomic_store(&may_end, false);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack_of_joined, sizeof(stack_of_joined)) ||
		pthread_create(&joined, &attributes, sleep_until_told, NULL))
		die("pthread_create");
	pthread_attr_destroy(&attributes);
}

static void wait_join(struct thing *thing)
{
	(void)thing;
	pthread_join(joined, NULL);
}

static void end_join(struct thing *thing)
{
	(void)thing;
	atomic_store(&may_end, true);
}

/* System V. */

struct message {
	long type;
	char text[8];
};

static int semaphores_id, queue_id;

static void prepare_semop(struct thing *thing)
{
	/* The first id of a machine is 0, which would say nothing. */
	int first = semget(IPC_PRIVATE, 1, 0600);

	semaphores_id = semget(IPC_PRIVATE, 1, 0600);
	if (first < 0 || semaphores_id < 0 || semctl(first, 0, IPC_RMID))
		die("semget");
	thing->address = (uint64_t)semaphores_id;
}

static void wait_semop(struct thing *thing)
{
	struct sembuf down = {0, -1, 0};

	(void)thing;
	while (semop(semaphores_id, &down, 1))
		;
}

static void end_semop(struct thing *thing)
{
	struct sembuf up = {0, 1, 0};

	(void)thing;
	if (semop(semaphores_id, &up, 1))
		die("semop");
}

static void prepare_queue(struct thing *thing)
{
	int first = msgget(IPC_PRIVATE, 0600);

	queue_id = msgget(IPC_PRIVATE, 0600);
	if (first < 0 || queue_id < 0 || msgctl(first, IPC_RMID, NULL))
		die("msgget");
	thing->address = (uint64_t)queue_id;
}

static void wait_queue(struct thing *thing)
{
	struct message message;

	(void)thing;
	while (msgrcv(queue_id, &message, sizeof(message.text), 0, 0) < 0)
		;
}

static void end_queue(struct thing *thing)
{
	struct message message = {.type = 1};

	(void)thing;
	if (msgsnd(queue_id, &message, sizeof(message.text), 0))
		die("msgsnd");
}

/*
 * Children, each its waiter's own, which is told whenever it is stopped or goes on: so all waits of
 * a thread are for one process.
 */

static pid_t make_child(void)
{
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		die("fork");
	if (child)
		return child;
	set_name("waited-child");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		sleep_ns(100 * NS_PER_MS);
	_exit(0);
}

static void start_child(struct thing *thing)
{
	thing->fds[0] = make_child();
	thing->address = (uint64_t)thing->fds[0];
}

static void start_any_child(struct thing *thing)
{
	thing->fds[0] = make_child();
}

static void wait_for(struct thing *thing, pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WUNTRACED | WCONTINUED | __WNOTHREAD) != thing->fds[0])
		die("waitpid");
}

static void wait_child(struct thing *thing)
{
	wait_for(thing, thing->fds[0]);
}

static void wait_any_child(struct thing *thing)
{
	wait_for(thing, -1);
}

static void end_child(struct thing *thing)
{
	thing->fds[1] = !thing->fds[1];
	kill(thing->fds[0], thing->fds[1] ? SIGSTOP : SIGCONT);
}

/* clang-format off */
static struct thing things[] = {
	{"mutex", "futex", prepare_mutex, .begin = begin_mutex, .wait = wait_mutex, .end = end_mutex},
	{"rwlock reader", "futex", prepare_reader, .begin = begin_reader, .wait = wait_reader, .end = end_reader},
	{"rwlock writer", "futex", prepare_writer, .begin = begin_writer, .wait = wait_writer, .end = end_writer},
	{"condition", "futex", prepare_condition, .wait = wait_condition, .end = end_condition},
	{"semaphore", "futex", prepare_semaphore, .wait = wait_semaphore, .end = end_semaphore},
	{"barrier", "futex", prepare_barrier, .wait = at_barrier, .end = at_barrier},
	{"own word", "futex", prepare_word, .begin = begin_word, .wait = wait_word, .end = end_word},
	{"join", "futex", prepare_join, .begin = begin_join, .wait = wait_join, .end = end_join},
	{"semop", "semaphores", prepare_semop, .wait = wait_semop, .end = end_semop},
	{"msgrcv", "message queue", prepare_queue, .wait = wait_queue, .end = end_queue},
	{"child", "child", .start = start_child, .wait = wait_child, .end = end_child},
	{"any child", "any child", .start = start_any_child, .wait = wait_any_child, .end = end_child},
};
/* clang-format on */

int main(void)
{
	const size_t count = sizeof(things) / sizeof(*things);

	things_run(things, count);
	for (size_t i = 0; i < count; i++)
		if (things[i].wait == wait_child || things[i].wait == wait_any_child)
			kill(things[i].fds[0], SIGKILL);
	semctl(semaphores_id, 0, IPC_RMID);
	msgctl(queue_id, IPC_RMID, NULL);
	return 0;
}
