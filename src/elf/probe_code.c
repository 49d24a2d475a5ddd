// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel emulates is in its arch/x86/kernel/uprobes.c: push_setup_xol_ops() (no prefix but
 * 41) and branch_setup_xol_ops() (no prefix for jumps and calls); multi-byte nops, as the assembler
 * makes them, since 2025. Of all else only what computes with registers and numbers, or loads from
 * memory, is known here: it leaves stack and frame pointer alone, and goes on with the next
 * instruction. The program runs it all the same, so what it does to flags (cmp, test) is nobody's
 * matter.
 */
#include "elf/probe_code.h"

#include <string.h>

#include "elf/x86_length.h"

#define RSP 4
#define RBP 5

enum {
	REX = 0x40,
	REX_B = 1,
	REX_X = 2,
	REX_R = 4,
	REX_W = 8,
};

static const struct {
	uint8_t bytes;
	unsigned char code[8];
} nops[] = {
	{1, {0x90}},
	{2, {0x66, 0x90}},
	{3, {0x0f, 0x1f, 0x00}},
	{4, {0x0f, 0x1f, 0x40, 0x00}},
	{6, {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}},
	{7, {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00}},
	{8, {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}},
};

static const struct probe_code other = {.kind = PROBE_CODE_OTHER};

static struct probe_code emulated(size_t bytes, size_t count)
{
	return bytes <= count ? (struct probe_code){.kind = PROBE_CODE_EMULATED, .bytes = bytes}
			      : other;
}

/* Pushes, calls, jumps and nops. */
static struct probe_code decode_emulated(const unsigned char *code, size_t count)
{
	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		if (count >= nops[i].bytes && !memcmp(code, nops[i].code, nops[i].bytes))
			return (struct probe_code){.kind = i ? PROBE_CODE_NOP : PROBE_CODE_EMULATED,
				.bytes = nops[i].bytes};
	if ((code[0] & 0xf8) == 0x50)
		return emulated(1, count);
	if (count > 1 && code[0] == (REX | REX_B) && (code[1] & 0xf8) == 0x50)
		return emulated(2, count);
	if (code[0] == 0xe8 || code[0] == 0xe9)
		return emulated(5, count);
	if (code[0] == 0xeb || (code[0] & 0xf0) == 0x70)
		return emulated(2, count);
	if (count > 1 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		return emulated(6, count);
	return other;
}

/* An instruction while it is taken apart. */
struct parts {
	const unsigned char *code; /* at the byte behind the opcode */
	size_t left;
	size_t used; /* bytes up to there */
	unsigned char rex;
	bool is_of_bytes; /* its registers are bytes, or its source is */
};

/* A register's number; without REX, bytes 4 to 7 are the second lowest of the first four. */
static unsigned int register_of(const struct parts *parts, unsigned int low, unsigned int extension)
{
	if (parts->is_of_bytes && !parts->rex && low >= 4)
		return low - 4;
	return low | (parts->rex & extension ? 8 : 0);
}

/* mod and rm: a register, or where in memory. */
struct operand {
	bool is_register;
	uint32_t used; /* the registers of it */
	size_t more;   /* bytes of it behind mod, reg and rm */
};

static bool take_operand(const struct parts *parts, struct operand *ret)
{
	if (!parts->left)
		return false;
	unsigned int mod = parts->code[0] >> 6, rm = parts->code[0] & 7;
	struct operand operand = {.is_register = mod == 3};
	if (mod == 3) {
		operand.used = 1U << register_of(parts, rm, REX_B);
		*ret = operand;
		return true;
	}
	operand.more = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	if (rm == 4) {
		if (parts->left < 2)
			return false;
		unsigned int base = parts->code[1] & 7;
		bool has_base = mod || base != 5;
		operand.more += has_base ? 1 : 5;
		if (has_base)
			operand.used = 1U << (base | (parts->rex & REX_B ? 8 : 0));
	} else if (!mod && rm == 5) {
		operand.more = 4;
	} else {
		operand.used = 1U << (rm | (parts->rex & REX_B ? 8 : 0));
	}
	*ret = operand;
	return true;
}

static uint32_t reg_bit(const struct parts *parts)
{
	return 1U << register_of(parts, parts->code[0] >> 3 & 7, REX_R);
}

/* It uses these and writes those of them, and has a number of so many bytes at its end. */
static struct probe_code computes(
	const struct parts *parts, uint32_t used, uint32_t written, size_t more_bytes)
{
	if (more_bytes > parts->left || ((used | written) & (1U << RSP)) || (written & (1U << RBP)))
		return other;
	return (struct probe_code){
		.kind = PROBE_CODE_HARMLESS, .bytes = parts->used + more_bytes, .written = written};
}

enum writes { WRITES_NONE, WRITES_RM, WRITES_REG };

/* Two operands, of which one may be in memory, and be read there. */
static struct probe_code two_operands(const struct parts *parts, enum writes writes)
{
	struct operand operand;

