/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The default recordings: last.dwell becomes last.dwell.old when a new one begins. What was
 * last.dwell.old waits under a third name until the new one has something in it, so that a
 * recording of nothing leaves the folder as it was.
 */
#ifndef DWELL_CLI_ROTATION_H
#define DWELL_CLI_ROTATION_H

#include <stdbool.h>

#include "util/why.h"

struct rotation {
	bool is_moved;  /* last.dwell is last.dwell.old */
	bool has_older; /* last.dwell.old is under the third name */
};

/* Makes room for a new last.dwell. 0 or a negative errno with why; then nothing has changed. */
int rotation_begin(struct rotation *rotation, struct why *why);
/* Everything is called what it was called before; there is no last.dwell of ours any more. */
void rotation_undo(struct rotation *rotation);
/* The new recording is there: the oldest one goes. */
void rotation_end(struct rotation *rotation);

#endif
