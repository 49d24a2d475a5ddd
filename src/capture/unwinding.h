/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User stacks by table through the life of a recording: tables of what runs before the first switch
 * is seen, stacks of those who are asleep by then, and stacks in place of those that were walked
 * before their tables were there.
 */
#ifndef DWELL_CAPTURE_UNWINDING_H
#define DWELL_CAPTURE_UNWINDING_H

#include "kernel/drain.h"
#include "kernel/kernel.h"
#include "unwind/loader.h"
#include "capture/namer.h"

struct unwinding;

/* Threads that wait for what there is to read; the options are kept. The start began at begun_ns.
 */
int unwinding_new(struct kernel *kernel, const struct capture_options *options,
	struct outside *outside, uint64_t begun_ns, struct unwinding **ret, struct why *why);
void unwinding_free(struct unwinding *unwinding);

/*
 * Has the files of what runs already read, of all processes or of the target's: by other threads,
 * while programs are loaded.
 */
void unwinding_warm(struct unwinding *unwinding, bool everything);
/*
 * Waits for what was asked for; before programs are attached. Not for long: a window that somebody
 * waits for is opened without tables that are late, which are used as soon as they come. Only the
 * start of a COMMAND waits for all.
 */
int unwinding_wait(struct unwinding *unwinding, struct why *why);
/*
 * All that runs is known by now: its mappings are published, and who sleeps gets a stack. From now
 * on a thread gives those who fall asleep before their process's tables are there their stacks as
 * soon as they are. Their intervals are still open, so that all of them will be on those stacks.
 */
int unwinding_start(struct unwinding *unwinding, struct namer *namer, struct why *why);
/* The same once more, and ends that thread: the window is about to close. */
void unwinding_stop(struct unwinding *unwinding);
/*
 * Puts the stacks found so far to a batch, before it is booked: its rows may be on them, and its
 * threads be theirs.
 */
void unwinding_give(struct unwinding *unwinding, struct batch *batch);

struct loader *unwinding_loader(struct unwinding *unwinding);
/* Time that the start had to wait for tables. */
uint64_t unwinding_took_ns(const struct unwinding *unwinding);

#endif
