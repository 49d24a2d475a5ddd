/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of one process that can be written to, or that it shares, by what it is: heap, stack,
 * a shared mapping, data of a file, nothing in particular. It is what can be said of an address
 * that no symbol is known for. A copy of what /proc/PID/maps said at one moment.
 */
#ifndef DWELL_SYMBOL_REGIONS_H
#define DWELL_SYMBOL_REGIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum region_kind {
	REGION_HEAP,  /* the one of brk(2); malloc(3) has others, which are anonymous */
	REGION_STACK, /* of the first thread; those of others are anonymous */
	REGION_ANONYMOUS,
	REGION_SHARED, /* text: its path, "" if it has none */
	REGION_FILE,   /* private; text: the name of the file without its folder */
};

struct region {
	enum region_kind kind;
	const char *text; /* borrowed from the table */
};

struct errands;
struct regions;

/* Reads /proc/PID/maps. 0, -ESRCH if the process is gone or has no memory of its own, -errno. */
int regions_read(struct errands *errands, uint32_t pid, struct regions **ret);
/* The same from its text, which may hold anything: what is too much of it is left out. */
struct regions *regions_parse(FILE *in);
/* NULL is allowed. */
void regions_free(struct regions *regions);

bool regions_find(const struct regions *regions, uint64_t address, struct region *ret);

#endif
