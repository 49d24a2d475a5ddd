// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines by what was waited for: which things divide them, and that no time is lost by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/summary/line_things.h"
#include "profile/summary/lines.h"
#include "render/report/report_things.h"
#include "thing_sample.h"

static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1},
	.groups = {.by = {BY_NAME}, .by_count = 1},
};

static struct summary *summarize(struct view_sample *sample, const struct view_filter *filter)
{
	struct summary *summary = NULL;
	struct why why = {""};

	if (summary_new(sample->recording, filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	return summary;
}

#define MOST_LINES 32

struct found {
	struct summary *summary;
	struct selection *selection;
	uint64_t ns[MOST_LINES];
};

static int find_line(const struct selection_row *row, void *context)
{
	struct found *found = context;
	uint32_t line = lines_find(found->summary, found->selection, row);

	assert_true(line < MOST_LINES);
	found->ns[line] += row->ns;
	return 0;
}

/* What lines have adds up to what was waited, and each row is found to be in its line. */
static void assert_exact(
	struct view_sample *sample, struct summary *summary, const struct view_filter *filter)
{
	struct found found = {.summary = summary};
	struct why why = {""};
	uint64_t total_ns = 0;

	assert_int_equal(selection_new(sample->recording, filter, &found.selection, &why), 0);
	assert_int_equal(selection_each_row(found.selection, find_line, &found, &why), 0);
	for (size_t i = 0; i < summary->lines.count; i++) {
		size_t count;
		const struct line_thing *things = line_things_of(summary, i, &count);
		uint64_t for_things_ns = 0;
		assert_int_equal(found.ns[i + 1], summary->lines.at[i].total_ns);
		total_ns += summary->lines.at[i].total_ns;
		for (size_t j = 0; j < count; j++)
			for_things_ns += things[j].ns;
		assert_true(for_things_ns <= summary->lines.at[i].total_ns);
	}
	assert_int_equal(total_ns + summary->total_ns[TIME_RUNNING], summary->busy_ns);
	selection_free(found.selection);
}

struct part {
	struct awaited thing;
	uint64_t ms;
	const char *user; /* NULL: main;work */
};

/* The headings of the lines that such waits of one thread make, joined, with what is below them. */
static char *lines_of(const struct part *parts, size_t count, const char *kernel)
{
	struct view_sample sample;
	struct view_filter filter;
	char *text = xstrdup("");
	uint64_t all_ns = 0;

	for (size_t i = 0; i < count; i++)
		all_ns += parts[i].ms * MS;
	sample_begin(&sample, 10);
	sample_add_thread(
		&sample, 1, "app", "app", false, 0, all_ns, (uint64_t[]){0, 0, 0, all_ns});
	for (size_t i = 0; i < count; i++)
		sample_wait_for(&sample, 1, 1, parts[i].ms * MS,
			sample_user(&sample, parts[i].user ? parts[i].user : "main;work"),
			sample_kernel(&sample, kernel),
			parts[i].thing.kind ? sample_thing(&sample, parts[i].thing) : 0, 0);
	sample_finish(&sample);
	view_filter_init(&filter);
	filter.idle = IDLE_SHOW;
	struct summary *summary = summarize(&sample, &filter);
	assert_exact(&sample, summary, &filter);
	for (size_t i = 0; i < summary->lines.count; i++) {
		const struct summary_line *line = &summary->lines.at[i];
		_cleanup_free_ char *title = thing_title(summary, line, 60);
		_cleanup_free_ char *sentence = thing_sentence(summary, i);
		char *longer = xasprintf("%s%s%s %llu%s%s", text, i ? " | " : "",
			title[0]                  ? title
			: line->part == PART_REST ? "rest"
						  : "all",
			(unsigned long long)(line->total_ns / MS), sentence[0] ? ": " : "",
			sentence);
		free(text);
		text = longer;
	}
	summary_free(summary);
	sample_end(&sample);
	return text;
}

#define FILE_OF(path)                                                                              \
	{                                                                                          \
		AWAITED_FILE, false, path, "", 0, 1                                                \
	}
#define CLIENT_OF(host)                                                                            \
	{                                                                                          \
		AWAITED_TCP_FROM, false, host, "", 80, 0                                           \
	}
#define LOCK_AT(address)                                                                           \
	{                                                                                          \
		AWAITED_FUTEX, false, "", "heap", 0, address                                       \
	}

static void assert_lines(
	const struct part *parts, size_t count, const char *kernel, const char *expected)
{
	_cleanup_free_ char *text = lines_of(parts, count, kernel);

	assert_string_equal(text, expected);
}

#define assert_parts(kernel, expected, ...)                                                        \
	assert_lines((const struct part[]){__VA_ARGS__},                                           \
		ARRAY_SIZE(((const struct part[]){__VA_ARGS__})), kernel, expected)

static void two_large_things_make_two_lines(void **state)
{
	(void)state;
	assert_parts(KERNEL_EPOLL,
		"poll, for its client on :80 600 | poll, for a signal (signalfd) 400",
		{CLIENT_OF("1.1.1.1"), 400, NULL}, {CLIENT_OF("1.1.1.2"), 200, NULL},
		{{AWAITED_SIGNALFD, false, "", "", 0, 0}, 400, NULL});
	/* One is all: it is said, and stays one line. */
	assert_parts(KERNEL_SYNC, "fdatasync of /a 970", {FILE_OF("/a"), 960, NULL},
		{FILE_OF("/b"), 10, NULL});
	/* One large one, and what is small or not told. */
	assert_parts(KERNEL_SYNC, "fdatasync of /a 1000: 90 % for /a, 5 % for /b.",
		{FILE_OF("/a"), 900, NULL}, {FILE_OF("/b"), 50, NULL}, {{0}, 50, NULL});
	assert_parts(KERNEL_SYNC, "fdatasync of /a 500 | fdatasync of /b 300 | rest 150",
		{FILE_OF("/a"), 500, NULL}, {FILE_OF("/b"), 300, NULL}, {{0}, 150, NULL});
}

static void small_things_of_one_kind_are_a_line_together(void **state)
{
	(void)state;
	assert_parts(KERNEL_SYNC,
		"fdatasync of /big 800 | fdatasync of other files 200: 40 % for /a, 40 % for /b; "
		"others.",
		{FILE_OF("/big"), 800, NULL}, {FILE_OF("/a"), 50, "main;work"},
		{FILE_OF("/b"), 50, NULL}, {FILE_OF("/c"), 30, NULL},
		{FILE_OF("/a"), 30, "main;work;x"}, {FILE_OF("/b"), 30, "main;work;x"},
		{{AWAITED_FILE, true, "", "", 0, 0}, 10, NULL});
}

static void children_are_not_told_apart(void **state)
{
	static const char kernel[] = KERNEL_ENTRY "__x64_sys_wait4;do_wait;schedule";
	(void)state;

	assert_parts(kernel, "all 1000", {{AWAITED_CHILD, false, "", "", 0, 7}, 600, NULL},
		{{AWAITED_CHILD, false, "", "", 0, 8}, 400, NULL});
	assert_parts(kernel, "process 7, in wait4 1000",
		{{AWAITED_CHILD, false, "", "", 0, 7}, 1000, NULL});
}

static void things_come_before_places(void **state)
{
	(void)state;
	assert_parts(KERNEL_SYNC, "fdatasync of /a 400 | fdatasync of /b 300 | fdatasync of /b 300",
		{FILE_OF("/a"), 400, "main;x"}, {FILE_OF("/b"), 300, "main;x"},
		{FILE_OF("/b"), 300, "main;y"});
}

static void locks_are_told_apart_and_conditions_are_not(void **state)
{
	static const char locking[] = "main;pthread_mutex_lock";
	static const char waiting[] = "main;pthread_cond_wait";
	(void)state;

	assert_parts(KERNEL_FUTEX, "mutex at 0x10 (heap) 600 | mutex at 0x20 (heap) 400",
		{LOCK_AT(16), 600, locking}, {LOCK_AT(32), 400, locking});
	assert_parts(
		KERNEL_FUTEX, "all 1000", {LOCK_AT(16), 600, waiting}, {LOCK_AT(32), 400, waiting});
}

/* An address at which several wait is shared; but only a name says what it is. */
static void a_place_where_one_thread_waits_is_its_own(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	size_t unused;
	(void)state;

	sample_begin(&sample, 1);
	uint64_t own = sample_futex(&sample, "own", 16),
		 shared = sample_futex(&sample, "shared", 32);
	uint64_t nameless = sample_futex(&sample, "", 48);
	for (uint32_t i = 1; i <= 2; i++) {
		uint64_t ns = i == 1 ? 900 * MS : 600 * MS;
		sample_add_thread(
			&sample, i, "app", "app", false, 0, ns, (uint64_t[]){0, 0, 0, ns});
		uint64_t user = sample_user(&sample, "main;park;syscall");
		uint64_t futex = sample_kernel(&sample, KERNEL_FUTEX);
		if (i == 1)
			sample_wait_for(&sample, i, 1, 300 * MS, user, futex, own, 0);
		sample_wait_for(&sample, i, 1, 300 * MS, user, futex, shared, 0);
		sample_wait_for(&sample, i, 1, 300 * MS, user, futex, nameless, 0);
	}
	sample_finish(&sample);
	view_filter_init(&filter);
	filter.idle = IDLE_SHOW;
	struct summary *summary = summarize(&sample, &filter);
	assert_exact(&sample, summary, &filter);
	assert_int_equal(summary->lines.count, 1);
	assert_int_equal(line_things_of(summary, 0, &unused)->ns, 600 * MS);
	assert_int_equal(unused, 1);
	assert_string_equal(summary->things.at.at[0].text, "futex shared");
	summary_free(summary);
	sample_end(&sample);
}

static void the_owner_is_that_of_the_longest_wait(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill_service(&sample);
	sample_finish(&sample);
	view_filter_init(&filter);
	struct summary *summary = summarize(&sample, &filter);
	assert_exact(&sample, summary, &filter);
	assert_string_equal(line_thing(summary, &summary->lines.at[0])->text, "mutex cache_lock");
	assert_string_equal(summary->lines.at[0].owner->comm, "refresher");
	assert_null(summary->lines.at[1].owner);
	summary_free(summary);
	sample_end(&sample);
}

/* The owner's name leads back only while all wait without end, for long, and for locks. */
static void a_circle_that_ends_or_is_short_is_no_deadlock(void **state)
{
	static const struct {
		uint64_t ms;
		bool is_for_pipe;
		size_t deadlocks;
	} cases[] = {{2000, false, 1}, {900, false, 0}, {2000, true, 0}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rec_thread threads[2] = {{.tid = 7}, {.tid = 5}};
		struct deadlocks deadlocks = {0};
		for (size_t j = 0; j < 2; j++) {
			struct last_wait wait = {.thread = &threads[j],
				.owner = &threads[1 - j],
				.is_for_pipe = cases[i].is_for_pipe,
				.ns = j ? 2000 * MS : cases[i].ms * MS};
			vec_push(&deadlocks.waits, wait);
			*map64_put(&deadlocks.by_thread, (uint64_t)(uintptr_t)&threads[j], NULL) =
				j + 1;
		}
		deadlocks_find(&deadlocks, 1000 * MS);
		assert_int_equal(deadlocks.at.count, cases[i].deadlocks);
		if (deadlocks.at.count) {
			assert_int_equal(
				deadlocks_member(&deadlocks, &deadlocks.at.at[0], 0)->thread->tid,
				5);
			assert_int_equal(
				deadlocks_before(&deadlocks, &deadlocks.at.at[0], 0)->thread->tid,
				7);
		}
		deadlocks_clear(&deadlocks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_large_things_make_two_lines),
		cmocka_unit_test(small_things_of_one_kind_are_a_line_together),
		cmocka_unit_test(children_are_not_told_apart),
		cmocka_unit_test(things_come_before_places),
		cmocka_unit_test(locks_are_told_apart_and_conditions_are_not),
		cmocka_unit_test(a_place_where_one_thread_waits_is_its_own),
		cmocka_unit_test(the_owner_is_that_of_the_longest_wait),
		cmocka_unit_test(a_circle_that_ends_or_is_short_is_no_deadlock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
