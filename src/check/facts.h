/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of facts about this kernel, user and machine: what is there, what it means for a
 * recording and which command mends it. Facts come in the order in which they should be read, group
 * by group. All zero is a valid empty list.
 */
#ifndef DWELL_CHECK_FACTS_H
#define DWELL_CHECK_FACTS_H

#include <stdbool.h>

#include "util/vec.h"
#include "util/why.h"

enum fact_group {
	FACT_NEEDED,  /* one of these missing: no recording */
	FACT_HELPFUL, /* makes a recording better or cheaper */
	FACT_MACHINE, /* what the recording has to live with */
	FACT_GROUPS,
};

enum fact_status {
	FACT_OK,
	FACT_LIMITED, /* there in part */
	FACT_MISSING,
	FACT_UNKNOWN, /* could not be tried, because something before it is missing */
};

struct fact {
	enum fact_group group;
	enum fact_status status;
	bool is_permission; /* a matter of this user's rights, not of the kernel */
	char *name;
	char *effect;
	char *fix; /* a command, or NULL */
};

struct facts {
	VEC(struct fact) list;
};

/* "ok", "limited", "missing", "unknown" */
const char *fact_status_word(enum fact_status status);
/* "needed", "helpful", "machine" */
const char *fact_group_word(enum fact_group group);

/* Appends a fact. */
__attribute__((format(printf, 5, 6))) void facts_add(struct facts *facts, enum fact_group group,
	enum fact_status status, const char *name, const char *effect_format, ...);
/* Sets the last fact's mending command. */
__attribute__((format(printf, 2, 3))) void facts_fix(
	struct facts *facts, const char *fix_format, ...);
/* Marks the last fact as a matter of rights. */
void facts_is_permission(struct facts *facts);

/*
 * 0 if no needed fact is missing. Else -EPERM or -ENOTSUP, and why names what is missing (all the
 * rights of one kind together) and the command that mends it.
 */
int facts_judge(const struct facts *facts, struct why *why);

void facts_clear(struct facts *facts);

#endif
