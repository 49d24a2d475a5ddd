// SPDX-License-Identifier: GPL-2.0-or-later
/* Other tools' stacks: what each format says, and that nothing in them does harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

#include "stacks_text.h"

/* The text gives these folded lines in this format, and nothing is skipped. */
static void expect(const char *text, enum stack_format format, const char *folded)
{
	struct read_text got = read_string(text);

	assert_int_equal(got.error, 0);
	assert_int_equal(got.format, format);
	assert_string_equal(got.folded, folded);
	assert_int_equal(skipped_total(&got.skipped), 0);
	free(got.folded);
}

static void folded_lines_are_split(void **state)
{
	(void)state;
	expect("a;b;c 12\nmy prog;f(int, char) 3\n", STACKS_FOLDED,
		"a;b;c 12\nmy prog;f(int, char) 3\n");
	expect("a;k_[k] 1\r\nb 2", STACKS_FOLDED, "a;k_[k]@k 1\nb 2\n");
	expect(";;a;;b;; 5\n", STACKS_FOLDED, "a;b 5\n");
}

static void two_columns_are_before_and_after(void **state)
{
	(void)state;
	expect("a;b 12 15\na;c 1 2\n", STACKS_FOLDED_DIFF, "a;b 12 15\na;c 1 2\n");
	/* One line of one count, and the others are names that end with a number. */
	expect("a;thread 12 15\na;c 2\n", STACKS_FOLDED, "a;thread 12 15\na;c 2\n");
}

static void fractions_are_carried(void **state)
{
	(void)state;
	expect("a 1.5\nb 1.25\nc 1.25\n", STACKS_FOLDED, "a 1\nb 1\nc 2\n");
}

static void bad_folded_lines_are_counted_by_reason(void **state)
{
	struct read_text got =
		read_string("a;b 1\nno count here\na;b -3\na;b 99999999999999999999\n"
			    "77\n;; 5\n# a comment\n\na;c 9223372036854775806\n");
	(void)state;

	assert_int_equal(got.error, 0);
	assert_string_equal(got.folded, "a;b 1\na;c 9223372036854775806\n");
	assert_int_equal(got.skipped.lines, 9);
	assert_int_equal(got.skipped.counts[SKIP_NO_COUNT], 1);
	assert_int_equal(got.skipped.counts[SKIP_NEGATIVE], 1);
	assert_int_equal(got.skipped.counts[SKIP_TOO_LARGE], 1);
	assert_int_equal(got.skipped.counts[SKIP_NO_STACK], 2);
	assert_int_equal(skipped_total(&got.skipped), 5);
	char *words = skipped_words(&got.skipped);
	assert_string_equal(words, "skipped 5 of 9 lines: 1 without a count, 1 with a count below "
				   "zero, 1 with a count "
				   "too large, 2 without a stack");
	free(words);
	free(got.folded);
}

static void maps_of_bpftrace_are_turned_root_first(void **state)
{
	struct read_text got;
	(void)state;

	expect("Attaching 1 probe...\n\n@[\n    leaf+12\n    schedule+35\n]: 4\n" + 22,
		STACKS_BPFTRACE, "schedule;leaf 4\n");
	expect("@[\n    k1+1\n    k0+0x2\n, \n    u1+3\n    0x7f00\n, my comm, 12]: 7\n",
		STACKS_BPFTRACE, "my comm;12;0x7f00;u1;k0;k1 7\n");
	expect("@us[comm, \n    a+1\n    b+2\n]: 9\n", STACKS_BPFTRACE, "comm;b;a 9\n");
	got = read_string("@us[\n    a\n]: 1\n@h[\n    b\n]: \n[2, 4)    1 |@@@|\n@n: 5\n");
	assert_string_equal(got.folded, "a 1\n");
	assert_string_equal(got.unit, "us");
	assert_int_equal(got.skipped.counts[SKIP_HISTOGRAM], 1);
	assert_int_equal(got.skipped.counts[SKIP_UNKNOWN], 1);
	assert_int_equal(got.skipped.counts[SKIP_NO_STACK], 1);
	free(got.folded);
}

