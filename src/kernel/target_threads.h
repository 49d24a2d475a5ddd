/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many threads a recording begins with, where that is known. */
#ifndef DWELL_KERNEL_TARGET_THREADS_H
#define DWELL_KERNEL_TARGET_THREADS_H

#include "kernel/options.h"

/* Of the processes or threads that are named; 0: anybody may become a target, or many soon. */
uint32_t target_threads(const struct capture_options *options);

#endif
