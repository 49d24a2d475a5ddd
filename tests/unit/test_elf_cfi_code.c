// SPDX-License-Identifier: GPL-2.0-or-later
/* Code without description: what compilers add to programs is described, all else is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/cfi/cfi.h"
#include "elf/cfi/cfi_code.h"
#include "elf/file.h"
#include "util/mem.h"
#include "util/vec.h"

#define START 0x1000

struct row {
	uint64_t address;
	struct unwind_rule rule;
};

typedef VEC(struct row) rows;

static void add(void *context, uint64_t address, const struct unwind_rule *rule)
{
	rows *all = context;
	struct row row = {address, *rule};

	vec_push(all, row);
}

static bool describe(const unsigned char *bytes, size_t count, rows *ret)
{
	/* Its own memory, so that reading too far is noticed. */
	unsigned char *copy = malloc(count ? count : 1);

	ret->count = 0;
	memcpy(copy, bytes, count);
	bool is_described = cfi_code_describe(copy, count, START, add, ret);
	free(copy);
	if (!is_described)
		assert_int_equal(ret->count, 0);
	return is_described;
}

#define DESCRIBE(ret, ...)                                                                         \
	describe((const unsigned char[]){__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__}), ret)

static void check(const rows *all, uint64_t offset, int32_t cfa, int16_t fp)
{
	const struct unwind_rule *rule = NULL;

	vec_each (row, all)
		if (row->address <= START + offset)
			rule = &row->rule;
	assert_non_null(rule);
	assert_int_equal(rule->cfa_kind, UNWIND_CFA_SP);
	assert_int_equal(rule->cfa_offset, cfa);
	assert_int_equal(rule->fp_kind, fp ? UNWIND_FP_AT_CFA : UNWIND_FP_SAME);
	assert_int_equal(rule->fp_offset, fp);
}

static void init_and_fini_are_described(void **state)
{
	rows all = {0};

	(void)state;
	/* sub $8,%rsp; mov x(%rip),%rax; test %rax,%rax; je +2; call *%rax; add $8,%rsp; ret */
	assert_true(DESCRIBE(&all, 0x48, 0x83, 0xec, 0x08, 0x48, 0x8b, 0x05, 0xd5, 0x6f, 0x00, 0x00,
		0x48, 0x85, 0xc0, 0x74, 0x02, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3));
	check(&all, 0, 8, 0);
	check(&all, 4, 16, 0);
	check(&all, 0x11, 16, 0);
	check(&all, 0x16, 8, 0);
	/* endbr64; sub $8,%rsp; add $8,%rsp; ret */
	assert_true(DESCRIBE(&all, 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4,
		0x08, 0xc3));
	check(&all, 4, 8, 0);
	check(&all, 8, 16, 0);
	check(&all, 12, 8, 0);
	vec_clear(&all);
}

/* __do_global_dtors_aux, a return for those who have been there before, and a jump on. */
static const unsigned char dtors[] = {0xf3, 0x0f, 0x1e, 0xfa, /* 00 endbr64 */
	0x80, 0x3d, 0x8d, 0x6c, 0x00, 0x00, 0x00,             /* 04 cmpb $0,x(%rip) */
	0x75, 0x2b,                                           /* 0b jne 38 */
	0x55,                                                 /* 0d push %rbp */
	0x48, 0x83, 0x3d, 0x6a, 0x6c, 0x00, 0x00, 0x00,       /* 0e cmpq $0,x(%rip) */
	0x48, 0x89, 0xe5,                                     /* 16 mov %rsp,%rbp */
	0x74, 0x0c,                                           /* 19 je 27 */
	0x48, 0x8b, 0x3d, 0x6e, 0x6c, 0x00, 0x00,             /* 1b mov x(%rip),%rdi */
	0xe8, 0x59, 0xff, 0xff, 0xff,                         /* 22 call */
	0xe8, 0x64, 0xff, 0xff, 0xff,                         /* 27 call */
	0xc6, 0x05, 0x65, 0x6c, 0x00, 0x00, 0x01,             /* 2c movb $1,x(%rip) */
	0x5d,                                                 /* 33 pop %rbp */
	0xc3,                                                 /* 34 ret */
	0x0f, 0x1f, 0x00,                                     /* 35 nopl */
	0xc3,                                                 /* 38 ret */
	0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00,             /* 39 nopl */
	0xf3, 0x0f, 0x1e, 0xfa,                               /* 40 endbr64 */
	0xe9, 0x77, 0xff, 0xff, 0xff};                        /* 44 jmp, out of here */

static void the_end_of_a_program_is_described(void **state)
{
	rows all = {0};

	(void)state;
	assert_true(describe(dtors, sizeof(dtors), &all));
	check(&all, 0, 8, 0);
	check(&all, 0x0d, 8, 0);
	check(&all, 0x0e, 16, -16);
	check(&all, 0x2c, 16, -16);
	check(&all, 0x33, 16, -16);
	check(&all, 0x34, 8, 0);
	check(&all, 0x38, 8, 0);
	check(&all, 0x44, 8, 0);
	vec_clear(&all);
}

