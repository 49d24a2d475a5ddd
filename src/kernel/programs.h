/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of bpf/ that run by themselves, one row each: where they hook in, what they are good
 * for, and what their time is counted by. Loading, attaching, `dwell check` and the figures of cost
 * follow from this table. Programs that user space runs itself are in it only if not every
 * recording needs them.
 */
#ifndef DWELL_KERNEL_PROGRAMS_H
#define DWELL_KERNEL_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/contract.h"

struct btf;
struct bpf_object;
struct bpf_program;

/* What a recording asks for; a program is loaded if its use is asked for. */
enum program_use {
	USE_BOOKS = 1 << 0,        /* every recording */
	USE_WAKERS = 1 << 1,       /* names of wakers */
	USE_BARE_VECTORS = 1 << 2, /* the same where stacks do not tell */
	USE_SAMPLES = 1 << 3,
	USE_SLEEPERS = 1 << 4,      /* stacks walked later, by table */
	USE_RULES = 1 << 6,         /* kernel stacks by learnt rules */
	USE_BARE_SOFTIRQS = 1 << 7, /* names of softirqs where stacks do not tell */
	USE_QUEUES = 1 << 8,        /* who had the CPU that a thread was ready for */
	USE_AWAITED = 1 << 9,       /* what threads waited for */
	/* Calls that are taken apart; attached by kernel_attach_calls(). */
	USE_USER_CALLS = 1 << 10,
	USE_SYSTEM_CALLS = 1 << 11,
	USE_KERNEL_CALLS = 1 << 12,
	USE_CALLS = 7 << 10,
	/* What is counted beside time; attached by kernel_attach_events(). Each kind of event has a
	 * use of its own: USE_OF_EVENT(). */
	USE_ALLOC_HOOKS = 1 << 16, /* of the preloaded library */
	USE_ALLOC_CALLS = 1 << 17, /* of allocators in processes that run already */
	USE_GROWTH = 1 << 18,      /* of address spaces */
	USE_OF_EVENTS = 0x7fff << 16,
};

/* By enum event_kind. */
#define USE_OF_EVENT(kind) (1 << (20 + (kind)))

struct program {
	const char *name;
	const char *hook; /* the tracepoint; NULL: it is run or attached by its user */
	enum program_use use;
	const char *gives; /* for `dwell check`; NULL: it goes with another one */
	enum counter runs; /* runs in the window, and those that timed themselves; both 0: none */
	enum counter timed;
};

/* In the order in which they are attached; NULL at the end. */
const struct program *programs_at(size_t index);

/* The id of a tracepoint's type, as for its attach_btf_id; not above 0 if the kernel does not have
 * it, or btf is NULL. */
int programs_find_hook(const struct btf *btf, const char *hook);
/* Before loading: what `uses` asks for and this kernel has a hook for is loaded; btf is its
 * own, or NULL. */
void programs_choose(struct bpf_object *object, unsigned int uses, const struct btf *btf);
/* Unloads what is of none of these uses. */
void programs_keep(const struct bpf_object *object, unsigned int uses);
/* The loaded ones that have a hook, one after the other: *index is moved on; NULL at the end. */
struct bpf_program *programs_next(const struct bpf_object *object, size_t *index);

/*
 * Time inside the programs: runs of each times the mean of those that timed themselves. Of events,
 * which a recording may have or not, apart from the others.
 */
uint64_t programs_ns(const uint64_t counters[static COUNTERS], bool of_events);

#endif
