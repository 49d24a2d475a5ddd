// SPDX-License-Identifier: GPL-2.0-or-later
/* Imports as recordings: what is written can be read, adds up, and says what the text said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <errno.h>

#include "format/folded.h"
#include "format/import.h"
#include "profile/summary/conservation.h"
#include "profile/view.h"
#include "util/units.h"

#define NO_OPTIONS                                                                                 \
	{                                                                                          \
		.state = TIME_RUNNING, .slice_ns = NS_PER_S, .command_line = "test"                \
	}

struct imported {
	char path[64];
	struct recording *recording;
	struct import_summary summary;
	struct skipped skipped;
	int error;
};

static int read_string(struct import *import, const char *text)
{
	struct why why = {""};
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int error = import_read(import, in, &why);

	fclose(in);
	return error;
}

static struct imported import_text(const char *text, struct import_options options)
{
	struct imported imported = {.path = "/tmp/dwell-import.XXXXXX"};
	struct import *import = import_new(&options);
	struct why why = {""};
	int fd = mkstemp(imported.path);

	assert_true(fd >= 0);
	close(fd);
	imported.error = read_string(import, text);
	if (!imported.error)
		imported.error = import_write(import, imported.path, &imported.summary, &why);
	imported.skipped = *import_skipped(import);
	import_free(import);
	if (!imported.error) {
		struct conservation check;
		assert_int_equal(recording_open(imported.path, &imported.recording, &why), 0);
		assert_int_equal(conservation_check(imported.recording, &check, &why), 0);
		assert_int_equal(check.expected_ns, check.accounted_ns);
		assert_int_equal(check.worst_thread_ns, 0);
		assert_int_equal(check.worst_slice_ns, 0);
		assert_true(recording_meta(imported.recording)->is_finished);
	}
	return imported;
}

static void forget(struct imported *imported)
{
	recording_free(imported->recording);
	unlink(imported->path);
}

/* A view of the import as folded text, in ns, with suffixes. */
static void expect_type(struct imported *imported, const struct view_type *view, bool has_suffixes,
	const char *folded)
{
	struct view_filter filter;
	const struct stack_shape shape = {
		.by = {BY_COMM}, .by_count = 1, .has_suffixes = has_suffixes};
	struct folded_options options = {.unit_ns = 1};
	struct profile profile;
	struct why why = {""};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	view_filter_init(&filter);
	assert_int_equal(
		profile_of_view(imported->recording, view, &filter, &shape, &profile, &why), 0);
	folded_write(&profile.tree, &options, out);
	fclose(out);
	assert_string_equal(text, folded);
	free(text);
	profile_clear(&profile);
	view_filter_clear(&filter);
}

static void expect_view(struct imported *imported, enum view view, const char *folded)
{
	expect_type(imported, view_type(view), false, folded);
}

static void expect_measure(
	struct imported *imported, const char *name, enum unit unit, const char *folded)
{
	struct view_choice view;
	struct why why = {""};

	assert_int_equal(view_choose(imported->recording, name, &view, &why), 0);
	assert_int_equal(view.type.unit, unit);
	expect_type(imported, &view.type, true, folded);
	view_choice_clear(&view);
}

static const char trace[] =
	"a 1 [000] 1.000000: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
	"prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n"
	"\tffffffff82000000 __schedule+0x1 ([kernel.kallsyms])\n"
	"\tffffffff82000100 do_syscall_64+0x1 ([kernel.kallsyms])\n"
	"\t            1000 main+0x1 (/bin/a)\n"
	"\t            2000 __libc_start_main+0x1 (/lib/libc.so)\n\n"
	"b 2 [001] 3.500000: sched:sched_waking: comm=a pid=1 prio=120 target_cpu=000\n\n"
	"swapper 0 [000] 3.500500: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 "
	"prev_prio=120 prev_state=R ==> next_comm=a next_pid=1 next_prio=120\n\n"
	"a 1 [000] 3.600500: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
	"prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120\n\n";

