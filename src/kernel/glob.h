/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comm glob (* and ?) as a bit-parallel automaton that the kernel side can run without branches:
 * bit i of a state set means "the first i pattern characters are matched".
 */
#ifndef DWELL_KERNEL_GLOB_H
#define DWELL_KERNEL_GLOB_H

#include <stdbool.h>
#include <stdint.h>

struct glob {
	uint32_t step[256]; /* bit i: the character is matched by pattern character i */
	uint32_t star;      /* bit i: pattern character i is a star */
	uint32_t accept;    /* the state that has matched all */
};

/* false if the pattern is longer than a comm can need (31 characters after merging stars). */
bool glob_compile(const char *pattern, struct glob *ret);
/* What the kernel side computes, for tests. */
bool glob_matches(const struct glob *glob, const char *text);

#endif
