// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lesson is read in three passes. The frames must be among the words in their order: from both
 * ends that gives the first and the last place where each can be, and where these are one, its
 * place is certain. Rules that count already give further places, up and down. Then each frame
 * whose place is certain is asked which hypotheses about the next one's place still hold.
 */
#include "kernel/frame_rules.h"

#include <string.h>

#include "util/map64.h"

/* Hypotheses of an address at most, and addresses. */
#define MOST_GUESSES 64
#define MOST_ADDRESSES 16384
/* A rule must have fitted so many lessons; twice as many after each time that one did not hold. */
#define LESSONS_NEEDED 5
/* Several that say the same all the time are as good as one. */
#define LESSONS_TO_AGREE 16
#define MOST_STRIKES 3
/* A function that aligns its stack leaves a copy of its return address so far below it. */
#define COPY_WORDS 2
/* Places where the next return address can be, at most: more and the lesson says nothing. */
#define MOST_PLACES 64

struct guess {
	uint16_t size;
	uint8_t rule; /* enum frame_rule */
};

/* A return address, or a place where an exception hit, or a program's context. */
struct known {
	uint64_t address; /* 0: a program's context */
	uint64_t key;     /* as in an entry; of a context its program's number */
	struct guess guesses[MOST_GUESSES];
	uint32_t guess_count;
	uint32_t held;     /* lessons that the guesses fitted */
	uint8_t strikes;   /* times that none was left */
	bool is_published; /* the first guess is in the table */
	bool is_in_table;  /* its address is, with or without a rule */
	bool is_given_up;  /* the unwinder's for good */
	bool is_unaligned; /* fixed sizes were tried */
};

struct frame_rules {
	struct kernel_text text;
	text_ranges modules;
	bool has_modules;
	struct frame_table *table;
	volatile __u64 *first;
	struct map64 numbers; /* key -> number in `known` */
	VEC(struct known) known;
	struct frame_rules_counts counts;
	/* The lesson that is read. */
	const struct lesson *lesson;
	const __u64 *words;
	int word_count;
	int frame_count; /* the program's context is the first */
	uint64_t frames[LESSON_FRAMES + 1];
	uint32_t known_of[LESSON_FRAMES + 1];
	int earliest[LESSON_FRAMES + 1];
	int latest[LESSON_FRAMES + 1];
	int place[LESSON_FRAMES + 1]; /* -1: not certain */
};

struct frame_rules *frame_rules_new(const struct kernel_text *text, text_ranges *modules,
	struct frame_table *table, volatile __u64 *first)
{
	struct frame_rules *rules = xcalloc(1, sizeof(*rules));

	rules->text = *text;
	rules->modules.at = modules->at;
	rules->modules.count = modules->count;
	*modules = (text_ranges){0};
	rules->has_modules = true;
	rules->table = table;
	rules->first = first;
	return rules;
}

void frame_rules_free(struct frame_rules *rules)
{
	if (!rules)
		return;
	vec_clear(&rules->modules);
	vec_clear(&rules->known);
	map64_clear(&rules->numbers);
	free(rules);
}

void frame_rules_counts(const struct frame_rules *rules, struct frame_rules_counts *ret)
{
	*ret = rules->counts;
}

static bool is_in_core(const struct frame_rules *rules, uint64_t address)
{
	return kernel_text_is_within(&rules->text.core, 1, address);
}

