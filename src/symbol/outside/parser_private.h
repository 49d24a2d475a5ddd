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
};

/* Behind it stands the name of PARSER_DEMANGLE or PARSER_FUNCTION. */
struct parser_question {
	enum parser_job job;
	uint32_t checksum;
};

/* An answer is an int, 0 or -errno, and what was asked for. */
void parser_work(const struct helper_message *question, struct helper_message *answer);

/* Gives up all rights but those to compute and to answer. 0 or -errno. */
int sandbox_enter(uint64_t memory_bytes);

#endif
