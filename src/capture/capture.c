// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a recording. The window's start and end are moments set a little ahead, so that every
 * CPU sees them before they come: time before the start and after the end counts for nobody, and
 * the books can be read in peace when the end has passed.
 */
#include "capture/capture_private.h"
#include "capture/capture_calls.h"
#include "capture/capture_memory.h"
#include "capture/resident.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/rights.h"
#include "kernel/makers.h"
#include "kernel/memory_room.h"
#include "util/clock.h"
#include "util/open_files.h"
#include "util/units.h"

/* The window's moments lie this far ahead: a run of a program that began before one was set, and
 * read the clock late, is over by then. */
#define START_AHEAD_NS (5 * NS_PER_MS)
#define END_AHEAD_NS (10 * NS_PER_MS)
/* A thread that is dying when the books are read needs this long to its last switch. */
#define LAST_WORDS_NS (5 * NS_PER_MS)
#define URGENT_NICE (-20)
#define MIN_FLIP_NS (250 * NS_PER_MS)
#define SHORT_SLICE_NS (100 * NS_PER_MS)
#define USUAL_SLICE_NS NS_PER_S
/* As many as a page has room for (dwell-html(1)). */
#define SHORT_SLICES 120

static void sleep_until(uint64_t ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/*
 * Setting up and taking down are short, and on a machine with dozens of busy threads they would
 * take ten times as long at normal priority. Without the right to do so this has no effect. What of
 * it lasts longer than a hurry may, or is not allowed to be urgent, is nice -20.
 */
static void set_nice(int nice)
{
	setpriority(PRIO_PROCESS, 0, nice);
}

static void tell_stage(const struct capture *capture, enum start_stage stage)
{
	if (capture->options.on_stage)
		capture->options.on_stage(capture->options.stage_context, stage, 0, 0);
}

static int settle_memory(struct capture_options *options, struct why *why)
{
	struct memory_room room;

	memory_room_read(&memory_files_of_proc, &room);
	return memory_room_take(&room, options->memory_bytes, options->is_memory_asked,
		&options->memory_bytes, why);
}

/* With these targets any new process may be one; with the others only children of known ones. */
static bool follows_all(const struct capture_options *options)
{
	return options->target == TARGET_ALL || options->target == TARGET_COMM ||
	       options->target == TARGET_CGROUP;
}

/* Hidden kernel addresses cost the names of kernel frames, not the recording. */
static int read_symbols(void *context)
{
	struct capture *capture = context;

	return kernel_symbols_new(&capture->symbols, NULL);
}

static int load_programs(struct capture *capture, struct why *why)
{
	int error = kernel_load(capture->kernel, why);

	if (error)
		return error;
	background_end(&capture->reading);
	return kernel_set_symbols(capture->kernel, capture->symbols, why);
}

uint64_t capture_default_slice(uint64_t duration_ns)
{
	return duration_ns && duration_ns <= SHORT_SLICES * SHORT_SLICE_NS ? SHORT_SLICE_NS
									   : USUAL_SLICE_NS;
}

int capture_new(const struct capture_options *options, struct capture **ret, struct why *why)
{
	uint64_t flip_ns = options->slice_ns > MIN_FLIP_NS ? options->slice_ns : MIN_FLIP_NS;
	struct capture *capture = xcalloc(1, sizeof(*capture));
	int error;

	mem_give_back_freed();
	/* Files stay open, so that their symbols can be read when their processes are gone. */
	open_files_raise();
	capture->options = *options;
	capture->made_ns = clock_monotonic_ns();
	capture->usual_nice = getpriority(PRIO_PROCESS, 0);
	set_nice(URGENT_NICE);
	hurry_begin(&capture->hurry,
		options->hurried_ns < HURRY_LONGEST_NS ? HURRY_LONGEST_NS - options->hurried_ns : 0,
		NULL);
	tell_stage(capture, START_HELPERS);
	/* Before the kernel's tables are mapped, which are none of the helpers' business. */
	error = outside_init(&capture->outside, why);
	if (!error)
		error = makers_new(&capture->makers, why);
	if (error)
		goto failed;
	hurry_add(&capture->hurry, &capture->outside);
	background_begin(&capture->reading, read_symbols, capture);
	tell_stage(capture, START_PROGRAMS);
	outside_set_hurry(&capture->outside, options->is_stopped, options->stop_context);
	error = settle_memory(&capture->options, why);
	if (!error)
		error = kernel_new(&capture->options, capture->makers, &capture->kernel, why);
	capture->bare_peak_bytes = capture_peak_bytes();
	/* Names that a person gives: a slip is told before any file is touched. */
	if (!error)
		error = kernel_find_events(capture->kernel, &capture->outside, why);
	/* Threads of the loader look at all that runs while the programs are loaded here. */
	if (!error && options->user_stacks == USER_STACKS_TABLE && options->has_stacks)
		error = unwinding_new(capture->kernel, &capture->options, &capture->outside,
			capture->made_ns, &capture->unwinding, why);
	if (!error && capture->unwinding)
		unwinding_warm(capture->unwinding, follows_all(&capture->options));
	if (!error)
		error = load_programs(capture, why);
	if (!error)
		error = capture_price_allocations(capture, why);
	if (!error)
		error = kernel_attach_events(capture->kernel, why);
	if (!error)
		error = drain_new(capture->kernel, flip_ns, &capture->drain, why);
	if (error)
		goto failed;
	*ret = capture;
	return 0;
failed:
	capture_free(capture);
	return error;
}

void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	hurry_end(&capture->hurry);
	drain_free(capture->drain);
	books_free(capture->books);
	namer_free(capture->namer);
	own_code_clear(&capture->own);
	unwinding_free(capture->unwinding);
	kernel_free(capture->kernel);
	background_end(&capture->reading);
	kernel_symbols_free(capture->symbols);
	helpers_free(capture->makers);
	surroundings_clear(&capture->around);
	outside_clear(&capture->outside);
	/* What comes then is for people to read, and waits its turn. */
	set_nice(capture->usual_nice);
	capture_free_calls(capture);
	free(capture);
}

