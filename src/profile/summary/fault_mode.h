/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In whose name an event happened. Where a page fault was taken: by the program itself, or by the
 * kernel on its behalf, as when a system call copies to memory that nobody has touched. The kernel
 * stack says it: below the entry of the exception, towards the root, there is nothing in the first
 * case and a system call or an interrupt in the second.
 */
#ifndef DWELL_PROFILE_SUMMARY_FAULT_MODE_H
#define DWELL_PROFILE_SUMMARY_FAULT_MODE_H

#include <stdbool.h>

#include "recording/reader.h"

enum fault_mode {
	FAULT_IN_USER,
	FAULT_IN_KERNEL,
	FAULT_UNTOLD, /* the kernel stack was lost */
	FAULT_MODES,
};

/* "user", "kernel", "untold" */
const char *fault_mode_name(enum fault_mode mode);
enum fault_mode fault_mode_of(const struct recording *recording, const struct rec_stacks *stacks);

/* Did it happen in an interrupt? Then the thread is the one that was running, and did nothing. */
bool event_is_in_interrupt(const struct recording *recording, const struct rec_stacks *stacks);

#endif
