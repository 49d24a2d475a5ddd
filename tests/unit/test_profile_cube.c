// SPDX-License-Identifier: GPL-2.0-or-later
/* The cube on recordings whose figures are known: its sums are the summary's, however much is
 * folded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "chain_sample.h"
#include "cube_sample.h"
#include "things_sample.h"
#include "profile/shares.h"

static void keys_and_cells_sum_to_the_summary(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct cube *cube;
	(void)state;

	open_known(&sample, &filter);
	cube = cube_of(&sample, &filter, NULL);
	assert_int_equal(cube->buckets, 10);
	assert_int_equal(
		cube->folded_threads + cube->time.folded_keys + cube->time.folded_cells, 0);
	assert_sums(&sample, &filter, cube);
	cube_free(cube);
	sample_end(&sample);
}

static void a_bucket_has_what_a_range_of_its_slices_has(void **state)
{
	struct view_sample sample;
	struct view_filter filter, range;
	struct cube_limits few = roomy;
	struct cube *cube;
	(void)state;

	few.buckets = 4;
	open_known(&sample, &filter);
	cube = cube_of(&sample, &filter, &few);
	assert_int_equal(cube->buckets, 4);
	assert_int_equal(cube->slices_per_bucket, 3);
	for (uint32_t bucket = 0; bucket < cube->buckets; bucket++) {
		view_filter_init(&range);
		range.from_ns = bucket * 3 * NS_PER_S;
		range.to_ns = (bucket + 1) * 3 * NS_PER_S;
		struct cube *part = cube_of(&sample, &range, &roomy);
		for (unsigned int i = 0; i < TIME_STATES; i++)
			assert_int_equal(cell_sum(cube, (enum time_state)i, bucket, bucket + 1),
				key_sum(part, (enum time_state)i));
		assert_sums(&sample, &range, part);
		cube_free(part);
		view_filter_clear(&range);
	}
	cube_free(cube);
	sample_end(&sample);
}

/* Is every node's parent the one before it, or above that? */
static void assert_in_order(const struct cube *cube)
{
	for (uint32_t node = 1; node < cube->tree.nodes.count; node++) {
		uint32_t before = node - 1;
		while (before > cube->tree.nodes.at[node].parent)
			before = cube->tree.nodes.at[before].parent;
		assert_int_equal(before, cube->tree.nodes.at[node].parent);
	}
}

static void nodes_below_one_follow_it_and_those_of_folded_stacks_are_gone(void **state)
{
	static const struct cube_limits few = {
		.buckets = 10, .threads = 1, .keys = 1, .cells = 1, .things = 1000};
	struct view_sample sample;
	struct view_filter filter;
	struct cube *cube, *folded;
	(void)state;

	open_known(&sample, &filter);
	cube = cube_of(&sample, &filter, NULL);
	folded = cube_of(&sample, &filter, &few);
	assert_in_order(cube);
	assert_in_order(folded);
	assert_true(folded->time.folded_keys > 0);
	assert_true(folded->tree.nodes.count < cube->tree.nodes.count);
	cube_free(folded);
	cube_free(cube);
	sample_end(&sample);
}

static void folding_loses_detail_never_time(void **state)
{
	static const struct cube_limits tight[] = {{10, 1, 1000, 1000, 0, 0, 0},
		{10, 1000, 3, 1000, 0, 0, 0}, {10, 1000, 1000, 10, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0}};
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	open_known(&sample, &filter);
	for (size_t i = 0; i < ARRAY_SIZE(tight); i++) {
		struct cube *cube = cube_of(&sample, &filter, &tight[i]);
		assert_true(
			cube->folded_threads || cube->time.folded_keys || cube->time.folded_cells);
		assert_sums(&sample, &filter, cube);
		cube_free(cube);
	}
	sample_end(&sample);
}