static bool is_in_module(const struct frame_rules *rules, uint64_t address)
{
	size_t low = 0, high = rules->modules.count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (rules->modules.at[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return rules->has_modules && low < rules->modules.count &&
	       rules->modules.at[low].start <= address;
}

static bool is_trampoline(const struct frame_rules *rules, uint64_t address)
{
	return kernel_text_is_within(
		rules->text.trampolines, ARRAY_SIZE(rules->text.trampolines), address);
}

/*
 * Only of code that stays where it is, or whose end is told. A tracer's trampoline stands for
 * another address each time; the unwinder knows which, but for moments in which it gives the
 * trampoline's own.
 */
static bool is_learnable(const struct frame_rules *rules, uint64_t address)
{
	if (is_trampoline(rules, address))
		return false;
	return address >> 32 == 0xffffffff &&
	       (is_in_core(rules, address) || is_in_module(rules, address));
}

/* -1 if there is no room for a new one. */
static int64_t number_of(struct frame_rules *rules, uint64_t address, uint64_t key)
{
	bool is_new = false;

	if (rules->known.count >= MOST_ADDRESSES && !map64_find(&rules->numbers, key))
		return -1;
	uint64_t *number = map64_put(&rules->numbers, key, &is_new);
	if (is_new) {
		struct known known = {.address = address, .key = key};
		*number = rules->known.count;
		vec_push(&rules->known, known);
	}
	return (int64_t)*number;
}

/* The place in the table of a key, or where it can go; NULL if there is no room. */
static __u64 *way_of(struct frame_rules *rules, uint64_t key)
{
	uint32_t set =
		((uint32_t)key + (uint32_t)(key >> 32)) * 0x9e3779b1U >> (32 - FRAME_SET_BITS);
	__u64 *ways = rules->table->ways[set];

	for (int i = 0; i < FRAME_WAYS; i++)
		if ((ways[i] & FRAME_KEY) == key && ways[i])
			return &ways[i];
	for (int i = 0; i < FRAME_WAYS; i++)
		if (!ways[i])
			return &ways[i];
	return NULL;
}

static void write_entry(struct frame_rules *rules, struct known *known, struct guess rule)
{
	__u64 *way;

	if (!known->address) {
		rules->first[known->key] = rule.rule == FRAME_FIXED ? rule.size * 8ULL : 0;
		return;
	}
	way = is_learnable(rules, known->address) ? way_of(rules, known->key) : NULL;
	if (!way)
		return;
	known->is_in_table = true;
	__atomic_store_n(way,
		known->key | (uint64_t)rule.rule << FRAME_RULE_SHIFT |
			(uint64_t)kernel_text_kinds(&rules->text, known->address)
				<< FRAME_KINDS_SHIFT |
			(uint64_t)rule.size << FRAME_SIZE_SHIFT,
		__ATOMIC_RELEASE);
}

static void publish(struct frame_rules *rules, struct known *known)
{
	if (known->is_published)
		return;
	known->is_published = true;
	rules->counts.rules++;
	rules->counts.changes++;
	write_entry(rules, known, known->guesses[0]);
}

static void take_back(struct frame_rules *rules, struct known *known)
{
	if (!known->is_published)
		return;
	known->is_published = false;
	rules->counts.rules--;
	rules->counts.changes++;
	write_entry(rules, known, (struct guess){.rule = FRAME_NO_RULE});
}

/* What is believed of the address has to be found out anew. */
static void doubt(struct frame_rules *rules, struct known *known)
{
	take_back(rules, known);
	known->guess_count = 0;
	known->held = 0;
	known->is_unaligned = false;
}

/* What was believed of the address is not so. */
static void strike(struct frame_rules *rules, struct known *known)
{
	doubt(rules, known);
	if (++known->strikes < MOST_STRIKES || known->is_given_up)
		return;
	known->is_given_up = true;
	rules->counts.given_up++;
}

static uint64_t address_of(const struct frame_rules *rules, int word)
{
	int first = (int)rules->lesson->word_count;

	return word < first ? rules->lesson->from + (uint64_t)word * 8
			    : rules->lesson->second + (uint64_t)(word - first) * 8;
}

/* The word at an address, -1 if it is not in the lesson. */
static int word_at(const struct frame_rules *rules, uint64_t address)
{
	const struct lesson *lesson = rules->lesson;

	if (address & 7)
		return -1;
	if (address - lesson->from < lesson->word_count * 8ULL)
		return (int)((address - lesson->from) / 8);
	if (address - lesson->second < lesson->second_count * 8ULL)
		return (int)(lesson->word_count + (address - lesson->second) / 8);
	return -1;
}

static bool is_bottom(const struct frame_rules *rules, int word)
{
	return word == rules->word_count - 1;
}

/* Words that may be one thing or another are no evidence. */
#define CANNOT_TELL (-2)

static int predict_either(const struct frame_rules *rules, int word)
{
	bool is_first, is_second;

	if (word + 1 >= rules->word_count)
		return -1;
	is_first = rules->words[word] >> 32 == 0xffffffff;
	is_second = rules->words[word + 1] >> 32 == 0xffffffff;
	if (is_first == is_second)
		return CANNOT_TELL;
	return is_first ? word : word + 1;
}

/* Where the next return address is by a guess, from the stack pointer at word `sp`; -1: nowhere. */
static int predict(const struct frame_rules *rules, struct guess guess, int sp)
{
	int saved;

	if (sp < 0)
		return -1;
	switch (guess.rule) {
	case FRAME_FIXED:
		return word_at(rules, address_of(rules, sp) + guess.size * 8ULL);
	case FRAME_SAVED:
		saved = word_at(
			rules, address_of(rules, sp) + FRAME_SAVED_PLACE(guess.size) * 8ULL);
		return saved < 0 ? -1
				 : word_at(rules,
					   rules->words[saved] +
						   (uint64_t)FRAME_SAVED_OFFSET(guess.size) * 8);
	case FRAME_AT_BOTTOM:
		return rules->word_count - 1;
	case FRAME_EITHER:
		return predict_either(rules, sp + guess.size);
	}
	return -1;
}

static bool is_exception(const struct frame_rules *rules, int frame)
{
	return frame > 0 && frame + 1 < rules->frame_count &&
	       kernel_text_is_within(&rules->text.exceptions, 1, rules->frames[frame]);
}

/* The stack pointer behind a frame whose place is certain, -1 if that is not known. */
static int sp_behind(const struct frame_rules *rules, int frame)
{
	int registers;

	if (!frame)
		return 0;
	if (rules->place[frame] < 0)
		return -1;
	if (!is_exception(rules, frame - 1))
		return rules->place[frame] + 1;
	/* Where an exception hit: its place is the ip of the registers. */
	registers = rules->place[frame] - FRAME_REGS_IP;
	return registers < 0 || registers + FRAME_REGS_SP >= rules->word_count
		       ? -1
		       : word_at(rules, rules->words[registers + FRAME_REGS_SP]);
}

/* Copies the frames from the program's caller on; false if there are none, or they cannot be told.
 */
static bool take_frames(struct frame_rules *rules)
{
	const struct lesson *lesson = rules->lesson;
	uint32_t first = 0;

	for (uint32_t i = 0; i < lesson->depth && i < FRAME_TRACER_MOST; i++)
		if (kernel_text_is_within(rules->text.callers, TEXT_RANGES, lesson->frames[i]))
			first = i + 1;
	if (!first || first >= lesson->depth)
		return false;
	rules->frame_count = 1;
	for (uint32_t i = first; i < lesson->depth; i++)
		rules->frames[rules->frame_count++] = lesson->frames[i];
	return true;
}

static bool find_bounds(struct frame_rules *rules)
{
	int word = -1;

	for (int i = 1; i < rules->frame_count; i++) {
		do
			if (++word >= rules->word_count)
				return false;
		while (rules->words[word] != rules->frames[i]);
		rules->earliest[i] = word;
	}
	word = rules->word_count;
	for (int i = rules->frame_count - 1; i > 0; i--) {
		do
			word--;
		while (rules->words[word] != rules->frames[i]);
		rules->latest[i] = word;
		rules->place[i] = rules->earliest[i] == word ? word : -1;
	}
	return true;
}

/* Then addresses are not where the unwinder says that they are; an old copy would be taken for one.
 */
static bool has_trampoline(const struct frame_rules *rules)
{
	for (int i = 0; i < rules->word_count; i++)
		if (is_trampoline(rules, rules->words[i]))
			return true;
	return false;
}

static struct known *known_of(struct frame_rules *rules, int frame)
{
	return &rules->known.at[rules->known_of[frame]];
}

static bool find_known(struct frame_rules *rules)
{
	for (int i = 0; i < rules->frame_count; i++) {
		uint64_t address = rules->frames[i];
		bool is_hit = is_exception(rules, i - 1);
		int64_t number =
			!i ? number_of(rules, 0, rules->lesson->asker)
			   : number_of(rules, address,
				     (uint32_t)address | (is_hit ? FRAME_HIT_BY_EXCEPTION : 0));
		if (number < 0)
			return false;
		rules->known_of[i] = (uint32_t)number;
	}
	return true;
}

static bool can_be_at(const struct frame_rules *rules, int frame, int word)
{
	return word >= rules->earliest[frame] && word <= rules->latest[frame] &&
	       rules->words[word] == rules->frames[frame];
}

/* Places that follow from rules that count, from the inside on and then from the outside on. */
static void follow_rules(struct frame_rules *rules)
{
	for (int i = 0; i + 1 < rules->frame_count; i++) {
		const struct known *known = known_of(rules, i);
		int word = -1;

		if (rules->place[i + 1] >= 0 || (i && rules->place[i] < 0))
			continue;
		if (is_exception(rules, i))
			word = rules->place[i] + 1 + FRAME_REGS_IP;
		else if (known->is_published)
			word = predict(rules, known->guesses[0], sp_behind(rules, i));
		if (can_be_at(rules, i + 1, word))
			rules->place[i + 1] = word;
	}
	for (int i = rules->frame_count - 2; i > 0; i--) {
		const struct known *known = known_of(rules, i);
		int word;

		if (rules->place[i] >= 0 || rules->place[i + 1] < 0 || !known->is_published ||
			known->guesses[0].rule != FRAME_FIXED || is_exception(rules, i - 1))
			continue;
		word = word_at(rules, address_of(rules, rules->place[i + 1]) -
					      (known->guesses[0].size + 1) * 8ULL);
		if (can_be_at(rules, i, word))
			rules->place[i] = word;
	}
}

/*
 * Is the word a copy of the return address that lies a little above? A function that aligns its
 * stack makes one, and keeps where the stack was before, which is right behind the address.
 */
static bool is_copy(const struct frame_rules *rules, int frame, int sp, int word)
{
	for (int i = 1; i <= COPY_WORDS; i++) {
		if (!can_be_at(rules, frame, word + i))
			continue;
		for (int saved = sp; saved < word; saved++)
			if (rules->words[saved] == address_of(rules, word + i) + 8)
				return true;
	}
	return false;
}

/* Is there such a copy of the return address in the word? */
static bool has_copy(const struct frame_rules *rules, int frame, int sp, int word)
{
	for (int i = 1; i <= COPY_WORDS && word - i >= sp; i++)
		if (rules->words[word - i] == rules->words[word] &&
			is_copy(rules, frame, sp, word - i))
			return true;
	return false;
}

struct places {
	int at[MOST_PLACES];
	int count;
};

/* Where a frame can be that lies above word `sp`; false if there are too many places. */
static bool find_places(const struct frame_rules *rules, int frame, int sp, struct places *ret)
{
	int from = sp > rules->earliest[frame] ? sp : rules->earliest[frame];

	ret->count = 0;
	if (rules->place[frame] >= 0) {
		ret->at[ret->count++] = rules->place[frame];
		return true;
	}
	for (int word = from; word <= rules->latest[frame]; word++) {
		if (!can_be_at(rules, frame, word))
			continue;
		if (ret->count == MOST_PLACES)
			return false;
		ret->at[ret->count++] = word;
	}
	return true;
}

static bool is_among(const struct places *places, int word)
{
	for (int i = 0; i < places->count; i++)
		if (places->at[i] == word)
			return true;
	return false;
}

static bool is_possible(
	const struct frame_rules *rules, struct guess guess, int sp, const struct places *places)
{
	int word = predict(rules, guess, sp);

	return word == CANNOT_TELL || is_among(places, word);
}

static void add_guess(struct known *known, enum frame_rule rule, uint64_t size)
{
	if (known->guess_count < MOST_GUESSES && size <= FRAME_SIZE_MASK)
		known->guesses[known->guess_count++] =
			(struct guess){.rule = rule, .size = (uint16_t)size};
}

static void guess_fixed(
	const struct frame_rules *rules, struct known *known, int sp, const struct places *places)
{
	for (int i = 0; i < places->count; i++) {
		uint64_t words = (address_of(rules, places->at[i]) - address_of(rules, sp)) / 8;
		/* On another stack it is as far away as chance has it. */
		if (predict(rules, (struct guess){.rule = FRAME_FIXED, .size = (uint16_t)words},
			    sp) == places->at[i])
			add_guess(known, FRAME_FIXED, words);
	}
}

/* A saved stack pointer right behind the place comes first: that is what aligned frames have. */
static void guess_saved(const struct frame_rules *rules, struct known *known, int sp,
	const struct places *places, bool is_right_behind)
{
	for (int place = 0; place < FRAME_SAVED_PLACES; place++) {
		int word = word_at(rules, address_of(rules, sp) + (uint64_t)place * 8);
		for (int i = 0; word >= 0 && i < places->count; i++) {
			int64_t offset =
				(int64_t)(address_of(rules, places->at[i]) - rules->words[word]);
			if (offset % 8 || offset / 8 <= -FRAME_SAVED_OFFSETS ||
				offset / 8 >= FRAME_SAVED_OFFSETS ||
				(offset == -8) != is_right_behind)
				continue;
			add_guess(known, FRAME_SAVED, FRAME_SAVED_SIZE(place, offset / 8));
		}
	}
}

static void guess_otherwise(
	const struct frame_rules *rules, struct known *known, int sp, const struct places *places)
{
	for (int i = 0; i < places->count; i++)
		if (is_bottom(rules, places->at[i]))
			add_guess(known, FRAME_AT_BOTTOM, 0);
	guess_saved(rules, known, sp, places, true);
	guess_saved(rules, known, sp, places, false);
	for (int i = 0; i < places->count; i++)
		for (int size = places->at[i] - sp; size >= 0 && size >= places->at[i] - sp - 1;
			size--)
			if (is_possible(rules,
				    (struct guess){.rule = FRAME_EITHER, .size = (uint16_t)size},
				    sp, places))
				add_guess(known, FRAME_EITHER, (uint64_t)size);
}

/* What may be, by this lesson alone. */
static void guess(struct frame_rules *rules, struct known *known, int frame, int sp,
	const struct places *places)
{
	known->guess_count = 0;
	known->held = 1;
	for (int i = 0; i < places->count && !known->is_unaligned && !known->guess_count; i++)
		if (has_copy(rules, frame, sp, places->at[i]))
			guess_saved(rules, known, sp,
				&(struct places){.at = {places->at[i]}, .count = 1}, true);
	if (!known->is_unaligned && !known->guess_count)
		guess_fixed(rules, known, sp, places);
	if (!known->guess_count) {
		known->is_unaligned = true;
		guess_otherwise(rules, known, sp, places);
	}
}

/* Drops the guesses that this lesson contradicts. */
static void drop_guesses(
	const struct frame_rules *rules, struct known *known, int sp, const struct places *places)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < known->guess_count; i++)
		if (is_possible(rules, known->guesses[i], sp, places))
			known->guesses[left++] = known->guesses[i];
	known->guess_count = left;
	known->held++;
}

