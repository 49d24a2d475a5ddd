// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts as other tools write them: whole, with a point, negative, absurd. */
#include "format/stack_readers.h"

#define FRACTION_DIGITS 9
#define FRACTION_ONE 1000000000ULL

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

bool count_is_number(const char *text, size_t length)
{
	size_t i = length && (*text == '-' || *text == '+');
	size_t digits = 0, points = 0;

	for (; i < length; i++) {
		if (is_digit(text[i]))
			digits++;
		else if (text[i] != '.' || ++points > 1)
			return false;
	}
	return digits > 0;
}

/* What stands behind the point, in 10^-9. */
static uint64_t fraction_of(const char *text, size_t length)
{
	uint64_t fraction = 0;

	for (size_t i = 0; i < FRACTION_DIGITS; i++)
		fraction = fraction * 10 + (i < length ? (uint64_t)(text[i] - '0') : 0);
	return fraction;
}

enum skip count_parse(const char *text, size_t length, uint64_t *fraction, uint64_t *ret)
{
	uint64_t count = 0;
	size_t i = 0;

	if (!count_is_number(text, length))
		return SKIP_NO_COUNT;
	if (*text == '-')
		return SKIP_NEGATIVE;
	for (i = *text == '+'; i < length && text[i] != '.'; i++)
		if (__builtin_mul_overflow(count, 10, &count) ||
			__builtin_add_overflow(count, (uint64_t)(text[i] - '0'), &count) ||
			count >= INT64_MAX)
			return SKIP_TOO_LARGE;
	if (i < length) {
		*fraction += fraction_of(text + i + 1, length - i - 1);
		count += *fraction / FRACTION_ONE;
		*fraction %= FRACTION_ONE;
	}
	*ret = count;
	return SKIPS;
}
