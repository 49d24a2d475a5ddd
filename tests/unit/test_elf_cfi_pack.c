// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A packed unwind table is not believed because its checksum is right: every number that the kernel
 * side would use is checked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "cfi_sample.h"
#include "elf/cfi/cfi_pack.h"

/* Packs the table as it is now, checksum and all, and expects that it is refused. */
static void check_refused(const struct cfi_table *table)
{
	struct cfi_table back;
	size_t count;
	void *packed = cfi_pack(table, 1, &count);

	assert_false(cfi_table_is_sound(table));
	assert_int_equal(cfi_unpack(packed, count, 1, &back), -EBADMSG);
	free(packed);
}

#define CHECK_WRONG(place, value)                                                                  \
	do {                                                                                       \
		__typeof__(place) was_ = (place);                                                  \
		(place) = (value);                                                                 \
		check_refused(&table);                                                             \
		(place) = was_;                                                                    \
		assert_true(cfi_table_is_sound(&table));                                           \
	} while (0)

static void no_number_is_believed_because_the_checksum_is_right(void **state)
{
	struct cfi_table table = make_table();

	(void)state;
	CHECK_WRONG(table.rules[1].cfa_kind, UNWIND_CFA_KINDS);
	CHECK_WRONG(table.rules[1].fp_kind, UNWIND_FP_KINDS);
	CHECK_WRONG(table.rules[0].cfa_kind, UNWIND_CFA_SP);
	CHECK_WRONG(table.rows[0], table.rule_count);
	CHECK_WRONG(table.rows[0], UNWIND_ROW(0, 0xffff));
	CHECK_WRONG(table.rows[3], UNWIND_ROW(UNWIND_ROW_ADDRESS(table.rows[3]), table.rule_count));
	CHECK_WRONG(table.rows[3], table.rows[2]);
	CHECK_WRONG(table.rows[3], table.rows[1]);
	CHECK_WRONG(table.rows[3], 0x1000U << 16);
	CHECK_WRONG(table.rows[table.row_count - 1], UINT32_MAX);
	CHECK_WRONG(table.pages[0], 0);
	CHECK_WRONG(table.pages[0], 2);
	CHECK_WRONG(table.pages[1], UINT32_MAX);
	CHECK_WRONG(table.pages[2], table.pages[1] - 1);
	CHECK_WRONG(table.pages[table.page_count], table.row_count + 1);
	CHECK_WRONG(table.pages[table.page_count], table.row_count - 1);
	CHECK_WRONG(table.first_page, 1);
	CHECK_WRONG(table.first_page, UINT64_MAX - 4095);
	cfi_table_clear(&table);
}

static void counts_of_a_header_are_bounded(void **state)
{
	struct cfi_table table = make_table(), back;
	size_t count;
	unsigned char *packed = cfi_pack(&table, 1, &count);
	const uint32_t values[] = {0, 1, 1U << 20, INT32_MAX, UINT32_MAX};

	(void)state;
	/* Rows, pages and rules follow magic and version. */
	for (size_t field = 12; field <= 20; field += 4)
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			uint32_t was;
			memcpy(&was, packed + field, 4);
			memcpy(packed + field, &values[i], 4);
			assert_int_equal(cfi_unpack(packed, count, 1, &back), -EBADMSG);
			memcpy(packed + field, &was, 4);
		}
	assert_int_equal(cfi_unpack(packed, count, 1, &back), 0);
	cfi_table_clear(&back);
	free(packed);
	cfi_table_clear(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_number_is_believed_because_the_checksum_is_right),
		cmocka_unit_test(counts_of_a_header_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
