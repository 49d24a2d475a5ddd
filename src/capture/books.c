// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The outside of the books: takes a batch apart and books its records and rows in the order that
 * their meaning needs.
 */
#include "capture/books_private.h"

#include <string.h>

#include "capture/awaited.h"
#include "capture/chains.h"
#include "capture/occupants.h"
#include "host/containers.h"
#include "capture/spread.h"
#include "capture/timeline.h"

struct books *books_new(
	struct recording_writer *writer, struct namer *namer, uint64_t slice_ns, uint32_t depth)
{
	struct books *books = xcalloc(1, sizeof(*books));

	books->writer = writer;
	books->namer = namer;
	books->slice_ns = slice_ns;
	books->start_ns = UINT64_MAX;
	books->timeline = timeline_new();
	books->containers = containers_new();
	books->occupants = occupants_new();
	books->things = awaited_new(writer, namer);
	if (depth)
		books->chains = chains_new(writer, namer, books->things, depth);
	return books;
}

void books_free(struct books *books)
{
	if (!books)
		return;
	for (size_t i = 0; i < books->by_serial.room; i++)
		if (books->by_serial.slots[i].is_used)
			free((void *)(uintptr_t)books->by_serial.slots[i].value);
	for (size_t i = 0; i < books->processes.room; i++)
		if (books->processes.slots[i].is_used)
			free((void *)(uintptr_t)books->processes.slots[i].value);
	map64_clear(&books->by_serial);
	map64_clear(&books->processes);
	vec_clear(&books->closed);
	vec_clear(&books->leaving);
	map64_clear(&books->wakers);
	vec_clear(&books->leaving_wakers);
	heap_free(books->heap);
	books_clear_programs(books);
	vec_clear(&books->calls);
	chains_free(books->chains);
	occupants_free(books->occupants);
	awaited_free(books->things);
	map64_clear(&books->by_own_tid);
	map64_clear(&books->by_tid);
	vec_clear(&books->late);
	vec_clear(&books->dead);
	timeline_free(books->timeline);
	containers_free(books->containers);
	free(books);
}

void books_set_start(struct books *books, uint64_t start_ns)
{
	books->start_ns = start_ns;
}

/* Calls for each record of that kind; kinds are taken in an order that their meaning needs. */
static void add_records(struct books *books, const struct batch *batch, uint32_t wanted)
{
	size_t offset = 0, length;
	const void *record;

	while ((record = batch_next_record(
			batch->records.at, batch->records.count, &offset, &length))) {
		uint32_t kind = 0;

		if (length >= sizeof(kind))
			memcpy(&kind, record, sizeof(kind));
		if (kind == RECORD_THREAD_END && wanted == kind &&
			length >= sizeof(struct thread_now))
			books_add_end(books, record);
		else if ((kind == RECORD_KERNEL_STACK || kind == RECORD_USER_STACK) &&
			 wanted == RECORD_KERNEL_STACK)
			namer_add_stack(books->namer, record, length);
		else if (kind == RECORD_HOP && wanted == kind && books->chains)
			chains_add_hop(books->chains, record, length);
		else if (kind == RECORD_CHAIN && wanted == kind && books->chains)
			chains_add(books->chains, record, length);
		else if (kind == RECORD_WAITED && wanted == kind && books->chains)
			chains_add_waited(books->chains, record, length);
		else if (kind == RECORD_OCCUPANT && wanted == kind)
			occupants_add(books->occupants, record, length);
		else if (kind == RECORD_AWAITED && wanted == kind)
			awaited_add(books->things, record, length,
				books_process_of(books, awaited_image(record, length)));
	}
}

/* Each announcement at its place among the mappings: see timeline.h. */
static void add_threads(struct books *books, const struct batch *batch)
{
	size_t offset = 0, length;
	const void *record;

	timeline_add(books->timeline, batch->map_records.at, batch->map_records.count,
		batch->ring_read_ns);
	while ((record = batch_next_record(
			batch->records.at, batch->records.count, &offset, &length))) {
		const struct record_thread *thread = record;
		if (length < sizeof(*thread) ||
			(thread->kind != RECORD_THREAD && thread->kind != RECORD_WAKER))
			continue;
		timeline_tell(books->timeline, books->namer, thread->at_ns);
		if (thread->kind == RECORD_WAKER)
			books_add_waker(books, thread);
		else
			books_add_thread(books, thread);
	}
	timeline_tell(books->timeline, books->namer, UINT64_MAX);
}

void books_add(struct books *books, struct batch *batch)
{
	/* Threads first: a stack's image must be known, and whether it is still the latest. */
	add_threads(books, batch);
	add_records(books, batch, RECORD_KERNEL_STACK);
	add_records(books, batch, RECORD_AWAITED);
	add_records(books, batch, RECORD_HOP);
	add_records(books, batch, RECORD_CHAIN);
	add_records(books, batch, RECORD_WAITED);
	add_records(books, batch, RECORD_OCCUPANT);
	books->totals.unspread_ns += spread_thinned(&batch->rows, &batch->waits);
	vec_each (row, &batch->rows)
		books_add_row(books, row);
	books_add_waits(books, &batch->waits);
	vec_each (event, &batch->events)
		books_add_event(books, event);
	books_add_calls(books, &batch->calls);
	add_records(books, batch, RECORD_THREAD_END);
	books->totals.lost_mappings = batch->map_records_lost;
	if (batch->is_flipped)
		books_close_dead(books, batch->drained_ns);
	if (batch->has_open) {
		recording_writer_begin_open(books->writer);
		vec_each (now, &batch->open)
			if (books_is_still_open(books, now))
				books_add_open(books, now, batch->drained_ns, false);
		books_note_open_calls(books, &batch->open_calls, batch->drained_ns);
	}
	/* Events that are still to come may be of threads and stacks that are gone. */
	if (batch->is_flipped && !batch->has_more_events) {
		books->flips++;
		books_forget_closed(books);
		if (books->chains)
			chains_age(books->chains);
	}
}

void books_close(struct books *books, const struct batch *batch, uint64_t end_ns)
{
	books_close_dead(books, UINT64_MAX);
	vec_each (now, &batch->open)
		books_close_thread(books, now, end_ns);
	vec_each (now, &books->late)
		books_close_thread(books, now, end_ns);
	books->late.count = 0;
}

void books_close_rest(struct books *books)
{
	for (size_t i = 0; i < books->by_serial.room; i++) {
		if (!books->by_serial.slots[i].is_used)
			continue;
		struct book *book = (struct book *)(uintptr_t)books->by_serial.slots[i].value;
		if (!book->is_closed)
			books_close_by_rows(books, book);
	}
}

void books_totals(const struct books *books, struct books_totals *ret)
{
	*ret = books->totals;
	ret->unnamed = awaited_unnamed(books->things);
}
