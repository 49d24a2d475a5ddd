// SPDX-License-Identifier: GPL-2.0-or-later
/* Who had the CPU: what the writer refuses, what the reader calls damage, and the sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sqlite3.h>

#include "profile/summary/summary.h"
#include "render/report/report_queue.h"
#include "view_sample.h"

/* A thread that was ready for 3 s, in three slices. */
static void begin(struct view_sample *sample)
{
	sample_begin(sample, 3);
	sample_add_thread(sample, 1, "app", "app", false, 0, 3000 * MS,
		(uint64_t[]){0, 1000 * MS, 2000 * MS, 0});
	sample_add_row(sample, 1, 0, TIME_WOKEN, 10, 1000 * MS, 0, 0);
	sample_add_row(sample, 1, 1, TIME_PREEMPTED, 10, 1000 * MS, 0, 0);
	sample_add_row(sample, 1, 2, TIME_PREEMPTED, 10, 1000 * MS, 0, 0);
}

static void the_writer_refuses_what_cannot_be(void **state)
{
	struct view_sample sample;
	struct why why = {""};
	(void)state;

	begin(&sample);
	recording_writer_add_queue(
		sample.writer, &(struct rec_queue){.thread = 1, .name = "", .ns = 1, .max_ns = 2});
	assert_int_equal(recording_writer_commit(sample.writer, &why), -EINVAL);
	assert_non_null(strstr(why.text, "cannot have been ready"));
	sample_end(&sample);
}

static int nothing(const struct rec_queued *row, void *context)
{
	(void)row;
	(void)context;
	return 0;
}

static void a_row_that_cannot_be_is_damage(void **state)
{
	static const char *const changes[][2] = {
		{"UPDATE queues SET thread = 99", "unknown thread"},
		{"UPDATE queues SET slice = 3", "unknown slice"},
		{"UPDATE queues SET max_ns = ns + 1", "does not add up"},
		{"UPDATE queues SET ns = 9223372036854775807", "more time than there can be"},
		{"UPDATE queues SET ns = -1", "queues"}, {"UPDATE queues SET kind = 256", "queues"},
		{"UPDATE queues SET name = x'00'", "queues"}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct view_sample sample;
		struct why why = {""};
		sqlite3 *db;
		begin(&sample);
		sample_add_queue(&sample, 1, 0, "hog", 1000 * MS);
		sample_add_queue(&sample, 1, 1, "hog", 1000 * MS);
		sample_finish(&sample);
		recording_free(sample.recording);
		sample.recording = NULL;
		assert_int_equal(sqlite3_open(sample.path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, changes[i][0], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		assert_int_equal(recording_open(sample.path, &sample.recording, &why), 0);
		assert_int_equal(recording_each_queue(sample.recording, nothing, NULL, &why), -EIO);
		if (!strstr(why.text, "damaged recording") || !strstr(why.text, changes[i][1]))
			fail_msg("%s: %s", changes[i][0], why.text);
		sample_end(&sample);
	}
}

struct told {
	const char *names[5]; /* "": an idle CPU */
	uint64_t ms[5];
	const char *sentence;
	const char *headline;
};

static void check_sentence(const struct told *told, struct view_filter *filter)
{
	struct stack_shape shape = {.by = {BY_COMM}, .by_count = 1};
	struct summary_shapes shapes = {shape, shape};
	struct view_sample sample;
	struct summary *summary;
	struct why why = {""};

	begin(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(told->names) && told->names[i]; i++)
		sample_add_queue(&sample, 1, 0, told->names[i], told->ms[i] * MS);
	sample_finish(&sample);
	assert_int_equal(summary_new(sample.recording, filter, &shapes, &summary, &why), 0);
	_cleanup_free_ char *sentence = queue_sentence(summary, 0);
	_cleanup_free_ char *headline = queue_headline(summary);
	assert_string_equal(sentence, told->sentence);
	assert_string_equal(headline, told->headline);
	summary_free(summary);
	sample_end(&sample);
}

static void shares_are_told_largest_first(void **state)
{
	static const struct told cases[] = {
		{{"hog"}, {3000}, "Behind hog 100 %.", "all behind hog"},
		{{"a", "b"}, {1000, 2000}, "Behind b 67 %, a 33 %.", "67 % behind b"},
		{{"hog-1", "hog-2", "b"}, {1000, 1000, 1000}, "Behind hog-* 67 %, b 33 %.",
			"67 % behind hog-*"},
		{{"", "a"}, {2400, 600}, "Waking an idle CPU 80 %; behind a 20 %.",
			"80 % waking an idle CPU"},
		{{"a", "b", "c", "d", "e"}, {1000, 800, 600, 400, 200},
			"Behind a 33 %, b 27 %, c 20 % and 2 others 20 %.", "33 % behind a"},
		{{"a", "b", "c", "d", ""}, {1, 1, 1, 1, 2996}, "Waking an idle CPU 100 %.",
			"all waking an idle CPU"},
		{{"bad\033[31m\n"}, {3000}, "Behind bad?[31m? 100 %.", "all behind bad?[31m?"},
		{{NULL}, {0}, "", ""}};
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_sentence(&cases[i], &filter);
	/* What was asked for by length or state cannot be found among them. */
	filter.min_band = 1;
	check_sentence(&(struct told){{"hog"}, {3000}, "", ""}, &filter);
	view_filter_clear(&filter);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_writer_refuses_what_cannot_be),
		cmocka_unit_test(a_row_that_cannot_be_is_damage),
		cmocka_unit_test(shares_are_told_largest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
