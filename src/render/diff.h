/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as text for people, as JSON, as a picture and as folded text. */
#ifndef DWELL_RENDER_DIFF_H
#define DWELL_RENDER_DIFF_H

#include <stdio.h>

#include "profile/diff.h"
#include "profile/diff_calls.h"
#include "profile/diff_facts.h"
#include "util/json.h"

struct diff_text {
	const char *before; /* names of the two sides */
	const char *after;
	const char *what;      /* "offcpu time", "samples" */
	const char *unit;      /* of weights: "s/s", "%", "s", "samples" */
	bool more_is_slower;   /* as of time; more events are only more */
	double factor;         /* weights are multiplied by this where they are printed */
	size_t top;            /* functions of each kind of change */
	size_t width;          /* columns */
	const char *what_time; /* for sentences: "off-CPU time" */
	const char *per;       /* what amounts are of: "for each second of recording"; "" */
	bool is_time;          /* weights are seconds */
	bool is_raw; /* weights are as they were counted, whole numbers unless they are time */
	const char *title; /* of a picture; NULL: its usual one */
	/* What else changed (diff_words.c), or NULL: not both sides are recordings of time. */
	const struct diff_facts *facts;
	const diff_calls *calls; /* or NULL */
	const char *aside;       /* what is not compared, in words; NULL: nothing */
};

/* The change in plain words: a sentence, then a line for each question. */
void diff_words_print(FILE *out, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text);

/* Calls that changed markedly, a line for each function. */
void diff_calls_print(FILE *out, const diff_calls *calls, size_t width);
/* "calls": all of them; nothing if there are none. */
void diff_calls_json(struct json *json, const diff_calls *calls);

void diff_print(FILE *out, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text);
/* Everything, as one object. */
void diff_json(struct json *json, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text);

/*
 * Widths of a picture show whichever side is larger, so that what is gone is still to be seen: the
 * tree's own weights are set to that. 0 or -errno with why.
 */
int diff_picture_write(
	const struct diff *diff, const struct diff_text *text, FILE *out, struct why *why);
/*
 * The two columns that difffolded.pl writes and flame graph tools read: in millionths, or what was
 * counted as it is. 0; errors are the stream's.
 */
int diff_folded_write(
	const struct diff *diff, const struct diff_text *text, FILE *out, struct why *why);

#endif
