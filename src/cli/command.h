/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command is one file, cmd_NAME.c, with one const entry; main.c holds the table of them. What all
 * commands share is here: how they end, how they complain, how they read their options.
 */
#ifndef DWELL_CLI_COMMAND_H
#define DWELL_CLI_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "util/why.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_NOTHING = 1,          /* nothing found, or a gate failed */
	STATUS_USAGE = 2,            /* usage or I/O error */
	STATUS_REFUSED = 3,          /* privilege or kernel support missing */
	STATUS_COMMAND_FAILED = 125, /* with COMMAND: dwell's own failure */
	STATUS_COMMAND_NOT_EXECUTABLE = 126,
	STATUS_COMMAND_NOT_FOUND = 127,
};

/* An option that a command does not have, but that its users know from elsewhere. */
struct stranger {
	char letter;
	const char *name;    /* without dashes; NULL ends an array */
	const char *instead; /* what to know or to give */
};

struct command {
	const char *name;        /* "report" */
	const char *usage;       /* "[FILE] [OPTION...]" */
	const char *summary;     /* one sentence without a full stop */
	const char *examples;    /* lines of "  command   what it does", for help */
	const struct argp *argp; /* its options */
	int (*run)(const struct command *command, int argc, char **argv); /* exit status */
	bool needs_rights; /* it records, or asks whether it could; others only look at files */
	const struct stranger *strangers; /* or NULL */
	bool has_words; /* words and options in any order; a COMMAND stands behind -- only */
};

extern const struct command cmd_record;
extern const struct command cmd_calls;
extern const struct command cmd_report;
extern const struct command cmd_flame;
extern const struct command cmd_html;
extern const struct command cmd_diff;
extern const struct command cmd_import;
extern const struct command cmd_list;
extern const struct command cmd_check;
/* `dwell TARGET|-- COMMAND`: not in the table, chosen when the first word is no command. */
extern const struct command cmd_oneshot;

/* From here on files are looked at with the rights of who looks, not with those of the program. */
void command_give_up_rights(void);

/* Prints "dwell: ..." as one line to stderr, control characters made harmless; returns status. */
__attribute__((format(printf, 2, 3))) int fail(int status, const char *format, ...);

/* The same for a file that could not be read, or of which a filter leaves nothing (-ERANGE). */
int fail_reading(int error, const struct why *why);

/*
 * Parses argv (argv[0] is skipped) by argp's table and parser, into input. `flags` are argp's
 * (ARGP_IN_ORDER for commands that take a COMMAND). Options may be given in any unambiguous
 * abbreviation. -h prints a short help, --help the full one, to stdout.
 * Returns OPTIONS_GO_ON, or the status to exit with after help or a complaint.
 * A parser that finds a bad value calls fail() and returns EINVAL.
 */
#define OPTIONS_GO_ON (-1)
int options_parse(const struct command *command, const struct argp *argp, unsigned int flags,
	int argc, char **argv, void *input);

/* The help of a command on stdout; is_full adds every option. */
void command_help(const struct command *command, const struct argp *argp, int is_full);

/*
 * Flushes stdout; a failed write (disk full) is a complaint and STATUS_USAGE, a closed pipe is
 * none. Commands that print end with: return finish_stdout(status).
 */
int finish_stdout(int status);

#endif
