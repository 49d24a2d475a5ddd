/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What commands that turn stacks into pictures or folded text are asked: which view, which weight,
 * which file to write. One argp child, whose input is a struct stack_options.
 */
#ifndef DWELL_CLI_STACK_OPTIONS_H
#define DWELL_CLI_STACK_OPTIONS_H

#include <argp.h>

#include "cli/input.h"
#include "cli/output_format.h"
#include "cli/view_options.h"

struct stack_options {
	const char *view;          /* its name */
	bool has_view;             /* --view was given */
	bool weighs_counts;        /* else time */
	bool weighs_causes;        /* each hop's own share */
	bool is_roots_only;        /* without threads that are seen in the chains of others */
	bool has_full_names;       /* of text: as they are written */
	const char *output;        /* or NULL */
	bool is_folded;            /* -f: folded text, whatever the file is called */
	enum output_format format; /* by its ending, or by -f */
};

/* Complaints carry `dwell: `. */
extern const struct argp stack_options_argp;

/* Puts what was asked into the shape, and of slow calls into the filter. STATUS_USAGE after a
 * complaint if the view cannot have it. */
int stack_options_settle(struct stack_options *stacks, struct view_options *view);

/* Says on stderr what of an input was not used, or not recorded, or is not shown. */
void say_losses(const char *path, const struct input *input);

/* "idle 12.3 s set aside (--idle show)"; NULL if none is. The caller frees it. */
char *stack_options_idle(const struct input *input);

#endif
