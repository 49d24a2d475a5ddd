/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Giving up rights that are no longer needed. What was given up does not come back. */
#ifndef DWELL_UTIL_RIGHTS_H
#define DWELL_UTIL_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

/* A set of capabilities: RIGHT(CAP_SYSLOG) | ..., with the numbers of linux/capability.h. */
#define RIGHT(capability) (1ULL << (capability))

/*
 * Keeps of the calling thread's capabilities only those in the set, and sees to it that no program
 * that it might execute gains any. 0 or -errno; giving up what one does not have is no error.
 */
int rights_keep(uint64_t set);

/* May the calling thread use it now? */
bool rights_has(int capability);

#endif
