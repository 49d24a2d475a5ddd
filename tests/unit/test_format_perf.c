// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of `perf script`, in the variations that -F, versions and plugins make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "format/perf_line.h"
#include "format/perf_script.h"
#include "format/sched_fields.h"
#include "util/units.h"

static void assert_span(struct span got, const char *text)
{
	char copy[256] = "";

	assert_true(got.length < sizeof(copy));
	if (got.length)
		memcpy(copy, got.at, got.length);
	assert_string_equal(copy, text);
}

static struct span span(const char *text)
{
	return (struct span){text, strlen(text)};
}

static struct perf_head head_of(const char *text, bool has_stacks)
{
	struct perf_head head = {0};

	assert_true(perf_head_parse(span(text), has_stacks, &head));
	return head;
}

static void a_full_head_is_read(void **state)
{
	struct perf_head head = head_of(
		"gdb worker 2/21262 [003]  4752.182434567:  250000 cycles:u:  ffff f (x)", false);
	(void)state;

	assert_span(head.comm, "gdb worker");
	assert_int_equal(head.pid, 2);
	assert_int_equal(head.tid, 21262);
	assert_int_equal(head.cpu, 3);
	assert_int_equal(head.time_ns, 4752182434567);
	assert_int_equal(head.period, 250000);
	assert_span(head.event, "cycles:u");
	assert_span(head.fields, "ffff f (x)");
}

static void heads_may_lack_most_of_it(void **state)
{
	struct perf_head head =
		head_of("perf 21272  4752.5: sched:sched_waking: comm=a pid=1", false);
	(void)state;

	assert_span(head.comm, "perf");
	assert_int_equal(head.tid, 21272);
	assert_int_equal(head.time_ns, 4752 * NS_PER_S + NS_PER_S / 2);
	assert_false(head.has_period);
	assert_span(head.event, "sched:sched_waking");
	head = head_of("perf 21272          1       sched:sched_waking: ", false);
	assert_int_equal(head.tid, 21272);
	assert_int_equal(head.period, 1);
	head = head_of("Chrome 2 77 [001] 1.0: cycles:", false);
	assert_span(head.comm, "Chrome 2");
	assert_int_equal(head.tid, 77);
	head = head_of(":-1    -1 [000]  1.000000: sched:sched_switch: x", false);
	assert_span(head.comm, ":-1");
	assert_int_equal(head.tid, -1);
	head = head_of("just a comm ", true);
	assert_span(head.comm, "just a comm");
	assert_int_equal(head.tid, -1);
	assert_false(perf_head_parse(span("just a comm "), false, &head));
	assert_false(perf_head_parse(span(""), true, &head));
}

static struct perf_frame frame_of(const char *text)
{
	struct perf_frame frame = {0};

	assert_true(perf_frame_parse(span(text), &frame));
	return frame;
}

static void frames_are_read(void **state)
{
	struct perf_frame frame = frame_of("ffffffff821f7d98 __schedule+0x618 ([kernel.kallsyms])");
	(void)state;

	assert_true(frame.is_kernel);
	assert_int_equal(frame.address, 0xffffffff821f7d98);
	assert_int_equal(frame.offset, 0x618);
	assert_span(frame.name, "__schedule");
	assert_span(frame.object, "[kernel.kallsyms]");
	frame = frame_of("1000 f(int (*)(char)) const (/tmp/a b (deleted))");
	assert_false(frame.is_kernel);
	assert_span(frame.name, "f(int (*)(char)) const");
	assert_span(frame.object, "/tmp/a b (deleted)");
	frame = frame_of("12 ext4_sync+0x1 ([ext4])");
	assert_true(frame.is_kernel);
	frame = frame_of("12 f+0x1 ([vdso])");
	assert_false(frame.is_kernel);
	frame = frame_of("12 [unknown] (/bin/x)");
	assert_span(frame.name, "");
	frame = frame_of("12 small (inlined)");
	assert_true(frame.is_inlined);
	assert_span(frame.object, "");
	frame = frame_of("12 operator+ ");
	assert_span(frame.name, "operator+");
	assert_false(perf_frame_parse(span("file.c:12"), &frame));
	assert_false(perf_frame_parse(span(""), &frame));
	assert_false(perf_frame_parse(span("fffffffffffffffff f"), &frame));
}

static struct sched_fields fields_of(enum sched_event event, const char *text)
{
	struct sched_fields fields = {0};

	assert_true(sched_fields_parse(event, span(text), &fields));
	return fields;
}

