/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resident memory over time: of all processes that pass the filters together, slice by slice. */
#ifndef DWELL_PROFILE_SUMMARY_RESIDENT_H
#define DWELL_PROFILE_SUMMARY_RESIDENT_H

#include "profile/selection.h"
#include "util/vec.h"

struct resident {
	uint32_t slice;
	uint64_t at_ns; /* the slice's end, from the window's start */
	uint64_t rss_bytes;
	uint64_t anonymous_bytes;
};

typedef VEC(struct resident) resident_list; /* by slice; only those that anything is known of */

/* 0, or -errno with why. The caller clears the list. */
int resident_gather(struct recording *recording, const struct selection *selection,
	resident_list *ret, struct why *why);

#endif
