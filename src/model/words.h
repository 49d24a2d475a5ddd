/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words for the small numbers of a recording. A recording of a newer dwell may hold numbers that
 * this one does not have, and brings their words along; what this dwell has is told in its own
 * words. All of it is bounded: so many numbers of each kind, and words of so many bytes.
 */
#ifndef DWELL_MODEL_WORDS_H
#define DWELL_MODEL_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"
#include "model/unwind.h"

/* Numbers of a kind are 0 to WORDS_MOST - 1; more is no honest recording. */
#define WORDS_MOST 256
#define WORDS_MOST_BYTES 64

/* The kinds of the table `words`, but for task_state, which goes by letter. */
enum word_kind {
	WORD_STATE,
	WORD_BAND,
	WORD_OBJECT_KIND,
	WORD_UNWIND_END,
	WORD_NAME_REASON,
	WORD_HOP_KIND,
	WORD_CHAIN_END,
	WORD_QUEUE_KIND,
	WORD_AWAITED_KIND,
	WORD_NO_STACK,
	WORD_KINDS,
};

/*
 * Why there is no stack is an enum unwind_end once it is read. One of the numbers below
 * STACK_FIRST_ID that this dwell does not have becomes one behind all that can be stored.
 */
#define UNWIND_OF_NO_STACK(number) ((enum unwind_end)(WORDS_MOST + (number)))
/* For arrays by unwind_end. */
#define UNWIND_ROOM (WORDS_MOST + STACK_FIRST_ID)

struct words;

struct words *words_new(void);
void words_free(struct words *words);

/*
 * A word as a recording stores it, by its kind's name ("unwind_end"). It is cleaned as a frame's
 * name is; brackets around it go. Left alone if the kind or the number cannot be, or it has one
 * already.
 */
void words_learn(struct words *words, const char *kind, uint64_t number, const char *word);
/* The number is in use: if it has no word, it is called by its kind and itself, "chain end 9". */
void words_meet(struct words *words, enum word_kind kind, unsigned int number);
/* As in the table: "unwind_end". */
const char *words_kind_name(enum word_kind kind);
/* Does this dwell have the number? Of object_kind it cannot be told here: false. */
bool words_is_own(enum word_kind kind, unsigned int number);
/* One more than the largest number that this dwell has, that was learned, or that was met. */
unsigned int words_count(const struct words *words, enum word_kind kind);

/* "code without frame pointers", "depth limit", "timer"; "unknown" if it was never met. */
const char *words_text(const struct words *words, enum word_kind kind, unsigned int number);
/* Why a chain goes no further, for those who do not know these words: "it had not ended". */
const char *words_plain_end(const struct words *words, enum chain_end end);
/*
 * The frame that is shown for it: "[broken]", "[depth limit]"; NULL: none. What this dwell does not
 * have shows as its word in brackets.
 */
const char *words_frame(const struct words *words, enum word_kind kind, unsigned int number);

#endif
