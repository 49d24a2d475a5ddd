/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the kernel side's object share: kernel.c is its life, configure.c and
 * configure_chains.c set it up before it is loaded, sets.c makes the tables of rows and lets them
 * grow, tables.c reads what the programs sum up there, areas.c has the tables of user stacks,
 * events.c reads what the programs count, threads.c what they say of each thread. Private to these.
 */
#ifndef DWELL_KERNEL_PRIVATE_H
#define DWELL_KERNEL_PRIVATE_H

#include <pthread.h>

#include "kernel/allocators.h"
#include "kernel/calls.h"
#include "kernel/event_place.h"
#include "kernel/kernel.h"
#include "kernel/kernel_text.h"
#include "kernel/sizes.h"
#include "util/background.h"

/* Rows that one call moves out of a table. */
#define KERNEL_BATCH_ROWS 8192

enum table_kind { TABLE_SUMS, TABLE_COARSE, TABLE_WAITS, TABLE_KINDS };

/* Of each kind two tables, which are filled and emptied in turn; one has the number `slot`. */
struct table_set {
	int fds[TABLE_KINDS][2];
	_Atomic uint32_t rows[TABLE_KINDS];
};

#define KERNEL_SLOTS 4

/* See memory.c. */
#define MEMORY_HOOKS 4
#define MEMORY_CALLS 4

/* One of the arrays of user stacks. */
struct chunked_area {
	char *at;               /* address space for all of it */
	uint32_t first;         /* number of its first chunk, in the map of all */
	uint32_t most;          /* chunks */
	_Atomic uint32_t count; /* chunks that are there */
};

/* Chunks that are made, and not yet where the programs look. */
struct new_chunks {
	VEC(uint32_t) numbers;
	VEC(int) fds;
};

struct kernel {
	struct dwell *skeleton;   /* of dwell.skel.h */
	bool has_loads;           /* see open.h */
	struct table_sizes sizes; /* to begin with */
	struct table_sizes most;
	struct helpers *makers; /* borrowed; NULL: tables do not grow */
	struct table_set sets[KERNEL_SLOTS / 2];
	_Atomic int other_set;   /* that is not in use */
	_Atomic int other_state; /* see sets.c */
	uint32_t wanted_rows[TABLE_KINDS];
	_Atomic bool is_ending;    /* nobody will need larger tables */
	_Atomic bool has_no_maker; /* the one with the right to make tables is gone */
	struct background grower;
	struct chunked_area chunked[UNWIND_AREAS];
	struct new_chunks first_chunks;
	struct background chunk_putter; /* of these */
	struct background type_reader;
	struct btf *types; /* of the kernel; NULL: not known, or not needed any more */
	struct kernel_text text;
	unsigned int uses;       /* of programs, enum program_use: what is needed */
	struct lessons *lessons; /* NULL: kernel stacks are the unwinder's */
	const char *sample_event;
	int cpus;
	int active;                /* slot */
	struct unwind_areas areas; /* mapped when first asked for */
	VEC(struct bpf_link *) links;
	VEC(int) link_fds;  /* of links that libbpf does not know */
	pthread_t detacher; /* has the links */
	bool is_detaching;
	struct sum_key *keys; /* KERNEL_BATCH_ROWS */
	struct sum *sums;
	uint32_t depth;
	char *waits;                           /* KERNEL_BATCH_ROWS values */
	const struct capture_options *options; /* borrowed; measure n is events[n - 1] */
	int active_events;                     /* table that is filled */
	bool has_resting;                      /* the other one is not empty yet */
	struct event_plan plan;
	struct call_plan calls;
	char *call_values;     /* KERNEL_BATCH_ROWS of a table of calls; NULL: none are watched */
	bool has_kernel_multi; /* see call_kernel.h */
	bool has_multi;        /* see uprobes.h */
	int library_fd;        /* the preloaded one's, -1: none; with where its hooks are */
	uint64_t hook_offsets[MEMORY_HOOKS];
	allocator_list allocators; /* of processes that run */
	uint32_t brk_id;           /* of tracepoints */
	uint32_t call_ids[MEMORY_CALLS];
};

/*
 * `count` keys are in kernel->keys and their values where kernel_empty_table() was told to put
 * them, whatever types are declared there: both are of the table's own types.
 */
typedef void (*kernel_batch_fn)(const struct kernel *kernel, uint32_t count, void *context);
/* Takes all rows out of a table, batch by batch: keys into kernel->keys, values into `values`. */
int kernel_empty_table(
	struct kernel *kernel, int fd, void *values, kernel_batch_fn each, void *context);

/*
 * Makes the tables of rows and has them put where the programs will look. Before those are loaded:
 * that takes a while, and so does this.
 */
int kernel_make_set(struct kernel *kernel);
/* They are there now. 0 or -errno. */
int kernel_settle_set(struct kernel *kernel);
/* The same of the first chunks of user stacks' tables, if there are any. */
int kernel_settle_areas(struct kernel *kernel);
void kernel_free_sets(struct kernel *kernel);
/* Of the active table of that kind. */
int kernel_table_fd(const struct kernel *kernel, enum table_kind kind);
uint32_t kernel_table_rows(const struct kernel *kernel, enum table_kind kind);
/* The slot to fill next, which is to be made active. */
int kernel_next_slot(struct kernel *kernel);
/* The tables of the slot are empty, and how full they were is still known: have they to grow? */
void kernel_consider_growth(struct kernel *kernel, int slot);

/* Begins to read the kernel's types, which configuring needs. */
void kernel_read_types(struct kernel *kernel);
void kernel_forget_types(struct kernel *kernel);
/* Sizes, targets and options, before the programs are loaded. */
int kernel_configure(struct kernel *kernel, struct why *why);
/* Makes a map as bpf_object__load() would, which then takes it as it is; `inner_fd`: what the maps
 * in it are like, -1 if there are none. 0 or -errno. */
int kernel_make_map(struct bpf_map *map, int inner_fd);
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
/* All that a tracepoint tells of, on every CPU. 0 or -errno. */
int kernel_attach_tracepoint(
	struct kernel *kernel, struct bpf_program *program, uint32_t id, uint64_t cookie);
/* What of memory is followed: where it is found, before loading; its settings; its programs. */
int kernel_find_memory(struct kernel *kernel, struct outside *outside, struct why *why);
void kernel_configure_memory(struct kernel *kernel);
int kernel_attach_memory(struct kernel *kernel, struct why *why);
void kernel_free_memory(struct kernel *kernel);
/* How full the active table of events is, 0 to 1. */
double kernel_events_fill(const struct kernel *kernel);
/* The same of calls, see calls.c; their settings; their tables of that number, which are emptied.
 */
double kernel_calls_fill(const struct kernel *kernel);
void kernel_configure_calls(struct kernel *kernel);
int kernel_empty_calls(struct kernel *kernel, uint32_t table, struct kernel_call_rows *rows);
/* Are there programs that claim slots of a CPU: of events, or of calls? */
bool kernel_has_claims(const struct kernel *kernel);
/* What kernel_unwind_areas() has mapped. */
void kernel_unmap_areas(struct kernel *kernel);

#endif