static bool is_decided(const struct known *known)
{
	uint32_t needed = LESSONS_NEEDED << known->strikes;

	if (!known->guess_count || known->held < needed)
		return false;
	return known->guess_count == 1 ||
	       (known->guesses[0].rule != FRAME_FIXED && known->held >= LESSONS_TO_AGREE);
}

/* Holds what is known of an address against where the next one, `frame`, can be. */
static void observe(struct frame_rules *rules, struct known *known, int frame, int sp,
	const struct places *places)
{
	if (known->is_given_up || sp < 0 || !places->count)
		return;
	if (known->is_published && !is_possible(rules, known->guesses[0], sp, places))
		take_back(rules, known);
	if (!known->guess_count) {
		guess(rules, known, frame, sp, places);
	} else {
		bool was_fixed = known->guesses[0].rule == FRAME_FIXED;
		drop_guesses(rules, known, sp, places);
		if (!known->guess_count && was_fixed && !known->is_unaligned) {
			known->is_unaligned = true;
			guess(rules, known, frame, sp, places);
		}
	}
	if (!known->guess_count)
		strike(rules, known);
	else if (is_decided(known))
		publish(rules, known);
}

/* The registers lie where the rule says: it is the same for all entries. */
static void observe_exception(struct frame_rules *rules, struct known *known, int frame)
{
	int word = rules->place[frame] + 1 + FRAME_REGS_IP;

	if (known->is_given_up || rules->place[frame] < 0)
		return;
	if (!can_be_at(rules, frame + 1, word)) {
		strike(rules, known);
		return;
	}
	known->guesses[0] = (struct guess){.rule = FRAME_EXCEPTION};
	known->guess_count = 1;
	known->held++;
	if (is_decided(known))
		publish(rules, known);
}