static void a_scheduler_trace_becomes_full_books(void **state)
{
	struct imported imported = import_text(trace, (struct import_options)NO_OPTIONS);
	size_t count;
	(void)state;

	assert_int_equal(imported.error, 0);
	const struct rec_thread *threads = recording_threads(imported.recording, &count);
	assert_int_equal(count, 1);
	assert_int_equal(threads[0].tid, 1);
	assert_string_equal(threads[0].comm, "a");
	assert_int_equal(threads[0].total_ns[TIME_BLOCKED], 2500 * NS_PER_MS);
	assert_int_equal(threads[0].total_ns[TIME_WOKEN], 500 * NS_PER_US);
	assert_int_equal(threads[0].total_ns[TIME_RUNNING], 100 * NS_PER_MS);
	assert_int_equal(recording_slice_count(imported.recording), 3);
	expect_view(&imported, VIEW_OFFCPU,
		"a;__libc_start_main;main;do_syscall_64;__schedule 2500000000\n"
		"a;__libc_start_main;main;do_syscall_64;__schedule;[runq] 500000\n");
	forget(&imported);
}

static void samples_become_running_time(void **state)
{
	struct imported imported = import_text("p 12/13 [000] 1.0: 250000 cpu-clock: \n\t1000 "
					       "f+0x1 (/bin/p)\n\t2000 _start (/bin/p)\n\n"
					       "p 12/13 [000] 2.0: 250000 cpu-clock: \n\t1008 "
					       "f+0x9 (/bin/p)\n\t2000 _start (/bin/p)\n\n",
		(struct import_options)NO_OPTIONS);
	(void)state;

	assert_int_equal(imported.error, 0);
	expect_view(&imported, VIEW_ONCPU, "p;_start;f 500000\n");
	assert_int_equal(recording_process_of(imported.recording,
				 recording_threads(imported.recording, &(size_t){0}))
				 ->pid,
		12);
	forget(&imported);
}

#define ROOT "\t3000 _start (/bin/p)\n"

static void each_event_becomes_a_measure_and_clocks_are_running_time(void **state)
{
	struct imported imported = import_text(
		"p 12/13 [000] 1.0: 9 page-faults: \n\t1000 f(int)+0x1 (/bin/p)\n" ROOT "\n"
		"p 12/13 [000] 1.1: 250 cpu-clock:u: \n\t2000 g (inlined)\n\t2000 h (/bin/p)\n" ROOT
		"\n"
		"p 12/13 [000] 1.2: 750 cpu-clock:u: \n\t2008 [unknown] (/lib/l.so)\n" ROOT "\n"
		"p 12/13 [000] 1.3: 11 page-faults: \n\t1004 f(int)+0x5 (/bin/p)\n" ROOT "\n"
		"p 12/13 [000] 1.4: cache-misses: \n\t1004 f(int)+0x5 (/bin/p)\n" ROOT "\n"
		"swapper 0/0 [000] 1.5: 500 cpu-clock:u: \n\tffffffff81000010 idle ([kernel])\n\n",
		(struct import_options)NO_OPTIONS);
	(void)state;

	assert_int_equal(imported.error, 0);
	assert_int_equal(imported.summary.samples, 2);
	assert_int_equal(imported.summary.events, 4);
	expect_measure(&imported, "page-faults", UNIT_COUNT, "p;_start;f 20\n");
	expect_measure(&imported, "cpu-clock:u", UNIT_NS,
		"p;_start;[l.so] 750\np;_start;h;g_[i] 250\nswapper;idle_[k] 500\n");
	expect_measure(&imported, "cache-misses", UNIT_COUNT, "p;_start;f 1\n");
	/* Idle CPUs are nobody's time. */
	assert_int_equal(recording_meta(imported.recording)->accounted_ns, 1000);
	forget(&imported);
}

static uint64_t loss_count(const struct imported *imported, enum loss loss)
{
	size_t count;
	const struct rec_loss *losses = recording_losses(imported->recording, &count);

	for (size_t i = 0; i < count; i++)
		if (losses[i].loss == loss)
			return losses[i].count;
	return 0;
}

/* A hybrid machine has one event of cycles for each of its two kinds of CPUs. */
static void cycles_of_both_kinds_of_cpus_are_running_time(void **state)
{
	struct import_options options = NO_OPTIONS;
	(void)state;

	options.sample_hz = 100;
	struct imported imported = import_text(
		"p 12/13 [000] 1.0: 90 cpu_core/cycles/P: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 12/13 [009] 1.1: 7 cpu_atom/cycles/P: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 12/13 [000] 1.2: 90 cpu_core/cycles/P: \n\t1000 f (/bin/p)\n" ROOT "\n",
		options);
	struct view_choice view;
	struct why why = {""};
	assert_int_equal(imported.error, 0);
	assert_int_equal(imported.summary.samples, 3);
	assert_int_equal(recording_meta(imported.recording)->accounted_ns, 30 * NS_PER_MS);
	assert_string_equal(recording_meta(imported.recording)->sample_event,
		"cpu_core/cycles/P, cpu_atom/cycles/P");
	assert_int_equal(loss_count(&imported, LOSS_OTHER_SAMPLES), 0);
	expect_measure(&imported, "cpu_core/cycles/P", UNIT_COUNT, "p;_start;f 180\n");
	expect_measure(&imported, "cpu_atom/cycles/P", UNIT_COUNT, "p;_start;f 7\n");
	assert_int_equal(view_choose(imported.recording, "cpu_core/cycles/P", &view, &why), 0);
	assert_string_equal(view.type.weight, "cpu_core/cycles/P");
	view_choice_clear(&view);
	forget(&imported);
}

