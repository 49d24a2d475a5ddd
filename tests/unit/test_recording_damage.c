// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording is untrusted input: whatever the file holds, the reader answers and says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "recording_sample.h"

static char *folder, *path;

static int make_place(void **state)
{
	(void)state;
	folder = sample_folder();
	path = xasprintf("%s/a.dwell", folder);
	return 0;
}

static int remove_place(void **state)
{
	(void)state;
	sample_remove_folder(folder);
	free(path);
	return 0;
}

static void write_bytes(const char *name, const void *bytes, size_t length)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static unsigned char *read_bytes(const char *name, size_t *ret_length)
{
	FILE *file = fopen(name, "r");
	struct stat status;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	unsigned char *bytes = xmalloc((size_t)status.st_size);
	*ret_length = fread(bytes, 1, (size_t)status.st_size, file);
	assert_int_equal(*ret_length, status.st_size);
	fclose(file);
	return bytes;
}

static int on_count(const struct rec_counted *row, void *count)
{
	(void)row;
	++*(size_t *)count;
	return 0;
}

static int on_memory(const struct rec_resident *row, void *count)
{
	(void)row;
	++*(size_t *)count;
	return 0;
}

/* Opens and walks; the result is 0 or an error with a reason. */
static int read_all(const char *name, struct why *why)
{
	struct recording *recording = NULL;
	size_t count = 0;
	int error = recording_open(name, &recording, why);

	if (error) {
		assert_null(recording);
		return error;
	}
	error = recording_each_row(recording, sample_count_row, &count, why);
	if (!error)
		error = recording_each_count(recording, on_count, &count, why);
	if (!error)
		error = recording_each_memory(recording, on_memory, &count, why);
	recording_free(recording);
	return error;
}

static void expect_error(const char *name, int error, const char *words)
{
	struct why why = {""};

	assert_int_equal(read_all(name, &why), error);
	if (!strstr(why.text, words))
		fail_msg("\"%s\" does not say \"%s\"", why.text, words);
}

static void a_missing_file_names_the_command_that_makes_one(void **state)
{
	(void)state;
	expect_error(path, -ENOENT, "; make one with: dwell record");
	expect_error("", -ENOENT, "no recording");
	expect_error(":memory:", -ENOENT, "no recording");
}

static void what_is_not_a_recording_is_called_that(void **state)
{
	_cleanup_free_ char *junk = xcalloc(1, 5000);

	(void)state;
	write_bytes(path, "", 0);
	expect_error(path, -EINVAL, "is not a dwell recording: it is empty");
	write_bytes(path, "hello", 5);
	expect_error(path, -EINVAL, "is not a dwell recording");
	write_bytes(path, junk, 5000);
	expect_error(path, -EINVAL, "is not a dwell recording");
	expect_error(folder, -EINVAL, "it is a folder");
	expect_error("/dev/null", -EINVAL, "is not a dwell recording");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_error(path, -EINVAL, "is not a dwell recording");
}

static void a_foreign_database_is_not_a_recording(void **state)
{
	(void)state;
	sample_execute(path, "CREATE TABLE sums(a); INSERT INTO sums VALUES (1);");
	expect_error(path, -EINVAL, "is not a dwell recording");
}

static void a_newer_format_is_named(void **state)
{
	(void)state;
	sample_write(path);
	sample_execute(path, "PRAGMA user_version=10");
	expect_error(path, -EPROTONOSUPPORT, "newer dwell: format 10, this one reads up to 9");
}

static void a_recording_without_a_first_slice_says_so(void **state)
{
	(void)state;
	struct recording_writer *writer = sample_writer(path);

	expect_error(path, -ENODATA, "holds nothing yet: its recording has just begun");
	recording_writer_free(writer);
	expect_error(path, -ENODATA, "cut short before the first slice");
}

struct damage {
	const char *sql;
	const char *words;
};

