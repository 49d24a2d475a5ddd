/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell list` found, group by group, and how it is shown: a line for each name, or JSON. All
 * zero is a valid empty listing.
 */
#ifndef DWELL_CLI_LISTING_H
#define DWELL_CLI_LISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/vec.h"

enum listing_group {
	LISTING_SOFTWARE,
	LISTING_HARDWARE,
	LISTING_TRACEPOINTS,
	LISTING_PROBES,    /* that authors left in a file */
	LISTING_FUNCTIONS, /* of a file */
	LISTING_WAYS,      /* how what is not listed is given */
	LISTING_MISSING,   /* what this machine does not have, and why */
	LISTING_GROUPS,
};

/* A field of a tracepoint. */
struct listing_field {
	char *name;
	char *type;
	bool is_number;
};

struct listing_item {
	enum listing_group group;
	char *name;
	char *about; /* "" */
	VEC(struct listing_field) fields;
};

struct listing {
	VEC(struct listing_item) items;
};

/* The last item is borrowed until the next one is added. */
__attribute__((format(printf, 4, 5))) struct listing_item *listing_add(struct listing *listing,
	enum listing_group group, const char *name, const char *about_format, ...);
void listing_add_field(
	struct listing_item *item, const char *name, const char *type, bool is_number);
/* Of a group, or (LISTING_GROUPS) of all that has been found: neither ways nor what is missing. */
size_t listing_count(const struct listing *listing, enum listing_group group);
/* Of one tracepoint all fields are shown, of several (unless it is wanted) only the numbers. */
void listing_print(FILE *out, const struct listing *listing, bool has_fields, size_t columns);
/* An object with an array for each group. */
void listing_json(FILE *out, const struct listing *listing);
void listing_clear(struct listing *listing);

#endif
