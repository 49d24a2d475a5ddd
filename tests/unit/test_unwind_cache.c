// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cache of unwind tables: what comes back is what went in, or nothing. Damaged files are cut,
 * or have one byte changed; test_elf_cfi_pack.c has those whose checksum is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cfi_sample.h"
#include "elf/cfi/cfi_pack.h"
#include "unwind/unwind_cache.h"
#include "util/hash.h"

#define BUILD_ID "0123456789abcdef0123456789abcdef01234567"
#define FILE_NAME BUILD_ID "-7.cfi"
#define OWNER 7
#define LIMIT (1 << 20)

static char folder[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/dwell-cache.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static struct unwind_cache *open_cache(uint64_t limit)
{
	struct unwind_cache *cache = NULL;
	struct why why = {""};

	assert_int_equal(unwind_cache_open_at(folder, limit, &cache, &why), 0);
	return cache;
}

static void check_equal(const struct cfi_table *a, const struct cfi_table *b)
{
	assert_int_equal(a->first_page, b->first_page);
	assert_int_equal(a->row_count, b->row_count);
	assert_int_equal(a->page_count, b->page_count);
	assert_int_equal(a->rule_count, b->rule_count);
	assert_memory_equal(a->rows, b->rows, a->row_count * sizeof(*a->rows));
	assert_memory_equal(a->pages, b->pages, (a->page_count + 1) * sizeof(*a->pages));
	assert_memory_equal(a->rules, b->rules, a->rule_count * sizeof(*a->rules));
}

static bool exists(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !access(path, F_OK);
}

static int count_files(void)
{
	DIR *all = opendir(folder);
	const struct dirent *entry;
	int count = 0;

	assert_non_null(all);
	while ((entry = readdir(all)))
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(all);
	return count;
}

static void put_file(const char *name, const void *bytes, size_t count, mode_t mode)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void a_table_comes_back_as_it_was(void **state)
{
	struct cfi_table table = make_table(), back = {0};
	struct unwind_cache *cache = open_cache(LIMIT);

	(void)state;
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), -ENOENT);
	assert_int_equal(unwind_cache_store(cache, BUILD_ID, OWNER, &table), 0);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), 0);
	check_equal(&table, &back);
	cfi_table_clear(&back);
	assert_int_equal(count_files(), 1);
	/* Of another owner it is another file. */
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER + 1, &back), -ENOENT);
	unwind_cache_free(cache);
	/* Another run. */
	cache = open_cache(LIMIT);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), 0);
	check_equal(&table, &back);
	cfi_table_clear(&back);
	cfi_table_clear(&table);
	unwind_cache_free(cache);
}

static void a_name_that_is_no_build_id_reaches_no_file(void **state)
{
	static const char *const names[] = {
		"", "../../etc/passwd", "0123/4567", "0123XY", "ABCDEF"};
	struct unwind_cache *cache = open_cache(LIMIT);
	struct cfi_table table = make_table(), back;
	char digits[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(unwind_cache_store(cache, names[i], OWNER, &table), -EINVAL);
		assert_int_equal(unwind_cache_load(cache, names[i], OWNER, &back), -ENOENT);
	}
	memset(digits, 'a', sizeof(digits));
	digits[sizeof(digits) - 1] = '\0';
	assert_int_equal(unwind_cache_store(cache, digits, OWNER, &table), -EINVAL);
	cfi_table_clear(&table);
	unwind_cache_free(cache);
}

static void a_damaged_file_is_removed_not_believed(void **state)
{
	struct cfi_table table = make_table(), back;
	struct unwind_cache *cache = open_cache(LIMIT);
	size_t count;
	unsigned char *good = cfi_pack(&table, hash_text(0, FILE_NAME), &count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		good[i] ^= 0x10;
		assert_int_equal(cfi_unpack(good, count, hash_text(0, FILE_NAME), &back), -EBADMSG);
		if (i % 97 == 0) {
			put_file(FILE_NAME, good, count, 0600);
			assert_int_equal(
				unwind_cache_load(cache, BUILD_ID, OWNER, &back), -EBADMSG);
			assert_false(exists(FILE_NAME));
		}
		good[i] ^= 0x10;
		if (i % 13 == 0) {
			put_file(FILE_NAME, good, i, 0600);
			assert_int_equal(
				unwind_cache_load(cache, BUILD_ID, OWNER, &back), -EBADMSG);
			assert_false(exists(FILE_NAME));
		}
	}
	put_file(FILE_NAME, good, count, 0600);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), 0);
	cfi_table_clear(&back);
	/* The table of another file under this name. */
	free(good);
	good = cfi_pack(&table, 1, &count);
	put_file(FILE_NAME, good, count, 0600);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), -EBADMSG);
	free(good);
	cfi_table_clear(&table);
	unwind_cache_free(cache);
}

