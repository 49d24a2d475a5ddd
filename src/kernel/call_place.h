/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where calls begin and end: what is asked for becomes functions, and each of these places at which
 * probes are to be. Found before the programs are loaded, as event_place.h does, because a slip of
 * the person who asks is to be told before anything else is done.
 */
#ifndef DWELL_KERNEL_CALL_PLACE_H
#define DWELL_KERNEL_CALL_PLACE_H

#include "kernel/call.h"
#include "kernel/call_safety.h"

struct outside;

/* What is watched. Texts are owned. */
struct call_function {
	char *name;  /* of the recording: "libssl:SSL_read", "syscall:fsync", "k:vfs_read" */
	char *file;  /* its path; "" without one */
	char *alias; /* another name by which it was asked for, too; NULL: none */
	enum call_kind kind;
	uint32_t request; /* index */
	uint64_t device;  /* and inode of the file: it may have several names */
	uint64_t inode;
	uint64_t offset;      /* where it begins, in the file; the number of a system call */
	uint8_t rule;         /* the condition of its argument, counted from 1; 0: none */
	uint8_t stepped;      /* of its beginning and end: so many the kernel has to step */
	bool is_by_returns;   /* its end is seen at its own instructions */
	bool has_unseen_ends; /* it may be left by jumps that are not probed */
};

enum call_probe { CALL_PROBE_LEAVE, CALL_PROBE_RETURN, CALL_PROBE_BEGIN, CALL_PROBES };

struct call_place {
	uint32_t function; /* index */
	enum call_probe probe;
	int fd; /* of the file; borrowed from the plan */
	uint64_t offset;
	uint64_t semaphore;
	uint64_t cookie; /* contract/call.h */
};

struct call_plan {
	VEC(struct call_function) functions;
	VEC(struct call_place) places; /* in user code */
	VEC(int) fds;
	struct event_rule *rules; /* borrowed; and how many of them there are */
	uint32_t *rule_count;
	size_t left_out;           /* functions of patterns whose code could not be understood */
	struct call_safety safety; /* set by the caller */
};

/*
 * Rules go behind those that there are. 0, or -errno with why; the caller clears the plan in any
 * case; all zero is a valid empty one.
 */
int call_plan_make(const struct call_options *options, struct outside *outside,
	struct call_plan *plan, struct why *why);
void call_plan_clear(struct call_plan *plan);

#endif
