// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First each function's beginning is taken apart, which gives a place, if there is one. What lies
 * between is straight, but a jump of the body (a loop's) or of a part of it that was moved
 * elsewhere (.cold) may lead behind the beginning, and then the place would be hit more often than
 * the function is called. So all code is looked through for jumps that lead there: byte by byte, as
 * nobody knows where instructions begin. What only looks like such a jump costs a cheap place,
 * never a right count. Jumps through a table are not seen; one that leads there would be of a case
 * of a switch that does nothing at all.
 */
#include "elf/probe_place.h"

#include <string.h>

#include "elf/file.h"
#include "elf/probe_code.h"
#include "elf/stack_check.h"
#include "elf/x86_length.h"
#include "util/vec.h"

#define MOST_SKIPPED 4
#define NOP5_BYTES 5

/* endbr64, those instructions and one more, none of more than 15 bytes. */
_Static_assert(4 + 15 * (MOST_SKIPPED + 1) <= ELF_PROBE_MAX_BYTES, "a place is near");

/* Larger code is probed where functions start, of which so much is read then. */
#define MAX_CODE_BYTES (256ULL << 20)
#define MAX_HEAD_BYTES (16U << 10)

#define FILTER_BITS 16

/* Where an instruction behind a beginning begins, up to the place. */
struct bound {
	uint64_t offset;
	size_t probe; /* whose */
};

struct search {
	struct elf_probe *probes;
	VEC(struct bound) bounds; /* by offset */
	unsigned char *filter;    /* bits of the lowest bits of their offsets */
};

static uint32_t needed_registers(unsigned int needed_arguments)
{
	static const unsigned char numbers[ELF_PROBE_ARGUMENTS] = {7, 6, 2, 1, 8, 9};
	uint32_t registers = 0;

	for (size_t i = 0; i < ELF_PROBE_ARGUMENTS; i++)
		if (needed_arguments & ELF_PROBE_ARGUMENT(i))
			registers |= 1U << numbers[i];
	return registers;
}

/* The bytes of an executable segment, which stay the file's; NULL if they cannot be had. */
static const unsigned char *read_code(
	const struct elf_file *file, const struct elf_segment *segment)
{
	size_t count;

	return segment->bytes > MAX_CODE_BYTES
		       ? NULL
		       : elf_file_code(file, segment->offset, segment->bytes, &count);
}

/* Behind the check is no better place: the frame is made there, by an instruction that is emulated
 * or not. */
static bool find_behind_check(struct elf_probe *probe, const unsigned char *code, size_t count)
{
	struct stack_check check;

	if (!stack_check_find(code, count, &check))
		return false;
	probe->start = probe->place = probe->offset + check.behind;
	probe->is_emulated = probe_code_decode(code + check.behind, count - check.behind).kind ==
			     PROBE_CODE_EMULATED;
	return true;
}

/* Where it is probed if no better place is found. */
static void find_start(struct elf_probe *probe, const unsigned char *code, size_t count)
{
	size_t at = 0;

	while (at + NOP5_BYTES < count && x86_is_nop5(code + at, count - at))
		at += NOP5_BYTES;
	probe->start = probe->place = probe->offset + at;
}

/*
 * Is it cheap to probe what is there? A function that begins with a long nop has it for those who
 * want to watch it (-fpatchable-function-entry), and newer kernels make the most of it; one behind
 * other instructions is padding that older ones may refuse to probe.
 */
static bool is_cheap(const struct probe_code *step, size_t skipped)
{
	return step->kind == PROBE_CODE_EMULATED || (step->kind == PROBE_CODE_NOP && !skipped);
}

static bool is_harmless(const struct probe_code *step, uint32_t needed)
{
	return (step->kind == PROBE_CODE_HARMLESS && !(step->written & needed)) ||
	       step->kind == PROBE_CODE_NOP || step->kind == PROBE_CODE_NOP5;
}

/* Goes from the beginning to the first instruction that is cheap, if only such that may be left
 * behind are before it, and notes where they begin. */
static void look_at(struct search *search, size_t index, const unsigned char *code, size_t count,
	uint32_t needed)
{
	struct elf_probe *probe = &search->probes[index];
	struct bound bounds[1 + MOST_SKIPPED];
	size_t at = 0, skipped = 0, bound_count = 0;
	struct probe_code step = probe_code_decode(code, count);

	while (!is_cheap(&step, skipped)) {
		bool is_mark = !at && step.kind == PROBE_CODE_MARK;
		if (!is_mark && (!is_harmless(&step, needed) || skipped++ == MOST_SKIPPED))
			return;
		at += step.bytes;
		bounds[bound_count++] = (struct bound){probe->offset + at, index};
		step = probe_code_decode(code + at, count - at);
	}
	probe->is_emulated = true;
	probe->place = probe->offset + at;
	vec_append(&search->bounds, bounds, bound_count);
}

static int by_offset(const void *a, const void *b)
{
	const struct bound *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* The first one of that offset; NULL: none. */
static const struct bound *find_bound(const struct search *search, uint64_t offset)
{
	size_t low = 0, high = search->bounds.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (search->bounds.at[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < search->bounds.count && search->bounds.at[low].offset == offset
		       ? &search->bounds.at[low]
		       : NULL;
}

static bool passes_filter(const struct search *search, uint64_t offset)
{
	size_t bit = offset & ((1U << FILTER_BITS) - 1);

	return search->filter[bit / 8] >> (bit % 8) & 1;
}

static void make_filter(struct search *search)
{
	search->filter = xcalloc(1, (1U << FILTER_BITS) / 8);
	vec_each (bound, &search->bounds) {
		size_t bit = bound->offset & ((1U << FILTER_BITS) - 1);
		search->filter[bit / 8] |= (unsigned char)(1U << (bit % 8));
	}
}

/* A jump at `from` would lead to `target`: those who lie behind it lose their places. Within what
 * was taken apart no jump begins, but at the place itself. */
static void on_jump(const struct search *search, uint64_t from, uint64_t target)
{
	const struct bound *end = search->bounds.at + search->bounds.count;

	for (const struct bound *bound = find_bound(search, target);
		bound && bound < end && bound->offset == target; bound++) {
		struct elf_probe *probe = &search->probes[bound->probe];
		if (from >= probe->offset && from < probe->place)
			continue;
		probe->is_emulated = false;
	}
}

static void scan(
	const struct search *search, const struct elf_segment *segment, const unsigned char *code)
{
	int64_t distance;

	for (uint64_t at = 0; at < segment->bytes; at++) {
		if (!probe_code_jump(code + at, segment->bytes - at, &distance))
			continue;
		/* Both are in one segment, so distances are those of addresses. */
		uint64_t target = segment->offset + at + (uint64_t)distance;
		if (passes_filter(search, target))
			on_jump(search, segment->offset + at, target);
	}
}

static void look_into(struct search *search, size_t count, const struct elf_file *file,
	const struct elf_segment *segment, uint32_t needed)
{
	const unsigned char *code = NULL;
	bool is_unreadable = false;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = search->probes[i].offset - segment->offset;
		if (search->probes[i].offset < segment->offset || at >= segment->bytes)
			continue;
		if (!code && !is_unreadable)
			is_unreadable = !(code = read_code(file, segment));
		size_t bytes = segment->bytes - at;
		const unsigned char *head = code ? code + at
						 : elf_file_code(file, search->probes[i].offset,
							   MAX_HEAD_BYTES, &bytes);
		if (!head || find_behind_check(&search->probes[i], head, bytes))
			continue;
		find_start(&search->probes[i], head,
			bytes < ELF_PROBE_MAX_BYTES ? bytes : ELF_PROBE_MAX_BYTES);
		if (code)
			look_at(search, i, head, bytes, needed);
	}
	if (!search->bounds.count)
		return;
	vec_sort(&search->bounds, by_offset);
	make_filter(search);
	scan(search, segment, code);
	free(search->filter);
	search->bounds.count = 0;
}

void elf_probe_places(const struct elf_file *file, unsigned int needed_arguments,
	struct elf_probe *probes, size_t count)
{
	const struct elf_segment *segments;
	size_t segment_count = elf_file_segments(file, &segments);
	struct search search = {.probes = probes};

	for (size_t i = 0; i < count; i++) {
		probes[i].start = probes[i].place = probes[i].offset;
		probes[i].is_emulated = false;
	}
	for (size_t i = 0; i < segment_count && elf_file_is_x86(file); i++)
		look_into(&search, count, file, &segments[i], needed_registers(needed_arguments));
	vec_clear(&search.bounds);
	for (size_t i = 0; i < count; i++)
		if (!probes[i].is_emulated)
			probes[i].place = probes[i].start;
}

uint64_t elf_probe_place(const struct elf_file *file, uint64_t offset,
	unsigned int needed_arguments, bool *ret_is_emulated)
{
	struct elf_probe probe = {.offset = offset};

	elf_probe_places(file, needed_arguments, &probe, 1);
	*ret_is_emulated = probe.is_emulated;
	return probe.place;
}
