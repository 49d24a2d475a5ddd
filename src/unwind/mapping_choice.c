// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line's rank says whether it is its file's first mapping, its second, and so on. All lines up to
 * some rank stay, and as many of the next rank as there is room for.
 */
#include "unwind/mapping_choice.h"

#include "util/hash.h"
#include "util/map64.h"

static uint64_t file_of(const struct map_line *line)
{
	uint64_t device = (uint64_t)line->dev_major << 32 | line->dev_minor;

	/* The vdso has no inode, but a name. */
	return line->inode            ? hash_add(device, line->inode)
	       : line->path[0] == '[' ? hash_text(0, line->path)
				      : 0;
}

bool *mapping_choice(const struct map_lines *lines, size_t most)
{
	size_t count = lines->lines.count, room = most, rank = 0;
	_cleanup_free_ size_t *ranks = xcalloc(count, sizeof(*ranks));
	_cleanup_free_ size_t *of_rank = xcalloc(count + 1, sizeof(*of_rank));
	bool *is_kept = xcalloc(count, sizeof(*is_kept));
	struct map64 seen = {0};

	for (size_t i = 0; i < count; i++) {
		ranks[i] = (*map64_put(&seen, file_of(&lines->lines.at[i]), NULL))++;
		of_rank[ranks[i]]++;
	}
	map64_clear(&seen);
	while (of_rank[rank] && of_rank[rank] <= room)
		room -= of_rank[rank++];
	for (size_t i = 0; i < count; i++) {
		is_kept[i] = ranks[i] < rank || (ranks[i] == rank && room);
		room -= ranks[i] == rank && room;
	}
	return is_kept;
}
