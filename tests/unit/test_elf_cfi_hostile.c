// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call frame information that is wrong on purpose, or more than the tables hold: it spoils itself
 * only, has an end in time, or is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <time.h>

#include "cfi_sample.h"
#include "elf/cfi/cfi_pack.h"

static void instructions_that_make_no_sense_spoil_their_function_only(void **state)
{
	const struct {
		const unsigned char *program;
		size_t count;
	} bad[] = {
		{B(0x41, 0x0e, 16, 0x41, 0x3f)}, /* unknown */
		{B(0x41, 0x0e)},                 /* cut short */
		{B(0x0b)},                       /* nothing was remembered */
		{B(0x01, 0, 0x80, 0x80, 0xff)},  /* backwards */
		{B(0x1d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)}, /* around the world */
		{B(0x0f, 0x80, 0x80, 0x80, 0x80, 0x08)}, /* an expression of 2 GiB */
		{B(0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
			0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00)}, /* a number without end */
	};
	unsigned char nested[64];
	struct cfi_table table;

	(void)state;
	memset(nested, 0x0a, sizeof(nested));
	for (size_t i = 0; i <= ARRAY_SIZE(bad); i++) {
		struct sample sample = {0};
		bool is_nested = i == ARRAY_SIZE(bad);
		sample_cie(&sample, "zR", CIE_USUAL);
		sample_fde(&sample, TEXT, 0x10, B(0x0e, 16));
		sample_fde(&sample, TEXT + 0x10, 0x10, is_nested ? nested : bad[i].program,
			is_nested ? sizeof(nested) : bad[i].count);
		sample_fde(&sample, TEXT + 0x20, 0x10, B(0x0e, 24));
		assert_int_equal(sample_read(&sample, &table), 0);
		assert_true(cfi_table_is_sound(&table));
		check_rule(cfi_table_find(&table, TEXT + 0xf), SP, 16, SAME, 0);
		check_kind(&table, TEXT + 0x10, UNWIND_CFA_BAD);
		check_kind(&table, TEXT + 0x1f, UNWIND_CFA_BAD);
		check_rule(cfi_table_find(&table, TEXT + 0x20), SP, 24, SAME, 0);
		assert_int_equal(table.counts.skipped, 1);
		cfi_table_clear(&table);
		sample_clear(&sample);
	}
}

