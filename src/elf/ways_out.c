// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function is read from its beginning to its end, instruction by instruction, and then once more
 * for where these lead. Its jumps must lead to where instructions begin: numbers between
 * instructions, read as such, break that sooner or later, and a breakpoint within an instruction
 * kills the program. What a jump leads to outside is a part of the function if its symbol says so
 * (NAME.cold), or, where symbols are stripped, if the call frame information has it as a range of
 * its own into which only the middle is jumped, or which jumps back into the function's middle.
 */
#include "elf/ways_out.h"

#include <errno.h>
#include <string.h>

#include "contract/jump.h"
#include "elf/file.h"
#include "elf/probe_code.h"
#include "elf/ranges.h"
#include "elf/stack_check.h"
#include "elf/symbols.h"
#include "elf/x86_length.h"
#include "elf/x86_way.h"
#include "util/map64.h"

/* Of one function: larger ones, and those in more parts, nobody waits for. */
#define MOST_BYTES (4U << 20)
#define MOST_PARTS 16
#define MOST_WAYS 1024
/* Of all that are asked for at once. */
#define MOST_BYTES_IN_ALL (64U << 20)

struct part {
	uint64_t vaddr;
	uint64_t bytes;
	uint64_t offset; /* in the file */
	const unsigned char *code;
};

struct code_reader {
	const struct elf_file *file;
	struct elf_symbols *symbols; /* NULL: not read yet */
	struct elf_ranges *ranges;
	uint64_t bytes; /* read by now */
	VEC(struct ways_out *) known;
	struct map64 known_at; /* position in them, counted from 1, by where the function begins */
	/* Of the function that is looked at; the first part is where it begins. */
	struct ways_out *found;
	struct part parts[MOST_PARTS];
	size_t part_count;
	struct stack_check check; /* of it; 0: it has none */
};

static bool is_within(const struct part *part, uint64_t vaddr)
{
	return vaddr - part->vaddr < part->bytes;
}

/* Code by its addresses in memory. -EBADMSG if the file has not all of it. */
static int find_part(const struct elf_file *file, uint64_t vaddr, uint64_t bytes, struct part *ret)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments), had;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = vaddr - segments[i].vaddr;
		if (vaddr < segments[i].vaddr || at >= segments[i].bytes)
			continue;
		uint64_t offset = segments[i].offset + at;
		const unsigned char *code = elf_file_code(file, offset, bytes, &had);
		if (!code || had < bytes)
			return -EBADMSG;
		*ret = (struct part){vaddr, bytes, offset, code};
		return 0;
	}
	return -EBADMSG;
}

static bool is_code(const struct elf_file *file, uint64_t vaddr)
{
	struct part part;

	return !find_part(file, vaddr, 1, &part);
}

/* "f.cold", "f.cold.7" */
static bool is_cold_name(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && cold != name && (!cold[5] || cold[5] == '.');
}

/* A bit for each byte at which an instruction begins; NULL if that is not known of all. */
static unsigned char *find_bounds(const struct part *part)
{
	unsigned char *bounds = xcalloc(1, part->bytes / 8 + 1);
	uint64_t at = 0;

	while (at < part->bytes) {
		size_t length = x86_length(part->code + at, part->bytes - at);
		if (!length) {
			free(bounds);
			return NULL;
		}
		bounds[at / 8] |= (unsigned char)(1U << at % 8);
		at += length;
	}
	return bounds;
}

/* Old C libraries jump over a lock that only programs with several threads need. */
static bool is_bound(const struct part *part, const unsigned char *bounds, uint64_t at)
{
	bool is_behind_lock = at && part->code[at - 1] == 0xf0;

	return bounds[at / 8] >> at % 8 & 1 ||
	       (is_behind_lock && bounds[(at - 1) / 8] >> (at - 1) % 8 & 1);
}

static void read_tables(struct code_reader *reader)
{
	if (reader->ranges)
		return;
	reader->ranges = elf_ranges_read(reader->file, NULL);
	if (elf_symbols_merge(&reader->file, 1, reader->ranges, &reader->symbols))
		reader->symbols = NULL;
}

/* What a linker makes for functions of other files: all of them are in one range. */
static bool is_stub(const struct code_reader *reader, uint64_t vaddr)
{
	struct part part;
	size_t at = 0;

	if (find_part(reader->file, vaddr, 2 * X86_MAX_LENGTH, &part))
		return false;
	if (probe_code_decode(part.code, part.bytes).kind == PROBE_CODE_MARK)
		at = x86_length(part.code, part.bytes);
	return x86_way_decode(part.code + at, part.bytes - at).kind == X86_IMPORTED;
}

