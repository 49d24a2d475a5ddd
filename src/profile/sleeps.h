/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of the waits at one place, over the whole recording: how much of their time others
 * waited for meanwhile, and whether timers or threads ended them. A place is a thread's name with
 * its kernel and user stack, because that is what chains know of a waker.
 */
#ifndef DWELL_PROFILE_SLEEPS_H
#define DWELL_PROFILE_SLEEPS_H

#include "profile/things.h"
#include "recording/reader.h"
#include "util/map64.h"
#include "util/vec.h"

struct sleep_facts {
	uint64_t ns;         /* of the threads of that name */
	uint64_t awaited_ns; /* others waited for it: more than ns if they were several */
	uint64_t loop_ns;    /* of that: event loops did, which may have had nothing to do */
	uint64_t timer_ns;   /* a timer ended it */
	uint64_t thread_ns;  /* a thread did */
};

/* All zero is valid and empty. */
struct sleeps {
	VEC(struct sleep_facts) at;
	struct map64 by_place;
};

/* What it means that a thread in these stacks waited for another one. */
enum sleep_waiter {
	WAITER_NEEDS_IT,
	WAITER_IS_LOOP,   /* an event loop */
	WAITER_WANTS_END, /* of a thread or a child: all that those do is told by themselves */
};

typedef enum sleep_waiter (*sleeps_waiter_fn)(void *context, const struct rec_stacks *stacks);

/* 0, or -errno with why. Notes in the same walk who waits for which thing. */
int sleeps_gather(struct sleeps *sleeps, struct things *things, struct recording *recording,
	sleeps_waiter_fn waiter_of, void *context, struct why *why);
/* Facts of a place where nobody waited are all 0. */
struct sleep_facts sleeps_find(
	const struct sleeps *sleeps, const char *comm, uint32_t kernel_node, uint32_t user_node);
void sleeps_clear(struct sleeps *sleeps);

#endif
