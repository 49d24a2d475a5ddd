// SPDX-License-Identifier: GPL-2.0-or-later
/* Formats of tracepoints as kernels write them (6.1, 6.12 and 6.18), and text that is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "host/tracepoint.h"
#include "util/mem.h"

#define COMMON                                                                                     \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* 6.18 */
static const char exit_write[] = "name: sys_exit_write\nID: 839\n" COMMON
				 "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
				 "print fmt: \"0x%lx\", REC->ret\n";

static const char sched_switch[] =
	"name: sched_switch\nID: 372\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s field:int none; offset:0; size:4; signed:0;\", REC->prev_comm\n"
	"\tfield:int behind;\toffset:8;\tsize:4;\tsigned:1;\n";

static const char block_rq_issue[] =
	"name: block_rq_issue\nID: 2104\n" COMMON
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned short ioprio;\toffset:32;\tsize:2;\tsigned:0;\n"
	"\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:44;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%d\"\n";

/* 6.1: an array has as many bytes as a number may have. */
static const char block_rq_issue_6_1[] =
	"name: block_rq_issue\nID: 1190\n" COMMON
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:40;\tsize:16;\tsigned:1;\n"
	"\tfield:__data_loc char[] cmd;\toffset:56;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\"\n";

/* 6.1 to 6.18 */
static const char mm_page_alloc[] =
	"name: mm_page_alloc\nID: 542\n" COMMON
	"\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long gfp_flags;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"page=%p\"\n";

/* 6.12 */
static const char sched_switch_6_12[] =
	"name: sched_switch\nID: 310\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s\"\n";

/* One more common field, as with PREEMPT_RT, and types that are no numbers: made up behind mode. */
static const char enter_openat[] =
	"name: sys_enter_openat\nID: 711\n" COMMON
	"\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:__rel_loc char[] text;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:struct thing value;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 args[2];\toffset:56;\tsize:16;\tsigned:0;\n"
	"\tfield:bool is;\toffset:72;\tsize:1;\tsigned:0;\n";

static struct tracepoint parse(const char *text)
{
	struct tracepoint tracepoint;

	assert_int_equal(tracepoint_parse(text, &tracepoint), 0);
	tracepoint.category = xstrdup("test");
	return tracepoint;
}

static void check_numbers(const char *text, uint32_t id, const char *names)
{
	struct tracepoint tracepoint = parse(text);
	_cleanup_free_ char *numbers = tracepoint_number_fields(&tracepoint);

	assert_int_equal(tracepoint.id, id);
	assert_string_equal(numbers, names);
	tracepoint_clear(&tracepoint);
}

static void numbers_are_what_can_be_summed(void **state)
{
	(void)state;
	check_numbers(exit_write, 839, "__syscall_nr, ret");
	check_numbers(sched_switch, 372, "prev_pid, prev_prio, prev_state, next_pid, next_prio");
	check_numbers(block_rq_issue, 2104, "dev, sector, nr_sector, bytes, ioprio");
	check_numbers(
		sched_switch_6_12, 310, "prev_pid, prev_prio, prev_state, next_pid, next_prio");
	check_numbers(block_rq_issue_6_1, 1190, "dev, sector, nr_sector, bytes");
	check_numbers(mm_page_alloc, 542, "pfn, order, gfp_flags, migratetype");
	check_numbers(enter_openat, 711, "__syscall_nr, dfd, mode, is");
}

static void fields_are_where_the_kernel_says(void **state)
{
	struct tracepoint tracepoint = parse(exit_write);
	const struct tracepoint_field *field = NULL;
	struct why why;
	(void)state;

	assert_string_equal(tracepoint.name, "sys_exit_write");
	assert_int_equal(tracepoint_number_field(&tracepoint, "ret", &field, &why), 0);
	assert_int_equal(field->offset, 16);
	assert_int_equal(field->bytes, 8);
	assert_true(field->is_signed);
	assert_string_equal(field->type, "long");
	tracepoint_clear(&tracepoint);

	tracepoint = parse(block_rq_issue);
	assert_int_equal(tracepoint_number_field(&tracepoint, "bytes", &field, &why), 0);
	assert_int_equal(field->offset, 28);
	assert_false(field->is_signed);
	assert_string_equal(tracepoint.fields[6].name, "comm");
	assert_string_equal(tracepoint.fields[6].type, "char[16]");
	assert_string_equal(tracepoint.fields[7].name, "cmd");
	assert_string_equal(tracepoint.fields[7].type, "__data_loc char[]");
	assert_int_equal(tracepoint_number_field(&tracepoint, "comm", &field, &why), -EINVAL);
	assert_string_equal(why.text,
		"field comm of test:block_rq_issue is char[16], not a number; "
		"its numbers are dev, sector, nr_sector, bytes, ioprio");
	assert_int_equal(tracepoint_number_field(&tracepoint, "none", &field, &why), -ENOENT);
	assert_string_equal(why.text, "test:block_rq_issue has no field none; its numbers are dev, "
				      "sector, nr_sector, bytes, ioprio");
	tracepoint_clear(&tracepoint);
}

