// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts of a file that is open, and the check of those that somebody else read. */
#include "elf/facts.h"

#include <stdio.h>
#include <string.h>

#include "elf/hotspot.h"
#include "elf/section.h"

void elf_facts_take(const struct elf_file *file, struct elf_facts *ret)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);

	*ret = (struct elf_facts){0};
	snprintf(ret->build_id, sizeof(ret->build_id), "%s", elf_file_build_id(file));
	ret->has_symbols = elf_section_exists(file, ".symtab");
	ret->has_link = debug_link_read(file, &ret->link);
	hotspot_find_flag(file, &ret->java_flag);
	ret->extent = elf_file_extent(file);
	ret->segment_count = (uint32_t)count;
	if (count)
		memcpy(ret->segments, segments, count * sizeof(*segments));
}

static bool is_file_name(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

bool elf_facts_are_sound(const struct elf_facts *facts)
{
	uint64_t unused;

	if (!memchr(facts->build_id, '\0', sizeof(facts->build_id)) ||
		facts->build_id[strspn(facts->build_id, "0123456789abcdef")])
		return false;
	if (facts->has_link && (!memchr(facts->link.name, '\0', sizeof(facts->link.name)) ||
				       !is_file_name(facts->link.name)))
		return false;
	if (facts->segment_count > ELF_MAX_SEGMENTS || facts->extent.start > facts->extent.end)
		return false;
	for (uint32_t i = 0; i < facts->segment_count; i++) {
		const struct elf_segment *at = &facts->segments[i];
		if (__builtin_add_overflow(at->offset, at->bytes, &unused) ||
			__builtin_add_overflow(at->vaddr, at->bytes, &unused))
			return false;
	}
	return true;
}
