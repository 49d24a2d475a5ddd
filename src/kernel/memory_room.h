/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory a recording may take here without harm to others: of what the machine has
 * available and what is left in this process's cgroup and all above it, to which the kernel charges
 * tables, too. A process of others that dies for want of memory is worse than a smaller table.
 */
#ifndef DWELL_KERNEL_MEMORY_ROOM_H
#define DWELL_KERNEL_MEMORY_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "util/why.h"

struct memory_room {
	uint64_t bytes; /* UINT64_MAX: nobody says */
	bool is_of_cgroup;
};

/* Where it is read from; tests have files of their own. */
struct memory_files {
	const char *meminfo;
	const char *cgroup;
	const char *mountinfo;
};

extern const struct memory_files memory_files_of_proc;

void memory_room_read(const struct memory_files *files, struct memory_room *ret);
/* Where that is, for a sentence about it. */
const char *memory_room_place(const struct memory_room *room);
/* The most that all tables together may take of it. */
uint64_t memory_room_for_tables(const struct memory_room *room);
/*
 * What the tables get: what is wanted, or less if that cannot be had. -ENOMEM if it is_asked for
 * and cannot be had, or if not even the smallest tables can; why tells what is possible.
 */
int memory_room_take(const struct memory_room *room, uint64_t wanted_bytes, bool is_asked,
	uint64_t *ret_bytes, struct why *why);

#endif
