// SPDX-License-Identifier: GPL-2.0-or-later
/* One walk over the rows; what belongs to a thing is found again by its number. */
#include "profile/summary/thing_table.h"

#include <string.h>

#include "util/hash.h"

struct gathering {
	struct recording *recording;
	struct thing_table *table;
	const struct rec_linked_chain *chains;
	const struct rec_chain_hop *hops;
	struct map64 rows;    /* thing -> index of its row */
	struct map64 waiters; /* row, name -> index among its waiters */
	struct map64 threads; /* row, thread: those that were counted */
	struct map64 enders;  /* row, kind and name or end -> index among its enders */
};

static size_t row_of(struct gathering *gathering, uint32_t thing)
{
	bool is_new;
	uint64_t *index = map64_put(&gathering->rows, thing, &is_new);

	if (is_new) {
		struct thing_row row = {.thing = thing, .owner = REC_NONE};
		*index = gathering->table->rows.count;
		vec_push(&gathering->table->rows, row);
	}
	return *index;
}

static void add_waiter(struct gathering *gathering, size_t index, const struct selection_row *row)
{
	struct thing_row *into = &gathering->table->rows.at[index];
	const char *name = family_of(&gathering->table->families, row->thread->comm);
	bool is_new;
	uint64_t *number =
		map64_put(&gathering->waiters, hash_text(hash_add(0, index), name), &is_new);

	if (is_new) {
		struct thing_waiter waiter = {.name = name};
		*number = into->waiters.count;
		vec_push(&into->waiters, waiter);
	}
	into->waiters.at[*number].ns += row->ns;
	map64_put(&gathering->threads, (uint64_t)index << 32 | row->row->thread_index, &is_new);
	into->waiters.at[*number].threads += is_new;
}

/* Who ended the row's waits, without its figures. */
static struct thing_ender ender_of(
	const struct gathering *gathering, const struct selection_row *row)
{
	const struct rec_linked_chain *chain =
		row->row->chain == REC_NONE ? NULL : &gathering->chains[row->row->chain];
	struct thing_ender ender = {.name = "", .is_nobody = !chain || !chain->hop_count};

	if (ender.is_nobody) {
		ender.end = chain ? chain->end : CHAIN_NO_WAKER;
		return ender;
	}
	const struct rec_chain_hop *hop = &gathering->hops[chain->first_hop];
	ender.kind = hop_kind_is_thread(hop->kind) ? HOP_TASK : hop->kind;
	ender.name = hop_kind_is_thread(hop->kind)
			     ? family_of(&gathering->table->families, hop->name)
			     : hop->name;
	return ender;
}

static void add_ender(struct gathering *gathering, size_t index, const struct selection_row *row)
{
	struct thing_row *into = &gathering->table->rows.at[index];
	struct thing_ender ender = ender_of(gathering, row);
	uint64_t key = hash_add(hash_add(0, index),
		ender.is_nobody ? 1u << 16 | (uint64_t)ender.end : (uint64_t)ender.kind);
	bool is_new;
	uint64_t *number = map64_put(&gathering->enders, hash_text(key, ender.name), &is_new);

	if (is_new) {
		*number = into->enders.count;
		vec_push(&into->enders, ender);
	}
	into->enders.at[*number].ns += row->ns;
}

static int on_row(const struct selection_row *row, void *context)
{
	struct gathering *gathering = context;
	struct thing_table *table = gathering->table;
	struct thing_row *into;
	size_t index;

	if (row->row->sum.state != TIME_BLOCKED)
		return 0;
	index = row_of(gathering, row->thing);
	into = &table->rows.at[index];
	into->total_ns += row->ns;
	into->waits += row->count + row->unended;
	into->unended += row->unended;
	if (row->is_unsliced)
		into->uncounted_ns += row->ns;
	if (row->max_ns > into->max_ns)
		into->max_ns = row->max_ns;
	if (row->owner != REC_NONE && row->max_ns >= into->owner_max_ns) {
		into->owner = row->owner;
		into->owner_max_ns = row->max_ns;
	}
	add_waiter(gathering, index, row);
	if (table->has_chains)
		add_ender(gathering, index, row);
	table->total_ns += row->ns;
	table->waits += row->count + row->unended;
	table->told_ns += into->thing != REC_NONE ? row->ns : 0;
	return 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct thing_row *a = left, *b = right;

	if ((a->thing == REC_NONE) != (b->thing == REC_NONE))
		return a->thing == REC_NONE ? 1 : -1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->thing < b->thing ? -1 : a->thing > b->thing;
}

static int compare_waiters(const void *left, const void *right)
{
	const struct thing_waiter *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_enders(const void *left, const void *right)
{
	const struct thing_ender *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void gathering_clear(struct gathering *gathering)
{
	map64_clear(&gathering->rows);
	map64_clear(&gathering->waiters);
	map64_clear(&gathering->threads);
	map64_clear(&gathering->enders);
}

static int gather(struct recording *recording, struct selection *selection,
	struct thing_table *table, struct why *why)
{
	size_t unused;
	_cleanup_(gathering_clear) struct gathering gathering = {.recording = recording,
		.table = table,
		.chains = recording_chains(recording, &unused),
		.hops = recording_hops(recording, &unused)};
	int error = selection_each_row(selection, on_row, &gathering, why);

	vec_sort(&table->rows, compare_rows);
	vec_each (row, &table->rows) {
		vec_sort(&row->waiters, compare_waiters);
		vec_sort(&row->enders, compare_enders);
	}
	return error;
}

int thing_table_new(struct recording *recording, const struct view_filter *filter,
	struct thing_table **ret, struct why *why)
{
	struct selection *selection = NULL;
	struct thing_table *table;
	int error = selection_new(recording, filter, &selection, why);

	if (error)
		return error;
	table = xcalloc(1, sizeof(*table));
	table->has_chains = recording_has_chains(recording);
	table->from_ns = selection_from_ns(selection);
	table->to_ns = selection_to_ns(selection);
	table->has_range = selection_has_range(selection);
	families_gather(&table->families, recording);
	error = gather(recording, selection, table, why);
	table->things = selection_take_things(selection);
	selection_free(selection);
	if (error)
		thing_table_free(table);
	else
		*ret = table;
	return error;
}

void thing_table_free(struct thing_table *table)
{
	if (!table)
		return;
	vec_each (row, &table->rows) {
		vec_clear(&row->waiters);
		vec_clear(&row->enders);
	}
	vec_clear(&table->rows);
	things_clear(&table->things);
	families_clear(&table->families);
	free(table);
}
