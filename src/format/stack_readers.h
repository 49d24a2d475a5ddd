/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers behind stacks_read(), one for each format, and what they share. Private to
 * src/format/. */
#ifndef DWELL_FORMAT_STACK_READERS_H
#define DWELL_FORMAT_STACK_READERS_H

#include "format/lines.h"
#include "format/stacks.h"
#include "util/vec.h"

/* The frames of the stack that is being put together. */
struct stack_builder {
	const struct stack_sink *sink;
	const struct stacks_asked *asked;
	struct skipped *skipped;
	struct stacks_told *told;
	struct why *why;
	VEC(struct stack_frame) frames;
};

/* Each reads to the end: 0, or what the sink returned, or -errno with why. */
int stacks_read_folded(struct lines *lines, struct stack_builder *builder, bool is_diff);
int stacks_read_bpftrace(struct lines *lines, struct stack_builder *builder);
int stacks_read_bcc(struct lines *lines, struct stack_builder *builder);
int stacks_read_perf(struct lines *lines, struct stack_builder *builder);

/*
 * The parts of stacks_read(): finds the format; reads as that; says whether enough of it was
 * understood, `before` being what was skipped of other files. 0 or -errno with why.
 */
int stacks_begin(struct lines *lines, enum stack_format *ret, struct why *why);
int stacks_read_lines(enum stack_format format, struct lines *lines, struct stack_builder *builder);
int stacks_check(enum stack_format format, const struct skipped *before,
	const struct skipped *after, struct why *why);

/* Forgets frames beyond STACKS_MAX_DEPTH (counted) and hands the stack over; the frames go. */
int stack_builder_send(struct stack_builder *builder, const struct stack *stack);

/*
 * A count at the end of a line: "12", "12.5" (what is behind the point is added to *fraction,
 * in 10^-9, and comes back with later counts). SKIPS if it is one, else why it is none.
 */
enum skip count_parse(const char *text, size_t length, uint64_t *fraction, uint64_t *ret);
/* Is it the beginning of such a count, valid or not? */
bool count_is_number(const char *text, size_t length);

#endif