static void a_second_clock_is_no_running_time_and_that_is_told(void **state)
{
	struct import_options options = NO_OPTIONS;
	(void)state;

	options.sample_hz = 100;
	struct imported imported = import_text(
		"p 12/13 [000] 1.0: cycles:u: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 12/13 [000] 1.1: cpu-clock: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 12/13 [000] 1.2: page-faults: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"swapper 0/0 [000] 1.5: cpu-clock: \n\tffffffff81000010 idle ([kernel])\n\n",
		options);
	assert_int_equal(imported.error, 0);
	assert_int_equal(recording_meta(imported.recording)->accounted_ns, 10 * NS_PER_MS);
	assert_int_equal(loss_count(&imported, LOSS_OTHER_SAMPLES), 1);
	assert_int_equal(imported.summary.other_samples, 1);
	expect_measure(&imported, "cpu-clock", UNIT_COUNT, "p;_start;f 1\nswapper;idle_[k] 1\n");
	forget(&imported);
}

/* Readers refuse recordings whose counts of all measures together pass 2^62. */
static void periods_that_are_too_large_are_left_out(void **state)
{
	struct imported imported = import_text(
		"p 1/1 [000] 1.0: 9223372036854775807 page-faults: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 1/1 [000] 1.1: 4611686018427387800 faults: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 1/1 [000] 1.2: 2000 faults: \n\t1000 g (/bin/p)\n" ROOT "\n"
		"p 1/1 [000] 1.3: 2000 page-faults: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 1/1 [000] 1.4: 100 page-faults: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 1/1 [000] 1.5: 101 page-faults: \n\t1000 f (/bin/p)\n" ROOT "\n"
		"p 1/1 [000] 1.6: 1 page-faults: \n\t1000 f (/bin/p)\n" ROOT "\n",
		(struct import_options)NO_OPTIONS);
	(void)state;

	assert_int_equal(imported.error, 0);
	/* 2^62 is ...7904: 4 are left over. */
	assert_int_equal(imported.summary.too_large, 4);
	assert_int_equal(loss_count(&imported, LOSS_TOO_LARGE), 4);
	expect_measure(&imported, "page-faults", UNIT_COUNT, "p;_start;f 101\n");
	expect_measure(&imported, "faults", UNIT_COUNT, "p;_start;f 4611686018427387800\n");
	forget(&imported);
}

static void samples_that_are_no_time_make_none(void **state)
{
	struct import_options options = NO_OPTIONS;
	(void)state;

	options.has_full_names = true;
	struct imported imported = import_text(
		"p 12/13 [000] 1.0: 9 page-faults: \n\t1000 f(int)+0x1 (/bin/p)\n" ROOT "\n",
		options);
	assert_int_equal(imported.error, 0);
	assert_int_equal(recording_meta(imported.recording)->accounted_ns, 0);
	expect_view(&imported, VIEW_ONCPU, "");
	expect_measure(&imported, "page-faults", UNIT_COUNT, "p;_start;f(int) 9\n");
	forget(&imported);
}

static void events_beside_switches_are_measures_too(void **state)
{
	char *text =
		xasprintf("%sa 1 [000] 1.700000: 9 page-faults: \n\t1000 f (/bin/p)\n" ROOT "\n"
			  "a 1 [000] 1.700000: sched:sched_stat_runtime: comm=a pid=1 "
			  "runtime=5 [ns] vruntime=6 [ns]\n\n",
			trace);
	struct imported imported = import_text(text, (struct import_options)NO_OPTIONS);
	size_t count;
	(void)state;

	assert_int_equal(imported.error, 0);
	expect_measure(&imported, "page-faults", UNIT_COUNT, "a;_start;f 9\n");
	recording_measures(imported.recording, &count);
	assert_int_equal(count, 1);
	forget(&imported);
	free(text);
}

