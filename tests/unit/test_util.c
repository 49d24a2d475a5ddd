// SPDX-License-Identifier: GPL-2.0-or-later
/* The ground layer: containers, units, JSON, hostile text, reading and writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/background.h"
#include "util/intern.h"
#include "util/io.h"
#include "util/json.h"
#include "util/hash.h"
#include "util/map64.h"
#include "util/open_files.h"
#include "util/sort64.h"
#include "util/text.h"
#include "util/units.h"
#include "util/why.h"

static void a_map_finds_what_was_put_and_forgets_what_was_removed(void **state)
{
	struct map64 map = {0};
	(void)state;

	for (uint64_t i = 0; i < 20000; i++)
		*map64_put(&map, i * 64, NULL) = i;
	for (uint64_t i = 0; i < 20000; i += 2)
		assert_true(map64_remove(&map, i * 64));
	assert_int_equal(map.count, 10000);
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t *value = map64_find(&map, i * 64);
		if (i % 2) {
			assert_non_null(value);
			assert_int_equal(*value, i);
		} else {
			assert_null(value);
		}
	}
	assert_false(map64_remove(&map, 0));
	map64_clear(&map);
}

/* Keys of all lengths, many of them twice: those stay in the order of their numbers. */
static void items_are_sorted_by_all_bytes_of_their_keys(void **state)
{
	enum { COUNT = 5000 };
	struct sort64_item items[COUNT];
	uint64_t keys[COUNT];
	(void)state;

	for (uint32_t i = 0; i < COUNT; i++) {
		keys[i] = hash_mix(i % 3000) >> i % 64;
		items[i] = (struct sort64_item){keys[i], i};
	}
	sort64(items, 0);
	sort64(items, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_true(items[i].key == keys[items[i].number]);
		if (!i)
			continue;
		assert_true(items[i - 1].key <= items[i].key);
		if (items[i - 1].key == items[i].key)
			assert_true(items[i - 1].number < items[i].number);
	}
}

static void a_map_takes_key_zero(void **state)
{
	struct map64 map = {0};
	bool is_new;
	(void)state;

	assert_null(map64_find(&map, 0));
	map64_put(&map, 0, &is_new);
	assert_true(is_new);
	map64_put(&map, 0, &is_new);
	assert_false(is_new);
	map64_clear(&map);
}

static void equal_texts_have_one_number(void **state)
{
	struct intern table = {0};
	(void)state;

	uint32_t first = intern(&table, "futex_wait");
	assert_int_equal(intern(&table, "futex_wait"), first);
	assert_int_not_equal(intern(&table, "futex_wake"), first);
	assert_int_equal(intern(&table, ""), 0);
	assert_int_equal(intern_bytes(&table, "futex_wait_more", 10), first);
	assert_string_equal(intern_text(&table, first), "futex_wait");
	assert_string_equal(intern_text(&table, 999), "");
	uint32_t found = 0;
	assert_true(intern_find(&table, "futex_wake", 10, &found));
	assert_string_equal(intern_text(&table, found), "futex_wake");
	assert_false(intern_find(&table, "futex", 5, &found));
	/* Of all lengths, while the table grows. */
	char text[600];
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i * 7 % 23);
	uint32_t numbers[sizeof(text)];
	for (size_t i = 1; i < sizeof(text); i++)
		numbers[i] = intern_bytes(&table, text, i);
	for (size_t i = 1; i < sizeof(text); i++) {
		assert_int_equal(intern_bytes(&table, text, i), numbers[i]);
		assert_int_equal(strlen(intern_text(&table, numbers[i])), i);
		assert_memory_equal(intern_text(&table, numbers[i]), text, i);
	}
	intern_clear(&table);
	assert_false(intern_find(&table, "a", 1, &found));
}

