/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start and the end of a recording, which somebody waits for, are urgent (util/urgency.h): for
 * a second at most, because what is before all others must never be so for long.
 */
#ifndef DWELL_CAPTURE_HURRY_H
#define DWELL_CAPTURE_HURRY_H

#include <pthread.h>
#include <stdbool.h>

struct loader;
struct outside;

/* All zero is one that was not begun. */
struct hurry {
	pthread_t owner;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t has_ended;
	bool is_over;
	struct outside *outside; /* whose parsers hurry, too; NULL: none yet. Borrowed, as is */
	struct loader *loader;   /* whose readers do */
};

/* The calling thread is in a hurry from now on, and so are the threads and helpers it starts. */
void hurry_begin(struct hurry *hurry);
/* Those among them that outlive the start, and are to be calm when the hurry is over; or NULL. */
void hurry_add(struct hurry *hurry, struct outside *outside, struct loader *loader);
/* The calling thread, which began it, has no hurry any more; the others go on with what is late. */
void hurry_rest(struct hurry *hurry);
/* Nobody has. */
void hurry_end(struct hurry *hurry);

#endif
