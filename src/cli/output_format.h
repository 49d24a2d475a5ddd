/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stacks can be written as, by the ending of a file's name. Each command that writes stacks
 * has a table of writers by this enum, with one for each.
 */
#ifndef DWELL_CLI_OUTPUT_FORMAT_H
#define DWELL_CLI_OUTPUT_FORMAT_H

#include <stdbool.h>

enum output_format {
	OUTPUT_SVG,
	OUTPUT_FOLDED,
	OUTPUT_FORMATS,
};

/* false if no format has that ending. */
bool output_format_of(const char *path, enum output_format *ret);
/* ".svg or .folded": what can be given. The caller frees it. */
char *output_format_endings(void);

#endif
