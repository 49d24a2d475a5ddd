// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compilers have switches take where they lead from a table by an index, or add to a register what
 * a table has. A frame is given back by popping registers that callers keep, by leave, or by adding
 * to the stack pointer; the latter also takes arguments off behind a call, and so counts for less.
 */
#include "elf/last_jump.h"

#include <string.h>

#define RSP 4
#define NO_REGISTER 16

/* What is known of an instruction of one opcode byte and modrm. */
struct taken {
	unsigned char opcode;
	unsigned char modrm;
	unsigned char reg; /* with what REX adds */
	unsigned char rm;  /* the register, or the one that an address begins with */
	bool is_memory;
	bool has_index;
	bool has_notrack;
};

static struct taken take_apart(const unsigned char *code, size_t bytes)
{
	struct taken taken = {.rm = NO_REGISTER};
	unsigned char rex = 0, sib;
	size_t at = 0;

	for (; at < bytes && (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0x3e); at++)
		taken.has_notrack |= code[at] == 0x3e;
	if (at < bytes && (code[at] & 0xf0) == 0x40)
		rex = code[at++];
	taken.opcode = at < bytes ? code[at++] : 0;
	taken.modrm = at < bytes ? code[at++] : 0;
	taken.reg = (unsigned char)((taken.modrm >> 3 & 7) | (rex & 4 ? 8 : 0));
	taken.is_memory = taken.modrm < 0xc0;
	if (taken.is_memory && (taken.modrm & 7) == 4 && at < bytes) {
		sib = code[at];
		/* An index of 4 is none, unless REX makes it 12. */
		taken.has_index = (sib >> 3 & 7) != 4 || rex & 2;
		taken.rm = (unsigned char)((sib & 7) | (rex & 1 ? 8 : 0));
	} else if (!taken.is_memory || (taken.modrm & 0xc7) != 5) {
		taken.rm = (unsigned char)((taken.modrm & 7) | (rex & 1 ? 8 : 0));
	}
	return taken;
}

/* rbx, rbp, r12 to r15: pushed for the caller, so popped at an end. */
static bool pops_kept(const unsigned char *code, size_t bytes)
{
	return (bytes == 1 && (code[0] == 0x5b || code[0] == 0x5d)) ||
	       (bytes == 2 && code[0] == 0x41 && code[1] >= 0x5c && code[1] <= 0x5f);
}

static bool pushes(const unsigned char *code, size_t bytes)
{
	size_t at = bytes > 1 && (code[0] & 0xf0) == 0x40;

	return (code[at] & 0xf8) == 0x50 || code[at] == 0x68 || code[at] == 0x6a;
}

/* add $number, %rsp; lea number(..), %rsp */
static bool raises_stack(const unsigned char *code, size_t bytes)
{
	struct taken taken = take_apart(code, bytes);

	return ((taken.opcode == 0x83 || taken.opcode == 0x81) && taken.modrm == 0xc4 &&
		       taken.rm == RSP) ||
	       (taken.opcode == 0x8d && taken.reg == RSP);
}

/* Of an instruction: does it set the register, and as one sets it for a switch? */
static bool sets(const struct taken *taken, unsigned char wanted, bool *ret_is_table)
{
	switch (taken->opcode) {
	case 0x01: /* add to rm; to reg */
	case 0x03:
		*ret_is_table = true;
		return wanted == (taken->opcode == 0x01 ? taken->rm : taken->reg) &&
		       !(taken->opcode == 0x01 && taken->is_memory);
	case 0x63: /* movslq */
		*ret_is_table = true;
		return wanted == taken->reg;
	case 0x8b: /* mov */
	case 0x8d: /* lea */
		*ret_is_table = taken->has_index;
		return wanted == taken->reg;
	case 0x89:
		*ret_is_table = false;
		return !taken->is_memory && wanted == taken->rm;
	default:
		return false;
	}
}

void jump_history_add(struct jump_history *history, uint64_t at, size_t bytes)
{
	history->at[history->count % JUMP_HISTORY] = at;
	history->bytes[history->count % JUMP_HISTORY] = (uint8_t)bytes;
	history->count++;
}

/* The instruction that was so many before the end, from 1 on; NULL: it is not known. */
static const unsigned char *before(
	const struct jump_history *history, size_t distance, size_t *ret_bytes)
{
	size_t slot = (history->count - distance) % JUMP_HISTORY;

	if (distance > JUMP_HISTORY || distance > history->count)
		return NULL;
	*ret_bytes = history->bytes[slot];
	return history->code + history->at[slot];
}

static bool is_from_table(const struct jump_history *history, const struct taken *jump)
{
	const unsigned char *code;
	size_t bytes;

	if (jump->has_notrack || (jump->is_memory && jump->has_index))
		return true;
	for (size_t i = 1; (code = before(history, i, &bytes)); i++) {
		struct taken taken = take_apart(code, bytes);
		bool is_table = false;
		if (sets(&taken, jump->rm, &is_table))
			return is_table;
	}
	return false;
}

enum jump_look jump_look(
	const struct jump_history *history, const unsigned char *jump, size_t bytes)
{
	struct taken taken = take_apart(jump, bytes);
	bool is_table = is_from_table(history, &taken), is_raised = false;
	const unsigned char *code, *earlier;
	size_t code_bytes, earlier_bytes;

	for (size_t i = 1; (code = before(history, i, &code_bytes)); i++) {
		earlier = before(history, i + 1, &earlier_bytes);
		/* "push 5, pop" is the shortest way to set a register. */
		if (code[0] == 0xc9 || (pops_kept(code, code_bytes) &&
					       !(earlier && pushes(earlier, earlier_bytes))))
			return taken.has_notrack ? JUMP_LOOKS_LIKE_SWITCH : JUMP_LOOKS_LAST;
		if (pushes(code, code_bytes))
			break;
		is_raised |= raises_stack(code, code_bytes);
	}
	return is_table ? JUMP_LOOKS_LIKE_SWITCH : is_raised ? JUMP_LOOKS_LAST : JUMP_LOOKS_PLAIN;
}
