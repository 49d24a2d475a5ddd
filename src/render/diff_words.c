// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison in plain words. The sentence says by how much the time changed, and of each question
 * (why, in which function, woken by whom, for what) the answer that most of the change is due to,
 * if it is half of it or more. The lines below have the largest changes of each question.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "render/diff.h"
#include "render/layout.h"

/* Answers to a question in its line. */
#define LINE_ANSWERS 3
/* Changes below this share of the larger whole are not worth words. */
#define SMALLEST 0.01
/* Columns of a line's first word. */
#define WORD_COLUMNS 13

struct answer {
	const char *name;
	double before;
	double after;
};

struct words {
	FILE *out;
	const struct diff_text *text;
	double before, after; /* of the whole */
};

typedef VEC(struct answer) answers;

static double change(const struct answer *answer)
{
	return answer->after - answer->before;
}

static bool is_of_shares(const struct words *words)
{
	return !strcmp(words->text->unit, "%");
}

/* "1.3 s", "23.1 %", "150" */
static char *amount(const struct words *words, double value)
{
	char room[UNITS_ROOM];

	if (words->text->is_time)
		return xstrdup(units_duration((uint64_t)llround(value * 1e9), room));
	if (is_of_shares(words))
		return xasprintf("%.1f %%", 100 * value);
	if (value >= 100)
		return xstrdup(units_count((uint64_t)llround(value), room));
	return xasprintf("%.3g", value);
}

/* "+1.1 s (0.2 s to 1.3 s)", "0.9 s, new", "gone, 0.9 s before" */
static char *change_words(const struct words *words, const struct answer *answer)
{
	_cleanup_free_ char *by = amount(words, fabs(change(answer)));
	_cleanup_free_ char *before = amount(words, answer->before);
	_cleanup_free_ char *after = amount(words, answer->after);

	if (answer->before <= 0)
		return xasprintf("+%s (new)", by);
	if (answer->after <= 0)
		return xasprintf("-%s (gone)", by);
	return xasprintf("%c%s (%s to %s)", change(answer) > 0 ? '+' : '-', by, before, after);
}

static double largest_whole(const struct words *words)
{
	return words->before > words->after ? words->before : words->after;
}

static bool is_worth_words(const struct words *words, const struct answer *answer)
{
	return fabs(change(answer)) >= SMALLEST * largest_whole(words);
}

static void put_line(const struct words *words, const char *word, const answers *all)
{
	_cleanup_free_ char *line = NULL;
	size_t count = 0;

	for (size_t i = 0; i < all->count && count < LINE_ANSWERS; i++) {
		const struct answer *answer = &all->at[i];
		if (!is_worth_words(words, answer))
			break;
		_cleanup_free_ char *by = change_words(words, answer);
		char *longer = xasprintf(
			"%s%s%s %s", line ? line : "", line ? "; " : "", answer->name, by);
		free(line);
		line = longer;
		count++;
	}
	if (!line)
		return;
	fprintf(words->out, "  %-*s", WORD_COLUMNS, word);
	layout_wrap(words->out, line, words->text->width, WORD_COLUMNS + 2, WORD_COLUMNS + 2);
}

/* "; of the change 92 % is lock" if half of the change or more is due to that answer. */
static void add_share(const struct words *words, const answers *all, const char *form, char **ret)
{
	double whole = words->after - words->before;
	const struct answer *first = all->count ? &all->at[0] : NULL;
	double share = first && whole != 0 ? change(first) / whole : 0;
	char percent[32];

	if (share < 0.5)
		return;
	/* Others may have gone the other way: then one answer is more than the whole change. */
	if (share > 1)
		snprintf(percent, sizeof(percent), "more than all");
	else
		snprintf(percent, sizeof(percent), "%.0f %%", 100 * share);
	_cleanup_free_ char *part = xasprintf(form, percent, first->name);
	char *longer =
		xasprintf("%s%s %s", *ret, strchr(*ret, ';') ? "," : "; of the change", part);
	free(*ret);
	*ret = longer;
}

