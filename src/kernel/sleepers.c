// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel side shows who sleeps without a stack, the stacks are walked, and the kernel side
 * gives them to those who have not run since. Memory is read some pages at a time, as a walk reads
 * dozens of words close together, and by errands: it may be such that whoever reads it never
 * returns.
 */
#include "kernel/sleepers.h"

#include <bpf/bpf.h>
#include <string.h>

#include "unwind/host_walk.h"
#include "symbol/outside/errand.h"
#include "symbol/outside/outside.h"
#include "util/map64.h"

#define PAGE ERRAND_PAGE_BYTES
/* A walk climbs; who keeps frames elsewhere comes back to its stack. */
#define WINDOWS 2

struct window {
	uint64_t address;
	size_t count;   /* of pages; 0: nothing was read */
	uint32_t pages; /* bits of those that could be read; the others are not asked for again */
	char bytes[ERRAND_PAGES * PAGE];
};

/* The first pages of some stacks, which most walks need no more than. */
struct ahead {
	size_t first; /* sleeper */
	size_t count;
	uint32_t read[ERRAND_STACKS];
	char pages[ERRAND_STACKS * ERRAND_STACK_PAGES * PAGE];
};

/* The memory of one thread, with the pages that were read last. */
struct reader {
	struct errands *errands;
	uint32_t pid;
	uint32_t tid;
	size_t next;
	struct window windows[WINDOWS];
};

static uint64_t page_of(uint64_t address)
{
	return address - address % PAGE;
}

static void reader_open(struct reader *reader, const struct record_sleeper *sleeper)
{
	reader->pid = sleeper->pid;
	reader->tid = sleeper->tid;
	reader->next = 0;
	for (size_t i = 0; i < WINDOWS; i++)
		reader->windows[i].count = 0;
}

/* Gives the reader what was read of the stack that it begins with. */
static void take_ahead(struct reader *reader, const struct ahead *ahead, size_t number, uint64_t sp)
{
	struct window *window = &reader->windows[reader->next++];
	size_t at = number - ahead->first;

	window->address = page_of(sp);
	window->count = ERRAND_STACK_PAGES;
	window->pages = ahead->read[at];
	memcpy(window->bytes, ahead->pages + at * ERRAND_STACK_PAGES * PAGE,
		ERRAND_STACK_PAGES * PAGE);
}

static void read_ahead(
	struct ahead *ahead, struct errands *errands, const kernel_sleepers *sleepers, size_t first)
{
	struct errand_stack stacks[ERRAND_STACKS];
	size_t count = 0;

	for (; count < ERRAND_STACKS && first + count < sleepers->count; count++) {
		const struct record_sleeper *sleeper = &sleepers->at[first + count];
		stacks[count] =
			(struct errand_stack){sleeper->pid, sleeper->tid, page_of(sleeper->sp)};
	}
	ahead->first = first;
	ahead->count = errand_stacks(errands, stacks, count, ahead->read, ahead->pages) ? count : 0;
}

static bool is_inside(const struct window *window, uint64_t address)
{
	return address >= window->address && address - window->address < window->count * PAGE;
}

/* NULL if the page cannot be read. */
static const char *page_at(struct reader *reader, uint64_t address)
{
	struct window *window = NULL;

	for (size_t i = 0; i < WINDOWS; i++)
		if (is_inside(&reader->windows[i], address))
			window = &reader->windows[i];
	if (!window) {
		window = &reader->windows[reader->next++ % WINDOWS];
		window->address = address;
		window->count = ERRAND_PAGES;
		window->pages = errand_memory(
			reader->errands, reader->pid, reader->tid, address, window->bytes);
	}
	uint64_t number = (address - window->address) / PAGE;
	return window->pages & 1U << number ? window->bytes + number * PAGE : NULL;
}

static int read_memory(void *context, uint64_t address, void *to, size_t bytes)
{
	while (bytes) {
		size_t at = address % PAGE, count = PAGE - at < bytes ? PAGE - at : bytes;
		const char *page = page_at(context, address - at);

		if (!page)
			return -1;
		memcpy(to, page + at, count);
		to = (char *)to + count;
		address += count;
		bytes -= count;
	}
	return 0;
}

