/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and stacks that were read, each distinct one once, known by small numbers; 0 is the stack
 * without frames. Frames are found again by the text they were read from, so that what repeats is
 * parsed once. All zero is a valid empty table.
 */
#ifndef DWELL_FORMAT_STACK_TABLE_H
#define DWELL_FORMAT_STACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/intern.h"
#include "util/map64.h"
#include "util/vec.h"

/* Texts are numbers in `texts`. */
struct table_frame {
	uint64_t address; /* 0: not told */
	uint64_t offset;  /* in the function */
	uint32_t name;    /* 0: unknown */
	uint32_t object;  /* 0: not told */
	bool is_valid;    /* its source could be read */
	bool is_kernel;
	bool is_inlined;
	bool is_unnamed;  /* its name is what stands for it: "[libc.so.6]", "libc.so.6+0x1a2b" */
	bool is_schedule; /* __schedule() of the kernel */
};

struct table_stack {
	size_t start; /* in frame_numbers, root first */
	uint32_t depth;
};

struct stack_table {
	struct intern texts;
	struct intern sources; /* what frames were read from: same number as the frame */
	VEC(struct table_frame) frames;
	VEC(uint32_t) frame_numbers;
	VEC(struct table_stack) stacks;
	struct map64 by_hash; /* of the numbers -> stack; clashes go on at hash + 1 */
};

/* The number of the frame with that source; a new one (is_new) is all zero and to be filled in. */
uint32_t stack_table_frame(
	struct stack_table *table, const char *source, size_t length, bool *is_new);
/* Root first. */
uint32_t stack_table_stack(struct stack_table *table, const uint32_t *frames, size_t depth);
/* Its frames, root first; borrowed until the next stack. */
const uint32_t *stack_table_frames(
	const struct stack_table *table, uint32_t stack, size_t *ret_depth);
void stack_table_clear(struct stack_table *table);

#endif
