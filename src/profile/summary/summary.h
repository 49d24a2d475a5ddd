/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in figures: what the report shows as text and as JSON, computed in one walk over the
 * rows (and one more for the accounting). Everything is in exact ns; rounding is the printer's.
 *
 * Filters apply to all of it but the accounting, the losses and the cost, which are the
 * recording's. With IDLE_HIDE idle time is set aside: it is in the totals, in idle_ns and in the
 * waits, but not in lines, reasons and busy time; otherwise idle waits are waits like others.
 *
 * Of slow calls (filter->slow_function) threads are those that were in one, and have lived no
 * longer than they were; what is known of whole threads only, as the accounting, is left out.
 */
#ifndef DWELL_PROFILE_SUMMARY_H
#define DWELL_PROFILE_SUMMARY_H

#include "profile/summary/calls.h"
#include "profile/summary/causes.h"
#include "profile/summary/completeness.h"
#include "profile/summary/computing.h"
#include "profile/summary/conservation.h"
#include "profile/summary/deadlocks.h"
#include "profile/summary/faulted.h"
#include "profile/family.h"
#include "profile/filter.h"
#include "profile/summary/measured.h"
#include "profile/placer.h"
#include "profile/summary/queues.h"
#include "profile/summary/resident.h"
#include "profile/summary/runtimes.h"
#include "profile/selection.h"
#include "profile/summary/thing_parts.h"
#include "profile/tree.h"

struct summary_thread {
	const struct rec_thread *thread;
	const struct rec_process *process;
	uint64_t life_ns;
	uint64_t total_ns[TIME_STATES];
	uint64_t idle_ns; /* of its blocked time */
};

/* Threads of one name: of a process, unless --by says otherwise. */
struct summary_group {
	uint32_t root; /* node in the tree */
	size_t threads;
	uint64_t life_ns;
	uint64_t total_ns[TIME_STATES];
	uint64_t idle_ns;
	uint64_t aside_ns;
	uint64_t reason_ns[REASONS]; /* blocked time that is not set aside */
	uint64_t called_ns[REASONS]; /* the same as people call it: a program's lock is a lock */
};

/* Off-CPU time of one stack, state, reason, for one thing. */
struct summary_wait {
	uint32_t root;
	uint32_t node;   /* its last frame, which is below no name */
	uint32_t number; /* in the order in which they were met */
	enum time_state state;
	char task_letter;
	enum reason reason;
	const char *operation; /* NULL if there is none */
	struct known_wait known;
	uint32_t user_node; /* of the recording: one of those that look the same */
	uint32_t thing;     /* what it was for: into things, or REC_NONE */
	uint32_t line;      /* number of its line, from 1 on; 0: set aside */
	enum idle_kind idle;
	bool is_aside;
	uint64_t count;
	uint64_t unended;
	uint64_t total_ns;
	uint64_t uncounted_ns; /* of total_ns: how many waits, and how long, was lost */
	uint64_t max_ns;
	uint64_t unended_max_ns; /* of those that had not ended when the recording did */
	/* Who had the lock when the longest began; NULL: not told, or it is none. */
	const struct rec_thread *owner;
	const struct rec_thread *unended_by; /* whose the longest that had not ended is, or NULL */
	uint64_t band_count[CONTRACT_BANDS];
	uint64_t band_ns[CONTRACT_BANDS];
};

/* How much of a line was for one thing. */
struct line_thing {
	uint32_t line;  /* index into lines */
	uint32_t thing; /* into things */
	uint64_t ns;
	uint64_t count; /* unended ones included */
};

/*
 * What the report lists: waits of one name, reason and operation that were for one thing and asked
 * for at one place, or the runnable time of a name.
 */
struct summary_line {
	uint32_t number; /* in the order in which they were met */
	uint32_t root;
	bool is_runnable;
	bool is_rest;         /* of a kind whose large parts are lines of their own */
	enum thing_part part; /* which part of its kind it is, by what was waited for */
	enum reason reason;
	const char *operation;
	struct known_wait known;
	uint64_t count;          /* unended ones included */
	uint64_t unended_max_ns; /* of those that had not ended when the recording did; 0: none */
	uint64_t total_ns;
	uint64_t uncounted_ns;
	uint64_t max_ns;
	uint64_t band_ns[CONTRACT_BANDS];
	uint64_t woken_ns;
	uint32_t heaviest; /* index into waits: one in the stack that has most of it */
	uint64_t heaviest_ns;
	const char *spot;                    /* the function that asked for that, or NULL */
	const struct rec_thread *owner;      /* as of its waits */
	const struct rec_thread *unended_by; /* likewise */
	uint32_t thing;     /* what nearly all of it was for: into things, or REC_NONE */
	size_t first_thing; /* into line_things */
	size_t thing_count;
};