static struct walk *walk_one(const struct record_sleeper *sleeper, const struct unwind_areas *areas,
	struct reader *reader)
{
	struct unwind_registers registers = {.pc = sleeper->pc,
		.sp = sleeper->sp,
		.fp = sleeper->fp,
		.first_argument = sleeper->first_argument,
		.bx = sleeper->bx,
		.taken = sleeper->taken,
		.taken_count = SLEEPER_TAKEN};
	struct unwind_memory memory = {.read = read_memory, .context = reader};
	struct unwind_process maps;
	struct walk *walk = xmalloc(sizeof(*walk));
	bool is_known = !bpf_map_lookup_elem(areas->processes_fd, &sleeper->image, &maps);

	unwind_host_walk(areas, is_known ? &maps : NULL, sleeper->image, &registers, &memory, walk);
	return walk;
}

static bool lacks_tables(const struct walk *walk)
{
	return walk->stop == UNWIND_STOP_NOPROC || walk->stop == UNWIND_STOP_NOVMA ||
	       walk->stop == UNWIND_STOP_NOTABLE || walk->stop == UNWIND_STOP_PENDING ||
	       walk->stop == UNWIND_STOP_NOROOM;
}

/* A thread that has none at all takes anything at last: it says at least why. */
static bool is_better(const struct record_sleeper *sleeper, const struct walk *walk, bool is_last)
{
	return !lacks_tables(walk) || (is_last && sleeper->user_stack == STACK_EARLIER);
}

/* Stacks that were walked, until they are given. */
struct round {
	VEC(struct repair) repairs;
	VEC(uint32_t) threads;
	VEC(struct walk *) walks;
	struct map64 by_thread; /* serial -> index */
	void (*each)(void *context, const struct walk *walk);
	void *context;
};

static void round_clear(struct round *round)
{
	vec_each (walk, &round->walks)
		free(*walk);
	round->walks.count = round->repairs.count = round->threads.count = 0;
	map64_clear(&round->by_thread);
	round->by_thread = (struct map64){0};
}

static void was_given(void *context, const void *serial)
{
	struct round *round = context;
	uint32_t thread;

	memcpy(&thread, serial, sizeof(thread));
	const uint64_t *index = map64_find(&round->by_thread, thread);
	if (index)
		round->each(round->context, round->walks.at[*index]);
}

static int give(struct kernel *kernel, struct round *round)
{
	int error = 0;

	if (round->walks.count)
		error = kernel_repair(kernel, round->repairs.at, round->threads.at,
			round->threads.count, was_given, round);
	round_clear(round);
	return error;
}

static void add(struct round *round, const struct record_sleeper *sleeper, struct walk *walk)
{
	struct repair repair = {.since_ns = sleeper->since_ns,
		.old_stack = sleeper->user_stack,
		.new_stack = walk->id};

	*map64_put(&round->by_thread, sleeper->thread, NULL) = round->walks.count;
	vec_push(&round->repairs, repair);
	vec_push(&round->threads, sleeper->thread);
	vec_push(&round->walks, walk);
}

int sleepers_walk(struct kernel *kernel, struct outside *outside, const struct unwind_areas *areas,
	bool is_last, void (*each)(void *context, const struct walk *walk), void *context,
	size_t *ret_left)
{
	kernel_sleepers sleepers = {0};
	_cleanup_free_ struct reader *reader = xcalloc(1, sizeof(*reader));
	_cleanup_free_ struct ahead *ahead = xcalloc(1, sizeof(*ahead));
	struct round round = {.each = each, .context = context};
	int error = kernel_read_sleepers(kernel, &sleepers);

	reader->errands = outside->errands;
	*ret_left = 0;
	for (size_t i = 0; i < sleepers.count && !error; i++) {
		const struct record_sleeper *sleeper = &sleepers.at[i];

		if (i % ERRAND_STACKS == 0)
			read_ahead(ahead, reader->errands, &sleepers, i);
		reader_open(reader, sleeper);
		if (i - ahead->first < ahead->count)
			take_ahead(reader, ahead, i, sleeper->sp);
		struct walk *walk = walk_one(sleeper, areas, reader);
		*ret_left += lacks_tables(walk);
		if (is_better(sleeper, walk, is_last))
			add(&round, sleeper, walk);
		else
			free(walk);
		if (round.walks.count == KERNEL_MAX_REPAIRS)
			error = give(kernel, &round);
	}
	if (!error)
		error = give(kernel, &round);
	round_clear(&round);
	vec_clear(&round.repairs);
	vec_clear(&round.threads);
	vec_clear(&round.walks);
	vec_clear(&sleepers);
	return error;
}
