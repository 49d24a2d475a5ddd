// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls and what slow ones waited for, as they were drained, become rows of the recording. What had
 * not ended with the window is put together here: the kernel side tells what a call's thread has
 * done and waited for until its last switch, and its open interval is the rest.
 */
#include "capture/books_private.h"

#include <stdio.h>
#include <string.h>

#include "capture/awaited.h"
#include "capture/books_calls.h"
#include "capture/chains.h"
#include "host/proc_text.h"

void books_set_calls(struct books *books, size_t functions)
{
	for (size_t i = 0; i < functions; i++)
		vec_push(&books->calls, ((struct books_call_total){.slow_from_ns = UINT64_MAX}));
}

struct books_call_total *books_calls(struct books *books, size_t *ret_count)
{
	*ret_count = books->calls.count;
	return books->calls.at;
}

static void add_to_total(struct books_call_total *total, const struct rec_call *call)
{
	call_lengths_add(&total->lengths, call->band, call->count, call->wall_ns, call->max_ns);
	total->errors += call->is_error ? call->count : 0;
	total->slow += call->is_slow ? call->count : 0;
	if (call->is_inner)
		return;
	total->outer += call->count;
	total->wall_ns += call->wall_ns;
	for (size_t i = 0; i < TIME_STATES; i++)
		total->part_ns[i] += call->part_ns[i];
}

static void add_call(struct books *books, const struct kernel_call *row)
{
	struct rec_call call = {.function = row->key.function + 1U,
		.thread = row->key.thread,
		.slice = row->key.slice,
		.band = row->key.band,
		.is_error = row->key.flags & CALL_IS_ERROR,
		.is_slow = row->key.flags & CALL_IS_SLOW,
		.is_inner = row->key.flags & CALL_IS_INNER,
		.count = row->sum.count,
		.wall_ns = row->sum.wall_ns,
		.max_ns = row->sum.max_ns};

	if (row->key.function >= books->calls.count)
		return;
	for (size_t i = 0; i < TIME_STATES; i++)
		call.part_ns[i] = row->sum.part_ns[i];
	/* Emptied while somebody was adding to it, at the very end. */
	if (!rec_call_is_sound(&call)) {
		books->calls.at[row->key.function].mismatched += call.count;
		return;
	}
	/* The thread is to be written, whatever else comes of it. */
	if (call.thread)
		books_book_of(books, call.thread);
	add_to_total(&books->calls.at[row->key.function], &call);
	books->totals.calls += call.count;
	recording_writer_add_call(books->writer, &call);
}

/* Without its chain, as a row of the recording. */
static struct rec_sum sum_of(struct books *books, const struct call_entry *row)
{
	const struct slow_key *key = &row->key;

	return (struct rec_sum){.thread = key->thread,
		.slice_first = key->slice,
		.slice_last = key->slice,
		.state = (enum time_state)key->state,
		.task_letter = (char)key->task_letter,
		.band = key->band,
		.kernel_stack = namer_stack(books->namer, key->kernel_stack),
		.user_stack = namer_stack(books->namer, key->user_stack),
		.count = row->sum.count,
		.ns = row->sum.ns,
		.max_ns = row->sum.max_ns,
		.first_ns = row->sum.ns,
		.awaited = awaited_id(books->things, key->awaited),
		.owner = books_owner(books, books_book_of(books, key->thread),
			&(struct owner_word){key->awaited, key->user_stack, row->sum.owner})};
}

/* Its chain with its shares; one that did not come, or does not fit, leaves the time. */
static void find_chain(struct books *books, const struct call_entry *row, struct rec_sum *sum,
	struct rec_share *shares)
{
	uint64_t raw = row->key.chain;
	struct chain_found chain;

	if (!books->chains || !raw)
		return;
	sum->chain = chains_of_end(books->chains, CHAIN_OVERFLOW);
	if (raw < CONTRACT_CHAIN_OF_END(CHAIN_ENDS)) {
		sum->chain = chains_of_end(
			books->chains, (enum chain_end)(raw - CONTRACT_CHAIN_OF_END(0)));
		return;
	}
	if (!chains_find(books->chains, raw, &chain))
		return;
	for (uint32_t i = 0; i <= chain.hop_count; i++)
		shares[i] = (struct rec_share){.ran_ns = row->sum.shares[i].ran_ns,
			.no_cpu_ns = row->sum.shares[i].no_cpu_ns,
			.earlier_ns = row->sum.shares[i].earlier_ns};
	if (!recording_shares_add_up(shares, chain.hop_count + 1, sum->ns) ||
		(!chain.has_rest && shares[chain.hop_count].ran_ns))
		return;
	sum->chain = chain.id;
	sum->shares = shares;
	sum->share_count = chain.hop_count + 1;
}

static void add_slow(struct books *books, const struct call_entry *row)
{
	struct rec_share shares[CONTRACT_MAX_HOPS + 1] = {0};
	struct rec_sum sum = sum_of(books, row);

	find_chain(books, row, &sum, shares);
	recording_writer_add_slow(books->writer, row->key.function + 1U, &sum);
}

