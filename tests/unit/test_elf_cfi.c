// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables of call frame information made by hand: every instruction, every expression that is
 * followed, and what holds between functions. That real files are read rightly is the business of
 * tests/e2e/unwind_tables_agree_with_readelf.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cfi_sample.h"
#include "elf/cfi/cfi_pack.h"
#include "elf/file.h"
#include "symbol/vdso.h"

/* As in the dynamic linker: push %rbx; mov %rsp,%rbx; ...; and a function that saves rbx. */
static void rbx_is_followed_where_a_frame_is_kept_in_it(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	sample_fde(&sample, TEXT, 0x100, B(0x41, 0x0e, 16, 0x83, 2, 0x43, 0x0d, 3));
	sample_fde(&sample, TEXT + 0x100, 0x100, B(0x42, 0x0e, 24, 0x83, 3));
	assert_int_equal(sample_read(&sample, &table), 0);
	check_rule(cfi_table_find(&table, TEXT), UNWIND_CFA_SP_BX, UNWIND_DEREF_OFFSET(8, 0),
		UNWIND_FP_SAME, 0);
	check_rule(cfi_table_find(&table, TEXT + 1), UNWIND_CFA_SP_BX, UNWIND_DEREF_OFFSET(16, -16),
		UNWIND_FP_SAME, 0);
	check_rule(cfi_table_find(&table, TEXT + 4), UNWIND_CFA_BX, UNWIND_DEREF_OFFSET(16, -16),
		UNWIND_FP_SAME, 0);
	check_rule(cfi_table_find(&table, TEXT + 0x102), UNWIND_CFA_SP_BX,
		UNWIND_DEREF_OFFSET(24, -24), UNWIND_FP_SAME, 0);
	assert_int_equal(table.counts.fdes, 2);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void a_row_holds_until_the_next_one(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	/* push %rbp; mov %rsp,%rbp; ...; pop %rbp; ret */
	sample_fde(&sample, TEXT, 0x2000,
		B(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x03, 0x10, 0x12, 0x0c, 7, 8));
	assert_int_equal(sample_read(&sample, &table), 0);
	check_rule(cfi_table_find(&table, TEXT), UNWIND_CFA_SP, 8, UNWIND_FP_SAME, 0);
	check_rule(cfi_table_find(&table, TEXT + 1), UNWIND_CFA_SP, 16, UNWIND_FP_AT_CFA, -16);
	check_rule(cfi_table_find(&table, TEXT + 3), UNWIND_CFA_SP, 16, UNWIND_FP_AT_CFA, -16);
	check_rule(cfi_table_find(&table, TEXT + 4), UNWIND_CFA_FP, 16, UNWIND_FP_AT_CFA, -16);
	check_rule(cfi_table_find(&table, TEXT + 0x1213), UNWIND_CFA_FP, 16, UNWIND_FP_AT_CFA, -16);
	check_rule(cfi_table_find(&table, TEXT + 0x1214), UNWIND_CFA_SP, 8, UNWIND_FP_AT_CFA, -16);
	check_rule(cfi_table_find(&table, TEXT + 0x1fff), UNWIND_CFA_SP, 8, UNWIND_FP_AT_CFA, -16);
	assert_int_equal(table.first_page, TEXT);
	assert_int_equal(table.page_count, 16);
	assert_int_equal(table.pages[0], 1);
	assert_int_equal(table.pages[1], 4);
	assert_int_equal(table.pages[2], 5);
	/* Behind the function is a hole; beyond the text there is nothing. */
	check_kind(&table, TEXT + 0x2000, UNWIND_CFA_FRAMEPTR);
	check_kind(&table, TEXT_END, UNWIND_CFA_GAP);
	check_kind(&table, TEXT - 1, UNWIND_CFA_GAP);
	check_kind(&table, 0, UNWIND_CFA_GAP);
	check_kind(&table, UINT64_MAX, UNWIND_CFA_GAP);
	assert_int_equal(table.row_count, 6);
	assert_true(cfi_table_is_sound(&table));
	cfi_table_clear(&table);
	sample_clear(&sample);
}

/* A function of one instruction, after which the program holds. */
static void check_program(const unsigned char *program, size_t count, enum unwind_cfa cfa,
	int32_t cfa_offset, enum unwind_fp fp, int16_t fp_offset)
{
	struct sample sample = {0};
	struct cfi_table table;

	sample_cie(&sample, "zR", CIE_USUAL);
	sample_fde(&sample, TEXT, TEXT_END - TEXT, program, count);
	assert_int_equal(sample_read(&sample, &table), 0);
	assert_true(cfi_table_is_sound(&table));
	check_rule(cfi_table_find(&table, TEXT_END - 1), cfa, cfa_offset, fp, fp_offset);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

#define AT_CFA UNWIND_FP_AT_CFA
#define BAD UNWIND_CFA_BAD, 0, UNWIND_FP_SAME, 0

static void every_instruction_has_its_effect(void **state)
{
	(void)state;
	/* nop; advance_loc, 1, 2, 4, 8 bytes wide */
	check_program(B(0x00, 0x0e, 24), SP, 24, SAME, 0);
	check_program(B(0x7f, 0x0e, 24), SP, 24, SAME, 0);
	check_program(B(0x02, 0xff, 0x0e, 24), SP, 24, SAME, 0);
	check_program(B(0x03, 0xff, 0xff - 1, 0x0e, 24), SP, 24, SAME, 0);
	check_program(B(0x04, 0xff, 0x0f, 0, 0, 0x0e, 24), SP, 24, SAME, 0);
	check_program(B(0x1d, 0xff, 0x0f, 0, 0, 0, 0, 0, 0, 0x0e, 24), SP, 24, SAME, 0);
	/* offset_extended, _sf, GNU_negative_offset_extended; of rbx, which is not followed */
	check_program(B(0x05, 6, 3), SP, 8, AT_CFA, -24);
	check_program(B(0x11, 6, 3), SP, 8, AT_CFA, -24);
	check_program(B(0x11, 6, 0x7d), SP, 8, AT_CFA, 24);
	check_program(B(0x2f, 6, 3), SP, 8, AT_CFA, 24);
	check_program(B(0x83, 3), SP, 8, SAME, 0);
	/* restore, restore_extended: to what the CIE says */
	check_program(B(0x86, 2, 0xc6), SP, 8, SAME, 0);
	check_program(B(0x86, 2, 0x06, 6), SP, 8, SAME, 0);
	check_program(B(0x07, 16, 0xd0), SP, 8, SAME, 0);
	/* undefined, same_value, register */
	check_program(B(0x07, 6), SP, 8, UNWIND_FP_LOST, 0);
	check_program(B(0x86, 2, 0x08, 6), SP, 8, SAME, 0);
	check_program(B(0x09, 6, 3), SP, 8, UNWIND_FP_LOST, 0);
	/* remember_state, restore_state: with the CFA */
	check_program(B(0x0a, 0x0e, 24, 0x86, 2, 0x0b), SP, 8, SAME, 0);
	/* def_cfa, _sf, _register, _offset, _offset_sf */
	check_program(B(0x0c, 6, 16), UNWIND_CFA_FP, 16, SAME, 0);
	check_program(B(0x12, 6, 0x7e), UNWIND_CFA_FP, 16, SAME, 0);
	check_program(B(0x0d, 6), UNWIND_CFA_FP, 8, SAME, 0);
	check_program(B(0x0e, 0x80, 0x82, 0x20), SP, 524544, SAME, 0);
	check_program(B(0x13, 0x7e), SP, 16, SAME, 0);
	/* val_offset, val_offset_sf, val_expression: no place in memory */
	check_program(B(0x14, 6, 2), SP, 8, UNWIND_FP_LOST, 0);
	check_program(B(0x15, 6, 2), SP, 8, UNWIND_FP_LOST, 0);
	check_program(B(0x16, 6, 2, 0x76, 0), SP, 8, UNWIND_FP_LOST, 0);
	/* GNU_args_size says nothing about frames */
	check_program(B(0x2e, 32, 0x0e, 16), SP, 16, SAME, 0);
}

static void set_loc_names_the_address_itself(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	size_t place = sample.bytes.count + 4 + 4 + 4 + 4 + 1 + 1;
	uint32_t to = TEXT + 0x123 - (uint32_t)(SAMPLE_VADDR + place);
	sample_fde(&sample, TEXT, 0x200,
		B(0x01, to & 0xff, to >> 8 & 0xff, to >> 16 & 0xff, to >> 24, 0x0e, 16));
	assert_int_equal(sample_read(&sample, &table), 0);
	check_rule(cfi_table_find(&table, TEXT + 0x122), SP, 8, SAME, 0);
	check_rule(cfi_table_find(&table, TEXT + 0x123), SP, 16, SAME, 0);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void expressions_of_compilers_and_linkers_are_followed(void **state)
{
	(void)state;
	/* the PLT's, with both thresholds */
	check_program(B(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		UNWIND_CFA_PLT, 11, SAME, 0);
	check_program(B(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22),
		UNWIND_CFA_PLT, 10, SAME, 0);
	/* *(rbp - 8), with rbp saved where it points: a function that aligns its stack */
	check_program(B(0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0), UNWIND_CFA_FP_DEREF,
		UNWIND_DEREF_OFFSET(-8, 0), UNWIND_FP_AT_FP, 0);
	/* *(rsp + 64) + 8, in three wordings */
	check_program(B(0x0f, 6, 0x77, 0xc0, 0, 0x06, 0x23, 8), UNWIND_CFA_SP_DEREF,
		UNWIND_DEREF_OFFSET(64, 8), SAME, 0);
	check_program(B(0x0f, 6, 0x77, 0xc0, 0, 0x06, 0x38, 0x22), UNWIND_CFA_SP_DEREF,
		UNWIND_DEREF_OFFSET(64, 8), SAME, 0);
	check_program(B(0x0f, 8, 0x77, 0xc0, 0, 0x06, 0x0b, 0xf8, 0xff, 0x1c), UNWIND_CFA_SP_DEREF,
		UNWIND_DEREF_OFFSET(64, 8), SAME, 0);
	/* rsp + 24, and rbp at rsp + 8, which is CFA - 16 */
	check_program(B(0x0f, 2, 0x77, 24, 0x10, 6, 2, 0x77, 8), SP, 24, AT_CFA, -16);
	check_program(B(0x10, 16, 2, 0x77, 0), SP, 8, SAME, 0);
}

static void what_is_not_followed_is_bad(void **state)
{
	(void)state;
	check_program(B(0x0c, 10, 0), BAD);                        /* CFA in r10 */
	check_program(B(0x0f, 2, 0x7a, 0), BAD);                   /* the same as an expression */
	check_program(B(0x0f, 4, 0x77, 0, 0x06, 0x06), BAD);       /* two dereferences */
	check_program(B(0x0f, 0), BAD);                            /* an empty expression */
	check_program(B(0x0f, 2, 0x77, 0x80), BAD);                /* cut short */
	check_program(B(0x0f, 5, 0x77, 0x80, 0x80, 0x02, 6), BAD); /* *(rsp + 32768) */
	check_program(B(0x0f, 3, 0x77, 0, 0x38), BAD);             /* a constant and no operator */
	check_program(B(0x0e, 0x80, 0x80, 0x80, 0x80, 0x08), BAD); /* 2 GiB */
	check_program(B(0x90, 2), BAD);                            /* RA elsewhere */
	check_program(B(0x09, 16, 3), BAD);                        /* RA in rbx */
	check_program(B(0x08, 16), BAD);                           /* RA unchanged */
	check_program(B(0x10, 16, 2, 0x76, 0), BAD);               /* RA where rbp points */
	/* rbp too far away for a rule: lost, as only some callers need it */
	check_program(B(0x05, 6, 0x80, 0xa0, 0x00), SP, 8, AT_CFA, -32768);
	check_program(B(0x05, 6, 0x81, 0x20), SP, 8, UNWIND_FP_LOST, 0);
}

static void the_first_function_has_no_caller(void **state)
{
	(void)state;
	check_program(B(0x07, 16), UNWIND_CFA_STOP, 0, SAME, 0);
	check_program(B(0x07, 16, 0x0c, 10, 0), UNWIND_CFA_STOP, 0, SAME, 0);
}

static void vfork_keeps_the_return_address_in_a_register(void **state)
{
	(void)state;
	check_program(B(0x0e, 0, 0x09, 16, 5), UNWIND_CFA_RA_REG, 0, SAME, 0);
	check_program(B(0x0c, 6, 0, 0x09, 16, 5), BAD);
}

static void a_signal_frame_is_known_by_its_registers(void **state)
{
	const unsigned char kernels[] = {
		0x0f, 4, 0x77, 0xa0, 1, 6, 0x10, 6, 3, 0x77, 0xf8, 0, 0x10, 16, 3, 0x77, 0xa8, 1};
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zRS", B(0));
	sample_fde(&sample, TEXT, 16, kernels, sizeof(kernels));
	sample_cie(&sample, "zRS", CIE_USUAL);
	sample_fde(&sample, TEXT + 16, 16, B(0));
	sample_cie(&sample, "zR", B(0));
	sample_fde(&sample, TEXT + 32, 16, kernels, sizeof(kernels));
	assert_int_equal(sample_read(&sample, &table), 0);
	check_kind(&table, TEXT, UNWIND_CFA_SIGNAL);
	check_kind(&table, TEXT + 16, UNWIND_CFA_BAD);
	check_kind(&table, TEXT + 32, UNWIND_CFA_SIGNAL);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void padding_is_ignored_gaps_and_holes_are_not(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	/* Not in order: linkers keep that of their input. */
	sample_fde(&sample, TEXT + 2048, 1, B(0));
	sample_fde(&sample, TEXT + 2048 + 1 + 15, 1, B(0));
	sample_fde(&sample, TEXT + 2048 + 17 + 16, 1, B(0));
	sample_fde(&sample, TEXT + 1, 0x10, B(0));
	sample_fde(&sample, TEXT + 2048 + 34 + 2047, 1, B(0));
	sample_fde(&sample, TEXT_END - 20, 100, B(0)); /* ends beyond the text */
	assert_int_equal(sample_read(&sample, &table), 0);
	assert_true(cfi_table_is_sound(&table));
	check_kind(&table, TEXT, UNWIND_CFA_GAP);
	check_kind(&table, TEXT + 0x11, UNWIND_CFA_GAP);
	check_rule(cfi_table_find(&table, TEXT + 2048 + 15), SP, 8, SAME, 0);
	check_kind(&table, TEXT + 2048 + 17, UNWIND_CFA_GAP);
	check_kind(&table, TEXT + 2048 + 34, UNWIND_CFA_GAP);
	check_kind(&table, TEXT + 2048 + 34 + 2048, UNWIND_CFA_FRAMEPTR);
	check_rule(cfi_table_find(&table, TEXT_END - 1), SP, 8, SAME, 0);
	assert_int_equal(table.counts.fdes, 6);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void code_at_the_entry_that_nobody_describes_has_no_caller(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	sample_fde(&sample, TEXT + 0x100, 0x100, B(0));
	assert_int_equal(sample_read_in(&sample, TEXT, TEXT_END, TEXT + 0x20, &table), 0);
	check_kind(&table, TEXT + 0x1f, UNWIND_CFA_GAP);
	check_kind(&table, TEXT + 0x20, UNWIND_CFA_STOP);
	check_kind(&table, TEXT + 0x5f, UNWIND_CFA_STOP);
	check_kind(&table, TEXT + 0x60, UNWIND_CFA_GAP);
	cfi_table_clear(&table);
	/* It is described. */
	assert_int_equal(sample_read_in(&sample, TEXT, TEXT_END, TEXT + 0x100, &table), 0);
	check_rule(cfi_table_find(&table, TEXT + 0x100), SP, 8, SAME, 0);
	cfi_table_clear(&table);
	/* In the hole at the end, and shorter than a stub. */
	assert_int_equal(sample_read_in(&sample, TEXT, TEXT_END, TEXT_END - 1, &table), 0);
	check_kind(&table, TEXT_END - 2, UNWIND_CFA_FRAMEPTR);
	check_kind(&table, TEXT_END - 1, UNWIND_CFA_STOP);
	assert_true(cfi_table_is_sound(&table));
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void functions_that_overlap_are_cut_at_the_next_start(void **state)
{
	struct sample sample = {0};
	struct cfi_table table;

	(void)state;
	sample_cie(&sample, "zR", CIE_USUAL);
	sample_fde(&sample, TEXT, 0x1000, B(0x0e, 16));
	sample_fde(&sample, TEXT + 0x100, 0x100, B(0x0e, 24));
	sample_fde(&sample, TEXT + 0x100, 0x200, B(0x0e, 32)); /* again */
	sample_fde(&sample, TEXT_END, 0x100, B(0x0e, 40));     /* outside */
	assert_int_equal(sample_read(&sample, &table), 0);
	check_rule(cfi_table_find(&table, TEXT + 0xff), SP, 16, SAME, 0);
	check_rule(cfi_table_find(&table, TEXT + 0x100), SP, 24, SAME, 0);
	check_kind(&table, TEXT + 0x200, UNWIND_CFA_FRAMEPTR);
	assert_int_equal(table.counts.fdes, 2);
	assert_int_equal(table.counts.covered, 1);
	assert_int_equal(table.counts.foreign, 1);
	cfi_table_clear(&table);
	sample_clear(&sample);
}

static void the_vdso_has_a_table(void **state)
{
	const struct elf_segment *segments;
	struct cfi_table table;
	struct elf_file *vdso;

	(void)state;
	if (vdso_open(&vdso))
		skip();
	assert_int_equal(cfi_table_read(vdso, &table, NULL), 0);
	assert_true(cfi_table_is_sound(&table));
	assert_true(table.counts.fdes >= 4);
	assert_int_equal(table.counts.skipped, 0);
	assert_true(elf_file_segments(vdso, &segments) >= 1);
	assert_int_equal(table.first_page, segments[0].vaddr & ~4095ULL);
	cfi_table_clear(&table);
	elf_file_free(vdso);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rbx_is_followed_where_a_frame_is_kept_in_it),
		cmocka_unit_test(a_row_holds_until_the_next_one),
		cmocka_unit_test(every_instruction_has_its_effect),
		cmocka_unit_test(set_loc_names_the_address_itself),
		cmocka_unit_test(expressions_of_compilers_and_linkers_are_followed),
		cmocka_unit_test(what_is_not_followed_is_bad),
		cmocka_unit_test(the_first_function_has_no_caller),
		cmocka_unit_test(vfork_keeps_the_return_address_in_a_register),
		cmocka_unit_test(a_signal_frame_is_known_by_its_registers),
		cmocka_unit_test(padding_is_ignored_gaps_and_holes_are_not),
		cmocka_unit_test(code_at_the_entry_that_nobody_describes_has_no_caller),
		cmocka_unit_test(functions_that_overlap_are_cut_at_the_next_start),
		cmocka_unit_test(the_vdso_has_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