static void durations_are_read_with_and_without_unit(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"10", 10 * NS_PER_S}, {"1.5", 1500 * NS_PER_MS}, {"250ms", 250 * NS_PER_MS},
		{"10us", 10 * NS_PER_US}, {"7 ns", 7}, {"2m", 120 * NS_PER_S},
		{"1h", 3600 * NS_PER_S}, {".5s", 500 * NS_PER_MS}, {"0", 0}};
	static const char *const bad[] = {"", "s", "-1", "1x", "1e3", "99999999999999999999",
		"1.2.3", "1 s s", "200000d", " 1"};
	uint64_t ns = 42;
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(units_parse_duration(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	ns = 42;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(units_parse_duration(bad[i], &ns), -EINVAL);
	assert_int_equal(ns, 42);
}

static void sizes_are_powers_of_1024(void **state)
{
	uint64_t bytes;
	(void)state;

	assert_int_equal(units_parse_bytes("256M", &bytes), 0);
	assert_int_equal(bytes, 256 << 20);
	assert_int_equal(units_parse_bytes("1.5KiB", &bytes), 0);
	assert_int_equal(bytes, 1536);
	assert_int_equal(units_parse_bytes("99999T", &bytes), -EINVAL);
}

static void figures_print_in_words_people_use(void **state)
{
	char room[UNITS_ROOM];
	(void)state;

	assert_string_equal(units_duration(0, room), "0 ns");
	assert_string_equal(units_duration(850, room), "850 ns");
	assert_string_equal(units_duration(4900000, room), "4.9 ms");
	assert_string_equal(units_duration(61000000, room), "61 ms");
	assert_string_equal(units_duration(999600, room), "1.0 ms");
	assert_string_equal(units_duration(9940, room), "9.9 us");
	assert_string_equal(units_duration(9960, room), "10 us");
	assert_string_equal(units_duration(22600000000, room), "22.6 s");
	assert_string_equal(units_count(0, room), "0");
	assert_string_equal(units_count(999, room), "999");
	assert_string_equal(units_count(61000, room), "61,000");
	assert_string_equal(units_count(UINT64_MAX, room), "18,446,744,073,709,551,615");
	assert_string_equal(units_bytes(812, room), "812 B");
	assert_string_equal(units_bytes(256 << 20, room), "256 MiB");
}

static void hostile_names_are_made_harmless(void **state)
{
	static const struct {
		const char *raw, *clean;
	} texts[] = {{"a;b", "a:b"}, {"\033[31mred", "?[31mred"}, {"tab\there\n", "tab?here?"},
		{"gr\303\274n", "gr\303\274n"}, {"bad\377byte", "bad?byte"},
		{"rtl\342\200\256evil", "rtl?evil"}, {"c1\302\233x", "c1?x"},
		{"mark\330\234s", "mark?s"}, {"iso\342\201\246late", "iso?late"},
		{"tag\363\240\201\201s", "tag?s"}, {"bom\357\273\277", "bom?"},
		{"line\342\200\250s", "line?s"}, {"\330\250\330\261", "\330\250\330\261"},
		{"cut\342\202", "cut??"}, {"", ""}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_free_ char *clean = text_clean(texts[i].raw, true);
		assert_string_equal(clean, texts[i].clean);
	}
}

static char *written(void (*write)(struct json *json))
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	struct json json;

	json_init(&json, out);
	write(&json);
	fclose(out);
	return text;
}

static void write_unsafe(struct json *json)
{
	json_text(json, "a\342\200\256b\330\234\302\205\177\363\240\201\201\303\274");
}

static void json_escapes_what_could_fool_a_reader(void **state)
{
	_cleanup_free_ char *text = written(write_unsafe);
	(void)state;

	assert_string_equal(text, "\"a\\u202eb\\u061c\\u0085\\u007f\\udb40\\udc41\303\274\"");
}

static void write_all_kinds(struct json *json)
{
	json_open_object(json);
	json_field_text(json, "t", "a\"b\\c\n\001\377");
	json_field_uint(json, "u", UINT64_MAX);
	json_field_double(json, "d", 0.1);
	json_field_double(json, "nan", 0.0 / 0.0);
	json_field_bool(json, "b", true);
	json_name(json, "a");
	json_open_array(json);
	json_int(json, -1);
	json_null(json);
	json_open_object(json);
	json_close_object(json);
	json_close_array(json);
	json_close_object(json);
}

static void json_escapes_and_nests(void **state)
{
	_cleanup_free_ char *text = written(write_all_kinds);
	(void)state;

	assert_string_equal(text,
		"{\"t\":\"a\\\"b\\\\c\\u000a\\u0001\\ufffd\",\"u\":18446744073709551615,\"d\":0.1,"
		"\"nan\":null,\"b\":true,\"a\":[-1,null,{}]}");
}

static void globs_match_like_a_shell(void **state)
{
	(void)state;

	assert_true(text_matches_glob("postgres", "post*"));
	assert_true(text_matches_glob("kworker/0:1", "kworker/?:*"));
	assert_true(text_matches_glob("", "*"));
	assert_true(text_matches_glob("aXbXc", "a*X*c"));
	assert_false(text_matches_glob("postgres", "post"));
	assert_false(text_matches_glob("", "?"));
}

static void a_typing_error_has_a_small_distance(void **state)
{
	(void)state;

	assert_int_equal(text_distance("duration", "duraton"), 1);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
}

static void a_failure_is_one_statement(void **state)
{
	struct why why;
	(void)state;

	assert_int_equal(why_set(&why, -EINVAL, "no %s", "luck"), -EINVAL);
	assert_string_equal(why.text, "no luck");
	assert_int_equal(why_set(NULL, -EIO, "unheard"), -EIO);
}

