/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a process's memory is followed, and what the kernel side has of it in the end. */
#ifndef DWELL_KERNEL_MEMORY_H
#define DWELL_KERNEL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/event.h"
#include "util/vec.h"
#include "util/why.h"

struct kernel;

/* The library's function that tells of a block. */
#define ALLOCATION_HOOK "dwell_alloc_sampled"

struct memory_options {
	bool has_allocations;
	bool has_growth; /* of address spaces, and how much is resident */
	/* One byte in so many is looked at, with the block that it is in; 1: every block. */
	uint64_t period_bytes;
	/* The library that COMMAND is started with; NULL: the allocators of the processes that are
	 * the target are watched. */
	const char *library;
	/* Of the processes' CPU time, that watching their allocators may cost. */
	double most_cost;
};

/* What a process said of its allocator when it began. */
enum preload_kind {
	PRELOAD_SILENT,   /* nothing: the library is not in it */
	PRELOAD_WORKS,    /* what dwell_alloc_process() is given then */
	PRELOAD_SHADOWED, /* it has an allocator of its own, before the library's */
};

struct kernel_allocation {
	struct allocation_key key;
	struct allocation block;
};

typedef VEC(struct kernel_allocation) kernel_allocations;

/* Programs that are needed, of enum program_use. */
unsigned int memory_uses(const struct memory_options *options);

/* What a call takes longer where a probe is, as measured now; where the kernel steps what is there.
 */
uint64_t kernel_trap_ns(struct kernel *kernel, bool is_stepped);
/* Calls of allocators, and those of them that the kernel steps. */
struct allocator_calls {
	uint64_t all;
	uint64_t dear;
};
/* Calls of those that are watched while wait(context) runs, without stacks. 0 or -errno with why.
 */
int kernel_count_allocator_calls(struct kernel *kernel, void (*wait)(void *context), void *context,
	struct allocator_calls *ret, struct why *why);
/* The blocks that have not been freed; for when nobody writes any more. 0 or -errno. */
int kernel_take_allocations(struct kernel *kernel, kernel_allocations *ret);
/* Of so many there is room. */
uint32_t kernel_allocation_room(const struct kernel *kernel);
/* The same of some images only, while others are written: of such whose process is gone. */
typedef bool (*kernel_image_fn)(uint32_t image, void *context);
int kernel_take_allocations_of(
	struct kernel *kernel, kernel_image_fn is_wanted, void *context, kernel_allocations *ret);
enum preload_kind kernel_allocator_of(const struct kernel *kernel, uint32_t image);
/* Blocks whose free would not be told, and events with numbers that nobody can believe. */
void kernel_memory_counts(const struct kernel *kernel, uint64_t *ret_untracked, uint64_t *ret_odd);

#endif