	if (!take_operand(parts, &operand) || (writes == WRITES_RM && !operand.is_register))
		return other;
	uint32_t reg = reg_bit(parts);
	return computes(parts, reg | operand.used,
		writes == WRITES_REG  ? reg
		: writes == WRITES_RM ? operand.used
				      : 0,
		1 + operand.more);
}

/* reg is a part of the opcode. */
static struct probe_code one_operand(
	const struct parts *parts, bool is_written, size_t number_bytes)
{
	struct operand operand;

	if (!take_operand(parts, &operand) || (is_written && !operand.is_register))
		return other;
	return computes(parts, operand.used, is_written ? operand.used : 0,
		1 + operand.more + number_bytes);
}

/* Registers of vectors, which no argument that can be asked for is in. */
static struct probe_code decode_vectors(
	const struct parts *parts, unsigned char opcode, unsigned char prefix)
{
	struct operand operand;

	if (!take_operand(parts, &operand))
		return other;
	switch (opcode) {
	case 0x10: /* movups, movupd, movss, movsd: loads */
		break;
	case 0x28: /* movaps, movapd */
	case 0x57: /* xorps, xorpd */
		if (prefix == 0xf2 || prefix == 0xf3)
			return other;
		break;
	case 0x6f: /* movdqa, movdqu */
		if (prefix != 0x66 && prefix != 0xf3)
			return other;
		break;
	case 0xef: /* pxor */
		if (prefix != 0x66)
			return other;
		break;
	default:
		return other;
	}
	return computes(parts, operand.is_register ? 0 : operand.used, 0, 1 + operand.more);
}

static struct probe_code decode_two_bytes(struct parts *parts, unsigned char prefix)
{
	if (!parts->left)
		return other;
	unsigned char opcode = parts->code[0];
	parts->code++;
	parts->left--;
	parts->used++;
	if (prefix || opcode < 0x40 || (opcode >= 0x50 && opcode < 0x70))
		return decode_vectors(parts, opcode, prefix);
	if ((opcode & 0xf0) == 0x40) /* cmovcc */
		return two_operands(parts, WRITES_REG);
	if ((opcode & 0xf0) == 0x90) { /* setcc */
		parts->is_of_bytes = true;
		return one_operand(parts, true, 0);
	}
	if ((opcode & 0xf6) == 0xb6) {
		/* movzx, movsx: only the source is a byte. */
		struct operand operand;
		uint32_t reg = parts->left ? reg_bit(parts) : 0;
		parts->is_of_bytes = !(opcode & 1);
		return take_operand(parts, &operand)
			       ? computes(parts, reg | operand.used, reg, 1 + operand.more)
			       : other;
	}
	return other;
}

/* Groups of opcodes whose reg says more. */
static struct probe_code decode_group(const struct parts *parts, unsigned char opcode)
{
	unsigned int which = parts->left ? parts->code[0] >> 3 & 7 : 0;

