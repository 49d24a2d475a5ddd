// SPDX-License-Identifier: GPL-2.0-or-later
/* What capture does without a kernel: globs, sizes, container ids, and the books of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/books.h"
#include "host/container.h"
#include "kernel/glob.h"
#include "kernel/sizes.h"
#include "recording/reader.h"
#include "util/text.h"
#include "util/units.h"

static void the_kernels_glob_agrees_with_the_plain_one(void **state)
{
	static const char *const globs[] = {"", "*", "?", "a", "a*", "*a", "*a*", "a?c", "a**c",
		"?*?", "ab*ba", "kworker/*:*", "*?*"};
	static const char *const texts[] = {"", "a", "b", "ab", "abc", "aXc", "abba", "ababa",
		"aaa", "kworker/0:1", "kworker/u8", "0123456789abcde"};
	struct glob glob;
	(void)state;

	for (size_t g = 0; g < ARRAY_SIZE(globs); g++) {
		assert_true(glob_compile(globs[g], &glob));
		for (size_t t = 0; t < ARRAY_SIZE(texts); t++)
			if (glob_matches(&glob, texts[t]) != text_matches_glob(texts[t], globs[g]))
				fail_msg("%s against %s", texts[t], globs[g]);
	}
	assert_false(glob_compile("0123456789012345678901234567890123456789", &glob));
}

static void tables_stay_within_the_memory(void **state)
{
	(void)state;

	for (uint64_t bytes = 8ULL << 20, depth = 0; bytes <= 16ULL << 30;
		bytes *= 2, depth ^= 16) {
		struct table_sizes sizes = sizes_of_memory(bytes, (uint32_t)depth, true);
		assert_true(sizes_bytes(&sizes) <= bytes);
		assert_int_equal(sizes.seen & (sizes.seen - 1), 0);
		assert_int_equal(sizes.ring_bytes & (sizes.ring_bytes - 1), 0);
		assert_int_equal(sizes.ring_bytes % 4096, 0);
	}
}

#define MIB (1ULL << 20)

static struct table_sizes begin_of(uint64_t bytes, uint32_t cpus, uint32_t threads)
{
	struct table_sizes most = sizes_of_memory(bytes, 8, false);
	struct sizes_target target = {.cpus = cpus, .threads = threads};

	return sizes_to_begin(&most, &target);
}

static void tables_of_one_process_begin_small(void **state)
{
	(void)state;

	for (uint32_t cpus = 1; cpus <= 64; cpus *= 2) {
		struct table_sizes sizes = begin_of(256 * MIB, cpus, 1);
		assert_true(sizes_bytes(&sizes) <= 36 * MIB);
	}
	struct table_sizes few = begin_of(256 * MIB, 64, 1), more = begin_of(256 * MIB, 64, 16);
	assert_true(few.rows < more.rows);
	assert_true(few.wait_rows < more.wait_rows);
}

static void tables_begin_with_no_more_than_the_most(void **state)
{
	(void)state;

	for (uint64_t bytes = 8 * MIB; bytes <= 1024 * MIB; bytes *= 2)
		for (uint32_t cpus = 1; cpus <= 512; cpus *= 8)
			for (uint32_t threads = 0; threads <= 4096; threads += 1024) {
				struct table_sizes most = sizes_of_memory(bytes, 8, false);
				struct table_sizes sizes = begin_of(bytes, cpus, threads);
				assert_true(sizes_bytes(&sizes) <= sizes_bytes(&most));
				assert_true(sizes.rows >= 1024 && sizes.rows <= most.rows);
				assert_true(sizes.wait_rows <= most.wait_rows);
				assert_int_equal(sizes.seen & (sizes.seen - 1), 0);
				assert_int_equal(sizes.pasts & (sizes.pasts - 1), 0);
				assert_int_equal(sizes.ring_bytes & (sizes.ring_bytes - 1), 0);
				assert_int_equal(sizes.ring_bytes % 4096, 0);
				assert_true(sizes.unwind_row_chunks && sizes.unwind_vma_chunks);
			}
}

static void tables_of_the_busiest_machine_leave_room_for_dwell(void **state)
{
	struct table_sizes most = sizes_of_memory(256 * MIB, 8, false);
	(void)state;

	assert_true(sizes_bytes(&most) <= 200 * MIB);
}

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void container_ids_are_found_in_cgroup_paths(void **state)
{
	char id[CONTAINER_ID_ROOM];
	(void)state;

	assert_true(container_of_path("0::/system.slice/docker-" HEX64 ".scope\n", id));
	assert_string_equal(id, HEX64);
	assert_true(container_of_path("4:memory:/kubepods/burstable/pod1-2/" HEX64, id));
	assert_true(container_of_path("/machine/libpod-" HEX64 ".scope/container", id));
	assert_false(container_of_path("0::/user.slice/session-1.scope", id));
	assert_false(container_of_path("0::/x" HEX64 "0", id));
	assert_string_equal(id, "");
}

/* A recording made from batches that no kernel ever saw. */
struct fixture {
	char path[64];
	struct recording_writer *writer;
	struct namer *namer;
	struct books *books;
	struct batch batch;
};