static void meet_thread(void *context, const struct record_thread *thread)
{
	drain_add_thread(context, thread);
}

/*
 * Did what was named end, and is its number another's now? A folder of /proc stays that of the
 * process it was opened for.
 */
static int refuse_successors(const struct capture_options *options, struct why *why)
{
	for (size_t i = 0; options->id_folders && i < options->id_count; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/proc/%u", options->ids[i]);
		if (options->id_folders[i] >= 0 &&
			faccessat(options->id_folders[i], "stat", F_OK, 0) && !access(path, F_OK))
			return why_set(why, -ESRCH,
				"%s %u ended while dwell started, and its number is another's now: "
				"nothing was recorded",
				options->target == TARGET_TIDS ? "thread" : "process",
				options->ids[i]);
	}
	return 0;
}

/* Ids that were checked may still be of a thread that has just ended, or that BPF is not shown. */
static int require_target(const struct capture *capture, struct why *why)
{
	struct books_totals totals;

	books_totals(capture->books, &totals);
	if (totals.living ||
		(capture->options.target != TARGET_PIDS && capture->options.target != TARGET_TIDS))
		return 0;
	return why_set(why, -ESRCH,
		"no thread of %s can be seen: it has ended, or is hidden from BPF",
		capture->options.target_text);
}

int capture_go_on(const struct capture_options *options, struct why *why)
{
	if (!options->is_stopped || !options->is_stopped(options->stop_context))
		return 0;
	return why_set(why, -EINTR, "stopped before the recording began: nothing was recorded");
}