static void files_are_kept_within_what_the_limit_leaves(void **state)
{
	uint64_t needed = open_files_needed();
	struct rlimit usual, limit;
	(void)state;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_int_equal(open_files_most(), usual.rlim_max);
	limit = usual;
	limit.rlim_cur = needed - 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(open_files_share(50, 4), 0);
	limit.rlim_cur = needed + 100;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(open_files_share(50, 4), 25);
	assert_int_equal(open_files_share(20, 4), 20);
	open_files_raise();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_cur, usual.rlim_max);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

/* More than a pipe holds, so that both sides go on after parts. */
#define PIPED_BYTES (1U << 20)

static void ignore_signal(int number)
{
	(void)number;
}

struct piped {
	int fd;
	pthread_t reader;
	const char *bytes;
};

static void *write_and_interrupt(void *context)
{
	struct piped *piped = context;
	intptr_t error = 0;

	for (size_t at = 0; at < PIPED_BYTES && !error; at += PIPED_BYTES / 4) {
		pthread_kill(piped->reader, SIGUSR1);
		error = io_write(piped->fd, piped->bytes + at, PIPED_BYTES / 4, IO_HERE);
	}
	close(piped->fd);
	return (void *)error;
}

static void reading_goes_on_after_parts_and_signals(void **state)
{
	struct sigaction action = {.sa_handler = ignore_signal}, usual;
	char *bytes = malloc(PIPED_BYTES), *got = calloc(1, PIPED_BYTES + 1);
	struct piped piped = {.reader = pthread_self(), .bytes = bytes};
	int ends[2];
	pthread_t writer;
	void *error;
	(void)state;

	assert_non_null(bytes);
	assert_non_null(got);
	for (size_t i = 0; i < PIPED_BYTES; i++)
		bytes[i] = (char)(i * 7 >> 3);
	assert_int_equal(sigaction(SIGUSR1, &action, &usual), 0);
	assert_int_equal(pipe(ends), 0);
	piped.fd = ends[1];
	assert_int_equal(pthread_create(&writer, NULL, write_and_interrupt, &piped), 0);
	assert_int_equal(io_read(ends[0], got, PIPED_BYTES + 1, IO_HERE), PIPED_BYTES);
	assert_int_equal(pthread_join(writer, &error), 0);
	assert_null(error);
	assert_memory_equal(got, bytes, PIPED_BYTES);
	assert_int_equal(io_read(ends[1], got, 1, IO_HERE), -EBADF);
	assert_int_equal(io_write(ends[0], got, 1, IO_HERE), -EBADF);
	close(ends[0]);
	sigaction(SIGUSR1, &usual, NULL);
	free(bytes);
	free(got);
}

static void an_offset_leaves_the_files_position_alone(void **state)
{
	FILE *file = tmpfile();
	char text[8] = "";
	int fd;
	(void)state;

	assert_non_null(file);
	fd = fileno(file);
	assert_int_equal(io_write(fd, "abcdef", 6, IO_HERE), 0);
	assert_int_equal(io_write(fd, "XY", 2, 1), 0);
	assert_int_equal(io_read(fd, text, sizeof(text), 0), 6);
	assert_memory_equal(text, "aXYdef", 6);
	assert_int_equal(io_read(fd, text, sizeof(text), 6), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 6);
	fclose(file);
}

static int add_one(void *context)
{
	int *number = context;

	return ++*number;
}

static void what_is_done_in_the_background_is_there_at_its_end(void **state)
{
	struct background background = {0};
	int number = 41;

	(void)state;
	assert_int_equal(background_end(&background), 0);
	background_begin(&background, add_one, &number);
	assert_int_equal(background_end(&background), 42);
	/* Asked again it is not done again. */
	assert_int_equal(background_end(&background), 42);
	background_begin(&background, add_one, &number);
	assert_int_equal(background_end(&background), 43);
	assert_int_equal(number, 43);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_finds_what_was_put_and_forgets_what_was_removed),
		cmocka_unit_test(a_map_takes_key_zero),
		cmocka_unit_test(items_are_sorted_by_all_bytes_of_their_keys),
		cmocka_unit_test(equal_texts_have_one_number),
		cmocka_unit_test(durations_are_read_with_and_without_unit),
		cmocka_unit_test(sizes_are_powers_of_1024),
		cmocka_unit_test(figures_print_in_words_people_use),
		cmocka_unit_test(hostile_names_are_made_harmless),
		cmocka_unit_test(json_escapes_what_could_fool_a_reader),
		cmocka_unit_test(json_escapes_and_nests),
		cmocka_unit_test(globs_match_like_a_shell),
		cmocka_unit_test(a_typing_error_has_a_small_distance),
		cmocka_unit_test(a_failure_is_one_statement),
		cmocka_unit_test(files_are_kept_within_what_the_limit_leaves),
		cmocka_unit_test(reading_goes_on_after_parts_and_signals),
		cmocka_unit_test(an_offset_leaves_the_files_position_alone),
		cmocka_unit_test(what_is_done_in_the_background_is_there_at_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
