// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows by key: a vector of rows and a map from the key's hash to the row. */
#include "replay/sums.h"

#include "util/hash.h"

static uint64_t hash_key(const struct sums_row *row)
{
	const struct rec_sum *sum = &row->sum;
	uint64_t small = (uint64_t)sum->state << 24 |
			 (uint64_t)(unsigned char)sum->task_letter << 16 |
			 (uint64_t)sum->band << 8 | row->is_earlier;

	return hash_add(hash_add(hash_add((uint64_t)sum->thread << 32 | row->stack, small),
				(uint64_t)sum->slice_first << 32 | row->chain),
		sum->slice_last);
}

static bool is_same_key(const struct sums_row *a, const struct sums_row *b)
{
	/* Intervals that never ended are kept apart: a count does not tell of them. */
	return a->sum.thread == b->sum.thread && a->stack == b->stack && a->chain == b->chain &&
	       a->sum.state == b->sum.state && a->sum.task_letter == b->sum.task_letter &&
	       a->sum.band == b->sum.band && a->is_earlier == b->is_earlier &&
	       a->sum.slice_first == b->sum.slice_first && a->sum.slice_last == b->sum.slice_last &&
	       !a->is_open && !b->is_open;
}

static void merge_shares(
	struct sums *sums, const struct sums_row *into, const struct rec_share *from)
{
	for (uint32_t i = 0; i < into->sum.share_count; i++) {
		struct rec_share *share = &sums->shares.at[into->shares + i];
		share->ran_ns += from[i].ran_ns;
		share->no_cpu_ns += from[i].no_cpu_ns;
		share->earlier_ns += from[i].earlier_ns;
	}
}

static void merge(struct sums *sums, struct sums_row *known, const struct sums_row *row)
{
	struct rec_sum *into = &known->sum;
	const struct rec_sum *from = &row->sum;

	if (into->ns > INT64_MAX - from->ns || into->count > INT64_MAX - from->count) {
		sums->overflows++;
		return;
	}
	into->count += from->count;
	into->ns += from->ns;
	into->first_ns += from->first_ns;
	into->last_ns += from->last_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	merge_shares(sums, known, from->shares);
}

static void add_row(struct sums *sums, const struct sums_row *row)
{
	for (uint64_t hash = hash_key(row);; hash++) {
		uint64_t *number = map64_put(&sums->by_key, hash, NULL);
		if (!*number) {
			struct sums_row added = *row;
			added.shares = sums->shares.count;
			added.sum.shares = NULL;
			vec_append(&sums->shares, row->sum.shares, row->sum.share_count);
			vec_push(&sums->rows, added);
			*number = sums->rows.count;
			return;
		}
		struct sums_row *known = &sums->rows.at[*number - 1];
		if (is_same_key(known, row)) {
			merge(sums, known, row);
			return;
		}
	}
}

static struct sums_row row_of(const struct replay_interval *interval, uint64_t ns)
{
	struct sums_row row = {.stack = interval->stack,
		.chain = interval->chain,
		.is_earlier = interval->is_earlier,
		.is_open = interval->is_open};

	row.sum.thread = interval->thread;
	row.sum.state = interval->state;
	row.sum.task_letter = interval->letter;
	row.sum.count = !interval->is_open && !interval->is_part;
	row.sum.ns = row.sum.max_ns = row.sum.first_ns = ns;
	/* The part that counts the wait carries the length of the whole wait. */
	if (row.sum.count && interval->wait_ns)
		row.sum.max_ns = interval->wait_ns;
	if (interval->share_count > 1) {
		row.sum.shares = interval->shares;
		row.sum.share_count = interval->share_count;
	}
	return row;
}

void sums_add(struct sums *sums, const struct replay_interval *interval)
{
	uint64_t from = interval->from_ns, to = interval->to_ns;
	struct sums_row row = row_of(interval, to - from);
	/* A sample stands for the time before it: at the window's end it is in the last slice. */
	uint64_t last = (to ? to - 1 : 0) / sums->slice_ns;
	uint64_t first = to > from ? from / sums->slice_ns : last;

	row.sum.slice_first = (uint32_t)first;
	row.sum.slice_last = (uint32_t)last;
	if (interval->state != TIME_RUNNING && interval->state != TIME_SAMPLE)
		row.sum.band = band_of(interval->wait_ns ? interval->wait_ns : to - from);
	if (first != last) {
		row.sum.first_ns = (first + 1) * sums->slice_ns - from;
		row.sum.last_ns = to - last * sums->slice_ns;
	}
	add_row(sums, &row);
}

void sums_clear(struct sums *sums)
{
	vec_clear(&sums->rows);
	vec_clear(&sums->shares);
	map64_clear(&sums->by_key);
}