static void what_is_no_format_is_refused(void **state)
{
	static const char *const texts[] = {"", "name: x\n", "ID: 5\n", "name: x\nID: y\n",
		"name: \nID: 5\n", "name: x\nID: 99999999999\n", "name: x\nID: -5\n", "\n\n\n",
		"name: x\nID: 5x\n"};
	struct tracepoint tracepoint;
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(tracepoint_parse(texts[i], &tracepoint), -EBADMSG);
}

static void fields_that_make_no_sense_are_left_out(void **state)
{
	static const char text[] = "name: x\nID: 5\nformat:\n"
				   "\tfield:;\toffset:0;\tsize:4;\tsigned:0;\n"
				   "\tfield:alone;\toffset:0;\tsize:4;\tsigned:0;\n"
				   "\tfield:int ];\toffset:0;\tsize:4;\tsigned:0;\n"
				   "\tfield:int far;\toffset:99999999;\tsize:4;\tsigned:0;\n"
				   "\tfield:int none;\tsize:4;\tsigned:0;\n"
				   "\tfield:int cut;\toffset:8;\tsize:4\n"
				   "\tfield:int odd;\toffset:8;\tsize:3;\tsigned:0;\n"
				   "\tfield:int good;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\tfield:int unfinished";
	(void)state;

	check_numbers(text, 5, "good");
}

static void cut_anywhere_it_is_read_to_its_end(void **state)
{
	struct tracepoint tracepoint;
	(void)state;

	for (size_t length = 0; length < sizeof(block_rq_issue); length++) {
		_cleanup_free_ char *cut = xstrndup(block_rq_issue, length);
		if (!tracepoint_parse(cut, &tracepoint))
			tracepoint_clear(&tracepoint);
	}
}

static void names_are_split_as_tools_write_them(void **state)
{
	static const struct {
		const char *text, *category, *name;
	} cases[] = {
		{"sched:sched_switch", "sched", "sched_switch"},
		{"tracepoint:sched:sched_switch", "sched", "sched_switch"},
		{"t:block:block_rq_issue", "block", "block_rq_issue"},
		{"syscall:openat", "syscalls", "sys_enter_openat"},
		{"syscall:openat:ret", "syscalls", "sys_exit_openat"},
		{"syscalls:sys_enter_openat", "syscalls", "sys_enter_openat"},
	};
	static const char *const none[] = {"", "sched", ":", "sched:", ":x", "a:b:c",
		"syscall:", "syscall::ret", "syscall:openat:enter", "t:x", "tracepoint:a"};
	char *category, *name;
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(tracepoint_split(cases[i].text, &category, &name));
		assert_string_equal(category, cases[i].category);
		assert_string_equal(name, cases[i].name);
		free(category);
		free(name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (tracepoint_split(none[i], &category, &name))
			fail_msg("%s is %s:%s", none[i], category, name);
}

static bool count_them(void *context, const char *category, const char *name)
{
	assert_true(*category && *name && strcmp(category, "ftrace"));
	++*(size_t *)context;
	return true;
}

/* Whatever this machine has: as many are read as there are, or it says why not. */
static void those_of_this_machine_are_read_or_it_says_why_not(void **state)
{
	struct tracepoint tracepoint;
	struct why why = {{0}};
	size_t count = 0;
	(void)state;

	int error = tracepoint_each(count_them, &count, &why);
	if (error) {
		assert_true(error == -ENODEV || error == -EACCES);
		assert_true(why.text[0]);
		assert_int_equal(
			tracepoint_read("sched", "sched_switch", &tracepoint, &why), error);
		return;
	}
	assert_true(count > 100);
	assert_int_equal(tracepoint_read("sched", "sched_switch", &tracepoint, &why), 0);
	assert_string_equal(tracepoint.category, "sched");
	tracepoint_clear(&tracepoint);
	assert_int_equal(tracepoint_read("sched", "sched_swich", &tracepoint, &why), -ENOENT);
	assert_non_null(strstr(why.text, "near are sched:sched_switch"));
	assert_int_equal(tracepoint_read("../sched", "sched_switch", &tracepoint, &why), -ENOENT);
	assert_int_equal(tracepoint_read("..", "events", &tracepoint, &why), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_what_can_be_summed),
		cmocka_unit_test(fields_are_where_the_kernel_says),
		cmocka_unit_test(what_is_no_format_is_refused),
		cmocka_unit_test(fields_that_make_no_sense_are_left_out),
		cmocka_unit_test(cut_anywhere_it_is_read_to_its_end),
		cmocka_unit_test(names_are_split_as_tools_write_them),
		cmocka_unit_test(those_of_this_machine_are_read_or_it_says_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