static const struct damage damages[] = {
	{"DROP TABLE losses", "no plain table losses"},
	{"DROP TABLE words; CREATE VIEW words AS SELECT * FROM sums", "no plain table words"},
	{"DROP TABLE words; CREATE TABLE words(kind)", "table words"},
	{"DROP TABLE open; CREATE VIEW open AS SELECT * FROM sums", "no plain table open"},
	{"DROP TABLE losses; CREATE VIRTUAL TABLE losses USING fts5(name, count, ns)",
		"no plain table losses"},
	{"DROP TABLE threads; CREATE TABLE threads(id INTEGER PRIMARY KEY, tid, process)",
		"table threads: no such column: comm"},
	{"DROP TABLE losses; CREATE TABLE losses(name TEXT, ns INTEGER,"
	 " count INTEGER AS (abs(ns)))",
		"no plain table losses"},
	{"DELETE FROM meta WHERE key = 'slice_ns'", "no slice_ns"},
	{"UPDATE meta SET value = -1 WHERE key = 'window_ns'", "bad value"},
	{"UPDATE meta SET value = 4294967296 WHERE key = 'cpus'", "bad value"},
	{"UPDATE meta SET value = NULL WHERE key = 'host'", "bad value"},
	{"UPDATE meta SET value = 2 WHERE key = 'is_finished'", "bad value"},
	{"DELETE FROM slices WHERE id = 3", "slices are missing"},
	{"UPDATE slices SET length_ns = -1 WHERE id = 3", "bad length_ns"},
	{"DELETE FROM slices WHERE id = 5", "unknown slice"},
	{"UPDATE processes SET id = -1 WHERE id = 1", "bad id"},
	{"UPDATE processes SET name = x'00' WHERE id = 1", "bad name"},
	{"DELETE FROM processes WHERE id = 2", "process 2, unknown"},
	{"UPDATE threads SET start_ns = -5 WHERE id = 1", "bad start_ns"},
	{"UPDATE threads SET start_ns = 6, end_ns = 5 WHERE id = 1", "ends before it starts"},
	{"UPDATE threads SET blocked_ns = 'much' WHERE id = 1", "bad blocked_ns"},
	{"UPDATE threads SET comm = x'41' WHERE id = 1", "bad comm"},
	{"UPDATE objects SET kind = -1", "bad kind"},
	{"DELETE FROM objects WHERE kind = 0", "unknown object"},
	{"UPDATE frames SET reason = 256", "bad reason"},
	{"UPDATE frames SET address = 1.5", "bad address"},
	{"DELETE FROM frames WHERE id = 4", "unknown frame"},
	{"UPDATE stacks SET unwind_end = -1", "bad unwind_end"},
	{"UPDATE stacks SET unwind_end = 256", "bad unwind_end"},
	{"UPDATE stacks SET unwind_end = 'odd'", "bad unwind_end"},
	{"UPDATE stacks SET parent = 999 WHERE id = 102", "unknown parent"},
	{"UPDATE stacks SET parent = 102 WHERE id = 101", "endless"},
	{"UPDATE stacks SET parent = id", "endless"},
	{"INSERT INTO stacks VALUES (3, 0, 3, 0)", "reserved"},
	{"DELETE FROM stacks WHERE id = 104", "unknown stack"},
	{"UPDATE sums SET user_stack = 16 WHERE rowid = 1", "unknown stack"},
	{"UPDATE sums SET thread = 77 WHERE rowid = 1", "unknown thread"},
	{"UPDATE sums SET state = 256 WHERE rowid = 1", "bad state"},
	{"UPDATE sums SET state = -1 WHERE rowid = 1", "bad state"},
	{"UPDATE sums SET state = 9223372036854775807 WHERE rowid = 1", "bad state"},
	{"UPDATE sums SET state = 1.5 WHERE rowid = 1", "bad state"},
	{"UPDATE sums SET band = 256 WHERE rowid = 1", "bad band"},
	{"UPDATE sums SET letter = 'SS' WHERE rowid = 3", "bad letter"},
	{"UPDATE sums SET letter = 'S' WHERE rowid = 1", "bad letter"},
	{"UPDATE sums SET letter = x'53' WHERE rowid = 3", "bad letter"},
	{"UPDATE sums SET letter = char(27) WHERE rowid = 3", "bad letter"},
	{"UPDATE sums SET count = -1 WHERE rowid = 1", "bad count"},
	{"UPDATE sums SET max_ns = -1 WHERE rowid = 1", "bad max_ns"},
	{"UPDATE sums SET ns = ns + 1 WHERE rowid = 1", "does not add up"},
	{"UPDATE sums SET count = 2 WHERE rowid = 3", "does not add up"},
	{"UPDATE sums SET slice_first = 5, slice_last = 1 WHERE rowid = 3", "does not add up"},
	{"UPDATE sums SET count = 9223372036854775807 WHERE rowid = 3", "does not add up"},
	{"UPDATE sums SET chain = 5 WHERE rowid = 3", "bad chain"},
	{"UPDATE sums SET chain = 7 WHERE rowid = 1", "bad chain"},
	{"UPDATE sums SET chain = '' WHERE rowid = 3", "bad chain"},
	{"UPDATE sums SET chain = 7 WHERE rowid = 3", "unknown row"},
	{"UPDATE chains SET hop_count = 17", "bad hop_count"},
	{"UPDATE chains SET hop_count = 1 WHERE id < 0", "out of order"},
	{"UPDATE chains SET hop_count = 3 WHERE id < 0", "hops are missing"},
	{"UPDATE chains SET hop_count = 1 WHERE id = 7", "hops are missing"},
	{"UPDATE chains SET chain_end = 256", "bad chain_end"},
	{"UPDATE chains SET chain_end = 1 WHERE id < 0", "cannot be"},
	{"UPDATE chains SET chain_end = 0 WHERE id = 7", "cannot be"},
	{"INSERT INTO chains VALUES (0, 0, 4)", "reserved"},
	{"DELETE FROM hops WHERE position = 1", "hops are missing"},
	{"DELETE FROM hops WHERE position = 0", "out of order"},
	{"UPDATE hops SET position = 1", "out of order"},
	{"UPDATE hops SET position = 16 WHERE position = 1", "bad position"},
	{"UPDATE hops SET chain = 7 WHERE position = 1", "out of order"},
	{"UPDATE hops SET chain = 8 WHERE position = 1", "unknown chain"},
	{"UPDATE hops SET kind = -1", "bad kind"},
	{"UPDATE hops SET kind = 4", "cannot be"},
	{"UPDATE hops SET kind = 0", "cannot be"},
	{"UPDATE hops SET name = x'41'", "bad name"},
	{"UPDATE hops SET kernel_stack = 99", "unknown stack"},
	{"UPDATE hops SET waited_stack = 16", "unknown stack"},
	{"UPDATE shares SET ran_ns = ran_ns + 1 WHERE position = 1", "do not add up"},
	{"UPDATE shares SET ran_ns = -1", "bad ran_ns"},
	{"UPDATE shares SET no_cpu_ns = 9223372036854775807", "do not add up"},
	{"UPDATE shares SET position = 2 WHERE position = 1", "do not add up"},
	{"UPDATE shares SET position = 3 WHERE position = 1", "bad position"},
	{"UPDATE shares SET position = 1", "out of order"},
	{"UPDATE shares SET sum = 2 WHERE position = 0", "do not add up"},
	{"UPDATE shares SET sum = 99", "do not add up"},
	{"INSERT INTO shares VALUES (99, 0, 0, 0, 0)", "unknown row"},
	{"DELETE FROM shares", "do not add up"},
	{"INSERT INTO losses VALUES ('', 1, 1)", "bad name"},
	{"INSERT INTO losses VALUES ('lug' || char(27) || 'gage', 1, 1)", "bad name"},
	{"UPDATE losses SET count = -1", "bad count"},
};

