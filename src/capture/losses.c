// SPDX-License-Identifier: GPL-2.0-or-later
/* Which counter of the kernel side, and which total of the books, is which loss. */
#include "capture/losses.h"

void losses_put(struct recording_writer *writer, enum loss loss, uint64_t count, uint64_t ns)
{
	struct rec_loss row = {.loss = loss, .count = count, .ns = ns};

	if (count || ns)
		recording_writer_put_loss(writer, &row);
}

void losses_write(struct recording_writer *writer, const uint64_t counters[static COUNTERS],
	const struct books_totals *totals)
{
	losses_put(
		writer, LOSS_OVERFLOW, counters[COUNTER_OVERFLOW], counters[COUNTER_OVERFLOW_NS]);
	losses_put(
		writer, LOSS_UNSLICED, counters[COUNTER_UNSLICED], counters[COUNTER_UNSLICED_NS]);
	losses_put(writer, LOSS_SAMPLES, counters[COUNTER_LOST_SAMPLES], 0);
	losses_put(writer, LOSS_BARE_SAMPLES, counters[COUNTER_BARE_SAMPLES], 0);
	losses_put(writer, LOSS_STACKS, totals->lost_stacks, totals->lost_stacks_ns);
	losses_put(writer, LOSS_THREAD_ENDS, counters[COUNTER_LOST_ENDS],
		counters[COUNTER_LOST_ENDS_NS]);
	losses_put(writer, LOSS_UNCLOSED, totals->unclosed, totals->unclosed_ns);
	losses_put(writer, LOSS_NO_STORAGE, counters[COUNTER_NO_STORAGE], 0);
	losses_put(writer, LOSS_NO_WAKER, counters[COUNTER_NO_WAKER], 0);
	losses_put(writer, LOSS_MISSED_SWITCHES, counters[COUNTER_MISSED_SWITCHES], 0);
	losses_put(writer, LOSS_KERNEL_STACKS, counters[COUNTER_KERNEL_STACK_FAILED], 0);
	losses_put(writer, LOSS_USER_STACKS, counters[COUNTER_USER_STACK_FAILED], 0);
	losses_put(writer, LOSS_WRONG_STACKS,
		counters[COUNTER_STACKS_WRONG] + counters[COUNTER_MEMOS_WRONG], 0);
	losses_put(writer, LOSS_UNKNOWN_THREADS, totals->unknown, totals->unknown_ns);
	losses_put(writer, LOSS_MAPPINGS, totals->lost_mappings, 0);
	losses_put(writer, LOSS_CHAIN_MISMATCH, counters[COUNTER_CHAIN_MISMATCH],
		counters[COUNTER_CHAIN_MISMATCH_NS]);
	losses_put(writer, LOSS_CHAIN_TRUNCATED, counters[COUNTER_CHAIN_TRUNCATED],
		counters[COUNTER_CHAIN_TRUNCATED_NS]);
	losses_put(writer, LOSS_CHAIN_OVERFLOW,
		counters[COUNTER_CHAIN_OVERFLOW] + totals->lost_chains,
		counters[COUNTER_CHAIN_OVERFLOW_NS] + totals->lost_chains_ns);
	losses_put(writer, LOSS_WAKER_STACKS, counters[COUNTER_WAKER_STACKS], 0);
	losses_put(writer, LOSS_AWAITED_FOLDED, counters[COUNTER_AWAITED_FOLDED],
		counters[COUNTER_AWAITED_FOLDED_NS]);
	losses_put(
		writer, LOSS_AWAITED_UNNAMED, totals->unnamed + counters[COUNTER_LOST_AWAITED], 0);
	losses_put(writer, LOSS_THINNED, counters[COUNTER_THINNED], totals->unspread_ns);
}
