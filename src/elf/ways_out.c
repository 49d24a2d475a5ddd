// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function is read from its beginning to its end, instruction by instruction, and then once more
 * for where these lead. Its jumps must lead to where instructions begin: numbers between
 * instructions, read as such, break that sooner or later, and a breakpoint within an instruction
 * kills the program. What a jump leads to outside is a part of the function if its symbol says so
 * (NAME.cold), or, where symbols are stripped, if the call frame information has it as a range of
 * its own into which only the middle is jumped, or which jumps back into the function's middle.
 * Jumps to what a register or memory says are judged last, when it is known what else is come to.
 */
#include "elf/ways_out.h"

#include <errno.h>
#include <string.h>

#include "contract/jump.h"
#include "elf/file.h"
#include "elf/last_jump.h"
#include "elf/probe_code.h"
#include "elf/ranges.h"
#include "elf/reached.h"
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

/* To what a register or memory says. */
struct pointed_jump {
	uint64_t offset; /* in the file */
	enum jump_look look;
	bool is_refused; /* by the kernel, for a probe */
};

struct code_reader {
	const struct elf_file *file;
	struct elf_symbols *symbols; /* NULL: not read yet */
	struct elf_ranges *ranges;
	struct elf_ranges *catching; /* NULL: not read yet */
	uint64_t bytes;              /* read by now */
	VEC(struct ways_out *) known;
	struct map64 known_at; /* position in them, counted from 1, by where the function begins */
	/* Of the function that is looked at; the first part is where it begins. */
	struct ways_out *found;
	struct code_part parts[MOST_PARTS];
	size_t part_count;
	struct stack_check check; /* of it; 0: it has none */
	VEC(struct pointed_jump) pointed;
};

/* Code by its addresses in memory. -EBADMSG if the file has not all of it. */
static int find_part(
	const struct elf_file *file, uint64_t vaddr, uint64_t bytes, struct code_part *ret)
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
		*ret = (struct code_part){
			.vaddr = vaddr, .bytes = bytes, .offset = offset, .code = code};
		return 0;
	}
	return -EBADMSG;
}

static bool is_code(const struct elf_file *file, uint64_t vaddr)
{
	struct code_part part;

	return !find_part(file, vaddr, 1, &part);
}

/* "f.cold", "f.cold.7" */
static bool is_cold_name(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && cold != name && (!cold[5] || cold[5] == '.');
}

/* A bit for each byte at which an instruction begins; NULL if that is not known of all. */
static unsigned char *find_bounds(const struct code_part *part)
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
static bool is_bound(const struct code_part *part, const unsigned char *bounds, uint64_t at)
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
	struct code_part part;
	size_t at = 0;

	if (find_part(reader->file, vaddr, 2 * X86_MAX_LENGTH, &part))
		return false;
	if (probe_code_decode(part.code, part.bytes).kind == PROBE_CODE_MARK)
		at = x86_length(part.code, part.bytes);
	return x86_way_decode(part.code + at, part.bytes - at).kind == X86_IMPORTED;
}

/* Does code jump into the middle of the function? */
static bool leads_back(struct code_reader *reader, const struct code_part *code)
{
	const struct code_part *function = &reader->parts[0];
	uint64_t at = 0;

	reader->bytes += code->bytes;
	while (at < code->bytes && reader->bytes <= MOST_BYTES_IN_ALL) {
		struct x86_way way = x86_way_decode(code->code + at, code->bytes - at);
		uint64_t target = code->vaddr + at + (uint64_t)way.distance;
		if (!way.bytes)
			return false;
		if (way.kind == X86_JUMPS && target != function->vaddr &&
			code_part_has(function, target))
			return true;
		at += way.bytes;
	}
	return false;
}