/* Does code jump into the middle of the function? */
static bool leads_back(const struct code_reader *reader, const struct part *code)
{
	const struct part *function = &reader->parts[0];
	uint64_t at = 0;

	while (at < code->bytes) {
		struct x86_way way = x86_way_decode(code->code + at, code->bytes - at);
		uint64_t target = code->vaddr + at + (uint64_t)way.distance;
		if (!way.bytes)
			return false;
		if (way.kind == X86_JUMPS && target != function->vaddr &&
			is_within(function, target))
			return true;
		at += way.bytes;
	}
	return false;
}

/* Is what is there a part of the function that lies elsewhere? */
static bool find_cold(struct code_reader *reader, uint64_t target, struct part *ret)
{
	struct elf_symbol symbol;
	struct elf_range range;
	struct part part;

	read_tables(reader);
	if (reader->symbols && elf_symbols_find(reader->symbols, target, &symbol)) {
		if (!is_cold_name(symbol.name) || symbol.end - symbol.start > MOST_BYTES ||
			find_part(reader->file, symbol.start, symbol.end - symbol.start, &part))
			return false;
	} else if (is_stub(reader, target) || !elf_ranges_find(reader->ranges, target, &range) ||
		   range.end - range.start > MOST_BYTES ||
		   is_within(&reader->parts[0], range.start) ||
		   (range.start < reader->parts[0].vaddr && range.end > reader->parts[0].vaddr) ||
		   find_part(reader->file, range.start, range.end - range.start, &part) ||
		   (target == range.start && !leads_back(reader, &part))) {
		return false;
	}
	*ret = part;
	return true;
}

/* Is it left by a jump to there? Finds out whether that is a further part of it. */
static int leads_out(struct code_reader *reader, uint64_t target, bool *ret)
{
	struct part part;

	*ret = target == reader->parts[0].vaddr;
	for (size_t i = 0; i < reader->part_count; i++)
		if (is_within(&reader->parts[i], target))
			return 0;
	*ret = true;
	if (!is_code(reader->file, target))
		return -EBADMSG;
	if (!find_cold(reader, target, &part))
		return 0;
	if (reader->part_count == MOST_PARTS)
		return -E2BIG;
	reader->parts[reader->part_count++] = part;
	*ret = false;
	return 0;
}

static int add_way(struct code_reader *reader, const struct part *part, uint64_t at,
	const struct x86_way *way, uint64_t target)
{
	/* The latter is a jump to the next instruction: what newer kernels take for a nop. And by a
	 * count no flag says whether it jumps. */
	bool is_unfit = way->is_refused || x86_is_nop5(part->code + at, part->bytes - at) ||
			way->kind == X86_COUNTS;

	if (reader->found->ways.count == MOST_WAYS)
		return -E2BIG;
	vec_push(&reader->found->ways, ((struct way_out){.offset = part->offset + at,
					       .target = target,
					       .condition = way->condition,
					       .is_emulated = way->is_emulated,
					       .is_unfit = is_unfit}));
	return is_unfit && !target ? -EBADMSG : 0;
}

/* REX.W, add, from one register to another */
static bool is_add(const unsigned char *code, size_t count)
{
	return count == 3 && (code[0] & 0xf8) == 0x48 && (code[1] == 0x01 || code[1] == 0x03) &&
	       code[2] >= 0xc0;
}

/*
 * Does a jump to what a register or memory says look as compilers have it in a switch? They take
 * where it leads from a table by an index, or add to a register what a table has.
 */
static bool is_switch(const unsigned char *code, const struct x86_way *way,
	const unsigned char *before, size_t before_bytes)
{
	size_t at = 0;
	unsigned char rex = 0;

	while (at < way->bytes && code[at] != 0xff)
		rex = code[at++];
	if (at + 1 >= way->bytes)
		return false;
	unsigned char modrm = code[at + 1];
	if (modrm >= 0xc0)
		return is_add(before, before_bytes);
	/* An index of 4 is none, unless a prefix makes it 12. */
	return (modrm & 7) == 4 && at + 2 < way->bytes &&
	       ((code[at + 2] >> 3 & 7) != 4 || (rex & 0xf2) == 0x42);
}

