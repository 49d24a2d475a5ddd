// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the frames of a lesson lie is known of most from the lesson itself (frame_lesson.c). Rules
 * that count already give further places, up and down. Then each frame whose place is certain is
 * asked which guesses about the next one's place still hold.
 */
#include "kernel/frame_rules.h"

#include <string.h>

#include "kernel/frame_guess.h"
#include "util/map64.h"

#define MOST_ADDRESSES 16384
/* A rule must have fitted so many lessons; twice as many after each time that one did not hold. */
#define LESSONS_NEEDED 5
/* Several that say the same all the time are as good as one. */
#define LESSONS_TO_AGREE 16
#define MOST_STRIKES 3

/* A return address, or a place where an exception hit, or a program's context. */
struct known {
	uint64_t address; /* 0: a program's context */
	uint64_t key;     /* as in an entry; of a context its program's number */
	struct guesses guesses;
	uint8_t strikes;   /* times that none was left */
	bool is_published; /* the first guess is in the table */
	bool is_in_table;  /* its address is, with or without a rule */
	bool is_given_up;  /* the unwinder's for good */
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
	struct frame_lesson lesson; /* that is read */
	uint32_t known_of[LESSON_FRAMES + 1];
};

struct frame_rules *frame_rules_new(const struct kernel_text *text, text_ranges *modules,
	struct frame_table *table, volatile __u64 *first)
{
	struct frame_rules *rules = xcalloc(1, sizeof(*rules));

