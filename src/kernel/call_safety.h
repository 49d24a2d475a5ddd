/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May the kernel take a function's return address off the stack to see it return (a uretprobe)? It
 * costs little, and ends programs whose exceptions pass through the function, whose stacks take
 * turns, or that look at the address. Where that cannot be ruled out, calls are seen to end at the
 * function's own returns.
 */
#ifndef DWELL_KERNEL_CALL_SAFETY_H
#define DWELL_KERNEL_CALL_SAFETY_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/unwinds.h"
#include "kernel/event_file.h"

struct capture_options;
struct outside;

/* Of the whole target. */
struct call_safety {
	bool is_trusted;   /* the user says that nothing passes through C */
	uint32_t only_pid; /* probes are in this process, its forked children and what it executes
			      alone; 0: in all that have the file */
	bool is_plain;     /* it is of C, all of it, and loads no other code */
	uint64_t device;   /* its program */
	uint64_t inode;
};

/* has_multi: see uprobes.h. */
void call_safety_init(struct call_safety *safety, const struct capture_options *options,
	bool has_multi, struct outside *outside);
/* May returns be taken in functions of that file, which is itself of that kind? */
bool call_safety_of_file(
	const struct call_safety *safety, const struct event_file *file, enum elf_unwinds kind);
/* And in the one of that name? */
bool call_safety_of_function(const char *name);

#endif
