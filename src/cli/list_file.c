// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file is found, opened and read by those who do so for a recording (symbol/outside), so it is
 * as harmless, and shows nothing that this user may not read.
 */
#include "cli/list_file.h"

#include <errno.h>
#include <string.h>

#include "kernel/event_file.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

static const struct {
	const char *prefix;
	bool is_usdt;
} prefixes[] = {{"uprobe:", false}, {"u:", false}, {"usdt:", true}};

/* The index of its prefix; ARRAY_SIZE(prefixes): none. */
static size_t prefix_of(const char *pattern)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(prefixes) &&
		strncmp(pattern, prefixes[i].prefix, strlen(prefixes[i].prefix)))
		i++;
	return i;
}

bool list_file_is(const char *pattern)
{
	return prefix_of(pattern) < ARRAY_SIZE(prefixes);
}

/* One file and what is asked of it. */
struct question {
	char *path;
	char *glob;
	bool is_usdt;
};

static void clear_question(struct question *question)
{
	free(question->path);
	free(question->glob);
}

/* "PATH", "PATH:GLOB", and "PATH/ *" without the blank, as of a folder. Names of probes have a
 * colon of their own, as those of C++ have two. */
static void split(const char *pattern, struct question *ret)
{
	size_t prefix = prefix_of(pattern);
	const char *path = pattern + strlen(prefixes[prefix].prefix);
	size_t length = strcspn(path, ":");
	const char *glob = path[length] && path[length + 1] ? path + length + 1 : "*";
	if (length > 2 && !strncmp(path + length - 2, "/*", 2))
		length -= 2;
	*ret = (struct question){.path = xstrndup(path, length),
		.glob = xstrdup(glob),
		.is_usdt = prefixes[prefix].is_usdt};
}

static int cannot_look(const struct event_file *file, int error, struct why *why)
{
	if (error == -ENOEXEC)
		return event_file_refuse(file, why);
	return why_set(why, -EINVAL, "cannot look into %s: %s", file->said, strerror(-error));
}

static int add_functions(const struct question *question, struct outside *outside,
	const struct event_file *file, struct listing *listing, struct why *why)
{
	struct parser_function *found = NULL;
	size_t count = 0;
	char room[UNITS_ROOM];
	int error = parser_functions(outside->parsers, file->fd, question->glob, 0, &found, &count);

	if (error == -E2BIG)
		return why_set(why, -EINVAL,
			"%s functions of %s match %s, which is too many: give a narrower pattern, "
			"as 'uprobe:%s:malloc*'",
			units_count(count, room), question->path, question->glob, question->path);
	if (error == -ENOTSUP)
		return why_set(why, 0,
			"%s in %s is chosen among several functions when a program starts (IFUNC), "
			"which cannot be watched by this name",
			question->glob, question->path);
	if (error == -ENOENT) {
		_cleanup_free_ char *near =
			parser_function_near(outside->parsers, file->fd, question->glob);
		if (near)
			return why_set(why, 0, "no function of %s matches %s; near are %s",
				file->said, question->glob, near);
		return why_set(why, 0, "no function of %s matches %s; its symbols may be stripped",
			file->said, question->glob);
	}
	if (error)
		return cannot_look(file, error, why);
	for (size_t i = 0; i < count; i++) {
		bool is_other = strcmp(found[i].name, found[i].symbol) != 0;
		listing_add(listing, LISTING_FUNCTIONS, found[i].name, "%s%s%s",
			is_other ? found[i].symbol : "",
			is_other && !found[i].is_emulated ? ", " : "",
			found[i].is_emulated ? "" : "dear: it has to be stepped at each call");
	}
	parser_functions_free(found, count);
	return 0;
}

/* "provider:*", or a glob of the name alone. */
static bool matches(const char *text, const char *glob)
{
	const char *name = strchr(text, ':');

	return text_matches_glob(text, glob) || (name && text_matches_glob(name + 1, glob));
}

static int add_probes(const struct question *question, struct outside *outside,
	const struct event_file *file, struct listing *listing, struct why *why)
{
	struct elf_usdt_name *names = NULL;
	size_t count = 0, before = listing->items.count;
	int error = parser_usdt_names(outside->parsers, file->fd, &names, &count);

	if (error)
		return cannot_look(file, error, why);
	for (size_t i = 0; i < count; i++)
		if (matches(names[i].text, question->glob))
			listing_add(listing, LISTING_PROBES, names[i].text,
				"%u argument%s, in %u place%s", names[i].argument_count,
				names[i].argument_count == 1 ? "" : "s", names[i].place_count,
				names[i].place_count == 1 ? "" : "s");
	elf_usdt_names_free(names, count);
	if (!count)
		return why_set(why, 0, "its authors left no probes (USDT) in %s", file->said);
	if (before < listing->items.count)
		return 0;
	_cleanup_free_ char *near = parser_usdt_near(outside->parsers, file->fd, question->glob);
	if (near)
		return why_set(why, 0, "no probe of %s matches %s; near are %s", file->said,
			question->glob, near);
	return why_set(why, 0, "no probe of %s matches %s; all of them: dwell list 'usdt:%s'",
		file->said, question->glob, question->path);
}

int list_file(const char *pattern, struct listing *listing, struct why *why)
{
	_cleanup_(clear_question) struct question question = {0};
	struct event_file file = {.fd = -1};
	struct outside outside = {0};
	int error;

	split(pattern, &question);
	if (outside_init(&outside, why))
		return -EINVAL;
	error = event_file_open(question.path, &outside, &file, why);
	if (!error)
		error = question.is_usdt ? add_probes(&question, &outside, &file, listing, why)
					 : add_functions(&question, &outside, &file, listing, why);
	mem_close_fd(&file.fd);
	event_file_clear(&file);
	outside_clear(&outside);
	return error;
}
