// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames as elements: <g class="KIND" data-s="START" data-w="WEIGHT" data-d="DEPTH"> (and
 * data-c="CHANGE" in a comparison; where boxes are striped data-r and data-q, what ran and what was
 * runnable of the weight) with a title (name, a line break, facts), a rectangle, stripes, marks on
 * its edges and a label. The script of the picture (web/flame.js) reads exactly this and draws by
 * the same rules.
 */
#include <math.h>
#include <string.h>

#include "render/flame/flame_parts.h"
#include "render/flame/svg_text.h"
#include "util/mem.h"
#include "util/text.h"

/* Share of the larger total. */
#define SMALLEST_FULL_CHANGE 0.1

/* Bytes of the name of what is counted. */
#define LONGEST_NAME 64

#define ELLIPSIS "\xe2\x80\xa6"

static const struct flame_color merged_color = {220, 223, 227};
static const struct flame_color root_color = {226, 226, 221};

const char *flame_value(const struct flame_page *page, uint64_t weight, char *room)
{
	const struct flame_options *options = page->options;
	double value = (double)weight * options->factor;
	uint64_t whole = value < 1.8e19 ? (uint64_t)(value + 0.5) : UINT64_MAX;
	const char *name = options->count_name ? options->count_name : "samples";
	char digits[UNITS_ROOM];

	if (options->factor == 1)
		whole = weight;
	if (options->is_time)
		snprintf(room, FLAME_VALUE_ROOM, "%s", units_duration(whole, digits));
	else
		snprintf(room, FLAME_VALUE_ROOM, "%s %.*s", units_count(whole, digits),
			(int)text_fitting(name, LONGEST_NAME), name);
	return room;
}

struct flame_kind flame_box_kind(const struct flame_page *page, const struct flame_box *box)
{
	return flame_kind_of(tree_label(page->tree, box->node),
		page->tree->nodes.at[box->node].kind, box->is_after_separator);
}

static void put_share(const struct flame_page *page, const struct flame_box *box)
{
	char room[FLAME_VALUE_ROOM];

	svg_put_text(page->out, flame_value(page, box->weight, room));
	fprintf(page->out, ", %.2f%%", 100 * (double)box->weight / (double)page->layout->total);
}

#define CHANGE_ROOM 64

/* "+3.20%", "+3.20%, new"; "" if nothing is compared. */
static const char *change_text(
	const struct flame_page *page, const struct flame_box *box, char room[static CHANGE_ROOM])
{
	double before = (double)page->layout->before_total;
	const char *word = box->is_new ? "new" : box->is_gone ? "gone" : "";

	room[0] = 0;
	if (!page->options->before || box->merged)
		return room;
	if (before > 0)
		snprintf(room, CHANGE_ROOM, "%+.2f%%%s%s", 100 * (double)box->change / before,
			word[0] ? ", " : "", word);
	else
		snprintf(room, CHANGE_ROOM, "%s", word);
	return room;
}

static uint64_t share_weight(const struct flame_box *box, enum flame_share share)
{
	return share == SHARE_RUNNING    ? box->running
	       : share == SHARE_RUNNABLE ? box->runnable
					 : box->weight - box->running - box->runnable;
}

static enum flame_share largest_share(const struct flame_box *box)
{
	uint64_t blocked = share_weight(box, SHARE_BLOCKED);

	if (blocked >= box->running && blocked >= box->runnable)
		return SHARE_BLOCKED;
	return box->running >= box->runnable ? SHARE_RUNNING : SHARE_RUNNABLE;
}

static void put_share_words(const struct flame_page *page, const struct flame_box *box)
{
	for (unsigned int i = 0; i < FLAME_SHARES; i++) {
		uint64_t weight = share_weight(box, (enum flame_share)i);
		if (weight)
			fprintf(page->out, ", %.1f%% %s",
				100 * (double)weight / (double)box->weight,
				flame_share_word((enum flame_share)i));
	}
}

static const uint64_t *reasons_of(const struct flame_page *page, const struct flame_box *box)
{
	return page->layout->reasons ? page->layout->reasons[box - page->layout->boxes.at] : NULL;
}

/* "lock 72 %, disk 28 %": what took at least half a percent. */
static void put_reasons(const struct flame_page *page, const struct flame_box *box)
{
	const uint64_t *row = reasons_of(page, box);
	unsigned int order[REASON_PARTS];
	size_t count = row ? flame_reasons_by_size(row, order) : 0;

	for (size_t i = 0; i < count; i++) {
		double percent = 100 * (double)row[order[i]] / (double)box->weight;
		if (percent >= 0.5)
			fprintf(page->out, ", %s %.0f%%", reason_part_name(order[i]), percent);
	}
}

