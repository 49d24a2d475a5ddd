/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions of a program are the way into a wait, not the code that wanted it: wrappers of
 * libc and of runtimes, and what starts every program or thread. Told by their names alone.
 */
#ifndef DWELL_MODEL_PLUMBING_H
#define DWELL_MODEL_PLUMBING_H

#include <stdbool.h>

/* Does it start every program or thread? */
bool plumbing_is_entry(const char *name);
/* Does it pass on a wait that somebody else asked for? */
bool plumbing_is(const char *name);

#endif