static void switches_are_read_in_both_ways(void **state)
{
	static const char *const texts[] = {
		"prev_comm=a prev_pid=1 b prev_pid=12 prev_prio=120 prev_state=D ==> "
		"next_comm=c d next_pid=13 next_prio=98",
		"a prev_pid=1 b:12 [120] D ==> c d:13 [98]",
	};
	(void)state;

	for (size_t i = 0; i < 2; i++) {
		struct sched_fields fields = fields_of(SCHED_SWITCH, texts[i]);
		assert_span(fields.comm, "a prev_pid=1 b");
		assert_int_equal(fields.tid, 12);
		assert_int_equal(fields.letter, 'D');
		assert_false(fields.is_preempted);
		assert_span(fields.other_comm, "c d");
		assert_int_equal(fields.other_tid, 13);
	}
}

static void states_are_read(void **state)
{
	static const struct {
		const char *text;
		char letter;
		bool is_preempted;
		bool is_dead;
	} cases[] = {{"R", 'R', false, false}, {"R+", 'R', true, false}, {"S", 'S', false, false},
		{"D|K", 'D', false, false}, {"X", 'X', false, true}, {"Z", 'Z', false, true},
		{"0", 'R', false, false}, {"1", 'S', false, false}, {"2", 'D', false, false},
		{"256", 'R', false, false}, {"1026", 'I', false, false}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[200];
		snprintf(text, sizeof(text),
			"prev_comm=a prev_pid=1 prev_prio=1 prev_state=%s ==> next_comm=b "
			"next_pid=2 next_prio=1",
			cases[i].text);
		struct sched_fields fields = fields_of(SCHED_SWITCH, text);
		assert_int_equal(fields.letter, cases[i].letter);
		assert_int_equal(fields.is_preempted, cases[i].is_preempted);
		assert_int_equal(fields.is_dead, cases[i].is_dead);
	}
}

static void other_events_are_read(void **state)
{
	struct sched_fields fields =
		fields_of(SCHED_WAKING, "comm=x y pid=7 prio=1 target_cpu=001");
	(void)state;

	assert_span(fields.comm, "x y");
	assert_int_equal(fields.tid, 7);
	fields = fields_of(SCHED_WAKEUP, "x y:7 [120] success=1 CPU:000");
	assert_int_equal(fields.tid, 7);
	fields = fields_of(SCHED_FORK, "comm=a pid=1 child_comm=b child_pid=2");
	assert_int_equal(fields.other_tid, 2);
	fields = fields_of(SCHED_STAT_SLEEP, "comm=a pid=1 delay=12345 [ns]");
	assert_int_equal(fields.delay_ns, 12345);
	fields = fields_of(SCHED_EXEC, "filename=/bin/a b pid=3 old_pid=3");
	assert_int_equal(fields.tid, 3);
	assert_false(sched_fields_parse(SCHED_SWITCH, span("nonsense"), &fields));
	assert_false(sched_fields_parse(SCHED_STAT_SLEEP, span("comm=a pid=1"), &fields));
	assert_int_equal(sched_event_of(span("sched:sched_switch")), SCHED_SWITCH);
	assert_int_equal(sched_event_of(span("sched_switch")), SCHED_SWITCH);
	assert_int_equal(sched_event_of(span("sched:sched_migrate_task")), SCHED_OTHER);
	assert_int_equal(sched_event_of(span("cycles")), SCHED_NONE);
}

static struct perf_log log_of(const char *text)
{
	struct perf_log log = {0};
	struct skipped skipped = {0};
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct lines *lines = lines_new(in, &skipped);

	perf_log_read(&log, lines, &skipped);
	lines_free(lines);
	fclose(in);
	return log;
}

static void injected_waits_belong_to_the_sleeper(void **state)
{
	/* As recorded, the head is the waker's; after perf inject -s, the sleeper's. */
	struct perf_log log = log_of("waker 5 [000] 1.0:  700 sched:sched_stat_sleep: "
				     "comm=sleeper pid=9 delay=700 [ns]\n"
				     "\t 1000 f (x)\n\n"
				     "sleeper 9 [000] 2.0:  900 sched:sched_stat_sleep: "
				     "comm=junk pid=3 delay=4 [ns]\n"
				     "\t 1000 f (x)\n\n");
	(void)state;

	assert_int_equal(log.events.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(log.events.at[i].tid, 9);
		assert_int_equal(log.events.at[i].ns, i ? 900 : 700);
		assert_int_equal(log.events.at[i].stack != 0, i == 1);
	}
	perf_log_clear(&log);
}

