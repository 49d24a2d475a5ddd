// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frames must be among the words in their order: from both ends that gives the first and the
 * last place where each can be, and where these are one, its place is certain.
 */
#include "kernel/frame_lesson.h"

#include <stddef.h>

#include "util/mem.h"

/* A function that aligns its stack leaves a copy of its return address so far below it. */
#define COPY_WORDS 2

uint64_t frame_lesson_address(const struct frame_lesson *lesson, int word)
{
	int first = (int)lesson->told->word_count;

	return word < first ? lesson->told->from + (uint64_t)word * 8
			    : lesson->told->second + (uint64_t)(word - first) * 8;
}

int frame_lesson_word(const struct frame_lesson *lesson, uint64_t address)
{
	const struct lesson *told = lesson->told;

	if (address & 7)
		return -1;
	if (address - told->from < told->word_count * 8ULL)
		return (int)((address - told->from) / 8);
	if (address - told->second < told->second_count * 8ULL)
		return (int)(told->word_count + (address - told->second) / 8);
	return -1;
}

bool frame_lesson_is_bottom(const struct frame_lesson *lesson, int word)
{
	return word == lesson->word_count - 1;
}

bool frame_lesson_is_exception(const struct frame_lesson *lesson, int frame)
{
	return frame > 0 && frame + 1 < lesson->frame_count &&
	       kernel_text_is_within(&lesson->text->exceptions, 1, lesson->frames[frame]);
}

int frame_lesson_sp_behind(const struct frame_lesson *lesson, int frame)
{
	int registers;

	if (!frame)
		return 0;
	if (lesson->place[frame] < 0)
		return -1;
	if (!frame_lesson_is_exception(lesson, frame - 1))
		return lesson->place[frame] + 1;
	/* Where an exception hit: its place is the ip of the registers. */
	registers = lesson->place[frame] - FRAME_REGS_IP;
	return registers < 0 || registers + FRAME_REGS_SP >= lesson->word_count
		       ? -1
		       : frame_lesson_word(lesson, lesson->words[registers + FRAME_REGS_SP]);
}

/* Copies the frames from the program's caller on; false if there are none, or they cannot be told.
 */
static bool take_frames(struct frame_lesson *lesson)
{
	const struct lesson *told = lesson->told;
	uint32_t first = 0;

	for (uint32_t i = 0; i < told->depth && i < FRAME_TRACER_MOST; i++)
		if (kernel_text_is_within(lesson->text->callers, TEXT_RANGES, told->frames[i]))
			first = i + 1;
	if (!first || first >= told->depth)
		return false;
	lesson->frame_count = 1;
	for (uint32_t i = first; i < told->depth; i++)
		lesson->frames[lesson->frame_count++] = told->frames[i];
	return true;
}

static bool find_bounds(struct frame_lesson *lesson)
{
	int word = -1;

	for (int i = 1; i < lesson->frame_count; i++) {
		do
			if (++word >= lesson->word_count)
				return false;
		while (lesson->words[word] != lesson->frames[i]);
		lesson->earliest[i] = word;
	}
	word = lesson->word_count;
	for (int i = lesson->frame_count - 1; i > 0; i--) {
		do
			word--;
		while (lesson->words[word] != lesson->frames[i]);
		lesson->latest[i] = word;
		lesson->place[i] = lesson->earliest[i] == word ? word : -1;
	}
	return true;
}

/* Then addresses are not where the unwinder says that they are; an old copy would be taken for one.
 */
static bool has_trampoline(const struct frame_lesson *lesson)
{
	for (int i = 0; i < lesson->word_count; i++)
		if (kernel_text_is_trampoline(lesson->text, lesson->words[i]))
			return true;
	return false;
}

bool frame_lesson_can_be_at(const struct frame_lesson *lesson, int frame, int word)
{
	return word >= lesson->earliest[frame] && word <= lesson->latest[frame] &&
	       lesson->words[word] == lesson->frames[frame];
}

/*
 * Is the word a copy of the return address that lies a little above? A function that aligns its
 * stack makes one, and keeps where the stack was before, which is right behind the address.
 */
static bool is_copy(const struct frame_lesson *lesson, int frame, int sp, int word)
{
	for (int i = 1; i <= COPY_WORDS; i++) {
		if (!frame_lesson_can_be_at(lesson, frame, word + i))
			continue;
		for (int saved = sp; saved < word; saved++)
			if (lesson->words[saved] == frame_lesson_address(lesson, word + i) + 8)
				return true;
	}
	return false;
}

bool frame_lesson_has_copy(const struct frame_lesson *lesson, int frame, int sp, int word)
{
	for (int i = 1; i <= COPY_WORDS && word - i >= sp; i++)
		if (lesson->words[word - i] == lesson->words[word] &&
			is_copy(lesson, frame, sp, word - i))
			return true;
	return false;
}

bool frame_lesson_places(const struct frame_lesson *lesson, int frame, int sp, struct places *ret)
{
	int from = sp > lesson->earliest[frame] ? sp : lesson->earliest[frame];

	ret->count = 0;
	if (lesson->place[frame] >= 0) {
		ret->at[ret->count++] = lesson->place[frame];
		return true;
	}
	for (int word = from; word <= lesson->latest[frame]; word++) {
		if (!frame_lesson_can_be_at(lesson, frame, word))
			continue;
		if (ret->count == MOST_PLACES)
			return false;
		ret->at[ret->count++] = word;
	}
	return true;
}

bool places_have(const struct places *places, int word)
{
	for (int i = 0; i < places->count; i++)
		if (places->at[i] == word)
			return true;
	return false;
}

int frame_lesson_last(const struct frame_lesson *lesson)
{
	for (int i = 1; i < lesson->frame_count; i++)
		if (kernel_text_kinds(lesson->text, lesson->frames[i]) & FRAME_INTERRUPT)
			return i;
	return lesson->frame_count - 1;
}

bool frame_lesson_take(struct frame_lesson *lesson, const struct lesson *told, size_t bytes)
{
	uint64_t words;

	if (bytes < offsetof(struct lesson, words))
		return false;
	words = (uint64_t)told->word_count + told->second_count;
	if (told->asker >= FRAME_ASKERS || told->depth > LESSON_FRAMES ||
		words > 2 * LESSON_WORDS ||
		bytes < offsetof(struct lesson, words) + words * sizeof(*told->words))
		return false;
	lesson->told = told;
	lesson->words = told->words;
	lesson->word_count = (int)words;
	return true;
}

bool frame_lesson_read(struct frame_lesson *lesson)
{
	return !has_trampoline(lesson) && take_frames(lesson) && find_bounds(lesson);
}
