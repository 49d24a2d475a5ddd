/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views as data: what each is called, which rows it is made of and how their stacks end.
 * Command line, pictures, tables and the page's buttons follow from this list. dwell-flame(1) has
 * their grammar. Whatever a recording counts beside thread time is a view, too, under the name that
 * the recording has for it.
 */
#ifndef DWELL_PROFILE_VIEW_TYPES_H
#define DWELL_PROFILE_VIEW_TYPES_H

#include <stdbool.h>

#include "model/measure.h"
#include "model/state.h"
#include "recording/reader.h"

/* In the order of the page's buttons. */
enum view {
	VIEW_OFFCPU,
	VIEW_ONCPU,
	VIEW_RUNQ,
	VIEW_HOTCOLD,
	VIEW_WAKEUP,
	VIEW_OFFWAKE,
	VIEW_CHAIN,
	VIEWS,
	VIEW_MEASURE = VIEWS, /* not in the list: a recording's own */
};

/* For help texts, which are literals; a test compares them with the list. The first have stacks of
 * one thread each, so that there is a table of their functions. */
#define VIEW_NAMES_OF_FUNCTIONS "offcpu, oncpu, runq, hotcold, wakeup"
#define VIEW_NAMES VIEW_NAMES_OF_FUNCTIONS ", offwake, chain"

struct view_type {
	enum view id;
	const char *name;
	const char *title;   /* of a picture */
	const char *label;   /* of a button */
	const char *about;   /* what it shows, in a sentence without a full stop */
	const char *weight;  /* what its weights are: "off-CPU time" */
	const char *counted; /* what is counted: "wait" */
	const char *counts;  /* several of that: "waits" */
	const char *palette; /* as --colors has it */
	unsigned int states; /* 1 << enum time_state of the rows that it is made of */
	/* By state: the frame that ends a stack; NULL: none. A * stands for the reason of the wait.
	 */
	const char *marks[TIME_SAMPLE + 1];
	bool needs_chains; /* which not all recordings have */
	bool has_idle;     /* some of its time may be idle */
	bool has_reasons;  /* frames lead to where threads waited: why they did is shown */
	enum unit unit;    /* of its weights */
	const char *unit_word;
	uint32_t measure; /* VIEW_MEASURE: index into recording_measures() */
	enum measure_kind kind;
};

/* One of the list. */
const struct view_type *view_type(enum view view);
/* NULL if none of the list has that name. */
const struct view_type *view_from_name(const char *name);
/* The one of the list that a name which is not in it may be a slip for; NULL: none. */
const struct view_type *view_nearest(const char *name);

/* A view that was asked for by its name. All zero is a valid empty one. */
struct view_choice {
	struct view_type type;
	char *texts[6]; /* of a measure: what `type` points to */
};

/*
 * The view of that name: one of the list, or a measure of the recording (NULL: there is none), also
 * as "event:" and its name. 0,
 * or -EINVAL with why, which names the nearest one. The caller clears it.
 */
int view_choose(const struct recording *recording, const char *name, struct view_choice *ret,
	struct why *why);
/* The view of a measure, likewise. */
void view_of_measure(
	const struct recording *recording, uint32_t measure_index, struct view_choice *ret);
void view_choice_clear(struct view_choice *choice);

#endif