static void stacks_of_bcc_are_turned_root_first(void **state)
{
	(void)state;
	expect("    finish_task_switch\n    schedule\n    main\n"
	       "    -                my comm (12)\n        34\n\n"
	       "    b'read+0x1c'\n    --\n    b'f'\n    -                b (1)\n        5\n\n",
		STACKS_BCC, "my comm;main;schedule;finish_task_switch 34\nb;f;--;read 5\n");
	expect("    waker:           swapper/0 0\n    root\n    try_to_wake_up\n"
	       "    --               --\n    schedule\n    read\n"
	       "    target:          cat 12\n        9\n\n",
		STACKS_BCC, "cat;read;schedule;--;try_to_wake_up;root;swapper/0 9\n");
}

static const char perf_samples[] =
	"my prog  12/13 [001]  10.000001:     250000 cpu-clock: \n"
	"\tffffffff81000010 do_work+0x10 ([kernel.kallsyms])\n"
	"\t            1000 std::map<int, char (*)(int)>::find(int) const+0x10 (/lib/a (deleted))\n"
	"\t            2000 [unknown] (/bin/prog)\n"
	"\n"
	"my prog  12/13 [001]  10.250001:     250000 cpu-clock: \n"
	"\tffffffff81000018 do_work+0x18 ([kernel.kallsyms])\n"
	"\t            1000 std::map<int, char (*)(int)>::find(int) const+0x10 (/lib/a (deleted))\n"
	"\t            2000 [unknown] (/bin/prog)\n"
	"\n";

static void samples_of_perf_weigh_their_periods(void **state)
{
	(void)state;
	expect(perf_samples, STACKS_PERF,
		"my prog;[prog];std::map<int, char (*)(int)>::find;do_work@k 250000\n"
		"my prog;[prog];std::map<int, char (*)(int)>::find;do_work@k 250000\n");
	/* Nothing but comm and stack, as with -F comm,ip,sym. */
	expect("a b \n\t  1000 f\n\t  2000 main\n\na b \n\t  1000 f\n\t  2000 main\n\n",
		STACKS_PERF, "a b;main;f 2\n");
	/* No stacks: the address is on the line. */
	expect("sh 7  1.500000:  1 cycles:  ffffffff81000010 do_work+0x1 ([kernel.kallsyms])\n",
		STACKS_PERF, "sh;do_work@k 1\n");
}

static struct read_text ask(const char *text, struct stacks_asked asked)
{
	return read_asked(text, strlen(text), &asked);
}

static void forget(struct read_text *text)
{
	free(text->folded);
	stacks_told_clear(&text->told);
}

static void events_of_perf_are_shown_one_at_a_time(void **state)
{
	static const char text[] =
		"# captured on: Monday\n"
		"my prog 12 1.000001:          9 page-faults: \n\t10 f (/bin/p)\n\n"
		"my prog 12 1.000002:     250250   cpu-clock: \n\t20 g (/bin/p)\n\n"
		"my prog 12 1.000003:         11 page-faults: \n\t10 f (/bin/p)\n\n"
		"my prog 12 [001] 1.000004: syscalls:sys_enter_mmap: addr: 0x0, "
		"fd: 0x3\n\t30 mmap64 (/lib/c.so)\n\n";
	struct read_text read = ask(text, (struct stacks_asked){0});
	(void)state;

	assert_string_equal(read.folded, "my prog;f 20\n");
	assert_string_equal(read.unit, "page-faults");
	assert_int_equal(read.count, 2);
	assert_int_equal(read.told.events.count, 3);
	assert_int_equal(read.told.shown, 0);
	assert_string_equal(read.told.events.at[1].name, "cpu-clock");
	assert_string_equal(read.told.events.at[2].name, "syscalls:sys_enter_mmap");
	forget(&read);
	read = ask(text, (struct stacks_asked){.event = "cpu-clock"});
	assert_string_equal(read.folded, "my prog;g 250250\n");
	assert_string_equal(read.unit, "ns");
	forget(&read);
	read = ask(text, (struct stacks_asked){.event = "syscalls:sys_enter_mmap"});
	assert_string_equal(read.folded, "my prog;mmap64 1\n");
	assert_string_equal(read.unit, "samples");
	forget(&read);
	read = ask(text, (struct stacks_asked){.event = "cycles"});
	assert_int_equal(read.error, -ENOENT);
	assert_non_null(strstr(read.why.text, "page-faults, cpu-clock"));
	forget(&read);
}

