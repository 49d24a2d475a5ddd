/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many user stacks are whole, by time and by count, and why the others are not, by process. A
 * sample stands for its share of its thread's running time. Kernel threads have no user stack, and
 * one that was not asked for is not missing.
 */
#ifndef DWELL_PROFILE_SUMMARY_COMPLETENESS_H
#define DWELL_PROFILE_SUMMARY_COMPLETENESS_H

#include "model/words.h"
#include "profile/selection.h"
#include "util/vec.h"

/* Incomplete stacks of the processes of one name that ended in one way. */
struct incomplete {
	const char *process;
	enum unwind_end end;
	double by_time; /* share of all user stacks, 0 to 1 */
	double by_count;
};

struct completeness {
	/* Shares of user threads' stacks that are whole, 0 to 1; 1 if there is none. */
	double by_time;
	double by_count;
	double ends_by_time[UNWIND_ROOM];  /* by how they ended; all 0 if there is none */
	VEC(struct incomplete) incomplete; /* most time first */
};

struct completeness_maker;

struct completeness_maker *completeness_begin(struct recording *recording, size_t thread_count);
void completeness_add(struct completeness_maker *maker, const struct selection_row *row);
/* running_ns: of each thread, by index. Frees the maker. ret is cleared with completeness_clear().
 */
void completeness_end(struct completeness_maker *maker,
	uint64_t (*running_ns)(void *context, size_t thread), void *context,
	struct completeness *ret);
void completeness_clear(struct completeness *completeness);

#endif