/* The address is known, which is all that has to be of the last one. */
static void note_last(struct frame_rules *rules, struct known *known)
{
	if (known->is_in_table)
		return;
	write_entry(rules, known, (struct guess){.rule = FRAME_NO_RULE});
	rules->counts.changes += known->is_in_table;
}

/* The frame behind which nothing is learnt: what an interrupt hit can be anything. */
static int find_last(const struct frame_rules *rules)
{
	for (int i = 1; i < rules->frame_count; i++)
		if (kernel_text_kinds(&rules->text, rules->frames[i]) & FRAME_INTERRUPT)
			return i;
	return rules->frame_count - 1;
}

static void observe_all(struct frame_rules *rules)
{
	int last = find_last(rules);
	struct places places;

	for (int i = 0; i < last; i++) {
		struct known *known = known_of(rules, i);
		int sp = sp_behind(rules, i);

		if (is_exception(rules, i))
			observe_exception(rules, known, i);
		else if (sp >= 0 && find_places(rules, i + 1, sp, &places))
			observe(rules, known, i + 1, sp, &places);
	}
	note_last(rules, known_of(rules, last));
}

/* Strikes the rules that lead elsewhere than the lesson, where that is certain. */
static void strike_wrong(struct frame_rules *rules)
{
	int last = find_last(rules);

	for (int i = 0; i < last; i++) {
		struct known *known = known_of(rules, i);
		int sp = sp_behind(rules, i), word;

		if (sp < 0 || rules->place[i + 1] < 0 || !known->is_published)
			continue;
		word = is_exception(rules, i) ? rules->place[i] + 1 + FRAME_REGS_IP
					      : predict(rules, known->guesses[0], sp);
		if (word != rules->place[i + 1])
			strike(rules, known);
	}
}

