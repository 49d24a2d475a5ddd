// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names as authors of marks chose them: PostgreSQL's query__start and query__done, Python's
 * function__entry and function__return, others' request-begin and request-end.
 */
#include "kernel/call_marks.h"

#include <string.h>

#include "util/mem.h"

/* Nobody's marks have longer names. */
#define MOST_BYTES 256

/* For each beginning its ends, the most usual one first. */
static const struct {
	const char *begin;
	const char *ends[6];
} pairs[] = {
	{"start", {"done", "end", "finish", "stop", "return", "exit"}},
	{"begin", {"end", "done", "finish", "return", "exit", "stop"}},
	{"entry", {"return", "exit", "end", "done", "finish"}},
	{"enter", {"exit", "leave", "return", "end", "done"}},
};

/* "__" before "_": the longer one is a whole one. */
static const char *const dividers[] = {"__", "_", "-"};

static const char *find(const char *const *names, size_t count, const char *stem, size_t length,
	const char *divider, const char *word)
{
	char wanted[MOST_BYTES];
	int bytes = snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)length, stem, divider, word);

	if (bytes < 0 || (size_t)bytes >= sizeof(wanted))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], wanted))
			return names[i];
	return NULL;
}

/* The end of what begins with this mark. */
static const char *find_end(const char *const *names, size_t count, const char *stem, size_t length,
	const char *divider, size_t pair)
{
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(pairs[pair].ends) && pairs[pair].ends[i] && !found; i++)
		found = find(names, count, stem, length, divider, pairs[pair].ends[i]);
	return found;
}

/* Bytes before the divider and the word, if the name ends with them; 0: it does not. */
static size_t stem_of(const char *name, const char *divider, const char *word)
{
	size_t length = strlen(name), behind = strlen(divider) + strlen(word);

	if (length <= behind || strcmp(name + length - strlen(word), word) != 0 ||
		strncmp(name + length - behind, divider, strlen(divider)) != 0)
		return 0;
	return length - behind;
}

bool call_mark_end(const char *begin, const char *const *names, size_t count,
	const char **ret_begin, const char **ret_end)
{
	if (strlen(begin) >= MOST_BYTES)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(pairs) * ARRAY_SIZE(dividers); i++) {
		const char *divider = dividers[i % ARRAY_SIZE(dividers)];
		size_t pair = i / ARRAY_SIZE(dividers);
		size_t length = stem_of(begin, divider, pairs[pair].begin);
		if (!length)
			length = strlen(begin);
		const char *first = find(names, count, begin, length, divider, pairs[pair].begin);
		const char *last =
			first ? find_end(names, count, begin, length, divider, pair) : NULL;
		if (!last)
			continue;
		*ret_begin = first;
		*ret_end = last;
		return true;
	}
	return false;
}