/* Is what is there a part of the function that lies elsewhere? */
static bool find_cold(struct code_reader *reader, uint64_t target, struct code_part *ret)
{
	struct elf_symbol symbol;
	struct elf_range range;
	struct code_part part;

	read_tables(reader);
	if (reader->symbols && elf_symbols_find(reader->symbols, target, &symbol)) {
		if (!is_cold_name(symbol.name) || symbol.end - symbol.start > MOST_BYTES ||
			find_part(reader->file, symbol.start, symbol.end - symbol.start, &part))
			return false;
	} else if (is_stub(reader, target) || !elf_ranges_find(reader->ranges, target, &range) ||
		   range.end - range.start > MOST_BYTES ||
		   code_part_has(&reader->parts[0], range.start) ||
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
	struct code_part part;

	*ret = target == reader->parts[0].vaddr;
	for (size_t i = 0; i < reader->part_count; i++)
		if (code_part_has(&reader->parts[i], target))
			return 0;
	*ret = true;
	if (!is_code(reader->file, target))
		return -EBADMSG;
	bool is_cold = find_cold(reader, target, &part);
	if (reader->bytes > MOST_BYTES_IN_ALL)
		return -E2BIG;
	if (!is_cold)
		return 0;
	if (reader->part_count == MOST_PARTS)
		return -E2BIG;
	reader->parts[reader->part_count++] = part;
	*ret = false;
	return 0;
}

static int add_way(struct code_reader *reader, const struct code_part *part, uint64_t at,
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

static int look_at(struct code_reader *reader, const struct code_part *part,
	const unsigned char *bounds, uint64_t at, const struct x86_way *way)
{
	uint64_t target = part->vaddr + at + (uint64_t)way->distance;
	bool is_left = false;

	switch (way->kind) {
	case X86_GOES_ON:
	case X86_ANYWHERE:
	case X86_FAR:
		return 0;
	case X86_RETURNS:
	case X86_IMPORTED:
		return add_way(reader, part, at, way, 0);
	default:
		break;
	}
	if (code_part_has(part, target) && !is_bound(part, bounds, target - part->vaddr))
		return -EBADMSG;
	if (part == &reader->parts[0] && reader->check.behind && at == reader->check.again)
		return 0;
	int error = leads_out(reader, target, &is_left);
	return error || !is_left ? error : add_way(reader, part, at, way, target);
}

static int look_through(struct code_reader *reader, const struct code_part *part)
{
	_cleanup_free_ unsigned char *bounds = NULL;
	struct jump_history history = {.code = part->code};
	uint64_t at = 0;
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
		reader->found->has_unseen |= way.kind == X86_FAR;
		if (way.kind == X86_ANYWHERE)
			vec_push(&reader->pointed,
				((struct pointed_jump){part->offset + at,
					jump_look(&history, part->code + at, way.bytes),
					way.is_refused}));
		if (way.kind == X86_GOES_ON && !way.distance)
			jump_history_add(&history, at, way.bytes);
		else
			history.count = 0;
		at += way.bytes;
	}
	return error;
}

/* Those that lead out are ways. What a switch leads to nobody else does, as a rule: where all code
 * is come to without them, they lead elsewhere. */
static int settle_pointed(struct code_reader *reader, bool is_all_reached)
{
	struct ways_out *found = reader->found;

	vec_each (jump, &reader->pointed) {
		bool is_last = jump->look == JUMP_LOOKS_LAST ||
			       (jump->look == JUMP_LOOKS_PLAIN && is_all_reached);
		if (!is_last || jump->is_refused) {
			found->has_tables = true;
			found->has_unseen |= jump->look != JUMP_LOOKS_LIKE_SWITCH;
			continue;
		}
		if (found->ways.count == MOST_WAYS)
			return -E2BIG;
		vec_push(&found->ways, ((struct way_out){.offset = jump->offset,
					       .condition = JUMP_ALWAYS,
					       .may_stay = true}));
	}
	return 0;
}

/* By the unwinder, or by Go's after a panic, into the middle. */
static bool may_be_entered(struct code_reader *reader)
{
	struct elf_range range;

	if (reader->check.behind)
		return true;
	if (!reader->catching)
		reader->catching = elf_ranges_read_catching(reader->file);
	for (size_t i = 0; i < reader->part_count; i++)
		if (elf_ranges_find(reader->catching, reader->parts[i].vaddr, &range))
			return true;
	return false;
}

/* What nothing leads to may be numbers, and a breakpoint would change them. */
static void drop_unreached(struct code_reader *reader)
{
	struct ways_out *found = reader->found;
	size_t kept = 0;

	if (found->has_tables || may_be_entered(reader))
		return;
	vec_each (way, &found->ways)
		if (reached_has(reader->parts, reader->part_count, way->offset))
			found->ways.at[kept++] = *way;
	found->has_dropped = kept < found->ways.count;
	found->ways.count = kept;
}

static int settle_ways(struct code_reader *reader)
{
	reached_find(reader->parts, reader->part_count);
	bool is_all_reached = reached_is_all(reader->parts, reader->part_count);
	int error = settle_pointed(reader, is_all_reached);
	if (!error && !is_all_reached)
		drop_unreached(reader);
	for (size_t i = 0; i < reader->part_count; i++)
		free(reader->parts[i].reached);
	return error;
}

/* Parts are found while others are looked through. */
static int look_for_ways(struct code_reader *reader)
{
	struct code_part *first = &reader->parts[0];
	uint64_t start = reader->found->start, bytes = reader->found->end - start;
	int error = 0;

	if (!bytes || find_part(reader->file, start, bytes, first))
		return -EBADMSG;
	reader->part_count = 1;
	reader->pointed.count = 0;
	reader->check = (struct stack_check){0};
	stack_check_find(first->code, bytes, &reader->check);
	for (size_t i = 0; i < reader->part_count && !error; i++)
		error = look_through(reader, &reader->parts[i]);
	return error ? error : settle_ways(reader);
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
	struct code_part part;

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
	const struct ways_out *found = ways_out_of(reader, range.start, bytes);
	/* From there more may be come to than from the beginning. */
	return found->has_dropped && target != range.start ? NULL : found;
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
	elf_ranges_free(reader->catching);
	vec_clear(&reader->pointed);
	free(reader);
}
