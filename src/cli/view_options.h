/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that all looking commands share: time range, bands, states, reasons, threads, idle,
 * names and sides of a stack. One argp child, so that their words are written once.
 */
#ifndef DWELL_CLI_VIEW_OPTIONS_H
#define DWELL_CLI_VIEW_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "profile/view.h"

#define VIEW_DEFAULT_FILE "last.dwell"

struct view_options {
	struct view_filter filter;
	struct stack_shape shape; /* by comm unless asked otherwise */
	bool has_by;
	bool has_idle; /* --idle was given; else filter.idle is the command's own default */
};

void view_options_init(struct view_options *options);
void view_options_clear(struct view_options *options);
/*
 * Of a view called "slow:FUNCTION", makes a filter for slow calls of that, and the view is that of
 * all time. Once options are parsed. STATUS_DONE, or STATUS_USAGE after a complaint.
 */
int view_options_take_slow(struct view_options *options, const char **view);

/*
 * A child for a command's argp. In ARGP_KEY_INIT the parent's parser sets state->child_inputs[0] to
 * the struct view_options. Complaints carry `dwell: `, values are checked against each other at the
 * end.
 */
extern const struct argp view_options_argp;

#endif
