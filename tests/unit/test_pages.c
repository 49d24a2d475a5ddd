// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page tables made by hand, in memory that lies where it says it does: what finds pages of user
 * stacks by them, and what tells by the words there that a stack is the last one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract/walk.h"

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline static __attribute__((noinline))

/* Physical address 0 is address 0. */
static const __u64 direct_base;
static __u32 direct_shift;
/* The page that cannot be loaded from. */
static __u64 fault;
/* Memory that is not there, and has the same word everywhere. */
#define LARGE_AT 0x40000000ULL
#define LARGE_BYTES (1ULL << 30)

static __u64 load_word(__u64 address)
{
	__u64 word;

	if (address >> 12 == fault >> 12)
		return 0;
	if (address - LARGE_AT < LARGE_BYTES)
		return 1;
	memcpy(&word, (const void *)address, sizeof(word));
	return word;
}

static __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

#define opaque(value) __asm__ volatile("" : "+r"(value))

#include "bpf/memo.bpf.h"

#define ENTRIES 512
#define FLAGS (ENTRY_PRESENT | ENTRY_USER)
#define AT 0x7ffd12345000ULL

typedef __u64 table[ENTRIES];

/* From the first to the last; the stack's two pages follow each other for the user only. */
static _Alignas(4096) table tables[TABLE_LEVELS];
static _Alignas(4096) table upper, hole, lower;
static struct walk walk;

static __u64 *entry_in(table where, __u64 at, __u32 shift)
{
	return &where[at >> shift & (ENTRIES - 1)];
}

static __u64 entry_for(const void *memory)
{
	return (uintptr_t)memory | FLAGS;
}

/* `levels` tables on the way to AT, of which the last is for pages. */
static struct pages *map_stack(int levels)
{
	__u32 shift = PAGE_SHIFT + TABLE_SHIFT * (__u32)(levels - 1);
	int first = TABLE_LEVELS - levels;

	memset(tables, 0, sizeof(tables));
	memset(&walk, 0, sizeof(walk));
	for (int i = 0; i < ENTRIES; i++)
		lower[i] = upper[i] = 0x5500000000ULL + (__u64)i * 977;
	fault = ~0ULL;
	direct_shift = shift;
	for (int i = first; i < TABLE_LEVELS - 1; i++, shift -= TABLE_SHIFT)
		*entry_in(tables[i], AT, shift) = entry_for(tables[i + 1]);
	*entry_in(tables[TABLE_LEVELS - 1], AT, PAGE_SHIFT) = entry_for(lower);
	*entry_in(tables[TABLE_LEVELS - 1], AT + PAGE_BYTES, PAGE_SHIFT) = entry_for(upper);
	walk.pages.root = (uintptr_t)tables[first];
	return &walk.pages;
}

static __u64 *last_entry(void)
{
	return entry_in(tables[TABLE_LEVELS - 1], AT, PAGE_SHIFT);
}

static void a_page_is_found_through_four_and_five_levels(void **state)
{
	(void)state;
	for (int levels = 4; levels <= 5; levels++) {
		struct pages *pages = map_stack(levels);

		assert_int_equal(find_page(pages, AT + 0x123), 0);
		assert_int_equal(pages->at, AT);
		assert_int_equal(pages->to, (uintptr_t)lower);
		assert_int_equal(find_page(pages, AT + PAGE_BYTES), 0);
		assert_int_equal(pages->to, (uintptr_t)upper);
		assert_int_equal(pages->has_moved, 0);
	}
}

static void a_neighbour_of_a_found_page_needs_the_last_table_only(void **state)
{
	struct pages *pages = map_stack(4);

	(void)state;
	assert_int_equal(find_page(pages, AT), 0);
	fault = (uintptr_t)tables[1];
	assert_int_equal(find_page(pages, AT + PAGE_BYTES), 0);
	/* Another region is another table's. */
	assert_int_equal(find_page(pages, AT + (1ULL << REGION_SHIFT)), 1);
	assert_int_equal(pages->to, 0);
}

static void a_page_that_is_not_there_is_not_found(void **state)
{
	const __u64 entries[] = {0, (uintptr_t)lower | ENTRY_USER, (uintptr_t)lower | ENTRY_PRESENT,
		(uintptr_t)lower | FLAGS | ENTRY_SPECIAL};

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		struct pages *pages = map_stack(4);

		*last_entry() = entries[i];
		assert_int_equal(find_page(pages, AT), 1);
		assert_int_equal(pages->to, 0);
	}
	for (int i = 1; i < TABLE_LEVELS; i++) {
		struct pages *pages = map_stack(4);

		fault = (uintptr_t)tables[i];
		assert_int_equal(find_page(pages, AT), 1);
	}
}

static void a_page_without_a_word_to_show_is_not_believed(void **state)
{
	struct pages *pages = map_stack(4);

	(void)state;
	fault = (uintptr_t)lower;
	assert_int_equal(find_page(pages, AT + 16), 1);
	fault = ~0ULL;
	lower[2] = 0;
	assert_int_equal(find_page(pages, AT + 16), 0);
	lower[3] = 0;
	assert_int_equal(find_page(pages, AT + 16), 1);
	assert_int_equal(pages->to, 0);
}

static void an_address_that_is_no_users_is_not_found(void **state)
{
	(void)state;
	for (int levels = 4; levels <= 5; levels++) {
		struct pages *pages = map_stack(levels);

		assert_int_equal(find_page(pages, AT | 1ULL << 60), 1);
		assert_int_equal(find_page(pages, AT | 0xffffULL << 48), 1);
		*entry_in(tables[TABLE_LEVELS - levels], ~0ULL, direct_shift) =
			*entry_in(tables[TABLE_LEVELS - levels], AT, direct_shift);
		assert_int_equal(find_page(pages, AT | ~0ULL << direct_shift), 1);
	}
}

