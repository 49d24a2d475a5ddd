// SPDX-License-Identifier: GPL-2.0-or-later
/* Compiles comm globs; see the header for the automaton. */
#include "kernel/glob.h"

#include <string.h>

#define GLOB_MAX 31

bool glob_compile(const char *pattern, struct glob *ret)
{
	struct glob glob = {.star = 0};
	uint32_t at = 0;

	for (; *pattern; pattern++) {
		if (*pattern == '*' && at && (glob.star >> (at - 1) & 1))
			continue;
		if (at == GLOB_MAX)
			return false;
		if (*pattern == '*')
			glob.star |= 1u << at;
		else if (*pattern == '?')
			for (int c = 1; c < 256; c++)
				glob.step[c] |= 1u << at;
		else
			glob.step[(unsigned char)*pattern] |= 1u << at;
		at++;
	}
	glob.accept = 1u << at;
	*ret = glob;
	return true;
}

bool glob_matches(const struct glob *glob, const char *text)
{
	uint32_t states = 1 | (glob->star & 1) << 1;

	for (; *text; text++) {
		states = (states & glob->step[(unsigned char)*text]) << 1 | (states & glob->star);
		states |= (states & glob->star) << 1;
	}
	return states & glob->accept;
}
