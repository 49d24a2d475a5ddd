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

static void folding_loses_detail_never_time(void **state)
{
	static const struct cube_limits tight[] = {
		{10, 1, 1000, 1000}, {10, 1000, 3, 1000}, {10, 1000, 1000, 10}, {1, 1, 1, 1}};
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

static void shares_of_a_chain_add_up_to_its_key(void **state)
{
	static const struct cube_limits limits[] = {
		{120, 1000, 1000, 1000}, {120, 1000, 3, 1000}, {3, 1, 2, 2}};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_and_cells_sum_to_the_summary),
		cmocka_unit_test(a_bucket_has_what_a_range_of_its_slices_has),
		cmocka_unit_test(folding_loses_detail_never_time),
		cmocka_unit_test(folded_threads_keep_their_number_and_their_lives),
		cmocka_unit_test(time_that_is_only_in_totals_is_marked_and_has_no_cells),
		cmocka_unit_test(shares_of_a_chain_add_up_to_its_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
