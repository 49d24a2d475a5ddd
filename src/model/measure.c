// SPDX-License-Identifier: GPL-2.0-or-later
/* Units and kinds of measures, and their words. */
#include "model/measure.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"
#include "util/units.h"

static const char *const unit_names[] = {
	[UNIT_NS] = "ns", [UNIT_COUNT] = "count", [UNIT_BYTES] = "bytes", [UNIT_OTHER] = ""};

static const char *const kind_names[MEASURE_KINDS] = {
	[MEASURE_EVENT] = "event",
	[MEASURE_ALLOC] = "alloc",
	[MEASURE_FREED] = "freed",
	[MEASURE_LIVE] = "live",
	[MEASURE_LEAKS] = "leaks",
	[MEASURE_FAULTS] = "faults",
	[MEASURE_GROWTH] = "growth",
	[MEASURE_SHRINK] = "shrink",
};

const char *measure_kind_name(enum measure_kind kind)
{
	return kind_names[(unsigned int)kind < MEASURE_KINDS ? kind : MEASURE_EVENT];
}

enum measure_kind measure_kind_from_name(const char *name)
{
	for (unsigned int i = 0; i < MEASURE_KINDS; i++)
		if (!strcmp(name, kind_names[i]))
			return (enum measure_kind)i;
	return MEASURE_EVENT;
}

const char *unit_name(enum unit unit)
{
	return unit_names[(unsigned int)unit <= UNIT_OTHER ? unit : UNIT_OTHER];
}

enum unit unit_from_name(const char *name)
{
	for (unsigned int i = 0; i < UNIT_OTHER; i++)
		if (!strcmp(name, unit_names[i]))
			return (enum unit)i;
	return UNIT_OTHER;
}

const char *unit_value(
	enum unit unit, const char *word, uint64_t value, char room[static UNIT_VALUE_ROOM])
{
	char number[UNITS_ROOM];
	int word_bytes = (int)text_fitting(word, UNIT_VALUE_ROOM - UNITS_ROOM - 1);

	if (unit == UNIT_NS)
		units_duration(value, number);
	else if (unit == UNIT_BYTES)
		units_bytes(value, number);
	else
		units_count(value, number);
	if (unit == UNIT_OTHER)
		snprintf(room, UNIT_VALUE_ROOM, "%s %.*s", number, word_bytes, word);
	else
		snprintf(room, UNIT_VALUE_ROOM, "%s", number);
	return room;
}
