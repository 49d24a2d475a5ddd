/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes lessons from the kernel side and gives it rules: see kernel/frame_rules.h. */
#ifndef DWELL_KERNEL_LESSONS_H
#define DWELL_KERNEL_LESSONS_H

#include "kernel/frame_rules.h"
#include "kernel/options.h"

struct dwell; /* the skeleton */
struct lessons;

/* Before loading. False: kernel stacks are the unwinder's, whatever is known of kernel text. */
bool lessons_configure(
	struct dwell *skeleton, const struct capture_options *options, uint32_t ring_bytes);
/*
 * After loading. *ret is NULL if too little is known of kernel text: then the unwinder has all
 * stacks, too. -errno if the tables cannot be had.
 */
int lessons_new(struct dwell *skeleton, const struct kernel_symbols *symbols,
	const struct kernel_text *text, struct lessons **ret);
void lessons_free(struct lessons *lessons);
/* Learns what has come since; to be called by one thread at a time. */
void lessons_take(struct lessons *lessons);

#endif
