/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three names nearest to one that there is not, out of any number, for "did you mean". They are
 * told one by one; comparing is bounded, so that names of strangers cannot make it endless.
 */
#ifndef DWELL_UTIL_NEAREST_H
#define DWELL_UTIL_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#define NEAREST_NAMES 3

struct nearest {
	const char *wrong;
	size_t length;
	size_t limit;    /* a distance that is too far */
	uint64_t budget; /* of steps */
	size_t count;
	struct {
		char *name;
		size_t distance;
	} best[NEAREST_NAMES]; /* the nearest first */
};

/* The name is borrowed. */
void nearest_init(struct nearest *nearest, const char *wrong);
void nearest_add(struct nearest *nearest, const char *name);
/* The same of a name that does not end there. */
void nearest_add_part(struct nearest *nearest, const char *name, size_t length);
/* "mallopt, malloc_info": the nearest first; NULL if none is near enough to be meant. Caller frees.
 */
char *nearest_text(const struct nearest *nearest);
void nearest_clear(struct nearest *nearest);

#endif
