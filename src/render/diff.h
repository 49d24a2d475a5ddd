/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as text for people and as JSON. */
#ifndef DWELL_RENDER_DIFF_H
#define DWELL_RENDER_DIFF_H

#include <stdio.h>

#include "profile/diff.h"
#include "util/json.h"

struct diff_text {
	const char *before; /* names of the two sides */
	const char *after;
	const char *what;    /* "offcpu time", "samples" */
	const char *unit;    /* of weights: "s/s", "%", "s", "samples" */
	bool more_is_slower; /* as of time; more events are only more */
	double factor;       /* weights are multiplied by this where they are printed */
	size_t top;          /* functions of each kind of change */
	size_t width;        /* columns */
};

void diff_print(FILE *out, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text);
/* Everything, as one object. */
void diff_json(struct json *json, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text);

#endif
