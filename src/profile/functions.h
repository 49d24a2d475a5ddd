/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a view, flat: how much of its weight each has by itself and with what it called.
 *
 * A function is (name, object). Self time belongs to the innermost function of a stack; of off-CPU
 * time that is the one that called the scheduler, whose own functions would hide it. Total time
 * counts a function, and an object, once for each stack, however often it recurs there. Words that
 * dwell adds to stacks ([runq], [broken]) are no functions; they stand in for one where a stack has
 * none at all. Self times add up to the view's total, by function and by object.
 */
#ifndef DWELL_PROFILE_FUNCTIONS_H
#define DWELL_PROFILE_FUNCTIONS_H

#include "profile/view.h"

struct function_row {
	const char *name;   /* of an object: "" */
	const char *object; /* path, or words in brackets; "" if there is no function */
	enum frame_kind kind;
	uint64_t self_weight;
	uint64_t self_count;
	uint64_t total_weight;
	uint64_t total_count;
	/* Of measures: how many of these counts were looked at. */
	uint64_t self_samples;
	uint64_t total_samples;
	size_t object_index; /* of a function: into objects, as they are sorted */
	size_t functions;    /* of an object: how many it has */
};

enum function_order { FUNCTIONS_BY_SELF, FUNCTIONS_BY_TOTAL, FUNCTIONS_BY_OBJECT };

const char *function_order_name(enum function_order order);
bool function_order_from_name(const char *name, enum function_order *ret);

/* Texts are the tree's. All zero is a valid empty table. */
struct function_table {
	VEC(struct function_row) functions; /* in the order asked for, largest first */
	VEC(struct function_row) objects;   /* largest self time first */
	uint64_t total_weight;
	uint64_t total_count;
	uint64_t total_samples;
};

/* Of the tree of a view that keeps objects apart and has no names (--by) in it. The caller clears
 * the table. */
void function_table_make(const struct tree *tree, const struct view_type *view,
	enum function_order order, struct function_table *ret);
void function_table_clear(struct function_table *table);

#endif
