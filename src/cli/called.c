// SPDX-License-Identifier: GPL-2.0-or-later
/* A function that was not called is most often one of another file, or was inlined. */
#include "cli/called.h"

#include <string.h>

#include "cli/command.h"
#include "cli/view_options.h"
#include "render/layout.h"
#include "util/text.h"
#include "util/units.h"

/* Names in one line. */
#define MOST_NAMES 5

static int add_calls(const struct rec_called *row, void *context)
{
	called_list *list = context;
	struct called *called = &list->at[row->function_index];

	called->calls += row->call.count;
	if (row->call.is_slow)
		called->slow_ns += row->call.wall_ns;
	return 0;
}

static int add_open(const struct rec_opened *row, void *context)
{
	called_list *list = context;
	struct called *called = &list->at[row->function_index];

	called->calls++;
	if (row->call.is_slow)
		called->slow_ns += row->call.wall_ns;
	return 0;
}

int called_read(struct recording *recording, called_list *ret, struct why *why)
{
	called_list list = {0};
	size_t count;
	const struct rec_function *functions = recording_functions(recording, &count);

	for (size_t i = 0; i < count; i++) {
		const struct rec_function *function = &functions[i];
		struct called called = {.calls = function->begun_before + function->left +
						 function->died_inside + function->too_deep +
						 function->unmatched + function->in_interrupt};
		vec_push(&list, called);
	}
	int error = recording_each_call(recording, add_calls, &list, why);
	if (!error)
		error = recording_each_open_call(recording, add_open, &list, why);
	if (error)
		vec_clear(&list);
	else
		*ret = list;
	return error;
}

bool called_any(const called_list *list)
{
	vec_each (called, list)
		if (called->calls)
			return true;
	return false;
}

/* "a, b and 3 more"; NULL: all were called. Caller frees. */
static char *never_called(const struct rec_function *functions, const called_list *list)
{
	char *names = NULL;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->at[i].calls || ++count > MOST_NAMES)
			continue;
		_cleanup_free_ char *name = text_clean(functions[i].name, false);
		char *longer = xasprintf("%s%s%s", names ? names : "", names ? ", " : "", name);
		free(names);
		names = longer;
	}
	if (count > MOST_NAMES) {
		char *longer = xasprintf("%s and %zu more", names, count - MOST_NAMES);
		free(names);
		names = longer;
	}
	return names;
}

/* What those that nobody called may be instead. */
static const char *likely_reason(const struct rec_function *functions, const called_list *list)
{
	size_t of_files = 0;

	for (size_t i = 0; i < list->count; i++)
		of_files += functions[i].place[0] != 0;
	if (of_files == list->count)
		return "is it another file that the target has loaded (see /proc/PID/maps), were "
		       "they inlined, or does it not run (dwell report)?";
	if (!of_files)
		return "does the target run at all (dwell report)?";
	return "does the target run at all (dwell report), and from those files?";
}

void called_say_never(const struct recording *recording, const called_list *list)
{
	const struct rec_function *functions;
	char window[UNITS_ROOM];
	size_t count;

	functions = recording_functions(recording, &count);
	_cleanup_free_ char *names = never_called(functions, list);
	if (!names)
		return;
	if (called_any(list))
		fail(0, "never called: %s", names);
	else
		fail(0, "never called in %s: %s: %s",
			units_duration(recording_meta(recording)->window_ns, window), names,
			likely_reason(functions, list));
}

/* Names for a shell: as they are, or between quotes. Caller frees. */
static char *quoted(const char *name)
{
	_cleanup_free_ char *clean = text_clean(name, false);
	bool is_plain = strspn(clean, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._/:,+-") == strlen(clean);
	bool is_quotable = !strchr(clean, '\'');

	if (is_plain)
		return xstrdup(clean);
	return is_quotable ? xasprintf("'%s'", clean) : xstrdup("NAME");
}

/* The function with most time in slow calls; NULL: there was no slow call. */
static const struct rec_function *slowest(
	const struct rec_function *functions, const called_list *list)
{
	size_t best = 0;

	for (size_t i = 1; i < list->count; i++)
		if (list->at[i].slow_ns > list->at[best].slow_ns)
			best = i;
	return list->count && list->at[best].slow_ns ? &functions[best] : NULL;
}

void called_put_next(const struct recording *recording, const called_list *list, const char *file,
	size_t columns, FILE *out)
{
	size_t count;
	const struct rec_function *functions = recording_functions(recording, &count);
	const struct rec_function *function = slowest(functions, list);
	_cleanup_free_ char *path = quoted(file);
	_cleanup_free_ char *behind =
		strcmp(file, VIEW_DEFAULT_FILE) ? xasprintf(" %s", path) : xstrdup("");
	_cleanup_free_ char *slow = NULL;

	if (function) {
		_cleanup_free_ char *name = quoted(function->name);
		slow = xasprintf("dwell flame%s --view slow:%s -o slow.svg; ", behind, name);
	}
	_cleanup_free_ char *line =
		xasprintf("next: %sdwell report%s; dwell html%s", slow ? slow : "", behind, behind);
	layout_wrap(out, line, columns, 0, strlen("next: "));
}
