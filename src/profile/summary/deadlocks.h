/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits that had not ended when the recording did, one for each thread, and which of them can never
 * end: a thread waits for a lock whose owner waits for a lock, and so on back to the thread. The
 * owner was noted when the wait began; another waiter may have got the lock since, so only waits
 * that last for long are believed to be part of a deadlock. All zero is valid and empty.
 */
#ifndef DWELL_PROFILE_SUMMARY_DEADLOCKS_H
#define DWELL_PROFILE_SUMMARY_DEADLOCKS_H

#include "profile/selection.h"

struct last_wait {
	const struct rec_thread *thread;
	const struct rec_thread *owner; /* of what it is for; NULL: not told */
	enum reason reason;
	const char *operation; /* or NULL */
	const char *spot;      /* the function of the program that wanted it, or NULL */
	uint32_t thing;        /* of the selection, or REC_NONE */
	bool is_for_pipe; /* whose other end the owner has, of several threads maybe: no deadlock */
	uint64_t ns;
	size_t deadlock; /* the number of the one that it is part of, from 1 on; 0: none */
};

/* Members from `first` on, each of which has what the one before it waits for. */
struct deadlock {
	size_t first;
	size_t count;
};

struct deadlocks {
	VEC(struct last_wait) waits;
	struct map64 by_thread; /* -> index into waits + 1 */
	VEC(struct deadlock) at;
	VEC(size_t) members; /* indices into waits */
};

/* Adds a row of blocked time, if it is of a wait that had not ended. */
void deadlocks_add(struct deadlocks *deadlocks, struct selection *selection,
	const struct selection_row *row, const struct rec_thread *threads);
/* Finds the circles among waits that are at least so long. */
void deadlocks_find(struct deadlocks *deadlocks, uint64_t least_ns);
/* The wait of a thread that had not ended; NULL: it has none, or it does not pass the filters. */
const struct last_wait *deadlocks_wait_of(
	const struct deadlocks *deadlocks, const struct rec_thread *thread);
/* Member i of a deadlock, and the one that waits for what it holds. */
const struct last_wait *deadlocks_member(
	const struct deadlocks *deadlocks, const struct deadlock *deadlock, size_t i);
const struct last_wait *deadlocks_before(
	const struct deadlocks *deadlocks, const struct deadlock *deadlock, size_t i);
void deadlocks_clear(struct deadlocks *deadlocks);

#endif
