// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of -e and of what may stand behind it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/event.h"

/* The one event that a word means. */
static struct event parsed(const char *text)
{
	event_list events = {0};
	struct why why = {""};

	if (event_parse(text, &events, &why))
		fail_msg("%s: %s", text, why.text);
	assert_int_equal(events.count, 1);
	struct event event = events.at[0];
	vec_clear(&events);
	assert_non_null(event.name);
	assert_non_null(event.one);
	assert_non_null(event.about);
	assert_string_equal(event.text, text);
	return event;
}

static void assert_refused(const char *text, const char *word)
{
	event_list events = {0};
	struct why why = {""};

	assert_int_not_equal(event_parse(text, &events, &why), 0);
	assert_int_equal(events.count, 0);
	if (!strstr(why.text, word))
		fail_msg("%s: %s", text, why.text);
	assert_null(strchr(why.text, '\n'));
}

static void a_function_may_be_given_in_each_way(void **state)
{
	static const struct {
		const char *text, *path, *function, *name;
		enum event_kind kind;
		bool is_return;
		uint64_t offset;
	} rows[] = {
		{"uprobe:/bin/x:f", "/bin/x", "f", "x:f", EVENT_CALL, false, 0},
		{"u:libc:malloc", "libc", "malloc", "libc:malloc", EVENT_CALL, false, 0},
		{"uretprobe:/bin/x:f", "/bin/x", "f", "x:f:return", EVENT_CALL, true, 0},
		{"r:/bin/x:f", "/bin/x", "f", "x:f:return", EVENT_CALL, true, 0},
		{"u:/bin/x:f+0x10", "/bin/x", "f", "x:f+0x10", EVENT_CALL, false, 16},
		{"u:/a:b/x:f*", "/a:b/x", "f*", "x:f*", EVENT_CALL, false, 0},
		{"u:/bin/x:a::b::c", "/bin/x", "a::b::c", "x:a::b::c", EVENT_CALL, false, 0},
		{"kprobe:vfs_read", NULL, "vfs_read", "k:vfs_read", EVENT_KERNEL_CALL, false, 0},
		{"k:vfs_read+4", NULL, "vfs_read", "k:vfs_read+4", EVENT_KERNEL_CALL, false, 4},
		{"kretprobe:f", NULL, "f", "k:f:return", EVENT_KERNEL_CALL, true, 0},
		{"fentry:f", NULL, "f", "k:f", EVENT_KERNEL_CALL, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event event = parsed(rows[i].text);
		assert_int_equal(event.kind, rows[i].kind);
		if (rows[i].path)
			assert_string_equal(event.path, rows[i].path);
		assert_string_equal(event.function, rows[i].function);
		assert_string_equal(event.name, rows[i].name);
		assert_int_equal(event.is_return, rows[i].is_return);
		assert_int_equal(event.offset, rows[i].offset);
		event_clear(&event);
	}
	assert_refused("uprobe:libc", "uprobe:FILE:FUNCTION");
	assert_refused("uprobe:/bin/x:", "uprobe:FILE:FUNCTION");
	assert_refused("uprobe::f", "uprobe:FILE:FUNCTION");
	assert_refused("u:/bin/x:f+twelve", "offset");
	assert_refused("r:/bin/x:f+4", "offset");
	assert_refused("kprobe:", "kprobe:FUNCTION");
}

static void marks_and_tracepoints_have_groups(void **state)
{
	static const struct {
		const char *text, *group, *function, *name;
		enum event_kind kind;
	} rows[] = {
		{"usdt:/bin/x:p:n", "p", "n", "p:n", EVENT_MARK},
		{"U:libc:libc:memory_heap_new", "libc", "memory_heap_new", "libc:memory_heap_new",
			EVENT_MARK},
		{"sched:sched_switch", "sched", "sched_switch", "sched:sched_switch",
			EVENT_TRACEPOINT},
		{"t:block:block_rq_issue", "block", "block_rq_issue", "block:block_rq_issue",
			EVENT_TRACEPOINT},
		{"tracepoint:a:b", "a", "b", "a:b", EVENT_TRACEPOINT},
		{"syscall:openat", "syscalls", "sys_enter_openat", "syscalls:sys_enter_openat",
			EVENT_TRACEPOINT},
		{"syscall:read:return", "syscalls", "sys_exit_read", "syscalls:sys_exit_read",
			EVENT_TRACEPOINT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event event = parsed(rows[i].text);
		assert_int_equal(event.kind, rows[i].kind);
		assert_string_equal(event.group, rows[i].group);
		assert_string_equal(event.function, rows[i].function);
		assert_string_equal(event.name, rows[i].name);
		event_clear(&event);
	}
	assert_refused("usdt:/bin/x:n", "PROVIDER");
	assert_refused("t:block", "CATEGORY:TRACEPOINT");
	assert_refused("a:b:c", "CATEGORY:TRACEPOINT");
	assert_refused("syscall:", "syscall:NAME");
	assert_refused("syscall:read:sideways", "syscall:NAME");
}

static void events_of_perf_have_its_names_and_modifiers(void **state)
{
	(void)state;
	struct event event = parsed("page-faults:u");
	assert_int_equal(event.kind, EVENT_PERF);
	assert_int_equal(event.measure, MEASURE_FAULTS);
	assert_true(event.has_thing && event.has_no_kernel && !event.has_no_user);
	event_clear(&event);
	event = parsed("cs");
	assert_string_equal(event.name, "context-switches");
	assert_int_equal(event.perf_config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	event_clear(&event);
	event = parsed("cache-misses:pp");
	assert_int_equal(event.perf_type, PERF_TYPE_HARDWARE);
	assert_int_equal(event.precise, 2);
	assert_true(event.frequency);
	event_clear(&event);
	assert_refused("page-fualts", "did you mean page-faults?");
	assert_refused("wombats", "dwell list");
}

static void faults_are_two_events(void **state)
{
	event_list events = {0};

	(void)state;
	assert_int_equal(event_parse("faults", &events, NULL), 0);
	assert_int_equal(events.count, 2);
	assert_string_equal(events.at[0].name, "minor-faults");
	assert_int_equal(events.at[0].period, 100);
	assert_string_equal(events.at[1].name, "major-faults");
	assert_int_equal(events.at[1].period, 1);
	events_clear(&events);
}

static void what_is_summed_has_a_unit(void **state)
{
	static const struct {
		const char *sum, *field, *unit;
	} rows[] = {
		{"bytes", "bytes", "bytes"},
		{"ret", "ret", "bytes"},
		{"arg2:count", "arg2", "count"},
		{"delay", "delay", "ns"},
		{"nr_pages", "nr_pages", "count"},
		{"x:ns", "x", "ns"},
	};
	struct why why;

	(void)state;
	struct event event = parsed("a:b");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(event_set_sum(&event, rows[i].sum, &why), 0);
		assert_string_equal(event.sum, rows[i].field);
		assert_string_equal(event.unit, rows[i].unit);
	}
	assert_int_equal(event_set_sum(&event, "x:furlongs", &why), -EINVAL);
	assert_int_equal(event_set_sum(&event, "", &why), -EINVAL);
	assert_string_equal(event.sum, "x");
	event_clear(&event);
	event = parsed("page-faults");
	assert_int_equal(event_set_sum(&event, "bytes", &why), -EINVAL);
	event_clear(&event);
}

static void a_condition_is_a_field_an_operator_and_a_number(void **state)
{
	static const struct {
		const char *text, *field;
		enum event_condition condition;
		int64_t limit;
	} rows[] = {
		{"bytes>=4096", "bytes", CONDITION_LEAST, 4096},
		{" ret < 0 ", "ret", CONDITION_LESS, 0},
		{"ret=-11", "ret", CONDITION_EQUAL, -11},
		{"a==0x10", "a", CONDITION_EQUAL, 16},
		{"a != 1", "a", CONDITION_UNEQUAL, 1},
		{"a<=1", "a", CONDITION_MOST, 1},
		{"a>1", "a", CONDITION_MORE, 1},
		{"flags & 0x8000000000000000", "flags", CONDITION_BITS, INT64_MIN},
	};
	static const char *const wrong[] = {"", "bytes", "bytes>", ">4", "bytes>many", "bytes>4k",
		"bytes ~ 4", "bytes > 99999999999999999999", "a>1 b"};
	struct why why;

	(void)state;
	struct event event = parsed("a:b");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (event_set_condition(&event, rows[i].text, &why))
			fail_msg("%s", why.text);
		assert_string_equal(event.tested, rows[i].field);
		assert_int_equal(event.condition, rows[i].condition);
		assert_int_equal(event.limit, rows[i].limit);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!event_set_condition(&event, wrong[i], &why))
			fail_msg("%s was taken", wrong[i]);
	event_clear(&event);
}

static void names_and_periods_are_bounded(void **state)
{
	static const char *const wrong[] = {"0", "-1", "x", "10x", "", "99999999999999"};
	struct why why;
	char name[80];

	(void)state;
	struct event event = parsed("a:b");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(event_set_period(&event, wrong[i], &why), -EINVAL);
	assert_int_equal(event_set_period(&event, "100", &why), 0);
	assert_int_equal(event.period, 100);
	assert_int_equal(event_set_name(&event, "", &why), -EINVAL);
	assert_int_equal(event_set_name(&event, "a;b", &why), -EINVAL);
	assert_int_equal(event_set_name(&event, "a\033[31m", &why), -EINVAL);
	memset(name, 'x', sizeof(name));
	name[65] = '\0';
	assert_int_equal(event_set_name(&event, name, &why), -EINVAL);
	assert_int_equal(event_set_name(&event, "<b>", &why), 0);
	assert_string_equal(event.name, "<b>");
	event_clear(&event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_may_be_given_in_each_way),
		cmocka_unit_test(marks_and_tracepoints_have_groups),
		cmocka_unit_test(events_of_perf_have_its_names_and_modifiers),
		cmocka_unit_test(faults_are_two_events),
		cmocka_unit_test(what_is_summed_has_a_unit),
		cmocka_unit_test(a_condition_is_a_field_an_operator_and_a_number),
		cmocka_unit_test(names_and_periods_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
