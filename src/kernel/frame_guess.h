/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guesses where the return address behind another one lies (enum frame_rule): those that one lesson
 * allows, and those of them that the next ones leave.
 */
#ifndef DWELL_KERNEL_FRAME_GUESS_H
#define DWELL_KERNEL_FRAME_GUESS_H

#include "kernel/frame_lesson.h"

#define MOST_GUESSES 64

struct guess {
	uint16_t size;
	uint8_t rule; /* enum frame_rule */
};

struct guesses {
	struct guess at[MOST_GUESSES];
	uint32_t count;
	uint32_t held;     /* lessons that they fitted */
	bool is_unaligned; /* fixed sizes were tried */
};

/*
 * The word where the next return address is by a guess, from the stack pointer at word `sp`; below
 * 0 if it is nowhere, or cannot be told.
 */
int guess_predict(const struct frame_lesson *lesson, struct guess guess, int sp);
/* Does it lead to one of the places, or can that not be told? */
bool guess_is_possible(
	const struct frame_lesson *lesson, struct guess guess, int sp, const struct places *places);
/* What may be, by this lesson alone, of the address before `frame`, which can be at these places.
 */
void guesses_make(struct guesses *guesses, const struct frame_lesson *lesson, int frame, int sp,
	const struct places *places);
/* Drops those that this lesson contradicts. */
void guesses_drop(struct guesses *guesses, const struct frame_lesson *lesson, int sp,
	const struct places *places);

#endif
