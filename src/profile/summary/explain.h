/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of the report waited for, in figures: who was the cause, and what it did meanwhile.
 *
 * A chain of wakers is followed to the one that was not waiting for somebody else: that one ran,
 * had no CPU, slept, or was in something that no thread ends (a disk, the network, a timer). Its
 * share is its own, and what lies behind it too; wakers on the way keep what they did themselves.
 * So of a lock that goes from hand to hand each holder gets the time that it had it, and a holder
 * that slept gets its sleep. Time before a waker's last wait, behind the depth limit, or without a
 * waker is not explained.
 */
#ifndef DWELL_PROFILE_SUMMARY_EXPLAIN_H
#define DWELL_PROFILE_SUMMARY_EXPLAIN_H

#include "model/words.h"
#include "profile/summary/summary.h"

/* What somebody did while others waited for it. */
struct cause {
	enum hop_kind kind;
	const char *name;
	uint64_t ran_ns; /* of metal: it was pending */
	uint64_t no_cpu_ns;
	const char *ran_in; /* the function that most of its samples are in, whenever; or NULL */
	uint64_t waited_ns; /* it was itself in `operation`, or for `reason` */
	enum reason reason;
	const char *operation; /* NULL: only the reason is known */
	const char *spot;      /* the function of the program that it was called from, or NULL */
	const struct thing *thing; /* what nearly all of that was for; NULL: several, or not told */
	/* Whom or what its wait was for, if that says more; NULL if not. */
	enum hop_kind root_kind;
	const char *root_name;
	size_t see; /* number of that line in the report, from 1 on; 0: none */
};

struct explanation {
	uint64_t total_ns;
	const char *waker; /* the name that ended nearly all; NULL: several did */
	bool is_held;      /* it is a lock: causes are those who had it */
	/* Who has the lock that the longest of the waits without end is for; NULL: not told. */
	const struct rec_thread *owner;
	VEC(struct cause) causes; /* largest first */
	struct map64 by_what;     /* while they are gathered: hash -> index + 1 */
	struct map64 ns_by_thing; /* likewise: index of a cause << 32 | thing -> ns */
	uint64_t unexplained_ns;
	const struct words *words;      /* of the recording */
	uint64_t by_end_ns[WORDS_MOST]; /* why not; CHAIN_EARLIER also what a waker forgot */
	const char *forgetful;          /* the waker that forgot most of that; NULL: none did */
	uint64_t forgotten_ns;          /* by how much it is ahead of the others */
	uint64_t forgotten_all_ns;
};

static inline uint64_t cause_ns(const struct cause *cause)
{
	return cause->ran_ns + cause->no_cpu_ns + cause->waited_ns;
}

/* Explains a line (an index into summary->lines). Texts are the summary's. The caller clears it. */
void explain_line(const struct summary *summary, size_t line, struct explanation *ret);
/* Explains all blocked time that is not set aside. */
void explain_all(const struct summary *summary, struct explanation *ret);
void explanation_clear(struct explanation *explanation);
/* The end that most of the unexplained time has. */
enum chain_end explanation_main_end(const struct explanation *explanation);

#endif
