/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of bpf/unwind.bpf.h in user space, on the same tables: for threads that were asleep
 * before the kernel side could see them, and for tests.
 */
#ifndef DWELL_UNWIND_HOST_WALK_H
#define DWELL_UNWIND_HOST_WALK_H

#include "contract/walk.h"
#include "unwind/tables.h"

/* A thread's registers. */
struct unwind_registers {
	uint64_t pc;
	uint64_t sp;
	uint64_t fp;
	uint64_t first_argument;
	uint64_t bx;
	/* Return addresses that uretprobes took off the stack, innermost first; borrowed. */
	const struct unwind_taken *taken;
	size_t taken_count;
};

/* Reads a thread's memory: 0, or not if it cannot be read. */
struct unwind_memory {
	int (*read)(void *context, uint64_t address, void *to, size_t bytes);
	void *context;
};

/*
 * Walks a stack by a map of mappings. ret has frames, depth, stop, image and id as if the kernel
 * side had sent it.
 */
void unwind_host_walk(const struct unwind_areas *areas, const struct unwind_process *map,
	uint32_t image, const struct unwind_registers *registers,
	const struct unwind_memory *memory, struct walk *ret);

#endif
