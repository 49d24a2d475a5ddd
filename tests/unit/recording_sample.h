/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small recording that adds up, for the tests of src/recording/: 5.5 s in slices of 1 s, three
 * threads. Thread 1 runs, waits through four slices and runs again; thread 2 is born at 1.5 s and
 * falls asleep for good; thread 3 is a kernel thread that sleeps throughout. Include after cmocka.
 */
#ifndef DWELL_TESTS_RECORDING_SAMPLE_H
#define DWELL_TESTS_RECORDING_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "recording/reader.h"
#include "recording/writer.h"
#include "util/mem.h"
#include "util/units.h"

#define MS NS_PER_MS
#define SAMPLE_WINDOW_NS (5500 * MS)

/* Ids with the top bit set: they are negative in the file. */
enum {
	SAMPLE_OBJECTS = 2,
	SAMPLE_FRAMES = 5,
	SAMPLE_STACKS = 6,
	SAMPLE_ROWS = 8,
	SAMPLE_CHAINS = 2
};

static const struct rec_object sample_objects[SAMPLE_OBJECTS] = {
	{0xffffffffffffffffULL, OBJECT_KERNEL, "[kernel]", ""},
	{0x8000000000000000ULL, OBJECT_FILE, "/usr/bin/server", "0123456789abcdef"},
};

static const struct rec_frame sample_frames[SAMPLE_FRAMES] = {
	{0xf000000000000001ULL, 0xffffffffffffffffULL, 0x1000, "schedule", 0x10, NAME_OK},
	{0xf000000000000002ULL, 0xffffffffffffffffULL, 0x2000, "do_nanosleep", 0x20, NAME_OK},
	{3, 0x8000000000000000ULL, 0x3000, "main", 0x30, NAME_OK},
	{4, 0x8000000000000000ULL, 0x4000, "work", 0x40, NAME_OK},
	{5, 0x8000000000000000ULL, 0xfffffffffffffff0ULL, "", 0, NAME_STRIPPED},
};

/* Kernel: do_nanosleep > schedule. User: main > work, and main > unnamed, broken. */
static const struct rec_stack sample_stacks[SAMPLE_STACKS] = {
	{0xa000000000000002ULL, 0, 0xf000000000000002ULL, UNWIND_COMPLETE},
	{0xa000000000000001ULL, 0xa000000000000002ULL, 0xf000000000000001ULL, UNWIND_COMPLETE},
	{101, 0, 3, UNWIND_COMPLETE},
	{102, 101, 4, UNWIND_COMPLETE},
	{103, 0, 3, UNWIND_BROKEN},
	{104, 103, 5, UNWIND_BROKEN},
};

#define SAMPLE_KERNEL_STACK 0xa000000000000001ULL

static const struct rec_process sample_processes[] = {
	{1, 4000000000U, "server", "/usr/bin/server", "c0ffee", false},
	{2, 2, "kthreadd", "", "", true},
};

static const struct rec_thread sample_threads[] = {
	{1, 4000000000U, 1, "server", 0, SAMPLE_WINDOW_NS,
		{1500 * MS, 250 * MS, 500 * MS, 3250 * MS}, true, false},
	{2, 101, 1, "server:\x1b[0m", 1500 * MS, SAMPLE_WINDOW_NS, {0, 0, 0, 4000 * MS}, true,
		false},
	{UINT32_MAX, 50, 2, "kthreadd", 0, SAMPLE_WINDOW_NS, {0, 0, 0, 5500 * MS}, true, true},
};

/* Ids of things are those of their content in real recordings; AWAITED_PIPE is "other pipes". */
#define SAMPLE_LOCK 0xa000000000000001ULL
#define SAMPLE_FILE 0xa000000000000002ULL
#define SAMPLE_THINGS 3

static const struct rec_awaited sample_awaited[SAMPLE_THINGS] = {
	{AWAITED_PIPE, {AWAITED_PIPE, true, "", "", 0, 0}, 0},
	{SAMPLE_LOCK, {AWAITED_FUTEX, false, "cache_lock", "server", 0, 0x4010}, 1},
	{SAMPLE_FILE, {AWAITED_FILE, false, "/var/lib/db/\x1b[0mwal", "vda1", 0, 77}, 0},
};

