/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds synthetic recordings for the tests of views and reports, in words: stacks are written as
 * "main;work", rows by thread, state and slices. Include after cmocka.
 */
#ifndef DWELL_TESTS_VIEW_SAMPLE_H
#define DWELL_TESTS_VIEW_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/measure.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/units.h"

#define MS NS_PER_MS

enum { OBJECT_OF_KERNEL = 1000, OBJECT_OF_PROGRAM, OBJECT_OF_JIT };

struct view_sample {
	char folder[64];
	char path[96];
	struct rec_meta meta;
	struct recording_writer *writer;
	struct recording *recording;
};

/* A recording of `slices` slices of 1 s, with a kernel, a program and a JIT object. */
static inline void sample_begin(struct view_sample *sample, uint32_t slices)
{
	static const struct rec_object objects[] = {
		{OBJECT_OF_KERNEL, OBJECT_KERNEL, "[kernel]", ""},
		{OBJECT_OF_PROGRAM, OBJECT_FILE, "/opt/lib/libfoo.so.1", "abcdef"},
		{OBJECT_OF_JIT, OBJECT_ANONYMOUS, "//anon", ""},
	};
	struct why why = {""};

	*sample = (struct view_sample){.folder = "/tmp/dwell-test-XXXXXX"};
	assert_non_null(mkdtemp(sample->folder));
	snprintf(sample->path, sizeof(sample->path), "%s/sample.dwell", sample->folder);
	if (recording_writer_new(sample->path, &sample->writer, &why))
		fail_msg("%s", why.text);
	sample->meta = (struct rec_meta){
		.dwell_version = "1.2.3",
		.host = "db1",
		.kernel_release = "6.12.3-test",
		.target = "all threads",
		.command_line = "dwell record -a",
		.cpus = 2,
		.window_ns = slices * NS_PER_S,
		.slice_ns = NS_PER_S,
		.sample_hz = 99,
		.sample_event = "cpu-clock",
		.user_stacks = "fp",
		.own_cpu_ns = 30 * MS,
		.program_ns = 41 * MS,
		.switches = 100000,
	};
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		recording_writer_add_object(sample->writer, &objects[i]);
	for (uint32_t i = 0; i < slices; i++)
		recording_writer_put_slice(sample->writer, i, NS_PER_S);
}

/* Opens what was written; is_whole: as a recording that ended in order. */
static inline void sample_open(struct view_sample *sample, bool is_whole)
{
	struct why why = {""};

	recording_writer_put_meta(sample->writer, &sample->meta);
	if (is_whole ? recording_writer_finish(sample->writer, &why)
		     : recording_writer_commit(sample->writer, &why))
		fail_msg("%s", why.text);
	recording_writer_free(sample->writer);
	sample->writer = NULL;
	if (recording_open(sample->path, &sample->recording, &why))
		fail_msg("%s", why.text);
}

static inline void sample_finish(struct view_sample *sample)
{
	sample_open(sample, true);
}

static inline void sample_end(struct view_sample *sample)
{
	recording_free(sample->recording);
	recording_writer_free(sample->writer);
	unlink(sample->path);
	rmdir(sample->folder);
}

/* A process and its first thread, alive from start to end, with exact totals. */
static inline void sample_add_thread(struct view_sample *sample, uint32_t id, const char *process,
	const char *comm, bool is_kernel, uint64_t start_ns, uint64_t end_ns,
	const uint64_t totals[TIME_STATES])
{
	struct rec_process made = {id, 100 + id, process, "", "", is_kernel};
	struct rec_thread thread = {.id = id,
		.tid = 100 + id,
		.process = id,
		.comm = comm,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.is_closed = true,
		.is_kernel = is_kernel};

	memcpy(thread.total_ns, totals, sizeof(thread.total_ns));
	recording_writer_put_process(sample->writer, &made);
	recording_writer_put_thread(sample->writer, &thread);
}

/*
 * A name "+12" is an unnamed frame at address 0x12, "+12-2" one whose function is known to begin
 * 0x2 before it, and "!name" and "!+12" the same in the JIT object.
 */
static inline uint64_t sample_frame(struct view_sample *sample, uint64_t object, const char *name)
{
	const char *text = name + (name[0] == '!');
	bool is_unnamed = text[0] == '+';
	char none[] = "", *end = none;
	uint64_t address = is_unnamed ? strtoull(text + 1, &end, 16) : hash_text(1, name) >> 8;
	uint64_t offset = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
	struct rec_frame frame = {hash_text(object, name), name[0] == '!' ? OBJECT_OF_JIT : object,
		address, is_unnamed ? "" : text, offset, is_unnamed ? NAME_STRIPPED : NAME_OK};

	recording_writer_add_frame(sample->writer, &frame);
	return frame.id;
}

