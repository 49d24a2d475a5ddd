// SPDX-License-Identifier: GPL-2.0-or-later
/* Own words first, then those that were learned. */
#include "model/words.h"

#include <string.h>

#include "model/awaited.h"
#include "model/hop.h"
#include "model/queue.h"
#include "model/state.h"
#include "util/mem.h"
#include "util/text.h"

/* A learned word, plain and in brackets. */
struct word {
	char *text;
	char *frame;
};

struct words {
	struct word learned[WORD_KINDS][WORDS_MOST];
	unsigned int counts[WORD_KINDS];
};

/* Names in the table `words`, and how many numbers this dwell has. */
static const struct {
	const char *name;
	unsigned int own;
} kinds[WORD_KINDS] = {
	[WORD_STATE] = {"state", TIME_SAMPLE + 1},
	[WORD_BAND] = {"band", CONTRACT_BANDS},
	/* They are src/recording's, which asks only for those that it does not have. */
	[WORD_OBJECT_KIND] = {"object_kind", 0},
	[WORD_UNWIND_END] = {"unwind_end", UNWIND_ENDS},
	[WORD_NAME_REASON] = {"name_reason", NAME_REASONS},
	[WORD_HOP_KIND] = {"hop_kind", HOP_KINDS},
	[WORD_CHAIN_END] = {"chain_end", CHAIN_ENDS},
	[WORD_QUEUE_KIND] = {"queue_kind", QUEUE_KINDS},
	[WORD_AWAITED_KIND] = {"awaited_kind", AWAITED_KINDS},
	[WORD_NO_STACK] = {"no_stack", STACK_MORE_WAITS + 1},
};

struct words *words_new(void)
{
	struct words *words = xcalloc(1, sizeof(*words));

	for (unsigned int kind = 0; kind < WORD_KINDS; kind++)
		words->counts[kind] = kinds[kind].own;
	return words;
}

void words_free(struct words *words)
{
	for (unsigned int kind = 0; words && kind < WORD_KINDS; kind++)
		for (unsigned int number = 0; number < WORDS_MOST; number++) {
			free(words->learned[kind][number].text);
			free(words->learned[kind][number].frame);
		}
	free(words);
}

const char *words_kind_name(enum word_kind kind)
{
	return kinds[kind].name;
}

bool words_is_own(enum word_kind kind, unsigned int number)
{
	return number < kinds[kind].own;
}

static void put(struct words *words, enum word_kind kind, unsigned int number, const char *text)
{
	struct word *word = &words->learned[kind][number];

	if (number >= words->counts[kind])
		words->counts[kind] = number + 1;
	if (word->text)
		return;
	word->text = xstrdup(text);
	word->frame = xasprintf("[%s]", text);
}

/* Without the brackets that words of no_stack have; cut, and fit for terminals and folded lines. */
static char *clean_word(const char *word)
{
	size_t length = strnlen(word, WORDS_MOST_BYTES);

	if (length > 1 && word[0] == '[' && word[length - 1] == ']') {
		word++;
		length -= 2;
	}
	_cleanup_free_ char *cut = xstrndup(word, length);
	return text_clean(cut, true);
}

void words_learn(struct words *words, const char *kind, uint64_t number, const char *word)
{
	_cleanup_free_ char *clean = clean_word(word);

	for (unsigned int i = 0; i < WORD_KINDS && number < WORDS_MOST && clean[0]; i++)
		if (!strcmp(kinds[i].name, kind) && !words_is_own(i, (unsigned int)number))
			put(words, i, (unsigned int)number, clean);
}

void words_meet(struct words *words, enum word_kind kind, unsigned int number)
{
	char text[32];

	if (words_is_own(kind, number) || number >= WORDS_MOST || words->learned[kind][number].text)
		return;
	snprintf(text, sizeof(text), "%s %u", kinds[kind].name, number);
	for (char *at = text; *at; at++)
		if (*at == '_')
			*at = ' ';
	put(words, kind, number, text);
}

unsigned int words_count(const struct words *words, enum word_kind kind)
{
	return words->counts[kind];
}

/* NULL: none was learned. */
static const struct word *learned(
	const struct words *words, enum word_kind kind, unsigned int number)
{
	if (kind == WORD_UNWIND_END && number >= WORDS_MOST)
		return learned(words, WORD_NO_STACK, number - WORDS_MOST);
	if (number >= WORDS_MOST || !words->learned[kind][number].text)
		return NULL;
	return &words->learned[kind][number];
}

static const char *own_text(enum word_kind kind, unsigned int number)
{
	switch (kind) {
	case WORD_STATE:
		return state_name((enum time_state)number);
	case WORD_BAND:
		return band_name(number);
	case WORD_UNWIND_END:
		return unwind_end_text((enum unwind_end)number);
	case WORD_NAME_REASON:
		return name_reason_text((enum name_reason)number);
	case WORD_HOP_KIND:
		return hop_kind_name((enum hop_kind)number);
	case WORD_CHAIN_END:
		return chain_end_name((enum chain_end)number);
	case WORD_QUEUE_KIND:
		return queue_kind_name((enum queue_kind)number);
	case WORD_AWAITED_KIND:
		return awaited_kind_name((enum awaited_kind)number);
	default:
		return "unknown";
	}
}

const char *words_text(const struct words *words, enum word_kind kind, unsigned int number)
{
	const struct word *word = words_is_own(kind, number) ? NULL : learned(words, kind, number);

	return word ? word->text : own_text(kind, number);
}

const char *words_plain_end(const struct words *words, enum chain_end end)
{
	return words_is_own(WORD_CHAIN_END, end) ? chain_end_plain(end)
						 : words_text(words, WORD_CHAIN_END, end);
}

const char *words_frame(const struct words *words, enum word_kind kind, unsigned int number)
{
	const struct word *word = words_is_own(kind, number) ? NULL : learned(words, kind, number);

	if (word)
		return word->frame;
	if (kind == WORD_UNWIND_END)
		return unwind_end_frame((enum unwind_end)number);
	return kind == WORD_CHAIN_END ? chain_end_frame((enum chain_end)number) : NULL;
}
