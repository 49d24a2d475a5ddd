/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the kernel side that follows wakers: its tables, symbols and programs. */
#ifndef DWELL_CAPTURE_KERNEL_CHAINS_H
#define DWELL_CAPTURE_KERNEL_CHAINS_H

#include "capture/capture.h"
#include "capture/sizes.h"
#include "symbol/kernel.h"

struct dwell; /* the skeleton */
struct bpf_program;

/* Before loading: what depth needs is made, the rest is left out. symbols may be NULL. */
void chains_configure(struct dwell *skeleton, const struct capture_options *options, uint32_t depth,
	const struct table_sizes *sizes, const struct kernel_symbols *symbols);
/* The programs that only chains need, one after the other; NULL at the end. */
struct bpf_program *chains_program(const struct dwell *skeleton, size_t index);

#endif
