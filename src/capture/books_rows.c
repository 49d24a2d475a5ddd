// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows as they were drained from the kernel side become rows of the recording: their stacks get the
 * namer's ids, waits their chains and shares, and what they lack is counted.
 */
#include "capture/books_private.h"

#include "capture/awaited.h"
#include "capture/chains.h"
#include "capture/occupants.h"

void books_note_losses(struct books *books, const struct book *book, const struct rec_sum *row)
{
	if (row->kernel_stack == STACK_LOST || row->user_stack == STACK_LOST) {
		books->totals.lost_stacks += row->count ? row->count : 1;
		books->totals.lost_stacks_ns += row->ns;
	}
	if (!book->is_announced) {
		books->totals.unknown += row->count;
		books->totals.unknown_ns += row->ns;
	}
}

/* A row as the kernel keeps it, without its chain. */
static struct rec_sum sum_of_row(
	struct books *books, const struct sum_key *key, const struct sum *sum, uint32_t owner)
{
	return (struct rec_sum){.thread = key->thread,
		.slice_first = key->slice_first,
		.slice_last = key->slice_last,
		.state = (enum time_state)key->state,
		.task_letter = (char)key->task_letter,
		.band = key->band,
		.kernel_stack = namer_stack(books->namer, key->kernel_stack),
		.user_stack = namer_stack(books->namer, key->user_stack),
		/* A part of a wait is one interval, but the wait is counted with its last. */
		.count = key->is_part ? 0 : sum->count,
		.ns = sum->ns,
		.max_ns = sum->max_ns,
		.first_ns = sum->first_ns,
		.last_ns = sum->last_ns,
		.awaited = awaited_id(books->things, key->awaited),
		.owner = books_owner(books, books_book_of(books, key->thread),
			&(struct owner_word){key->awaited, key->user_stack, owner})};
}

static void add_sum(struct books *books, const struct rec_sum *sum, uint64_t intervals)
{
	struct book *book = books_book_of(books, sum->thread);

	if (sum->state < TIME_STATES)
		book->rows_ns[sum->state] += sum->ns;
	books->totals.rows += intervals;
	books->totals.rows_ns += sum->ns;
	if (sum->state == TIME_BLOCKED)
		books->totals.waits += sum->count;
	books_note_losses(books, book, sum);
	recording_writer_add_sum(books->writer, sum);
}

/* Who had the CPU that a thread was ready for. */
static void add_queue(struct books *books, const struct kernel_row *row)
{
	uint64_t who = row->key.chain;
	struct rec_queue queue = {.thread = row->key.thread,
		.slice = row->key.slice_first,
		.kind = who < QUEUE_KINDS ? (enum queue_kind)who : QUEUE_UNTOLD,
		.name = "",
		.count = row->key.is_part ? 0 : row->sum.count,
		.ns = row->sum.ns,
		.max_ns = row->sum.max_ns};
	const char *name = who < QUEUE_FIRST_ID ? NULL : occupants_name(books->occupants, who);

	if (name) {
		queue.kind = QUEUE_THREAD;
		queue.name = name;
	}
	/* The thread is to be written, whatever else comes of it. */
	books_book_of(books, row->key.thread);
	books->totals.rows += row->sum.count;
	books->totals.rows_ns += row->sum.ns;
	recording_writer_add_queue(books->writer, &queue);
}

void books_add_row(struct books *books, const struct kernel_row *row)
{
	if (row->key.state == ROW_OF_QUEUE) {
		add_queue(books, row);
		return;
	}
	struct rec_sum sum = sum_of_row(books, &row->key, &row->sum, 0);
	uint64_t chain = row->key.chain;

	/* All of it was shared out. */
	if (row->key.kernel_stack == STACK_THINNED && !row->sum.ns && !row->sum.count)
		return;
	if (books->chains && chain && chain < CONTRACT_CHAIN_OF_END(CHAIN_ENDS))
		sum.chain = chains_of_end(
			books->chains, (enum chain_end)(chain - CONTRACT_CHAIN_OF_END(0)));
	/* Nobody was asked who ended it. */
	if (books->chains && sum.state == TIME_BLOCKED && row->key.kernel_stack == STACK_THINNED)
		sum.chain = chains_of_end(books->chains, CHAIN_EARLIER);
	add_sum(books, &sum, row->sum.count);
}

/* Its chain's record has not come, or does not fit: the time stays, the chain does not. */
static void add_without_chain(struct books *books, struct rec_sum *sum, uint64_t intervals)
{
	books->totals.lost_chains += sum->count;
	books->totals.lost_chains_ns += sum->ns;
	sum->chain = chains_of_end(books->chains, CHAIN_OVERFLOW);
	sum->share_count = 0;
	sum->shares = NULL;
	add_sum(books, sum, intervals);
}

static void add_wait(struct books *books, const struct kernel_wait *wait)
{
	struct rec_sum sum = sum_of_row(books, &wait->key, &wait->row.sum, wait->row.owner);
	struct rec_share shares[CONTRACT_MAX_HOPS + 1] = {0};
	uint64_t intervals = wait->row.sum.count;
	struct chain_found chain;

	if (!chains_find(books->chains, wait->key.chain, &chain)) {
		add_without_chain(books, &sum, intervals);
		return;
	}
	sum.chain = chain.id;
	sum.share_count = chain.hop_count + 1;
	sum.shares = shares;
	for (uint32_t i = 0; i < sum.share_count; i++)
		shares[i] = (struct rec_share){.ran_ns = wait->row.shares[i].ran_ns,
			.no_cpu_ns = wait->row.shares[i].no_cpu_ns,
			.earlier_ns = wait->row.shares[i].earlier_ns};
	if (!recording_shares_add_up(shares, sum.share_count, sum.ns) ||
		(!chain.has_rest && shares[chain.hop_count].ran_ns)) {
		add_without_chain(books, &sum, intervals);
		return;
	}
	if (chain.has_lost) {
		books->totals.lost_stacks += intervals;
		books->totals.lost_stacks_ns += sum.ns;
	}
	add_sum(books, &sum, intervals);
}

void books_add_waits(struct books *books, const kernel_waits *waits)
{
	struct kernel_wait wait;
	size_t offset = 0;

	while (books->chains && kernel_next_wait(waits, &offset, &wait))
		add_wait(books, &wait);
}
