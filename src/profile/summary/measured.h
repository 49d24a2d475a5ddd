/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording counts beside thread time, in figures for the report: each measure's total, who
 * it belongs to and the stacks that have most of it.
 */
#ifndef DWELL_PROFILE_SUMMARY_MEASURED_H
#define DWELL_PROFILE_SUMMARY_MEASURED_H

#include "profile/placer.h"
#include "profile/selection.h"
#include "profile/view_types.h"

/* A name, or a stack, with its part of the measure. */
struct measured_part {
	uint32_t node; /* of the tree: the name's last, or where the stack ends */
	uint64_t weight;
	uint64_t count;
};

typedef VEC(struct measured_part) measured_parts;

struct measured {
	struct view_choice view;
	uint64_t weight; /* in the view's unit */
	uint64_t count;
	measured_parts names;  /* largest first */
	measured_parts stacks; /* largest first */
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

#endif