/* Thread 1 was woken by "feeder", which had slept itself until a timer woke it. */
static const struct rec_hop sample_hops[] = {
	{HOP_TASK, "feeder", SAMPLE_KERNEL_STACK, 102, STACK_NONE, STACK_NONE, 0},
	{HOP_TIMER, "hrtimer_wakeup", SAMPLE_KERNEL_STACK, STACK_NONE, SAMPLE_KERNEL_STACK, 102,
		SAMPLE_FILE},
};

#define SAMPLE_CHAIN 0xc000000000000001ULL
#define SAMPLE_NOT_WOKEN 7

static const struct rec_chain sample_chains[SAMPLE_CHAINS] = {
	{SAMPLE_CHAIN, 2, CHAIN_METAL, sample_hops},
	{SAMPLE_NOT_WOKEN, 0, CHAIN_NOT_WOKEN, NULL},
};

static const struct rec_share sample_shares[] = {
	{200 * MS, 50 * MS, 1000 * MS},
	{2000 * MS, 0, 0},
	{0, 0, 0},
};

/* The last two have not ended: they are open rows while recording. */
static const struct rec_sum sample_rows[SAMPLE_ROWS] = {
	{1, 0, 0, TIME_RUNNING, 0, 5, STACK_NONE, 102, 3, 1000 * MS, 500 * MS, 1000 * MS, 0, 0,
		NULL, 0, 0, 0},
	{1, 0, 0, TIME_SAMPLE, 0, 0, STACK_NONE, 102, 99, 0, 0, 0, 0, 0, NULL, 0, 0, 0},
	{1, 1, 4, TIME_BLOCKED, 'S', 6, SAMPLE_KERNEL_STACK, 104, 1, 3250 * MS, 3250 * MS,
		1000 * MS, 250 * MS, SAMPLE_CHAIN, sample_shares, 3, SAMPLE_LOCK, 2},
	{1, 4, 4, TIME_WOKEN, 0, 5, STACK_NONE, STACK_SKIPPED, 1, 250 * MS, 250 * MS, 250 * MS, 0,
		0, NULL, 0, 0, 0},
	{1, 4, 4, TIME_PREEMPTED, 0, 5, STACK_NONE, 102, 1, 500 * MS, 500 * MS, 500 * MS, 0, 0,
		NULL, 0, 0, 0},
	{1, 5, 5, TIME_RUNNING, 0, 5, STACK_OVERFLOW, STACK_FAILED, 1, 500 * MS, 500 * MS, 500 * MS,
		0, 0, NULL, 0, 0, 0},
	{2, 1, 5, TIME_BLOCKED, 'D', 6, SAMPLE_KERNEL_STACK, 102, 0, 4000 * MS, 4000 * MS, 500 * MS,
		500 * MS, SAMPLE_NOT_WOKEN, NULL, 0, SAMPLE_FILE, 0},
	{UINT32_MAX, 0, 5, TIME_BLOCKED, 'I', 6, SAMPLE_KERNEL_STACK, STACK_NONE, 0, 5500 * MS,
		5500 * MS, 1000 * MS, 500 * MS, SAMPLE_NOT_WOKEN, NULL, 0, 0, 0},
};

#define SAMPLE_FUNCTIONS 2

