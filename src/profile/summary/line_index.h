/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the lines of a report by what they are called: summary_find_line(). */
#ifndef DWELL_PROFILE_SUMMARY_LINE_INDEX_H
#define DWELL_PROFILE_SUMMARY_LINE_INDEX_H

#include "profile/summary/summary.h"

/* Lines and their things are settled. */
void line_index_make(struct summary *summary);

#endif
