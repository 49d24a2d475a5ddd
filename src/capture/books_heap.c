// SPDX-License-Identifier: GPL-2.0-or-later
/* Events become rows of the recording, those of memory in the heap's books as well. */
#include "capture/books_private.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "capture/awaited.h"

void books_set_heap(struct books *books, const struct books_measures *measures)
{
	books->measures = *measures;
	if (measures->allocated)
		books->heap = heap_new(books->slice_ns);
}

void books_add_event(struct books *books, const struct kernel_event *event)
{
	const struct book *book = books_book_of(books, event->key.thread);
	const struct books_measures *measures = &books->measures;
	uint32_t measure = event->key.measure;
	struct rec_count row = {.measure = measure,
		.thread = event->key.thread,
		.slice = event->key.slice,
		.kernel_stack = namer_stack(books->namer, event->key.kernel_stack),
		.user_stack = namer_stack(books->namer, event->key.user_stack),
		.count = event->sum.count,
		.value = event->sum.value,
		.max_value = event->sum.max_value,
		.events = event->sum.events,
		.awaited = awaited_id(books->things, event->key.thing)};

	if (books->heap && (measure == measures->allocated || measure == measures->freed))
		heap_note(books->heap, &event->key, &event->sum, row.user_stack,
			measure == measures->freed);
	books->totals.events += row.count;
	if (row.kernel_stack == STACK_LOST || row.user_stack == STACK_LOST)
		books->totals.bare_events += row.count;
	if (!book->is_announced)
		books->totals.unknown += row.count;
	recording_writer_add_count(books->writer, &row);
}

/* Further programs are not asked whether they were watched. */
#define MOST_PROGRAMS 65536

void books_meet_program(struct books *books, uint32_t image, const char *exe)
{
	struct books_program program = {.image = image};

	if (!books->heap || books->programs.count == MOST_PROGRAMS)
		return;
	program.exe = xstrdup(exe);
	vec_push(&books->programs, program);
}

void books_each_program(const struct books *books, books_program_fn each, void *context)
{
	vec_each (program, &books->programs)
		each(program->image, program->exe, context);
}

void books_clear_programs(struct books *books)
{
	vec_each (program, &books->programs)
		free(program->exe);
	vec_clear(&books->programs);
}

static void add_live(const struct heap_row *row, void *context)
{
	struct books *books = context;
	struct rec_count count = {.measure = books->measures.live,
		.thread = row->thread,
		.slice = row->slice,
		.kernel_stack = STACK_NONE,
		.user_stack = row->stack,
		.count = row->count,
		.value = row->bytes,
		.max_value = row->most_bytes,
		.events = row->events};

	recording_writer_add_count(books->writer, &count);
	count.measure = books->measures.leaks;
	if (row->is_leaked)
		recording_writer_add_count(books->writer, &count);
}

void books_add_heap(struct books *books, const kernel_allocations *blocks, uint64_t end_ns)
{
	if (books->heap)
		heap_each(books->heap, blocks, books->start_ns, end_ns, add_live, books);
}

bool books_has_more_blocks(const struct books *books, uint64_t blocks)
{
	return books->heap && heap_living(books->heap) > blocks;
}

struct asking {
	struct map64 *gone;
};

/* If its number was given again, it is asked for later. */
static bool lives_on(uint32_t image, uint32_t pid, void *context)
{
	struct asking *asking = context;

	if (pid && (!kill((pid_t)pid, 0) || errno != ESRCH))
		return true;
	map64_put(asking->gone, image, NULL);
	return false;
}

void books_find_gone(struct books *books, struct map64 *ret)
{
	struct asking asking = {ret};

	if (books->heap)
		heap_each_ended(books->heap, lives_on, &asking);
}

void books_add_gone(struct books *books, const kernel_allocations *blocks)
{
	if (books->heap)
		heap_each_gone(books->heap, blocks, add_live, books);
}

void books_each_process(struct books *books, books_process_fn each, void *context)
{
	for (size_t i = 0; i < books->processes.room; i++)
		if (books->processes.slots[i].is_used) {
			uint32_t image = (uint32_t)books->processes.slots[i].key;
			each(image, books_pid_of(books, image), context);
		}
}
