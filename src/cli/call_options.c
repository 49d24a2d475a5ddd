// SPDX-License-Identifier: GPL-2.0-or-later
/* Options behind a --calls are of it, as those behind an -e are of that one. */
#include "cli/call_options.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "kernel/call_place.h"
#include "util/units.h"

enum {
	KEY_CALLS = 0x7000,
	KEY_SLOWER,
	KEY_FORCE,
	KEY_URETPROBES,
};

/* A probe's own time is in the call that it measures: below so many times of it, it is most. */
#define MOSTLY_PROBE 2

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Calls, and what their time goes into:", 4},
	{"calls", KEY_CALLS, "FUNCTION", 0,
		"take each call of FUNCTION apart: " CALL_NAMES "; can be repeated", 4},
	{"slower", KEY_SLOWER, "TIME|p99", 0,
		"of the last --calls, or before the first one of all: calls that take TIME or "
		"more, or longer than that percentile, keep what they waited in (default p99)",
		4},
	{"force", KEY_FORCE, NULL, 0, "watch calls whatever it costs the target", 4},
	{"uretprobes", KEY_URETPROBES, NULL, 0,
		"see functions of C return by changing where they return to, which is cheaper, "
		"also "
		"where it is not known to be safe: a C++ exception or coroutine that passes "
		"through "
		"one ends its program",
		4},
	{0},
};

void call_arguments_clear(struct call_arguments *arguments)
{
	vec_each (request, &arguments->requests)
		call_clear(request);
	vec_clear(&arguments->requests);
	vec_clear(&arguments->words);
}

void call_arguments_add(struct call_arguments *arguments, const char *text, bool is_joined)
{
	struct call_word word = {.text = text};

	if (!is_joined || arguments->is_told || !arguments->is_last)
		arguments->last = arguments->words.count;
	arguments->is_last = true;
	arguments->is_told = false;
	vec_push(&arguments->words, word);
}

bool call_arguments_are_last(const struct call_arguments *arguments)
{
	return arguments->is_last;
}

void call_arguments_pass(struct call_arguments *arguments)
{
	arguments->is_last = false;
}

int call_arguments_set_test(struct call_arguments *arguments, const char *test)
{
	for (size_t i = arguments->last; i < arguments->words.count; i++) {
		struct call_word *word = &arguments->words.at[i];
		if (word->test) {
			fail(STATUS_USAGE, "--if %s: calls of %s have the test %s already", test,
				word->text, word->test);
			return EINVAL;
		}
		word->test = test;
	}
	arguments->is_told = true;
	return 0;
}

