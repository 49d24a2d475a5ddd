// SPDX-License-Identifier: GPL-2.0-or-later
/* The time of waits without stacks is shared out among those that were chosen to stand for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/spread.h"
#include "util/mem.h"

#define HOPS 2
#define WAIT_BYTES (offsetof(struct wait_sum, shares) + (HOPS + 1) * sizeof(struct share))

static struct sum_key key_of(uint32_t thread, uint8_t band, uint64_t stack, bool is_chosen)
{
	return (struct sum_key){.kernel_stack = stack,
		.user_stack = stack,
		.thread = thread,
		.slice_first = 3,
		.slice_last = 3,
		.state = TIME_BLOCKED,
		.task_letter = 'S',
		.band = band,
		.is_chosen = is_chosen};
}

static void add(kernel_rows *rows, struct sum_key key, uint64_t count, uint64_t ns)
{
	struct kernel_row row = {.key = key,
		.sum = {.count = count, .ns = ns, .max_ns = ns / count, .first_ns = ns}};

	vec_push(rows, row);
}

static void add_wait(kernel_waits *waits, struct sum_key key, uint64_t count, uint64_t ns)
{
	uint64_t bytes = WAIT_BYTES;
	struct wait_sum row = {.sum = {.count = count, .ns = ns, .max_ns = ns, .first_ns = ns}};

	row.shares[0] = (struct share){.ran_ns = ns / 7, .no_cpu_ns = ns / 11};
	row.shares[1] = (struct share){.ran_ns = ns / 3, .earlier_ns = ns / 13};
	row.shares[2].ran_ns = ns - ns / 7 - ns / 11 - ns / 3 - ns / 13;
	vec_append(waits, (const char *)&bytes, sizeof(bytes));
	vec_append(waits, (const char *)&key, sizeof(key));
	vec_append(waits, (const char *)&row, bytes);
}

static uint64_t shares_of(const struct kernel_wait *wait)
{
	uint64_t sum = 0;

	for (size_t i = 0; i <= HOPS; i++)
		sum += wait->row.shares[i].ran_ns + wait->row.shares[i].no_cpu_ns +
		       wait->row.shares[i].earlier_ns;
	return sum;
}

static void time_goes_to_those_of_its_kind_in_proportion(void **context)
{
	kernel_rows rows = {0};
	kernel_waits waits = {0};

	(void)context;
	add(&rows, key_of(1, 2, STACK_THINNED, false), 900, 9000001);
	add(&rows, key_of(1, 2, 100, true), 30, 300000);
	add(&rows, key_of(1, 2, 101, true), 10, 100000);
	/* Of another thread, another length, and not by chance. */
	add(&rows, key_of(2, 2, 102, true), 10, 100000);
	add(&rows, key_of(1, 3, 103, true), 10, 1000000);
	add(&rows, key_of(1, 2, 104, false), 10, 100000);
	assert_int_equal(spread_thinned(&rows, &waits), 0);
	assert_int_equal(rows.at[0].sum.count, 0);
	assert_int_equal(rows.at[0].sum.ns, 0);
	assert_int_equal(rows.at[1].sum.count, 30 + 675);
	assert_int_equal(rows.at[2].sum.count, 10 + 225);
	assert_int_equal(rows.at[1].sum.ns, 300000 + 6750000);
	assert_int_equal(rows.at[2].sum.ns, 100000 + 2250001);
	assert_int_equal(rows.at[2].sum.first_ns, rows.at[2].sum.ns);
	assert_int_equal(rows.at[3].sum.ns, 100000);
	assert_int_equal(rows.at[4].sum.ns, 1000000);
	assert_int_equal(rows.at[5].sum.ns, 100000);
	vec_clear(&rows);
}

