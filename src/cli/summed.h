/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that is open, with the figures that a report prints and a page shows. The one-shot
 * command makes both of one.
 */
#ifndef DWELL_CLI_SUMMED_H
#define DWELL_CLI_SUMMED_H

#include "cli/view_options.h"
#include "profile/summary/summary.h"

struct summed {
	struct recording *recording;
	struct summary *summary;
};

/* The options are borrowed until summed_clear(). */
int summed_open(
	const char *path, const struct view_options *view, struct summed *ret, struct why *why);
/*
 * Do the filters leave nothing, or is nothing there? Then a sentence says which of them do so and
 * what there is.
 */
bool summed_is_empty(
	const struct summed *summed, const char *path, const struct view_options *view);
/* All zero is allowed. */
void summed_clear(struct summed *summed);

#endif