int capture_start(struct capture *capture, struct recording_writer *writer, struct why *why)
{
	capture->writer = writer;
	capture->namer = namer_new(
		writer, capture->symbols, &capture->outside, follows_all(&capture->options));
	kernel_own_code(capture->kernel, &capture->own);
	namer_set_own_code(capture->namer, &capture->own);
	if (capture->options.target == TARGET_COMMAND)
		namer_watch(capture->namer, capture->options.ids[0]);
	if (capture->unwinding)
		namer_set_loader(capture->namer, unwinding_loader(capture->unwinding));
	capture->books = books_new(writer, capture->namer, capture->options.slice_ns,
		capture->options.has_stacks ? capture->options.depth : 0);
	capture_begin_heap(capture);
	capture_begin_calls(capture);
	int error = capture->unwinding ? unwinding_wait(capture->unwinding, why) : 0;
	tell_stage(capture, START_THREADS);
	if (!error)
		error = kernel_attach(capture->kernel, why);
	if (!error)
		error = kernel_read_start(capture->kernel, meet_thread, capture->drain, why);
	if (error)
		return error;
	capture_init_meta(capture);
	capture_write_measures(capture);
	/* Names of what runs already are learnt now, before anything can exec or end. */
	struct batch *known = drain_now(capture->drain, false);
	books_add(capture->books, known);
	batch_free(known);
	error = require_target(capture, why);
	if (!error && capture->unwinding)
		error = unwinding_start(capture->unwinding, capture->namer, why);
	if (!error)
		error = kernel_read_start(capture->kernel, meet_thread, capture->drain, why);
	if (!error)
		error = refuse_successors(&capture->options, why);
	if (!error)
		error = capture_attach_calls(capture, why);
	if (!error)
		error = capture_go_on(&capture->options, why);
	capture->cpu_before_ns = capture_own_cpu_ns(capture);
	surroundings_begin(&capture->around, &capture->options);
	/* Known in advance, the window's end is exact even if we are starved when it comes. */
	if (!error)
		error = kernel_open_window(capture->kernel, START_AHEAD_NS,
			capture->options.duration_ns, &capture->start_ns, why);
	if (error)
		return error;
	if (capture->options.duration_ns)
		capture->planned_end_ns = capture->start_ns + capture->options.duration_ns;
	capture->meta.start_took_ns = capture->start_ns - capture->made_ns;
	if (capture->unwinding)
		capture->meta.tables_took_ns = unwinding_took_ns(capture->unwinding);
	capture->meta.start_unix_ns =
		clock_ns(CLOCK_REALTIME) + capture->start_ns - clock_monotonic_ns();
	if (capture->options.budget > 0)
		drain_set_budget(capture->drain, capture->options.budget);
	books_set_start(capture->books, capture->start_ns);
	sleep_until(capture->start_ns);
	error = drain_start(capture->drain, why);
	rights_settle();
	hurry_rest(&capture->hurry);
	set_nice(capture->usual_nice);
	return error;
}

int capture_fd(const struct capture *capture)
{
	return drain_fd(capture->drain);
}

/* Writes the slices that are over by then; the last one may be shorter. */
static void write_slices(struct capture *capture, uint64_t until_ns, bool is_last)
{
	uint64_t elapsed = until_ns - capture->start_ns, length = capture->options.slice_ns;

	while ((capture->slices + 1) * length <= elapsed)
		recording_writer_put_slice(capture->writer, capture->slices++, length);
	/* The slice in progress is there too, as long as it is so far. */
	capture->last_slice = capture->slices ? capture->slices - 1 : 0;
	if (elapsed > capture->slices * length) {
		capture->last_slice = capture->slices;
		recording_writer_put_slice(
			capture->writer, capture->slices, elapsed - capture->slices * length);
	}
	if (is_last)
		capture->slices++;
}

int capture_step(struct capture *capture, struct why *why)
{
	struct batch *batch = drain_take(capture->drain);
	int error = drain_error(capture->drain);

	if (error) {
		batch_free(batch);
		return why_set(why, error, "cannot read the kernel's tables: %s", strerror(-error));
	}
	if (!batch)
		return 0;
	if (capture->planned_end_ns && batch->drained_ns > capture->planned_end_ns)
		batch->drained_ns = capture->planned_end_ns;
	if (capture->unwinding)
		unwinding_give(capture->unwinding, batch);
	books_add(capture->books, batch);
	/* A commit holds rows and open intervals of one moment, so that a crash leaves whole books.
	 */
	if (batch->has_open && batch->drained_ns > capture->start_ns) {
		write_slices(capture, batch->drained_ns, false);
		capture_write_resident(capture);
		capture_trim_heap(capture);
		capture_follow_calls(capture);
		capture_write_summary(capture, batch->drained_ns);
		error = recording_writer_commit(capture->writer, why);
	}
	batch_free(batch);
	return error;
}

