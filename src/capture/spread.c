// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kinds are found once for the rows without stacks, then all chosen rows are gone through twice: to
 * add up each kind, and to give each its part. Parts are cut from the whole where the sums of all
 * before and all with it fall, so that roundings cannot add up.
 *
 * An interval across a border of slices stays as it is: each slice holds a time of its own there.
 */
#include "capture/spread.h"

#include <stddef.h>
#include <string.h>

#include "util/map64.h"
#include "util/mem.h"

struct kind {
	struct sum_key key;
	struct sum *thinned;
	uint64_t ns, count;             /* of all that were chosen */
	uint64_t given_ns, given_count; /* of those that have got their part */
	uint64_t has_ns, has_count;     /* what there was to share out */
};

struct spread {
	VEC(struct kind) kinds;
	struct map64 places; /* hash of what makes a kind -> index of kinds + 1 */
};

static uint64_t hash_of(const struct sum_key *key)
{
	uint64_t low = (uint64_t)key->thread << 32 | key->slice_first;
	uint64_t high = (uint64_t)key->state << 16 | (uint64_t)key->task_letter << 8 | key->band;

	return (low * 0x9e3779b97f4a7c15ULL) ^ (high * 0xc2b2ae3d27d4eb4fULL);
}

static bool is_same_kind(const struct sum_key *a, const struct sum_key *b)
{
	return a->thread == b->thread && a->slice_first == b->slice_first && a->state == b->state &&
	       a->task_letter == b->task_letter && a->band == b->band;
}

static bool is_thinned(const struct sum_key *key)
{
	return key->kernel_stack == STACK_THINNED;
}

/* NULL if none of its kind lack their stacks. */
static struct kind *kind_of(const struct spread *spread, const struct sum_key *key)
{
	if (!key->is_chosen || key->slice_first != key->slice_last)
		return NULL;
	const uint64_t *place = map64_find(&spread->places, hash_of(key));
	struct kind *kind = place ? &spread->kinds.at[*place - 1] : NULL;
	return kind && is_same_kind(&kind->key, key) ? kind : NULL;
}

static void find_kinds(struct spread *spread, kernel_rows *rows)
{
	vec_each (row, rows) {
		if (!is_thinned(&row->key) || row->key.slice_first != row->key.slice_last)
			continue;
		bool is_new;
		uint64_t *place = map64_put(&spread->places, hash_of(&row->key), &is_new);
		/* One whose hash is another's stays as it is. */
		if (!is_new && !is_same_kind(&spread->kinds.at[*place - 1].key, &row->key))
			continue;
		/* Batches that were joined may have it twice. */
		if (!is_new) {
			struct kind *kind = &spread->kinds.at[*place - 1];
			kind->thinned->count += row->sum.count;
			kind->thinned->ns += row->sum.ns;
			kind->thinned->first_ns += row->sum.first_ns;
			if (row->sum.max_ns > kind->thinned->max_ns)
				kind->thinned->max_ns = row->sum.max_ns;
			memset(&row->sum, 0, sizeof(row->sum));
			continue;
		}
		struct kind kind = {.key = row->key, .thinned = &row->sum};
		vec_push(&spread->kinds, kind);
		*place = spread->kinds.count;
	}
}

static void add_chosen(const struct spread *spread, const struct sum_key *key, struct sum *sum)
{
	struct kind *kind = kind_of(spread, key);

	if (!kind)
		return;
	kind->ns += sum->ns;
	kind->count += key->is_part ? 0 : sum->count;
}

/* What falls to `own` of `total` things, after `before` of them, if there is `whole` for all. */
static uint64_t part_of(uint64_t whole, uint64_t before, uint64_t own, uint64_t total)
{
	unsigned __int128 wide = whole;

	return (uint64_t)(wide * (before + own) / total) - (uint64_t)(wide * before / total);
}

static bool give(const struct spread *spread, const struct sum_key *key, struct sum *sum)
{
	struct kind *kind = kind_of(spread, key);

	if (!kind || !kind->has_ns)
		return false;
	uint64_t ns = part_of(kind->has_ns, kind->given_ns, sum->ns, kind->ns);
	kind->given_ns += sum->ns;
	sum->ns += ns;
	sum->first_ns = sum->ns;
	if (key->is_part)
		return true;
	uint64_t count = part_of(kind->has_count, kind->given_count, sum->count, kind->count);
	kind->given_count += sum->count;
	sum->count += count;
	return true;
}

/* Lets the shares of hops add up to `ns` where they added up to `old_ns`. */
static void scale_shares(struct share *shares, size_t count, uint64_t old_ns, uint64_t ns)
{
	uint64_t before = 0;

	for (size_t i = 0; i < count; i++) {
		__u64 *const all[] = {
			&shares[i].ran_ns, &shares[i].no_cpu_ns, &shares[i].earlier_ns};
		for (size_t j = 0; j < ARRAY_SIZE(all); j++) {
			uint64_t own = *all[j];
			*all[j] = part_of(ns, before, own, old_ns);
			before += own;
		}
	}
}

/* Calls for the key and value of each row; waits are packed, see kernel_next_wait(). */
static void each_wait(struct spread *spread, kernel_waits *waits,
	void (*each)(struct spread *spread, const struct sum_key *key, struct wait_sum *row,
		size_t shares))
{
	size_t offset = 0;
	uint64_t bytes;

	while (offset + sizeof(bytes) + sizeof(struct sum_key) <= waits->count) {
		struct sum_key key;
		struct wait_sum row;

		memcpy(&bytes, waits->at + offset, sizeof(bytes));
		memcpy(&key, waits->at + offset + sizeof(bytes), sizeof(key));
		char *value = waits->at + offset + sizeof(bytes) + sizeof(key);
		if (key.is_chosen) {
			memcpy(&row, value, bytes);
			each(spread, &key, &row,
				(bytes - offsetof(struct wait_sum, shares)) / sizeof(struct share));
			memcpy(value, &row, bytes);
		}
		offset += sizeof(bytes) + sizeof(key) + bytes;
	}
}

static void add_wait(
	struct spread *spread, const struct sum_key *key, struct wait_sum *row, size_t shares)
{
	(void)shares;
	add_chosen(spread, key, &row->sum);
}

static void give_wait(
	struct spread *spread, const struct sum_key *key, struct wait_sum *row, size_t shares)
{
	uint64_t old_ns = row->sum.ns;

	if (give(spread, key, &row->sum) && old_ns)
		scale_shares(row->shares, shares, old_ns, row->sum.ns);
}

uint64_t spread_thinned(kernel_rows *rows, kernel_waits *waits)
{
	struct spread spread = {0};
	uint64_t left_ns = 0;

	find_kinds(&spread, rows);
	if (spread.kinds.count) {
		vec_each (row, rows)
			add_chosen(&spread, &row->key, &row->sum);
		each_wait(&spread, waits, add_wait);
	}
	vec_each (kind, &spread.kinds)
		if (kind->ns && kind->count) {
			kind->has_ns = kind->thinned->ns;
			kind->has_count = kind->thinned->count;
			memset(kind->thinned, 0, sizeof(*kind->thinned));
		}
	if (spread.kinds.count) {
		vec_each (row, rows)
			give(&spread, &row->key, &row->sum);
		each_wait(&spread, waits, give_wait);
	}
	vec_each (row, rows)
		if (is_thinned(&row->key))
			left_ns += row->sum.ns;
	vec_clear(&spread.kinds);
	map64_clear(&spread.places);
	return left_ns;
}
