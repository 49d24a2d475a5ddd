// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of time into keys and cells. The first walk finds the keys and their sums; then the large
 * ones are chosen; the second walk divides the rows among the buckets. Memory follows the distinct
 * keys, and the buckets of the chosen ones. cube_events.c does the same with the measures.
 */
#include "profile/cube/cube.h"

#include <string.h>

#include "model/words.h"
#include "profile/cube/cube_parts.h"
#include "profile/span.h"
#include "util/text.h"

#define OTHER_LABEL "[other]"
/* A band, or none, in the key of a key. */
#define BAND_BITS 9
_Static_assert(WORDS_MOST < 1 << BAND_BITS, "a band fits");

void cube_making_clear(struct cube_making *making)
{
	map64_clear(&making->places);
	map64_clear(&making->links);
	map64_clear(&making->keys);
	map64_clear(&making->cells);
	vec_clear(&making->chosen);
}

uint32_t cube_key_index(struct cube_building *building, const struct cube_key *key)
{
	struct cube_making *making = building->making;
	uint64_t *place, *link, *index;
	bool is_new;

	place = map64_put(&making->places, (uint64_t)key->thread << 32 | key->node, &is_new);
	if (is_new)
		*place = making->places.count - 1;
	link = map64_put(&making->links, *place << 32 | key->chain, &is_new);
	if (is_new)
		*link = making->links.count - 1;
	index = map64_put(
		&making->keys, *link << 32 | (uint64_t)key->kind << BAND_BITS | key->band, &is_new);
	if (is_new) {
		*index = making->table->keys.count;
		vec_push(&making->table->keys, *key);
	}
	return (uint32_t)*index;
}

/* The key of a row, without figures. Running time has no stack: its samples have. */
static struct cube_key key_of(struct cube_building *building, const struct selection_row *row)
{
	const struct rec_sum *sum = &row->row->sum;
	bool is_running = sum->state == TIME_RUNNING;
	bool has_band = !is_running && sum->state != TIME_SAMPLE && !row->is_unsliced;

	return (struct cube_key){
		.thread = building->thread_of[row->row->thread_index],
		.kind = cube_kind_of(building, row),
		.band = has_band && sum->band < building->cube->bands ? sum->band
								      : building->cube->bands,
		.node = is_running ? TREE_ROOT
				   : placer_place(building->placer, row->row->thread_index,
					     &row->row->stacks),
		.chain = cube_chain_of(building, row->row),
		.first_share = CUBE_NO_SHARES,
	};
}

static int add_to_key(const struct selection_row *row, void *context)
{
	struct cube_building *building = context;
	struct cube_key key = key_of(building, row);
	uint32_t index = cube_key_index(building, &key);
	struct cube_key *sum = &building->making->table->keys.at[index];

	sum->weight += row->ns;
	sum->count += row->count;
	if (sum->chain)
		cube_add_shares(building, index, row);
	if (row->row->sum.state != TIME_SAMPLE && row->row->sum.state != TIME_RUNNING) {
		sum->unended += row->unended;
		if (row->max_ns > sum->max_ns)
			sum->max_ns = row->max_ns;
	}
	return 0;
}

uint32_t cube_other_key(struct cube_building *building, uint32_t key_index)
{
	struct cube_key key = building->making->table->keys.at[key_index];

	key.node = building->other_node;
	key.chain = 0;
	key.weight = key.count = key.samples = key.unended = key.max_ns = 0;
	return cube_key_index(building, &key);
}

struct cube_cell *cube_add_cell(struct cube_building *building, uint32_t bucket, uint32_t key,
	uint64_t weight, uint64_t count)
{
	struct cube_table *table = building->making->table;
	bool is_new;
	uint64_t *index = map64_put(&building->making->cells, cube_cell_id(key, bucket), &is_new);

	if (is_new) {
		struct cube_cell cell = {.bucket = bucket, .key = key};
		*index = table->cells.count;
		vec_push(&table->cells, cell);
	}
	table->cells.at[*index].weight += weight;
	table->cells.at[*index].count += count;
	return &table->cells.at[*index];
}

