// SPDX-License-Identifier: GPL-2.0-or-later
/* What lives and what leaks, told from rows of allocations and frees and the blocks that are left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/heap.h"
#include "contract/contract.h"
#include "util/units.h"

#define SLICE_NS (100 * NS_PER_MS)
#define START_NS (5 * NS_PER_S)
#define BYTES 524288

/* A window of some slices, in which sites allocate and free. */
struct world {
	struct heap *heap;
	kernel_allocations blocks;
	uint32_t slices;
	uint64_t next_address;
};

static void begin(struct world *world, uint32_t slices)
{
	*world = (struct world){.heap = heap_new(SLICE_NS), .slices = slices, .next_address = 4096};
}

static void end(struct world *world)
{
	heap_free(world->heap);
	vec_clear(&world->blocks);
}

static uint64_t end_ns(const struct world *world)
{
	return START_NS + world->slices * SLICE_NS;
}

static void note(struct world *world, uint64_t site, uint32_t slice, uint64_t count, bool is_freed)
{
	struct event_key key = {.user_stack = site, .thread = 1, .slice = slice};
	struct event_sum sum = {count, count * BYTES, BYTES, count * 10};

	if (count)
		heap_note(world->heap, &key, &sum, site + 1000, is_freed);
}

/* Blocks that were allocated then, and are there at the end. */
static void keep(struct world *world, uint64_t site, uint32_t slice, uint64_t count, uint32_t image)
{
	for (uint64_t i = 0; i < count; i++) {
		struct kernel_allocation block = {
			.key = {.image = image, .address = world->next_address += 16},
			.block = {site, BYTES, 10, 1, slice}};
		vec_push(&world->blocks, block);
	}
}

struct found {
	uint64_t live;
	uint64_t leaked;
	uint64_t rows;
	uint64_t events;
	uint64_t site;
};

static void on_row(const struct heap_row *row, void *context)
{
	struct found *found = context;

	if (row->stack != found->site + 1000)
		return;
	found->rows++;
	found->live += row->count;
	found->events += row->events;
	found->leaked += row->is_leaked ? row->count : 0;
	assert_int_equal(row->bytes, row->count * BYTES);
	assert_int_equal(row->most_bytes, BYTES / 10);
}

static struct found look(struct world *world, uint64_t site)
{
	struct found found = {.site = site};

	heap_each(world->heap, &world->blocks, START_NS, end_ns(world), on_row, &found);
	return found;
}

static void what_grows_steadily_is_a_leak_but_for_what_is_young(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 100);
	for (uint32_t slice = 0; slice < 100; slice += 2) {
		note(&world, 50, slice, 1, false);
		keep(&world, 50, slice, 1, 1);
	}
	struct found found = look(&world, 50);
	assert_int_equal(found.live, 50);
	assert_int_equal(found.events, 500);
	/* The last quarter of the window may be about to be freed. */
	assert_in_range(found.leaked, 36, 38);
	end(&world);
}

static void a_cache_that_was_filled_early_is_no_leak(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 100);
	note(&world, 50, 1, 200, false);
	keep(&world, 50, 1, 200, 1);
	struct found found = look(&world, 50);
	assert_int_equal(found.live, 200);
	assert_int_equal(found.rows, 1);
	assert_int_equal(found.leaked, 0);
	end(&world);
}

/* Always 20 blocks, each alive for 20 slices; some are old. */
static void a_queue_of_constant_length_is_no_leak(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 100);
	for (uint32_t slice = 0; slice < 100; slice++) {
		note(&world, 50, slice, 1, false);
		note(&world, 50, slice, slice >= 40, true);
		if (slice >= 60)
			keep(&world, 50, slice, 1, 1);
	}
	assert_int_equal(look(&world, 50).leaked, 0);
	end(&world);
}

static void a_leak_below_much_that_comes_and_goes_is_found(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 100);
	for (uint32_t slice = 0; slice < 100; slice++) {
		note(&world, 50, slice, 20, false);
		note(&world, 50, slice, 19, true);
		keep(&world, 50, slice, 1, 1);
	}
	assert_int_equal(look(&world, 50).leaked, 75);
	end(&world);
}