static void damage_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		struct why why = {""};

		sample_write(path);
		sample_execute(path, damages[i].sql);
		if (read_all(path, &why) != -EIO || strncmp(why.text, "damaged recording: ", 19) ||
			!strstr(why.text, damages[i].words))
			fail_msg("%s: %s", damages[i].sql, why.text);
	}
}

static void write_chain(size_t depth)
{
	struct recording_writer *writer = sample_writer(path);
	struct why why = {""};

	sample_add_tables(writer);
	for (size_t i = 0; i < depth; i++) {
		struct rec_stack node = {1000 + i, i ? 999 + i : 0, 3, UNWIND_CUT};
		recording_writer_add_stack(writer, &node);
	}
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
}

static void a_stack_may_be_4096_deep_and_no_deeper(void **state)
{
	struct why why = {""};

	(void)state;
	write_chain(4096);
	assert_int_equal(read_all(path, &why), 0);
	write_chain(4097);
	expect_error(path, -EIO, "endless");
}

static void a_text_ends_at_its_first_nul(void **state)
{
	size_t count;

	(void)state;
	sample_write(path);
	sample_execute(path, "UPDATE threads SET comm = 'ab' || char(0) || 'cd' WHERE id = 1");
	struct recording *recording = sample_open(path);
	assert_string_equal(recording_threads(recording, &count)[0].comm, "ab");
	recording_free(recording);
}

