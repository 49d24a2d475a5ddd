/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which context a wake was made, from the kernel frames of its stack: by a thread, by an
 * interrupt that hit one, by a timer. Exceptions (page faults) are the thread's own doing. Private
 * to src/format/.
 */
#ifndef DWELL_FORMAT_WAKER_H
#define DWELL_FORMAT_WAKER_H

#include "format/stack_table.h"
#include "model/hop.h"

struct waker {
	enum hop_kind kind;
	const char *name; /* of metal, "" if it is not told; borrowed from the table */
	size_t first;     /* of the frames that are the waker's: behind the tracer's own... */
	size_t end;       /* ...and, for metal, before what was interrupted */
};

/*
 * frames: leaf first; count 0: the trace has no stacks. is_idle: the CPU had nothing to run, so
 * whatever woke somebody came from outside.
 */
struct waker waker_of_stack(
	const struct stack_table *table, const uint32_t *frames, size_t count, bool is_idle);

#endif
