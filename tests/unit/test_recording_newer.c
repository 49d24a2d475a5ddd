// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording of a newer dwell of the same format, which has numbers of each kind that this one
 * lacks: it is read, and what this dwell does not have is told in the recording's words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "chain_sample.h"
#include "format/folded.h"
#include "model/words.h"
#include "profile/cube/cube.h"
#include "profile/view.h"
#include "render/page/page.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "render/report/report_wait.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};
static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1}, .groups = {.by = {BY_NAME}, .by_count = 1}};

static const char new_words[] =
	"INSERT INTO words VALUES ('state', 100, 'throttled'), ('band', 100, '>= 10 s'),"
	" ('object_kind', 100, 'enclave'), ('unwind_end', 100, 'met a wormhole'),"
	" ('name_reason', 100, 'the name is a secret'), ('hop_kind', 100, 'portal'),"
	" ('chain_end', 100, 'paradox'), ('no_stack', 15, '[left at home]');";

/* Whatever else a row of an unknown state holds: it is not judged, and neither are its shares. */
#define UNKNOWN_STATE                                                                              \
	"INSERT INTO sums VALUES (NULL, 999, 77, 3, 100, 'SD', 'long', 9, -1, -5, 7, 1, 2, 3, 4, " \
	"5, 6);"                                                                                   \
	"INSERT INTO shares SELECT max(id), 40, -1, 'some', 1 FROM sums;"

static const char new_numbers[] = UNKNOWN_STATE UNKNOWN_STATE
	"UPDATE sums SET band = 100 WHERE thread = 4 AND slice_first = 2;"
	"UPDATE objects SET kind = 100, path = '' WHERE id = 1001;"
	"UPDATE frames SET name = '', address = 4660, reason = 100 WHERE name = 'threadRun';"
	"UPDATE stacks SET unwind_end = 100 WHERE frame = (SELECT id FROM frames WHERE name = "
	"'recv');"
	"UPDATE hops SET kind = 100 WHERE name = 'vda';"
	"UPDATE chains SET chain_end = 100 WHERE chain_end = 2;"
	"UPDATE sums SET user_stack = 15 WHERE user_stack = 0 AND thread = 3 AND state = 3;";

static void execute(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message))
		fail_msg("%s: %s", sql, message);
	sqlite3_close(db);
}

/* The sample with chains, changed by SQL. */
static void open_changed(struct view_sample *sample, const char *sql, const char *more_sql)
{
	struct why why = {""};

	sample_begin(sample, 10);
	sample_fill_chains(sample);
	sample_finish(sample);
	recording_free(sample->recording);
	sample->recording = NULL;
	execute(sample->path, sql);
	execute(sample->path, more_sql);
	if (recording_open(sample->path, &sample->recording, &why))
		fail_msg("%s", why.text);
}

static struct summary *summarize(struct view_sample *sample)
{
	struct summary *summary = NULL;
	struct view_filter filter;
	struct why why = {""};

