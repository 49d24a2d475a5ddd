/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a report: waits of one name that are of one kind, told apart by where in the program
 * they were asked for as long as that makes parts of a tenth or more.
 */
#ifndef DWELL_PROFILE_SUMMARY_LINES_H
#define DWELL_PROFILE_SUMMARY_LINES_H

#include "profile/summary/summary.h"

/*
 * Makes summary->lines, in their order, of waits that are not set aside, and gives their chains to
 * the lines. The waits are sorted.
 */
void lines_make(struct summary *summary, struct selection *selection);
/*
 * The number, from 1 on, of the line that a row of blocked or runnable time belongs to; 0: none, or
 * waits do not go by comm. The selection may be another one of the same recording.
 */
uint32_t lines_find(const struct summary *summary, struct selection *selection,
	const struct selection_row *row);

#endif
