// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/frame_guess.h"

/* Words that may be one thing or another are no evidence. */
#define CANNOT_TELL (-2)

static int predict_either(const struct frame_lesson *lesson, int word)
{
	bool is_first, is_second;

	if (word + 1 >= lesson->word_count)
		return -1;
	is_first = lesson->words[word] >> 32 == 0xffffffff;
	is_second = lesson->words[word + 1] >> 32 == 0xffffffff;
	if (is_first == is_second)
		return CANNOT_TELL;
	return is_first ? word : word + 1;
}

int guess_predict(const struct frame_lesson *lesson, struct guess guess, int sp)
{
	int saved;

	if (sp < 0)
		return -1;
	switch (guess.rule) {
	case FRAME_FIXED:
		return frame_lesson_word(
			lesson, frame_lesson_address(lesson, sp) + guess.size * 8ULL);
	case FRAME_SAVED:
		saved = frame_lesson_word(lesson,
			frame_lesson_address(lesson, sp) + FRAME_SAVED_PLACE(guess.size) * 8ULL);
		return saved < 0 ? -1
				 : frame_lesson_word(lesson,
					   lesson->words[saved] +
						   (uint64_t)FRAME_SAVED_OFFSET(guess.size) * 8);
	case FRAME_AT_BOTTOM:
		return lesson->word_count - 1;
	case FRAME_EITHER:
		return predict_either(lesson, sp + guess.size);
	}
	return -1;
}

bool guess_is_possible(
	const struct frame_lesson *lesson, struct guess guess, int sp, const struct places *places)
{
	int word = guess_predict(lesson, guess, sp);

	return word == CANNOT_TELL || places_have(places, word);
}

static void add_guess(struct guesses *guesses, enum frame_rule rule, uint64_t size)
{
	if (guesses->count < MOST_GUESSES && size <= FRAME_SIZE_MASK)
		guesses->at[guesses->count++] =
			(struct guess){.rule = rule, .size = (uint16_t)size};
}

static void guess_fixed(const struct frame_lesson *lesson, struct guesses *guesses, int sp,
	const struct places *places)
{
	for (int i = 0; i < places->count; i++) {
		uint64_t words = (frame_lesson_address(lesson, places->at[i]) -
					 frame_lesson_address(lesson, sp)) /
				 8;
		/* On another stack it is as far away as chance has it. */
		if (guess_predict(lesson,
			    (struct guess){.rule = FRAME_FIXED, .size = (uint16_t)words},
			    sp) == places->at[i])
			add_guess(guesses, FRAME_FIXED, words);
	}
}

/* A saved stack pointer right behind the place comes first: that is what aligned frames have. */
static void guess_saved(const struct frame_lesson *lesson, struct guesses *guesses, int sp,
	const struct places *places, bool is_right_behind)
{
	for (int place = 0; place < FRAME_SAVED_PLACES; place++) {
		int word = frame_lesson_word(
			lesson, frame_lesson_address(lesson, sp) + (uint64_t)place * 8);
		for (int i = 0; word >= 0 && i < places->count; i++) {
			int64_t offset = (int64_t)(frame_lesson_address(lesson, places->at[i]) -
						   lesson->words[word]);
			if (offset % 8 || offset / 8 <= -FRAME_SAVED_OFFSETS ||
				offset / 8 >= FRAME_SAVED_OFFSETS ||
				(offset == -8) != is_right_behind)
				continue;
			add_guess(guesses, FRAME_SAVED, FRAME_SAVED_SIZE(place, offset / 8));
		}
	}
}

static void guess_otherwise(const struct frame_lesson *lesson, struct guesses *guesses, int sp,
	const struct places *places)
{
	for (int i = 0; i < places->count; i++)
		if (frame_lesson_is_bottom(lesson, places->at[i]))
			add_guess(guesses, FRAME_AT_BOTTOM, 0);
	guess_saved(lesson, guesses, sp, places, true);
	guess_saved(lesson, guesses, sp, places, false);
	for (int i = 0; i < places->count; i++)
		for (int size = places->at[i] - sp; size >= 0 && size >= places->at[i] - sp - 1;
			size--)
			if (guess_is_possible(lesson,
				    (struct guess){.rule = FRAME_EITHER, .size = (uint16_t)size},
				    sp, places))
				add_guess(guesses, FRAME_EITHER, (uint64_t)size);
}

void guesses_make(struct guesses *guesses, const struct frame_lesson *lesson, int frame, int sp,
	const struct places *places)
{
	guesses->count = 0;
	guesses->held = 1;
	for (int i = 0; i < places->count && !guesses->is_unaligned && !guesses->count; i++)
		if (frame_lesson_has_copy(lesson, frame, sp, places->at[i]))
			guess_saved(lesson, guesses, sp,
				&(struct places){.at = {places->at[i]}, .count = 1}, true);
	if (!guesses->is_unaligned && !guesses->count)
		guess_fixed(lesson, guesses, sp, places);
	if (!guesses->count) {
		guesses->is_unaligned = true;
		guess_otherwise(lesson, guesses, sp, places);
	}
}

void guesses_drop(struct guesses *guesses, const struct frame_lesson *lesson, int sp,
	const struct places *places)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < guesses->count; i++)
		if (guess_is_possible(lesson, guesses->at[i], sp, places))
			guesses->at[left++] = guesses->at[i];
	guesses->count = left;
	guesses->held++;
}
