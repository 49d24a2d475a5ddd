/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thing that a thread does while its owner goes on with another. All zero is one that was not
 * begun. It is as urgent as its owner was when it was begun (util/urgency.h).
 */
#ifndef DWELL_UTIL_BACKGROUND_H
#define DWELL_UTIL_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>

struct background {
	pthread_t thread;
	int (*run)(void *context);
	void *context;
	int result;
	bool has_thread;
};

/* The one before must have ended. If no thread is to be had it is done here and now. */
void background_begin(struct background *background, int (*run)(void *context), void *context);
/* The same, but then nothing is done: -errno. */
int background_try(struct background *background, int (*run)(void *context), void *context);
/* Waits for the end; what was returned, also the next times. 0 if nothing was begun. */
int background_end(struct background *background);

#endif