static void unknown_meta_and_extra_tables_are_left_alone(void **state)
{
	struct why why = {""};

	(void)state;
	sample_write(path);
	sample_execute(path, "INSERT INTO meta VALUES ('note', x'00'); CREATE TABLE mine(a);"
			     "CREATE TRIGGER t AFTER INSERT ON sums BEGIN DELETE FROM sums; END;");
	assert_int_equal(read_all(path, &why), 0);
}

static void a_write_ahead_log_is_refused_and_nothing_is_made_beside_it(void **state)
{
	_cleanup_free_ char *log = xasprintf("%s-wal", path);

	(void)state;
	sample_write(path);
	sample_execute(path, "PRAGMA journal_mode=WAL");
	expect_error(path, -EIO, "bad file header");
	assert_int_not_equal(access(log, F_OK), 0);
}

/* Rows that a damaged tree delivers again and again must not be followed for ever. */
static void a_table_that_leads_back_into_itself_is_refused(void **state)
{
	struct recording_writer *writer = sample_writer(path);
	struct why why = {""};
	size_t length;

	(void)state;
	sample_add_tables(writer);
	for (size_t i = 0; i < 1000; i++)
		recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
	int64_t root = sample_query(path, "SELECT rootpage FROM sqlite_master WHERE name = 'sums'");
	_cleanup_free_ unsigned char *bytes = read_bytes(path, &length);
	unsigned char *page = bytes + (root - 1) * 4096;

	/* An interior page: all its children become the first one. */
	assert_int_equal(page[0], 5);
	size_t cells = (size_t)page[3] << 8 | page[4];
	assert_true(cells > 1);
	unsigned char *first = page + ((size_t)page[12] << 8 | page[13]);
	for (size_t i = 1; i < cells; i++)
		memcpy(page + ((size_t)page[12 + 2 * i] << 8 | page[13 + 2 * i]), first, 4);
	write_bytes(path, bytes, length);
	expect_error(path, -EIO, "rows of sums are out of order");
}

static void a_truncated_recording_never_breaks_the_reader(void **state)
{
	size_t length, refused = 0, tried = 0;

	(void)state;
	sample_write(path);
	_cleanup_free_ unsigned char *bytes = read_bytes(path, &length);
	for (size_t keep = 0; keep < length; keep += keep < 200 ? 1 : 211) {
		struct why why = {""};
		write_bytes(path, bytes, keep);
		refused += read_all(path, &why) != 0;
		tried++;
	}
	assert_int_equal(refused, tried);
}