/* "outer;inner" in the object; returns the stack's id. */
static inline uint64_t sample_stack(
	struct view_sample *sample, uint64_t object, const char *frames, enum unwind_end end)
{
	_cleanup_free_ char *copy = xstrdup(frames);
	uint64_t parent = 0;
	char *rest = copy, *name;

	while ((name = strsep(&rest, ";"))) {
		uint64_t frame = sample_frame(sample, object, name);
		struct rec_stack node = {
			hash_add(hash_add(parent, frame), (uint64_t)end) | 1ULL << 63, parent,
			frame, end};
		recording_writer_add_stack(sample->writer, &node);
		parent = node.id;
	}
	return parent;
}

static inline uint64_t sample_user(struct view_sample *sample, const char *frames)
{
	return sample_stack(sample, OBJECT_OF_PROGRAM, frames, UNWIND_COMPLETE);
}

static inline uint64_t sample_kernel(struct view_sample *sample, const char *frames)
{
	return sample_stack(sample, OBJECT_OF_KERNEL, frames, UNWIND_COMPLETE);
}

/* Intervals that lie in one slice. */
static inline void sample_add_row(struct view_sample *sample, uint32_t thread, uint32_t slice,
	enum time_state state, uint64_t count, uint64_t ns, uint64_t user, uint64_t kernel)
{
	uint64_t each_ns = count ? ns / count : ns;
	struct rec_sum sum = {.thread = thread,
		.slice_first = slice,
		.slice_last = slice,
		.state = state,
		.task_letter = state == TIME_BLOCKED ? 'S' : 0,
		.band = state == TIME_SAMPLE ? 0 : band_of(each_ns),
		.kernel_stack = kernel,
		.user_stack = user,
		.count = count,
		.ns = ns,
		.max_ns = each_ns,
		.first_ns = state == TIME_SAMPLE ? 0 : ns};

	recording_writer_add_sum(sample->writer, &sum);
}

/* One wait from slice `first` to slice `last`, whole slices between them; count 0: not ended. */
static inline void sample_add_span(struct view_sample *sample, uint32_t thread, uint32_t first,
	uint32_t last, uint64_t count, uint64_t first_ns, uint64_t last_ns, char letter,
	uint64_t user, uint64_t kernel)
{
	uint64_t ns = first_ns + last_ns + (last - first - 1) * NS_PER_S;
	struct rec_sum sum = {.thread = thread,
		.slice_first = first,
		.slice_last = last,
		.state = TIME_BLOCKED,
		.task_letter = letter,
		.band = band_of(ns),
		.kernel_stack = kernel,
		.user_stack = user,
		.count = count,
		.ns = ns,
		.max_ns = ns,
		.first_ns = first_ns,
		.last_ns = last_ns};

	recording_writer_add_sum(sample->writer, &sum);
}

/* Events of a measure, all of about the same size; user NULL: the stack was lost to overflow. */
static inline void sample_add_count(struct view_sample *sample, const struct rec_measure *measure,
	uint32_t thread, uint32_t slice, const char *user, uint64_t count, uint64_t value)
{
	struct rec_count row = {.measure = measure->id,
		.thread = thread,
		.slice = slice,
		.kernel_stack = STACK_NONE,
		.user_stack = user ? sample_user(sample, user) : STACK_OVERFLOW,
		.count = count,
		.value = value,
		.max_value = (value + count - 1) / count,
		.events = unit_from_name(measure->unit) == UNIT_COUNT && value > count ? value
										       : count};

	recording_writer_add_count(sample->writer, &row);
}

/* Who had the CPU that a thread was ready for; name "": nobody, it was idle. */
static inline void sample_add_queue(
	struct view_sample *sample, uint32_t thread, uint32_t slice, const char *name, uint64_t ns)
{
	struct rec_queue row = {.thread = thread,
		.slice = slice,
		.kind = name[0] ? QUEUE_THREAD : QUEUE_IDLE_CPU,
		.name = name,
		.count = 1,
		.ns = ns,
		.max_ns = ns};

	recording_writer_add_queue(sample->writer, &row);
}

