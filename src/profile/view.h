/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording seen as one of the views: a call tree with weights. */
#ifndef DWELL_PROFILE_VIEW_H
#define DWELL_PROFILE_VIEW_H

#include "profile/filter.h"
#include "profile/placer.h"
#include "profile/reason_parts.h"
#include "profile/tree.h"
#include "profile/view_types.h"

struct profile {
	struct tree tree;
	/* Of views by where threads waited: why. Empty for others. */
	struct reason_parts parts;
	uint64_t from_ns; /* the time range after rounding to slices */
	uint64_t to_ns;
	bool has_range; /* it is not the whole window */
	/* Threads that --roots hides, and their blocked time. */
	size_t hidden_threads;
	uint64_t hidden_ns;
	uint64_t idle_ns; /* blocked time that is idle and therefore not in the tree */
};

/*
 * The recording seen as `view`; -ENODATA if it needs chains and there are none, -EINVAL if a filter
 * asks of events what only time has. A node's count is the number of waits that ended (of samples,
 * for running time; of events). 0, or -errno with why. The caller clears the profile.
 */
int profile_of_view(struct recording *recording, const struct view_type *view,
	const struct view_filter *filter, const struct stack_shape *shape, struct profile *ret,
	struct why *why);
void profile_clear(struct profile *profile);

#endif
