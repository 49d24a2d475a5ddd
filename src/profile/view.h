/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views: ways to turn a recording into a call tree with weights. DESIGN.md 6 has their grammar. */
#ifndef DWELL_PROFILE_VIEW_H
#define DWELL_PROFILE_VIEW_H

#include "profile/filter.h"
#include "profile/placer.h"
#include "profile/tree.h"

enum view {
	VIEW_ONCPU,   /* running time: samples scaled to each thread's exact running time */
	VIEW_OFFCPU,  /* blocked and runnable time */
	VIEW_RUNQ,    /* runnable time */
	VIEW_HOTCOLD, /* all of a thread's time in one tree */
	VIEW_WAKEUP,  /* wakers and their stacks, by the blocked time that they ended */
	VIEW_OFFWAKE, /* blocked stacks, each with its waker's behind it */
	VIEW_CHAIN,   /* blocked stacks, each with all wakers of its chain */
	VIEWS,
};

const char *view_name(enum view view);
bool view_from_name(const char *name, enum view *ret);
/* Is it made of wake chains, which not all recordings have? */
bool view_needs_chains(enum view view);

struct profile {
	struct tree tree;
	uint64_t from_ns; /* the time range after rounding to slices */
	uint64_t to_ns;
	bool has_range; /* it is not the whole window */
	/* Threads that --roots hides, and their blocked time. */
	size_t hidden_threads;
	uint64_t hidden_ns;
};

/*
 * The recording seen as `view`; -ENODATA if it needs chains and there are none. A node's count is
 * the number of waits that ended (of samples, for running time). 0, or -errno with why. The caller
 * clears the profile.
 */
int profile_of_view(struct recording *recording, enum view view, const struct view_filter *filter,
	const struct stack_shape *shape, struct profile *ret, struct why *why);
void profile_clear(struct profile *profile);

#endif
