/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of the functions that a recording watched, in figures: how many and how long, where their
 * time went exactly, the slow ones apart from the typical ones, and those that had not ended. Time
 * of calls is also time of their threads and never part of a sum of that. Percentiles are estimates
 * from bands of lengths (model/call.h); all else is exact.
 */
#ifndef DWELL_PROFILE_SUMMARY_CALLS_H
#define DWELL_PROFILE_SUMMARY_CALLS_H

#include "model/call.h"
#include "profile/placer.h"
#include "profile/selection.h"

/* Waits of slow calls are looked at for so many functions: those with most time of calls. */
#define CALLED_MOST_EXPLAINED 10

/* Some calls. Time leaves calls out that are within others of their function, whose it is, too. */
struct call_total {
	uint64_t count; /* of calls that ended, those within others included */
	uint64_t wall_ns;
	uint64_t part_ns[TIME_STATES]; /* add up to it */
};

/* One that had not ended. */
struct called_open {
	const struct rec_thread *thread;
	const struct rec_process *process;
	uint64_t wall_ns;
	uint64_t part_ns[TIME_STATES];
	enum time_state state;
	bool is_inner;
	bool is_slow;
	uint32_t node; /* where its thread is: of the tree, below no name; TREE_ROOT: it runs */
	enum reason reason;    /* of one that is blocked */
	const char *operation; /* or NULL */
	char *thing;           /* what it waits for; NULL: not told. Owned. */
};

/* Calls of one function by one name. */
struct called_group {
	uint32_t root; /* node in the tree; TREE_ROOT: of several threads, not told apart */
	struct call_total all;
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t max_ns;
};

struct summary;
struct summary_shapes;

struct called {
	const struct rec_function *function; /* its counts are the recording's, whatever filters */
	enum call_kind kind;
	struct call_lengths lengths; /* of all that ended */
	uint64_t errors;
	struct call_total all;     /* that ended */
	struct call_total slow;    /* likewise; of it: */
	struct call_total typical; /* and the others */
	/* Slow by a lower limit than the last one, which follows the lengths: how many, and the
	 * band of the shortest, CONTRACT_CALL_BANDS: none. */
	uint64_t early_slow;
	uint32_t early_band;
	struct call_total open;
	struct call_total open_slow;
	VEC(struct called_open) opened;  /* oldest first */
	VEC(struct called_group) groups; /* most time first */
	struct summary *waits; /* what slow ones, open ones included, waited in; NULL: not looked */
};

typedef VEC(struct called) called_list;

/*
 * All functions of which calls are known and pass, most time of calls first; with a slow function
 * in the filter that one alone. Groups go by the names of the shape, and where threads are become
 * nodes of the tree, which may hold others of the same recording. 0, or -errno with why. The caller
 * clears the list.
 */
int calls_gather(struct recording *recording, struct selection *selection,
	const struct stack_shape *shape, struct tree *tree, called_list *ret, struct why *why);
/*
 * The waits of slow calls of the first functions of the list, through the same filter. 0, or -errno
 * with why.
 */
int calls_explain(struct recording *recording, const struct view_filter *filter,
	const struct summary_shapes *shapes, called_list *list, struct why *why);
void calls_clear(called_list *list);

/* Were most slow calls only slow until it was known how long calls are? */
bool called_were_mostly_early(const struct called *called);
/* Time of slow calls, those that have not ended included. */
struct call_total called_all_slow(const struct called *called);
/* Calls that returned without one that had begun: of code that changes threads. */
bool called_has_many_unmatched(const struct called *called);
/* Was it called at all? All its calls may be in no figure. */
bool called_was_seen(const struct called *called);

#endif
