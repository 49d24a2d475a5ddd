/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a recording session that is about memory: --alloc and --growth. */
#ifndef DWELL_CAPTURE_CAPTURE_MEMORY_H
#define DWELL_CAPTURE_CAPTURE_MEMORY_H

#include <stdint.h>

#include "util/why.h"

struct capture;

/*
 * What watching the allocators of processes that run would cost, before anything is watched: their
 * calls are counted for a moment. 0; -EDQUOT with why if it would be more than may be.
 */
int capture_price_allocations(struct capture *capture, struct why *why);
/* Books of what lives, if allocations are followed. */
void capture_begin_heap(struct capture *capture);
/* When all threads are closed: what was not freed. 0 or -errno. */
int capture_end_heap(struct capture *capture);
/* Blocks of processes that ended are written, if there are many, so that others find room. */
void capture_trim_heap(struct capture *capture);
/* What is resident now, as of the last slice that was written. */
void capture_write_resident(struct capture *capture);

#endif