static void records_that_are_no_events_are_none(void **state)
{
	/* As perf 6.1 prints them with --show-lost-events and --show-task-events. */
	struct perf_log log = log_of("kworker/u8:1-ev     0 [000]     0.000000: PERF_RECORD_COMM: "
				     "kworker/u8:1-ev:9043/9043\n"
				     "readlink 18536 [001] 13213.135137: PERF_RECORD_COMM exec: "
				     "readlink:18536/18536\n"
				     "bash 18530 [001] 13213.133757: "
				     "PERF_RECORD_EXIT(18530:18530):(18528:18528)\n"
				     "perf 18527 [001] 13213.682102: PERF_RECORD_LOST lost 266\n"
				     "a 1 [000] 13213.7: 250000 cpu-clock: 10 f (x)\n"
				     "a 1 [000] 13213.8: PERF_RECORD_LOST lost 10\n"
				     "a 1 [000] 13213.8: PERF_RECORD_LOST_SAMPLES\n");
	(void)state;

	assert_int_equal(log.events.count, 1);
	assert_int_equal(log.samples, 1);
	assert_int_equal(log.lost_events, 277);
	assert_int_equal(log.sampled.count, 1);
	perf_log_clear(&log);
}

static void a_stray_line_is_no_event(void **state)
{
	struct perf_log log =
		log_of("what is this\n\n"
		       "a 1 [000] 1.0: 250000 cpu-clock: 10 f (x)\n\n"
		       "what is that\n\n"
		       "a 1 [000] 2.0: 99999999999999999999999 cpu-clock: 10 f (x)\n");
	(void)state;

	assert_int_equal(log.events.count, 1);
	assert_int_equal(log.samples, 1);
	assert_int_equal(log.sampled.at[log.events.at[0].measure - 1].samples, 1);
	perf_log_clear(&log);
}

static void a_sample_is_worth_its_period_or_the_usual_gap(void **state)
{
	char text[4096];
	size_t length = 0;
	(void)state;

	struct perf_log log = log_of("a 1 [000] 1.0: 250000 cpu-clock: 10 f (x)\n");
	assert_int_equal(perf_log_weigh(&log, 0), 0);
	assert_int_equal(log.events.at[0].ns, 250000);
	assert_int_equal(perf_log_weigh(&log, 100), 10 * NS_PER_MS);
	assert_int_equal(log.events.at[0].ns, 10 * NS_PER_MS);
	perf_log_clear(&log);
	for (int i = 0; i < 20; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
			"a 1 [000] 1.%03d000: 99 cycles: 10 f (x)\n", i * 2);
	log = log_of(text);
	assert_int_equal(perf_log_weigh(&log, 0), 2 * NS_PER_MS);
	perf_log_clear(&log);
	log = log_of("# event : name = cycles, , { sample_period, sample_freq } = 500, freq = 1,\n"
		     "a 1 [000] 1.0: 7 cycles: 10 f (x)\n");
	assert_int_equal(perf_log_weigh(&log, 0), 2 * NS_PER_MS);
	perf_log_clear(&log);
}

static void events_are_kept_apart(void **state)
{
	struct perf_log log = log_of("a 1 [000] 1.0: 9 page-faults: 10 f (x)\n"
				     "a 1 [000] 1.1: 1003 cycles:u: 10 f (x)\n"
				     "a 1 [000] 1.2: cache-misses: 10 f (x)\n"
				     "a 1 [000] 1.3: 5 cache-misses: 10 f (x)\n"
				     "a 1 [000] 1.4: 9 page-faults: 10 f (x)\n");
	(void)state;

	assert_int_equal(log.samples, 5);
	assert_int_equal(log.sampled.count, 3);
	assert_int_equal(log.sampled.at[0].samples, 2);
	/* Running time is what cycles tell, and page faults do not. */
	assert_int_equal(perf_log_running(&log), 2);
	assert_int_equal(perf_log_weigh(&log, 1000), NS_PER_MS);
	assert_int_equal(log.events.at[0].kind, REPLAY_EVENT);
	assert_int_equal(log.events.at[0].value, 9);
	assert_int_equal(log.events.at[1].kind, REPLAY_SAMPLE);
	assert_int_equal(log.events.at[1].value, 1003);
	/* Not all of them tell their periods, so none counts. */
	assert_false(perf_sampled_has_periods(&log.sampled.at[2]));
	assert_int_equal(log.events.at[3].value, 1);
	perf_log_clear(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_head_is_read),
		cmocka_unit_test(heads_may_lack_most_of_it),
		cmocka_unit_test(frames_are_read),
		cmocka_unit_test(switches_are_read_in_both_ways),
		cmocka_unit_test(states_are_read),
		cmocka_unit_test(other_events_are_read),
		cmocka_unit_test(injected_waits_belong_to_the_sleeper),
		cmocka_unit_test(records_that_are_no_events_are_none),
		cmocka_unit_test(a_stray_line_is_no_event),
		cmocka_unit_test(a_sample_is_worth_its_period_or_the_usual_gap),
		cmocka_unit_test(events_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
