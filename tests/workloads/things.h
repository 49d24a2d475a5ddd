/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread for each thing that can be waited for, named after it, and one for each of them that
 * ends its waits. A wait is ended 20 ms after its thread was seen asleep in it, so every wait
 * blocks and its least length is known. Both threads of a thing agree about rounds by words of
 * memory and sleeps: a waiter blocks in its wait and in clock_nanosleep, nowhere else.
 */
#ifndef DWELL_TESTS_THINGS_H
#define DWELL_TESTS_THINGS_H

#include <stdatomic.h>

#include "workload.h"

#define THING_ROUNDS 6
#define THING_WAIT_MS 20

struct thing {
	/* The waiter's name, and what the recording should call what it waits for. */
	const char *thread;
	const char *kind;
	void (*prepare)(struct thing *thing); /* in main, before any thread is there */
	void (*start)(struct thing *thing);   /* in the waiter, before its first round; or NULL */
	void (*begin)(struct thing *thing);   /* in the ender, before the waiter waits; or NULL */
	void (*wait)(struct thing *thing);
	void (*end)(struct thing *thing); /* in the ender; NULL: the wait ends by itself */

	/* What tells it from others of its kind; what is not printed does not. */
	char name[128];
	bool has_name;
	int port;
	uint64_t address;
	uint64_t span_bytes; /* of futexes: of the object that the address may lie in */

	int fds[2];
	int tid;
	pthread_t waiter, ender;
	uint64_t wall_ns;
	_Atomic int ready, turn, done;
};

static inline void thing_name(struct thing *thing, const char *name)
{
	if (strlen(name) >= sizeof(thing->name))
		die("a name is too long");
	strcpy(thing->name, name);
	thing->has_name = true;
}

static inline void thing_path(struct thing *thing, const char *folder, const char *file)
{
	if (strlen(folder) + 1 + strlen(file) >= sizeof(thing->name))
		die("the folder's path is too long");
	thing_name(thing, folder);
	strcat(strcat(thing->name, "/"), file);
}

/* For what glibc waits at some word of. */
static inline void thing_object(
	struct thing *thing, const char *symbol, const volatile void *object, size_t bytes)
{
	thing_name(thing, symbol);
	thing->address = (uint64_t)(uintptr_t)object;
	thing->span_bytes = bytes;
}

static inline void thing_wait_for_round(_Atomic int *word, int round)
{
	while (atomic_load(word) < round)
		sleep_ns(NS_PER_MS);
}

static inline void *thing_waiter(void *context)
{
	struct thing *thing = context;

	set_name(thing->thread);
	thing->tid = own_tid();
	if (thing->start)
		thing->start(thing);
	atomic_store(&thing->done, 0);
	for (int round = 1; round <= THING_ROUNDS; round++) {
		uint64_t start_ns;
		thing_wait_for_round(&thing->ready, round);
		start_ns = wall_ns();
		atomic_store(&thing->turn, round);
		thing->wait(thing);
		thing->wall_ns += wall_ns() - start_ns;
		atomic_store(&thing->done, round);
	}
	return NULL;
}

static inline void *thing_ender(void *context)
{
	struct thing *thing = context;

	set_name("ender");
	for (int round = 1; round <= THING_ROUNDS; round++) {
		thing_wait_for_round(&thing->done, round - 1);
		if (thing->begin)
			thing->begin(thing);
		atomic_store(&thing->ready, round);
		if (!thing->end)
			continue;
		thing_wait_for_round(&thing->turn, round);
		while (thread_state(thing->tid) != 'S')
			sleep_ns(NS_PER_MS);
		sleep_ns(THING_WAIT_MS * NS_PER_MS);
		thing->end(thing);
	}
	return NULL;
}

static inline void thing_print(const struct thing *thing)
{
	printf("{\"thread\":\"%s\",\"tid\":%d,\"kind\":\"%s\",\"waits\":%d,\"wall_ns\":%llu,"
	       "\"least_ns\":%llu",
		thing->thread, thing->tid, thing->kind, THING_ROUNDS,
		(unsigned long long)thing->wall_ns, THING_ROUNDS * THING_WAIT_MS * NS_PER_MS);
	if (thing->has_name)
		printf(",\"name\":\"%s\"", thing->name);
	if (thing->port)
		printf(",\"port\":%d", thing->port);
	if (thing->address)
		printf(",\"address\":%llu", (unsigned long long)thing->address);
	if (thing->span_bytes)
		printf(",\"span_bytes\":%llu", (unsigned long long)thing->span_bytes);
	putchar('}');
}

/* All threads wait as often as they have to; then what they waited for is said. */
static inline void things_run(struct thing *things, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		atomic_store(&things[i].done, -1);
		if (things[i].prepare)
			things[i].prepare(&things[i]);
	}
	for (size_t i = 0; i < count; i++) {
		things[i].waiter = start_thread(thing_waiter, &things[i]);
		things[i].ender = start_thread(thing_ender, &things[i]);
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(things[i].waiter, NULL);
		pthread_join(things[i].ender, NULL);
	}
	printf("{\"pid\":%d,\"things\":[", (int)getpid());
	for (size_t i = 0; i < count; i++) {
		if (i)
			putchar(',');
		thing_print(&things[i]);
	}
	printf("]}\n");
	fflush(stdout);
}

#endif
