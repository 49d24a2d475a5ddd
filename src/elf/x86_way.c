// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel emulates and refuses is in its arch/x86/kernel/uprobes.c: branch_setup_xol_ops()
 * takes direct jumps, and no return; is_prefix_bad() names prefixes of segments and lock.
 */
#include "elf/x86_way.h"

#include <string.h>

#include "contract/jump.h"
#include "elf/x86_length.h"

/* Bytes of prefixes. The instruction is a whole one, so its opcode is behind them. */
static size_t take_prefixes(const unsigned char *code, size_t count, struct x86_way *way)
{
	size_t at = 0;

	for (; at < count; at++) {
		switch (code[at]) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			way->is_refused = true;
			break;
		case 0x64:
		case 0x65:
		case 0x66:
		case 0x67:
		case 0xf2:
		case 0xf3:
			break;
		default:
			return (code[at] & 0xf0) == 0x40 ? at + 1 : at;
		}
	}
	return at;
}

/* Its last bytes are the distance, and say from where it ends. */
static void take_jump(
	struct x86_way *way, const unsigned char *code, size_t distance_bytes, uint8_t condition)
{
	const unsigned char *at = code + way->bytes - distance_bytes;
	int32_t distance;

	way->kind = X86_JUMPS;
	way->condition = condition;
	if (distance_bytes == 1)
		distance = (int8_t)*at;
	else
		memcpy(&distance, at, sizeof(distance));
	way->distance = way->bytes + (int64_t)distance;
}

/* jmp by what is in memory or in a register; the opcode's other instructions go on. */
static void take_group(struct x86_way *way, unsigned char modrm)
{
	unsigned int reg = modrm >> 3 & 7;
	bool is_at_place = (modrm & 0xc7) == 5;

	if (reg == 5)
		way->kind = X86_FAR;
	else if (reg == 4)
		way->kind = is_at_place ? X86_IMPORTED : X86_ANYWHERE;
}

struct x86_way x86_way_decode(const unsigned char *code, size_t count)
{
	struct x86_way way = {.bytes = (uint8_t)x86_length(code, count), .condition = JUMP_ALWAYS};
	size_t prefixes = take_prefixes(code, way.bytes, &way);

	if (prefixes >= way.bytes)
		return way;
	unsigned char opcode = code[prefixes];
	unsigned char next = prefixes + 1 < way.bytes ? code[prefixes + 1] : 0;

	switch (opcode) {
	case 0xc2:
	case 0xc3:
		way.kind = X86_RETURNS;
		break;
	case 0xca:
	case 0xcb:
	case 0xcf:
		way.kind = X86_FAR;
		break;
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		take_jump(&way, code, 1, JUMP_ALWAYS);
		way.kind = X86_COUNTS;
		break;
	case 0xe8:
		take_jump(&way, code, 4, JUMP_ALWAYS);
		way.kind = X86_GOES_ON;
		break;
	case 0xe9:
		take_jump(&way, code, 4, JUMP_ALWAYS);
		break;
	case 0xeb:
		take_jump(&way, code, 1, JUMP_ALWAYS);
		break;
	case 0x0f:
		if ((next & 0xf0) == 0x80)
			take_jump(&way, code, 4, next & 15);
		break;
	case 0xff:
		take_group(&way, next);
		break;
	default:
		if ((opcode & 0xf0) == 0x70)
			take_jump(&way, code, 1, opcode & 15);
	}
	way.is_emulated = way.kind == X86_JUMPS && !prefixes;
	return way;
}
