/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Awaited things in the sentences and headings of a report. Callers free what they get. */
#ifndef DWELL_RENDER_REPORT_THINGS_H
#define DWELL_RENDER_REPORT_THINGS_H

#include "profile/summary/summary.h"

/* Columns that a thing may take in a sentence. */
#define THING_COLUMNS 48

/*
 * The thing in at most so many columns: of paths the last parts stay (".../pg_wal/0001"), of other
 * things the beginning.
 */
char *thing_text(const struct thing *thing, size_t columns);
/* Does a call work on it, as on a file? "read of pipe 7", but "epoll_wait for a timerfd". */
bool thing_is_worked_on(const struct thing *thing, enum reason reason);
/* "fdatasync of /var/wal", "epoll_wait for its client on :80"; without a thing "fdatasync". */
char *thing_in_call(const char *operation, enum reason reason, const struct thing *thing);
/*
 * What a line of the report waits for, in at most so many columns: "poll, for its client on :80".
 * "" if it is for no thing that can be named there.
 */
char *thing_title(const struct summary *summary, const struct summary_line *line, size_t columns);
/* "38 % for /a, 12 % for /b; 40 others.", of a line that is for several; "" if none is large. */
char *thing_sentence(const struct summary *summary, size_t line);

#endif
