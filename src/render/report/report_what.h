/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a line waited for, as a phrase behind "waited 3.0 s". */
#ifndef DWELL_RENDER_REPORT_WHAT_H
#define DWELL_RENDER_REPORT_WHAT_H

#include "profile/summary/summary.h"

/*
 * "for a mutex (ask)", "in fdatasync (XLogFlush) of /var/wal", "in epoll_wait for its client on
 * :80", "for a disk". ret_is_for, unless NULL: it ends in a thing that something is for. Caller
 * frees.
 */
char *report_what(const struct summary *summary, const struct summary_line *line, bool *ret_is_for);
/* The same with the sentence about its causes (cause_sentence(), or ""): "for a mutex (ask), held by
 * refresher 98 %: asleep in refresh_cache." Caller frees. */
char *report_what_and_why(
	const struct summary *summary, const struct summary_line *line, const char *causes);
/* The same without its thing: "in fdatasync (XLogFlush)". Caller frees. */
char *report_what_alone(const struct summary_line *line);

#endif