static const struct rec_function sample_functions[SAMPLE_FUNCTIONS] = {
	{1, "libdb:commit", "function", "/usr/lib/libdb.so", "p99", 1000 * MS, 800, 1, 2, 3, 4, 5,
		6, 7},
	{7, "syscall:fsync", "syscall", "", "10ms", 10 * MS, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* Thread 1 was in a slow commit from 0.9 s to 5.2 s, with a short one within it. */
static const struct rec_call sample_calls[] = {
	{1, 1, 0, 56, false, false, false, 98, 2000000, {2000000, 0, 0, 0}, 20450},
	{1, 0, 0, 55, false, false, false, 1, 15000, {15000, 0, 0, 0}, 15000},
	{1, 1, 5, 79, false, false, true, 1, 1 * MS, {1 * MS, 0, 0, 0}, 1 * MS},
	{1, 1, 5, 128, false, true, false, 1, 4300 * MS, {300 * MS, 250 * MS, 500 * MS, 3250 * MS},
		4300 * MS},
	{7, 1, 0, 37, true, false, false, 2, 1500, {1500, 0, 0, 0}, 760},
};

/* And thread 2 is still in a fsync that began at 1.5 s. */
static const struct rec_open_call sample_open_call = {7, 2, true, false, 4000 * MS,
	{0, 0, 0, 4000 * MS}, TIME_BLOCKED, SAMPLE_KERNEL_STACK, 102, SAMPLE_FILE};

struct sample_slow {
	uint32_t function;
	struct rec_sum sum;
};

#define SAMPLE_SLOW_ROWS 5

static const struct sample_slow sample_slow_rows[SAMPLE_SLOW_ROWS] = {
	{1, {1, 5, 5, TIME_RUNNING, 0, 5, STACK_NONE, 102, 2, 300 * MS, 200 * MS, 300 * MS, 0, 0,
		    NULL, 0, 0, 0}},
	{1, {1, 5, 5, TIME_BLOCKED, 'S', 6, SAMPLE_KERNEL_STACK, 104, 1, 3250 * MS, 3250 * MS,
		    3250 * MS, 0, SAMPLE_CHAIN, sample_shares, 3, SAMPLE_LOCK, 2}},
	{7, {2, 5, 5, TIME_BLOCKED, 'D', 6, SAMPLE_KERNEL_STACK, 102, 0, 4000 * MS, 4000 * MS,
		    4000 * MS, 0, SAMPLE_NOT_WOKEN, NULL, 0, SAMPLE_FILE, 0}},
	{1, {1, 5, 5, TIME_PREEMPTED, 0, 5, STACK_MORE_WAITS, STACK_MORE_WAITS, 0, 500 * MS,
		    500 * MS, 500 * MS, 0, 0, NULL, 0, 0, 0}},
	{1, {1, 5, 5, TIME_SAMPLE, 0, 0, STACK_NONE, 102, 29, 0, 0, 0, 0, 0, NULL, 0, 0, 0}},
};

static const struct rec_meta sample_meta = {
	.dwell_version = "1.2.3",
	.host = "h\303\266st",
	.kernel_release = "6.1",
	.target = "all threads",
	.command_line = "dwell record -a",
	.cpus = 2,
	.start_unix_ns = 1700000000123456789ULL,
	.window_ns = SAMPLE_WINDOW_NS,
	.slice_ns = NS_PER_S,
	.sample_hz = 99,
	.sample_event = "cpu-clock",
	.user_stacks = "fp",
	.chain_depth = 8,
	.own_cpu_ns = 1,
	.program_ns = 2,
	.switches = 3,
	.wakes = 4,
	.samples = 99,
	.table_bytes = INT64_MAX,
	.rows_missing = -5,
	.rows_missing_ns = INT64_MIN,
	.expected_ns = 15000 * MS,
	.accounted_ns = 15000 * MS,
	.worst_thread_ns = 6,
	.worst_slice_ns = 7,
};

static const struct rec_loss sample_loss = {.loss = LOSS_OVERFLOW, .count = 1, .ns = 500 * MS};

/* A folder of its own for each test; the caller removes it with sample_remove_folder(). */
static inline char *sample_folder(void)
{
	char *folder = xstrdup("/tmp/dwell-test-XXXXXX");

	assert_non_null(mkdtemp(folder));
	return folder;
}

static inline void sample_remove_folder(char *folder)
{
	_cleanup_free_ char *command = xasprintf("rm -rf '%s'", folder);

	assert_int_equal(system(command), 0);
	free(folder);
}

/* Where a test has its recording: setup makes the folder, teardown removes it. */
struct place {
	char *folder;
	char *path;
};

static inline int sample_make_place(void **state)
{
	struct place *place = xcalloc(1, sizeof(*place));

	place->folder = sample_folder();
	place->path = xasprintf("%s/a.dwell", place->folder);
	*state = place;
	return 0;
}

static inline int sample_remove_place(void **state)
{
	struct place *place = *state;

	sample_remove_folder(place->folder);
	free(place->path);
	free(place);
	return 0;
}

static inline struct recording_writer *sample_writer(const char *path)
{
	struct recording_writer *writer = NULL;
	struct why why = {""};

	if (recording_writer_new(path, &writer, &why))
		fail_msg("%s", why.text);
	return writer;
}

static inline void sample_add_calls(struct recording_writer *writer)
{
	/* An earlier state, which the next one replaces. */
	recording_writer_begin_open_calls(writer);
	recording_writer_add_open_call(writer, &sample_open_call);
	recording_writer_begin_open_calls(writer);
	recording_writer_add_open_call(writer, &sample_open_call);
	for (size_t i = 0; i < SAMPLE_SLOW_ROWS; i++)
		recording_writer_add_slow(
			writer, sample_slow_rows[i].function, &sample_slow_rows[i].sum);
	for (size_t i = 0; i < ARRAY_SIZE(sample_calls); i++)
		recording_writer_add_call(writer, &sample_calls[i]);
	for (size_t i = 0; i < 2 * SAMPLE_FUNCTIONS; i++)
		recording_writer_put_function(writer, &sample_functions[i % SAMPLE_FUNCTIONS]);
}

static inline void sample_add_tables(struct recording_writer *writer)
{
	recording_writer_put_meta(writer, &sample_meta);
	for (size_t i = 0; i < ARRAY_SIZE(sample_processes); i++)
		recording_writer_put_process(writer, &sample_processes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(sample_threads); i++)
		recording_writer_put_thread(writer, &sample_threads[i]);
	/* Twice: known ids must be ignored. Leaves first: order must not matter. */
	for (size_t i = 0; i < 2 * SAMPLE_STACKS; i++)
		recording_writer_add_stack(
			writer, &sample_stacks[SAMPLE_STACKS - 1 - i % SAMPLE_STACKS]);
	for (size_t i = 0; i < 2 * SAMPLE_FRAMES; i++)
		recording_writer_add_frame(writer, &sample_frames[i % SAMPLE_FRAMES]);
	for (size_t i = 0; i < 2 * SAMPLE_OBJECTS; i++)
		recording_writer_add_object(writer, &sample_objects[i % SAMPLE_OBJECTS]);
	for (size_t i = 0; i < 2 * SAMPLE_THINGS; i++)
		recording_writer_add_awaited(writer, &sample_awaited[i % SAMPLE_THINGS]);
	for (size_t i = 0; i < 2 * SAMPLE_CHAINS; i++)
		recording_writer_add_chain(writer, &sample_chains[i % SAMPLE_CHAINS]);
	recording_writer_put_loss(
		writer, &(struct rec_loss){.loss = LOSS_OVERFLOW, .count = 77, .ns = 77});
	recording_writer_put_loss(writer, &sample_loss);
	recording_writer_put_slice(writer, 5, 500 * MS);
	recording_writer_put_measure(writer,
		&(struct rec_measure){1, "page-faults", "count", "page fault", "touches", "event"});
	recording_writer_add_count(writer, &(struct rec_count){.measure = 1,
						   .thread = sample_threads[0].id,
						   .slice = 1,
						   .user_stack = sample_rows[0].user_stack,
						   .count = 3,
						   .value = 3,
						   .max_value = 1,
						   .events = 3,
						   .awaited = SAMPLE_FILE});
	recording_writer_put_memory(
		writer, &(struct rec_memory){sample_processes[0].id, 2, 1 << 20, 1 << 19});
	recording_writer_put_memory(
		writer, &(struct rec_memory){sample_processes[0].id, 2, 3 << 20, 1 << 20});
	recording_writer_add_queue(writer, &(struct rec_queue){.thread = sample_threads[0].id,
						   .slice = 4,
						   .kind = QUEUE_THREAD,
						   .name = "hog",
						   .count = 2,
						   .ns = 750 * MS,
						   .max_ns = 500 * MS});
	sample_add_calls(writer);
}

/* The finished sample. */
static inline void sample_write(const char *path)
{
	struct recording_writer *writer = sample_writer(path);
	struct why why = {""};

	sample_add_tables(writer);
	for (size_t i = 0; i < SAMPLE_ROWS; i++)
		recording_writer_add_sum(writer, &sample_rows[i]);
	if (recording_writer_finish(writer, &why))
		fail_msg("%s", why.text);
	recording_writer_free(writer);
}

/* The sample as a crash after its last slice would leave it: threads 2 and 3 not closed. */
static inline void sample_write_unfinished(const char *path)
{
	struct recording_writer *writer = sample_writer(path);
	struct why why = {""};

	sample_add_tables(writer);
	for (size_t i = 1; i < ARRAY_SIZE(sample_threads); i++) {
		struct rec_thread thread = sample_threads[i];
		thread.end_ns = 0;
		thread.is_closed = false;
		memset(thread.total_ns, 0, sizeof(thread.total_ns));
		recording_writer_put_thread(writer, &thread);
	}
	for (size_t i = 0; i < SAMPLE_ROWS - 2; i++)
		recording_writer_add_sum(writer, &sample_rows[i]);
	/* An earlier state of the open intervals, which the next one replaces. */
	recording_writer_begin_open(writer);
	recording_writer_add_open(writer, &sample_rows[SAMPLE_ROWS - 1]);
	recording_writer_commit(writer, &why);
	recording_writer_begin_open(writer);
	for (size_t i = SAMPLE_ROWS - 2; i < SAMPLE_ROWS; i++)
		recording_writer_add_open(writer, &sample_rows[i]);
	if (recording_writer_commit(writer, &why))
		fail_msg("%s", why.text);
	recording_writer_free(writer);
}

/* Runs SQL the way a person would, with a second connection. */
static inline void sample_execute(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message))
		fail_msg("%s: %s", sql, message);
	sqlite3_close(db);
}

