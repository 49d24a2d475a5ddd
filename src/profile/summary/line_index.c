// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines by hashes of what they are called, with and without the function and the thing. */
#include "profile/summary/line_index.h"

#include "profile/summary/line_things.h"
#include "util/hash.h"
#include "util/mem.h"

static uint64_t hash_line(
	const char *name, enum reason reason, const char *operation, const char *spot)
{
	uint64_t hash = hash_text(hash_text((uint64_t)reason, name), operation ? operation : "");

	return spot ? hash_text(hash, spot) : hash;
}

/* The same for what is known to be for a thing; "": for several. */
static uint64_t hash_line_for(uint64_t line, const char *thing)
{
	return hash_text(hash_add(line, REASONS), thing);
}

size_t summary_find_line(const struct summary *summary, const char *name, enum reason reason,
	const char *operation, const char *spot, const char *thing)
{
	uint64_t hash = hash_line(name, reason, operation, spot);
	const uint64_t *number;

	if (!thing) {
		number = map64_find(&summary->line_by_what, hash);
	} else {
		number = map64_find(&summary->line_by_what, hash_line_for(hash, thing));
		if (!number)
			number = map64_find(&summary->line_by_what, hash_line_for(hash, ""));
	}
	return number ? *number : 0;
}

/* The largest of several comes first, and keeps its place. */
static void index_line(struct summary *summary, uint64_t hash, size_t number)
{
	bool is_new;
	uint64_t *place = map64_put(&summary->line_by_what, hash, &is_new);

	if (is_new)
		*place = number;
}

void line_index_make(struct summary *summary)
{
	for (size_t i = 0; i < summary->lines.count; i++) {
		const struct summary_line *line = &summary->lines.at[i];
		const struct thing *thing = line_thing(summary, line);
		if (line->is_runnable)
			continue;
		_cleanup_free_ char *name = summary_root_name(summary, line->root);
		for (unsigned int with_spot = 0; with_spot <= (line->spot != NULL); with_spot++) {
			uint64_t hash = hash_line(
				name, line->reason, line->operation, with_spot ? line->spot : NULL);
			index_line(summary, hash, i + 1);
			index_line(summary, hash_line_for(hash, thing ? thing->text : ""), i + 1);
		}
	}
}
