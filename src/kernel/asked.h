/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the words for events (-e) and for calls have in common. */
#ifndef DWELL_KERNEL_ASKED_H
#define DWELL_KERNEL_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/event.h"

/* Behind the prefix, if the text begins with one of those two; NULL: with neither. */
const char *asked_behind(const char *text, const char *prefix, const char *short_prefix);

/*
 * "PATH:FUNCTION": a path may have colons, and so has a C++ function's name, but in twos; the one
 * that divides them is the last single one. NULL: there is none.
 */
const char *asked_colon(const char *place);

/* "FILE:PROVIDER:NAME"; all are owned by the caller. */
struct asked_mark {
	char *path;
	char *provider;
	char *name;
};

/* false: it is not complete. */
bool asked_mark_parse(const char *place, struct asked_mark *ret);

/* "FIELD OP NUMBER" */
struct asked_condition {
	char *tested; /* the field; owned by the caller */
	enum event_condition condition;
	int64_t limit;
};

#define ASKED_CONDITIONS "== != < <= > >= &"

/* false: it is none. */
bool asked_condition_parse(const char *text, struct asked_condition *ret);

#endif
