/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `dwell record` and `dwell` in one shot are asked to do. */
#ifndef DWELL_CLI_RECORD_OPTIONS_H
#define DWELL_CLI_RECORD_OPTIONS_H

#include <argp.h>

#include "capture/capture.h"
#include "cli/call_options.h"
#include "cli/command.h"
#include "cli/event_options.h"
#include "cli/perf_options.h"
#include "util/units.h"
#include "util/vec.h"

#define RECORD_DEFAULT_FILE "last.dwell"
#define RECORD_OLD_FILE "last.dwell.old"
/* Of commands that report at once, without a COMMAND. */
#define RECORD_DEFAULT_DURATION_NS (10 * NS_PER_S)
#define RECORD_DEFAULT_MEMORY (256ULL << 20)

struct record_options {
	struct capture_options capture;
	VEC(uint32_t) ids;
	VEC(int) id_folders; /* of -p and -t: /proc/ID of each, or -1 */
	struct event_options events;
	struct call_arguments calls;
	struct perf_options perf;
	const char *output; /* NULL: last.dwell, rotated */
	char **command;     /* NULL-terminated part of argv, NULL if none */
	bool has_target;    /* a target other than the command was given */
	bool is_quiet;
	bool has_call_table; /* while it records a terminal shows the calls */
	bool is_slice_asked; /* else slices are as long as suits the duration */
	const char *name;    /* of the command that records, "" for one shot */
	char *target_text;
	char *command_line;
};

/* Defaults as documented. */
void record_options_init(struct record_options *options);
/* The argp of both commands; its input is struct record_options. */
extern const struct argp record_argp;
/* Its part about the target alone, for commands that only look. */
extern const struct argp target_argp;
/*
 * Defaults, then argv, then the target settled and put into words. OPTIONS_GO_ON, or the status to
 * exit with after help or a complaint: with a COMMAND that is 125, whose own statuses take up the
 * rest.
 */
int record_options_parse(
	struct record_options *options, const struct command *command, int argc, char **argv);
/* The same after record_options_init(), for commands that have their own argp around record_argp,
 * whose input is `input`. */
int record_options_read(struct record_options *options, const struct command *command,
	const struct argp *argp, void *input, int argc, char **argv);
/* Without a COMMAND or a time it stops after 10 s, and says so. */
void record_options_limit(struct record_options *options);
/* The last step of it, for commands that have their own argp around target_argp. 0 or a status. */
int record_options_settle(struct record_options *options, int argc, char **argv);
void record_options_clear(struct record_options *options);

#endif
