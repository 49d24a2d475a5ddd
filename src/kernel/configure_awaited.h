/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up the noting of what threads wait for. */
#ifndef DWELL_KERNEL_CONFIGURE_AWAITED_H
#define DWELL_KERNEL_CONFIGURE_AWAITED_H

#include "kernel/options.h"
#include "kernel/sizes.h"

struct dwell; /* the skeleton */

/*
 * Before loading: how each system call says what it waits for, and tables; without --awaited none
 * are made. Which programs may be needed, as enum program_use.
 */
unsigned int awaited_configure(struct dwell *skeleton, const struct capture_options *options,
	const struct table_sizes *sizes);

#endif