void capture_progress(const struct capture *capture, struct capture_progress *ret)
{
	uint64_t counters[COUNTERS], bare, refused;
	struct books_totals totals;

	kernel_counters(capture->kernel, counters);
	kernel_slotless_events(capture->kernel, &bare, &refused);
	books_totals(capture->books, &totals);
	*ret = (struct capture_progress){
		.elapsed_ns = clock_monotonic_ns() - capture->start_ns,
		.threads = totals.living,
		.waits = totals.waits,
		.table_bytes = kernel_table_bytes(capture->kernel),
		.lost = counters[COUNTER_OVERFLOW] + counters[COUNTER_UNSLICED] +
			counters[COUNTER_LOST_SAMPLES] + counters[COUNTER_LOST_ENDS] +
			counters[COUNTER_BARE_SAMPLES] + counters[COUNTER_BARE_EVENTS] + bare +
			refused + totals.lost_stacks,
		.has_target = totals.living > 0,
	};
}

int capture_stop(struct capture *capture, struct why *why)
{
	struct batch *rest, *last, *words, *stragglers;
	int error;

	hurry_end(&capture->hurry);
	set_nice(URGENT_NICE);
	hurry_begin(&capture->hurry, HURRY_LONGEST_NS, &capture->outside);
	if (capture->unwinding)
		unwinding_stop(capture->unwinding);
	kernel_end_growth(capture->kernel);
	error = kernel_close_window(capture->kernel, END_AHEAD_NS, &capture->end_ns);
	drain_stop(capture->drain);
	if (!error) {
		sleep_until(capture->end_ns);
		error = kernel_barrier(capture->kernel);
	}
	rest = drain_take(capture->drain);
	if (rest && capture->unwinding)
		unwinding_give(capture->unwinding, rest);
	/* What was open then is not so any more, or is told by the last batch. */
	if (rest) {
		rest->has_open = false;
		books_add(capture->books, rest);
	}
	batch_free(rest);

	last = drain_now(capture->drain, true);
	sleep_until(clock_monotonic_ns() + LAST_WORDS_NS);
	words = drain_now(capture->drain, false);
	kernel_begin_detach(capture->kernel);
	/* Then nobody is in the middle of an event or a call any more. */
	bool has_claims = capture->options.event_count || capture->calls.count;
	if (has_claims)
		kernel_detach(capture->kernel);
	stragglers = has_claims ? drain_now(capture->drain, false) : NULL;
	if (!error)
		error = drain_error(capture->drain);
	last->has_open = false;
	if (capture->unwinding)
		unwinding_give(capture->unwinding, last);
	books_add(capture->books, last);
	books_add(capture->books, words);
	if (stragglers)
		books_add(capture->books, stragglers);
	books_ask_owners(capture->books, last, capture->outside.errands);
	if (!error)
		error = capture_end_calls(capture, last);
	books_close(capture->books, last, capture->end_ns);
	books_close_rest(capture->books);
	if (!error)
		error = capture_end_heap(capture);
	batch_free(last);
	batch_free(words);
	batch_free(stragglers);
	if (error)
		return why_set(why, error, "cannot read the kernel's tables: %s", strerror(-error));
	write_slices(capture, capture->end_ns, true);
	capture_write_resident(capture);
	capture_write_summary(capture, capture->end_ns);
	recording_writer_begin_open(capture->writer);
	return recording_writer_commit(capture->writer, why);
}

int capture_finish(struct capture *capture, struct why *why)
{
	capture->meta.own_cpu_ns = capture_own_cpu_ns(capture) - capture->cpu_before_ns;
	capture->meta.own_memory_bytes = capture_own_memory_bytes(capture);
	capture->meta.is_finished = true;
	recording_writer_put_meta(capture->writer, &capture->meta);
	return recording_writer_finish(capture->writer, why);
}
