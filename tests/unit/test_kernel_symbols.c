// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's symbol table: on texts made here, and on the running kernel where we may see it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbol/kernel.h"
#include "util/mem.h"

static int parse_error(const char *text, struct why *why)
{
	_cleanup_fclose_ FILE *in = fmemopen((char *)text, strlen(text), "r");
	struct kernel_symbols *symbols = NULL;
	int err = kernel_symbols_parse(in, &symbols, why);

	kernel_symbols_free(symbols);
	return err;
}

static struct kernel_symbols *parse(const char *text)
{
	_cleanup_fclose_ FILE *in = fmemopen((char *)text, strlen(text), "r");
	struct kernel_symbols *symbols = NULL;
	struct why why;

	assert_int_equal(kernel_symbols_parse(in, &symbols, &why), 0);
	return symbols;
}

static const char *name_at(const struct kernel_symbols *symbols, uint64_t address)
{
	struct kernel_symbol symbol;

	return kernel_symbols_find(symbols, address, &symbol) ? symbol.name : "none";
}

static const char core[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup\n"
			   "ffffffff81002000 t __schedule.isra.0\n"
			   "ffffffff81001000 T do_idle\n"
			   "ffffffff81001ff0 T __pfx___schedule.isra.0\n"
			   "ffffffff81002100 D a_variable\n"
			   "ffffffff81003000 t last_function\n"
			   "ffffffff81004400 T _etext\n"
			   "ffffffff81900000 T _sinittext\n"
			   "ffffffff81900010 t early_init\n"
			   "ffffffff81900080 T _einittext\n";

static bool is_named(
	const struct kernel_symbols *symbols, const char *name, struct kernel_symbol *ret)
{
	kernel_symbols_named(symbols, &name, 1, ret);
	return ret->name;
}

static void an_address_has_the_name_of_the_function_around_it(void **state)
{
	struct kernel_symbols *symbols = parse(core);
	struct kernel_symbol symbol;

	(void)state;
	assert_string_equal(name_at(symbols, 0xffffffff80ffffff), "none");
	assert_string_equal(name_at(symbols, 0xffffffff81000fff), "startup");
	assert_string_equal(name_at(symbols, 0xffffffff81001000), "do_idle");
	assert_string_equal(name_at(symbols, 0xffffffff81002100), "__schedule.isra.0");
	assert_true(kernel_symbols_find(symbols, 0xffffffff81002fff, &symbol));
	assert_int_equal(symbol.start, 0xffffffff81002000);
	assert_int_equal(symbol.end, 0xffffffff81003000);
	assert_string_equal(symbol.module, "");
	kernel_symbols_free(symbols);
}

static void padding_and_holes_have_no_name(void **state)
{
	struct kernel_symbols *symbols = parse(core);

	(void)state;
	assert_string_equal(name_at(symbols, 0xffffffff81001fef), "do_idle");
	assert_string_equal(name_at(symbols, 0xffffffff81001ff0), "none");
	assert_string_equal(name_at(symbols, 0xffffffff810043ff), "last_function");
	assert_string_equal(name_at(symbols, 0xffffffff81004400), "none");
	assert_string_equal(name_at(symbols, 0xffffffff8190007f), "early_init");
	assert_string_equal(name_at(symbols, 0xffffffff81900080), "none");
	assert_string_equal(name_at(symbols, UINT64_MAX), "none");
	assert_string_equal(name_at(symbols, 0), "none");
	kernel_symbols_free(symbols);
}

static void of_several_names_a_global_plain_short_one_is_kept(void **state)
{
	struct kernel_symbols *symbols = parse("ffffffff81000000 t plain_but_local\n"
					       "ffffffff81000000 T __global\n"
					       "ffffffff81000000 W weak\n"
					       "ffffffff81000100 T __ia32_sys_getpid\n"
					       "ffffffff81000100 T __x64_sys_getpid\n"
					       "ffffffff81000200 T __pi_memcpy\n"
					       "ffffffff81000200 T memcpy\n"
					       "ffffffff81000300 T bb\n"
					       "ffffffff81000300 T aa\n"
					       "ffffffff81000400 T _etext\n");

	(void)state;
	assert_string_equal(name_at(symbols, 0xffffffff81000000), "__global");
	assert_string_equal(name_at(symbols, 0xffffffff81000100), "__x64_sys_getpid");
	assert_string_equal(name_at(symbols, 0xffffffff81000200), "memcpy");
	assert_string_equal(name_at(symbols, 0xffffffff810003ff), "aa");
	kernel_symbols_free(symbols);
}

static void a_module_keeps_to_itself(void **state)
{
	struct kernel_symbols *symbols = parse("ffffffff81000000 T _text\n"
					       "ffffffff81000000 T core\n"
					       "ffffffff81000100 T _etext\n"
					       "ffffffffc0001000 t ext4_first\t[ext4]\n"
					       "ffffffffc0001800 t ext4_last\t[ext4]\n"
					       "ffffffffc0009000 t bpf_prog_1_a\t[bpf]\n"
					       "ffffffffc0009040 t bpf_prog_2_b\t[bpf]\n"
					       "ffffffffc0900000 t bpf_prog_3_c\t[bpf]\n");
	struct kernel_symbol symbol;

	(void)state;
	assert_true(kernel_symbols_find(symbols, 0xffffffffc00017ff, &symbol));
	assert_string_equal(symbol.name, "ext4_first");
	assert_string_equal(symbol.module, "ext4");
	assert_string_equal(name_at(symbols, 0xffffffffc0001fff), "ext4_last");
	assert_string_equal(name_at(symbols, 0xffffffffc0002000), "none");
	assert_string_equal(name_at(symbols, 0xffffffffc000903f), "bpf_prog_1_a");
	/* The next program is megabytes away: between them is no code of this one. */
	assert_string_equal(name_at(symbols, 0xffffffffc0009041), "bpf_prog_2_b");
	assert_string_equal(name_at(symbols, 0xffffffffc000a000), "none");
	assert_string_equal(name_at(symbols, 0xffffffffc0900fff), "bpf_prog_3_c");
	assert_string_equal(name_at(symbols, 0xffffffffc0901000), "none");
	assert_int_equal(kernel_symbols_base(symbols), 0xffffffff81000000);
	assert_int_equal(kernel_symbols_module_base(symbols, ""), 0xffffffff81000000);
	assert_int_equal(kernel_symbols_module_base(symbols, "ext4"), 0xffffffffc0001000);
	assert_int_equal(kernel_symbols_module_base(symbols, "bpf"), 0xffffffffc0009000);
	assert_int_equal(kernel_symbols_module_base(symbols, "xfs"), 0);
	kernel_symbols_free(symbols);
}

static void a_function_is_found_by_name_also_as_a_clone(void **state)
{
	struct kernel_symbols *symbols = parse("ffffffff81000000 t plain.isra.0\n"
					       "ffffffff81000100 T plain\n"
					       "ffffffff81000200 t only.cold\n"
					       "ffffffff81000300 t only.part.0\n"
					       "ffffffff81000400 t only.constprop.0.isra.3\n"
					       "ffffffff81000500 t cut.isra.\n"
					       "ffffffff81000600 T _etext\n"
					       "ffffffffc0001000 T in_module\t[ext4]\n");
	struct kernel_symbol symbol;

	(void)state;
	assert_true(is_named(symbols, "plain", &symbol));
	assert_int_equal(symbol.start, 0xffffffff81000100);
	assert_int_equal(symbol.end, 0xffffffff81000200);
	assert_true(is_named(symbols, "only", &symbol));
	assert_string_equal(symbol.name, "only.constprop.0.isra.3");
	assert_false(is_named(symbols, "cut", &symbol));
	assert_false(is_named(symbols, "plai", &symbol));
	assert_false(is_named(symbols, "in_module", &symbol));
	/* Several at once, some with the same beginning, one twice. */
	const char *const names[] = {"pl", "plain", "only", "plain", "o"};
	struct kernel_symbol found[ARRAY_SIZE(names)];
	kernel_symbols_named(symbols, names, ARRAY_SIZE(names), found);
	assert_null(found[0].name);
	assert_int_equal(found[1].start, 0xffffffff81000100);
	assert_int_equal(found[2].start, 0xffffffff81000400);
	assert_int_equal(found[3].start, 0xffffffff81000100);
	assert_null(found[4].name);
	assert_int_equal(kernel_symbols_base(symbols), 0);
	kernel_symbols_free(symbols);
}

static void hidden_addresses_are_told_with_their_cure(void **state)
{
	struct why why = {""};

	(void)state;
	assert_int_equal(
		parse_error("0000000000000000 T _text\n0000000000000000 t do_idle\n", &why),
		-EACCES);
	assert_non_null(strstr(why.text, "kernel.kptr_restrict"));
	assert_non_null(strstr(why.text, "sysctl kernel.kptr_restrict=0"));
	assert_non_null(strstr(why.text, "CAP_SYSLOG"));
	assert_int_equal(parse_error("\n", &why), -ENODATA);
	assert_int_equal(parse_error("ffffffff81000000 D data\n", NULL), -ENODATA);
}

static int update(struct kernel_symbols *symbols, const char *text)
{
	_cleanup_fclose_ FILE *in = fmemopen((char *)text, strlen(text), "r");

	return kernel_symbols_update(symbols, in);
}

#define CORE                                                                                       \
	"ffffffff81000000 T _text\n"                                                               \
	"ffffffff81000000 T core\n"                                                                \
	"ffffffff81000100 T _etext\n"

static void a_module_loaded_later_is_named_after_an_update(void **state)
{
	struct kernel_symbols *symbols = parse(CORE "ffffffffc0001000 t old_one\t[old]\n");
	struct kernel_symbol old, first, symbol;

	(void)state;
	assert_true(kernel_symbols_find(symbols, 0xffffffffc0001000, &old));
	assert_true(kernel_symbols_find(symbols, 0xffffffff81000000, &first));
	assert_int_equal(update(symbols, CORE "ffffffffc0001000 t old_one\t[old]\n"), 0);
	assert_int_equal(update(symbols, CORE "ffffffffc0005000 t new_one\t[new]\n"
					      "ffffffffc0009000 t bpf_prog_1_a\t[bpf]\n"),
		1);
	assert_true(kernel_symbols_find(symbols, 0xffffffffc0005001, &symbol));
	assert_string_equal(symbol.name, "new_one");
	assert_string_equal(symbol.module, "new");
	assert_string_equal(name_at(symbols, 0xffffffffc0009000), "bpf_prog_1_a");
	assert_string_equal(name_at(symbols, 0xffffffffc0001000), "none");
	assert_int_equal(kernel_symbols_module_base(symbols, "new"), 0xffffffffc0005000);
	/* Names handed out before are still there, and the same where they are the same. */
	assert_string_equal(old.name, "old_one");
	assert_string_equal(old.module, "old");
	assert_true(kernel_symbols_find(symbols, 0xffffffff81000000, &symbol));
	assert_ptr_equal(symbol.name, first.name);
	kernel_symbols_free(symbols);
}

static void a_base_moves_with_its_module_but_not_with_bpf_programs(void **state)
{
	struct kernel_symbols *symbols = parse(CORE "ffffffffc0001000 t one\t[mod]\n"
						    "ffffffffc0009000 t bpf_prog_1_a\t[bpf]\n");

	(void)state;
	assert_int_equal(update(symbols, CORE "ffffffffc0003000 t one\t[mod]\n"
					      "ffffffffc0008000 t bpf_prog_2_b\t[bpf]\n"),
		1);
	assert_int_equal(kernel_symbols_module_base(symbols, "mod"), 0xffffffffc0003000);
	assert_int_equal(kernel_symbols_module_base(symbols, "bpf"), 0xffffffffc0009000);
	assert_int_equal(kernel_symbols_base(symbols), 0xffffffff81000000);
	kernel_symbols_free(symbols);
}

static void an_update_that_fails_leaves_the_table(void **state)
{
	struct kernel_symbols *symbols = parse(CORE);

	(void)state;
	assert_int_equal(update(symbols, "0000000000000000 T hidden\n"), -EACCES);
	assert_string_equal(name_at(symbols, 0xffffffff81000000), "core");
	kernel_symbols_free(symbols);
}

static void hostile_lines_are_skipped(void **state)
{
	_cleanup_free_ char *endless = xmalloc(100001);
	_cleanup_free_ char *text = NULL;

	(void)state;
	memset(endless, 'x', 100000);
	endless[100000] = '\0';
	text = xasprintf("ffffffff81000000 T %s\n"
			 "garbage\n"
			 "\n"
			 " \n"
			 "-1 T negative\n"
			 "fffffffffffffffffffffffff T too_large\n"
			 "ffffffff81000100 T\n"
			 "ffffffff81000100 T \n"
			 "ffffffff81000100 TT two_letters\n"
			 "ffffffff81000100\n"
			 "ffffffff81000200 T good\t[\n"
			 "ffffffff81000300 T _etext\n"
			 "ffffffff81000400 t no_newline\t[mod",
		endless);
	struct kernel_symbols *symbols = parse(text);
	assert_string_equal(name_at(symbols, 0xffffffff81000000), "none");
	assert_string_equal(name_at(symbols, 0xffffffff81000100), "none");
	assert_string_equal(name_at(symbols, 0xffffffff810002ff), "good");
	assert_int_equal(kernel_symbols_module_base(symbols, "mod"), 0xffffffff81000400);
	kernel_symbols_free(symbols);
}

static void the_running_kernel_names_its_own_addresses(void **state)
{
	struct kernel_symbols *symbols = NULL;
	struct kernel_symbol symbol;
	struct why why = {""};
	int err = kernel_symbols_new(&symbols, &why);

	(void)state;
	if (err == -EACCES || err == -ENOENT) {
		assert_int_not_equal(strlen(why.text), 0);
		skip();
	}
	assert_int_equal(err, 0);
	assert_int_not_equal(kernel_symbols_base(symbols), 0);
	assert_true(is_named(symbols, "schedule", &symbol));
	assert_string_equal(name_at(symbols, symbol.start), "schedule");
	assert_string_equal(name_at(symbols, symbol.end - 1), "schedule");
	assert_true(is_named(symbols, "__schedule", &symbol));
	assert_true(symbol.end > symbol.start && symbol.end - symbol.start < 65536);
	/* Right after reading there is nothing to look for. */
	assert_int_equal(kernel_symbols_refresh(symbols), 0);
	kernel_symbols_free(symbols);
}

/* Loads the smallest program there is; -1 if we may not. */
static int load_program(void)
{
	struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr attributes = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)code,
		.insn_cnt = ARRAY_SIZE(code),
		.license = (uintptr_t) "GPL",
		.prog_name = "dwell_test"};

	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes));
}

