/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When filters leave nothing of a recording: which of them did it, and what there is instead. Asked
 * only then, so it may read the recording once more.
 */
#ifndef DWELL_PROFILE_NOTHING_H
#define DWELL_PROFILE_NOTHING_H

#include "profile/filter.h"
#include "recording/reader.h"

/*
 * "no thread is named postgrs (-n); did you mean postgres?", "no time in disk (--reason); there is
 * futex 3.2 s": the first filter that lets nothing pass by itself, or that all together do so. NULL
 * if something passes, or nothing is there to begin with. Caller frees.
 */
char *nothing_text(struct recording *recording, const struct view_filter *filter);

/* The part about threads (-p, -t, -n, -u, -k). */
char *nothing_of_threads(const struct recording *recording, const struct view_filter *filter);

#endif
