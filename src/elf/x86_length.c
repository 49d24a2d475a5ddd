// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An instruction is prefixes, an opcode in one of several maps, a byte (modrm) that says what its
 * operands are, which brings further bytes of an address, and a number. Two tables, a letter for
 * each opcode, say what follows it; all else is the same for a whole map. From Intel's manual,
 * volume 2, chapter 2 and appendix A, and AMD's, volume 3 (XOP, 3DNow!). What Intel's and AMD's
 * processors understand differently (jumps with an operand size) is unknown.
 */
#include "elf/x86_length.h"

#include <string.h>

enum {
	REX = 0x40,
	REX_W = 8,
};

/*
 * What follows an opcode:
 *  .  nothing             m  modrm                  r  modrm, always of registers
 *  b  a byte              B  modrm and a byte
 *  w  two bytes           e  three bytes
 *  z  2 or 4 bytes        Z  modrm and 2 or 4       v  2, 4 or 8
 *  j  a distance of 4     a  an address of 8 or 4
 *  g  a group, of which reg says more
 *  -  no instruction, or a prefix or map that is not looked up here
 */
static const char one_byte_map[] = "mmmmbz--mmmmbz--" /* 00 */
				   "mmmmbz--mmmmbz--" /* 10 */
				   "mmmmbz--mmmmbz--" /* 20 */
				   "mmmmbz--mmmmbz--" /* 30 */
				   "----------------" /* 40: REX */
				   "................" /* 50 */
				   "---m----zZbB...." /* 60 */
				   "bbbbbbbbbbbbbbbb" /* 70 */
				   "BZ-Bmmmmmmmmmgmg" /* 80 */
				   "..........-....." /* 90 */
				   "aaaa....bz......" /* a0 */
				   "bbbbbbbbvvvvvvvv" /* b0 */
				   "BBw.--gge.w..b-." /* c0 */
				   "mmmm---.mmmmmmmm" /* d0 */
				   "bbbbbbbbjj-b...." /* e0 */
				   "-.--..gg......gg" /* f0 */;

static const char two_byte_map[] = "mmmm-.....-.-m.B" /* 00 */
				   "mmmmmmmmmmmmmmmm" /* 10 */
				   "rrrr----mmmmmmmm" /* 20 */
				   "......-.--------" /* 30 */
				   "mmmmmmmmmmmmmmmm" /* 40 */
				   "mmmmmmmmmmmmmmmm" /* 50 */
				   "mmmmmmmmmmmmmmmm" /* 60 */
				   "BBBBmmm.mm--mmmm" /* 70 */
				   "jjjjjjjjjjjjjjjj" /* 80 */
				   "mmmmmmmmmmmmmmmm" /* 90 */
				   "...mBm--...mBmmm" /* a0 */
				   "mmmmmmmmmmBmmmmm" /* b0 */
				   "mmBmBBBm........" /* c0 */
				   "mmmmmmmmmmmmmmmm" /* d0 */
				   "mmmmmmmmmmmmmmmm" /* e0 */
				   "mmmmmmmmmmmmmmmm" /* f0 */;

_Static_assert(sizeof(one_byte_map) == 257 && sizeof(two_byte_map) == 257, "a letter each");

/* An instruction while it is taken apart. */
struct parts {
	const unsigned char *code;
	size_t count;
	size_t at;    /* behind what was taken */
	bool is_bad;  /* it was cut, or is none */
	bool is_word; /* 66: operands have 2 bytes */
	bool is_near; /* 67: addresses have 4 bytes */
	bool is_locked;
	unsigned char repeat; /* F2, F3; 0: neither */
	unsigned char rex;
};

static unsigned char take(struct parts *parts)
{
	if (parts->at >= parts->count) {
		parts->is_bad = true;
		return 0;
	}
	return parts->code[parts->at++];
}

static void skip(struct parts *parts, size_t bytes)
{
	if (bytes > parts->count - parts->at) {
		parts->is_bad = true;
		bytes = parts->count - parts->at;
	}
	parts->at += bytes;
}

/* REX counts only right before the opcode; where it does not, nobody meant to write that. */
static void take_prefixes(struct parts *parts)
{
	for (; parts->at < parts->count; parts->at++) {
		switch (parts->code[parts->at]) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
			break;
		case 0x66:
			parts->is_word = true;
			break;
		case 0x67:
			parts->is_near = true;
			break;
		case 0xf0:
			parts->is_locked = true;
			break;
		case 0xf2:
		case 0xf3:
			parts->repeat = parts->code[parts->at];
			break;
		default:
			if ((parts->code[parts->at] & 0xf0) == REX)
				parts->rex = parts->code[parts->at++];
			return;
		}
	}
}

/* modrm and what it brings; it is returned. */
static unsigned char take_operands(struct parts *parts)
{
	unsigned char modrm = take(parts);
	unsigned int mod = modrm >> 6, base = modrm & 7;
	bool has_sib = mod != 3 && base == 4;

	if (has_sib)
		base = take(parts) & 7;
	if (mod == 1)
		skip(parts, 1);
	else if (mod == 2 || (!mod && base == 5))
		skip(parts, 4);
	return modrm;
}

static size_t number_bytes(const struct parts *parts)
{
	return parts->is_word && !(parts->rex & REX_W) ? 2 : 4;
}