void books_add_calls(struct books *books, const struct kernel_call_rows *rows)
{
	vec_each (call, &rows->calls)
		add_call(books, call);
	vec_each (row, &rows->slow)
		if (row->key.function < books->calls.count)
			add_slow(books, row);
}

void books_note_open_calls(struct books *books, const kernel_open_calls *open, uint64_t until_ns)
{
	vec_each (total, &books->calls)
		total->open = total->oldest_ns = 0;
	vec_each (call, open) {
		struct books_call_total *total;
		if (call->function >= books->calls.count || call->is_gone || !call->begun_ns)
			continue;
		total = &books->calls.at[call->function];
		total->open++;
		if (call->begun_ns + total->oldest_ns < until_ns)
			total->oldest_ns = until_ns - call->begun_ns;
	}
}

/* Threads that are asked: each may take an errand's patience. */
#define MOST_ASKED 64

/* Has the thread been asleep since it had made so many switches? */
static bool sleeps_on(uint32_t pid, uint32_t tid, uint64_t switches)
{
	_cleanup_free_ char *status = NULL;
	uint64_t voluntary, others;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/status", pid, tid);
	return !proc_text_read(path, &status) && !strstr(status, "\nState:\tR") &&
	       !proc_text_value(status, "voluntary_ctxt_switches:", &voluntary) &&
	       !proc_text_value(status, "nonvoluntary_ctxt_switches:", &others) &&
	       voluntary + others == switches;
}

/*
 * Is there another word where the call's return address would be? Then it was left by a longjmp()
 * or an exception, and nothing has told us. Only of a thread that sleeps is it known that this is
 * so still.
 */
static bool was_left(
	const struct books *books, const struct call_open *call, struct errands *errands)
{
	const struct book *book = books_book_of((struct books *)books, call->thread);
	uint32_t pid = books_pid_of(books, book->image);
	uint64_t word;

	if (!call->place || !call->returns_to || !call->is_asleep)
		return false;
	return books_read_word(errands, pid, book->tid, call->place, &word) &&
	       word != call->returns_to && sleeps_on(pid, book->tid, call->switches);
}

/* Splits [since, end) of an open interval by state, as books_open.c does. */
static void add_open_interval(const struct thread_now *now, uint64_t start_ns, uint64_t end_ns,
	uint64_t part_ns[static TIME_STATES])
{
	uint64_t since = now->since_ns < start_ns ? start_ns : now->since_ns, wake = end_ns;

	if (now->open_state >= TIME_STATES || since > end_ns)
		return;
	if (now->open_state == TIME_BLOCKED) {
		wake = now->wake_ns && now->wake_ns < end_ns ? now->wake_ns : end_ns;
		wake = wake < since ? since : wake;
		part_ns[TIME_WOKEN] += end_ns - wake;
	}
	part_ns[now->open_state] += wake - since;
}

/* A call that is put together. */
struct closing {
	struct books *books;
	const struct call_open *call;
	const struct thread_now *now;
	struct rec_open_call rec;
	uint64_t left_ns[TIME_STATES]; /* that no row has yet */
	uint32_t slice;
};

static void add_row(struct closing *closing, struct rec_sum *sum)
{
	sum->thread = closing->call->thread;
	sum->slice_first = sum->slice_last = closing->slice;
	if (sum->ns > closing->left_ns[sum->state])
		sum->ns = closing->left_ns[sum->state];
	sum->first_ns = sum->ns;
	closing->left_ns[sum->state] -= sum->ns;
	if (sum->ns)
		recording_writer_add_slow(closing->books->writer, closing->call->function + 1, sum);
}

/* What its thread is in at the end: it has not ended, and is counted nowhere. */
static void add_open_rows(struct closing *closing)
{
	struct books *books = closing->books;
	const struct thread_now *now = closing->now;
	uint64_t part_ns[TIME_STATES] = {0};

	add_open_interval(
		now, books->start_ns, closing->call->begun_ns + closing->rec.wall_ns, part_ns);
	for (unsigned int i = 0; i < TIME_STATES; i++) {
		struct rec_sum sum = {
			.state = (enum time_state)i, .ns = part_ns[i], .max_ns = part_ns[i]};
		if (i != TIME_RUNNING) {
			sum.kernel_stack = namer_stack(books->namer, now->kernel_stack);
			sum.user_stack = namer_stack(books->namer, now->user_stack);
			sum.band = band_of(sum.ns);
		}
		if (i == TIME_BLOCKED) {
			sum.task_letter = (char)now->task_letter;
			sum.awaited = awaited_id(books->things, now->awaited);
			sum.owner = books_owner(books, books_book_of(books, now->thread),
				&(struct owner_word){now->awaited, now->user_stack, now->owner});
			if (books->chains)
				sum.chain = chains_of_end(books->chains, CHAIN_NOT_WOKEN);
		}
		add_row(closing, &sum);
	}
}

