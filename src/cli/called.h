/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of a recording's watched functions were called: what a report of calls ends with. */
#ifndef DWELL_CLI_CALLED_H
#define DWELL_CLI_CALLED_H

#include <stdio.h>

#include "recording/reader.h"
#include "util/vec.h"

/* By the index of the function. */
struct called {
	uint64_t calls; /* seen in any way: those that were left or had begun before, too */
	uint64_t slow_ns;
};

typedef VEC(struct called) called_list;

/* 0, or -errno with why. The list's owner clears it. */
int called_read(struct recording *recording, called_list *ret, struct why *why);
/* Was any function called at all? */
bool called_any(const called_list *list);

/* "never called: a, b and 3 more", with what may be the reason if that is all of them; nothing if
 * there is none. On stderr. */
void called_say_never(const struct recording *recording, const called_list *list);
/* Commands to go on with, as a line. `file` is the recording, as the user named it. */
void called_put_next(const struct recording *recording, const called_list *list, const char *file,
	size_t columns, FILE *out);

#endif