/* Groups of the one-byte map: those of reg that there are, and their numbers. */
static void take_group(struct parts *parts, unsigned char opcode)
{
	unsigned char modrm = take_operands(parts);
	unsigned int reg = modrm >> 3 & 7;
	bool is_register = modrm >> 6 == 3;

	switch (opcode) {
	case 0x8d: /* lea: of what is in memory */
		parts->is_bad |= is_register;
		break;
	case 0x8f: /* pop */
		parts->is_bad |= reg != 0;
		break;
	case 0xc6: /* mov; xabort */
		parts->is_bad |= reg && modrm != 0xf8;
		skip(parts, 1);
		break;
	case 0xc7: /* mov; xbegin, a jump */
		parts->is_bad |= reg && (modrm != 0xf8 || parts->is_word);
		skip(parts, number_bytes(parts));
		break;
	case 0xf6: /* test; others without a number */
		skip(parts, reg < 2 ? 1 : 0);
		break;
	case 0xf7:
		skip(parts, reg < 2 ? number_bytes(parts) : 0);
		break;
	case 0xfe: /* inc, dec */
		parts->is_bad |= reg > 1;
		break;
	default: /* 0xff: 3 and 5 are far, and read where from memory */
		parts->is_bad |= reg == 7 || (is_register && (reg == 3 || reg == 5));
	}
}

static void take_rest(struct parts *parts, char what, unsigned char opcode)
{
	switch (what) {
	case '.':
		return;
	case 'B':
		take_operands(parts);
		skip(parts, 1);
		return;
	case 'Z':
		take_operands(parts);
		skip(parts, number_bytes(parts));
		return;
	case 'm':
		take_operands(parts);
		return;
	case 'r':
	case 'b':
		skip(parts, 1);
		return;
	case 'w':
		skip(parts, 2);
		return;
	case 'e':
		skip(parts, 3);
		return;
	case 'z':
		skip(parts, number_bytes(parts));
		return;
	case 'v':
		skip(parts, parts->rex & REX_W ? 8 : number_bytes(parts));
		return;
	case 'j':
		parts->is_bad |= parts->is_word && !(parts->rex & REX_W);
		skip(parts, 4);
		return;
	case 'a':
		skip(parts, parts->is_near ? 4 : 8);
		return;
	case 'g':
		take_group(parts, opcode);
		return;
	default:
		parts->is_bad = true;
	}
}

static void take_two_bytes(struct parts *parts)
{
	unsigned char opcode = take(parts);

	if (opcode == 0x38 || opcode == 0x3a) {
		take(parts);
		take_operands(parts);
		skip(parts, opcode == 0x3a ? 1 : 0);
		return;
	}
	/* extrq and insertq of AMD have two numbers; without F3, popcnt is a jump of Itanium's. */
	if ((opcode == 0x78 && (parts->is_word || parts->repeat)) ||
		(opcode == 0xb8 && parts->repeat != 0xf3))
		parts->is_bad = true;
	take_rest(parts, two_byte_map[opcode], opcode);
}

/* Of maps that VEX and EVEX share with older instructions. */
static void take_vector(struct parts *parts, unsigned int map, bool is_evex)
{
	unsigned char opcode = take(parts);
	bool has_number = map == 3 || (map == 1 && ((opcode & 0xfc) == 0x70 || opcode == 0xc2 ||
							   (opcode >= 0xc4 && opcode <= 0xc6)));

	if (map == 1 && opcode == 0x77 && !is_evex) /* vzeroupper, vzeroall */
		return;
	take_operands(parts);
	skip(parts, has_number ? 1 : 0);
}

/* These bring their own REX, 66, F2 and F3, and none of them may stand before. */
static void check_alone(struct parts *parts)
{
	parts->is_bad |= parts->rex || parts->is_word || parts->repeat || parts->is_locked;
}

static void take_vex(struct parts *parts, unsigned char prefix)
{
	unsigned int map = prefix == 0xc4 ? take(parts) & 0x1f : 1;

	check_alone(parts);
	take(parts);
	parts->is_bad |= !map || map > 3;
	take_vector(parts, map, false);
}

/* Maps 5 and 6 are of numbers of 2 bytes (FP16). Bits that are fixed here are APX's. */
static void take_evex(struct parts *parts)
{
	unsigned char first = take(parts), second = take(parts);
	unsigned int map = first & 7;

	check_alone(parts);
	take(parts);
	parts->is_bad |= first & 8 || !(second & 4) || !map || map == 4 || map == 7;
	take_vector(parts, map, true);
}

/* AMD's: maps 8, 9 and 10 differ by their numbers alone. */
static void take_xop(struct parts *parts)
{
	unsigned int map = take(parts) & 0x1f;

	check_alone(parts);
	take(parts);
	take(parts);
	take_operands(parts);
	parts->is_bad |= map > 10;
	skip(parts, map == 8 ? 1 : map == 10 ? 4 : 0);
}

size_t x86_length(const unsigned char *code, size_t count)
{
	struct parts parts = {
		.code = code, .count = count < X86_MAX_LENGTH ? count : X86_MAX_LENGTH};

	take_prefixes(&parts);
	unsigned char opcode = take(&parts);
	if (opcode == 0x0f)
		take_two_bytes(&parts);
	else if (opcode == 0xc4 || opcode == 0xc5)
		take_vex(&parts, opcode);
	else if (opcode == 0x62)
		take_evex(&parts);
	else if (opcode == 0x8f && parts.at < parts.count && (code[parts.at] & 0x1f) >= 8)
		take_xop(&parts);
	else
		take_rest(&parts, one_byte_map[opcode], opcode);
	return parts.is_bad ? 0 : parts.at;
}

bool x86_is_nop5(const unsigned char *code, size_t count)
{
	static const unsigned char jump_to_next[5] = {0xe9};
	struct parts parts = {.code = code, .count = count};

	if (x86_length(code, count) != 5)
		return false;
	if (!memcmp(code, jump_to_next, sizeof(jump_to_next)))
		return true;
	take_prefixes(&parts);
	return code[parts.at] == 0x90 || (code[parts.at] == 0x0f && code[parts.at + 1] == 0x1f);
}