static void a_few_samples_are_no_proof(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 100);
	for (uint32_t slice = 10; slice < 100; slice += 30) {
		note(&world, 50, slice, 1, false);
		keep(&world, 50, slice, 1, 1);
	}
	assert_int_equal(look(&world, 50).leaked, 0);
	end(&world);
}

static void what_a_process_held_that_ended_early_is_no_leak(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 100);
	for (uint32_t slice = 0; slice < 60; slice++) {
		note(&world, 50, slice, 1, false);
		keep(&world, 50, slice, 1, 7);
	}
	heap_end_image(world.heap, 7, 1007, START_NS + 60 * SLICE_NS);
	struct found found = look(&world, 50);
	assert_int_equal(found.live, 60);
	assert_int_equal(found.leaked, 0);
	end(&world);
}

/* All but image 8 are gone. */
static bool is_eight(uint32_t image, uint32_t pid, void *context)
{
	assert_int_equal(pid, 1000 + image);
	(*(uint32_t *)context)++;
	return image == 8;
}

static void what_ended_long_ago_makes_room_and_is_no_leak(void **state)
{
	struct world world;
	uint32_t asked = 0;

	(void)state;
	begin(&world, 100);
	for (uint32_t slice = 0; slice < 60; slice++) {
		note(&world, 50, slice, 2, false);
		note(&world, 50, slice, 1, true);
		keep(&world, 50, slice, 1, 7);
	}
	assert_int_equal(heap_living(world.heap), 60);
	heap_end_image(world.heap, 7, 1007, START_NS + 60 * SLICE_NS);
	heap_end_image(world.heap, 7, 1007, START_NS + 61 * SLICE_NS);
	heap_end_image(world.heap, 8, 1008, START_NS + 60 * SLICE_NS);
	heap_each_ended(world.heap, is_eight, &asked);
	assert_int_equal(asked, 2);
	/* Who lives on is asked for again, who is gone is not. */
	heap_each_ended(world.heap, is_eight, &asked);
	assert_int_equal(asked, 3);
	struct found found = {.site = 50};
	heap_each_gone(world.heap, &world.blocks, on_row, &found);
	assert_int_equal(found.live, 60);
	assert_int_equal(found.leaked, 0);
	assert_int_equal(heap_living(world.heap), 0);
	end(&world);
}

/* Pieces of time become longer, and the growth of a long window is known all the same. */
static void a_window_may_be_as_long_as_it_likes(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 100000);
	for (uint32_t slice = 0; slice < 100000; slice += 500) {
		note(&world, 50, slice, 1, false);
		keep(&world, 50, slice, 1, 1);
		note(&world, 60, slice, 30, false);
		note(&world, 60, slice, 30, true);
	}
	keep(&world, 60, 100, 5, 1);
	assert_in_range(look(&world, 50).leaked, 148, 151);
	assert_int_equal(look(&world, 60).leaked, 0);
	assert_int_equal(look(&world, 60).live, 5);
	end(&world);
}

static void blocks_of_threads_that_nobody_introduced_are_left_out(void **state)
{
	struct world world;

	(void)state;
	begin(&world, 10);
	keep(&world, 50, 1, 3, 1);
	assert_int_equal(look(&world, 50).rows, 0);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_grows_steadily_is_a_leak_but_for_what_is_young),
		cmocka_unit_test(a_cache_that_was_filled_early_is_no_leak),
		cmocka_unit_test(a_queue_of_constant_length_is_no_leak),
		cmocka_unit_test(a_leak_below_much_that_comes_and_goes_is_found),
		cmocka_unit_test(a_few_samples_are_no_proof),
		cmocka_unit_test(what_a_process_held_that_ended_early_is_no_leak),
		cmocka_unit_test(what_ended_long_ago_makes_room_and_is_no_leak),
		cmocka_unit_test(a_window_may_be_as_long_as_it_likes),
		cmocka_unit_test(blocks_of_threads_that_nobody_introduced_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