static void folded_threads_keep_their_number_and_their_lives(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct cube_limits few = roomy;
	struct cube *all, *cube;
	uint64_t threads = 0, lives = 0, known = 0;
	(void)state;

	few.threads = 1;
	open_known(&sample, &filter);
	all = cube_of(&sample, &filter, &roomy);
	cube = cube_of(&sample, &filter, &few);
	vec_each (thread, &all->threads)
		known += thread->life_ns;
	vec_each (thread, &cube->threads) {
		threads += thread->threads;
		lives += thread->life_ns;
	}
	assert_int_equal(threads, all->threads.count);
	assert_int_equal(cube->folded_threads, all->threads.count - 1);
	assert_int_equal(lives, known);
	cube_free(all);
	cube_free(cube);
	sample_end(&sample);
}

static void time_that_is_only_in_totals_is_marked_and_has_no_cells(void **state)
{
	static const uint64_t totals[TIME_STATES] = {[TIME_BLOCKED] = 4 * NS_PER_S};
	struct view_sample sample;
	struct view_filter filter;
	struct cube *cube;
	uint64_t unsliced = 0;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 4);
	sample_add_thread(&sample, 1, "app", "app", false, 0, 4 * NS_PER_S, totals);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, NS_PER_S, sample_user(&sample, "main"),
		sample_kernel(&sample, "do_futex;futex_wait"));
	sample_finish(&sample);
	cube = cube_of(&sample, &filter, NULL);
	vec_each (key, &cube->time.keys)
		if (cube->kinds.at[key->kind].is_unsliced) {
			assert_int_equal(key->band, cube->bands);
			unsliced += key->weight;
		}
	assert_int_equal(unsliced, 3 * NS_PER_S);
	assert_int_equal(key_sum(cube, TIME_BLOCKED), 4 * NS_PER_S);
	assert_int_equal(cell_sum(cube, TIME_BLOCKED, 0, cube->buckets), NS_PER_S);
	cube_free(cube);
	sample_end(&sample);
}

static void buckets_are_joined_where_cells_are_many(void **state)
{
	static const struct cube_limits limits = {120, 1000, 1000, 1000, 0, 3, 4};
	struct view_sample sample;
	struct view_filter filter;
	struct cube *fine, *coarse;
	(void)state;

	open_known(&sample, &filter);
	fine = cube_of(&sample, &filter, &roomy);
	coarse = cube_of(&sample, &filter, &limits);
	assert_int_equal(fine->buckets, 10);
	assert_int_equal(coarse->slices_per_bucket, 3);
	assert_int_equal(coarse->buckets, 4);
	assert_int_equal(coarse->bucket_ns, 3 * fine->bucket_ns);
	for (uint32_t bucket = 0; bucket < coarse->buckets; bucket++)
		assert_int_equal(cell_sum(coarse, TIME_BLOCKED, bucket, bucket + 1),
			cell_sum(fine, TIME_BLOCKED, 3 * bucket, 3 * bucket + 3));
	assert_sums(&sample, &filter, coarse);
	cube_free(fine);
	cube_free(coarse);
	sample_end(&sample);
}

static void shares_of_a_chain_add_up_to_its_key(void **state)
{
	static const struct cube_limits limits[] = {{120, 1000, 1000, 1000, 0, 0, 0},
		{120, 1000, 3, 1000, 0, 0, 0}, {3, 1, 2, 2, 0, 0, 0}};
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 10);
	sample_fill_chains(&sample);
	sample_finish(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct cube *cube = cube_of(&sample, &filter, &limits[i]);
		size_t shares = 0;
		assert_true(cube->has_chains);
		vec_each (key, &cube->time.keys) {
			uint64_t sum = 0;
			if (!key->chain)
				continue;
			assert_int_equal(key->first_share, shares);
			shares += cube->chains.at[key->chain - 1].hop_count + 1;
			for (size_t at = key->first_share; at < shares; at++)
				sum += share_ns(&cube->shares.at[at]);
			assert_int_equal(sum, key->weight);
		}
		assert_int_equal(shares, cube->shares.count);
		assert_true(shares > 0 || i);
		assert_sums(&sample, &filter, cube);
		cube_free(cube);
	}
	sample_end(&sample);
}