	view_filter_init(&filter);
	if (summary_new(sample->recording, &filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	return summary;
}

static char *folded_of(struct view_sample *sample, enum view view, const struct stack_shape *shape)
{
	struct view_filter filter;
	struct profile profile;
	struct why why = {""};
	char *text = NULL;

	view_filter_init(&filter);
	if (profile_of_view(sample->recording, view_type(view), &filter, shape, &profile, &why))
		fail_msg("%s", why.text);
	sample_print(text, out,
		folded_write(&profile.tree, &(struct folded_options){.unit_ns = NS_PER_MS}, out));
	profile_clear(&profile);
	return text;
}

static void expect(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("no \"%s\" in:\n%s", words, text);
}

static void stacks_show_new_numbers_by_their_words(void **state)
{
	struct stack_shape causes = by_comm;
	struct view_sample sample;
	(void)state;

	open_changed(&sample, new_words, new_numbers);
	causes.weighs_causes = true;
	_cleanup_free_ char *off = folded_of(&sample, VIEW_OFFCPU, &by_comm);
	expect(off, "pgbench;[met a wormhole];main;[enclave]+0x1234 [the name is a secret];recv;");
	expect(off, "jbd2/vda1-8;[left at home];ret_from_fork;");
	_cleanup_free_ char *chain = folded_of(&sample, VIEW_CHAIN, &by_comm);
	expect(chain, ";asm_common_interrupt;[portal vda] ");
	expect(chain, ";postgres;--;[paradox] 750\n");
	_cleanup_free_ char *cause = folded_of(&sample, VIEW_CHAIN, &causes);
	expect(cause, ";[portal vda];[ran] 4560\n");
	expect(cause, ";--;[paradox] 700\n");
	_cleanup_free_ char *wakeup = folded_of(&sample, VIEW_WAKEUP, &by_comm);
	expect(wakeup, "[portal vda];asm_common_interrupt;");
	sample_end(&sample);
}

static void the_books_count_four_states_and_what_was_left_out_is_said_once(void **state)
{
	struct report_style style = {.file = "a.dwell", .width = 200, .is_by_process = true};
	struct view_sample sample;
	char *text = NULL;
	(void)state;

	open_changed(&sample, new_words, new_numbers);
	struct summary *summary = summarize(&sample);
	assert_int_equal(summary->conservation.expected_ns, 40000 * MS);
	assert_int_equal(summary->conservation.accounted_ns, 40000 * MS);
	assert_int_equal(summary->conservation.worst_thread_ns, 0);
	assert_int_equal(summary->conservation.worst_slice_ns, 0);
	assert_int_equal(summary->total_ns[TIME_BLOCKED], 32000 * MS);
	assert_int_equal(summary->lost_events, 2);
	sample_print(text, out, report_text(summary, &style, out));
	expect(text, "lost: 2 rows of state 'throttled' left out: a newer dwell recorded them\n");
	expect(text, "noted: 1 row of length '>= 10 s' counted under no length");
	assert_null(strstr(strstr(text, "throttled") + 1, "throttled"));
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

static void the_report_tells_causes_in_words_of_the_recording(void **state)
{
	struct report_style style = {.file = "a.dwell", .width = 200, .is_full = true};
	struct view_sample sample;
	char *text = NULL;
	(void)state;

	open_changed(&sample, new_words, new_numbers);
	struct summary *summary = summarize(&sample);
	sample_print(text, out, {
		for (size_t i = 1; i <= summary->lines.count; i++)
			report_wait(summary, i, &style, out);
	});
	expect(text, "portal vda");
	expect(text, "not explained: paradox");
	free(text);
	sample_print(
		text, out, report_json(summary, &(struct report_json_options){.file = ""}, out));
	expect(text, "\"kind\":\"portal\",\"name\":\"vda\"");
	expect(text, "\"end\":\"paradox\"");
	expect(text, "\"paradox\":700000000");
	expect(text, "\"end\":\"met a wormhole\",\"by_time\":");
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

static void the_page_has_bands_and_words_for_all_numbers(void **state)
{
	struct page_options options = {.file = "a.dwell", .command = "", .by = "comm"};
	struct view_filter filter;
	struct view_sample sample;
	struct cube *cube = NULL;
	struct why why = {""};
	bool has_new_band = false;
	char *text = NULL;
	(void)state;

	view_filter_init(&filter);
	open_changed(&sample, new_words, new_numbers);
	struct summary *summary = summarize(&sample);
	assert_int_equal(cube_new(sample.recording, &filter, &by_comm, NULL, NULL, &cube, &why), 0);
	assert_int_equal(cube->bands, 101);
	vec_each (key, &cube->time.keys)
		has_new_band = has_new_band || (key->band == 100 && key->weight == 6000 * MS);
	assert_true(has_new_band);
	sample_print(
		text, out, assert_int_equal(page_write(cube, summary, &options, out, &why), 0));
	expect(text, "2 rows of state &#39;throttled&#39; left out");
	free(text);
	cube_free(cube);
	summary_free(summary);
	sample_end(&sample);
}

static void a_number_without_a_word_is_called_by_itself(void **state)
{
	struct view_sample sample;
	char *text = NULL;
	(void)state;

	open_changed(&sample, new_numbers,
		"UPDATE chains SET chain_end = 255 WHERE chain_end = 100;"
		"UPDATE sums SET state = 200 WHERE state = 100");
	_cleanup_free_ char *off = folded_of(&sample, VIEW_OFFCPU, &by_comm);
	expect(off,
		"pgbench;[unwind end 100];main;[object kind 100]+0x1234 [name reason 100];recv;");
	expect(off, "jbd2/vda1-8;[no stack 15];");
	_cleanup_free_ char *chain = folded_of(&sample, VIEW_CHAIN, &by_comm);
	expect(chain, "[hop kind 100 vda]");
	expect(chain, "[chain end 255]");
	struct summary *summary = summarize(&sample);
	sample_print(
		text, out, report_json(summary, &(struct report_json_options){.file = ""}, out));
	expect(text, "rows of state 'state 200' left out");
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

static void rows_that_were_open_are_left_out_too(void **state)
{
	struct view_sample sample;
	size_t count;
	(void)state;

	open_changed(&sample, "UPDATE meta SET value = 0 WHERE key = 'is_finished'",
		"INSERT INTO open VALUES (1, 999, 77, 3, 100, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		"0)");
	struct summary *summary = summarize(&sample);
	assert_int_equal(summary->total_ns[TIME_BLOCKED], 32000 * MS);
	const struct rec_loss *losses = recording_losses(sample.recording, &count);
	assert_int_equal(count, 1);
	assert_string_equal(
		losses[0].name, "row of state 'state 100' left out: a newer dwell recorded it");
	summary_free(summary);
	sample_end(&sample);
}

static void each_recording_has_words_of_its_own(void **state)
{
	struct view_sample first, second;
	(void)state;

	open_changed(&first, new_words, new_numbers);
	open_changed(&second, "INSERT INTO words VALUES ('chain_end', 100, 'cliff')", new_numbers);
	_cleanup_free_ char *of_first = folded_of(&first, VIEW_CHAIN, &by_comm);
	_cleanup_free_ char *of_second = folded_of(&second, VIEW_CHAIN, &by_comm);
	expect(of_first, ";--;[paradox] 750\n");
	expect(of_second, ";--;[cliff] 750\n");
	sample_end(&first);
	sample_end(&second);
}

static void own_words_are_never_replaced(void **state)
{
	struct view_sample sample;
	(void)state;

	open_changed(&sample, "UPDATE words SET word = 'nonsense' WHERE kind <> 'task_state'", "");
	_cleanup_free_ char *chain = folded_of(&sample, VIEW_CHAIN, &by_comm);
	assert_null(strstr(chain, "nonsense"));
	expect(chain, "[depth limit]");
	sample_end(&sample);
}

static void words_of_a_hostile_recording_are_few_short_and_harmless(void **state)
{
	struct view_sample sample;
	(void)state;

	open_changed(&sample,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)"
		" INSERT OR IGNORE INTO words SELECT 'unwind_end', i, 'end ' || i FROM n;"
		"INSERT INTO words VALUES ('chain_end', 50, 'a;b' || char(27) || '[2J' || "
		"char(8238)),"
		" ('chain_end', 51, printf('%.*c', 1000000, 'x')), ('chain_end', -1, 'minus'),"
		" ('chain_end', 52, ''), ('chain_end', 53, x'ff5d'), ('chain_end', '54', 'text')",
		new_numbers);
	const struct words *words = recording_words(sample.recording);
	assert_int_equal(words_count(words, WORD_UNWIND_END), WORDS_MOST);
	assert_string_equal(words_text(words, WORD_UNWIND_END, 255), "end 255");
	assert_string_equal(words_text(words, WORD_CHAIN_END, 50), "a:b?[2J?");
	assert_string_equal(words_frame(words, WORD_CHAIN_END, 50), "[a:b?[2J?]");
	assert_int_equal(strlen(words_text(words, WORD_CHAIN_END, 51)), WORDS_MOST_BYTES);
	assert_string_equal(words_text(words, WORD_CHAIN_END, 52), "unknown");
	assert_string_equal(words_text(words, WORD_CHAIN_END, UINT32_MAX), "unknown");
	assert_null(words_frame(words, WORD_UNWIND_END, UNWIND_ROOM));
	sample_end(&sample);
}

static void waits_of_a_new_band_are_long_ones(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct profile profile;
	struct why why = {""};
	(void)state;

	open_changed(&sample, new_words, new_numbers);
	view_filter_init(&filter);
	assert_int_equal(view_filter_set_min_wait(&filter, "1s", &why), 0);
	assert_int_equal(profile_of_view(sample.recording, view_type(VIEW_OFFCPU), &filter,
				 &by_comm, &profile, &why),
		0);
	assert_int_equal(tree_total_weight(&profile.tree), 6000 * MS);
	profile_clear(&profile);
	view_filter_init(&filter);
	assert_int_equal(view_filter_set_max_wait(&filter, "1s", &why), 0);
	assert_int_equal(profile_of_view(sample.recording, view_type(VIEW_OFFCPU), &filter,
				 &by_comm, &profile, &why),
		0);
	assert_int_equal(tree_total_weight(&profile.tree), 28000 * MS);
	profile_clear(&profile);
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_show_new_numbers_by_their_words),
		cmocka_unit_test(the_books_count_four_states_and_what_was_left_out_is_said_once),
		cmocka_unit_test(the_report_tells_causes_in_words_of_the_recording),
		cmocka_unit_test(the_page_has_bands_and_words_for_all_numbers),
		cmocka_unit_test(a_number_without_a_word_is_called_by_itself),
		cmocka_unit_test(rows_that_were_open_are_left_out_too),
		cmocka_unit_test(each_recording_has_words_of_its_own),
		cmocka_unit_test(own_words_are_never_replaced),
		cmocka_unit_test(words_of_a_hostile_recording_are_few_short_and_harmless),
		cmocka_unit_test(waits_of_a_new_band_are_long_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