	rules->text = *text;
	rules->modules = *modules;
	*modules = (text_ranges){0};
	rules->has_modules = true;
	rules->lesson.text = &rules->text;
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

/*
 * Only of code that stays where it is, or whose end is told. A tracer's trampoline stands for
 * another address each time; the unwinder knows which, but for moments in which it gives the
 * trampoline's own.
 */
static bool is_learnable(const struct frame_rules *rules, uint64_t address)
{
	if (kernel_text_is_trampoline(&rules->text, address))
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
	__u64 *ways = rules->table->ways[FRAME_SET(key)];

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
	write_entry(rules, known, known->guesses.at[0]);
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
	known->guesses = (struct guesses){0};
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

static struct known *known_of(struct frame_rules *rules, int frame)
{
	return &rules->known.at[rules->known_of[frame]];
}

static bool find_known(struct frame_rules *rules)
{
	for (int i = 0; i < rules->lesson.frame_count; i++) {
		uint64_t address = rules->lesson.frames[i];
		bool is_hit = frame_lesson_is_exception(&rules->lesson, i - 1);
		int64_t number =
			!i ? number_of(rules, 0, rules->lesson.told->asker)
			   : number_of(rules, address,
				     (uint32_t)address | (is_hit ? FRAME_HIT_BY_EXCEPTION : 0));
		if (number < 0)
			return false;
		rules->known_of[i] = (uint32_t)number;
	}
	return true;
}

/* Places that follow from rules that count, from the inside on and then from the outside on. */
static void follow_rules(struct frame_rules *rules)
{
	for (int i = 0; i + 1 < rules->lesson.frame_count; i++) {
		const struct known *known = known_of(rules, i);
		int word = -1;

		if (rules->lesson.place[i + 1] >= 0 || (i && rules->lesson.place[i] < 0))
			continue;
		if (frame_lesson_is_exception(&rules->lesson, i))
			word = rules->lesson.place[i] + 1 + FRAME_REGS_IP;
		else if (known->is_published)
			word = guess_predict(&rules->lesson, known->guesses.at[0],
				frame_lesson_sp_behind(&rules->lesson, i));
		if (frame_lesson_can_be_at(&rules->lesson, i + 1, word))
			rules->lesson.place[i + 1] = word;
	}
	for (int i = rules->lesson.frame_count - 2; i > 0; i--) {
		const struct known *known = known_of(rules, i);
		int word;

		if (rules->lesson.place[i] >= 0 || rules->lesson.place[i + 1] < 0 ||
			!known->is_published || known->guesses.at[0].rule != FRAME_FIXED ||
			frame_lesson_is_exception(&rules->lesson, i - 1))
			continue;
		word = frame_lesson_word(&rules->lesson,
			frame_lesson_address(&rules->lesson, rules->lesson.place[i + 1]) -
				(known->guesses.at[0].size + 1) * 8ULL);
		if (frame_lesson_can_be_at(&rules->lesson, i, word))
			rules->lesson.place[i] = word;
	}
}

static bool is_decided(const struct known *known)
{
	uint32_t needed = LESSONS_NEEDED << known->strikes;

	if (!known->guesses.count || known->guesses.held < needed)
		return false;
	return known->guesses.count == 1 || (known->guesses.at[0].rule != FRAME_FIXED &&
						    known->guesses.held >= LESSONS_TO_AGREE);
}

/* Holds what is known of an address against where the next one, `frame`, can be. */
static void observe(struct frame_rules *rules, struct known *known, int frame, int sp,
	const struct places *places)
{
	if (known->is_given_up || sp < 0 || !places->count)
		return;
	if (known->is_published &&
		!guess_is_possible(&rules->lesson, known->guesses.at[0], sp, places))
		take_back(rules, known);
	if (!known->guesses.count) {
		guesses_make(&known->guesses, &rules->lesson, frame, sp, places);
	} else {
		bool was_fixed = known->guesses.at[0].rule == FRAME_FIXED;
		guesses_drop(&known->guesses, &rules->lesson, sp, places);
		if (!known->guesses.count && was_fixed && !known->guesses.is_unaligned) {
			known->guesses.is_unaligned = true;
			guesses_make(&known->guesses, &rules->lesson, frame, sp, places);
		}
	}
	if (!known->guesses.count)
		strike(rules, known);
	else if (is_decided(known))
		publish(rules, known);
}

/* The registers lie where the rule says: it is the same for all entries. */
static void observe_exception(struct frame_rules *rules, struct known *known, int frame)
{
	int word = rules->lesson.place[frame] + 1 + FRAME_REGS_IP;

	if (known->is_given_up || rules->lesson.place[frame] < 0)
		return;
	if (!frame_lesson_can_be_at(&rules->lesson, frame + 1, word)) {
		strike(rules, known);
		return;
	}
	known->guesses.at[0] = (struct guess){.rule = FRAME_EXCEPTION};
	known->guesses.count = 1;
	known->guesses.held++;
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

static void observe_all(struct frame_rules *rules)
{
	int last = frame_lesson_last(&rules->lesson);
	struct places places;

	for (int i = 0; i < last; i++) {
		struct known *known = known_of(rules, i);
		int sp = frame_lesson_sp_behind(&rules->lesson, i);

		if (frame_lesson_is_exception(&rules->lesson, i))
			observe_exception(rules, known, i);
		else if (sp >= 0 && frame_lesson_places(&rules->lesson, i + 1, sp, &places))
			observe(rules, known, i + 1, sp, &places);
	}
	note_last(rules, known_of(rules, last));
}

/* Strikes the rules that lead elsewhere than the lesson, where that is certain. */
static void strike_wrong(struct frame_rules *rules)
{
	int last = frame_lesson_last(&rules->lesson);

	for (int i = 0; i < last; i++) {
		struct known *known = known_of(rules, i);
		int sp = frame_lesson_sp_behind(&rules->lesson, i), word;

		if (sp < 0 || rules->lesson.place[i + 1] < 0 || !known->is_published)
			continue;
		word = frame_lesson_is_exception(&rules->lesson, i)
			       ? rules->lesson.place[i] + 1 + FRAME_REGS_IP
			       : guess_predict(&rules->lesson, known->guesses.at[0], sp);
		if (word != rules->lesson.place[i + 1])
			strike(rules, known);
	}
}

/* An audit found another stack than the rules: all that it has to do with is doubtful. */
static void learn_mistake(struct frame_rules *rules)
{
	const struct lesson *lesson = rules->lesson.told;
	const uint64_t *number = map64_find(&rules->numbers, lesson->asker);

	if (frame_lesson_read(&rules->lesson) && find_known(rules))
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
	if (!frame_lesson_take(&rules->lesson, lesson, bytes))
		return;
	rules->counts.lessons++;
	if (lesson->is_wrong) {
		learn_mistake(rules);
		return;
	}
	if (!frame_lesson_read(&rules->lesson)) {
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