static int set_slower(struct call_arguments *arguments, const char *slower)
{
	if (!arguments->words.count) {
		arguments->slower = slower;
		return 0;
	}
	for (size_t i = arguments->last; i < arguments->words.count; i++)
		arguments->words.at[i].slower = slower;
	arguments->is_told = true;
	return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct call_arguments *arguments = state->input;

	switch (key) {
	case KEY_CALLS:
		call_arguments_add(arguments, value, false);
		return 0;
	case KEY_SLOWER:
		return set_slower(arguments, value);
	case KEY_FORCE:
		arguments->is_forced = true;
		return 0;
	case KEY_URETPROBES:
		arguments->may_take_returns = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp call_options_argp = {.options = table, .parser = parse};

bool call_arguments_need_program(const struct call_arguments *arguments)
{
	vec_each (word, &arguments->words)
		if (!strchr(word->text, ':'))
			return true;
	return false;
}

/* Two of the same could not be told apart in views. */
static int check_words(const struct call_arguments *arguments, int usage)
{
	for (size_t i = 0; i < arguments->words.count; i++)
		for (size_t n = 0; n < i; n++)
			if (!strcmp(arguments->words.at[i].text, arguments->words.at[n].text))
				return fail(usage,
					"calls of %s are asked for twice; once is enough",
					arguments->words.at[i].text);
	return 0;
}

static int parse_word(const struct call_arguments *arguments, const struct call_word *word,
	const char *program, struct call_request *ret, struct why *why)
{
	const char *slower = word->slower ? word->slower : arguments->slower;
	int error = call_parse(word->text, program, ret, why);

	if (error)
		return error;
	if (slower)
		error = call_set_slower(ret, slower, why);
	if (!error && word->test)
		error = call_set_condition(ret, word->test, why);
	if (error)
		call_clear(ret);
	return error;
}

/* What is an option of calls where there are none is a slip. */
static int check_needless(const struct call_arguments *arguments, int usage)
{
	const char *option = arguments->slower             ? "--slower"
			     : arguments->is_forced        ? "--force"
			     : arguments->may_take_returns ? "--uretprobes"
							   : NULL;

	if (!option)
		return 0;
	return fail(usage, "%s: there is no --calls that it could be of", option);
}

int call_arguments_settle(struct call_arguments *arguments, struct capture_options *capture,
	const char *program, int usage)
{
	struct why why;
	int status;

	if (!arguments->words.count)
		return check_needless(arguments, usage);
	if (!capture->has_time_stacks)
		return fail(usage, "--calls tells what threads waited in, and --events-only leaves "
				   "that out: give one of them");
	status = check_words(arguments, usage);
	if (status)
		return status;
	vec_each (word, &arguments->words) {
		struct call_request request;
		if (parse_word(arguments, word, program, &request, &why))
			return fail(usage, "%s", why.text);
		vec_push(&arguments->requests, request);
	}
	capture->calls = (struct call_options){.requests = arguments->requests.at,
		.count = arguments->requests.count,
		.most_cost = arguments->most_cost,
		.is_forced = arguments->is_forced,
		.may_take_returns = arguments->may_take_returns};
	return 0;
}

void call_options_say_price(const struct capture *capture)
{
	const struct capture_call_price *price = capture_call_price(capture);
	char count[UNITS_ROOM], each[UNITS_ROOM], shortest[UNITS_ROOM];

	if (!price)
		return;
	if (!price->calls_per_s) {
		fail(0,
			"--calls: each call takes some %s longer while it is watched; one shorter "
			"than %s is mostly probe",
			units_duration(price->call_ns, each),
			units_duration(MOSTLY_PROBE * price->call_ns, shortest));
		return;
	}
	fail(0,
		"--calls: %s call%s a second; watching them takes some %.1f %% of %s CPU time on "
		"top "
		"(%s each); a call shorter than %s is mostly probe",
		units_count(price->calls_per_s, count), price->calls_per_s == 1 ? "" : "s",
		100 * price->share, price->is_of_machine ? "this machine's" : "the target's",
		units_duration(price->call_ns, each),
		units_duration(MOSTLY_PROBE * price->call_ns, shortest));
}

void call_options_say_functions(const struct capture *capture)
{
	size_t count, unseen = 0, left_out = capture_calls_left_out(capture);
	const struct call_function *functions = capture_call_functions(capture, &count);
	const struct call_function *first = NULL;
	char others[sizeof("; so it is with  more") + 20] = "";

	for (size_t i = 0; i < count; i++) {
		if (functions[i].alias)
			fail(0, "--calls: %s is %s, which is watched", functions[i].alias,
				functions[i].name);
		if (!functions[i].has_unseen_ends)
			continue;
		first = first ? first : &functions[i];
		unseen++;
	}
	if (unseen > 1)
		snprintf(others, sizeof(others), "; so it is with %zu more", unseen - 1);
	if (first)
		fail(0,
			"--calls: %s ends by jumps that cannot be followed, too: calls that end so "
			"are told as left%s",
			first->name, others);
	if (left_out)
		fail(0, "--calls: %zu function%s not watched: not all places where %s are known",
			left_out, left_out == 1 ? " that fits is" : "s that fit are",
			left_out == 1 ? "it ends" : "they end");
}
