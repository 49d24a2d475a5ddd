/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where events are: each becomes places, and rules by which the programs count what happens there.
 * Found before the programs are loaded, because rules are fixed then, and because a slip of the
 * person who asks is to be told before anything else is done.
 */
#ifndef DWELL_KERNEL_EVENT_PLACE_H
#define DWELL_KERNEL_EVENT_PLACE_H

#include "kernel/event.h"

struct outside;

/* A place in user code, or a tracepoint; of others the event itself says all. */
struct event_place {
	uint32_t event; /* index */
	uint32_t rule;
	int fd; /* of the file; borrowed from the plan, -1: none */
	uint64_t offset;
	uint64_t semaphore; /* of a mark: in the file, 0: none */
	uint32_t tracepoint;
};

struct event_plan {
	VEC(struct event_place) places;
	VEC(int) fds;
	struct event_rule rules[CONTRACT_EVENT_RULES];
	uint32_t rule_count;
};

/* 0, or -errno with why. The caller clears the plan in any case; all zero is a valid empty one. */
int event_plan_make(const struct event *events, size_t count, struct outside *outside,
	struct event_plan *ret, struct why *why);
void event_plan_clear(struct event_plan *plan);

#endif
