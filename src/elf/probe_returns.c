// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function is read from its beginning to its end, instruction by instruction, and then once more
 * for where these lead. Its jumps must lead to where instructions begin: numbers between
 * instructions, read as such, break that sooner or later, and a breakpoint within an instruction
 * kills the program. What a jump leads to outside is a part of the function if its symbol says so
 * (NAME.cold), or, where symbols are stripped, if the call frame information has it as a range of
 * its own into which only the middle is jumped, or which jumps back into the function's middle.
 */
#include "elf/probe_returns.h"

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
#include "util/vec.h"

/* Of one function: larger ones, and those in more parts, nobody waits for. */
#define MOST_BYTES (4U << 20)
#define MOST_PARTS 16
/* Of all that are asked for at once. */
#define MOST_BYTES_IN_ALL (64U << 20)

struct part {
	uint64_t vaddr;
	uint64_t bytes;
	uint64_t offset; /* in the file */
	const unsigned char *code;
};

struct search {
	const struct elf_file *file;
	struct elf_symbols *symbols; /* NULL: not read yet */
	struct elf_ranges *ranges;
	uint64_t bytes; /* read by now */
	/* Of the function that is looked at; the first part is where it begins. */
	struct part parts[MOST_PARTS];
	size_t part_count;
	struct stack_check check; /* of it; 0: it has none */
	VEC(struct elf_return) places;
	bool has_unseen;
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

static void read_tables(struct search *search)
{
	if (search->ranges)
		return;
	search->ranges = elf_ranges_read(search->file, NULL);
	if (elf_symbols_read(search->file, &search->symbols))
		search->symbols = NULL;
}

/* What a linker makes for functions of other files: all of them are in one range. */
static bool is_stub(const struct search *search, uint64_t vaddr)
{
	struct part part;
	size_t at = 0;

	if (find_part(search->file, vaddr, 2 * X86_MAX_LENGTH, &part))
		return false;
	if (probe_code_decode(part.code, part.bytes).kind == PROBE_CODE_MARK)
		at = x86_length(part.code, part.bytes);
	return x86_way_decode(part.code + at, part.bytes - at).kind == X86_IMPORTED;
}

/* Does code jump into the middle of the function? */
static bool leads_back(const struct search *search, const struct part *code)
{
	const struct part *function = &search->parts[0];
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
static bool find_cold(struct search *search, uint64_t target, struct part *ret)
{
	struct elf_symbol symbol;
	struct elf_range range;
	struct part part;

	read_tables(search);
	if (search->symbols && elf_symbols_find(search->symbols, target, &symbol)) {
		if (!is_cold_name(symbol.name) || symbol.end - symbol.start > MOST_BYTES ||
			find_part(search->file, symbol.start, symbol.end - symbol.start, &part))
			return false;
	} else if (is_stub(search, target) || !elf_ranges_find(search->ranges, target, &range) ||
		   range.end - range.start > MOST_BYTES ||
		   is_within(&search->parts[0], range.start) ||
		   (range.start < search->parts[0].vaddr && range.end > search->parts[0].vaddr) ||
		   find_part(search->file, range.start, range.end - range.start, &part) ||
		   (target == range.start && !leads_back(search, &part))) {
		return false;
	}
	*ret = part;
	return true;
}

/* Is it left by a jump to there? Finds out whether that is a further part of it. */
static int leads_out(struct search *search, uint64_t target, bool *ret)
{
	struct part part;

	*ret = target == search->parts[0].vaddr;
	for (size_t i = 0; i < search->part_count; i++)
		if (is_within(&search->parts[i], target))
			return 0;
	*ret = true;
	if (!is_code(search->file, target))
		return -EBADMSG;
	if (!find_cold(search, target, &part))
		return 0;
	if (search->part_count == MOST_PARTS)
		return -E2BIG;
	search->parts[search->part_count++] = part;
	*ret = false;
	return 0;
}

static int add_place(
	struct search *search, const struct part *part, uint64_t at, const struct x86_way *way)
{
	/* The latter is a jump to the next instruction: what newer kernels take for a nop. */
	if (way->is_refused || x86_is_nop5(part->code + at, part->bytes - at))
		return -EBADMSG;
	if (search->places.count == ELF_RETURNS_MOST)
		return -E2BIG;
	vec_push(&search->places, ((struct elf_return){.offset = part->offset + at,
					  .is_emulated = way->is_emulated,
					  .condition = way->condition}));
	return 0;
}

static int look_at(struct search *search, const struct part *part, const unsigned char *bounds,
	uint64_t at, const struct x86_way *way)
{
	uint64_t target = part->vaddr + at + (uint64_t)way->distance;
	bool is_left = false;

	switch (way->kind) {
	case X86_GOES_ON:
		return 0;
	case X86_ANYWHERE:
		search->has_unseen = true;
		return 0;
	case X86_RETURNS:
	case X86_IMPORTED:
		return add_place(search, part, at, way);
	default:
		break;
	}
	if (is_within(part, target) && !is_bound(part, bounds, target - part->vaddr))
		return -EBADMSG;
	if (part == &search->parts[0] && search->check.behind && at == search->check.again)
		return 0;
	int error = leads_out(search, target, &is_left);
	if (error || !is_left)
		return error;
	/* By a count no flag says whether it jumps. */
	return way->kind == X86_COUNTS ? -EBADMSG : add_place(search, part, at, way);
}

static int look_through(struct search *search, const struct part *part)
{
	_cleanup_free_ unsigned char *bounds = NULL;
	uint64_t at = 0;
	int error = 0;

	search->bytes += part->bytes;
	if (part->bytes > MOST_BYTES || search->bytes > MOST_BYTES_IN_ALL)
		return -E2BIG;
	bounds = find_bounds(part);
	if (!bounds)
		return -EBADMSG;
	while (at < part->bytes && !error) {
		struct x86_way way = x86_way_decode(part->code + at, part->bytes - at);
		error = look_at(search, part, bounds, at, &way);
		at += way.bytes;
	}
	return error;
}

/* Parts are found while others are looked through. */
static int find_places(struct search *search, const struct elf_span *function)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(search->file, &segments);
	uint64_t vaddr;

	search->part_count = 0;
	search->places.count = 0;
	search->has_unseen = false;
	if (!elf_file_is_x86(search->file))
		return -ENOTSUP;
	if (!function->bytes || !elf_segments_vaddr(segments, count, function->offset, &vaddr) ||
		find_part(search->file, vaddr, function->bytes, &search->parts[0]))
		return -EBADMSG;
	search->part_count = 1;
	search->check = (struct stack_check){0};
	stack_check_find(search->parts[0].code, function->bytes, &search->check);
	int error = 0;
	for (size_t i = 0; i < search->part_count && !error; i++)
		error = look_through(search, &search->parts[i]);
	return error;
}

static int by_offset(const void *a, const void *b)
{
	const struct elf_return *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Each once: parts may overlap, if their symbols do. */
static size_t settle(struct elf_return *places, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(places, count, sizeof(*places), by_offset);
	for (size_t i = 0; i < count; i++)
		if (!kept || places[kept - 1].offset != places[i].offset)
			places[kept++] = places[i];
	return kept;
}

void elf_returns_find(const struct elf_file *file, const struct elf_span *functions, size_t count,
	struct elf_returns *ret)
{
	struct search search = {.file = file};

	for (size_t i = 0; i < count; i++) {
		struct elf_returns found = {.error = find_places(&search, &functions[i])};
		if (!found.error) {
			found.has_unseen = search.has_unseen;
			found.count = settle(search.places.at, search.places.count);
			found.places = xreallocarray(NULL, found.count + 1, sizeof(*found.places));
			if (found.count)
				memcpy(found.places, search.places.at,
					found.count * sizeof(*found.places));
		}
		ret[i] = found;
	}
	vec_clear(&search.places);
	elf_symbols_free(search.symbols);
	elf_ranges_free(search.ranges);
}

bool elf_returns_are_sound(const struct elf_return *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].is_emulated > 1 || places[i].condition > JUMP_ALWAYS ||
			(i && places[i - 1].offset >= places[i].offset))
			return false;
	return count <= ELF_RETURNS_MOST;
}

void elf_returns_clear(struct elf_returns *returns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(returns[i].places);
		returns[i] = (struct elf_returns){0};
	}
}
