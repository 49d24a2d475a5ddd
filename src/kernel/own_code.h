/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine code of dwell's own programs, and how it is kept out of kernel stacks. A sample may
 * hit one of them, or what it called, or the kernel's glue between the tracepoint and it; that time
 * belongs to the function that hit the tracepoint. Programs of other tools stay visible.
 */
#ifndef DWELL_KERNEL_OWN_CODE_H
#define DWELL_KERNEL_OWN_CODE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/kernel.h"
#include "util/vec.h"

struct code_range {
	uint64_t start;
	uint64_t end;
};

/* Zeroed: none, as where the kernel hides addresses. */
struct own_code {
	VEC(struct code_range) ranges; /* one for each program and subprogram */
	struct code_range all;         /* from the first to the last of them */
};

void own_code_add(struct own_code *own, uint64_t start, uint64_t bytes);
void own_code_clear(struct own_code *own);
bool own_code_has(const struct own_code *own, uint64_t address);

/*
 * The address at which a frame's function is looked up. All but a sample's own are return
 * addresses, which may lie behind the function's end; but a sample in a thunk finds where it is
 * going to jump. symbols may be NULL.
 */
uint64_t kernel_frame_place(
	const struct kernel_symbols *symbols, const __u64 *frames, size_t index);

/*
 * Which of the frames (leaf first, from `first` on) are not the tracer's: puts their indexes into
 * `kept`, which has room for `depth`, and returns their number. An interrupt that came upon a
 * program is none of its doing and stays. Glue without any program beside it is taken for ours: it
 * is a few instructions, and whose they are cannot be told. Either of own and symbols may be NULL.
 */
size_t own_code_cut(const struct own_code *own, const struct kernel_symbols *symbols,
	const __u64 *frames, size_t first, size_t depth, uint32_t *kept);

#endif
