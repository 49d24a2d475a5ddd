// SPDX-License-Identifier: GPL-2.0-or-later
/* The words for calls, what may stand behind them, names of system calls, and pairs of marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/syscalls.h"
#include "kernel/call.h"
#include "kernel/call_marks.h"

static struct call_request parsed(const char *text, const char *program)
{
	struct call_request request = {0};
	struct why why = {""};

	if (call_parse(text, program, &request, &why))
		fail_msg("%s: %s", text, why.text);
	assert_string_equal(request.text, text);
	assert_int_equal(request.slow_percentile, CALL_USUAL_PERCENTILE);
	return request;
}

static void assert_refused(const char *text, const char *word)
{
	struct call_request request = {0};
	struct why why = {""};

	assert_int_not_equal(call_parse(text, NULL, &request, &why), 0);
	assert_null(request.text);
	if (!strstr(why.text, word))
		fail_msg("%s: %s", text, why.text);
	assert_null(strchr(why.text, '\n'));
}

static void assert_same(const char *found, const char *wanted)
{
	if (wanted)
		assert_string_equal(found, wanted);
	else
		assert_null(found);
}

static void calls_may_be_given_in_each_way(void **state)
{
	static const struct {
		const char *text;
		enum call_kind kind;
		const char *path, *group, *function, *end;
	} rows[] = {
		{"libc:malloc", CALL_OF_FUNCTION, "libc", NULL, "malloc", NULL},
		{"uprobe:libc:malloc", CALL_OF_FUNCTION, "libc", NULL, "malloc", NULL},
		{"u:/a:b/x:f*", CALL_OF_FUNCTION, "/a:b/x", NULL, "f*", NULL},
		{"/bin/x:a::b::c", CALL_OF_FUNCTION, "/bin/x", NULL, "a::b::c", NULL},
		{"/bin/x:T::operator+", CALL_OF_FUNCTION, "/bin/x", NULL, "T::operator+", NULL},
		{"handle", CALL_OF_FUNCTION, "/bin/own", NULL, "handle", NULL},
		{"a::b", CALL_OF_FUNCTION, "/bin/own", NULL, "a::b", NULL},
		{"k:vfs_read", CALL_OF_KERNEL, NULL, NULL, "vfs_read", NULL},
		{"kprobe:vfs_*", CALL_OF_KERNEL, NULL, NULL, "vfs_*", NULL},
		{"fentry:vfs_read", CALL_OF_KERNEL, NULL, NULL, "vfs_read", NULL},
		{"syscall:fsync", CALL_OF_SYSTEM, NULL, NULL, "fsync", NULL},
		{"syscall:pread", CALL_OF_SYSTEM, NULL, NULL, "pread64", NULL},
		{"syscall:f*sync", CALL_OF_SYSTEM, NULL, NULL, "f*sync", NULL},
		{"usdt:/bin/x:p:begin,end", CALL_OF_MARKS, "/bin/x", "p", "begin", "end"},
		{"usdt:/a:b/x:p:query", CALL_OF_MARKS, "/a:b/x", "p", "query", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct call_request request = parsed(rows[i].text, "/bin/own");
		assert_int_equal(request.kind, rows[i].kind);
		assert_same(request.path, rows[i].path);
		assert_same(request.group, rows[i].group);
		assert_same(request.function, rows[i].function);
		assert_same(request.end, rows[i].end);
		call_clear(&request);
	}
}

static void what_is_no_call_is_refused_with_what_to_do(void **state)
{
	(void)state;
	assert_refused("", "libssl:SSL_read");
	assert_refused("handle", "of which program");
	assert_refused("libc:", "FILE:FUNCTION");
	assert_refused(":malloc", "FILE:FUNCTION");
	assert_refused("libc:malloc+0x10", "without an offset");
	assert_refused("k:vfs_read+4", "without an offset");
	assert_refused("k:", "k:FUNCTION");
	assert_refused("syscall:", "syscall:NAME");
	assert_refused("syscall:fsink", "fsync");
	assert_refused("syscall:zzzzzzzzzzzz*", "strace");
	assert_refused("usdt:/bin/x", "BEGIN,END");
	assert_refused("usdt:/bin/x:p:a,", "BEGIN,END");
	assert_refused("usdt:/bin/x:p:a,b,c", "BEGIN,END");
	assert_refused("uretprobe:libc:malloc", "a moment");
	assert_refused("t:sched:sched_switch", "a moment");
}

static void slow_is_a_time_or_a_percentile(void **state)
{
	static const struct {
		const char *text;
		uint64_t from_ns;
		uint32_t percentile;
	} rows[] = {
		{"10ms", 10000000, 0},
		{"500us", 500000, 0},
		{"1s", 1000000000, 0},
		{"p99", 0, 990000},
		{"p99.9", 0, 999000},
		{"p99.9999", 0, 999999},
		{"p50", 0, 500000},
		{"p5", 0, 50000},
	};
	static const char *const refused[] = {"0", "0ms", "p0", "p0.0", "p100", "p", "p99.", "p99%",
		"p-1", "p99.99999", "fast", ""};
	struct call_request request = parsed("libc:malloc", NULL);
	struct why why = {""};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(call_set_slower(&request, rows[i].text, &why), 0);
		assert_int_equal(request.slow_from_ns, rows[i].from_ns);
		assert_int_equal(request.slow_percentile, rows[i].percentile);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (!call_set_slower(&request, refused[i], &why))
			fail_msg("%s is taken", refused[i]);
		assert_non_null(strstr(why.text, "--slower"));
	}
	call_clear(&request);
}

static void an_argument_may_be_tested(void **state)
{
	static const char *const refused[] = {
		"arg0>1", "arg7>1", "arg11>1", "ret<0", "arg1", "arg1>", "arg1>x", "bytes>1", ""};
	struct call_request request = parsed("syscall:read", NULL);
	struct why why = {""};

	(void)state;
	assert_int_equal(call_set_condition(&request, "arg3 >= 0x1000", &why), 0);
	assert_string_equal(request.tested, "arg3");
	assert_string_equal(request.test, "arg3 >= 0x1000");
	assert_int_equal(request.condition, CONDITION_LEAST);
	assert_int_equal(request.limit, 4096);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (!call_set_condition(&request, refused[i], &why))
			fail_msg("%s is taken", refused[i]);
	assert_string_equal(request.tested, "arg3");
	call_clear(&request);
}

static void system_calls_are_known_by_number_and_name(void **state)
{
	(void)state;
	assert_int_equal(syscall_number("nosuchcall"), -1);
	assert_true(syscall_number("futex") > 0);
	assert_string_equal(syscall_name((unsigned int)syscall_number("futex")), "futex");
	assert_string_equal(syscall_name((unsigned int)syscall_number("pread")), "pread64");
	assert_null(syscall_name(SYSCALLS_MOST));
	assert_null(syscall_name(SYSCALLS_MOST - 1));
#ifdef __x86_64__
	assert_string_equal(syscall_name(0), "read");
	assert_int_equal(syscall_number("openat"), 257);
#endif
}

static void marks_are_paired_by_their_names(void **state)
{
	static const char *const names[] = {"query__start", "query__done", "sort__start",
		"sort__done", "sort__end", "function__entry", "function__return", "io_begin",
		"io_end", "req-start", "req-stop", "lonely__start", "plain"};
	static const struct {
		const char *asked, *begin, *end;
	} rows[] = {
		{"query__start", "query__start", "query__done"},
		{"query", "query__start", "query__done"},
		{"sort", "sort__start", "sort__done"},
		{"function__entry", "function__entry", "function__return"},
		{"function", "function__entry", "function__return"},
		{"io_begin", "io_begin", "io_end"},
		{"io", "io_begin", "io_end"},
		{"req-start", "req-start", "req-stop"},
		{"lonely__start", NULL, NULL},
		{"query__done", NULL, NULL},
		{"plain", NULL, NULL},
		{"", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *begin = NULL, *end = NULL;
		bool is_found = call_mark_end(
			rows[i].asked, names, sizeof(names) / sizeof(names[0]), &begin, &end);
		assert_int_equal(is_found, rows[i].begin != NULL);
		assert_same(begin, rows[i].begin);
		assert_same(end, rows[i].end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_may_be_given_in_each_way),
		cmocka_unit_test(what_is_no_call_is_refused_with_what_to_do),
		cmocka_unit_test(slow_is_a_time_or_a_percentile),
		cmocka_unit_test(an_argument_may_be_tested),
		cmocka_unit_test(system_calls_are_known_by_number_and_name),
		cmocka_unit_test(marks_are_paired_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
