// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures in the cube: their events are all in it, however much is folded, and change nothing
 * about time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cube_sample.h"

/* Two measures whose values are of very different sizes. */
static const struct rec_measure faults = {
	7, "page-faults", "count", "page fault", "first touches", "event"};
static const struct rec_measure memory = {
	9, "alloc", "bytes", "allocation", "memory asked for", "event"};

static void add_events(struct view_sample *sample)
{
	static const char *const stacks[] = {
		"main;PostgresMain;parse", "main;grow;touch", "main;load", NULL};

	recording_writer_put_measure(sample->writer, &faults);
	recording_writer_put_measure(sample->writer, &memory);
	for (uint32_t thread = 1; thread <= 4; thread++)
		for (uint32_t slice = 5; slice < 10; slice++)
			for (uint32_t i = 0; i < ARRAY_SIZE(stacks); i++) {
				sample_add_count(sample, &faults, thread, slice, stacks[i], 7 + i,
					7 + i + thread);
				sample_add_count(sample, &memory, thread, slice, stacks[i], 2,
					(uint64_t)(thread + i) << 30);
			}
}

static void open_counted(struct view_sample *sample, struct view_filter *filter)
{
	view_filter_init(filter);
	sample_begin(sample, 10);
	sample_fill(sample);
	add_events(sample);
	sample_finish(sample);
}

/* Where sums of a thread go: its own place, or that of all folded ones. */
#define PLACES 5
#define FOLDED 4

static uint32_t place_of(const struct cube *cube, uint32_t tid)
{
	for (uint32_t i = 0; i < cube->threads.count; i++)
		if (tid && cube->threads.at[i].tid == tid)
			return i;
	return FOLDED;
}

/* Sums of one measure: of the recording, of the cube's keys, of its cells. */
struct event_sums {
	const struct cube *cube;
	uint32_t measure_index;
	uint64_t value[3][PLACES];
	uint64_t count[3][PLACES];
	uint64_t samples[3][PLACES];
};

static void sum_cube(const struct cube_table *events, struct event_sums *sums)
{
	const struct cube *cube = sums->cube;

	vec_each (key, &events->keys) {
		uint32_t place = place_of(cube, cube->threads.at[key->thread].tid);
		sums->value[1][place] += key->weight;
		sums->count[1][place] += key->count;
		sums->samples[1][place] += key->samples;
	}
	vec_each (cell, &events->cells) {
		uint32_t thread = events->keys.at[cell->key].thread;
		uint32_t place = place_of(cube, cube->threads.at[thread].tid);
		sums->value[2][place] += cell->weight;
		sums->count[2][place] += cell->count;
		sums->samples[2][place] += cell->samples;
	}
}

static int sum_row(const struct rec_counted *row, void *context)
{
	struct event_sums *sums = context;
	uint32_t place = place_of(sums->cube, 100 + row->count.thread);

	if (row->measure_index != sums->measure_index)
		return 0;
	sums->value[0][place] += row->count.value;
	sums->count[0][place] += row->count.events;
	sums->samples[0][place] += row->count.count;
	return 0;
}

static void assert_events(
	struct view_sample *sample, const struct view_filter *filter, const struct cube *cube)
{
	struct selection *selection = NULL;
	struct why why = {""};

	assert_int_equal(selection_new(sample->recording, filter, &selection, &why), 0);
	assert_int_equal(cube->measures.count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		struct event_sums sums = {.cube = cube, .measure_index = i};
		assert_int_equal(selection_each_count(selection, sum_row, &sums, &why), 0);
		sum_cube(&cube->measures.at[i].events, &sums);
		assert_true(sums.value[0][0] > 0);
		for (unsigned int part = 1; part < 3; part++) {
			assert_memory_equal(sums.value[part], sums.value[0], sizeof(sums.value[0]));
			assert_memory_equal(sums.count[part], sums.count[0], sizeof(sums.count[0]));
			assert_memory_equal(
				sums.samples[part], sums.samples[0], sizeof(sums.samples[0]));
		}
	}
	selection_free(selection);
}

static void events_of_a_measure_are_all_in_its_keys_and_in_its_cells(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct cube *cube;
	(void)state;

	open_counted(&sample, &filter);
	cube = cube_of(&sample, &filter, NULL);
	assert_events(&sample, &filter, cube);
	assert_string_equal(cube->measures.at[0].view.type.title, "Page faults");
	assert_int_equal(cube->measures.at[1].view.type.unit, UNIT_BYTES);
	vec_each (measure, &cube->measures) {
		assert_int_equal(measure->events.keys.count, 16);
		assert_int_equal(measure->events.cells.count, 80);
		assert_int_equal(measure->events.folded_keys + measure->events.folded_cells, 0);
		vec_each (cell, &measure->events.cells)
			assert_in_range(cell->bucket, 5, 9);
	}
	cube_free(cube);
	sample_end(&sample);
}

static void a_range_and_threads_choose_among_events(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct cube *cube;
	struct why why;
	(void)state;

	open_counted(&sample, &filter);
	filter.from_ns = 6 * NS_PER_S;
	filter.to_ns = 8 * NS_PER_S;
	view_filter_set_comm(&filter, "p*");
	cube = cube_of(&sample, &filter, &roomy);
	assert_int_equal(cube->buckets, 2);
	assert_int_equal(cube->threads.count, 2);
	assert_events(&sample, &filter, cube);
	assert_int_equal(cube->measures.at[0].events.cells.count, 16);
	cube_free(cube);
	/* What asks for a sort of time asks for no event. */
	assert_int_equal(view_filter_set_reasons(&filter, "disk", &why), 0);
	cube = cube_of(&sample, &filter, &roomy);
	assert_int_equal(cube->measures.count, 0);
	cube_free(cube);
	view_filter_clear(&filter);
	sample_end(&sample);
}