uint32_t cube_bucket_of(const struct cube_building *building, uint32_t slice)
{
	uint32_t bucket = slice <= building->slice_from ? 0
							: (slice - building->slice_from) /
								  building->cube->slices_per_bucket;

	return bucket < building->cube->buckets ? bucket : building->cube->buckets - 1;
}

/* First slice of a bucket; the last bucket's end lies where the range's does. */
static uint32_t slice_of(const struct cube_building *building, uint32_t bucket)
{
	return bucket == building->cube->buckets
		       ? building->slice_to
		       : building->slice_from + bucket * building->cube->slices_per_bucket;
}

static int add_to_cells(const struct selection_row *row, void *context)
{
	struct cube_building *building = context;
	const struct rec_sum *sum = &row->row->sum;
	struct cube_key key = key_of(building, row);
	uint32_t index = building->making->chosen.at[cube_key_index(building, &key)];
	uint32_t last = cube_bucket_of(building, sum->slice_last);

	if (row->is_unsliced)
		return 0;
	for (uint32_t bucket = cube_bucket_of(building, sum->slice_first); bucket <= last;
		bucket++) {
		uint64_t ns =
			span_ns(sum, slice_of(building, bucket), slice_of(building, bucket + 1));
		uint64_t count = bucket == last ? row->count : 0;
		if (ns || count)
			cube_add_cell(building, bucket, index, ns, count);
	}
	if (building->making->table->cells.count > building->fine_cells)
		cube_coarsen(building);
	return 0;
}

static void divide(struct cube_building *building, uint32_t slices_per_bucket)
{
	struct cube *cube = building->cube;

	cube->slices_per_bucket = slices_per_bucket;
	cube->buckets = (building->slices + slices_per_bucket - 1) / slices_per_bucket;
	cube->bucket_ns = recording_meta(building->recording)->slice_ns * cube->slices_per_bucket;
}

void cube_coarsen(struct cube_building *building)
{
	struct cube *cube = building->cube;
	struct cube_making *making = building->making;
	uint32_t most = building->coarse_buckets;
	uint32_t joined = (cube->buckets + most - 1) / most;

	building->fine_cells = SIZE_MAX;
	if (joined < 2)
		return;
	divide(building, cube->slices_per_bucket * joined);
	vec_each (cell, &making->table->cells)
		cell->bucket /= joined;
	cube_merge_cells(making->table);
	map64_clear(&making->cells);
	for (size_t i = 0; i < making->table->cells.count; i++) {
		const struct cube_cell *cell = &making->table->cells.at[i];
		*map64_put(&making->cells, cube_cell_id(cell->key, cell->bucket), NULL) = i;
	}
}

static void set_buckets(struct cube_building *building, const struct selection *selection,
	const struct rec_meta *meta, uint32_t slice_count, uint32_t most)
{
	struct cube *cube = building->cube;
	uint64_t slice_ns = meta->slice_ns ? meta->slice_ns : UINT64_MAX;
	bool is_open = selection_to_ns(selection) >= meta->window_ns;
	uint32_t end;

	cube->from_ns = selection_from_ns(selection);
	cube->to_ns = selection_to_ns(selection);
	building->slice_from = (uint32_t)(cube->from_ns / slice_ns);
	building->slice_to = is_open ? UINT32_MAX : (uint32_t)(cube->to_ns / slice_ns);
	end = is_open ? slice_count : building->slice_to;
	building->slices = end > building->slice_from ? end - building->slice_from : 1;
	divide(building, (building->slices + most - 1) / most);
}

/* Frames without a name have their file in their label. */
static void add_objects(struct cube_building *building, const struct recording *recording)
{
	size_t count, unused;
	const struct rec_named_frame *frames = recording_frames(recording, &count);
	const struct rec_object *objects = recording_objects(recording, &unused);
	struct map64 known = {0};

	for (size_t i = 0; i < count; i++) {
		const char *path = objects[frames[i].object].path;
		struct cube_object object;
		bool is_new;
		if (!frames[i].name[0] || !path[0])
			continue;
		_cleanup_free_ char *label = text_clean(frames[i].name, true);
		object.label = cube_label(building, label);
		map64_put(&known, object.label, &is_new);
		if (!is_new)
			continue;
		object.object = cube_label(building, path);
		vec_push(&building->cube->objects, object);
	}
	map64_clear(&known);
}