static void frames_without_names_keep_their_files(void **state)
{
	(void)state;
	expect("a 1 1.0: 1 cycles: \n"
	       "\t    7f1 [unknown] (/usr/lib/libpthread-2.19.so)\n"
	       "\t    7f2 [unknown] (/tmp/perf-123.map)\n"
	       "\t    7f3 [unknown] (/usr/lib/libz.so.1+0x1a2b)\n"
	       "\t    7f4 [unknown] ([vdso])\n"
	       "\t    7f5 [unknown] (/x/y (deleted))\n"
	       "\tffffffff81000010 [unknown] ([kernel.kallsyms])\n"
	       "\t    7f6 [unknown] ([unknown])\n\n",
		STACKS_PERF,
		"a;[unknown];[kernel]@k;[y (deleted)];[vdso];libz.so.1+0x1a2b;[perf-123.map];"
		"[libpthread-2.19.so] 1\n");
}

static void names_of_frames_are_tidy_unless_full_ones_are_asked_for(void **state)
{
	static const char text[] = "a 1 1.0: 1 cycles: \n"
				   "\t10 void f<int>(int)+0x10 (/bin/a)\n"
				   "\t11 java.util.HashMap.get(Object) (/tmp/perf-1.map)\n"
				   "\t12 get(Object) (/tmp/perf-1.map)\n\n";
	struct read_text read = ask(text, (struct stacks_asked){0});
	(void)state;

	assert_string_equal(read.folded, "a;get(Object);java.util.HashMap.get(Object);f<int> 1\n");
	forget(&read);
	read = ask(text, (struct stacks_asked){.has_full_names = true, .has_suffixes = true});
	assert_string_equal(read.folded,
		"a;get(Object)_[j];java.util.HashMap.get(Object)_[j];void f<int>(int) 1\n");
	forget(&read);
	expect("@[\n    a::f(int)+12\n    main+4\n]: 5\n", STACKS_BPFTRACE, "main;a::f 5\n");
	/* Folded text is as its maker wanted it. */
	expect("a;f(int) 5\n", STACKS_FOLDED, "a;f(int) 5\n");
}

static void inlined_frames_are_marked(void **state)
{
	static const char text[] = "a 1 1.0: 1 cycles: \n\t10 small+0x10 (inlined)\n"
				   "\t10 large+0x10 (/bin/a)\n"
				   "\tffffffff81000010 work ([kernel.kallsyms])\n\n";
	struct read_text read = ask(text, (struct stacks_asked){.has_suffixes = true});
	(void)state;

	assert_string_equal(read.folded, "a;work_[k]@k;large;small_[i] 1\n");
	forget(&read);
}

static void lines_of_source_are_no_frames(void **state)
{
	struct read_text read =
		ask("a b 1 1.0: 1 cycles: \n\t10 f+0x1 (/bin/a)\n  my file.c:12\n"
		    "\t20 g (/bin/a)\n  :0\n\t30 h (/bin/a)\n  a.c:3 (discriminator 2)\n"
		    "\t40 i (/bin/a)\n  a[29d90]\n\n",
			(struct stacks_asked){0});
	(void)state;

	assert_string_equal(read.folded, "a b;i;h;g;f 1\n");
	assert_int_equal(skipped_total(&read.skipped), 0);
	forget(&read);
}

