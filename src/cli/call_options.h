/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that a recording takes apart, as the command line asks for them: --calls (or a word of
 * `dwell calls`), --slower, --if, --force. What a word means follows from the target, which may
 * stand behind it, so words are kept until call_arguments_settle().
 */
#ifndef DWELL_CLI_CALL_OPTIONS_H
#define DWELL_CLI_CALL_OPTIONS_H

#include <argp.h>

#include "capture/capture.h"

/* One --calls; texts are argv's. */
struct call_word {
	const char *text;
	const char *slower; /* NULL: as of all */
	const char *test;   /* NULL: every call */
};

struct call_arguments {
	VEC(struct call_word) words;
	size_t last;        /* what stands behind is of the words from here on */
	bool are_bare;      /* words may stand without --calls: dwell calls */
	bool is_last;       /* the last of -e and --calls was a --calls */
	bool is_told;       /* an option was given of the words from `last` on */
	const char *slower; /* of all that say nothing else; NULL: the default */
	double most_cost;
	bool is_forced;
	bool may_take_returns;
	call_requests requests; /* when it is settled: what the capture borrows */
};

/* All zero is a valid empty one. Its argp's input is struct call_arguments. */
extern const struct argp call_options_argp;
void call_arguments_clear(struct call_arguments *arguments);

/*
 * One more word. What stands behind it is of it alone, or, if `is_joined`, of the words right
 * before it, too, as in "read write --slower 10ms".
 */
void call_arguments_add(struct call_arguments *arguments, const char *text, bool is_joined);
/* An --if that comes now: is it of a --calls? */
bool call_arguments_are_last(const struct call_arguments *arguments);
/* There was an -e. */
void call_arguments_pass(struct call_arguments *arguments);
/* --if of the last. 0, or EINVAL after a complaint. */
int call_arguments_set_test(struct call_arguments *arguments, const char *test);

/* Is one of the words a function without its file? */
bool call_arguments_need_program(const struct call_arguments *arguments);

/*
 * When all options are read: words are understood and put where a capture looks for them. Those
 * without a file are functions of `program` (NULL: of none). 0, or the status `usage` after a
 * complaint.
 */
int call_arguments_settle(struct call_arguments *arguments, struct capture_options *capture,
	const char *program, int usage);
/* What the functions that are watched are not, on stderr. */
void call_options_say_functions(const struct capture *capture);
/* What watching calls will cost the target, on stderr. */
void call_options_say_price(const struct capture *capture);

#endif