static int look_at(struct code_reader *reader, const struct part *part, const unsigned char *bounds,
	uint64_t at, const struct x86_way *way)
{
	uint64_t target = part->vaddr + at + (uint64_t)way->distance;
	bool is_left = false;

	switch (way->kind) {
	case X86_GOES_ON:
	case X86_ANYWHERE:
		return 0;
	case X86_RETURNS:
	case X86_IMPORTED:
		return add_way(reader, part, at, way, 0);
	default:
		break;
	}
	if (is_within(part, target) && !is_bound(part, bounds, target - part->vaddr))
		return -EBADMSG;
	if (part == &reader->parts[0] && reader->check.behind && at == reader->check.again)
		return 0;
	int error = leads_out(reader, target, &is_left);
	return error || !is_left ? error : add_way(reader, part, at, way, target);
}

static int look_through(struct code_reader *reader, const struct part *part)
{
	_cleanup_free_ unsigned char *bounds = NULL;
	uint64_t at = 0, before = 0;
	int error = 0;

	reader->bytes += part->bytes;
	if (part->bytes > MOST_BYTES || reader->bytes > MOST_BYTES_IN_ALL)
		return -E2BIG;
	bounds = find_bounds(part);
	if (!bounds)
		return -EBADMSG;
	while (at < part->bytes && !error) {
		struct x86_way way = x86_way_decode(part->code + at, part->bytes - at);
		error = look_at(reader, part, bounds, at, &way);
		if (way.kind == X86_ANYWHERE) {
			reader->found->has_unseen = true;
			reader->found->may_vanish |=
				!is_switch(part->code + at, &way, part->code + before, at - before);
		}
		before = at;
		at += way.bytes;
	}
	return error;
}

/* Parts are found while others are looked through. */
static int look_for_ways(struct code_reader *reader)
{
	struct part *first = &reader->parts[0];
	uint64_t start = reader->found->start, bytes = reader->found->end - start;
	int error = 0;

	if (!bytes || find_part(reader->file, start, bytes, first))
		return -EBADMSG;
	reader->part_count = 1;
	reader->check = (struct stack_check){0};
	stack_check_find(first->code, bytes, &reader->check);
	for (size_t i = 0; i < reader->part_count && !error; i++)
		error = look_through(reader, &reader->parts[i]);
	return error;
}

const struct ways_out *ways_out_of(struct code_reader *reader, uint64_t start, uint64_t bytes)
{
	uint64_t *position = map64_find(&reader->known_at, start);
	struct ways_out *found = position ? reader->known.at[*position - 1] : NULL;

	if (found && found->end == start + bytes)
		return found;
	found = xcalloc(1, sizeof(*found));
	*found = (struct ways_out){.start = start, .end = start + bytes};
	vec_push(&reader->known, found);
	*map64_put(&reader->known_at, start, NULL) = reader->known.count;
	reader->found = found;
	found->error = look_for_ways(reader);
	return found;
}

/* Does an instruction begin there, seen from where the function does? */
static bool is_instruction(
	struct code_reader *reader, uint64_t start, uint64_t bytes, uint64_t target)
{
	uint64_t at = 0, there = target - start;
	struct part part;

	reader->bytes += there;
	if (reader->bytes > MOST_BYTES_IN_ALL || find_part(reader->file, start, bytes, &part))
		return false;
	while (at < there) {
		size_t length = x86_length(part.code + at, part.bytes - at);
		if (!length)
			return false;
		at += length;
	}
	return at == there;
}

const struct ways_out *ways_out_behind(struct code_reader *reader, uint64_t target)
{
	struct elf_symbol symbol;
	struct elf_range range;

	read_tables(reader);
	if (reader->symbols && elf_symbols_find(reader->symbols, target, &symbol))
		range = (struct elf_range){symbol.start, symbol.end};
	else if (is_stub(reader, target) || !elf_ranges_find(reader->ranges, target, &range))
		return NULL;
	uint64_t bytes = range.end - range.start;
	if (bytes > MOST_BYTES || !is_instruction(reader, range.start, bytes, target))
		return NULL;
	return ways_out_of(reader, range.start, bytes);
}

struct code_reader *code_reader_new(const struct elf_file *file)
{
	struct code_reader *reader = xcalloc(1, sizeof(*reader));

	reader->file = file;
	return reader;
}

void code_reader_free(struct code_reader *reader)
{
	vec_each (known, &reader->known) {
		vec_clear(&(*known)->ways);
		free(*known);
	}
	vec_clear(&reader->known);
	map64_clear(&reader->known_at);
	elf_symbols_free(reader->symbols);
	elf_ranges_free(reader->ranges);
	free(reader);
}