/* Makes a file of format version 1 of what was written: the tables that dwell 0.1 made. */
static inline void sample_downgrade(const char *path)
{
#define VERSION_1_COLUMNS                                                                          \
	"thread, slice_first, slice_last, state, letter, band, kernel_stack, user_stack, count,"   \
	" ns, max_ns, first_ns, last_ns"
	sample_execute(path,
		"DROP VIEW all_sums; DROP VIEW wait_chains; DROP VIEW causes; DROP VIEW hop_words;"
		"DROP VIEW slow_waits;"
		"DROP VIEW chain_texts; DROP VIEW waits; DROP VIEW thread_time; DROP VIEW things;"
		"DROP VIEW sums_by_slice; DROP TABLE chains; DROP TABLE hops; DROP TABLE shares;"
		"CREATE TABLE sums_1 AS SELECT " VERSION_1_COLUMNS " FROM sums;"
		"CREATE TABLE open_1 AS SELECT " VERSION_1_COLUMNS " FROM open;"
		"DROP TABLE sums; DROP TABLE open;"
		"ALTER TABLE sums_1 RENAME TO sums; ALTER TABLE open_1 RENAME TO open;"
		"DELETE FROM meta WHERE key = 'chain_depth'; PRAGMA user_version = 1;");
#undef VERSION_1_COLUMNS
}

static inline struct recording *sample_open(const char *path)
{
	struct recording *recording = NULL;
	struct why why = {""};

	if (recording_open(path, &recording, &why))
		fail_msg("%s", why.text);
	return recording;
}

static inline int sample_count_row(const struct rec_row *row, void *count)
{
	(void)row;
	++*(size_t *)count;
	return 0;
}

/* The first column of the first row as a number; INT64_MIN if there is none. */
static inline int64_t sample_query(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	int64_t number = INT64_MIN;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

#endif