static void chains_take_their_part_and_still_add_up(void **context)
{
	kernel_rows rows = {0};
	kernel_waits waits = {0};
	struct sum_key part = key_of(1, 2, 200, true);
	struct kernel_wait wait;
	uint64_t ns = 0, count = 0;
	size_t offset = 0;

	(void)context;
	part.is_part = true;
	add(&rows, key_of(1, 2, STACK_THINNED, false), 12345, 987654321);
	add(&rows, key_of(1, 2, 201, true), 3, 40003);
	add_wait(&waits, part, 7, 70001);
	add_wait(&waits, key_of(1, 2, 202, true), 7, 10007);
	assert_int_equal(spread_thinned(&rows, &waits), 0);
	ns = rows.at[1].sum.ns;
	count = rows.at[1].sum.count;
	while (kernel_next_wait(&waits, &offset, &wait)) {
		ns += wait.row.sum.ns;
		count += wait.key.is_part ? 0 : wait.row.sum.count;
		assert_int_equal(shares_of(&wait), wait.row.sum.ns);
		if (wait.key.is_part)
			assert_int_equal(wait.row.sum.count, 7);
	}
	assert_int_equal(ns, 987654321 + 40003 + 70001 + 10007);
	assert_int_equal(count, 12345 + 3 + 7);
	vec_clear(&rows);
	vec_clear(&waits);
}

static void what_nobody_stands_for_stays_as_it_is(void **context)
{
	kernel_rows rows = {0};
	kernel_waits waits = {0};
	struct sum_key across = key_of(1, 2, STACK_THINNED, false);

	(void)context;
	across.slice_last = 4;
	add(&rows, key_of(1, 5, STACK_THINNED, false), 2, 900);
	add(&rows, across, 1, 77);
	add(&rows, key_of(1, 2, 100, true), 30, 300000);
	assert_int_equal(spread_thinned(&rows, &waits), 977);
	assert_int_equal(rows.at[0].sum.ns, 900);
	assert_int_equal(rows.at[1].sum.ns, 77);
	assert_int_equal(rows.at[2].sum.ns, 300000);
	vec_clear(&rows);
}

static void joined_batches_are_one(void **context)
{
	kernel_rows rows = {0};
	kernel_waits waits = {0};

	(void)context;
	add(&rows, key_of(1, 2, STACK_THINNED, false), 5, 500);
	add(&rows, key_of(1, 2, STACK_THINNED, false), 5, 501);
	add(&rows, key_of(1, 2, 100, true), 1, 100);
	assert_int_equal(spread_thinned(&rows, &waits), 0);
	assert_int_equal(rows.at[0].sum.ns + rows.at[1].sum.ns, 0);
	assert_int_equal(rows.at[2].sum.ns, 1101);
	assert_int_equal(rows.at[2].sum.count, 11);
	vec_clear(&rows);
}

/* Many kinds at once, of chance: nothing is gained or lost in any. */
static void sums_of_every_kind_stay_exact(void **context)
{
	enum { THREADS = 40, BANDS = 7, ROWS = 5000 };
	kernel_rows rows = {0};
	kernel_waits waits = {0};
	static uint64_t before[THREADS][BANDS], after[THREADS][BANDS];
	struct kernel_wait wait;
	unsigned int seed = 7;
	size_t offset = 0;

	(void)context;
	for (int i = 0; i < ROWS; i++) {
		uint32_t thread = (uint32_t)rand_r(&seed) % THREADS;
		uint8_t band = (uint8_t)(rand_r(&seed) % BANDS);
		uint64_t ns = 1 + (uint64_t)rand_r(&seed) % 1000000000,
			 count = 1 + (uint64_t)rand_r(&seed) % 1000;
		int how = rand_r(&seed) % 4;
		before[thread][band] += ns;
		if (how == 0)
			add(&rows, key_of(thread, band, STACK_THINNED, false), count, ns);
		else if (how == 1)
			add_wait(&waits, key_of(thread, band, 300 + (uint64_t)i, true), count, ns);
		else
			add(&rows, key_of(thread, band, 300 + (uint64_t)i, how == 2), count, ns);
	}
	spread_thinned(&rows, &waits);
	vec_each (row, &rows)
		after[row->key.thread][row->key.band] += row->sum.ns;
	while (kernel_next_wait(&waits, &offset, &wait)) {
		after[wait.key.thread][wait.key.band] += wait.row.sum.ns;
		assert_int_equal(shares_of(&wait), wait.row.sum.ns);
	}
	assert_memory_equal(before, after, sizeof(before));
	vec_clear(&rows);
	vec_clear(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_goes_to_those_of_its_kind_in_proportion),
		cmocka_unit_test(chains_take_their_part_and_still_add_up),
		cmocka_unit_test(what_nobody_stands_for_stays_as_it_is),
		cmocka_unit_test(joined_batches_are_one),
		cmocka_unit_test(sums_of_every_kind_stay_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
