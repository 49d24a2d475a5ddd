/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording counts beside thread time, in figures for the report: each measure's total, who
 * it belongs to, the stacks that have most of it and what its events were on. Where only some
 * events were looked at, every figure says how many samples it rests on (profile/estimate.h).
 */
#ifndef DWELL_PROFILE_SUMMARY_MEASURED_H
#define DWELL_PROFILE_SUMMARY_MEASURED_H

#include "profile/placer.h"
#include "profile/selection.h"
#include "profile/summary/fault_mode.h"
#include "profile/view_types.h"

/* A name, or a stack, with its part of the measure. */
struct measured_part {
	uint32_t node; /* of the tree: the name's last, or where the stack ends */
	uint64_t weight;
	uint64_t count;   /* of events */
	uint64_t samples; /* of them that were looked at */
};

typedef VEC(struct measured_part) measured_parts;

/* What events were on, as the file that was faulted in. */
struct measured_thing {
	char *text;
	uint64_t weight;
	uint64_t count;
	uint64_t samples;
};

typedef VEC(struct measured_thing) measured_things;

/* How long before the window's end: below 1 s, 10 s, a minute, and older. */
#define MEASURED_AGES 4
/* The youngest of a band. */
uint64_t measured_age_ns(unsigned int age);

struct measured {
	struct view_choice view;
	uint64_t weight; /* in the view's unit */
	uint64_t count;
	uint64_t samples;
	measured_parts names;           /* largest first */
	measured_parts stacks;          /* largest first */
	measured_things things;         /* largest first; the rest was on nothing told */
	uint64_t by_age[MEASURED_AGES]; /* of the weight, by its slices */
	uint64_t by_mode[FAULT_MODES];  /* of the count; of faults only */
	uint64_t in_interrupts;         /* of the count; of events only */
	uint64_t of_ended;              /* of the weight: of processes that were gone at the end */
};

typedef VEC(struct measured) measured_list;

/*
 * All measures of the recording, by the names that the shape asks for. Names and stacks become
 * nodes of the tree, which may hold others of the same recording; weights are not kept there. 0, or
 * -errno with why. The caller clears the list.
 */
int measured_all(struct recording *recording, struct selection *selection,
	const struct stack_shape *shape, struct tree *tree, measured_list *ret, struct why *why);
void measured_clear(measured_list *list);

/* The first measure of that kind, or NULL. */
const struct measured *measured_of_kind(const measured_list *list, enum measure_kind kind);

#endif