static void put_title(
	const struct flame_page *page, const struct flame_box *box, const struct flame_kind *kind)
{
	const char *own = flame_attributes_get(
		page->options->attributes, kind->name, kind->length, ATTRIBUTE_TITLE);
	const char *word = flame_sort_word(kind->sort);
	const char *object = box->merged ? "" : tree_object(page->tree, box->node);
	char room[UNITS_ROOM], change[CHANGE_ROOM];

	fputs("<title>", page->out);
	svg_put_name(page->out, kind->name, kind->length);
	fputc('\n', page->out);
	if (box->merged)
		fprintf(page->out, "%s %s too thin to draw: ", units_count(box->merged, room),
			box->merged == 1 ? "frame" : "frames");
	put_share(page, box);
	if (box->is_striped)
		put_share_words(page, box);
	put_reasons(page, box);
	if (change_text(page, box, change)[0])
		fprintf(page->out, ", %s", change);
	if (word)
		fprintf(page->out, ", %s", word);
	if (kind->is_waker && kind->sort != FLAME_SEPARATOR)
		fputs(", waker", page->out);
	if (object[0]) {
		fputs(", in ", page->out);
		svg_put_text(page->out, object);
	}
	if (own) {
		fputs(", ", page->out);
		svg_put_text(page->out, own);
	}
	fputs("</title>", page->out);
}

/* The change that has the full colour: where all are small, all stay pale. */
static double full_change(const struct flame_layout *layout)
{
	uint64_t total = layout->before_total > layout->after_total ? layout->before_total
								    : layout->after_total;
	double least = SMALLEST_FULL_CHANGE * (double)total;

	return (double)layout->largest_change > least ? (double)layout->largest_change : least;
}

/* Wakers' frames lead away from where the thread waited, and have a colour of their own. */
static bool is_told_why(
	const struct flame_page *page, const struct flame_box *box, const struct flame_kind *kind)
{
	const uint64_t *row = reasons_of(page, box);

	return row && !kind->is_waker && kind->sort != FLAME_SEPARATOR;
}

static struct flame_color color_of(
	const struct flame_page *page, const struct flame_box *box, const struct flame_kind *kind)
{
	const struct flame_options *options = page->options;
	struct flame_color color;

	if (box->merged)
		return merged_color;
	if (options->before)
		return flame_color_of_change(
			(double)box->change, full_change(page->layout), options->is_negated);
	if (box->is_striped)
		return flame_color_of_share(largest_share(box), kind);
	if (!box->depth)
		return root_color;
	if (is_told_why(page, box, kind))
		return flame_color_of_reason(flame_main_reason(reasons_of(page, box)), kind);
	color = flame_color_of(options->palette, kind, options->is_alike);
	return options->colors ? flame_colors_keep(options->colors, kind->name, kind->length, color)
			       : color;
}

static double drawn_width(double w)
{
	return w > 4 * FLAME_GAP ? w - FLAME_GAP : fmax(w, 0.05);
}

static void put_stripes(
	const struct flame_page *page, const struct flame_box *box, double x, double y, double w)
{
	double height = page->options->frame_height - 1;

	if (!box->is_striped || w < FLAME_STRIPE_WIDTH)
		return;
	for (unsigned int i = 0; i < FLAME_SHARES; i++) {
		double part = (double)share_weight(box, (enum flame_share)i) / (double)box->weight *
			      drawn_width(w);
		if (part > 0)
			fprintf(page->out,
				"<path class=\"s %c\" d=\"M%.2f %.2fh%.2fv%.2fh-%.2fz\"/>",
				flame_share_letter((enum flame_share)i), x, y, part, height, part);
		x += part;
	}
}

static void put_edges(
	const struct flame_page *page, const struct flame_kind *kind, double x, double y, double w)
{
	double height = page->options->frame_height - 1;

	if (w < FLAME_MARK_WIDTH || (!flame_sort_word(kind->sort) && !kind->is_waker))
		return;
	fputs("<path class=\"e\" d=\"", page->out);
	if (flame_sort_word(kind->sort))
		fprintf(page->out, "M%.2f %.2fv%.2f", x + 1, y, height);
	if (kind->is_waker)
		fprintf(page->out, "M%.2f %.2fv%.2f", x + w - 1, y, height);
	fputs("\"/>", page->out);
}