static void large_pages_are_found(void **state)
{
	(void)state;
	for (__u32 shift = REGION_SHIFT; shift <= 30; shift += TABLE_SHIFT) {
		struct pages *pages = map_stack(4);
		table *where = &tables[shift == REGION_SHIFT ? 3 : 2];

		/* Bit 12 of these says something else. */
		*entry_in(*where, AT, shift) = LARGE_AT | FLAGS | ENTRY_LARGE | 1ULL << 12;
		assert_int_equal(find_page(pages, AT), 0);
		assert_int_equal(pages->to, LARGE_AT + (AT & ((1ULL << shift) - 1)));
		assert_int_equal(find_page(pages, AT + PAGE_BYTES), 0);
		assert_int_equal(pages->to, LARGE_AT + PAGE_BYTES + (AT & ((1ULL << shift) - 1)));
	}
}

static void a_page_that_is_taken_away_meanwhile_shows(void **state)
{
	struct pages *pages = map_stack(4);

	(void)state;
	assert_int_equal(find_page(pages, AT), 0);
	/* It was read and written: that does not count. */
	*last_entry() |= 0x60;
	check_page(pages);
	assert_int_equal(pages->has_moved, 0);
	*last_entry() = entry_for(hole);
	assert_int_equal(find_page(pages, AT + PAGE_BYTES), 0);
	assert_int_equal(pages->has_moved, 1);
}

/* A walk over both pages, by return addresses and one saved frame pointer. */
static struct memo keep_walk(void)
{
	struct memo memo;

	map_stack(4);
	walk.pc = 0x401234;
	walk.sp = AT + 0x100;
	walk.first_sp = walk.sp;
	walk.fp = 7;
	walk.steps_of = 99;
	walk.image = 3;
	memo_begin(&walk);
	memo_note(&walk, AT + 0x118, lower[0x118 / 8], ~0ULL);
	walk.fp_from = AT + 0x200;
	memo_note_fp(&walk, lower[0x200 / 8], ~0ULL);
	memo_note_fp(&walk, lower[0x200 / 8], ~0ULL);
	memo_note(&walk, AT + PAGE_BYTES + 8, upper[1], ~0ULL);
	assert_true(memo_is_whole(&walk));
	memo_keep(&memo, &walk, walk.pc, walk.fp, 12345);
	assert_int_equal(memo.count, 3);
	return memo;
}

static void the_same_stack_is_recalled(void **state)
{
	struct memo memo = keep_walk();

	(void)state;
	assert_true(memo_is_of(&walk, &memo));
	/* What the walk did not go by may be anything. */
	lower[0x120 / 8] = 1;
	walk.fp = 8;
	assert_true(memo_is_of(&walk, &memo));
	memo.uses_fp = 1;
	assert_false(memo_is_of(&walk, &memo));
}

static void another_word_is_another_stack(void **state)
{
	const struct memo memo = keep_walk();
	__u64 *words[] = {&lower[0x118 / 8], &lower[0x200 / 8], &upper[1]};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		*words[i] += 1;
		assert_false(memo_is_of(&walk, &memo));
		*words[i] -= 1;
		assert_true(memo_is_of(&walk, &memo));
	}
	/* What cannot be loaded. */
	fault = (uintptr_t)upper;
	assert_false(memo_is_of(&walk, &memo));
	fault = ~0ULL;
	*last_entry() = 0;
	assert_false(memo_is_of(&walk, &memo));
}

static void other_registers_or_tables_are_another_stack(void **state)
{
	const struct memo memo = keep_walk();
	__u64 *words[] = {&walk.pc, &walk.sp, &walk.steps_of};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		*words[i] += 8;
		assert_false(memo_is_of(&walk, &memo));
		*words[i] -= 8;
	}
	walk.image++;
	assert_false(memo_is_of(&walk, &memo));
}

static void a_walk_with_more_than_fits_is_not_kept(void **state)
{
	(void)state;
	keep_walk();
	memo_note(&walk, walk.first_sp + (1ULL << 19), 1, ~0ULL);
	assert_false(memo_is_whole(&walk));
	keep_walk();
	for (int i = 0; i < MEMO_WORDS - 3; i++)
		memo_note(&walk, AT + 0x200, 1, ~0ULL);
	assert_true(memo_is_whole(&walk));
	memo_note(&walk, AT + 0x200, 1, ~0ULL);
	assert_false(memo_is_whole(&walk));
	/* Nor can words be told that lie below the stack pointer, or between its words. */
	keep_walk();
	memo_note(&walk, walk.first_sp + 12, 1, ~0ULL);
	assert_false(memo_is_whole(&walk));
	keep_walk();
	memo_note(&walk, walk.first_sp - 8, 1, ~0ULL);
	assert_false(memo_is_whole(&walk));
	/* A walk without kept steps notes nothing. */
	keep_walk();
	walk.steps_of = 0;
	assert_false(memo_is_whole(&walk));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_is_found_through_four_and_five_levels),
		cmocka_unit_test(a_neighbour_of_a_found_page_needs_the_last_table_only),
		cmocka_unit_test(a_page_that_is_not_there_is_not_found),
		cmocka_unit_test(a_page_without_a_word_to_show_is_not_believed),
		cmocka_unit_test(an_address_that_is_no_users_is_not_found),
		cmocka_unit_test(large_pages_are_found),
		cmocka_unit_test(a_page_that_is_taken_away_meanwhile_shows),
		cmocka_unit_test(the_same_stack_is_recalled),
		cmocka_unit_test(another_word_is_another_stack),
		cmocka_unit_test(other_registers_or_tables_are_another_stack),
		cmocka_unit_test(a_walk_with_more_than_fits_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
