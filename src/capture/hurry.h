/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start and the end of a recording, which somebody waits for, are urgent (util/urgency.h): for
 * a second at most, because what is before all others must never be so for long.
 */
#ifndef DWELL_CAPTURE_HURRY_H
#define DWELL_CAPTURE_HURRY_H

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/units.h"

/* In all, of the start or of the end. */
#define HURRY_LONGEST_NS NS_PER_S

struct outside;

/* All zero is one that was not begun. */
struct hurry {
	pthread_t thread;
	bool has_thread;
	DIR *threads; /* all of this process */
	uint64_t until_ns;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t has_ended;
	bool is_over;
	struct outside *outside; /* whose parsers hurry, too; NULL: none yet. Borrowed */
};

/*
 * The calling thread is in a hurry from now on, and so are the threads and helpers that it starts,
 * and those that they start: until the end, or for so long. All threads are calm then, and the
 * parsers of `outside`; NULL: there are none.
 */
void hurry_begin(struct hurry *hurry, uint64_t longest_ns, struct outside *outside);
/* Now there are. */
void hurry_add(struct hurry *hurry, struct outside *outside);
/* The calling thread, which began it, has no hurry any more; the others go on with what is late. */
void hurry_rest(struct hurry *hurry);
/* Nobody has. Called by who began it. */
void hurry_end(struct hurry *hurry);

#endif
