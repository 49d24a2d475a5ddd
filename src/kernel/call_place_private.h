/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of finding places share: call_place.c finds functions and system calls,
 * call_place_marks.c marks. Private to these. */
#ifndef DWELL_KERNEL_CALL_PLACE_PRIVATE_H
#define DWELL_KERNEL_CALL_PLACE_PRIVATE_H

#include "kernel/call_place.h"
#include "kernel/event_file.h"

/* What is being placed. */
struct placing {
	struct call_plan *plan;
	const struct call_request *request;
	uint32_t request_index;
	struct outside *outside;
	struct event_file file;
	uint8_t rule; /* counted from 1; 0: none */
};

/* One that is watched already, by another word, is so by that one. Index, or -errno. */
int call_add_function(struct call_plan *plan, const struct call_request *request,
	const struct call_function *function, struct why *why);
void call_add_place(struct call_plan *plan, int function, enum call_probe probe, int fd,
	uint64_t offset, uint64_t semaphore, uint64_t cookie);
/* The request's file; the plan keeps it open. */
int call_open_file(struct call_plan *plan, const struct call_request *request,
	struct outside *outside, struct event_file *ret, struct why *why);
int call_place_marks(struct placing *placing, struct why *why);

#endif
