/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a name stands for, before something is written there: links are followed by hand, to know
 * whose they are and whether one leads to a file that is open already (/dev/stdout, /dev/fd/3).
 */
#ifndef DWELL_UTIL_PLACE_TARGET_H
#define DWELL_UTIL_PLACE_TARGET_H

#include "util/place.h"

enum place_kind {
	PLACE_FREE,    /* nothing is there */
	PLACE_FILE,    /* a regular file, or a link to one or to nothing: may be replaced */
	PLACE_OPEN,    /* a link of procfs: something that a process has open */
	PLACE_SPECIAL, /* a folder, device, pipe or socket, or a link to one */
};

struct place_target {
	enum place_kind kind;
	struct place at;    /* at the end of all links that procfs did not make */
	struct stat status; /* of what is there in the end; all 0 if nothing is */
	bool is_trusted;    /* links on the way, and a pipe at the end, are ours or root's */
	uid_t owner;        /* of the name itself */
};

/* 0 or -errno; the caller clears it. */
int place_target_find(const struct place *place, struct place_target *ret);
void place_target_clear(struct place_target *target);

/* Opens what is PLACE_OPEN or PLACE_SPECIAL for writing, as it is. A descriptor or -errno. */
int place_target_open(const struct place_target *target);
/* "a folder", "a pipe", ... */
const char *place_target_words(const struct place_target *target);

#endif
