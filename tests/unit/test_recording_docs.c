// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell-recording(5) tells the truth: its queries run, and it names everything that is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording/schema.h"
#include "recording_sample.h"
#include "util/vec.h"

/* Tests run in the top folder of the tree. */
#define MAN_PAGE "man/dwell-recording.5"

struct example {
	char *name;
	char *sql;
};

struct page {
	char *text;
	VEC(struct example) examples;
	char *folder;
	char *path;
};

static char *read_page(void)
{
	FILE *file = fopen(MAN_PAGE, "r");
	char *text = xcalloc(1, 1 << 20);

	if (!file)
		fail_msg("no %s: run this test in the top folder", MAN_PAGE);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

/* The two escapes that the page uses in queries: \- and \(aq. */
static char *without_escapes(const char *text, size_t length)
{
	char *plain = xcalloc(1, length + 1), *out = plain;

	for (const char *at = text; at < text + length; at++) {
		if (!strncmp(at, "\\(aq", 4)) {
			*out++ = '\'';
			at += 3;
		} else if (!strncmp(at, "\\-", 2)) {
			*out++ = '-';
			at++;
		} else {
			assert_int_not_equal(*at, '\\');
			*out++ = *at;
		}
	}
	return plain;
}

static void find_examples(struct page *page)
{
	static const char mark[] = ".\\\" query: ";

	for (const char *at = page->text; (at = strstr(at, mark));) {
		const char *name = at + strlen(mark);
		const char *start = strstr(name, "\n.EX\n");
		assert_non_null(start);
		const char *end = strstr(start, "\n.EE\n");
		assert_non_null(end);
		struct example example = {xstrndup(name, strcspn(name, "\n")),
			without_escapes(start + 5, (size_t)(end - start - 5))};
		vec_push(&page->examples, example);
		at = end;
	}
}

static int open_page(void **state)
{
	struct page *page = xcalloc(1, sizeof(*page));

	page->text = read_page();
	find_examples(page);
	page->folder = sample_folder();
	page->path = xasprintf("%s/a.dwell", page->folder);
	*state = page;
	return 0;
}

static int close_page(void **state)
{
	struct page *page = *state;

	vec_each (example, &page->examples) {
		free(example->name);
		free(example->sql);
	}
	vec_clear(&page->examples);
	sample_remove_folder(page->folder);
	free(page->path);
	free(page->text);
	free(page);
	return 0;
}

/* Rows that the query gives. */
static size_t run_query(const char *path, const struct example *example)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	const char *rest = NULL;
	size_t rows = 0;
	int code;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	/* As strict as the sqlite3 shell with .trusted_schema off. */
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	if (sqlite3_prepare_v2(db, example->sql, -1, &statement, &rest))
		fail_msg("%s: %s", example->name, sqlite3_errmsg(db));
	assert_string_equal(rest, "");
	while ((code = sqlite3_step(statement)) == SQLITE_ROW)
		rows++;
	if (code != SQLITE_DONE)
		fail_msg("%s: %s", example->name, sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return rows;
}

static void every_example_query_runs_and_finds_something(void **state)
{
	struct page *page = *state;

	assert_true(page->examples.count >= 6);
	for (int is_finished = 0; is_finished < 2; is_finished++) {
		if (is_finished)
			sample_write(page->path);
		else
			sample_write_unfinished(page->path);
		vec_each (example, &page->examples)
			if (!run_query(page->path, example))
				fail_msg("%s: no rows", example->name);
	}
}

static bool has_word(const char *text, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += length)
		if (!strchr(letters, at[-1]) && (!at[length] || !strchr(letters, at[length])))
			return true;
	return false;
}

/* Fails for each word in the query's first column that the page does not hold. */
static void expect_words(const struct page *page, const char *sql, int at_least)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	int rows = 0;

	assert_int_equal(sqlite3_open_v2(page->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const char *word = (const char *)sqlite3_column_text(statement, 0);
		if (!has_word(page->text, word))
			fail_msg("%s does not tell about %s", MAN_PAGE, word);
		rows++;
	}
	assert_true(rows >= at_least);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

static void every_table_view_column_and_key_is_in_the_man_page(void **state)
{
	struct page *page = *state;

	sample_write(page->path);
	expect_words(page, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')", 17);
	expect_words(page,
		"SELECT c.name FROM sqlite_master m, pragma_table_info(m.name) c"
		" WHERE m.type IN ('table', 'view')",
		100);
	expect_words(page, "SELECT key FROM meta", 25);
	expect_words(page, "SELECT DISTINCT kind FROM words", 7);
}

/* What one query says, as one text. The caller frees it. */
static char *answer(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	char *text = xstrdup((const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return text;
}

/* The schema has no macros: what it says twice, or after C, is the same. */
static void what_the_schema_repeats_is_equal(void **state)
{
	struct page *page = *state;
	char depth[64];

	sample_write(page->path);
	_cleanup_free_ char *sums =
		answer(page->path, "SELECT group_concat(name || ' ' || type || ' ' || pk) FROM "
				   "pragma_table_info('sums')");
	_cleanup_free_ char *open =
		answer(page->path, "SELECT group_concat(name || ' ' || type || ' ' || pk) FROM "
				   "pragma_table_info('open')");
	_cleanup_free_ char *frames =
		answer(page->path, "SELECT sql FROM sqlite_master WHERE name = 'stack_frames'");
	assert_string_equal(sums, open);
	snprintf(depth, sizeof(depth), "w.up < %d", SCHEMA_MAX_DEPTH);
	assert_non_null(strstr(frames, depth));
}

static void every_loss_is_in_the_man_page(void **state)
{
	struct page *page = *state;

	for (int i = 0; i < LOSSES; i++)
		if (!has_word(page->text, loss_name((enum loss)i)))
			fail_msg("%s does not tell about %s", MAN_PAGE, loss_name((enum loss)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_example_query_runs_and_finds_something, open_page, close_page),
		cmocka_unit_test_setup_teardown(
			every_table_view_column_and_key_is_in_the_man_page, open_page, close_page),
		cmocka_unit_test_setup_teardown(
			what_the_schema_repeats_is_equal, open_page, close_page),
		cmocka_unit_test_setup_teardown(
			every_loss_is_in_the_man_page, open_page, close_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
