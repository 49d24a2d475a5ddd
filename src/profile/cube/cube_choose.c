// SPDX-License-Identifier: GPL-2.0-or-later
/* What of a cube is kept apart when there is too much: the largest of each sort. */
#include <string.h>

#include "profile/cube/cube_parts.h"

struct ranked {
	uint32_t index;
	uint64_t first;
	uint64_t second;
};

/* Largest first; equal ones in the order of the recording. */
static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->first != b->first)
		return a->first > b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second > b->second ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void add_thread(struct cube_building *building, uint32_t index,
	const struct rec_thread *thread, const struct rec_process *process, uint64_t life_ns)
{
	struct cube_thread entry = {.comm = thread->comm,
		.process = process,
		.tid = thread->tid,
		.threads = 1,
		.life_ns = life_ns,
		.start_ns = thread->start_ns,
		.end_ns = thread->end_ns,
		.is_kernel = thread->is_kernel};

	building->thread_of[index] = (uint32_t)building->cube->threads.count;
	vec_push(&building->cube->threads, entry);
}

static void fold_thread(struct cube_building *building, struct map64 *folds, uint32_t index,
	const struct rec_thread *thread, const struct rec_process *process, uint64_t life_ns,
	uint32_t most)
{
	uint64_t key = (uint64_t)cube_label(building, thread->comm) << 32 |
		       cube_label(building, process->name);
	uint64_t *known = map64_find(folds, key);
	struct cube_thread *entry;

	if (!known && folds->count >= most) {
		key = UINT64_MAX;
		known = map64_find(folds, key);
	}
	building->cube->folded_threads++;
	if (!known) {
		add_thread(building, index, thread, process, life_ns);
		entry = &building->cube->threads.at[building->thread_of[index]];
		entry->tid = 0;
		if (key == UINT64_MAX)
			entry->comm = "[other]";
		*map64_put(folds, key, NULL) = building->thread_of[index];
		return;
	}
	building->thread_of[index] = (uint32_t)*known;
	entry = &building->cube->threads.at[*known];
	entry->threads++;
	entry->life_ns += life_ns;
	if (thread->start_ns < entry->start_ns)
		entry->start_ns = thread->start_ns;
	if (thread->end_ns > entry->end_ns)
		entry->end_ns = thread->end_ns;
}

/* Threads are ranked by what they did (ran or waited for a CPU), not by their blocked time. */
void cube_choose_threads(struct cube_building *building, struct recording *recording,
	const struct selection *selection, uint32_t most)
{
	size_t count;
	const struct rec_thread *threads = recording_threads(recording, &count);
	VEC(struct ranked) ranks = {0};
	struct map64 folds = {0};

	building->thread_of = xcalloc(count + 1, sizeof(*building->thread_of));
	for (size_t i = 0; i < count; i++) {
		struct ranked ranked = {.index = (uint32_t)i,
			.first = threads[i].total_ns[TIME_RUNNING] +
				 threads[i].total_ns[TIME_WOKEN] +
				 threads[i].total_ns[TIME_PREEMPTED],
			.second = selection_life_ns(selection, (uint32_t)i)};
		/* It lived outside the range. */
		if (!ranked.second && selection_has_range(selection))
			continue;
		if (selection_has_thread(selection, (uint32_t)i))
			vec_push(&ranks, ranked);
	}
	vec_sort(&ranks, compare_ranked);
	for (size_t i = 0; i < ranks.count; i++) {
		uint32_t index = ranks.at[i].index;
		const struct rec_process *process =
			recording_process_of(recording, &threads[index]);
		if (i < most)
			add_thread(building, index, &threads[index], process, ranks.at[i].second);
		else
			fold_thread(building, &folds, index, &threads[index], process,
				ranks.at[i].second, most);
	}
	/* Rows of a damaged file may lie outside their thread's life; they need somebody. */
	if (!ranks.count && count) {
		add_thread(
			building, 0, &threads[0], recording_process_of(recording, &threads[0]), 0);
		building->cube->threads.at[0].tid = 0;
		building->cube->threads.at[0].threads = 0;
	}
	map64_clear(&folds);
	vec_clear(&ranks);
}

static void give_away(struct cube_building *building, uint32_t from, uint32_t to)
{
	struct cube_table *table = building->making->table;
	struct cube_key *source = &table->keys.at[from];
	struct cube_key *target = &table->keys.at[to];

	table->folded_keys++;
	table->folded_keys_weight += source->weight;
	target->weight += source->weight;
	target->count += source->count;
	target->samples += source->samples;
	target->unended += source->unended;
	if (source->max_ns > target->max_ns)
		target->max_ns = source->max_ns;
	source->weight = source->count = source->samples = 0;
	source->unended = source->max_ns = 0;
}

static bool is_foldable(const struct cube_building *building, const struct cube_key *key)
{
	return key->node != TREE_ROOT && key->node != building->other_node;
}

