/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the kernel side's object share: kernel.c is its life, configure.c and
 * configure_chains.c set it up before it is loaded, tables.c reads what the programs sum up,
 * events.c what they count, threads.c what they say of each thread. Private to these.
 */
#ifndef DWELL_KERNEL_PRIVATE_H
#define DWELL_KERNEL_PRIVATE_H

#include <pthread.h>

#include "kernel/kernel.h"
#include "kernel/kernel_text.h"
#include "kernel/sizes.h"

/* Rows that one call moves out of a table. */
#define KERNEL_BATCH_ROWS 8192

struct kernel {
	struct dwell *skeleton; /* of dwell.skel.h */
	struct table_sizes sizes;
	struct kernel_text text;
	struct late *late;       /* NULL: all programs are in the skeleton */
	struct lessons *lessons; /* NULL: kernel stacks are the unwinder's */
	const char *sample_event;
	int cpus;
	int active;
	struct unwind_areas areas; /* mapped when first asked for */
	VEC(struct bpf_link *) links;
	pthread_t detacher; /* has the links */
	bool is_detaching;
	struct sum_key *keys; /* KERNEL_BATCH_ROWS */
	struct sum *sums;
	uint32_t depth;
	char *waits;                           /* KERNEL_BATCH_ROWS values */
	const struct capture_options *options; /* borrowed; measure n is events[n - 1] */
	int active_events;                     /* table that is filled */
	bool has_resting;                      /* the other one is not empty yet */
};

/*
 * `count` keys are in kernel->keys and their values where kernel_empty_table() was told to put
 * them, whatever types are declared there: both are of the table's own types.
 */
typedef void (*kernel_batch_fn)(const struct kernel *kernel, uint32_t count, void *context);
/* Takes all rows out of a table, batch by batch: keys into kernel->keys, values into `values`. */
int kernel_empty_table(struct kernel *kernel, struct bpf_map *table, void *values,
	kernel_batch_fn each, void *context);

/* Sizes, targets and options, before the programs are loaded. symbols may be NULL. */
int kernel_configure(struct kernel *kernel, const struct kernel_symbols *symbols, struct why *why);
/* Sizes the tables of user stacks, if there are any, and makes them: loading takes them as they
 * are. 0 or -errno. */
int kernel_make_unwind_tables(struct kernel *kernel);
/* A barrier behind which no CPU has rows that are not in the tables; those that it had are in this
 * one. */
int kernel_let_go(struct kernel *kernel, int table);
/* Where attaching to perf events failed, and why. */
struct perf_failure {
	int cpu;
	int error;
};

/* To a perf event of its own for each CPU that is online. 0, -EPERM or -ENOTSUP. */
int kernel_attach_perf(struct kernel *kernel, struct bpf_program *program,
	struct perf_event_attr *attr, uint64_t cookie, struct perf_failure *ret);
/* How full the active table of events is, 0 to 1. */
double kernel_events_fill(const struct kernel *kernel);
/* What kernel_unwind_areas() mapped. */
void kernel_unmap_areas(struct kernel *kernel);

#endif