/* Shares of each total add up to the same; how much there is of what is counted is no "time". */
static char *whole_words(const struct words *words, const char *what)
{
	double ratio = words->before > 0 ? words->after / words->before : INFINITY;
	_cleanup_free_ char *before = amount(words, words->before);
	_cleanup_free_ char *after = amount(words, words->after);

	if (is_of_shares(words))
		return xasprintf("In short, as shares of each whole (%s)", what);
	if (fabs(words->after - words->before) < SMALLEST * largest_whole(words))
		return xasprintf("In short: %s as before (%s, then %s)", what, before, after);
	if (!words->text->is_time)
		return xasprintf("In short: %s %s: %s instead of %s", ratio > 1 ? "more" : "fewer",
			what, after, before);
	if (ratio >= 2 && isfinite(ratio))
		return xasprintf("In short: %s is %.*f times what it was, %s instead of %s", what,
			ratio < 10 ? 1 : 0, ratio, after, before);
	return xasprintf(
		"In short: %s %s from %s to %s", what, ratio > 1 ? "grew" : "fell", before, after);
}

/* What figures are of, and what is not in them: "", or sentences behind the first. */
static char *remarks(const struct diff_text *text)
{
	const char *aside = text->aside;

	if (text->per[0])
		return xasprintf(" %s are %s%s%s.", text->is_time ? "Times" : "Figures", text->per,
			aside ? "; " : "", aside ? aside : "");
	return aside ? xasprintf(" %c%s.", toupper(aside[0]), aside + 1) : xstrdup("");
}

static void gather_functions(const struct diff *diff, const diff_functions *functions, answers *ret,
	struct intern *names)
{
	for (size_t i = 0; i < functions->count; i++) {
		const struct diff_function *function = &functions->at[i];
		const struct tree_frame *frame = &diff->tree.frames.at[function->frame];
		const char *object = intern_text(&diff->tree.labels, frame->object);
		_cleanup_free_ char *name =
			xasprintf("%s%s%s%s", intern_text(&diff->tree.labels, frame->label),
				object[0] ? " (" : "", object, object[0] ? ")" : "");
		struct answer answer = {intern_text(names, intern(names, name)),
			function->own_before, function->own_after};
		vec_push(ret, answer);
	}
}

static void gather_facts(const struct diff_facts *facts, enum diff_question question, answers *ret)
{
	vec_each (fact, &facts->at[question]) {
		struct answer answer = {
			intern_text(&facts->names, fact->name), fact->before, fact->after};
		vec_push(ret, answer);
	}
}

/* The weights of a comparison by share are of the view alone: its states say nothing. */
static void put_lines(const struct words *words, const answers *functions, const answers *facts)
{
	static const char *const lines[DIFF_QUESTIONS] = {[DIFF_STATE] = "threads were",
		[DIFF_REASON] = "why",
		[DIFF_WAKER] = "woken by",
		[DIFF_THING] = "waiting for",
		[DIFF_THREAD] = "in thread"};

	if (!is_of_shares(words))
		put_line(words, lines[DIFF_STATE], &facts[DIFF_STATE]);
	put_line(words, lines[DIFF_REASON], &facts[DIFF_REASON]);
	put_line(words, "in function", functions);
	for (unsigned int i = DIFF_WAKER; i < DIFF_QUESTIONS; i++)
		put_line(words, lines[i], &facts[i]);
}

void diff_words_print(FILE *out, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text)
{
	const struct diff_weight *root = &diff->weights.at[TREE_ROOT];
	struct words words = {out, text, root->total_before, root->total_after};
	answers of_functions = {0}, of_facts[DIFF_QUESTIONS] = {0};
	struct intern names = {0};

	gather_functions(diff, functions, &of_functions, &names);
	for (unsigned int i = 0; i < DIFF_QUESTIONS; i++)
		gather_facts(text->facts, (enum diff_question)i, &of_facts[i]);
	char *sentence = whole_words(&words, text->what_time);
	if (is_worth_words(&words, &(struct answer){"", words.before, words.after})) {
		add_share(&words, &of_facts[DIFF_REASON], "%s is %s", &sentence);
		add_share(&words, &of_functions, "%s is in %s", &sentence);
		add_share(&words, &of_facts[DIFF_THING], "%s is for %s", &sentence);
		add_share(&words, &of_facts[DIFF_WAKER], "%s was ended by %s", &sentence);
	}
	_cleanup_free_ char *more = remarks(text);
	_cleanup_free_ char *whole = xasprintf("%s.%s", sentence, more);
	putc('\n', out);
	layout_wrap(out, whole, text->width, 0, 0);
	put_lines(&words, &of_functions, of_facts);
	free(sentence);
	intern_clear(&names);
	vec_clear(&of_functions);
	for (unsigned int i = 0; i < DIFF_QUESTIONS; i++)
		vec_clear(&of_facts[i]);
}
