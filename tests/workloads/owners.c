// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owners [MS] [THREADS] [SEED]: threads "user-0", "user-1", ... share the mutex `shared_lock`, and
 * hold it asleep for 4 to 20 ms of chance. Each notes when it asked for it, had it and gave it back
 * (CLOCK_REALTIME, as the start of a recording). Beside them others wait for what has no owner,
 * with the number of a living thread where a mutex has its owner: "word" at a futex of its own with
 * the value of a contended mutex, "condition" at a condition variable, "stream" for libc's lock of
 * a FILE, and "arena-0", "arena-1", ... now and then for the one of malloc.
 */
#include <linux/futex.h>
#include <malloc.h>
#include <stdatomic.h>

#include "workload.h"

#define MAX_THREADS 16
#define MAX_HOLDS 4000
#define ARENA_THREADS 3

struct hold {
	uint64_t asked, had, gave_back;
};

static struct user {
	pthread_t thread;
	int number, tid;
	struct hold *holds;
	size_t count;
} users[MAX_THREADS];

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static uint64_t end_ns;
static unsigned int seed;
static FILE *stream;

/* A lock as others make theirs, in the shape of a mutex of libc. */
static struct {
	_Atomic int word;
	unsigned int count;
	int owner;
} own_lock;

static bool is_over(void)
{
	return wall_ns() >= end_ns;
}

static void *user(void *context)
{
	struct user *self = context;
	unsigned int chance = seed + (unsigned int)self->number;
	char name[16];

	snprintf(name, sizeof(name), "user-%u", (unsigned int)self->number % 100);
	set_name(name);
	self->tid = own_tid();
	while (!is_over() && self->count < MAX_HOLDS) {
		struct hold *hold = &self->holds[self->count++];
		hold->asked = clock_ns(CLOCK_REALTIME);
		pthread_mutex_lock(&shared_lock);
		hold->had = clock_ns(CLOCK_REALTIME);
		sleep_ns((4000 + (uint64_t)(rand_r(&chance) % 16000)) * 1000);
		hold->gave_back = clock_ns(CLOCK_REALTIME);
		pthread_mutex_unlock(&shared_lock);
		sleep_ns((1000 + (uint64_t)(rand_r(&chance) % 4000)) * 1000);
	}
	return NULL;
}

static void *at_word(void *unused)
{
	set_name("word");
	while (!is_over())
		syscall(SYS_futex, &own_lock.word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
	return unused;
}

static void *at_condition(void *unused)
{
	set_name("condition");
	pthread_mutex_lock(&guard);
	while (!is_over())
		pthread_cond_wait(&condition, &guard);
	pthread_mutex_unlock(&guard);
	return unused;
}

static void *at_stream(void *unused)
{
	set_name("stream");
	while (!is_over()) {
		fputc('x', stream);
		sleep_ns(NS_PER_MS);
	}
	return unused;
}

/* Ends the waits of the three above. */
static void *ender(void *unused)
{
	set_name("ender");
	own_lock.owner = own_tid();
	atomic_store(&own_lock.word, 2);
	for (bool is_last = false; !is_last;) {
		is_last = is_over();
		flockfile(stream);
		sleep_ns(10 * NS_PER_MS);
		funlockfile(stream);
		if (is_last)
			atomic_store(&own_lock.word, 0);
		syscall(SYS_futex, &own_lock.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		pthread_mutex_lock(&guard);
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&guard);
	}
	return unused;
}

/* Sizes that threads keep no store of: each takes the lock of the one arena. */
static void *in_arena(void *context)
{
	char name[16];

	snprintf(name, sizeof(name), "arena-%u", (unsigned int)(uintptr_t)context);
	set_name(name);
	while (!is_over()) {
		for (int i = 0; i < 500; i++) {
			volatile char *bytes = malloc(4000 + (size_t)i);
			bytes[0] = 0;
			free((void *)bytes);
		}
		sleep_ns(2 * NS_PER_MS);
	}
	return NULL;
}

static void print_users(int count)
{
	printf("{\"pid\":%d,\"lock\":%llu,\"condition\":%llu,\"condition_bytes\":%zu,\"users\":[",
		(int)getpid(), (unsigned long long)(uintptr_t)&shared_lock,
		(unsigned long long)(uintptr_t)&condition, sizeof(condition));
	for (int i = 0; i < count; i++) {
		printf("%s{\"tid\":%d,\"holds\":[", i ? "," : "", users[i].tid);
		for (size_t j = 0; j < users[i].count; j++) {
			const struct hold *hold = &users[i].holds[j];
			printf("%s[%llu,%llu,%llu]", j ? "," : "", (unsigned long long)hold->asked,
				(unsigned long long)hold->had, (unsigned long long)hold->gave_back);
		}
		printf("]}");
	}
	printf("]}\n");
}

int main(int argc, char **argv)
{
	void *(*const without_owner[])(void *) = {at_word, at_condition, at_stream, ender};
	pthread_t others[4], arenas[ARENA_THREADS];
	int count;

	mallopt(M_ARENA_MAX, 1);
	end_ns = wall_ns() + argument(argc, argv, 1, 3000) * NS_PER_MS;
	count = (int)argument(argc, argv, 2, 4);
	seed = (unsigned int)argument(argc, argv, 3, 1);
	stream = fopen("/dev/null", "w");
	if (count > MAX_THREADS || !stream)
		die("owners");
	for (int i = 0; i < count; i++) {
		users[i].number = i;
		users[i].holds = calloc(MAX_HOLDS, sizeof(struct hold));
		if (!users[i].holds)
			die("calloc");
	}
	own_lock.word = 2;
	for (int i = 0; i < count; i++)
		users[i].thread = start_thread(user, &users[i]);
	for (int i = 0; i < 4; i++)
		others[i] = start_thread(without_owner[i], NULL);
	for (int i = 0; i < ARENA_THREADS; i++)
		arenas[i] = start_thread(in_arena, (void *)(uintptr_t)i);
	for (int i = 0; i < count; i++)
		pthread_join(users[i].thread, NULL);
	/* What is woken once more finds that it is over. */
	for (int i = 3; i >= 0; i--)
		pthread_join(others[i], NULL);
	for (int i = 0; i < ARENA_THREADS; i++)
		pthread_join(arenas[i], NULL);
	print_users(count);
	return 0;
}