#define KERNEL_ENTRY "entry_SYSCALL_64_after_hwframe;do_syscall_64;"
#define KERNEL_SYNC                                                                                \
	KERNEL_ENTRY "__x64_sys_fdatasync;do_fsync;ext4_sync_file;folio_wait_bit_common;"          \
		     "io_schedule;schedule"
#define KERNEL_FUTEX KERNEL_ENTRY "__x64_sys_futex;do_futex;futex_wait;futex_wait_queue;schedule"
#define KERNEL_NAP                                                                                 \
	KERNEL_ENTRY "__x64_sys_clock_nanosleep;common_nsleep;hrtimer_nanosleep;do_nanosleep;"     \
		     "schedule"
#define KERNEL_WORKER "ret_from_fork;kthread;worker_thread;schedule"

/*
 * The recording of most tests, 10 s long, all of it accounted for.
 * 1 postgres: runs 2 s (half of it sampled in parse, half in exec;plan), waits 5 s for the disk in
 *   500 waits, 1 s preempted, 2 s woken.
 * 2 postgres: naps through slices 0 to 9 without waking.
 * 3 kworker: sleeps in its main loop throughout.
 * 4 pgbench: born at 5 s, 1 s running and never sampled, 4 s in a futex, with a broken stack.
 */
static inline void sample_fill(struct view_sample *sample)
{
	uint64_t parse = sample_user(sample, "main;PostgresMain;parse");
	uint64_t plan = sample_user(sample, "main;PostgresMain;exec;plan");
	uint64_t flush = sample_user(sample, "main;PostgresMain;XLogFlush;fdatasync");
	uint64_t broken = sample_stack(sample, OBJECT_OF_PROGRAM, "+12;wait_lock", UNWIND_BROKEN);
	uint64_t sync = sample_kernel(sample, KERNEL_SYNC);
	uint64_t futex = sample_kernel(sample, KERNEL_FUTEX);
	uint64_t nap = sample_kernel(sample, KERNEL_NAP);
	uint64_t worker = sample_kernel(sample, KERNEL_WORKER);

	sample_add_thread(sample, 1, "postgres", "postgres", false, 0, 10000 * MS,
		(uint64_t[]){2000 * MS, 2000 * MS, 1000 * MS, 5000 * MS});
	sample_add_thread(sample, 2, "postgres", "checkpointer", false, 0, 10000 * MS,
		(uint64_t[]){0, 0, 0, 10000 * MS});
	sample_add_thread(sample, 3, "kworker/0:1", "kworker/0:1", true, 0, 10000 * MS,
		(uint64_t[]){0, 0, 0, 10000 * MS});
	sample_add_thread(sample, 4, "pgbench", "pgbench", false, 5000 * MS, 10000 * MS,
		(uint64_t[]){1000 * MS, 0, 0, 4000 * MS});
	for (uint32_t slice = 0; slice < 10; slice++) {
		sample_add_row(sample, 1, slice, TIME_RUNNING, 150, 200 * MS, 0, 0);
		sample_add_row(sample, 1, slice, TIME_SAMPLE, 10, 0, parse, 0);
		sample_add_row(sample, 1, slice, TIME_SAMPLE, 10, 0, plan, 0);
		sample_add_row(sample, 1, slice, TIME_BLOCKED, 50, 500 * MS, flush, sync);
		sample_add_row(sample, 1, slice, TIME_WOKEN, 50, 200 * MS, flush, sync);
		sample_add_row(sample, 1, slice, TIME_PREEMPTED, 100, 100 * MS, plan, 0);
	}
	sample_add_span(sample, 2, 0, 9, 0, 1000 * MS, 1000 * MS, 'S', flush, nap);
	sample_add_span(sample, 3, 0, 9, 0, 1000 * MS, 1000 * MS, 'I', 0, worker);
	for (uint32_t slice = 5; slice < 10; slice++) {
		sample_add_row(sample, 4, slice, TIME_RUNNING, 10, 200 * MS, 0, 0);
		sample_add_row(sample, 4, slice, TIME_BLOCKED, 10, 800 * MS, broken, futex);
	}
}

/* Writes what a function prints to a stream into a text. Caller frees. */
#define sample_print(text, out, statement)                                                         \
	do {                                                                                       \
		size_t size_;                                                                      \
		FILE *out = open_memstream(&(text), &size_);                                       \
		assert_non_null(out);                                                              \
		statement;                                                                         \
		fclose(out);                                                                       \
	} while (0)

#endif
