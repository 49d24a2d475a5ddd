// SPDX-License-Identifier: GPL-2.0-or-later
/* The preloaded library's set of sampled blocks: exact, also when full and when threads are at it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "preload/sampled.c"

#define SLOTS ((size_t)SAMPLED_BUCKETS * SAMPLED_BUCKET_SLOTS)
#define HEAP 0x555555559010
#define THREADS 4
#define ROUNDS 300
#define BLOCKS 2000

static int empty(void **state)
{
	(void)state;
	memset(buckets, 0, sizeof(buckets));
	memset(sampled_filter, 0, sizeof(sampled_filter));
	return 0;
}

static void *block(uintptr_t number, uintptr_t distance)
{
	return (void *)(HEAP + number * distance);
}

static bool is_clear(void)
{
	for (size_t i = 0; i < SAMPLED_FILTER_BYTES; i++)
		if (sampled_filter[i])
			return false;
	for (size_t i = 0; i < SAMPLED_BUCKETS; i++)
		if (room(&buckets[i]) != SAMPLED_BUCKET_SLOTS)
			return false;
	return true;
}

static void what_was_added_is_taken_once(void **state)
{
	(void)state;
	assert_false(sampled_take(block(1, 16)));
	assert_int_equal(sampled_add(block(1, 16)), SAMPLED_ADDED);
	assert_true(sampled_may_have(block(1, 16)));
	assert_false(sampled_may_have(block(2, 16)));
	assert_false(sampled_take(block(2, 16)));
	assert_true(sampled_take(block(1, 16)));
	assert_false(sampled_take(block(1, 16)));
	assert_false(sampled_may_have(block(1, 16)));
	assert_true(is_clear());
}

static void nothing_is_never_there(void **state)
{
	(void)state;
	sampled_filter[0] = 1;
	assert_true(sampled_may_have(NULL));
	assert_false(sampled_take(NULL));
}

static void what_is_there_already_is_known(void **state)
{
	(void)state;
	assert_int_equal(sampled_add(block(1, 16)), SAMPLED_ADDED);
	assert_int_equal(sampled_add(block(1, 16)), SAMPLED_KNOWN);
	assert_true(sampled_take(block(1, 16)));
	assert_true(is_clear());
}

static void what_is_marked_may_always_be_there(void **state)
{
	(void)state;
	sampled_mark(block(1, 16));
	assert_int_equal(sampled_add(block(1, 16)), SAMPLED_ADDED);
	assert_true(sampled_take(block(1, 16)));
	assert_true(sampled_may_have(block(1, 16)));
	assert_false(sampled_take(block(1, 16)));
}

/* Blocks at some distance from each other are spread over the filter, and nearly fill the set. */
static void it_fills_up(uintptr_t distance)
{
	size_t added = 0, used = 0, taken = 0;

	for (size_t i = 0; i < SLOTS * 2; i++) {
		enum sampled_add add = sampled_add(block(i, distance));
		assert_true(add != SAMPLED_KNOWN);
		added += add == SAMPLED_ADDED;
		if (i == SLOTS / 2)
			assert_int_equal(added, i + 1);
	}
	assert_true(added > SLOTS * 95 / 100);
	for (size_t i = 0; i < SAMPLED_FILTER_BYTES; i++)
		used += sampled_filter[i] > 0;
	assert_true(used > SAMPLED_FILTER_BYTES / 4);
	for (size_t i = 0; i < SLOTS * 2; i++)
		taken += sampled_take(block(i, distance));
	assert_int_equal(taken, added);
	assert_true(is_clear());
}

static void it_fills_up_whatever_the_sizes(void **state)
{
	(void)state;
	it_fills_up(16);
	it_fills_up(48);
	it_fills_up(528);
	it_fills_up(4096);
	it_fills_up(135168);
	it_fills_up(1 << 20);
}

static void a_crowded_byte_forgets_nobody(void **state)
{
	(void)state;
	/* All of one byte: what changes is beyond the filter's bits. */
	for (uintptr_t i = 0; i < 1000; i++)
		assert_int_equal(sampled_add((void *)(HEAP + (i << 36))), SAMPLED_ADDED);
	for (uintptr_t i = 0; i < 1000; i++) {
		assert_true(sampled_may_have((void *)(HEAP + (i << 36))));
		assert_true(sampled_take((void *)(HEAP + (i << 36))));
	}
	assert_true(sampled_may_have((void *)HEAP));
}

/* Each has blocks of its own, next to the others'. */
struct worker {
	pthread_t thread;
	uintptr_t number;
	size_t failures;
};

static void *add_and_take(void *context)
{
	struct worker *worker = context;
	uintptr_t first = worker->number * BLOCKS;

	for (int round = 0; round < ROUNDS; round++) {
		for (uintptr_t i = first; i < first + BLOCKS; i++)
			worker->failures += sampled_add(block(i, 64)) != SAMPLED_ADDED;
		for (uintptr_t i = first; i < first + BLOCKS; i++) {
			worker->failures += !sampled_may_have(block(i, 64));
			worker->failures += !sampled_take(block(i, 64));
		}
	}
	return NULL;
}

static void threads_do_not_lose_each_others_blocks(void **state)
{
	struct worker workers[THREADS] = {0};

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++) {
		workers[i].number = i;
		assert_int_equal(
			pthread_create(&workers[i].thread, NULL, add_and_take, &workers[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].failures, 0);
	}
	assert_true(is_clear());
}

static void *take_all(void *context)
{
	struct worker *worker = context;

	/* Of a block that two threads free, as no program should, one has it. */
	for (uintptr_t i = 0; i < BLOCKS; i++)
		worker->failures += !sampled_take(block(i, 64));
	return NULL;
}

static void a_block_is_taken_by_one_thread_only(void **state)
{
	struct worker workers[THREADS] = {0};
	size_t failures = 0;

	(void)state;
	for (uintptr_t i = 0; i < BLOCKS; i++)
		sampled_add(block(i, 64));
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&workers[i].thread, NULL, take_all, &workers[i]);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		failures += workers[i].failures;
	}
	assert_int_equal(failures, (THREADS - 1) * BLOCKS);
	assert_true(is_clear());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_was_added_is_taken_once, empty),
		cmocka_unit_test_setup(nothing_is_never_there, empty),
		cmocka_unit_test_setup(what_is_there_already_is_known, empty),
		cmocka_unit_test_setup(what_is_marked_may_always_be_there, empty),
		cmocka_unit_test_setup(it_fills_up_whatever_the_sizes, empty),
		cmocka_unit_test_setup(a_crowded_byte_forgets_nobody, empty),
		cmocka_unit_test_setup(threads_do_not_lose_each_others_blocks, empty),
		cmocka_unit_test_setup(a_block_is_taken_by_one_thread_only, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
