/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changed between two recordings, by the words that people ask with: the state of threads, why
 * they did not run, who ended their waits, what these were for, whose time it is. Names of threads
 * are folded as in the comparison of stacks, so that both speak of the same.
 */
#ifndef DWELL_PROFILE_DIFF_FACTS_H
#define DWELL_PROFILE_DIFF_FACTS_H

#include "profile/diff.h"
#include "profile/filter.h"
#include "profile/view_types.h"
#include "recording/reader.h"

enum diff_question {
	DIFF_STATE,  /* running, no CPU, blocked: whatever the view shows */
	DIFF_REASON, /* of the view's time, as all that follow */
	DIFF_WAKER,
	DIFF_THING,
	DIFF_THREAD,
	DIFF_QUESTIONS,
};

struct diff_fact {
	uint32_t name; /* in `names` */
	double before; /* in the comparison's scale */
	double after;
};

/* All zero is a valid empty one. */
struct diff_facts {
	struct intern names;
	VEC(struct diff_fact) at[DIFF_QUESTIONS];
	struct map64 places; /* question and name -> index + 1 */
};

/* "state", "reason", "waker", "thing", "thread" */
const char *diff_question_name(enum diff_question question);

/*
 * Adds one side as the view has it (is_roots_only: without threads that chains show), each amount
 * divided by `divisor` (diff_divisor()). 0, or -errno with why. After the second side
 * diff_facts_rank() puts the largest change first.
 */
int diff_facts_add(struct diff_facts *facts, struct recording *recording,
	const struct view_type *view, const struct view_filter *filter, bool is_roots_only,
	const struct diff_options *options, double divisor, bool is_after, struct why *why);
void diff_facts_rank(struct diff_facts *facts);
void diff_facts_clear(struct diff_facts *facts);

#endif
