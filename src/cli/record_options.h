/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `dwell record` and `dwell` in one shot are asked to do. */
#ifndef DWELL_CLI_RECORD_OPTIONS_H
#define DWELL_CLI_RECORD_OPTIONS_H

#include <argp.h>

#include "capture/capture.h"
#include "util/vec.h"

#define RECORD_DEFAULT_FILE "last.dwell"
#define RECORD_OLD_FILE "last.dwell.old"
#define RECORD_DEFAULT_MEMORY (256ULL << 20)

struct record_options {
	struct capture_options capture;
	VEC(uint32_t) ids;
	const char *output; /* NULL: last.dwell, rotated */
	char **command;     /* NULL-terminated part of argv, NULL if none */
	bool has_target;    /* a target other than the command was given */
	bool is_quiet;
	char *target_text;
	char *command_line;
	/* Used by `dwell` in one shot, hidden in `dwell record`. */
	bool is_oneshot;
	bool no_color;
};

/* Defaults as documented. */
void record_options_init(struct record_options *options);
/* The argp of both commands; its input is struct record_options. */
extern const struct argp record_argp;
/* Its part about the target alone, for commands that only look. */
extern const struct argp target_argp;
/* After parsing: settles the target and describes it. 0, or a status after a complaint. */
int record_options_settle(struct record_options *options, int argc, char **argv);
void record_options_clear(struct record_options *options);

#endif
