/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts with which shells complete dwell's commands, options and values. They are made from the
 * argp tables that also parse the command line, so nothing here knows an option by itself but those
 * whose values are words of a table elsewhere (values.c).
 */
#ifndef DWELL_CLI_COMPLETION_H
#define DWELL_CLI_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

#include "cli/command.h"

/* What a value or an operand can be. */
enum completion_kind {
	COMPLETION_NOTHING, /* a flag, or a command without operands */
	COMPLETION_ANY,     /* a time, a number, a pattern: the user's own */
	COMPLETION_WORDS,   /* one of `words` */
	COMPLETION_LIST,    /* some of `words`, with commas between them */
	COMPLETION_PIDS,
	COMPLETION_TIDS,
	COMPLETION_FILE,
	COMPLETION_RECORDING, /* a file that ends like a recording */
	COMPLETION_COMMAND,   /* a program and its arguments */
	COMPLETION_BEHIND,    /* words of the user's own; behind -- a program and its arguments */
};

/* The ends of names of recordings, with a blank between them. */
#define COMPLETION_RECORDINGS ".dwell .dwell.old"

struct completion_option {
	const char *name; /* without the dashes, or NULL */
	char letter;      /* or 0 */
	bool is_optional; /* the value, which then follows an equals sign */
	const char *doc;
	const char *value; /* what help calls the value: "TIME" */
	enum completion_kind kind;
	char *words; /* with blanks between them, or NULL */
};

struct completion_command {
	const struct command *command;
	struct completion_option *options;
	size_t option_count;
	enum completion_kind operand;
};

/* The last command is the one without a name: dwell in one shot. */
struct completion {
	struct completion_command *commands;
	size_t command_count;
	char *topics; /* of dwell help, with blanks between them */
};

/* Kind and words of an option's value, by what its table says; the caller frees the words. */
enum completion_kind completion_value(
	const struct command *command, const struct argp_option *option, char **ret_words);
/* The same for what is no option, by the command's usage. */
enum completion_kind completion_operand(const struct command *command);

void completion_write_bash(const struct completion *completion, FILE *out);
void completion_write_zsh(const struct completion *completion, FILE *out);
void completion_write_fish(const struct completion *completion, FILE *out);

/*
 * dwell completion SHELL: argv[1] is bash, zsh or fish. `commands` are those with a name. Returns
 * the status to exit with.
 */
int completion_run(const struct command *const *commands, size_t count, int argc, char **argv);

#endif
