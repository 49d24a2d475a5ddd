/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learns how the kernel's functions keep their stacks, from stacks that its own unwinder has walked
 * (contract/frames.h), and writes what is certain into the table that the kernel side walks by.
 *
 * A lesson says which return addresses are on a stack, and which words are; not where which is, and
 * old words look like new ones. What is known of a return address is a set of hypotheses about
 * where the next one lies: those that fit the first lesson, less those that did not fit a later
 * one. The last one that is left counts when it has fitted often enough; what never fits stays the
 * unwinder's.
 */
#ifndef DWELL_KERNEL_FRAME_RULES_H
#define DWELL_KERNEL_FRAME_RULES_H

#include "kernel/frame_lesson.h"
#include "util/vec.h"

struct frame_rules;

typedef VEC(struct text_range) text_ranges;

/*
 * Writes to `table` and, for each program that asks, to `first`; both are zero at first. Text that
 * is neither the kernel's own nor in `modules`, which is sorted and taken over, is not learnt.
 */
struct frame_rules *frame_rules_new(const struct kernel_text *text, text_ranges *modules,
	struct frame_table *table, volatile __u64 *first);
void frame_rules_free(struct frame_rules *rules);

/* Learns; a lesson of fewer bytes than it says is ignored. */
void frame_rules_learn(struct frame_rules *rules, const struct lesson *lesson, size_t bytes);
/* A module is gone: nothing outside the kernel's own text counts any more. */
void frame_rules_forget_modules(struct frame_rules *rules);

struct frame_rules_counts {
	uint64_t lessons;
	uint64_t unusable; /* lessons whose frames are not among their words */
	uint64_t rules;    /* in the table now */
	uint64_t given_up; /* addresses that stay the unwinder's */
	uint64_t changes;  /* rules written or taken back so far */
};

void frame_rules_counts(const struct frame_rules *rules, struct frame_rules_counts *ret);

#endif
