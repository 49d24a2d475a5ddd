/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the kernel side's object share: kernel.c is its life, kernel_configure.c and
 * kernel_chains.c set it up before it is loaded, kernel_tables.c reads what the programs sum up,
 * kernel_threads.c what they say of each thread. Private to these.
 */
#ifndef DWELL_CAPTURE_KERNEL_PRIVATE_H
#define DWELL_CAPTURE_KERNEL_PRIVATE_H

#include "capture/kernel.h"
#include "capture/sizes.h"

/* Rows that one call moves out of a table. */
#define KERNEL_BATCH_ROWS 8192

struct kernel {
	struct dwell *skeleton; /* of dwell.skel.h */
	struct table_sizes sizes;
	uint32_t sample_hz;
	const char *sample_event;
	int cpus;
	int active;
	struct unwind_areas areas; /* mapped when first asked for */
	VEC(struct bpf_link *) links;
	struct sum_key *keys; /* KERNEL_BATCH_ROWS */
	struct sum *sums;
	uint32_t depth;
	char *waits; /* KERNEL_BATCH_ROWS values */
};

/* Sizes, targets and options, before the programs are loaded. symbols may be NULL. */
int kernel_configure(struct kernel *kernel, const struct capture_options *options,
	const struct kernel_symbols *symbols, struct why *why);
/* What kernel_unwind_areas() mapped. */
void kernel_unmap_areas(struct kernel *kernel);

#endif
