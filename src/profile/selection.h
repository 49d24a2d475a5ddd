/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording seen through a filter: the rows that pass, each cut to the time range and with its
 * reason and idleness. A range is rounded out to whole slices, because rows are exact only there.
 *
 * With a function in filter->slow_function, the recording hands out the time of its slow calls as
 * long as the selection lives: one is made and freed within the life of another, or after it. No
 * time within a call is idle.
 *
 * Time that a thread has in its exact totals but in no row (tables were full) is handed out as one
 * more row for each thread and state, without count and stacks and with UNWIND_OVERFLOW, so that
 * totals stay whole; only where no filter asks for what such time cannot say (slice, band, reason).
 */
#ifndef DWELL_PROFILE_SELECTION_H
#define DWELL_PROFILE_SELECTION_H

#include "profile/filter.h"
#include "profile/spots.h"
#include "profile/things.h"
#include "recording/reader.h"

enum idle_kind {
	IDLE_NOT,
	IDLE_UNENDED,   /* did not end within the window, though nobody had to end it */
	IDLE_MAIN_LOOP, /* a kernel thread in its own main loop */
	IDLE_OWN_TIMER, /* the thread set the timer that ends it, and nobody waited for it */
	IDLE_PARKED,    /* a worker without work */
	IDLE_KINDS,
};

/* "unended", "main_loop", "own_timer", "parked"; "" for IDLE_NOT */
const char *idle_kind_name(enum idle_kind kind);

struct selection_row {
	const struct rec_row *row;
	const struct rec_thread *thread;
	uint64_t ns; /* in the range */
	/*
	 * Intervals (or samples) that ended in the range, and that reach beyond it. Both are 0 for
	 * parts of waits that another row counts; a wait of which only such parts lie in the range
	 * is not counted there.
	 */
	uint64_t count;
	uint64_t unended;
	uint64_t max_ns; /* longest interval; of an unended one what lies in the range */
	/* Time that is in a thread's totals alone: nothing else is known of it, neither count nor
	 * slices. */
	bool is_unsliced;
	/* Of blocked time; else REASON_UNKNOWN, NULL and IDLE_NOT. */
	enum reason reason;
	/* As people call it: a program's lock is a lock, whatever it waits in, if asked for. */
	enum reason called;
	const char *operation;
	struct known_wait known;
	enum idle_kind idle;
	/* What it was for, into selection_things(), or REC_NONE: not told, or it would say nothing.
	 */
	uint32_t thing;
	/* Of a lock: who had it when the longest wait began, into the threads, or REC_NONE. */
	uint32_t owner;
};

struct selection;

/* Borrows the recording and the filter. 0, or -errno with why: -ERANGE if the range is outside,
 * -EINVAL if the filter's function is none of the recording's, or several. */
int selection_new(struct recording *recording, const struct view_filter *filter,
	struct selection **ret, struct why *why);
void selection_free(struct selection *selection);

/* The range as it is after rounding. */
uint64_t selection_from_ns(const struct selection *selection);
uint64_t selection_to_ns(const struct selection *selection);
/* Is it other than the whole window? */
bool selection_has_range(const struct selection *selection);

bool selection_has_thread(const struct selection *selection, uint32_t thread_index);
/* Its life inside the range; 0 if the thread does not pass. */
uint64_t selection_life_ns(const struct selection *selection, uint32_t thread_index);

/* What a waker had waited in when a hop of its chain woke it. */
struct waited {
	enum reason reason;
	const char *operation; /* or NULL */
	const char *spot;      /* the function of its program that wanted it, or NULL */
	bool is_lock;          /* somebody held it */
	uint32_t thing;        /* into selection_things(), or REC_NONE */
};

struct waited selection_waited(struct selection *selection, const struct rec_chain_hop *hop);
/* Where in its program a thread was, by its user stack. Valid until the next call. */
const struct spot *selection_spot(struct selection *selection, uint32_t user_node);

/* The things that rows and wakers have been found to wait for so far. */
const struct things *selection_things(const struct selection *selection);
/* things_family() of one of them. */
uint32_t selection_thing_family(struct selection *selection, uint32_t thing);
/* Moves them out, for one who needs them longer; the caller clears them. */
struct things selection_take_things(struct selection *selection);

/* Calls `each` for all rows that pass; a non-zero return ends the walk and is returned. */
typedef int (*selection_row_fn)(const struct selection_row *row, void *context);
int selection_each_row(
	struct selection *selection, selection_row_fn each, void *context, struct why *why);
/* Idle time that the last walk left out (IDLE_HIDE) although it passed all other filters. */
uint64_t selection_idle_hidden_ns(const struct selection *selection);

/*
 * The same for the rows of all measures, which threads and the range choose among. Whoever makes
 * something of each measure hands the rows out in one walk: a walk for each measure would read
 * every row as often as there are measures.
 */
int selection_each_count(
	struct selection *selection, recording_count_fn each, void *context, struct why *why);
/* The same for who had the CPUs. */
int selection_each_queue(
	struct selection *selection, recording_queue_fn each, void *context, struct why *why);
/* The same for calls, by the slice in which they ended, whatever function is slow; and for those
 * that had not ended, in ranges up to the window's end. */
int selection_each_call(
	struct selection *selection, recording_call_fn each, void *context, struct why *why);
int selection_each_open_call(
	struct selection *selection, recording_open_call_fn each, void *context, struct why *why);

#endif