#define START 1000000000ULL
#define SLICE 100000000ULL

static int begin(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct rec_meta meta = {.dwell_version = "test",
		.host = "",
		.kernel_release = "",
		.target = "",
		.command_line = "",
		.sample_event = "",
		.user_stacks = "fp",
		.slice_ns = SLICE,
		.window_ns = 10 * SLICE};

	strcpy(fixture->path, "/tmp/dwell-books-XXXXXX");
	close(mkstemp(fixture->path));
	if (recording_writer_new(fixture->path, &fixture->writer, NULL))
		return -1;
	recording_writer_put_meta(fixture->writer, &meta);
	fixture->namer = namer_new(fixture->writer, NULL, NULL, true);
	fixture->books = books_new(fixture->writer, fixture->namer, SLICE, 0);
	books_set_start(fixture->books, START);
	*state = fixture;
	return 0;
}

static int end(void **state)
{
	struct fixture *fixture = *state;

	books_free(fixture->books);
	namer_free(fixture->namer);
	recording_writer_free(fixture->writer);
	unlink(fixture->path);
	vec_clear(&fixture->batch.records);
	vec_clear(&fixture->batch.rows);
	vec_clear(&fixture->batch.open);
	free(fixture);
	return 0;
}

static void add_record(struct fixture *fixture, const void *record, uint64_t length)
{
	vec_append(&fixture->batch.records, (const char *)&length, sizeof(length));
	vec_append(&fixture->batch.records, (const char *)record, length);
	vec_append(&fixture->batch.records, "\0\0\0\0\0\0\0", -length & 7);
}

static void announce(struct fixture *fixture, uint32_t thread, uint32_t image, const char *comm)
{
	struct record_thread record = {.kind = RECORD_THREAD,
		.thread = thread,
		.tid = 100 + thread,
		.pid = 100,
		.image = image,
		.is_kernel_thread = true};

	strncpy(record.comm, comm, sizeof(record.comm));
	add_record(fixture, &record, sizeof(record));
}

/* The rows of the finished recording, added up for one thread. */
struct sums {
	uint32_t thread;
	uint64_t ns[TIME_STATES];
	uint64_t ended;
	uint32_t slice_first, slice_last;
};

static int add_up(const struct rec_row *row, void *context)
{
	struct sums *sums = context;

	if (row->sum.thread == sums->thread && row->sum.state < TIME_STATES) {
		sums->ns[row->sum.state] += row->sum.ns;
		sums->ended += row->sum.count;
		sums->slice_first = row->sum.slice_first;
		sums->slice_last = row->sum.slice_last;
	}
	return 0;
}

static struct recording *finished(struct fixture *fixture)
{
	struct recording *recording = NULL;
	struct why why = {""};

	assert_int_equal(recording_writer_finish(fixture->writer, &why), 0);
	if (recording_open(fixture->path, &recording, &why))
		fail_msg("%s", why.text);
	return recording;
}

