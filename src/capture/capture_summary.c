// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a recording says of itself: what it was made with, what it cost, what it lost, and whether
 * the kernel side's own sums are in its rows. It is told anew with each commit, so that a recording
 * that was killed says it too.
 */
#include "capture/capture_private.h"

#include <unistd.h>

#include "capture/capture_memory.h"
#include "capture/losses.h"
#include "host/proc_text.h"
#include "kernel/calls.h"
#include "kernel/programs.h"
#include "util/clock.h"

static struct helper_usage helpers_usage(struct capture *capture)
{
	struct helper_usage usage = {0};

	outside_add_usage(&capture->outside, &usage);
	helpers_add_usage(capture->makers, &usage);
	return usage;
}

uint64_t capture_own_cpu_ns(struct capture *capture)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + helpers_usage(capture).cpu_ns;
}

/* Not ru_maxrss: that is also of the program that this process was before its exec. */
uint64_t capture_peak_bytes(void)
{
	_cleanup_free_ char *status = NULL;
	uint64_t kib;

	if (proc_text_read("/proc/self/status", &status) || proc_text_value(status, "VmHWM:", &kib))
		return 0;
	return kib << 10;
}

/*
 * At its peak so far. Tables of the kernel that are mapped here count as resident, but are not
 * ours: what is left of the peak without them may be less than before they were there.
 */
uint64_t capture_own_memory_bytes(struct capture *capture)
{
	uint64_t bytes = capture_peak_bytes(), mapped = kernel_mapped_bytes(capture->kernel);

	bytes -= mapped < bytes ? mapped : 0;
	return (bytes > capture->bare_peak_bytes ? bytes : capture->bare_peak_bytes) +
	       helpers_usage(capture).memory_bytes;
}

static const char *user_stacks_word(enum user_stacks way)
{
	return way == USER_STACKS_TABLE ? "table" : way == USER_STACKS_FP ? "fp" : "none";
}

void capture_init_meta(struct capture *capture)
{
	const struct capture_options *options = &capture->options;

	uname(&capture->system);
	capture->meta = (struct rec_meta){.dwell_version = DWELL_VERSION,
		.host = capture->system.nodename,
		.kernel_release = capture->system.release,
		.target = options->target_text,
		.command_line = options->command_line,
		.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.slice_ns = options->slice_ns,
		.sample_hz = options->sample_hz,
		.sample_event = kernel_sample_event(capture->kernel),
		.user_stacks = user_stacks_word(options->user_stacks),
		.chain_depth = options->has_stacks ? options->depth : 0,
		.budget_ppm = (uint32_t)(options->budget * 1e6 + 0.5),
		.table_bytes = kernel_table_bytes(capture->kernel)};
}

void capture_write_measures(struct capture *capture)
{
	for (size_t i = 0; i < capture->options.event_count; i++) {
		const struct event *event = &capture->options.events[i];
		struct rec_measure measure = {.id = (uint32_t)i + 1,
			.name = event->name,
			.unit = event->unit,
			.event = event->one,
			.about = event->about,
			.kind = measure_kind_name(event->measure)};
		recording_writer_put_measure(capture->writer, &measure);
	}
}

/* What was seen and is in no row; before the end some may be on their way there. */
static void write_lost_events(
	struct capture *capture, const uint64_t *counters, const struct books_totals *totals)
{
	uint64_t bare, refused, untracked, odd;

	kernel_slotless_events(capture->kernel, &bare, &refused);
	uint64_t seen = counters[COUNTER_EVENTS] + bare, drained = totals->events;
	uint64_t missing = seen > drained ? seen - drained : drained - seen;
	losses_put(capture->writer, LOSS_EVENTS, refused + (capture->end_ns ? missing : 0), 0);
	losses_put(capture->writer, LOSS_BARE_EVENTS,
		counters[COUNTER_BARE_EVENTS] + bare + totals->bare_events, 0);
	if (!capture->options.event_count)
		return;
	kernel_memory_counts(capture->kernel, &untracked, &odd);
	losses_put(capture->writer, LOSS_UNTRACKED_BLOCKS, untracked, 0);
	losses_put(capture->writer, LOSS_ODD_VALUES, odd, 0);
	losses_put(capture->writer, LOSS_UNWATCHED_PROCESSES, capture_unwatched(capture, NULL), 0);
}

void capture_write_summary(struct capture *capture, uint64_t until_ns)
{
	uint64_t counters[COUNTERS];
	struct books_totals totals;
	struct rec_meta *meta = &capture->meta;

	kernel_counters(capture->kernel, counters);
	books_totals(capture->books, &totals);
	losses_write(capture->writer, counters, &totals);
	if (capture->unwinding) {
		struct loader_counts loads;
		loader_counts(unwinding_loader(capture->unwinding), &loads);
		losses_put(capture->writer, LOSS_UNWIND_TABLES, loads.without_room, 0);
	}
	write_lost_events(capture, counters, &totals);
	/* Of those who read: without who makes tables these stay as they are. */
	struct helper_usage usage = {0};
	outside_add_usage(&capture->outside, &usage);
	losses_put(capture->writer, LOSS_UNANSWERED, usage.late + usage.died, 0);
	meta->window_ns = until_ns - capture->start_ns;
	surroundings_tell(&capture->around, meta);
	meta->own_cpu_ns = capture_own_cpu_ns(capture) - capture->cpu_before_ns;
	meta->program_ns = programs_ns(counters, false);
	meta->event_ns = programs_ns(counters, true);
	meta->events = totals.events;
	meta->own_memory_bytes = capture_own_memory_bytes(capture);
	meta->table_bytes = kernel_table_bytes(capture->kernel);
	meta->switches = counters[COUNTER_SWITCHES];
	meta->wakes = counters[COUNTER_WAKES];
	meta->samples = counters[COUNTER_SAMPLES];
	meta->kernel_stacks_known = counters[COUNTER_STACKS_BY_RULE];
	meta->kernel_stacks_walked = counters[COUNTER_STACKS_UNWOUND];
	meta->kernel_stacks_audited = counters[COUNTER_STACKS_AUDITED];
	meta->user_stacks_known = counters[COUNTER_MEMOS];
	meta->user_stacks_walked = counters[COUNTER_MEMOS_MISSED];
	meta->user_stacks_audited = counters[COUNTER_MEMOS_AUDITED];
	meta->thinned = counters[COUNTER_THINNED];
	meta->chosen = counters[COUNTER_CHOSEN];
	meta->bursts = counters[COUNTER_BURSTS];
	meta->expected_ns = totals.expected_ns;
	meta->accounted_ns = totals.accounted_ns;
	meta->worst_thread_ns = totals.worst_thread_ns;
	if (capture->end_ns) {
		losses_put(capture->writer, LOSS_CPUS, drain_deaf_cpus(capture->drain), 0);
		meta->rows_missing = (int64_t)(counters[COUNTER_ROWS] - totals.rows);
		meta->rows_missing_ns = (int64_t)(counters[COUNTER_ROWS_NS] - totals.rows_ns);
	}
	recording_writer_put_meta(capture->writer, meta);
}

struct rec_meta *capture_meta(struct capture *capture)
{
	return &capture->meta;
}

const struct call_function *capture_call_functions(const struct capture *capture, size_t *ret_count)
{
	return kernel_call_functions(capture->kernel, ret_count);
}

size_t capture_calls_left_out(const struct capture *capture)
{
	return kernel_calls_left_out(capture->kernel);
}
