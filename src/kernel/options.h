/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be recorded, and how: asked on the command line, carried out by the kernel side. */
#ifndef DWELL_KERNEL_OPTIONS_H
#define DWELL_KERNEL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/contract.h"
#include "kernel/call.h"
#include "kernel/event.h"
#include "kernel/memory.h"

/* What a start is doing, in the order of it. */
enum start_stage {
	START_HELPERS,  /* processes that read what belongs to others */
	START_PROGRAMS, /* loads them into the kernel, which verifies them */
	START_TABLES,   /* waits for unwind tables: files that are read, of those that are known */
	START_THREADS,  /* reads which threads there are, and their names */
	START_SLEEPERS, /* walks the stacks of those who sleep */
};

struct capture_options {
	enum target_kind target;
	const uint32_t *ids; /* TARGET_PIDS, TARGET_TIDS, TARGET_COMMAND */
	size_t id_count;
	/* /proc/ID of each, held since it was named, or -1; NULL: none. Numbers are given again. */
	const int *id_folders;
	uint32_t command_pid; /* of a command that we started, target or not; 0: none */
	const char *comm_glob;
	const char *cgroup;
	bool has_user_threads;
	bool has_kernel_threads;
	uint64_t min_wait_ns; /* waits outside keep their time, not their stacks */
	uint64_t max_wait_ns;
	uint32_t sample_hz;         /* 0: no sampling */
	const struct event *events; /* to count beside time */
	size_t event_count;
	struct memory_options memory; /* some of these events are of memory */
	struct call_options calls;    /* to take apart */
	uint64_t slice_ns;
	uint64_t memory_bytes; /* for all tables */
	bool is_memory_asked;  /* by the user: not to be had is an error, else it gets less */
	enum user_stacks user_stacks;
	bool has_cache;       /* keep unwind tables on disk */
	bool has_stacks;      /* false: only time is counted */
	bool has_self;        /* record dwell too */
	uint64_t duration_ns; /* the window's length at most, 0: until stopped */
	uint32_t depth;       /* hops kept of each chain of wakers; 0: no chains */
	bool has_time_stacks; /* false: only events have stacks */
	bool has_awaited;     /* note what waits are for */
	uint32_t audit_every; /* of the stacks known without a walk one is walked, too; 0: none */
	double budget; /* share of the machine's CPU time that a recording may cost; 0: any */
	uint64_t waker_stacks_from_ns; /* wakers of shorter waits get no stack */
	uint64_t hurried_ns; /* the start was urgent before, so long; it is so for a second at most
			      */
	/* Asked until the window is open: true ends the start. NULL: it is not to be ended. */
	bool (*is_stopped)(void *context);
	void *stop_context;
	/* Told what the start is doing, and how far it is (0 of 0: unknown); NULL: nobody is. */
	void (*on_stage)(void *context, enum start_stage stage, size_t done, size_t all);
	void *stage_context;
	/* For the recording's meta table. */
	const char *target_text;
	const char *command_line;
};

/* Smallest and largest values that make sense for slice_ns, memory_bytes and sample_hz. */
#define CAPTURE_MIN_SLICE_NS 1000000ULL
#define CAPTURE_MIN_MEMORY (8ULL << 20)
#define CAPTURE_MAX_HZ 10000
#define CAPTURE_DEFAULT_DEPTH 8
#define CAPTURE_DEFAULT_AUDIT 256
#define CAPTURE_MIN_BUDGET 0.001
#define CAPTURE_MAX_BUDGET 0.5

#endif
