/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What dwell hears of: functions that do nothing, on which it sets uprobes. They are exported,
 * begin with a nop that the kernel emulates under a uprobe, and are called by nobody else. What
 * they are told, and in which order, is the contract between this library and dwell:
 *
 * A block's allocation is told after it was made and before the program has its address, its end
 * before the allocator has it back. So no two living blocks of one address are ever told of.
 */
#ifndef DWELL_PRELOAD_HOOKS_H
#define DWELL_PRELOAD_HOOKS_H

#include <stddef.h>

/* Calls from within the library are direct: nobody is to come in between. */
#define DWELL_HOOK __attribute__((visibility("protected")))

enum dwell_alloc_how {
	DWELL_ALLOC_WORKS = 1,
	DWELL_ALLOC_OTHER_FIRST = 2, /* the program has a malloc that comes before ours */
};

/* A block that was sampled: it stands for `allocations` of its size. A size of 0 is told as 1. */
DWELL_HOOK void dwell_alloc_sampled(void *address, size_t size, size_t allocations);

/* Told next for a sampled block that found no room in the set: its end will not be told. */
DWELL_HOOK void dwell_alloc_untracked(void *address);

/* The end of a sampled block, or that realloc() gives it another size. */
DWELL_HOOK void dwell_free_sampled(void *address);

/* Once for each process image, before anything is sampled. A fork is not told. */
DWELL_HOOK void dwell_alloc_process(unsigned long how);

#endif