/* Every seed is a run of its own; the seed is printed when it fails. */
static void flip(unsigned char *bytes, size_t length, unsigned int seed)
{
	size_t flips = 1 + seed % 8;

	srand(seed);
	for (size_t i = 0; i < flips; i++) {
		/* Half of them in the first page, where the schema and the header live. */
		size_t range = rand() % 2 && length > 4096 ? 4096 : length;
		bytes[(size_t)rand() % range] ^= (unsigned char)(1 << rand() % 8);
	}
}

static void flipped_bits_never_break_the_reader(void **state)
{
	size_t length;

	(void)state;
	sample_write_unfinished(path);
	_cleanup_free_ unsigned char *bytes = read_bytes(path, &length);
	_cleanup_free_ unsigned char *copy = xmalloc(length);
	for (unsigned int seed = 0; seed < 3000; seed++) {
		struct why why = {""};
		memcpy(copy, bytes, length);
		flip(copy, length, seed);
		write_bytes(path, copy, length);
		time_t start = time(NULL);
		if (read_all(path, &why) && !*why.text)
			fail_msg("seed %u: refused without a reason", seed);
		if (time(NULL) - start > 20)
			fail_msg("seed %u: took too long", seed);
	}
}

static void random_journals_never_break_the_reader(void **state)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);
	static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	unsigned char bytes[512 + 3 * 4104];

	(void)state;
	sample_write(path);
	for (unsigned int seed = 0; seed < 300; seed++) {
		struct why why = {""};
		srand(seed);
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)rand();
		memset(bytes, 0, 28);
		memcpy(bytes, magic, sizeof(magic));
		memset(bytes + 8, 0xff, 4); /* as many records as there are */
		bytes[19] = (unsigned char)(seed % 64);
		bytes[22] = 2; /* sectors of 512 bytes, pages of 4096 */
		bytes[26] = 16;
		write_bytes(journal, bytes, sizeof(bytes));
		if (read_all(path, &why) && !*why.text)
			fail_msg("seed %u: refused without a reason", seed);
	}
}

static void a_journal_cannot_have_other_files_deleted(void **state)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);
	_cleanup_free_ char *victim = xasprintf("%s/victim", folder);
	static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	unsigned char bytes[1024] = {0};
	size_t length = strlen(victim);
	unsigned int sum = 0;
	unsigned char *end = bytes + sizeof(bytes) - 16;

	(void)state;
	sample_write(path);
	write_bytes(victim, "keep", 4);
	memcpy(bytes, magic, sizeof(magic));
	bytes[22] = 2;
	bytes[26] = 16;
	/* As SQLite lays out the name of a super-journal at the end of a journal. */
	memcpy(end - length, victim, length);
	for (size_t i = 0; i < length; i++)
		sum += (unsigned char)victim[i];
	end[3] = (unsigned char)length;
	for (int i = 0; i < 4; i++)
		end[4 + i] = (unsigned char)(sum >> (24 - 8 * i));
	memcpy(end + 8, magic, sizeof(magic));
	write_bytes(journal, bytes, sizeof(bytes));
	expect_error(path, -EIO, "foreign journal");
	assert_int_equal(access(victim, F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_missing_file_names_the_command_that_makes_one),
		TEST(what_is_not_a_recording_is_called_that),
		TEST(a_foreign_database_is_not_a_recording),
		TEST(a_newer_format_is_named),
		TEST(a_recording_without_a_first_slice_says_so),
		TEST(damage_is_named),
		TEST(a_stack_may_be_4096_deep_and_no_deeper),
		TEST(a_text_ends_at_its_first_nul),
		TEST(unknown_meta_and_extra_tables_are_left_alone),
		TEST(a_write_ahead_log_is_refused_and_nothing_is_made_beside_it),
		TEST(a_table_that_leads_back_into_itself_is_refused),
		TEST(a_truncated_recording_never_breaks_the_reader),
		TEST(flipped_bits_never_break_the_reader),
		TEST(random_journals_never_break_the_reader),
		TEST(a_journal_cannot_have_other_files_deleted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
