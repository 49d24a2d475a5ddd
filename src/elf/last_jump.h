/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A jump to what a register or memory says is a switch, which stays in the function, or the
 * function's last call through a pointer. What stands before it tells.
 */
#ifndef DWELL_ELF_LAST_JUMP_H
#define DWELL_ELF_LAST_JUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUMP_HISTORY 8

/* The last instructions before, since one that led elsewhere: a ring of their offsets in code. */
struct jump_history {
	const unsigned char *code;
	uint64_t at[JUMP_HISTORY];
	uint8_t bytes[JUMP_HISTORY];
	size_t count; /* all that there were */
};

void jump_history_add(struct jump_history *history, uint64_t at, size_t bytes);

enum jump_look {
	JUMP_LOOKS_LIKE_SWITCH, /* it takes where it leads from a table */
	JUMP_LOOKS_PLAIN,       /* from nothing else, as far as is seen */
	JUMP_LOOKS_LAST,        /* the function has just given its frame back */
};

/* Of a jump behind these. */
enum jump_look jump_look(
	const struct jump_history *history, const unsigned char *jump, size_t bytes);

#endif
