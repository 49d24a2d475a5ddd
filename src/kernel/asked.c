// SPDX-License-Identifier: GPL-2.0-or-later
/* Words are divided here, and nobody looks whether there is what they name. */
#include "kernel/asked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

const char *asked_behind(const char *text, const char *prefix, const char *short_prefix)
{
	if (!strncmp(text, prefix, strlen(prefix)))
		return text + strlen(prefix);
	if (short_prefix && !strncmp(text, short_prefix, strlen(short_prefix)))
		return text + strlen(short_prefix);
	return NULL;
}

const char *asked_colon(const char *place)
{
	const char *found = NULL;

	for (const char *at = place; *at && *at != '('; at++) {
		if (*at != ':')
			continue;
		if (at[1] == ':')
			at++;
		else
			found = at;
	}
	return found;
}

bool asked_mark_parse(const char *place, struct asked_mark *ret)
{
	const char *last = strrchr(place, ':'), *first = NULL;

	for (const char *at = place; last && at < last; at++)
		if (*at == ':')
			first = at;
	if (!first || first == place || first + 1 == last || !last[1])
		return false;
	ret->path = xstrndup(place, (size_t)(first - place));
	ret->provider = xstrndup(first + 1, (size_t)(last - first - 1));
	ret->name = xstrdup(last + 1);
	return true;
}

static const struct {
	const char *word;
	enum event_condition condition;
} conditions[] = {
	/* The longer ones first. */
	{"==", CONDITION_EQUAL},
	{"!=", CONDITION_UNEQUAL},
	{"<=", CONDITION_MOST},
	{">=", CONDITION_LEAST},
	{"<", CONDITION_LESS},
	{">", CONDITION_MORE},
	{"&", CONDITION_BITS},
	{"=", CONDITION_EQUAL},
};

static const char *skip_spaces(const char *at)
{
	return at + strspn(at, " ");
}

/* Also one that is too large for its sign; false if that is no number. */
static bool take_number(const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(text, &end, 0);
	if (errno == ERANGE && text[0] != '-') {
		errno = 0;
		*ret = (int64_t)strtoull(text, &end, 0);
	}
	return end != text && !*skip_spaces(end) && !errno;
}

bool asked_condition_parse(const char *text, struct asked_condition *ret)
{
	const char *field = skip_spaces(text);
	size_t length = strcspn(field, " =!<>&");
	const char *at = skip_spaces(field + length);
	int64_t limit;

	for (size_t i = 0; i < ARRAY_SIZE(conditions) && length; i++) {
		const char *word = conditions[i].word;
		if (strncmp(at, word, strlen(word)) != 0)
			continue;
		if (!take_number(skip_spaces(at + strlen(word)), &limit))
			return false;
		*ret = (struct asked_condition){
			xstrndup(field, length), conditions[i].condition, limit};
		return true;
	}
	return false;
}