static int build_time(
	struct cube_building *building, const struct cube_limits *limits, struct why *why)
{
	struct selection *selection = building->selection;
	_cleanup_(cube_making_clear) struct cube_making making = {.table = &building->cube->time};
	int error;

	building->making = &making;
	error = cube_choose_things(building, limits->things ? limits->things : CUBE_THINGS, why);
	if (!error)
		error = selection_each_row(selection, add_to_key, building, why);
	if (error)
		return error;
	cube_choose_keys(building, limits->keys);
	error = selection_each_row(selection, add_to_cells, building, why);
	if (error)
		return error;
	cube_choose_cells(building, limits->cells);
	return 0;
}

static void building_clear(struct cube_building *building)
{
	placer_free(building->placer);
	free(building->thread_of);
	map64_clear(&building->kinds);
	map64_clear(&building->chains);
	vec_clear(&building->thing_of);
	map64_clear(&building->other_things);
	families_clear(&building->families);
}

int cube_new(struct recording *recording, const struct view_filter *filter,
	const struct stack_shape *shape, const struct cube_limits *limits,
	const struct summary *summary, struct cube **ret, struct why *why)
{
	static const struct cube_limits defaults = {
		CUBE_BUCKETS, CUBE_THREADS, CUBE_KEYS, CUBE_CELLS, CUBE_THINGS, 0, 0};
	/* Borrows the vectors; idle time is told apart by kind. */
	struct view_filter whole = *filter;
	struct stack_shape nameless = *shape;
	struct cube_building building = {.cube = xcalloc(1, sizeof(*building.cube)),
		.recording = recording,
		.summary = summary};
	struct selection *selection = NULL;
	int error;

	if (!limits)
		limits = &defaults;
	whole.idle = IDLE_SHOW;
	nameless.by_count = 0;
	error = selection_new(recording, &whole, &selection, why);
	if (error) {
		free(building.cube);
		return error;
	}
	building.selection = selection;
	building.fine_cells = limits->fine_cells ? limits->fine_cells : CUBE_FINE_CELLS;
	building.coarse_buckets =
		limits->coarse_buckets ? limits->coarse_buckets : CUBE_COARSE_BUCKETS;
	families_gather(&building.families, recording);
	building.cube->has_chains = recording_has_chains(recording);
	building.cube->bands = words_count(recording_words(recording), WORD_BAND);
	tree_init(&building.cube->tree);
	building.placer = placer_new(recording, &nameless, &building.cube->tree);
	building.other_node = tree_child(&building.cube->tree, TREE_ROOT, OTHER_LABEL, FRAME_MARK);
	cube_choose_threads(&building, recording, selection, limits->threads);
	set_buckets(&building, selection, recording_meta(recording),
		recording_slice_count(recording), limits->buckets);
	error = build_time(&building, limits, why);
	if (!error && !view_filter_asks_for_time(filter))
		error = cube_add_measures(&building, limits, why);
	if (!error)
		add_objects(&building, recording);
	if (!error)
		cube_order(building.cube);
	building_clear(&building);
	selection_free(selection);
	if (error) {
		cube_free(building.cube);
		return error;
	}
	*ret = building.cube;
	return 0;
}

static void table_clear(struct cube_table *table)
{
	vec_clear(&table->keys);
	vec_clear(&table->cells);
}

void cube_free(struct cube *cube)
{
	if (!cube)
		return;
	tree_clear(&cube->tree);
	vec_clear(&cube->threads);
	vec_clear(&cube->kinds);
	vec_clear(&cube->things);
	table_clear(&cube->time);
	vec_each (measure, &cube->measures) {
		view_choice_clear(&measure->view);
		table_clear(&measure->events);
	}
	vec_clear(&cube->measures);
	vec_clear(&cube->objects);
	vec_clear(&cube->chains);
	vec_clear(&cube->hops);
	vec_clear(&cube->shares);
	free(cube);
}