static void only_plain_files_of_ours_are_read(void **state)
{
	struct cfi_table table = make_table(), back;
	struct unwind_cache *cache = open_cache(LIMIT);
	char path[256], other[256];
	size_t count;
	void *good = cfi_pack(&table, hash_text(0, FILE_NAME), &count);

	(void)state;
	snprintf(path, sizeof(path), "%s/%s", folder, FILE_NAME);
	snprintf(other, sizeof(other), "%s/other", folder);
	put_file("other", good, count, 0600);
	assert_int_equal(symlink("other", path), 0);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), -EBADMSG);
	assert_false(exists(FILE_NAME));
	assert_true(exists("other"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), -EBADMSG);
	assert_false(exists(FILE_NAME));
	put_file(FILE_NAME, good, count, 0620);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), -EBADMSG);
	if (!geteuid()) {
		put_file(FILE_NAME, good, count, 0600);
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), -EBADMSG);
	}
	/* A link in the place of a table is replaced, not written through. */
	assert_int_equal(symlink("other", path), 0);
	assert_int_equal(truncate(other, 0), 0);
	assert_int_equal(unwind_cache_store(cache, BUILD_ID, OWNER, &table), 0);
	struct stat status;
	assert_int_equal(stat(other, &status), 0);
	assert_int_equal(status.st_size, 0);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(status.st_mode & 0777, 0600);
	free(good);
	cfi_table_clear(&table);
	unwind_cache_free(cache);
}

static void a_folder_that_is_not_ours_alone_is_refused(void **state)
{
	struct unwind_cache *cache;
	struct why why = {""};
	char path[256];

	(void)state;
	assert_int_equal(chmod(folder, 0777), 0);
	assert_int_equal(unwind_cache_open_at(folder, LIMIT, &cache, &why), -EPERM);
	assert_non_null(strstr(why.text, folder));
	assert_int_equal(chmod(folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(symlink(".", path), 0);
	assert_int_equal(unwind_cache_open_at(path, LIMIT, &cache, &why), -ENOTDIR);
	snprintf(path, sizeof(path), "%s/no/where", folder);
	assert_int_equal(unwind_cache_open_at(path, LIMIT, &cache, &why), -ENOENT);
	snprintf(path, sizeof(path), "%s/made", folder);
	assert_int_equal(unwind_cache_open_at(path, LIMIT, &cache, &why), 0);
	unwind_cache_free(cache);
	if (!geteuid()) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(unwind_cache_open_at(path, LIMIT, &cache, &why), -EPERM);
	}
}

static void set_age(const char *name, long age_s)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - age_s}};
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_tables_used_longest_ago_make_room(void **state)
{
	struct cfi_table table = make_table(), back;
	size_t count;
	char id[16], name[32];

	(void)state;
	free(cfi_pack(&table, 1, &count));
	/* Room for ten. */
	uint64_t limit = 10 * count + count / 2;
	struct unwind_cache *cache = open_cache(limit);
	put_file("stranger", "x", 1, 0600);
	put_file("tmp-1-0", "left behind", 11, 0600);
	set_age("tmp-1-0", 100000);
	for (unsigned int i = 0; i < 10; i++) {
		snprintf(id, sizeof(id), "%08x", i);
		assert_int_equal(unwind_cache_store(cache, id, OWNER, &table), 0);
		snprintf(name, sizeof(name), "%s-7.cfi", id);
		set_age(name, 100000 - 1000 * (long)i);
	}
	/* The oldest is used: now it is the newest. */
	assert_int_equal(unwind_cache_load(cache, "00000000", OWNER, &back), 0);
	cfi_table_clear(&back);
	assert_int_equal(unwind_cache_store(cache, "0000000a", OWNER, &table), 0);
	assert_true(exists("00000000-7.cfi"));
	assert_true(exists("0000000a-7.cfi"));
	assert_false(exists("00000001-7.cfi"));
	assert_true(exists("00000009-7.cfi"));
	assert_false(exists("tmp-1-0"));
	assert_true(exists("stranger"));
	unwind_cache_free(cache);
	/* A smaller limit from now on. */
	cache = open_cache(4 * count);
	assert_true(exists("0000000a-7.cfi"));
	assert_false(exists("00000008-7.cfi"));
	/* What would fill the folder alone is not kept. */
	unwind_cache_free(cache);
	cache = open_cache(count);
	assert_int_equal(unwind_cache_store(cache, "ff", OWNER, &table), -E2BIG);
	unwind_cache_free(cache);
	cfi_table_clear(&table);
}

static void a_file_left_by_a_writer_is_in_nobodys_way(void **state)
{
	struct cfi_table table = make_table();
	struct unwind_cache *cache = open_cache(LIMIT);
	char name[64], path[256];
	struct stat status;

	(void)state;
	snprintf(name, sizeof(name), "tmp-%d-0", getpid());
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	put_file(name, "x", 1, 0600);
	assert_int_equal(unwind_cache_store(cache, BUILD_ID, OWNER, &table), 0);
	assert_true(exists(FILE_NAME));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 1);
	cfi_table_clear(&table);
	unwind_cache_free(cache);
}

struct worker {
	struct unwind_cache *cache;
	const struct cfi_table *table;
	int loaded;
	int failed;
};