/* An audit found another stack than the rules: all that it has to do with is doubtful. */
static void learn_mistake(struct frame_rules *rules)
{
	const struct lesson *lesson = rules->lesson;
	const uint64_t *number = map64_find(&rules->numbers, lesson->asker);

	if (!has_trampoline(rules) && take_frames(rules) && find_bounds(rules) && find_known(rules))
		strike_wrong(rules);
	if (number)
		doubt(rules, &rules->known.at[*number]);
	for (uint32_t i = 0; i < lesson->depth; i++) {
		uint64_t key = (uint32_t)lesson->frames[i];
		const uint64_t *numbers[] = {map64_find(&rules->numbers, key),
			map64_find(&rules->numbers, key | FRAME_HIT_BY_EXCEPTION)};
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++)
			if (numbers[k])
				doubt(rules, &rules->known.at[*numbers[k]]);
	}
}

void frame_rules_learn(struct frame_rules *rules, const struct lesson *lesson, size_t bytes)
{
	uint64_t words = (uint64_t)lesson->word_count + lesson->second_count;

	if (bytes < offsetof(struct lesson, words) || lesson->asker >= FRAME_ASKERS ||
		lesson->depth > LESSON_FRAMES || words > 2 * LESSON_WORDS ||
		bytes < offsetof(struct lesson, words) + words * sizeof(*lesson->words))
		return;
	rules->lesson = lesson;
	rules->words = lesson->words;
	rules->word_count = (int)words;
	rules->counts.lessons++;
	if (lesson->is_wrong) {
		learn_mistake(rules);
		return;
	}
	if (has_trampoline(rules) || !take_frames(rules) || !find_bounds(rules)) {
		rules->counts.unusable++;
		return;
	}
	if (!find_known(rules))
		return;
	follow_rules(rules);
	observe_all(rules);
}

void frame_rules_forget_modules(struct frame_rules *rules)
{
	if (!rules->has_modules)
		return;
	rules->has_modules = false;
	vec_each (known, &rules->known) {
		if (!known->address || is_in_core(rules, known->address))
			continue;
		known->is_published = false;
		known->is_given_up = true;
	}
}
