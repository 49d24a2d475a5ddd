// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread watches the clock and ends the hurry, whatever the others are doing then. It is urgent
 * itself: else it would wait for those whom it is to stop.
 */
#include "capture/hurry.h"

#include "symbol/outside/outside.h"
#include "util/clock.h"
#include "util/units.h"
#include "util/urgency.h"

/* The calling thread, if it is urgent, stays so until it has calmed the others. */
static void calm_others(struct hurry *hurry)
{
	hurry->is_over = true;
	/* First, so that nobody is left who starts urgent helpers. */
	urgency_drop_others(hurry->threads);
	if (hurry->outside)
		outside_calm(hurry->outside);
}

static void *watch(void *context)
{
	struct hurry *hurry = context;
	struct timespec until = {.tv_sec = (time_t)(hurry->until_ns / NS_PER_S),
		.tv_nsec = (long)(hurry->until_ns % NS_PER_S)};

	pthread_mutex_lock(&hurry->lock);
	while (!hurry->is_over)
		if (pthread_cond_clockwait(
			    &hurry->has_ended, &hurry->lock, CLOCK_MONOTONIC, &until))
			calm_others(hurry);
	pthread_mutex_unlock(&hurry->lock);
	return NULL;
}

static void clear(struct hurry *hurry)
{
	hurry->has_thread = false;
	closedir(hurry->threads);
	pthread_cond_destroy(&hurry->has_ended);
	pthread_mutex_destroy(&hurry->lock);
}

void hurry_begin(struct hurry *hurry, uint64_t longest_ns, struct outside *outside)
{
	/* Open from the beginning: at the end there may be no file to be had. */
	DIR *threads = opendir("/proc/self/task");

	*hurry = (struct hurry){.threads = threads,
		.until_ns = clock_monotonic_ns() + longest_ns,
		.outside = outside};
	if (!threads || !urgency_take()) {
		if (threads)
			closedir(threads);
		return;
	}
	pthread_mutex_init(&hurry->lock, NULL);
	pthread_cond_init(&hurry->has_ended, NULL);
	hurry->has_thread = !pthread_create(&hurry->thread, NULL, watch, hurry);
	/* Nobody is urgent without a watch. */
	if (hurry->has_thread) {
		urgency_share(hurry->thread);
	} else {
		urgency_drop();
		clear(hurry);
	}
}

void hurry_add(struct hurry *hurry, struct outside *outside)
{
	if (!hurry->has_thread)
		return;
	pthread_mutex_lock(&hurry->lock);
	hurry->outside = outside;
	/* It may have been over before they were there. */
	if (hurry->is_over)
		outside_calm(outside);
	pthread_mutex_unlock(&hurry->lock);
}

void hurry_rest(struct hurry *hurry)
{
	if (hurry->has_thread)
		urgency_drop();
}

void hurry_end(struct hurry *hurry)
{
	if (!hurry->has_thread)
		return;
	pthread_mutex_lock(&hurry->lock);
	if (!hurry->is_over)
		calm_others(hurry);
	pthread_cond_signal(&hurry->has_ended);
	pthread_mutex_unlock(&hurry->lock);
	urgency_drop();
	pthread_join(hurry->thread, NULL);
	clear(hurry);
}
