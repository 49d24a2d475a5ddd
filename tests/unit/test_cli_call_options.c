// SPDX-License-Identifier: GPL-2.0-or-later
/* Which words --slower and --if are of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cli/call_options.h"

#define MOST_WORDS 20

/* Words apart from one another, as a shell would give them to `dwell record`. */
static void read_words(struct call_arguments *arguments, const char *const *words)
{
	char *argv[MOST_WORDS] = {(char *)"dwell"};
	int argc = 1;

	*arguments = (struct call_arguments){0};
	for (; *words; words++)
		argv[argc++] = (char *)*words;
	assert_int_equal(
		argp_parse(&call_options_argp, argc, argv, ARGP_SILENT, NULL, arguments), 0);
}

static void expect(
	const struct call_arguments *arguments, size_t index, const char *text, const char *slower)
{
	assert_true(index < arguments->words.count);
	const struct call_word *word = &arguments->words.at[index];
	assert_string_equal(word->text, text);
	assert_true(!word->slower == !slower);
	if (slower)
		assert_string_equal(word->slower, slower);
}

static void slower_is_of_the_last_calls(void **state)
{
	struct call_arguments arguments;
	(void)state;

	read_words(&arguments, (const char *const[]){"--calls", "a", "--calls=b", "--slower", "5ms",
				       "--calls", "c", "--force", NULL});
	assert_int_equal(arguments.words.count, 3);
	expect(&arguments, 0, "a", NULL);
	expect(&arguments, 1, "b", "5ms");
	expect(&arguments, 2, "c", NULL);
	assert_null(arguments.slower);
	assert_true(arguments.is_forced);
	call_arguments_clear(&arguments);
}

static void slower_before_all_calls_is_of_all(void **state)
{
	struct call_arguments arguments;
	(void)state;

	read_words(&arguments, (const char *const[]){"--slower", "p99.9", "--calls", "a", NULL});
	expect(&arguments, 0, "a", NULL);
	assert_string_equal(arguments.slower, "p99.9");
	call_arguments_clear(&arguments);
}

static void words_that_stand_together_share_what_is_behind_them(void **state)
{
	struct call_arguments arguments = {0};
	(void)state;

	call_arguments_add(&arguments, "a", true);
	call_arguments_add(&arguments, "b", true);
	assert_int_equal(call_arguments_set_test(&arguments, "arg1>3"), 0);
	call_arguments_add(&arguments, "c", true);
	call_arguments_add(&arguments, "d", true);
	assert_int_equal(call_arguments_set_test(&arguments, "arg2>3"), 0);
	assert_string_equal(arguments.words.at[0].test, "arg1>3");
	assert_string_equal(arguments.words.at[1].test, "arg1>3");
	assert_string_equal(arguments.words.at[2].test, "arg2>3");
	assert_string_equal(arguments.words.at[3].test, "arg2>3");
	call_arguments_clear(&arguments);
}

static void a_test_is_of_calls_unless_an_event_came_later(void **state)
{
	struct call_arguments arguments = {0};
	(void)state;

	assert_false(call_arguments_are_last(&arguments));
	call_arguments_add(&arguments, "a", false);
	assert_true(call_arguments_are_last(&arguments));
	call_arguments_pass(&arguments);
	assert_false(call_arguments_are_last(&arguments));
	call_arguments_clear(&arguments);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower_is_of_the_last_calls),
		cmocka_unit_test(slower_before_all_calls_is_of_all),
		cmocka_unit_test(words_that_stand_together_share_what_is_behind_them),
		cmocka_unit_test(a_test_is_of_calls_unless_an_event_came_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