/* What ran, and waits that are not kept any more. */
static void add_rest(struct closing *closing)
{
	struct books *books = closing->books;

	for (unsigned int i = 0; i < TIME_STATES; i++) {
		struct rec_sum sum = {.state = (enum time_state)i,
			.count = 1,
			.ns = closing->left_ns[i],
			.max_ns = closing->left_ns[i]};
		if (i != TIME_RUNNING) {
			sum.kernel_stack = sum.user_stack = STACK_MORE_WAITS;
			sum.band = band_of(sum.ns);
		}
		if (i == TIME_BLOCKED && books->chains)
			sum.chain = chains_of_end(books->chains, CHAIN_NO_WAKER);
		add_row(closing, &sum);
	}
}

static void add_waits(struct closing *closing, const kernel_slow_rows *waits)
{
	vec_each (row, waits) {
		struct rec_share shares[CONTRACT_MAX_HOPS + 1] = {0};
		struct rec_sum sum;
		if (row->key.thread != closing->call->thread ||
			(int32_t)(row->number - closing->call->first_wait) < 0 ||
			row->until <= closing->call->begun_ns || row->key.state >= TIME_STATES ||
			row->sum.ns > closing->left_ns[row->key.state])
			continue;
		sum = sum_of(closing->books, row);
		find_chain(closing->books, row, &sum, shares);
		add_row(closing, &sum);
	}
}

static void describe(struct closing *closing)
{
	struct books *books = closing->books;
	const struct thread_now *now = closing->now;
	struct rec_open_call *rec = &closing->rec;

	rec->state = (enum time_state)now->open_state;
	if (rec->state != TIME_RUNNING) {
		rec->kernel_stack = namer_stack(books->namer, now->kernel_stack);
		rec->user_stack = namer_stack(books->namer, now->user_stack);
	}
	if (rec->state == TIME_BLOCKED)
		rec->awaited = awaited_id(books->things, now->awaited);
}

/* Where a switch-in was not seen before the call began, its thread is told to have waited on. */
static void settle_parts(struct rec_open_call *rec)
{
	uint64_t others_ns = rec->part_ns[TIME_WOKEN] + rec->part_ns[TIME_PREEMPTED] +
			     rec->part_ns[TIME_BLOCKED];

	if (rec_open_call_is_sound(rec) || others_ns <= rec->wall_ns)
		return;
	for (size_t i = 0; i < TIME_STATES; i++)
		rec->part_ns[i] = i == TIME_RUNNING ? rec->wall_ns : 0;
}

static void close_call(struct closing *closing, const kernel_slow_rows *waits, uint64_t end_ns)
{
	struct books *books = closing->books;
	const struct call_open *call = closing->call;
	struct books_call_total *total = &books->calls.at[call->function];
	struct rec_open_call *rec = &closing->rec;

	*rec = (struct rec_open_call){.function = call->function + 1,
		.thread = call->thread,
		.is_inner = call->is_inner,
		.wall_ns = end_ns - call->begun_ns};
	for (size_t i = 0; i < TIME_STATES; i++)
		rec->part_ns[i] = call->part_ns[i];
	add_open_interval(closing->now, books->start_ns, end_ns, rec->part_ns);
	settle_parts(rec);
	if (!rec_open_call_is_sound(rec)) {
		total->mismatched++;
		return;
	}
	describe(closing);
	rec->is_slow = !rec->is_inner && rec->wall_ns >= total->slow_from_ns;
	recording_writer_add_open_call(books->writer, rec);
	if (!rec->is_slow)
		return;
	for (size_t i = 0; i < TIME_STATES; i++)
		closing->left_ns[i] = rec->part_ns[i];
	add_open_rows(closing);
	add_waits(closing, waits);
	add_rest(closing);
}

void books_close_calls(struct books *books, const struct batch *batch,
	const kernel_slow_rows *waits, uint64_t end_ns, struct errands *errands)
{
	struct closing closing = {.books = books};
	struct map64 by_thread = {0};
	size_t asked = 0;

	if (!books->calls.count)
		return;
	books_note_open_calls(books, &batch->open_calls, end_ns);
	for (size_t i = 0; i < batch->open.count; i++)
		*map64_put(&by_thread, batch->open.at[i].thread, NULL) = i;
	closing.slice = (uint32_t)((end_ns - 1 - books->start_ns) / books->slice_ns);
	recording_writer_begin_open_calls(books->writer);
	vec_each (call, &batch->open_calls) {
		const uint64_t *index = map64_find(&by_thread, call->thread);
		if (call->function >= books->calls.count || !call->begun_ns || !index)
			continue;
		closing.call = call;
		closing.now = &batch->open.at[*index];
		if (call->is_gone || (asked++ < MOST_ASKED && was_left(books, call, errands)))
			books->calls.at[call->function].left++;
		else if (call->begun_ns < end_ns)
			close_call(&closing, waits, end_ns);
	}
	map64_clear(&by_thread);
}
