// SPDX-License-Identifier: GPL-2.0-or-later
/* Each instruction is looked at once; where jumps lead waits in a list until the way ends. */
#include "elf/reached.h"

#include "contract/jump.h"
#include "elf/x86_length.h"
#include "elf/x86_way.h"
#include "util/vec.h"

struct walk {
	struct code_part *parts;
	size_t count;
	VEC(uint64_t) starts; /* addresses from which ways go on */
};

/* Notes it; false if it is known already. */
static bool reach(struct code_part *part, uint64_t at)
{
	unsigned char bit = (unsigned char)(1U << at % 8);
	bool is_new = !(part->reached[at / 8] & bit);

	part->reached[at / 8] |= bit;
	return is_new;
}

static bool is_reached(const struct code_part *part, uint64_t at)
{
	return part->reached[at / 8] >> at % 8 & 1;
}

static bool goes_on(const struct x86_way *way)
{
	return way->kind == X86_GOES_ON || way->kind == X86_COUNTS ||
	       (way->kind == X86_JUMPS && way->condition != JUMP_ALWAYS);
}

static void walk_from(struct walk *walk, struct code_part *part, uint64_t at)
{
	struct x86_way way = {.kind = X86_GOES_ON};

	for (; at < part->bytes && goes_on(&way) && reach(part, at); at += way.bytes) {
		way = x86_way_decode(part->code + at, part->bytes - at);
		if (!way.bytes)
			return;
		if (way.distance)
			vec_push(&walk->starts, part->vaddr + at + (uint64_t)way.distance);
	}
}

void reached_find(struct code_part *parts, size_t count)
{
	struct walk walk = {.parts = parts, .count = count};

	for (size_t i = 0; i < count; i++)
		parts[i].reached = xcalloc(1, parts[i].bytes / 8 + 1);
	vec_push(&walk.starts, parts[0].vaddr);
	while (walk.starts.count) {
		uint64_t start = walk.starts.at[--walk.starts.count];
		for (size_t i = 0; i < count; i++)
			if (code_part_has(&parts[i], start))
				walk_from(&walk, &parts[i], start - parts[i].vaddr);
	}
	vec_clear(&walk.starts);
}

bool reached_has(const struct code_part *parts, size_t count, uint64_t offset)
{
	for (size_t i = 0; i < count; i++)
		if (offset - parts[i].offset < parts[i].bytes &&
			is_reached(&parts[i], offset - parts[i].offset))
			return true;
	return false;
}

/* What assemblers and linkers put between: nops of all lengths, int3. */
static bool is_filler(const unsigned char *code, size_t bytes)
{
	size_t at = 0;

	while (at < bytes && (code[at] == 0x66 || code[at] == 0x2e))
		at++;
	return code[0] == 0xcc || (at < bytes && code[at] == 0x90) ||
	       (at + 1 < bytes && code[at] == 0x0f && code[at + 1] == 0x1f);
}

static bool is_all_of_part(const struct code_part *part)
{
	for (uint64_t at = 0; at < part->bytes;) {
		size_t length = x86_length(part->code + at, part->bytes - at);
		if (!length || (!is_reached(part, at) && !is_filler(part->code + at, length)))
			return false;
		at += length;
	}
	return true;
}

bool reached_is_all(const struct code_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!is_all_of_part(&parts[i]))
			return false;
	return true;
}
