/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a recording by the names that people give them: "postgres:exec_simple_query", a part
 * of that, or a pattern with * and ?, which one function alone has.
 */
#ifndef DWELL_PROFILE_SLOW_H
#define DWELL_PROFILE_SLOW_H

#include "recording/reader.h"
#include "util/why.h"

/* Before the name of a function whose slow calls are a view. */
#define SLOW_PREFIX "slow:"

/* The index of the function. 0, or -EINVAL with why: none, with the nearest names, or several. */
int slow_find(
	const struct recording *recording, const char *name, uint32_t *ret_index, struct why *why);
/*
 * recording_choose_slow() of that function; NULL: of none, the threads' own time. 0, or -errno with
 * why.
 */
int slow_choose(struct recording *recording, const char *name, struct why *why);

#endif
