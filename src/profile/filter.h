/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a recording is looked at: the filters that every view and the report share, as people
 * write them. Time range, band, state, reason, thread and idle filters all must agree for time to
 * pass. Thread filters: a thread passes if it is in each list that is not empty.
 *
 * Bands choose among off-CPU intervals (each by its own length) and leave running time alone.
 * Reasons and things choose among blocked time; with any, running and runnable time is left out.
 */
#ifndef DWELL_PROFILE_FILTER_H
#define DWELL_PROFILE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/reason.h"
#include "model/state.h"
#include "util/vec.h"
#include "util/why.h"

enum idle_choice {
	IDLE_SHOW, /* idle waits are waits like others */
	IDLE_HIDE, /* they are left out, or set aside where a total must be whole */
	IDLE_ONLY,
};

#define VIEW_ALL_STATES ((1u << TIME_STATES) - 1)
#define VIEW_ALL_REASONS ((1u << REASONS) - 1)

struct view_filter {
	uint64_t from_ns; /* from the window's start */
	uint64_t to_ns;   /* UINT64_MAX: its end */
	unsigned int min_band;
	unsigned int max_band;
	unsigned int states;  /* 1 << enum time_state, ... */
	char letters[16];     /* task letters that blocked time must have; "": any */
	unsigned int reasons; /* 1 << enum reason, ... */
	char *thing_pattern; /* what blocked time was for (things.h); NULL: anything, or not told */
	VEC(uint32_t) pids;
	VEC(uint32_t) tids;
	char *comm_glob; /* NULL: any */
	/* Time of slow calls alone, of that function (slow.h); NULL: all time of the threads. */
	char *slow_function;
	bool is_user_only;
	bool is_kernel_only;
	enum idle_choice idle;
};

/* Everything passes, idle included. */
void view_filter_init(struct view_filter *filter);
void view_filter_clear(struct view_filter *filter);

/*
 * The words of the command line. 0, or -EINVAL with why.
 * min_wait and max_wait must be borders of bands, because sums are kept by band.
 */
int view_filter_set_from(struct view_filter *filter, const char *text, struct why *why);
int view_filter_set_to(struct view_filter *filter, const char *text, struct why *why);
int view_filter_set_min_wait(struct view_filter *filter, const char *text, struct why *why);
int view_filter_set_max_wait(struct view_filter *filter, const char *text, struct why *why);
/* "blocked,runnable", "running", "woken", "preempted", task letters ("D"): a list. */
int view_filter_set_states(struct view_filter *filter, const char *text, struct why *why);
/* "disk,lock": a list. */
int view_filter_set_reasons(struct view_filter *filter, const char *text, struct why *why);
/* "*.wal", "10.0.0.5": a pattern, or a part of what a thing is called. */
int view_filter_set_thing(struct view_filter *filter, const char *text, struct why *why);
/* "12,34"; adds to those already there. */
int view_filter_add_pids(struct view_filter *filter, const char *text, struct why *why);
int view_filter_add_tids(struct view_filter *filter, const char *text, struct why *why);
void view_filter_set_comm(struct view_filter *filter, const char *glob);
/* "postgres:exec_simple_query", or a part of it: slow calls of that function alone. */
int view_filter_set_slow(struct view_filter *filter, const char *function, struct why *why);
/* "show", "hide", "only" */
int view_filter_set_idle(struct view_filter *filter, const char *text, struct why *why);
/* Settings that exclude each other: -m above -M, --from after --to, -u with -k. */
int view_filter_check(const struct view_filter *filter, struct why *why);

/* Does a filter ask for what only time has: a state, a reason, a thing, a length, idleness, slow
 * calls? */
bool view_filter_asks_for_time(const struct view_filter *filter);
/* The same but for slow calls: calls as such have none of it. */
bool view_filter_asks_for_waits(const struct view_filter *filter);
/* Events have none of that: -EINVAL with why if a filter asks for it. */
int view_filter_check_events(const struct view_filter *filter, const char *events, struct why *why);

/* Does a filter ask for some threads only? */
bool view_filter_asks_for_threads(const struct view_filter *filter);
/* False if any filter but idle is set. */
bool view_filter_is_open(const struct view_filter *filter);
/* The filters in words but the time range, "" if there is none: "waits >= 1 ms, in disk". Caller
 * frees. */
char *view_filter_text(const struct view_filter *filter);

#endif
