/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What those who ask and those who parse share; parser.h is for others. */
#ifndef DWELL_SYMBOL_OUTSIDE_PARSER_PRIVATE_H
#define DWELL_SYMBOL_OUTSIDE_PARSER_PRIVATE_H

#include "symbol/outside/parser.h"

enum parser_job {
	PARSER_FACTS,
	PARSER_TABLE,
	PARSER_NAMES,
	PARSER_VARIABLES,
	PARSER_CHECKSUM,
	PARSER_DEMANGLE,
	PARSER_FUNCTION,
	PARSER_FUNCTIONS,
	PARSER_FUNCTION_NEAR,
	PARSER_OFFSET,
	PARSER_RETURNS,
	PARSER_USDT,
	PARSER_USDT_NAMES,
	PARSER_USDT_NEAR,
	PARSER_UNWINDS,
};

/* Behind it stands a name or a pattern, where the job is about one, or functions (PARSER_RETURNS).
 */
struct parser_question {
	enum parser_job job;
	union {
		uint32_t checksum;
		uint32_t needed_arguments;
		uint32_t provider_bytes; /* of the name of PARSER_USDT: the rest is the probe's */
		struct parser_place {
			uint64_t begin; /* of a function, in the file */
			uint64_t bytes;
			uint64_t wanted;
		} place;
	};
};

/* What asker and parser keep names to. */
#define PARSER_MAX_NAME_BYTES 4096

/* An answer is an int, 0 or -errno, and what was asked for. */
void parser_work(const struct helper_message *question, struct helper_message *answer);

struct elf_bytes;
struct elf_file;

/* parser_places.c: what those jobs add to an answer. 0 or -errno. */
int parser_add_functions(const struct elf_file *file, const char *pattern,
	unsigned int needed_arguments, struct elf_bytes *answer);
void parser_add_offset(
	const struct elf_file *file, const struct parser_place *place, struct elf_bytes *answer);
int parser_add_near(const struct elf_file *file, const char *name, struct elf_bytes *answer);
int parser_add_usdt(const struct elf_file *file, const char *provider, const char *name,
	struct elf_bytes *answer);
int parser_add_usdt_names(const struct elf_file *file, struct elf_bytes *answer);
int parser_add_usdt_near(const struct elf_file *file, const char *name, struct elf_bytes *answer);

/* parser_returns.c: of functions as they stand behind the question. 0 or -EINVAL. */
int parser_add_returns(
	const struct elf_file *file, const char *functions, size_t bytes, struct elf_bytes *answer);

struct elf_cursor;

/* parser.c: the answer's status; what follows it is left in `at`, in bytes of `told`, which is the
 * caller's. */
int parser_ask(struct helpers *parsers, const struct helper_message *question,
	struct helper_message *told, struct elf_cursor *at);
/* A question with a name behind it, and the file it is about; fd -1: none. */
int parser_ask_by_name(struct helpers *parsers, struct parser_question question, const char *name,
	size_t length, int fd, struct helper_message *told, struct elf_cursor *at);

/* Gives up all rights but those to compute and to answer. 0 or -errno. */
int sandbox_enter(uint64_t memory_bytes);

#endif
