// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals that have not ended, and how a life ends: its last interval is closed by its death or
 * by the window's end, and its totals are compared with its length. A thread that died is closed
 * only after its last rows were drained.
 */
#include "capture/books_private.h"

#include <string.h>

#include "capture/awaited.h"
#include "capture/chains.h"

static uint64_t sum_of(const __u64 ns[static TIME_STATES])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TIME_STATES; i++)
		sum += ns[i];
	return sum;
}

/* Who had the CPU that a thread has been ready for until the end. */
static void add_open_queue(
	struct books *books, const struct thread_now *now, const struct rec_sum *sum)
{
	_cleanup_free_ char *name = xstrndup(now->occupant, sizeof(now->occupant));
	struct rec_queue queue = {.thread = sum->thread,
		.slice = sum->slice_last,
		.kind = (enum queue_kind)now->queue,
		.name = name,
		.count = 1,
		.ns = sum->ns,
		.max_ns = sum->ns};

	recording_writer_add_queue(books->writer, &queue);
}

/* The part [from, to) of an open interval as a row that has not ended: count 0. */
static void add_open_part(struct books *books, const struct thread_now *now, enum time_state state,
	uint64_t from, uint64_t to, bool is_final)
{
	if (from < books->start_ns)
		from = books->start_ns;
	if (to <= from)
		return;
	uint64_t first = (from - books->start_ns) / books->slice_ns;
	uint64_t last = (to - 1 - books->start_ns) / books->slice_ns;
	struct rec_sum sum = {.thread = now->thread,
		.slice_first = (uint32_t)first,
		.slice_last = (uint32_t)last,
		.state = state,
		.ns = to - from,
		.max_ns = to - from,
		.first_ns = to - from};

	if (first != last) {
		sum.first_ns = books->start_ns + (first + 1) * books->slice_ns - from;
		sum.last_ns = to - (books->start_ns + last * books->slice_ns);
	}
	if (state != TIME_RUNNING) {
		sum.kernel_stack = namer_stack(books->namer, now->kernel_stack);
		sum.user_stack = namer_stack(books->namer, now->user_stack);
		sum.band = band_of(sum.ns);
	}
	if (state == TIME_BLOCKED) {
		sum.task_letter = (char)now->task_letter;
		sum.awaited = awaited_id(books->things, now->awaited);
		sum.owner = books_owner(books, books_book_of(books, now->thread),
			&(struct owner_word){now->awaited, now->user_stack, now->owner});
	}
	if (state == TIME_BLOCKED && books->chains)
		sum.chain = chains_of_end(books->chains, CHAIN_NOT_WOKEN);
	if (!is_final) {
		recording_writer_add_open(books->writer, &sum);
		return;
	}
	if (state_is_runnable(state))
		add_open_queue(books, now, &sum);
	struct book *book = books_book_of(books, now->thread);
	book->rows_ns[state] += sum.ns;
	books_note_losses(books, book, &sum);
	recording_writer_add_sum(books->writer, &sum);
}

/* Where the blocked part of an open interval ends: at its wake, which may lie before its start. */
static uint64_t wake_of(const struct thread_now *now, uint64_t until_ns)
{
	uint64_t wake = now->wake_ns ? now->wake_ns : until_ns;

	if (wake < now->since_ns)
		wake = now->since_ns;
	return wake < until_ns ? wake : until_ns;
}

void books_add_open(
	struct books *books, const struct thread_now *now, uint64_t until_ns, bool is_final)
{
	uint64_t wake = until_ns;

	if (now->open_state == TIME_BLOCKED) {
		wake = wake_of(now, until_ns);
		add_open_part(books, now, TIME_BLOCKED, now->since_ns, wake, is_final);
		add_open_part(books, now, TIME_WOKEN, wake, until_ns, is_final);
	} else {
		add_open_part(books, now, (enum time_state)now->open_state, now->since_ns, until_ns,
			is_final);
	}
}

bool books_is_still_open(struct books *books, const struct thread_now *now)
{
	const struct book *book = books_book_of(books, now->thread);
	uint64_t total_ns = sum_of(now->total_ns);

	return !book->is_closed && sum_of(book->rows_ns) <= total_ns;
}

static uint64_t length_from(uint64_t start, uint64_t from, uint64_t to)
{
	if (from < start)
		from = start;
	return to > from ? to - from : 0;
}

/* The totals of a thread with its open interval closed at end_ns. */
static struct thread_now closed_at(
	const struct books *books, const struct thread_now *now, uint64_t end_ns)
{
	struct thread_now closed = *now;
	uint64_t wake = end_ns;

	if (now->is_dead)
		return closed;
	if (now->open_state == TIME_BLOCKED) {
		wake = wake_of(now, end_ns);
		closed.total_ns[TIME_WOKEN] += length_from(books->start_ns, wake, end_ns);
	}
	closed.total_ns[now->open_state] += length_from(books->start_ns, now->since_ns, wake);
	return closed;
}

void books_close_thread(struct books *books, const struct thread_now *now, uint64_t end_ns)
{
	struct book *book = books_book_of(books, now->thread);
	struct books_totals *totals = &books->totals;
	uint64_t accounted = 0, life, off;

	if (book->is_closed)
		return;
	if (now->is_dead)
		end_ns = now->since_ns;
	else
		books_add_open(books, now, end_ns, true);
	struct thread_now closed = closed_at(books, now, end_ns);
	accounted = sum_of(closed.total_ns);
	life = length_from(books->start_ns, now->birth_ns, end_ns);
	off = life > accounted ? life - accounted : accounted - life;
	book->is_closed = true;
	book->birth_ns = now->birth_ns;
	book->closed_at = books->flips;
	if (!book->is_ended)
		totals->living--;
	book->is_ended = true;
	totals->expected_ns += life;
	totals->accounted_ns += accounted;
	if (off > totals->worst_thread_ns)
		totals->worst_thread_ns = off;
	if (books->heap)
		heap_end_image(books->heap, book->image, books_pid_of(books, book->image), end_ns);
	books_write_thread(books, book, &closed, end_ns);
	vec_push(&books->closed, book);
}

void books_add_end(struct books *books, const struct thread_now *now)
{
	struct book *book = books_book_of(books, now->thread);

	if (!book->is_ended)
		books->totals.living--;
	book->is_ended = true;
	if (now->is_dead)
		vec_push(&books->dead, *now);
	else
		vec_push(&books->late, *now);
}

void books_close_dead(struct books *books, uint64_t drained_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < books->dead.count; i++) {
		struct thread_now now = books->dead.at[i];
		if (now.since_ns <= drained_ns)
			books_close_thread(books, &now, 0);
		else
			books->dead.at[kept++] = now;
	}
	books->dead.count = kept;
}

void books_close_by_rows(struct books *books, struct book *book)
{
	struct thread_now now = {.thread = book->serial};
	uint64_t known_ns = sum_of(book->rows_ns);
	uint64_t birth_ns = book->birth_ns > books->start_ns ? book->birth_ns : books->start_ns;

	memcpy(now.total_ns, book->rows_ns, sizeof(now.total_ns));
	books_write_thread(books, book, &now, birth_ns + known_ns);
	books->totals.unclosed++;
	books->totals.unclosed_ns += known_ns;
	books->totals.expected_ns += known_ns;
	books->totals.accounted_ns += known_ns;
}