/* Is it for something that somebody holds? */
static inline bool line_is_held(const struct summary_line *line)
{
	return line->known.kind == KNOWN_LOCK || line->reason == REASON_LOCK;
}

/* Is it for a thread or a process as such? What those did tells more. */
static inline bool line_is_for_an_end(const struct summary_line *line)
{
	return line->reason == REASON_CHILD || line->known.kind == KNOWN_OTHERS;
}

struct summary {
	const struct rec_meta *meta;
	const struct words *words; /* of the recording */
	uint64_t from_ns;
	uint64_t to_ns;
	bool has_range;
	bool is_live; /* the recording is still being made */
	const struct rec_function *slow; /* of whose slow calls all is; NULL: of threads */
	bool is_filtered;
	bool has_all_running; /* no filter but the range takes running time away */
	char *filter_text;    /* without the range */
	uint64_t life_ns;
	size_t process_count;
	uint64_t total_ns[TIME_STATES];
	uint64_t idle_ns[IDLE_KINDS];
	uint64_t aside_ns; /* idle time set aside */
	uint64_t reason_ns[REASONS];
	uint64_t called_ns[REASONS]; /* the same as people call it, and as they asked for it */
	uint64_t busy_ns;            /* all time that is not set aside */
	VEC(struct summary_thread) threads;
	VEC(struct summary_group) groups;   /* largest busy time first */
	VEC(struct summary_wait) waits;     /* largest first */
	VEC(struct summary_line) lines;     /* largest first; only what is not set aside */
	struct things things;               /* what waits and their wakers waited for */
	VEC(struct line_thing) line_things; /* by line, the largest first: line_things.h */
	struct deadlocks deadlocks;         /* and waits that had not ended */
	struct completeness completeness;   /* of user stacks */
	struct computing computing;         /* what they ran in, by samples */
	runtime_list runtimes;              /* that have schedulers of their own; busiest first */
	size_t hidden_measures;             /* that the filters, which are for time, leave out */
	measured_list measures;             /* what was counted beside time, as the groups are */
	struct faulted_files faulted;       /* of page faults, with the waits for them */
	resident_list resident;             /* memory over time; none where measures are hidden */
	size_t hidden_calls;                /* functions that the filters leave out likewise */
	called_list calls;                  /* most time of calls first */
	struct conservation conservation;
	const struct rec_loss *losses;
	size_t loss_count;
	uint64_t lost_events; /* counts of the serious losses */
	bool has_chains;      /* who woke whom was recorded */
	bool is_by_comm;      /* waits go by the names of threads */
	struct families families;
	struct families occupant_families; /* of those who had CPUs, which need not be recorded */
	queue_shares queues;       /* who had the CPUs; none where filters ask for what they lack */
	struct causes causes;      /* by line */
	struct map64 line_by_what; /* hash of name, reason and operation -> number of a line */
	struct map64 parts;        /* of kinds, by things: thing_parts.h */
	struct map64 depth_by_part; /* how many frames tell the waits of a part apart */
	struct map64 line_by_spot;  /* hash of part and these frames -> number of a line */
	struct map64 family_roots;  /* node of a name -> node of its family's */
	struct tree tree;
};

/* How waits are named, and what the table of groups is by. */
struct summary_shapes {
	struct stack_shape waits;
	struct stack_shape groups;
};

/* 0, or -errno with why. The summary borrows from the recording. */
int summary_new(struct recording *recording, const struct view_filter *filter,
	const struct summary_shapes *shapes, struct summary **ret, struct why *why);
void summary_free(struct summary *summary);

/* The name of a root: its labels, joined by ';'. Caller frees. */
char *summary_root_name(const struct summary *summary, uint32_t root);
/*
 * The number, from 1 on, of the line of blocked time of that name, reason and operation, asked for
 * in that function; NULL: in any. With a thing's text, of a line that is for it, or else of one
 * that is for several. 0: none.
 */
size_t summary_find_line(const struct summary *summary, const char *name, enum reason reason,
	const char *operation, const char *spot, const char *thing);
/* The name that the lines of a name go by: its family's, if it has brothers. */
uint32_t summary_family_root(const struct summary *summary, uint32_t root);
/* Runnable and blocked time that is not set aside, and running time. */
uint64_t summary_group_busy_ns(const struct summary_group *group);

#endif