static void folding_events_loses_detail_never_value(void **state)
{
	static const struct cube_limits tight[] = {{10, 1, 1000, 1000, 0, 0, 0},
		{10, 1000, 4, 1000, 0, 0, 0}, {10, 1000, 1000, 40, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0}};
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	open_counted(&sample, &filter);
	for (size_t i = 0; i < ARRAY_SIZE(tight); i++) {
		struct cube *cube = cube_of(&sample, &filter, &tight[i]);
		assert_events(&sample, &filter, cube);
		assert_sums(&sample, &filter, cube);
		vec_each (measure, &cube->measures) {
			assert_true(
				!i || measure->events.folded_keys || measure->events.folded_cells);
			assert_true(
				!measure->events.folded_keys || measure->events.folded_keys_weight);
		}
		cube_free(cube);
	}
	sample_end(&sample);
}

/* Counts are tiny beside bytes and ns; yet each measure keeps its own largest. */
static void each_measure_keeps_its_own_largest(void **state)
{
	static const struct cube_limits few = {10, 1000, 8, 1000, 0, 0, 0};
	/* Of five slices each, the fourth largest: 12 faults, 5 GiB. */
	static const uint64_t least[] = {5 * 12, 5 * (5ULL << 30)};
	struct view_sample sample;
	struct view_filter filter;
	struct cube *cube;
	(void)state;

	open_counted(&sample, &filter);
	cube = cube_of(&sample, &filter, &few);
	for (size_t i = 0; i < 2; i++) {
		const struct cube_table *events = &cube->measures.at[i].events;
		size_t kept = 0;
		vec_each (key, &events->keys) {
			if (!strcmp(tree_label(&cube->tree, key->node), "[other]"))
				continue;
			kept++;
			assert_true(key->weight >= least[i]);
		}
		assert_int_equal(kept, 4);
		assert_int_equal(events->folded_keys, 12);
	}
	cube_free(cube);
	sample_end(&sample);
}

/* Stacks of events have nodes between those of time: the frames are what must be the same. */
static void assert_same_stack(
	const struct cube *a, uint32_t node, const struct cube *b, uint32_t other)
{
	while (node && other) {
		assert_string_equal(tree_label(&a->tree, node), tree_label(&b->tree, other));
		node = a->tree.nodes.at[node].parent;
		other = b->tree.nodes.at[other].parent;
	}
	assert_int_equal(node, other);
}

static void assert_same_time(const struct cube *with, const struct cube *without)
{
	const struct cube_table *a = &with->time, *b = &without->time;

	assert_int_equal(a->keys.count, b->keys.count);
	for (size_t i = 0; i < a->keys.count; i++) {
		const struct cube_key *one = &a->keys.at[i], *other = &b->keys.at[i];
		assert_int_equal(one->thread, other->thread);
		assert_int_equal(one->kind, other->kind);
		assert_int_equal(one->band, other->band);
		assert_same_stack(with, one->node, without, other->node);
		assert_int_equal(one->chain, other->chain);
		assert_int_equal(one->weight, other->weight);
		assert_int_equal(one->count, other->count);
		assert_int_equal(one->max_ns, other->max_ns);
	}
	assert_int_equal(a->cells.count, b->cells.count);
	for (size_t i = 0; i < a->cells.count; i++) {
		assert_int_equal(a->cells.at[i].bucket, b->cells.at[i].bucket);
		assert_int_equal(a->cells.at[i].key, b->cells.at[i].key);
		assert_int_equal(a->cells.at[i].weight, b->cells.at[i].weight);
	}
	assert_int_equal(a->folded_keys, b->folded_keys);
	assert_int_equal(a->folded_keys_weight, b->folded_keys_weight);
	assert_int_equal(a->folded_cells, b->folded_cells);
	assert_int_equal(a->folded_cells_weight, b->folded_cells_weight);
}

static void time_is_the_same_with_and_without_events(void **state)
{
	static const struct cube_limits limits[] = {{120, 1000, 1000, 1000, 0, 0, 0},
		{10, 1000, 3, 1000, 0, 0, 0}, {10, 1000, 1000, 10, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0}};
	struct view_sample plain, counted;
	struct view_filter filter;
	(void)state;

	open_known(&plain, &filter);
	open_counted(&counted, &filter);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct cube *without = cube_of(&plain, &filter, &limits[i]);
		struct cube *with = cube_of(&counted, &filter, &limits[i]);
		assert_int_equal(without->measures.count, 0);
		assert_int_equal(with->threads.count, without->threads.count);
		assert_int_equal(with->kinds.count, without->kinds.count);
		assert_int_equal(with->folded_threads, without->folded_threads);
		assert_same_time(with, without);
		cube_free(without);
		cube_free(with);
	}
	sample_end(&plain);
	sample_end(&counted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_a_measure_are_all_in_its_keys_and_in_its_cells),
		cmocka_unit_test(a_range_and_threads_choose_among_events),
		cmocka_unit_test(folding_events_loses_detail_never_value),
		cmocka_unit_test(each_measure_keeps_its_own_largest),
		cmocka_unit_test(time_is_the_same_with_and_without_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
