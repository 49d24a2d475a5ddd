/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to what belongs to others, and how much of it may be kept: errands open and read (with
 * our rights, in a process that may hang), parsers make sense of what was opened (in a process
 * without any rights), and all names together have one budget.
 */
#ifndef DWELL_SYMBOL_OUTSIDE_H
#define DWELL_SYMBOL_OUTSIDE_H

#include "util/budget.h"
#include "util/helper.h"

struct errands;

/* What all names of a recording may take. */
#define OUTSIDE_NAMES_BYTES (512ULL << 20)

struct outside {
	struct errands *errands; /* NULL: this process goes itself */
	struct helpers *parsers; /* NULL: it reads itself, too */
	struct budget names;
};

/* Without helpers, for tests and for what is our own. */
#define OUTSIDE_HERE ((struct outside){.names = {OUTSIDE_NAMES_BYTES}})

int outside_init(struct outside *outside, struct why *why);
/* All zero is allowed. */
void outside_clear(struct outside *outside);
/* See helpers_set_hurry() and helpers_add_usage(). */
void outside_set_hurry(struct outside *outside, bool (*is_hurried)(void *context), void *context);
void outside_add_usage(struct outside *outside, struct helper_usage *usage);
/* Parsers are not urgent any more; errands keep the priority that they have of their own. */
void outside_calm(struct outside *outside);

#endif
