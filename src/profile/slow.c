// SPDX-License-Identifier: GPL-2.0-or-later
/* An exact name comes first: others may contain it. */
#include "profile/slow.h"

#include <errno.h>
#include <string.h>

#include "util/mem.h"
#include "util/nearest.h"
#include "util/text.h"

/* Functions that are named where several are meant. */
#define MOST_NAMED 3

static bool is_meant(const struct rec_function *function, const char *name)
{
	return strpbrk(name, "*?") ? text_matches_glob(function->name, name)
				   : strstr(function->name, name) != NULL;
}

static int unknown(const struct rec_function *functions, size_t count, const char *name,
	struct why *why)
{
	struct nearest nearest;

	if (!count)
		return why_set(why, -EINVAL,
			"no slow calls of %s: the recording has no calls (dwell record --calls)",
			name);
	nearest_init(&nearest, name);
	for (size_t i = 0; i < count; i++) {
		const char *colon = strrchr(functions[i].name, ':');
		nearest_add(&nearest, functions[i].name);
		/* People leave the file out. */
		if (colon && colon[1] &&
			text_distance(name, colon + 1) < text_distance(name, functions[i].name))
			nearest_add(&nearest, colon + 1);
	}
	_cleanup_free_ char *near = nearest_text(&nearest);
	nearest_clear(&nearest);
	if (near)
		return why_set(why, -EINVAL, "no calls of %s were watched; did you mean %s?", name,
			near);
	return why_set(why, -EINVAL, "no calls of %s were watched, but of %s%s", name,
		functions[0].name, count > 1 ? " and others (dwell report has them)" : "");
}

static int ambiguous(const struct rec_function *functions, size_t count, const char *name,
	struct why *why)
{
	char *text = xstrdup("");
	size_t meant = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_meant(&functions[i], name))
			continue;
		if (meant++ >= MOST_NAMED)
			continue;
		char *longer = xasprintf("%s%s%s", text, text[0] ? ", " : "", functions[i].name);
		free(text);
		text = longer;
	}
	why_set(why, -EINVAL, "slow calls of one function at a time; %s is in the names of %zu: %s%s",
		name, meant, text, meant > MOST_NAMED ? ", ..." : "");
	free(text);
	return -EINVAL;
}

int slow_find(
	const struct recording *recording, const char *name, uint32_t *ret_index, struct why *why)
{
	size_t count, meant = 0;
	const struct rec_function *functions = recording_functions(recording, &count);
	uint32_t found = 0;

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(functions[i].name, name)) {
			*ret_index = (uint32_t)i;
			return 0;
		}
		if (is_meant(&functions[i], name)) {
			found = (uint32_t)i;
			meant++;
		}
	}
	if (meant != 1)
		return meant ? ambiguous(functions, count, name, why)
			     : unknown(functions, count, name, why);
	*ret_index = found;
	return 0;
}

int slow_choose(struct recording *recording, const char *name, struct why *why)
{
	uint32_t index = REC_NONE;
	int error = name ? slow_find(recording, name, &index, why) : 0;

	if (!error)
		recording_choose_slow(recording, index);
	return error;
}