static void a_thread_asleep_through_the_window_has_all_of_it(void **state)
{
	struct fixture *fixture = *state;
	struct thread_now now = {
		.thread = 1, .open_state = TIME_BLOCKED, .task_letter = 'S', .since_ns = 0};
	struct sums sums = {.thread = 1};
	struct books_totals totals;

	announce(fixture, 1, 1, "sleeper");
	books_add(fixture->books, &fixture->batch);
	fixture->batch.records.count = 0;
	vec_push(&fixture->batch.open, now);
	books_close(fixture->books, &fixture->batch, START + 10 * SLICE);
	books_close_rest(fixture->books);
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.expected_ns, 10 * SLICE);
	assert_int_equal(totals.accounted_ns, 10 * SLICE);
	assert_int_equal(totals.unclosed, 0);

	struct recording *recording = finished(fixture);
	recording_each_row(recording, add_up, &sums, NULL);
	assert_int_equal(sums.ns[TIME_BLOCKED], 10 * SLICE);
	assert_int_equal(sums.ended, 0);
	assert_int_equal(sums.slice_first, 0);
	assert_int_equal(sums.slice_last, 9);
	recording_free(recording);
}

static void a_thread_woken_before_the_end_was_runnable_since(void **state)
{
	struct fixture *fixture = *state;
	struct thread_now now = {.thread = 1,
		.open_state = TIME_BLOCKED,
		.task_letter = 'D',
		.birth_ns = START + SLICE,
		.since_ns = START + 2 * SLICE,
		.wake_ns = START + 5 * SLICE,
		.total_ns = {[TIME_RUNNING] = SLICE}};
	struct sums sums = {.thread = 1};
	size_t count;

	announce(fixture, 1, 1, "woken");
	books_add(fixture->books, &fixture->batch);
	fixture->batch.records.count = 0;
	vec_push(&fixture->batch.open, now);
	books_close(fixture->books, &fixture->batch, START + 10 * SLICE);

	struct recording *recording = finished(fixture);
	recording_each_row(recording, add_up, &sums, NULL);
	assert_int_equal(sums.ns[TIME_BLOCKED], 3 * SLICE);
	assert_int_equal(sums.ns[TIME_WOKEN], 5 * SLICE);
	const struct rec_thread *thread = recording_threads(recording, &count);
	assert_int_equal(count, 1);
	assert_int_equal(thread->start_ns, SLICE);
	assert_int_equal(thread->end_ns, 10 * SLICE);
	assert_int_equal(thread->total_ns[TIME_RUNNING], SLICE);
	assert_int_equal(thread->total_ns[TIME_BLOCKED], 3 * SLICE);
	assert_int_equal(thread->total_ns[TIME_WOKEN], 5 * SLICE);
	recording_free(recording);
}

static void a_thread_whose_end_was_lost_keeps_the_time_of_its_rows(void **state)
{
	struct fixture *fixture = *state;
	struct kernel_row row = {.key = {.thread = 7, .state = TIME_RUNNING},
		.sum = {.count = 1, .ns = 30, .max_ns = 30, .first_ns = 30}};
	struct books_totals totals;
	size_t count;

	announce(fixture, 7, 1, "vanished");
	vec_push(&fixture->batch.rows, row);
	books_add(fixture->books, &fixture->batch);
	books_close_rest(fixture->books);
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.unclosed, 1);
	assert_int_equal(totals.unclosed_ns, 30);
	assert_int_equal(totals.expected_ns, 30);
	assert_int_equal(totals.accounted_ns, 30);
	struct recording *recording = finished(fixture);
	const struct rec_thread *thread = recording_threads(recording, &count);
	assert_int_equal(thread->end_ns - thread->start_ns, 30);
	assert_int_equal(thread->total_ns[TIME_RUNNING], 30);
	recording_free(recording);
}

static void a_row_of_an_unknown_thread_and_a_lost_stack_are_counted(void **state)
{
	struct fixture *fixture = *state;
	struct kernel_row row = {.key = {.thread = 9, .state = TIME_BLOCKED, .kernel_stack = 12345},
		.sum = {.count = 2, .ns = 50, .max_ns = 30, .first_ns = 50}};
	struct books_totals totals;

	vec_push(&fixture->batch.rows, row);
	books_add(fixture->books, &fixture->batch);
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.unknown, 2);
	assert_int_equal(totals.unknown_ns, 50);
	assert_int_equal(totals.lost_stacks, 2);
	assert_int_equal(totals.lost_stacks_ns, 50);
	assert_int_equal(totals.waits, 2);
	/* And the recording with it can be read. */
	books_close_rest(fixture->books);
	recording_free(finished(fixture));
}