static void folded_stacks_become_a_thread_for_each_first_frame(void **state)
{
	struct import_options options = NO_OPTIONS;
	(void)state;

	options.state = TIME_BLOCKED;
	struct imported imported =
		import_text("a;main;read_[k] 5\nb;main 7\na;main 1\na;x;--;waker 2\n", options);
	assert_int_equal(imported.summary.threads, 2);
	expect_view(
		&imported, VIEW_OFFCPU, "a;main 1000\na;main;read 5000\na;x 2000\nb;main 7000\n");
	forget(&imported);
	options.state = TIME_RUNNING;
	options.sample_hz = 100;
	imported = import_text("a;main;f 5\na;main 1\n", options);
	expect_view(&imported, VIEW_ONCPU, "a;main 10000000\na;main;f 50000000\n");
	expect_view(&imported, VIEW_OFFCPU, "");
	forget(&imported);
}

/* Lines share frames with the one before, also where that one is left out or ends at a waker. */
static void lines_that_begin_alike_stay_apart(void **state)
{
	struct import_options options = NO_OPTIONS;
	(void)state;

	options.state = TIME_BLOCKED;
	struct imported imported =
		import_text("a;m;f;g 1\na;m;f;h 0\na;m;f;h;i 2\na;m 3\n"
			    "a;m;f;--;w 4\na;m;f;--;w;v 5\na;m;f;--;x 6\n"
			    "a;m;n;-;k 7\nb;m;n;-;k 8\nb;m;n;-;k;do_syscall_64 0\n"
			    "b;m;n;-;k;- 9\nb 10\nc;m 0\n",
			options);
	assert_int_equal(imported.error, 0);
	assert_int_equal(imported.summary.threads, 2);
	expect_view(&imported, VIEW_OFFCPU,
		"a;m 3000\na;m;f 15000\na;m;f;g 1000\na;m;f;h;i 2000\na;m;n;k 7000\n"
		"b 10000\nb;m;n;k 8000\nb;m;n;k;- 9000\n");
	forget(&imported);
}

static void hostile_text_is_written_harmlessly(void **state)
{
	size_t bytes = 3u << 20;
	char *text = xmalloc(bytes), *at = text;
	(void)state;

	at += sprintf(at, "a;<script>]]>\x1b[31m;\xff\xfe 1\nb;");
	memset(at, 'n', 1u << 20);
	at += 1u << 20;
	at += sprintf(at, " 1\nc");
	for (int i = 0; i < 10000; i++)
		at += sprintf(at, ";f%d", i);
	sprintf(at, " 1\nd;e 9223372036854775806\n");
	struct imported imported = import_text(text, (struct import_options)NO_OPTIONS);
	assert_int_equal(imported.error, 0);
	assert_int_equal(imported.summary.threads, 3);
	assert_int_equal(imported.skipped.counts[SKIP_TOO_LARGE], 1);
	forget(&imported);
	free(text);
}

static void what_cannot_be_imported_is_refused(void **state)
{
	struct imported imported = import_text("prose\n", (struct import_options)NO_OPTIONS);
	(void)state;

	assert_int_equal(imported.error, -EINVAL);
	unlink(imported.path);
	imported = import_text("a;b 0\n", (struct import_options)NO_OPTIONS);
	assert_int_equal(imported.error, -ENODATA);
	unlink(imported.path);
	struct import *import = import_new(&(struct import_options)NO_OPTIONS);
	assert_int_equal(read_string(import, "a;b 1\n"), 0);
	assert_int_equal(read_string(import, trace), -EINVAL);
	import_free(import);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scheduler_trace_becomes_full_books),
		cmocka_unit_test(samples_become_running_time),
		cmocka_unit_test(each_event_becomes_a_measure_and_clocks_are_running_time),
		cmocka_unit_test(cycles_of_both_kinds_of_cpus_are_running_time),
		cmocka_unit_test(a_second_clock_is_no_running_time_and_that_is_told),
		cmocka_unit_test(periods_that_are_too_large_are_left_out),
		cmocka_unit_test(samples_that_are_no_time_make_none),
		cmocka_unit_test(events_beside_switches_are_measures_too),
		cmocka_unit_test(folded_stacks_become_a_thread_for_each_first_frame),
		cmocka_unit_test(lines_that_begin_alike_stay_apart),
		cmocka_unit_test(hostile_text_is_written_harmlessly),
		cmocka_unit_test(what_cannot_be_imported_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
