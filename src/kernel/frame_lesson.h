/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lesson of kernel stacks as it is read: which return addresses are on a stack, and where each
 * can be among its words. What is made of it is kernel/frame_rules.h's.
 */
#ifndef DWELL_KERNEL_FRAME_LESSON_H
#define DWELL_KERNEL_FRAME_LESSON_H

#include "contract/frames.h"
#include "kernel/kernel_text.h"

/* Places where a return address can be, at most: more and the lesson says nothing. */
#define MOST_PLACES 64

struct places {
	int at[MOST_PLACES];
	int count;
};

/* Frames and words are numbers here. The first frame is the program's context, at word 0. */
struct frame_lesson {
	const struct kernel_text *text;
	const struct lesson *told;
	const __u64 *words;
	int word_count;
	int frame_count;
	uint64_t frames[LESSON_FRAMES + 1];
	int earliest[LESSON_FRAMES + 1];
	int latest[LESSON_FRAMES + 1];
	int place[LESSON_FRAMES + 1]; /* -1: not certain */
};

/* Takes a lesson of so many bytes; false if it has fewer than it says. It is not copied. */
bool frame_lesson_take(struct frame_lesson *lesson, const struct lesson *told, size_t bytes);
/*
 * Finds frames and places; false if its frames are not among its words, or a tracer has changed
 * these.
 */
bool frame_lesson_read(struct frame_lesson *lesson);

uint64_t frame_lesson_address(const struct frame_lesson *lesson, int word);
/* The word at an address, -1 if it is not in the lesson. */
int frame_lesson_word(const struct frame_lesson *lesson, uint64_t address);
/* Is it the place of the outermost return address? */
bool frame_lesson_is_bottom(const struct frame_lesson *lesson, int word);
/* Is the frame an exception's entry, so that the next one is what it hit? */
bool frame_lesson_is_exception(const struct frame_lesson *lesson, int frame);
/* The stack pointer behind a frame whose place is certain, -1 if that is not known. */
int frame_lesson_sp_behind(const struct frame_lesson *lesson, int frame);
bool frame_lesson_can_be_at(const struct frame_lesson *lesson, int frame, int word);
/* Did a function that aligns its stack leave a copy of the return address that is in the word? */
bool frame_lesson_has_copy(const struct frame_lesson *lesson, int frame, int sp, int word);
/* Where a frame can be that lies above word `sp`; false if there are too many places. */
bool frame_lesson_places(const struct frame_lesson *lesson, int frame, int sp, struct places *ret);
bool places_have(const struct places *places, int word);
/* The frame behind which nothing is learnt: what an interrupt hit can be anything. */
int frame_lesson_last(const struct frame_lesson *lesson);

#endif
