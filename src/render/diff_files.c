// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison as a file for other eyes: a picture, or the folded text that flame graph tools read.
 * Both hold whole numbers, so the comparison's weights are written as parts of its unit.
 */
#include "render/diff.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "render/flame/flame_svg.h"
#include "util/mem.h"

/* So many for one unit. Pictures take weights of time as nanoseconds. */
#define PICTURE_PARTS 1e9
#define FOLDED_PARTS 1e6
/* Both sides together stay below it: flame graphs refuse a sum of 2^63. */
#define LARGEST_SUM 0x1p62

/*
 * How many parts of one unit are written: `most`, or a tenth, a hundredth, ... of it if the sum of
 * all weights would not fit. What was counted is whole already. Time always has `most`: readers
 * know which part of a second that is.
 */
static double parts_of_unit(const struct diff *diff, const struct diff_text *text, double most)
{
	const struct diff_weight *root = &diff->weights.at[TREE_ROOT];
	double sum = root->total_before + root->total_after;

	if (text->is_time)
		return most;
	if (text->is_raw)
		return 1;
	while (sum * most > LARGEST_SUM)
		most /= 10;
	return most;
}

/* To the nearest. llround() has no answer from 2^63 on: the largest count that text may have. */
static uint64_t whole(double weight)
{
	return (uint64_t)(weight < 0x1p63 ? llround(weight) : INT64_MAX - 1);
}

int diff_picture_write(
	const struct diff *diff, const struct diff_text *text, FILE *out, struct why *why)
{
	size_t count = diff->weights.count;
	_cleanup_free_ uint64_t *before = xcalloc(count, sizeof(*before));
	_cleanup_free_ uint64_t *after = xcalloc(count, sizeof(*after));
	/* Pictures are passed on; where the files were is nobody's business. */
	_cleanup_free_ char *subtitle = xasprintf("%s: %s against %s before%s%s", text->what,
		basename(text->after), basename(text->before), text->aside ? "; " : "",
		text->aside ? text->aside : "");
	double parts = parts_of_unit(diff, text, PICTURE_PARTS);
	struct flame_options flame;

	for (size_t i = 0; i < count; i++) {
		before[i] = whole(diff->weights.at[i].self_before * parts);
		after[i] = whole(diff->weights.at[i].self_after * parts);
		diff->tree.nodes.at[i].self_weight = before[i] > after[i] ? before[i] : after[i];
	}
	flame_options_init(&flame);
	flame.title = text->title ? text->title : "Differential Flame Graph";
	flame.subtitle = subtitle;
	flame.is_time = text->is_time;
	if (!flame.is_time) {
		flame.count_name = text->unit;
		flame.factor = text->factor / parts;
	}
	flame.before = before;
	flame.after = after;
	return flame_svg_write(&diff->tree, &flame, out, why);
}

static void write_path(const struct diff *diff, uint32_t node, FILE *out)
{
	if (diff->tree.nodes.at[node].parent != TREE_ROOT) {
		write_path(diff, diff->tree.nodes.at[node].parent, out);
		putc(';', out);
	}
	fputs(tree_label(&diff->tree, node), out);
}

int diff_folded_write(
	const struct diff *diff, const struct diff_text *text, FILE *out, struct why *why)
{
	double parts = parts_of_unit(diff, text, FOLDED_PARTS);

	(void)why;
	for (uint32_t i = 1; i < diff->weights.count; i++) {
		const struct diff_weight *weight = &diff->weights.at[i];
		if (weight->self_before == 0 && weight->self_after == 0)
			continue;
		write_path(diff, i, out);
		fprintf(out, " %" PRIu64 " %" PRIu64 "\n", whole(weight->self_before * parts),
			whole(weight->self_after * parts));
	}
	return 0;
}