/* In a comparison the change stands behind the name. */
static void put_label(const struct flame_page *page, const struct flame_box *box,
	const struct flame_kind *kind, double x, double y, double w)
{
	const struct flame_options *options = page->options;
	double indent = flame_sort_word(kind->sort) ? 6 : 3;
	double room = (w - indent - (kind->is_waker ? 6 : 3)) / page->character_width;
	char change[CHANGE_ROOM];
	bool is_changed = box->change && change_text(page, box, change)[0];

	if (room < 3)
		return;
	fputs("<text x=\"", page->out);
	svg_put_number(page->out, x + indent);
	fputs("\" y=\"", page->out);
	svg_put_number(page->out, y + options->frame_height / 2 + options->font_size * 0.33);
	fputs("\">", page->out);
	if (is_changed) {
		_cleanup_free_ char *label =
			xasprintf("%.*s %s", (int)kind->length, kind->name, change);
		svg_put_label(page->out, label, strlen(label), (size_t)room, options->cuts_start);
	} else {
		svg_put_label(
			page->out, kind->name, kind->length, (size_t)room, options->cuts_start);
	}
	fputs("</text>", page->out);
}

static void put_class(
	const struct flame_page *page, const struct flame_box *box, const struct flame_kind *kind)
{
	const char *own = flame_attributes_get(
		page->options->attributes, kind->name, kind->length, ATTRIBUTE_CLASS);
	char letter = box->merged ? 't' : flame_sort_letter(kind->sort);

	fprintf(page->out, " class=\"f");
	if (letter)
		fprintf(page->out, " %c", letter);
	if (kind->is_waker)
		fputs(" w", page->out);
	if (own) {
		fputc(' ', page->out);
		svg_put_text(page->out, own);
	}
	fputc('"', page->out);
}

/* Returns the element's name. */
static const char *put_opening(
	const struct flame_page *page, const struct flame_box *box, const struct flame_kind *kind)
{
	const struct flame_attributes *attributes = page->options->attributes;
	const char *link =
		flame_attributes_get(attributes, kind->name, kind->length, ATTRIBUTE_HREF);
	const char *target =
		flame_attributes_get(attributes, kind->name, kind->length, ATTRIBUTE_TARGET);
	char change[CHANGE_ROOM];

	if (link) {
		fputs("<a href=\"", page->out);
		svg_put_text(page->out, link);
		fputs("\" target=\"", page->out);
		svg_put_text(page->out, target ? target : "_top");
		fputc('"', page->out);
	} else {
		fputs("<g", page->out);
	}
	put_class(page, box, kind);
	if (box->change && change_text(page, box, change)[0])
		fprintf(page->out, " data-c=\"%s\"", change);
	if (box->is_striped)
		fprintf(page->out, " data-r=\"%llu\" data-q=\"%llu\"",
			(unsigned long long)box->running, (unsigned long long)box->runnable);
	fprintf(page->out, " data-s=\"%llu\" data-w=\"%llu\" data-d=\"%u\">",
		(unsigned long long)box->start, (unsigned long long)box->weight, box->depth);
	return link ? "a" : "g";
}

static double y_of(const struct flame_page *page, uint32_t depth)
{
	uint32_t row = page->options->is_inverted ? depth : page->layout->depth - depth;

	return page->top + row * page->options->frame_height;
}

static void put_box(const struct flame_page *page, const struct flame_box *box)
{
	double scale = (page->width - 2 * FLAME_PAD) / (double)page->layout->total;
	double x = FLAME_PAD + (double)box->start * scale, w = (double)box->weight * scale;
	double y = y_of(page, box->depth);
	struct flame_kind kind = box->merged   ? (struct flame_kind){ELLIPSIS, 3, FLAME_USER, false}
				 : !box->depth ? (struct flame_kind){"all", 3, FLAME_USER, false}
					       : flame_box_kind(page, box);
	struct flame_color color = color_of(page, box, &kind);
	const char *element = put_opening(page, box, &kind);

	put_title(page, box, &kind);
	fputs("<rect x=\"", page->out);
	svg_put_number(page->out, x);
	fputs("\" y=\"", page->out);
	svg_put_number(page->out, y);
	fputs("\" width=\"", page->out);
	svg_put_number(page->out, drawn_width(w));
	fputs("\" height=\"", page->out);
	svg_put_number(page->out, page->options->frame_height - 1);
	fprintf(page->out, "\" fill=\"#%02x%02x%02x\"/>", color.red, color.green, color.blue);
	put_stripes(page, box, x, y, w);
	put_edges(page, &kind, x, y, w);
	put_label(page, box, &kind, x, y, w);
	fprintf(page->out, "</%s>\n", element);
}

void flame_put_frames(const struct flame_page *page)
{
	fputs("<g class=\"frames\">\n", page->out);
	vec_each (box, &page->layout->boxes)
		put_box(page, box);
	fputs("</g>\n", page->out);
}