/* Its address according to the kernel, 0 if that is not shown. */
static uint64_t find_program(void)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/kallsyms", "re");
	char line[1024];

	while (in && fgets(line, sizeof(line), in))
		if (strstr(line, "_dwell_test\t[bpf]"))
			return strtoull(line, NULL, 16);
	return 0;
}

static void a_program_loaded_later_is_named_within_seconds(void **state)
{
	struct kernel_symbols *symbols = NULL;
	struct kernel_symbol symbol;
	int changed = 0, fd;

	(void)state;
	if (kernel_symbols_new(&symbols, NULL))
		skip();
	fd = load_program();
	uint64_t address = fd < 0 ? 0 : find_program();
	for (int i = 0; address && i < 40 && !changed; i++) {
		usleep(100000);
		changed = kernel_symbols_refresh(symbols);
	}
	if (address) {
		assert_int_equal(changed, 1);
		assert_true(kernel_symbols_find(symbols, address, &symbol));
		assert_int_equal(symbol.start, address);
		assert_string_equal(symbol.module, "bpf");
		assert_non_null(strstr(symbol.name, "_dwell_test"));
	}
	if (fd >= 0)
		close(fd);
	kernel_symbols_free(symbols);
	if (!address)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_the_name_of_the_function_around_it),
		cmocka_unit_test(padding_and_holes_have_no_name),
		cmocka_unit_test(of_several_names_a_global_plain_short_one_is_kept),
		cmocka_unit_test(a_module_keeps_to_itself),
		cmocka_unit_test(a_function_is_found_by_name_also_as_a_clone),
		cmocka_unit_test(hidden_addresses_are_told_with_their_cure),
		cmocka_unit_test(a_module_loaded_later_is_named_after_an_update),
		cmocka_unit_test(a_base_moves_with_its_module_but_not_with_bpf_programs),
		cmocka_unit_test(an_update_that_fails_leaves_the_table),
		cmocka_unit_test(hostile_lines_are_skipped),
		cmocka_unit_test(the_running_kernel_names_its_own_addresses),
		cmocka_unit_test(a_program_loaded_later_is_named_within_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
