/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that are to be watched, as they are asked for: each word may mean many functions. Which
 * these are is found out before anything is loaded (call_place.h).
 */
#ifndef DWELL_KERNEL_CALL_H
#define DWELL_KERNEL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/event.h"
#include "model/call.h"
#include "util/vec.h"
#include "util/why.h"

#define CALL_USUAL_PERCENTILE 990000

/* All texts are owned. */
struct call_request {
	enum call_kind kind;
	char *text;     /* as it was asked for */
	char *path;     /* functions and marks: the file, as it was given */
	char *group;    /* marks: the provider */
	char *function; /* its name, or a pattern with * and ?; of marks the one it begins at */
	char *end;      /* of marks the one it ends at */
	/* --if: one of its arguments is tested, "arg1" to "arg6"; NULL: each call counts. */
	char *tested;
	char *test; /* as it was written */
	enum event_condition condition;
	int64_t limit;
	/* --slower: calls from there on are slow, in ns; or above that many millionths of them. */
	uint64_t slow_from_ns;
	uint32_t slow_percentile; /* 0: by time */
};

typedef VEC(struct call_request) call_requests;

/* For help texts, which are literals. */
#define CALL_NAMES                                                                                 \
	"libssl:SSL_read, /usr/bin/PROGRAM:FUNCTION, syscall:fsync, k:vfs_read, "                  \
	"usdt:FILE:PROVIDER:BEGIN,END; * and ? stand for more"

/*
 * "FILE:FUNCTION" (or "uprobe:FILE:FUNCTION"), "FUNCTION" alone of `program` (a path, for targets
 * of one program; NULL: not to be had), "syscall:NAME", "k:FUNCTION" (or "kprobe:"), or
 * "usdt:FILE:PROVIDER:BEGIN[,END]", where END is looked for if it is not given. Slow is what is
 * above p99, until call_set_slower(). 0, or -EINVAL with why.
 */
int call_parse(const char *text, const char *program, struct call_request *ret, struct why *why);
void call_clear(struct call_request *request);
/* "10ms", or "p99", "p99.9". 0, or -EINVAL with why. */
int call_set_slower(struct call_request *request, const char *text, struct why *why);
/* "arg1>=4096". 0, or -EINVAL with why. */
int call_set_condition(struct call_request *request, const char *text, struct why *why);

/* What is asked for altogether. */
struct call_options {
	const struct call_request *requests; /* borrowed */
	size_t count;
	double most_cost;      /* share of the target's CPU time that watching may take */
	bool is_forced;        /* whatever it takes */
	bool may_take_returns; /* the user says that nothing would miss them: call_safety.h */
};

#endif
