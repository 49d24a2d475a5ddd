// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing and printing of durations, counts and sizes; independent of the locale. */
#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEN_YEARS_S (10ULL * 366 * 24 * 3600)

/* Digits with an optional fraction, in thousand-millionths. Leaves *text behind the number. */
static int parse_number(const char **text, uint64_t *ret_whole, uint64_t *ret_billionths)
{
	const char *at = *text;
	uint64_t whole = 0, billionths = 0, digit_worth = 100000000;
	int digits = 0;

	for (; *at >= '0' && *at <= '9'; at++, digits++) {
		if (whole > UINT64_MAX / 10 - 1)
			return -EINVAL;
		whole = whole * 10 + (uint64_t)(*at - '0');
	}
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++, digits++, digit_worth /= 10)
			billionths += (uint64_t)(*at - '0') * digit_worth;
	if (!digits)
		return -EINVAL;
	*text = at;
	*ret_whole = whole;
	*ret_billionths = billionths;
	return 0;
}

struct unit {
	const char *name;
	uint64_t worth;
};

/* Looks up what follows the number; limit is the largest allowed whole part times worth. */
static int parse_with_units(
	const char *text, const struct unit *units, uint64_t limit, uint64_t *ret)
{
	uint64_t whole, billionths;

	if (parse_number(&text, &whole, &billionths))
		return -EINVAL;
	while (*text == ' ')
		text++;
	for (; units->name; units++) {
		if (strcmp(text, units->name))
			continue;
		if (whole > limit / units->worth)
			return -EINVAL;
		*ret = whole * units->worth +
		       (uint64_t)((unsigned __int128)billionths * units->worth / NS_PER_S);
		return 0;
	}
	return -EINVAL;
}

int units_parse_duration(const char *text, uint64_t *ret_ns)
{
	static const struct unit units[] = {{"", NS_PER_S}, {"s", NS_PER_S}, {"ms", NS_PER_MS},
		{"us", NS_PER_US}, {"ns", 1}, {"m", 60 * NS_PER_S}, {"min", 60 * NS_PER_S},
		{"h", 3600 * NS_PER_S}, {"d", 24 * 3600 * NS_PER_S}, {NULL, 0}};

	return parse_with_units(text, units, TEN_YEARS_S * NS_PER_S, ret_ns);
}

int units_parse_bytes(const char *text, uint64_t *ret_bytes)
{
	static const struct unit units[] = {{"", 1}, {"B", 1}, {"K", 1ULL << 10},
		{"KiB", 1ULL << 10}, {"k", 1ULL << 10}, {"M", 1ULL << 20}, {"MiB", 1ULL << 20},
		{"G", 1ULL << 30}, {"GiB", 1ULL << 30}, {"T", 1ULL << 40}, {"TiB", 1ULL << 40},
		{NULL, 0}};

	return parse_with_units(text, units, 1ULL << 50, ret_bytes);
}

static const char *two_digits(uint64_t value, uint64_t unit, const char *name, char *room)
{
	/* 9.97 us must not print as "10.0 us", which is wider than tables have room for. */
	if (value < 10 * unit - unit / 20)
		snprintf(room, UNITS_ROOM, "%.1f %s", (double)value / (double)unit, name);
	else
		snprintf(room, UNITS_ROOM, "%.0f %s", (double)value / (double)unit, name);
	return room;
}

const char *units_duration(uint64_t ns, char room[static UNITS_ROOM])
{
	if (ns < NS_PER_US) {
		snprintf(room, UNITS_ROOM, "%u ns", (unsigned int)ns);
		return room;
	}
	/* 999.6 us must not print as "1000 us". */
	if (ns < NS_PER_MS - NS_PER_US / 2)
		return two_digits(ns, NS_PER_US, "us", room);
	if (ns < NS_PER_S - NS_PER_MS / 2)
		return two_digits(ns, NS_PER_MS, "ms", room);
	snprintf(room, UNITS_ROOM, "%.1f s", (double)ns / (double)NS_PER_S);
	return room;
}

const char *units_count(uint64_t count, char room[static UNITS_ROOM])
{
	char digits[UNITS_ROOM];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *out = room;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = 0;
	return room;
}

const char *units_bytes(uint64_t bytes, char room[static UNITS_ROOM])
{
	static const char *const names[] = {"KiB", "MiB", "GiB", "TiB"};
	uint64_t unit = 1 << 10;
	size_t i = 0;

	if (bytes < unit) {
		snprintf(room, UNITS_ROOM, "%u B", (unsigned int)bytes);
		return room;
	}
	while (i + 1 < sizeof(names) / sizeof(names[0]) && bytes >= unit << 10) {
		unit <<= 10;
		i++;
	}
	return two_digits(bytes, unit, names[i], room);
}