static void a_dead_thread_is_forgotten_when_its_rows_are_in(void **state)
{
	struct fixture *fixture = *state;
	struct thread_now dead = {.kind = RECORD_THREAD_END,
		.thread = 3,
		.is_dead = true,
		.birth_ns = START,
		.since_ns = START + 40,
		.total_ns = {[TIME_RUNNING] = 30, [TIME_WOKEN] = 10}};
	struct kernel_row late = {.key = {.thread = 3, .state = TIME_RUNNING},
		.sum = {.count = 1, .ns = 30, .max_ns = 30, .first_ns = 30}};
	struct books_totals totals;

	announce(fixture, 3, 1, "brief");
	add_record(fixture, &dead, sizeof(dead));
	fixture->batch.is_flipped = true;
	fixture->batch.drained_ns = START + 20;
	books_add(fixture->books, &fixture->batch);
	books_totals(fixture->books, &totals);
	/* It lives no more, but its last row is still to come: its books stay open. */
	assert_int_equal(totals.living, 0);
	assert_int_equal(totals.expected_ns, 0);
	fixture->batch.records.count = 0;
	fixture->batch.drained_ns = START + 60;
	vec_push(&fixture->batch.rows, late);
	books_add(fixture->books, &fixture->batch);
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.unknown, 0);
	assert_int_equal(totals.living, 0);
	assert_int_equal(totals.expected_ns, 40);
	assert_int_equal(totals.accounted_ns, 40);
	fixture->batch.rows.count = 0;
	for (int i = 0; i < 4; i++)
		books_add(fixture->books, &fixture->batch);
	vec_push(&fixture->batch.rows, late);
	books_add(fixture->books, &fixture->batch);
	books_totals(fixture->books, &totals);
	assert_int_equal(totals.unknown, 1);
}

static void malformed_records_are_ignored(void **state)
{
	struct fixture *fixture = *state;
	struct {
		struct record_stack head;
		uint64_t frames[4];
	} stack = {.head = {.kind = RECORD_KERNEL_STACK, .depth = 1000, .id = 77}};
	uint32_t kind = RECORD_THREAD;

	add_record(fixture, &stack, sizeof(stack));
	stack.head.depth = 4;
	stack.head.skip = 9;
	add_record(fixture, &stack, sizeof(stack));
	add_record(fixture, &stack, sizeof(stack.head));
	add_record(fixture, &kind, sizeof(kind));
	add_record(fixture, &kind, 1);
	books_add(fixture->books, &fixture->batch);
	assert_int_equal(namer_stack(fixture->namer, 77), STACK_LOST);
	assert_int_equal(namer_stack(fixture->namer, STACK_OVERFLOW), STACK_OVERFLOW);
}

static void kernel_frames_without_symbols_say_that_they_are_hidden(void **state)
{
	struct fixture *fixture = *state;
	struct {
		struct record_stack head;
		uint64_t frames[3];
	} stack = {.head = {.kind = RECORD_KERNEL_STACK, .depth = 3, .skip = 1, .id = 99},
		.frames = {0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000030}};
	size_t count;

	add_record(fixture, &stack, sizeof(stack));
	books_add(fixture->books, &fixture->batch);
	struct recording *recording = finished(fixture);
	const struct rec_named_frame *frames = recording_frames(recording, &count);
	assert_int_equal(count, 2);
	assert_int_equal(frames[0].reason, NAME_HIDDEN);
	recording_free(recording);
}

/* A process that has ended, and been waited for: nobody has its number. */
static uint32_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

static void add_waker(struct fixture *fixture, uint32_t image, uint32_t pid)
{
	struct record_thread record = {.kind = RECORD_WAKER, .pid = pid, .image = image};

	add_record(fixture, &record, sizeof(record));
}

#define RAW_STACK(image) (STACK_FIRST_ID + 1000 + (image))

static void add_stack(struct fixture *fixture, uint32_t image)
{
	uint64_t stack[sizeof(struct record_stack) / sizeof(uint64_t) + 1] = {0};
	struct record_stack record = {
		.kind = RECORD_USER_STACK, .image = image, .id = RAW_STACK(image), .depth = 1};

	memcpy(stack, &record, sizeof(record));
	stack[ARRAY_SIZE(stack) - 1] = 0x10000;
	add_record(fixture, stack, sizeof(stack));
}