void cube_choose_keys(struct cube_building *building, size_t most)
{
	const struct cube_table *table = building->making->table;
	size_t count = table->keys.count;
	VEC(struct ranked) ranks = {0};

	for (size_t i = 0; i < count; i++) {
		const struct cube_key *key = &table->keys.at[i];
		struct ranked ranked = {(uint32_t)i, key->weight, key->count};
		vec_push(&building->making->chosen, (uint32_t)i);
		vec_push(&ranks, ranked);
	}
	if (count > most) {
		vec_sort(&ranks, compare_ranked);
		for (size_t i = most; i < count; i++) {
			uint32_t index = ranks.at[i].index;
			if (!is_foldable(building, &table->keys.at[index]))
				continue;
			uint32_t other = cube_other_key(building, index);
			if (other == building->making->chosen.count)
				vec_push(&building->making->chosen, other);
			give_away(building, index, other);
			building->making->chosen.at[index] = other;
		}
	}
	vec_clear(&ranks);
}

static int compare_cells(const void *left, const void *right)
{
	const struct cube_cell *a = left, *b = right;

	if (a->bucket != b->bucket)
		return a->bucket < b->bucket ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Keeps the largest cells of one bucket; the rest is given to the keys of `[other]`. */
static void choose_in_bucket(struct cube_building *building, size_t begin, size_t end, size_t most)
{
	struct cube_table *table = building->making->table;
	VEC(struct ranked) ranks = {0};

	for (size_t i = begin; i < end; i++) {
		const struct cube_cell *cell = &table->cells.at[i];
		struct ranked ranked = {(uint32_t)i, cell->weight, cell->count};
		vec_push(&ranks, ranked);
	}
	vec_sort(&ranks, compare_ranked);
	for (size_t i = most; i < ranks.count; i++) {
		struct cube_cell *cell = &table->cells.at[ranks.at[i].index];
		if (!is_foldable(building, &table->keys.at[cell->key]))
			continue;
		cell->key = cube_other_key(building, cell->key);
		table->folded_cells++;
		table->folded_cells_weight += cell->weight;
	}
	vec_clear(&ranks);
}

void cube_merge_cells(struct cube_table *table)
{
	size_t kept = 0;

	vec_sort(&table->cells, compare_cells);
	for (size_t i = 0; i < table->cells.count; i++) {
		struct cube_cell *last = kept ? &table->cells.at[kept - 1] : NULL;
		const struct cube_cell *cell = &table->cells.at[i];
		if (last && last->bucket == cell->bucket && last->key == cell->key) {
			last->weight += cell->weight;
			last->count += cell->count;
			last->samples += cell->samples;
		} else {
			table->cells.at[kept++] = *cell;
		}
	}
	table->cells.count = kept;
}

void cube_choose_cells(struct cube_building *building, size_t most)
{
	struct cube_table *table = building->making->table;
	uint32_t buckets = building->cube->buckets;
	size_t each = most / buckets ? most / buckets : 1;

	vec_sort(&table->cells, compare_cells);
	for (size_t begin = 0, end; begin < table->cells.count; begin = end) {
		for (end = begin; end < table->cells.count; end++)
			if (table->cells.at[end].bucket != table->cells.at[begin].bucket)
				break;
		if (end - begin > each)
			choose_in_bucket(building, begin, end, each);
	}
	cube_merge_cells(table);
}

struct placed {
	uint32_t index;
	struct cube_key key;
};

static int compare_placed(const void *left, const void *right)
{
	const struct cube_key *a = &((const struct placed *)left)->key;
	const struct cube_key *b = &((const struct placed *)right)->key;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->chain != b->chain)
		return a->chain < b->chain ? -1 : 1;
	return a->band < b->band ? -1 : a->band > b->band;
}

void cube_drop_empty(struct cube_table *table)
{
	_cleanup_free_ uint32_t *place = xcalloc(table->keys.count + 1, sizeof(*place));
	uint32_t kept = 0;

	/* A key of cells alone weighs nothing over the whole, yet is needed. */
	for (size_t i = 0; i < table->cells.count; i++)
		place[table->cells.at[i].key] = 1;
	for (size_t i = 0; i < table->keys.count; i++) {
		const struct cube_key *key = &table->keys.at[i];
		if (!place[i] && !key->weight && !key->count && !key->unended)
			continue;
		place[i] = kept;
		table->keys.at[kept++] = *key;
	}
	table->keys.count = kept;
	for (size_t i = 0; i < table->cells.count; i++)
		table->cells.at[i].key = place[table->cells.at[i].key];
}

void cube_sort_keys(struct cube_table *table)
{
	_cleanup_free_ uint32_t *place = xcalloc(table->keys.count + 1, sizeof(*place));
	VEC(struct placed) keys = {0};

	for (size_t i = 0; i < table->keys.count; i++) {
		struct placed placed = {(uint32_t)i, table->keys.at[i]};
		vec_push(&keys, placed);
	}
	vec_sort(&keys, compare_placed);
	for (size_t i = 0; i < keys.count; i++) {
		place[keys.at[i].index] = (uint32_t)i;
		table->keys.at[i] = keys.at[i].key;
	}
	for (size_t i = 0; i < table->cells.count; i++)
		table->cells.at[i].key = place[table->cells.at[i].key];
	cube_merge_cells(table);
	vec_clear(&keys);
}
