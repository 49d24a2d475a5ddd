// SPDX-License-Identifier: GPL-2.0-or-later
/* Names whose length differs too much, or which are no nearer than those that are there, cost next
 * to nothing; what others may cost in all is bounded. */
#include "util/nearest.h"

#include <string.h>

#include "util/mem.h"
#include "util/text.h"

/* Some tenths of a second. */
#define MOST_STEPS 100000000ULL
#define MOST_BYTES 256

void nearest_init(struct nearest *nearest, const char *wrong)
{
	size_t length = strlen(wrong);

	*nearest = (struct nearest){.wrong = wrong,
		.length = length,
		.limit = length > MOST_BYTES ? 0 : length / 3 + 2,
		.budget = MOST_STEPS};
}

static void insert(struct nearest *nearest, char *name, size_t distance)
{
	size_t at = 0;

	while (at < nearest->count && nearest->best[at].distance <= distance)
		at++;
	if (nearest->count == NEAREST_NAMES)
		free(nearest->best[NEAREST_NAMES - 1].name);
	else
		nearest->count++;
	memmove(&nearest->best[at + 1], &nearest->best[at],
		(nearest->count - 1 - at) * sizeof(nearest->best[0]));
	nearest->best[at].name = name;
	nearest->best[at].distance = distance;
	/* From now on only what is nearer than the last one matters. */
	if (nearest->count == NEAREST_NAMES)
		nearest->limit = nearest->best[NEAREST_NAMES - 1].distance;
}

void nearest_add_part(struct nearest *nearest, const char *name, size_t length)
{
	size_t difference =
		length > nearest->length ? length - nearest->length : nearest->length - length;
	uint64_t steps = (uint64_t)(length + 1) * (nearest->length + 1);

	if (!length || difference >= nearest->limit || steps > nearest->budget)
		return;
	nearest->budget -= steps;
	char *copy = xstrndup(name, length);
	size_t distance = text_distance(nearest->wrong, copy);
	bool is_there = distance >= nearest->limit;
	for (size_t i = 0; i < nearest->count; i++)
		is_there |= !strcmp(nearest->best[i].name, copy);
	if (is_there)
		free(copy);
	else
		insert(nearest, copy, distance);
}

void nearest_add(struct nearest *nearest, const char *name)
{
	nearest_add_part(nearest, name, strlen(name));
}

char *nearest_text(const struct nearest *nearest)
{
	char *text = NULL;

	for (size_t i = 0; i < nearest->count; i++) {
		char *longer = xasprintf(
			"%s%s%s", text ? text : "", text ? ", " : "", nearest->best[i].name);
		free(text);
		text = longer;
	}
	return text;
}

void nearest_clear(struct nearest *nearest)
{
	for (size_t i = 0; i < nearest->count; i++)
		free(nearest->best[i].name);
	nearest->count = 0;
}
