/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the waits of each line were for: its things with their time, the largest first. */
#ifndef DWELL_PROFILE_SUMMARY_LINE_THINGS_H
#define DWELL_PROFILE_SUMMARY_LINE_THINGS_H

#include "profile/summary/summary.h"

/* Makes summary->line_things of waits that know their lines, and lines->thing. */
void line_things_make(struct summary *summary);
/* Those of a line (an index into summary->lines), the largest first; NULL: nothing is told. */
const struct line_thing *line_things_of(
	const struct summary *summary, size_t line, size_t *ret_count);
/* What all of a line but a tenth was for; NULL: there is no such thing. */
const struct thing *line_thing(const struct summary *summary, const struct summary_line *line);

#endif