static void *work(void *argument)
{
	struct worker *worker = argument;

	for (unsigned int i = 0; i < 300; i++) {
		struct cfi_table back;
		char id[16];
		int err;
		snprintf(id, sizeof(id), "%08x", i % 12);
		worker->failed += unwind_cache_store(worker->cache, id, OWNER, worker->table) != 0;
		err = unwind_cache_load(worker->cache, id, OWNER, &back);
		worker->failed += err && err != -ENOENT;
		if (!err) {
			worker->loaded += back.row_count == worker->table->row_count;
			cfi_table_clear(&back);
		}
	}
	return NULL;
}

/* Two caches of one folder, as of two runs, with two threads each, and hardly any room. */
static void threads_and_runs_share_a_folder(void **state)
{
	struct cfi_table table = make_table();
	struct worker workers[4];
	pthread_t threads[4];
	struct unwind_cache *caches[2];
	size_t count;

	(void)state;
	free(cfi_pack(&table, 1, &count));
	for (int i = 0; i < 2; i++)
		caches[i] = open_cache(6 * count);
	for (int i = 0; i < 4; i++) {
		workers[i] = (struct worker){caches[i % 2], &table, 0, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(workers[i].failed, 0);
		assert_true(workers[i].loaded > 0);
	}
	/* Each cache counts what it stored itself, and looks again when that is too much. */
	assert_true(count_files() <= 2 * 6 + 2);
	for (int i = 0; i < 2; i++)
		unwind_cache_free(caches[i]);
	cfi_table_clear(&table);
}

static void a_user_has_a_folder_of_his_own(void **state)
{
	struct unwind_cache *cache;
	struct why why = {""};

	(void)state;
	if (!geteuid() && seteuid(12345))
		skip();
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("HOME");
	assert_int_equal(unwind_cache_open(LIMIT, &cache, &why), -ENOENT);
	if (getuid() && !chmod(folder, 0700)) {
		setenv("HOME", folder, 1);
		assert_int_equal(unwind_cache_open(LIMIT, &cache, &why), 0);
		assert_true(exists(".cache/dwell"));
		unwind_cache_free(cache);
	} else {
		/* Root's folder is closed to others. */
		setenv("HOME", folder, 1);
		assert_int_equal(unwind_cache_open(LIMIT, &cache, &why), -EACCES);
		assert_int_equal(seteuid(0), 0);
		assert_int_equal(chown(folder, 12345, 12345), 0);
		assert_int_equal(seteuid(12345), 0);
		assert_int_equal(unwind_cache_open(LIMIT, &cache, &why), 0);
		unwind_cache_free(cache);
		setenv("XDG_CACHE_HOME", folder, 1);
		assert_int_equal(unwind_cache_open(LIMIT, &cache, &why), 0);
		unwind_cache_free(cache);
		assert_int_equal(seteuid(0), 0);
		assert_true(exists(".cache/dwell"));
		assert_true(exists("dwell"));
	}
}

/* The biggest object that was met (libclang-cpp 19) has 1.21 million rows. */
static void a_table_of_more_than_a_million_rows_is_kept(void **state)
{
	enum { ROWS = 1300000 };
	struct cfi_table table, back;
	struct sample sample = {0};
	struct unwind_cache *cache = open_cache(UNWIND_CACHE_BYTES);
	VEC(unsigned char) program = {0};

	(void)state;
	for (uint32_t i = 0; i < ROWS; i++) {
		const unsigned char row[] = {0x44, 0x0e, (unsigned char)(8 + i % 100)};
		vec_append(&program, row, sizeof(row));
	}
	sample_cie(&sample, "zR", CIE_USUAL);
	sample_fde(&sample, TEXT, 4 * ROWS + 4, program.at, program.count);
	assert_int_equal(sample_read_in(&sample, TEXT, TEXT + 4 * ROWS + 4, 0, &table), 0);
	/* The leading one, and the one that ends the text. */
	assert_int_equal(table.row_count, ROWS + 2);
	assert_int_equal(unwind_cache_store(cache, BUILD_ID, OWNER, &table), 0);
	assert_int_equal(unwind_cache_load(cache, BUILD_ID, OWNER, &back), 0);
	check_equal(&table, &back);
	assert_int_equal(
		cfi_table_find(&back, TEXT + 4 * ROWS - 1).cfa_offset, 8 + (ROWS - 2) % 100);
	cfi_table_clear(&table);
	cfi_table_clear(&back);
	vec_clear(&program);
	sample_clear(&sample);
	unwind_cache_free(cache);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_table_comes_back_as_it_was),
		TEST(a_name_that_is_no_build_id_reaches_no_file),
		TEST(a_damaged_file_is_removed_not_believed),
		TEST(only_plain_files_of_ours_are_read),
		TEST(a_folder_that_is_not_ours_alone_is_refused),
		TEST(the_tables_used_longest_ago_make_room),
		TEST(threads_and_runs_share_a_folder),
		TEST(a_file_left_by_a_writer_is_in_nobodys_way),
		TEST(a_table_of_more_than_a_million_rows_is_kept),
		TEST(a_user_has_a_folder_of_his_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
