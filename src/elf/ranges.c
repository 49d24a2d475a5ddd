// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of function bounds: FDEs as they come, sorted, one for each start. */
#include "elf/ranges.h"

#include <elf.h>
#include <errno.h>

#include "elf/eh_frame.h"
#include "elf/file.h"
#include "elf/pack.h"
#include "elf/section.h"
#include "util/vec.h"

#define MAX_FRAME_BYTES (512ULL << 20)
#define MAX_RANGES (16U << 20)

struct elf_ranges {
	VEC(struct elf_range) ranges;
};

/* Functions that the linker dropped leave FDEs that point nowhere. */
static bool is_code(const struct elf_file *file, uint64_t address)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);

	for (size_t i = 0; i < count; i++)
		if (address >= segments[i].vaddr && address - segments[i].vaddr < segments[i].bytes)
			return true;
	return false;
}

static void read_section(struct elf_ranges *ranges, const struct elf_file *file,
	const struct elf_file *source, enum eh_frame_kind kind, bool is_catching)
{
	struct elf_section section;
	struct eh_frame frames;
	struct eh_fde fde;
	const char *name = kind == EH_FRAME_RUNTIME ? ".eh_frame" : ".debug_frame";

	if (elf_section_read(source, name, MAX_FRAME_BYTES, &section))
		return;
	eh_frame_init(&frames, kind, section.bytes, section.count, section.vaddr);
	while (ranges->ranges.count < MAX_RANGES && eh_frame_next(&frames, &fde))
		if (is_code(file, fde.start) && (!is_catching || fde.cie.has_personality))
			vec_push(&ranges->ranges, ((struct elf_range){fde.start, fde.end}));
}

static int compare_ranges(const void *left, const void *right)
{
	const struct elf_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static void sort_ranges(struct elf_ranges *ranges)
{
	struct elf_range *at = ranges->ranges.at;
	size_t kept = 0;

	vec_sort(&ranges->ranges, compare_ranges);
	for (size_t i = 0; i < ranges->ranges.count; i++) {
		if (kept && at[kept - 1].start == at[i].start)
			at[kept - 1] = at[i];
		else
			at[kept++] = at[i];
	}
	ranges->ranges.count = kept;
}

struct elf_ranges *elf_ranges_new(void)
{
	return xcalloc(1, sizeof(struct elf_ranges));
}

struct elf_ranges *elf_ranges_read(const struct elf_file *file, const struct elf_file *debug)
{
	struct elf_ranges *ranges = elf_ranges_new();

	/* Code compiled without the one is linked with start-up code that has it. */
	read_section(ranges, file, file, EH_FRAME_RUNTIME, false);
	read_section(ranges, file, file, EH_FRAME_DEBUG, false);
	if (debug)
		read_section(ranges, file, debug, EH_FRAME_DEBUG, false);
	sort_ranges(ranges);
	return ranges;
}

struct elf_ranges *elf_ranges_read_catching(const struct elf_file *file)
{
	struct elf_ranges *ranges = elf_ranges_new();

	read_section(ranges, file, file, EH_FRAME_RUNTIME, true);
	sort_ranges(ranges);
	return ranges;
}

void elf_ranges_pack(const struct elf_ranges *ranges, struct elf_bytes *bytes)
{
	elf_bytes_add_array(
		bytes, ranges->ranges.at, ranges->ranges.count, sizeof(struct elf_range));
}

int elf_ranges_unpack(struct elf_cursor *at, struct elf_ranges **ret)
{
	struct elf_ranges *ranges = elf_ranges_new();
	const struct elf_range *last = NULL;
	size_t count;
	void *array;

	if (elf_cursor_take_array(at, MAX_RANGES, sizeof(struct elf_range), &array, &count)) {
		elf_ranges_free(ranges);
		return -EBADMSG;
	}
	ranges->ranges.at = array;
	ranges->ranges.count = ranges->ranges.room = count;
	vec_each (range, &ranges->ranges) {
		if (last && last->start >= range->start) {
			elf_ranges_free(ranges);
			return -EBADMSG;
		}
		last = range;
	}
	*ret = ranges;
	return 0;
}

uint64_t elf_ranges_bytes(const struct elf_ranges *ranges)
{
	return sizeof(*ranges) + ranges->ranges.room * sizeof(struct elf_range);
}

void elf_ranges_free(struct elf_ranges *ranges)
{
	if (!ranges)
		return;
	vec_clear(&ranges->ranges);
	free(ranges);
}

size_t elf_ranges_count(const struct elf_ranges *ranges)
{
	return ranges->ranges.count;
}

/* Position of the first range that starts after the address. */
static size_t upper_bound(const struct elf_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ranges->ranges.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool elf_ranges_find(const struct elf_ranges *ranges, uint64_t address, struct elf_range *ret)
{
	size_t position = upper_bound(ranges, address);

	if (!position || address >= ranges->ranges.at[position - 1].end)
		return false;
	*ret = ranges->ranges.at[position - 1];
	return true;
}

uint64_t elf_ranges_next_start(const struct elf_ranges *ranges, uint64_t address)
{
	size_t position = upper_bound(ranges, address);

	return position < ranges->ranges.count ? ranges->ranges.at[position].start : UINT64_MAX;
}
