// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread watches the clock and ends the hurry, whatever the others are doing then. It is urgent
 * itself: else it would wait for those whom it is to stop.
 */
#include "capture/hurry.h"

#include "symbol/outside/outside.h"
#include "unwind/loader.h"
#include "util/clock.h"
#include "util/units.h"
#include "util/urgency.h"

#define LONGEST_NS NS_PER_S

static void calm_others(struct hurry *hurry)
{
	if (hurry->outside)
		outside_calm(hurry->outside);
	if (hurry->loader)
		loader_calm(hurry->loader);
}

static void calm_all(struct hurry *hurry)
{
	hurry->is_over = true;
	urgency_drop(hurry->owner);
	calm_others(hurry);
}

static void *watch(void *context)
{
	struct hurry *hurry = context;
	uint64_t until_ns = clock_monotonic_ns() + LONGEST_NS;
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};

	pthread_mutex_lock(&hurry->lock);
	while (!hurry->is_over)
		if (pthread_cond_clockwait(
			    &hurry->has_ended, &hurry->lock, CLOCK_MONOTONIC, &until))
			calm_all(hurry);
	pthread_mutex_unlock(&hurry->lock);
	return NULL;
}

void hurry_begin(struct hurry *hurry)
{
	*hurry = (struct hurry){.owner = pthread_self()};
	if (!urgency_take())
		return;
	pthread_mutex_init(&hurry->lock, NULL);
	pthread_cond_init(&hurry->has_ended, NULL);
	hurry->has_thread = !pthread_create(&hurry->thread, NULL, watch, hurry);
	/* Nobody is urgent without a watch. */
	if (hurry->has_thread)
		urgency_share(hurry->thread);
	else
		urgency_drop(hurry->owner);
}

void hurry_add(struct hurry *hurry, struct outside *outside, struct loader *loader)
{
	if (!hurry->has_thread)
		return;
	pthread_mutex_lock(&hurry->lock);
	hurry->outside = outside;
	hurry->loader = loader;
	/* It may have been over before they were there. */
	if (hurry->is_over)
		calm_others(hurry);
	pthread_mutex_unlock(&hurry->lock);
}

void hurry_rest(struct hurry *hurry)
{
	if (hurry->has_thread)
		urgency_drop(hurry->owner);
}

void hurry_end(struct hurry *hurry)
{
	if (!hurry->has_thread)
		return;
	pthread_mutex_lock(&hurry->lock);
	if (!hurry->is_over)
		calm_all(hurry);
	pthread_cond_signal(&hurry->has_ended);
	pthread_mutex_unlock(&hurry->lock);
	pthread_join(hurry->thread, NULL);
	hurry->has_thread = false;
	pthread_cond_destroy(&hurry->has_ended);
	pthread_mutex_destroy(&hurry->lock);
}
