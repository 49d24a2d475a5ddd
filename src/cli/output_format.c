// SPDX-License-Identifier: GPL-2.0-or-later
/* Endings of files. */
#include "cli/output_format.h"

#include <string.h>

#include "util/mem.h"

static const char *const endings[OUTPUT_FORMATS] = {
	[OUTPUT_SVG] = ".svg", [OUTPUT_FOLDED] = ".folded"};

bool output_format_of(const char *path, enum output_format *ret)
{
	const char *dot = strrchr(path, '.');

	for (unsigned int i = 0; dot && i < OUTPUT_FORMATS; i++)
		if (!strcmp(dot, endings[i])) {
			*ret = (enum output_format)i;
			return true;
		}
	return false;
}

char *output_format_endings(void)
{
	char *all = xstrdup(endings[0]);

	for (unsigned int i = 1; i < OUTPUT_FORMATS; i++) {
		char *more = xasprintf(
			"%s%s%s", all, i + 1 < OUTPUT_FORMATS ? ", " : " or ", endings[i]);
		free(all);
		all = more;
	}
	return all;
}