static void a_text_that_is_mostly_something_else_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} cases[] = {
		{"Analysis of sampling x (pid 1) every 1 millisecond\nProcess: x [1]\n\n"
		 "Call graph:\n    203 Thread_1\n    + 203 start  (in dyld) + 1  [0x7]\n"
		 "    -       x\n       3\n",
			"sample (macOS)"},
		{"\n    libc.so.1`read+0xa\n    a.out`main+0x5\n    5\n\n", "DTrace"},
		{"# Overhead  Command\n# ........\n  14.16%  w  f\n", "report of perf"},
		{"<svg width=\"1\"></svg>\n", "picture"},
		{"{\"traceEvents\": []}\n", "JSON"},
		{"a;b 1\nthis\nand\nthat\n", "folded text, but 3 of its 4 lines"},
		{"    f\n    -       x (1)\n    3\n\n    g\n    h\n    i\n    j\n\n",
			"bcc stacks, but 4 of its 7 lines make no sense as that: 1 without a "
			"count"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct read_text read = ask(cases[i].text, (struct stacks_asked){0});
		assert_int_equal(read.error, -EINVAL);
		if (!strstr(read.why.text, cases[i].words))
			fail_msg("%s", read.why.text);
		forget(&read);
	}
}

static void switches_of_perf_are_off_cpu_time(void **state)
{
	(void)state;
	expect("a 1 [000] 1.000000: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
	       "prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n"
	       "\tffffffff81000000 perf_trace_sched_switch+0x1 ([kernel.kallsyms])\n"
	       "\tffffffff82000000 __schedule+0x1 ([kernel.kallsyms])\n"
	       "\t            1000 main+0x1 (/bin/a)\n\n"
	       "b 2 [001] 1.000300: sched:sched_waking: comm=a pid=1 prio=120 target_cpu=000\n\n"
	       "swapper 0 [000] 1.000500: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 "
	       "prev_prio=120 prev_state=R ==> next_comm=a next_pid=1 next_prio=120\n\n",
		STACKS_PERF, "a;main;__schedule@k 300000\na;main;__schedule@k;[runq] 200000\n");
}

