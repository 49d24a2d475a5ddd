// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits of lines, added up by thing. */
#include "profile/summary/line_things.h"

/* All but this part is for one thing: then the line is. Larger parts are lines of their own. */
#define NEARLY_PART 10

static int compare_things(const void *left, const void *right)
{
	const struct line_thing *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->thing < b->thing ? -1 : a->thing > b->thing;
}

static void add_up(struct summary *summary)
{
	struct map64 by_line = {0};

	vec_each (wait, &summary->waits) {
		if (!wait->line || wait->thing == REC_NONE)
			continue;
		uint64_t *number =
			map64_put(&by_line, (uint64_t)(wait->line - 1) << 32 | wait->thing, NULL);
		if (!*number) {
			struct line_thing made = {.line = wait->line - 1, .thing = wait->thing};
			vec_push(&summary->line_things, made);
			*number = summary->line_things.count;
		}
		summary->line_things.at[*number - 1].ns += wait->total_ns;
		summary->line_things.at[*number - 1].count += wait->count + wait->unended;
	}
	map64_clear(&by_line);
}

void line_things_make(struct summary *summary)
{
	add_up(summary);
	vec_sort(&summary->line_things, compare_things);
	vec_each (line, &summary->lines)
		line->thing = REC_NONE;
	for (size_t i = summary->line_things.count; i-- > 0;) {
		const struct line_thing *first = &summary->line_things.at[i];
		struct summary_line *line = &summary->lines.at[first->line];
		line->first_thing = i;
		line->thing_count++;
		line->thing =
			first->ns && first->ns >= line->total_ns - line->total_ns / NEARLY_PART
				? first->thing
				: REC_NONE;
	}
}

const struct line_thing *line_things_of(
	const struct summary *summary, size_t line, size_t *ret_count)
{
	*ret_count = summary->lines.at[line].thing_count;
	return *ret_count ? summary->line_things.at + summary->lines.at[line].first_thing : NULL;
}

const struct thing *line_thing(const struct summary *summary, const struct summary_line *line)
{
	return line->thing == REC_NONE ? NULL : &summary->things.at.at[line->thing];
}