static void flip_times(struct fixture *fixture, int times)
{
	fixture->batch.records.count = 0;
	fixture->batch.rows.count = 0;
	fixture->batch.is_flipped = true;
	fixture->batch.drained_ns = START + SLICE;
	for (int i = 0; i < times; i++)
		books_add(fixture->books, &fixture->batch);
}

static bool has_stack(const struct fixture *fixture, uint32_t image)
{
	return namer_stack(fixture->namer, RAW_STACK(image)) != STACK_LOST;
}

static void a_waker_keeps_its_stacks_when_its_books_are_closed(void **state)
{
	struct fixture *fixture = *state;
	struct thread_now dead = {.kind = RECORD_THREAD_END, .since_ns = START, .is_dead = true};

	for (uint32_t i = 1; i <= 2; i++) {
		announce(fixture, i, i, "target");
		add_waker(fixture, 1 + i, (uint32_t)getpid());
		dead.thread = i;
		add_record(fixture, &dead, sizeof(dead));
	}
	/* Image 1 is only a target's, 2 is both's, 3 only a waker's. */
	namer_add_image(fixture->namer, 1, 100, 0);
	for (uint32_t image = 1; image <= 3; image++)
		add_stack(fixture, image);
	books_add(fixture->books, &fixture->batch);
	flip_times(fixture, 5);
	assert_false(has_stack(fixture, 1));
	assert_true(has_stack(fixture, 2));
	assert_true(has_stack(fixture, 3));
}

static void of_many_wakers_those_that_are_over_are_forgotten(void **state)
{
	enum { LIVING = 1, REPLACED = 2, REPLACING = 3, FIRST_ENDED = 10, MANY = 1100 };
	struct fixture *fixture = *state;
	uint32_t ended = ended_process();

	add_waker(fixture, LIVING, (uint32_t)getppid());
	add_waker(fixture, REPLACING, (uint32_t)getpid());
	add_waker(fixture, REPLACED, (uint32_t)getpid());
	add_waker(fixture, FIRST_ENDED, ended);
	for (uint32_t image = 1; image <= FIRST_ENDED; image++)
		add_stack(fixture, image);
	books_add(fixture->books, &fixture->batch);
	flip_times(fixture, 5);
	/* A few are not worth a look. */
	assert_true(has_stack(fixture, FIRST_ENDED));

	for (uint32_t i = 1; i < MANY; i++)
		add_waker(fixture, FIRST_ENDED + i, ended);
	books_add(fixture->books, &fixture->batch);
	/* Rows of the last moments may still come. */
	assert_true(has_stack(fixture, FIRST_ENDED));
	flip_times(fixture, 5);
	assert_false(has_stack(fixture, FIRST_ENDED));
	assert_false(has_stack(fixture, REPLACED));
	assert_true(has_stack(fixture, REPLACING));
	assert_true(has_stack(fixture, LIVING));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_glob_agrees_with_the_plain_one),
		cmocka_unit_test(tables_stay_within_the_memory),
		cmocka_unit_test(tables_of_one_process_begin_small),
		cmocka_unit_test(tables_begin_with_no_more_than_the_most),
		cmocka_unit_test(tables_of_the_busiest_machine_leave_room_for_dwell),
		cmocka_unit_test(container_ids_are_found_in_cgroup_paths),
		cmocka_unit_test_setup_teardown(
			a_thread_asleep_through_the_window_has_all_of_it, begin, end),
		cmocka_unit_test_setup_teardown(
			a_thread_woken_before_the_end_was_runnable_since, begin, end),
		cmocka_unit_test_setup_teardown(
			a_thread_whose_end_was_lost_keeps_the_time_of_its_rows, begin, end),
		cmocka_unit_test_setup_teardown(
			a_row_of_an_unknown_thread_and_a_lost_stack_are_counted, begin, end),
		cmocka_unit_test_setup_teardown(
			a_dead_thread_is_forgotten_when_its_rows_are_in, begin, end),
		cmocka_unit_test_setup_teardown(malformed_records_are_ignored, begin, end),
		cmocka_unit_test_setup_teardown(
			kernel_frames_without_symbols_say_that_they_are_hidden, begin, end),
		cmocka_unit_test_setup_teardown(
			a_waker_keeps_its_stacks_when_its_books_are_closed, begin, end),
		cmocka_unit_test_setup_teardown(
			of_many_wakers_those_that_are_over_are_forgotten, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
