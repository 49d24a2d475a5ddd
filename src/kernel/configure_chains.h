/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What has to be said of following wakers before the programs are loaded. */
#ifndef DWELL_KERNEL_CONFIGURE_CHAINS_H
#define DWELL_KERNEL_CONFIGURE_CHAINS_H

#include "kernel/kernel_text.h"
#include "kernel/options.h"
#include "kernel/sizes.h"

struct dwell; /* the skeleton */

/*
 * Before loading: what depth needs is made, the rest is left out. Which programs may be
 * needed, as enum program_use.
 */
unsigned int chains_configure(struct dwell *skeleton, const struct capture_options *options,
	uint32_t depth, const struct table_sizes *sizes);
/* Before attaching. Which of these programs stacks make needless. */
unsigned int chains_set_text(struct dwell *skeleton, const struct capture_options *options,
	const struct kernel_text *text);

#endif