static void whatever_is_cut_or_changed_there_is_no_wild_answer(void **state)
{
	rows all = {0};
	unsigned char changed[sizeof(dtors)];

	(void)state;
	for (size_t bytes = 0; bytes < sizeof(dtors); bytes++)
		describe(dtors, bytes, &all);
	for (size_t i = 0; i < sizeof(dtors); i++)
		for (unsigned int value = 0; value < 256; value++) {
			memcpy(changed, dtors, sizeof(dtors));
			changed[i] = (unsigned char)value;
			if (!describe(changed, sizeof(changed), &all))
				continue;
			vec_each (row, &all) {
				assert_int_equal(row->rule.cfa_offset % 8, 0);
				assert_true(row->rule.cfa_offset >= 8);
			}
		}
	vec_clear(&all);
}

static void what_is_not_simple_is_left_alone(void **state)
{
	rows all = {0};

	(void)state;
	/* Nothing; more than is looked at. */
	assert_false(describe(dtors, 0, &all));
	static const unsigned char many[CFI_CODE_BYTES + 1] = {[0 ... CFI_CODE_BYTES] = 0x90};
	assert_true(describe(many, CFI_CODE_BYTES, &all));
	assert_false(describe(many, CFI_CODE_BYTES + 1, &all));
	/* call; ret: no function calls with an unaligned stack. */
	assert_false(DESCRIBE(&all, 0xe8, 0x00, 0x01, 0x00, 0x00, 0xc3));
	/* xbegin is no mov */
	assert_false(DESCRIBE(&all, 0xc7, 0xf8, 0x00, 0x00, 0x00, 0x00, 0xc3));
	/* Prefixes of nothing; an instruction that goes on behind the end. */
	assert_false(DESCRIBE(&all, 0x66, 0x66, 0x66));
	assert_false(DESCRIBE(&all, 0x48));
	assert_false(DESCRIBE(&all, 0x48, 0x8d, 0x3d, 0x66, 0x66));
	/* push %rbp; ret: something is left. */
	assert_false(DESCRIBE(&all, 0x55, 0xc3));
	/* and $-16,%rsp: how far is not known. */
	assert_false(DESCRIBE(&all, 0x48, 0x83, 0xe4, 0xf0, 0xc3));
	/* mov %rax,%rsp; lea 8(%rsp),%rsp; mov $1,%ebp; pop %rsp */
	assert_false(DESCRIBE(&all, 0x48, 0x89, 0xc4, 0xc3));
	assert_false(DESCRIBE(&all, 0x48, 0x8d, 0x64, 0x24, 0x08, 0xc3));
	assert_false(DESCRIBE(&all, 0xbd, 0x01, 0x00, 0x00, 0x00, 0xc3));
	assert_false(DESCRIBE(&all, 0x5c, 0xc3));
	/* mov %rsp,%rbp before the caller's was saved */
	assert_false(DESCRIBE(&all, 0x48, 0x89, 0xe5, 0xc3));
	/* push %rbp; pop %rax; ret: the caller's frame pointer is not put back. */
	assert_false(DESCRIBE(&all, 0x55, 0x58, 0xc3));
	/* add $8,%rsp: above the return address. */
	assert_false(DESCRIBE(&all, 0x48, 0x83, 0xc4, 0x08, 0xc3));
	/* je over a push: two ways to the return, with two stacks. */
	assert_false(DESCRIBE(&all, 0x74, 0x01, 0x50, 0x58, 0xc3, 0xc3));
	/* A jump into the middle of an instruction, from before it and from behind it. */
	assert_false(DESCRIBE(&all, 0x74, 0x01, 0x48, 0x85, 0xc0, 0xc3));
	assert_false(DESCRIBE(&all, 0x48, 0x85, 0xc0, 0x74, 0xfc, 0xc3));
	/* The same with a push of r12 is fine, and is undone. */
	assert_true(DESCRIBE(&all, 0x41, 0x54, 0x41, 0x5c, 0xc3));
	check(&all, 2, 16, 0);
	check(&all, 4, 8, 0);
	vec_clear(&all);
}

extern const char _init[], _fini[], __ehdr_start[];

/* The rule for `offset` bytes behind the first instruction that is not endbr64. */
static struct unwind_rule rule_behind(
	const struct cfi_table *table, const char *function, uint64_t offset)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint64_t address = (uint64_t)(function - __ehdr_start);

	if (!memcmp(function, endbr64, sizeof(endbr64)))
		address += sizeof(endbr64);
	return cfi_table_find(table, address + offset);
}

/* Linked at 0, as position-independent programs are, or the addresses would be others. */
static void the_ends_of_this_very_program_are_described(void **state)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const char *const ends[] = {_init, _fini};
	struct elf_file *file;
	struct cfi_table table;

	(void)state;
	assert_int_equal(elf_file_open(fd, &file), 0);
	assert_int_equal(cfi_table_read(file, &table, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct unwind_rule first = rule_behind(&table, ends[i], 0);
		struct unwind_rule second = rule_behind(&table, ends[i], 4);
		assert_int_equal(first.cfa_kind, UNWIND_CFA_SP);
		assert_int_equal(first.cfa_offset, 8);
		assert_int_equal(second.cfa_kind, UNWIND_CFA_SP);
		assert_int_equal(second.cfa_offset, 16);
	}
	cfi_table_clear(&table);
	elf_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_and_fini_are_described),
		cmocka_unit_test(the_end_of_a_program_is_described),
		cmocka_unit_test(whatever_is_cut_or_changed_there_is_no_wild_answer),
		cmocka_unit_test(what_is_not_simple_is_left_alone),
		cmocka_unit_test(the_ends_of_this_very_program_are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