/* Text in both packings, as two members each, gives what the plain text gives. */
static void packed_text_reads_like_plain(void **state)
{
	char plain[200000];
	size_t length = 0;
	(void)state;

	while (length + 64 < sizeof(plain))
		length += (size_t)snprintf(plain + length, 64, "root;f%zu;g 1\n", length % 977);
	struct read_text want = read_bytes(plain, length);
	unsigned char packed[sizeof(plain) + 4096];
	size_t used = 0;
	for (int i = 0; i < 2; i++) {
		z_stream gzip = {.next_in = (unsigned char *)plain + (i ? length / 2 : 0),
			.avail_in = (unsigned int)(i ? length - length / 2 : length / 2),
			.next_out = packed + used,
			.avail_out = (unsigned int)(sizeof(packed) - used)};
		assert_int_equal(deflateInit2(&gzip, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
		assert_int_equal(deflate(&gzip, Z_FINISH), Z_STREAM_END);
		used += gzip.total_out;
		deflateEnd(&gzip);
	}
	struct read_text got = read_bytes(packed, used);
	assert_int_equal(got.error, 0);
	assert_string_equal(got.folded, want.folded);
	free(got.folded);
	got = read_bytes(packed, used - 9);
	assert_int_equal(got.error, -EBADMSG);
	free(got.folded);
	used = ZSTD_compress(packed, sizeof(packed), plain, length, 3);
	got = read_bytes(packed, used);
	assert_string_equal(got.folded, want.folded);
	free(got.folded);
	got = read_bytes(packed, used / 2);
	assert_int_equal(got.error, -EBADMSG);
	free(got.folded);
	free(want.folded);
}

static void deep_stacks_and_long_names_pass(void **state)
{
	size_t bytes = (4u << 20) + 64;
	char *text = xmalloc(bytes);
	char *at = text;
	(void)state;

	for (int i = 0; i < 10000; i++)
		at += sprintf(at, "f%d;", i);
	at += sprintf(at, "leaf 1\nroot;");
	memset(at, 'x', 1u << 20);
	at += 1u << 20;
	at += sprintf(at, " 2\nroot");
	for (int i = 0; i < 20000; i++)
		at += sprintf(at, ";g%d", i);
	at += sprintf(at, " 3\n");
	struct read_text got = read_bytes(text, (size_t)(at - text));
	assert_int_equal(got.error, 0);
	assert_int_equal(got.stacks, 3);
	assert_int_equal(got.weight, 6);
	assert_int_equal(got.longest, 1u << 20);
	assert_int_equal(got.deepest, STACKS_MAX_DEPTH);
	assert_int_equal(got.skipped.counts[SKIP_CUT], 1);
	assert_non_null(strstr(got.folded, "\nroot;g3617;"));
	free(got.folded);
	free(text);
}

static void hostile_names_are_kept_as_they_are(void **state)
{
	struct read_text got = read_string("a;<script>alert(1)</script>;]]> 1\na;\xff\xfe\x80 2\n");
	(void)state;

	assert_int_equal(got.error, 0);
	assert_string_equal(got.folded, "a;<script>alert(1)</script>;]]> 1\na;\xff\xfe\x80 2\n");
	assert_int_equal(got.skipped.counts[SKIP_NOT_UTF8], 1);
	assert_int_equal(skipped_total(&got.skipped), 0);
	free(got.folded);
}

static void lines_with_nul_bytes_and_endless_lines_are_left_out(void **state)
{
	size_t bytes = (17u << 20) + 64;
	char *text = xmalloc(bytes);
	char *at = text;
	(void)state;

	memcpy(at, "a;b 1\na;\0b 2\n", 13);
	at += 13;
	memset(at, 'x', 17u << 20);
	at += 17u << 20;
	at += sprintf(at, " 5\nc 3\n");
	struct read_text got = read_bytes(text, (size_t)(at - text));
	assert_int_equal(got.error, 0);
	assert_string_equal(got.folded, "a;b 1\nc 3\n");
	assert_int_equal(got.skipped.counts[SKIP_BINARY], 1);
	assert_int_equal(got.skipped.counts[SKIP_TOO_LONG], 1);
	free(got.folded);
	free(text);
}

static void what_is_no_text_of_stacks_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		int error;
		const char *why;
	} cases[] = {{"", 0, -ENODATA, "empty"}, {"PERFILE2\0\0\0", 11, -EINVAL, "perf script -i"},
		{"SQLite format 3\0\1", 17, -EINVAL, "recording"},
		{"some prose\nand more of it\n", 26, -EINVAL, "no format"},
		{"\1\2\3\377\0\n\4\5\0\0", 10, -EINVAL, "no format"},
		{"a\0b 1\nc\0d e: 2\n", 16, -EINVAL, "no format"}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct read_text got = read_bytes(cases[i].bytes, cases[i].length);
		assert_int_equal(got.error, cases[i].error);
		assert_non_null(strstr(got.why.text, cases[i].why));
		assert_string_equal(got.folded, "");
		free(got.folded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_lines_are_split),
		cmocka_unit_test(two_columns_are_before_and_after),
		cmocka_unit_test(fractions_are_carried),
		cmocka_unit_test(bad_folded_lines_are_counted_by_reason),
		cmocka_unit_test(maps_of_bpftrace_are_turned_root_first),
		cmocka_unit_test(stacks_of_bcc_are_turned_root_first),
		cmocka_unit_test(samples_of_perf_weigh_their_periods),
		cmocka_unit_test(events_of_perf_are_shown_one_at_a_time),
		cmocka_unit_test(frames_without_names_keep_their_files),
		cmocka_unit_test(names_of_frames_are_tidy_unless_full_ones_are_asked_for),
		cmocka_unit_test(inlined_frames_are_marked),
		cmocka_unit_test(lines_of_source_are_no_frames),
		cmocka_unit_test(a_text_that_is_mostly_something_else_is_refused),
		cmocka_unit_test(switches_of_perf_are_off_cpu_time),
		cmocka_unit_test(packed_text_reads_like_plain),
		cmocka_unit_test(deep_stacks_and_long_names_pass),
		cmocka_unit_test(hostile_names_are_kept_as_they_are),
		cmocka_unit_test(lines_with_nul_bytes_and_endless_lines_are_left_out),
		cmocka_unit_test(what_is_no_text_of_stacks_is_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