	switch (opcode) {
	case 0x80: /* add, or, adc, sbb, and, sub, xor, cmp */
	case 0x83:
		return one_operand(parts, which != 7, 1);
	case 0x81:
		return one_operand(parts, which != 7, 4);
	case 0xc0: /* shifts; 6 is none */
	case 0xc1:
		return which == 6 ? other : one_operand(parts, true, 1);
	case 0xd0:
	case 0xd1:
		return which == 6 ? other : one_operand(parts, true, 0);
	case 0xc6: /* mov */
		return which ? other : one_operand(parts, true, 1);
	case 0xc7:
		return which ? other : one_operand(parts, true, 4);
	case 0xf6: /* test; not; neg */
	case 0xf7:
		if (which == 0)
			return one_operand(parts, false, opcode & 1 ? 4 : 1);
		return which == 2 || which == 3 ? one_operand(parts, true, 0) : other;
	case 0xfe: /* inc, dec */
	case 0xff:
		return which < 2 ? one_operand(parts, true, 0) : other;
	default:
		return other;
	}
}

/* Whatever address it computes, the memory there is not touched. */
static struct probe_code decode_lea(const struct parts *parts)
{
	struct operand operand;

	if (!take_operand(parts, &operand) || operand.is_register)
		return other;
	return computes(parts, operand.used, reg_bit(parts), 1 + operand.more);
}

static struct probe_code decode_one_byte(struct parts *parts, unsigned char opcode)
{
	unsigned int low = opcode & 7;

	parts->is_of_bytes = !(opcode & 1);
	/* add, or, adc, sbb, and, sub, xor, cmp */
	if (opcode < 0x40 && low < 4)
		return two_operands(parts, opcode >> 3 == 7 ? WRITES_NONE
					   : low < 2        ? WRITES_RM
							    : WRITES_REG);
	if ((opcode & 0xf0) == 0xb0) {
		/* mov of a number to the register in the opcode */
		parts->is_of_bytes = opcode < 0xb8;
		return computes(parts, 0, 1U << register_of(parts, low, REX_B),
			parts->is_of_bytes   ? 1
			: parts->rex & REX_W ? 8
					     : 4);
	}
	switch (opcode) {
	case 0x84: /* test */
	case 0x85:
		return two_operands(parts, WRITES_NONE);
	case 0x88: /* mov */
	case 0x89:
		return two_operands(parts, WRITES_RM);
	case 0x63: /* movsxd */
		parts->is_of_bytes = false;
		return two_operands(parts, WRITES_REG);
	case 0x8a: /* mov */
	case 0x8b:
		return two_operands(parts, WRITES_REG);
	case 0x8d:
		return decode_lea(parts);
	default:
		return decode_group(parts, opcode);
	}
}

struct probe_code probe_code_decode(const unsigned char *code, size_t count)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	if (!count)
		return other;
	if (count >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		return (struct probe_code){.kind = PROBE_CODE_MARK, .bytes = sizeof(endbr64)};
	if (x86_is_nop5(code, count))
		return (struct probe_code){.kind = PROBE_CODE_NOP5, .bytes = 5};
	struct probe_code found = decode_emulated(code, count);
	if (found.kind != PROBE_CODE_OTHER)
		return found;

	struct parts parts = {.code = code, .left = count};
	unsigned char prefix = code[0] == 0x66 || code[0] == 0xf2 || code[0] == 0xf3 ? code[0] : 0;
	parts.used = prefix != 0;
	if (parts.used < count && (code[parts.used] & 0xf0) == REX)
		parts.rex = code[parts.used++];
	if (parts.used == count)
		return other;
	unsigned char opcode = code[parts.used++];
	parts.code = code + parts.used;
	parts.left = count - parts.used;
	if (opcode == 0x0f)
		return decode_two_bytes(&parts, prefix);
	return prefix ? other : decode_one_byte(&parts, opcode);
}

static int64_t number_at(const unsigned char *code)
{
	int32_t number;

	memcpy(&number, code, sizeof(number));
	return number;
}

bool probe_code_jump(const unsigned char *code, size_t count, int64_t *ret)
{
	if (count >= 5 && code[0] == 0xe9) {
		*ret = 5 + number_at(code + 1);
		return true;
	}
	if (count >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80) {
		*ret = 6 + number_at(code + 2);
		return true;
	}
	/* jcc, jmp, loop, jrcxz */
	if (count >= 2 &&
		((code[0] & 0xf0) == 0x70 || code[0] == 0xeb || (code[0] & 0xfc) == 0xe0)) {
		*ret = 2 + (int8_t)code[1];
		return true;
	}
	return false;
}
