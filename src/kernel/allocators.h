/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The allocators of processes that run: every mapped file that defines malloc(), with the functions
 * in it that allocate and free.
 */
#ifndef DWELL_KERNEL_ALLOCATORS_H
#define DWELL_KERNEL_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/event.h"
#include "util/vec.h"
#include "util/why.h"

struct outside;

/* In the order in which they are attached. */
enum allocator_role {
	ALLOCATOR_FREES,
	ALLOCATOR_RETURNS,
	ALLOCATOR_CALLED,
	/* What C++ may throw through: a probe on its return would end the program then. */
	ALLOCATOR_CALLED_ONLY,
	ALLOCATOR_ROLES,
};

struct allocator_place {
	uint64_t offset; /* in the file */
	enum allocator_role role;
	enum allocation_call call;
	bool is_dear; /* the kernel steps what is there, which takes ten times as long and more */
};

/* One file in one process. */
struct allocator {
	uint32_t pid;
	int fd;
	char *path;
	VEC(struct allocator_place) places;
};

typedef VEC(struct allocator) allocator_list;

/* 0, or -errno with why: also if none of them has an allocator that can be watched. */
int allocators_find(const uint32_t *pids, size_t count, struct outside *outside,
	allocator_list *ret, struct why *why);
void allocators_clear(allocator_list *allocators);

#endif
