/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who had the CPUs while threads were ready for one, by the names that a report's lines go by. */
#ifndef DWELL_PROFILE_SUMMARY_QUEUES_H
#define DWELL_PROFILE_SUMMARY_QUEUES_H

#include "profile/family.h"
#include "profile/placer.h"
#include "profile/selection.h"

struct queue_share {
	enum queue_kind kind;
	const char *name; /* of QUEUE_THREAD; in sums its family's; else "" */
	uint64_t ns;
	uint32_t root; /* node of the name that waited; of sums over several: 0 */
};

typedef VEC(struct queue_share) queue_shares;

/*
 * Gathers all of the selection, and adds the names of those who had CPUs to the families. 0, or
 * -errno with why; the caller clears the result.
 */
int queues_gather(struct selection *selection, const struct rec_thread *threads,
	struct placer *placer, struct families *families, queue_shares *ret, struct why *why);

struct summary;
/* Of a line (an index) of runnable time, largest first. The caller clears the result. */
void queues_of_line(const struct summary *summary, size_t line, queue_shares *ret);
/* Of all that is recorded. */
void queues_of_all(const struct summary *summary, queue_shares *ret);

#endif