/* Blocked time of the cube that was for the thing of that text; NULL: not told. */
static uint64_t thing_sum(const struct cube *cube, const char *text, bool is_by_cells)
{
	uint64_t keys_ns = 0, cells_ns = 0;

	for (size_t i = 0; i < cube->time.keys.count; i++) {
		const struct cube_key *key = &cube->time.keys.at[i];
		const struct cube_kind *kind = &cube->kinds.at[key->kind];
		if (kind->state != TIME_BLOCKED)
			continue;
		const struct cube_thing *thing =
			kind->thing ? &cube->things.at[kind->thing - 1] : NULL;
		_cleanup_free_ char *told =
			thing ? awaited_text(&thing->awaited, thing->primitive, false) : NULL;
		if (!told != !text || (text && strcmp(told, text) != 0))
			continue;
		keys_ns += key->weight;
		vec_each (cell, &cube->time.cells)
			cells_ns += cell->key == i ? cell->weight : 0;
	}
	return is_by_cells ? cells_ns : keys_ns;
}

static void time_is_kept_by_what_it_was_for(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} cases[] = {{"mutex cache_lock", 10000}, {"/var/lib/db/pg_wal/0001", 4000},
		{"an eventfd", 4000}, {"other files", 2000}, {"TCP to 10.0.0.5:9000", 6000},
		{NULL, 1000}};
	/* Also where hardly any stack has room: what folds is the stack. */
	static const struct cube_limits limits[] = {
		{120, 1000, 1000, 1000, 1000, 0, 0}, {10, 1, 1, 1, 1000, 0, 0}};
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	sample_open_things(&sample);
	view_filter_init(&filter);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct cube *cube = cube_of(&sample, &filter, &limits[i]);
		assert_sums(&sample, &filter, cube);
		assert_int_equal(cube->folded_things, 0);
		for (size_t j = 0; j < ARRAY_SIZE(cases); j++)
			for (size_t by_cells = 0; by_cells < 2; by_cells++)
				assert_int_equal(
					thing_sum(cube, cases[j].text, by_cells), cases[j].ms * MS);
		cube_free(cube);
	}
	sample_end(&sample);
}

static void small_things_become_others_of_their_kind(void **state)
{
	static const struct cube_limits few = {10, 1000, 1000, 1000, 2, 0, 0};
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	sample_open_things(&sample);
	view_filter_init(&filter);
	struct cube *cube = cube_of(&sample, &filter, &few);
	assert_sums(&sample, &filter, cube);
	assert_int_equal(thing_sum(cube, "mutex cache_lock", true), 10000 * MS);
	assert_int_equal(thing_sum(cube, "TCP to 10.0.0.5:9000", true), 6000 * MS);
	/* The log, the hostile one, and those that were folded before. */
	assert_int_equal(thing_sum(cube, "other files", true), 7000 * MS);
	assert_int_equal(thing_sum(cube, "other eventfds", true), 4000 * MS);
	assert_int_equal(thing_sum(cube, NULL, true), 1000 * MS);
	assert_int_equal(cube->folded_things, 3);
	assert_int_equal(cube->things.count, 4);
	cube_free(cube);
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_and_cells_sum_to_the_summary),
		cmocka_unit_test(a_bucket_has_what_a_range_of_its_slices_has),
		cmocka_unit_test(nodes_below_one_follow_it_and_those_of_folded_stacks_are_gone),
		cmocka_unit_test(folding_loses_detail_never_time),
		cmocka_unit_test(folded_threads_keep_their_number_and_their_lives),
		cmocka_unit_test(time_that_is_only_in_totals_is_marked_and_has_no_cells),
		cmocka_unit_test(buckets_are_joined_where_cells_are_many),
		cmocka_unit_test(shares_of_a_chain_add_up_to_its_key),
		cmocka_unit_test(time_is_kept_by_what_it_was_for),
		cmocka_unit_test(small_things_become_others_of_their_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