static void a_cie_that_is_none_is_counted_and_skipped(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	sample_fde(&sample, TEXT, 0x10, B(0x0e, 16));
	size_t good = sample.cie;
	/* FDEs whose CIE is the FDE before, or they themselves. */
	sample.cie = sample.bytes.count;
	sample_fde(&sample, TEXT + 0x10, 0x10, B(0));
	sample_fde(&sample, TEXT + 0x20, 0x10, B(0));
	/* A CIE that moves the location, and one of endless instructions. */
	sample_cie(&sample, "zR", B(0x41));
	sample_fde(&sample, TEXT + 0x30, 0x10, B(0));
	unsigned char nops[300] = {0};
	sample_cie(&sample, "zR", nops, sizeof(nops));
	sample_fde(&sample, TEXT + 0x40, 0x10, B(0));
	sample.cie = good;
	sample_fde(&sample, TEXT + 0x50, 0x10, B(0x0e, 24));
	assert_int_equal(sample_read(&sample, &table), 0);
	assert_int_equal(table.counts.skipped, 4);
	assert_int_equal(table.counts.fdes, 2);
	check_kind(&table, TEXT + 0x10, UNWIND_CFA_GAP);
	check_rule(cfi_table_find(&table, TEXT + 0x50), SP, 24, SAME, 0);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void nothing_usable_is_an_error(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	assert_int_equal(sample_read(&sample, &table), -ENOENT);
	sample_cie(&sample, "zR", CIE_USUAL);
	assert_int_equal(sample_read(&sample, &table), -ENOENT);
	sample_fde(&sample, TEXT_END, 0x10, B(0));
	assert_int_equal(sample_read(&sample, &table), -ENOENT);
	sample_cie(&sample, "eh", CIE_USUAL);
	sample_fde(&sample, TEXT, 0x10, B(0));
	assert_int_equal(sample_read(&sample, &table), -EBADMSG);
	sample_clear(&sample);
}

static void a_huge_span_of_text_is_refused(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;
	uint64_t most = (uint64_t)UNWIND_MAX_PAGES * UNWIND_PAGE_BYTES;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	sample_fde(&sample, TEXT, 0x10, B(0));
	assert_int_equal(sample_read_in(&sample, TEXT, TEXT + most + 1, 0, &table), -E2BIG);
	assert_int_equal(sample_read_in(&sample, 1, UINT64_MAX, 0, &table), -E2BIG);
	assert_int_equal(sample_read_in(&sample, TEXT, TEXT + most, 0, &table), 0);
	assert_true(cfi_table_is_sound(&table));
	cfi_table_clear(&table);
	sample_clear(&sample);
}

/* One function of so many rows, a byte each; offsets go up to `offsets` and start again. */
static void make_rows(struct sample *sample, uint32_t rows, uint32_t offsets)
{
	VEC(unsigned char) program = {0};

	for (uint32_t i = 0; i < rows; i++) {
		uint32_t offset = i % offsets + 8;
		const unsigned char row[] = {0x41, 0x0e, 0x80 | (offset & 0x7f),
			0x80 | (offset >> 7 & 0x7f), offset >> 14 & 0x7f};
		vec_append(&program, row, sizeof(row));
	}
	sample_cie(sample, "zR", CIE_USUAL);
	sample_fde(sample, TEXT, rows + 1, program.at, program.count);
	vec_clear(&program);
}

static void too_many_rows_are_refused(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	make_rows(&sample, UNWIND_MAX_ROWS + 1, 2);
	assert_int_equal(
		sample_read_in(&sample, TEXT, TEXT + 2 * UNWIND_MAX_ROWS, 0, &table), -E2BIG);
	sample_clear(&sample);
}

static void a_page_can_be_full_of_rows(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	make_rows(&sample, 3 * UNWIND_PAGE_BYTES, 100);
	assert_int_equal(sample_read(&sample, &table), 0);
	assert_true(cfi_table_is_sound(&table));
	assert_int_equal(table.pages[2] - table.pages[1], UNWIND_PAGE_BYTES);
	for (uint32_t i = 1; i < 3 * UNWIND_PAGE_BYTES; i++)
		check_rule(cfi_table_find(&table, TEXT + i), SP, (int32_t)((i - 1) % 100 + 8), SAME,
			0);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void rules_beyond_the_limit_are_bad(void **state)
{
	enum { RULES = UNWIND_MAX_OBJECT_RULES + 1000 };
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	make_rows(&sample, RULES, RULES);
	assert_int_equal(sample_read(&sample, &table), 0);
	assert_true(cfi_table_is_sound(&table));
	assert_int_equal(table.rule_count, UNWIND_MAX_OBJECT_RULES);
	check_rule(cfi_table_find(&table, TEXT + 100), SP, 107, SAME, 0);
	check_kind(&table, TEXT + RULES, UNWIND_CFA_BAD);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Inside a record that is skipped: a CIE whose letters, or whose instructions, have no end. */
static size_t add_endless_cie(struct sample *sample, bool has_letters)
{
	enum { BYTES = 1 << 20 };
	const unsigned char usual[] = {'z', 'R', 0, 1, 0x78, 16, 1, 0x1b};
	size_t at = sample_begin(sample, 0);

	sample_add(sample, 1, 1);
	if (!has_letters)
		vec_append(&sample->bytes, usual, sizeof(usual));
	for (int i = 0; i < BYTES; i++)
		sample_add(sample, has_letters ? 'z' : 0, 1);
	sample_add(sample, 0, 1);
	sample_end(sample, at);
	return at;
}

/* FDEs that take turns with two CIEs, so that it does not help to keep the last one. */
static void check_time_of_endless_cies(bool has_letters)
{
	enum { FDES = 100000 };
	struct sample sample = {0};
	struct cfi_table table;
	size_t cies[2], around;
	double start_s;

	around = sample_begin(&sample, 0);
	sample_add(&sample, 99, 4);
	for (int i = 0; i < 2; i++)
		cies[i] = add_endless_cie(&sample, has_letters);
	sample_end(&sample, around);
	for (uint32_t i = 0; i < FDES; i++) {
		sample.cie = cies[i % 2];
		sample_fde(&sample, TEXT + i % 60000, 1, B(0));
	}
	start_s = cpu_s();
	assert_int_equal(sample_read(&sample, &table), -EBADMSG);
	assert_true(cpu_s() - start_s < 5);
	sample_clear(&sample);
}

static void records_that_share_their_bytes_do_not_cost_the_square(void **state)
{
	(void)state;
	check_time_of_endless_cies(true);
	check_time_of_endless_cies(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_that_make_no_sense_spoil_their_function_only),
		cmocka_unit_test(a_cie_that_is_none_is_counted_and_skipped),
		cmocka_unit_test(nothing_usable_is_an_error),
		cmocka_unit_test(a_huge_span_of_text_is_refused),
		cmocka_unit_test(too_many_rows_are_refused),
		cmocka_unit_test(a_page_can_be_full_of_rows),
		cmocka_unit_test(rules_beyond_the_limit_are_bad),
		cmocka_unit_test(records_that_share_their_bytes_do_not_cost_the_square),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
