/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls while they are being watched, as the table that a terminal shows. */
#ifndef DWELL_CLI_CALL_TABLE_H
#define DWELL_CLI_CALL_TABLE_H

#include "capture/capture.h"

struct call_table {
	const struct capture_calls *calls;
	size_t count;
	const uint64_t *before; /* of each, how many calls there were in the table before */
	uint64_t since_ns;      /* how long ago that was; 0: there was none */
};

/*
 * A heading and a line for each function, those that most time went into first: at most so many
 * lines of so many columns, each with a newline. What has no room is left out: columns from the
 * right, and the beginnings of names. "" without functions, or if nothing fits. Caller frees.
 */
char *call_table(const struct call_table *table, size_t lines, size_t columns);

#endif
