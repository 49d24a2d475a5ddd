// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The document around the frames: head, legend, foot, style and script. From top to bottom: title,
 * subtitle, legend, frames, and room of FOOT_HEIGHT for the foot line, which the script replaces by
 * its bar of the same height.
 */
#include "render/flame/flame_svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/flame/flame_parts.h"
#include "render/flame/svg_assets.h"
#include "render/flame/svg_text.h"
#include "util/mem.h"

#define DEFAULT_WIDTH 1200.0
#define DEFAULT_FONT "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
#define FOOT_HEIGHT 62.0
/* Of a letter, in font sizes: monospaced fonts have 0.6, Verdana and the like a bit less. */
#define LETTER_WIDTH 0.602

static const struct {
	const char *name;
	const char *top;
	const char *bottom;
} backgrounds[] = {
	{"yellow", "#fdfcf1", "#f4eeb6"},
	{"blue", "#f6f8fd", "#dde4f8"},
	{"green", "#f5fbf4", "#d8efd6"},
	{"grey", "#fafafa", "#e3e3e6"},
};

void flame_options_init(struct flame_options *options)
{
	*options = (struct flame_options){.font_size = 12,
		.frame_height = 18,
		.min_width = 0.1,
		.factor = 1,
		.palette = PALETTE_HOT};
}

int flame_options_set_min_width(struct flame_options *options, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || !(number >= 0 && number <= 1e6))
		return -EINVAL;
	if (!strcmp(end, "%") && number <= 100) {
		options->min_share = number / 100;
		options->min_width = 0;
		return 0;
	}
	if (*end)
		return -EINVAL;
	options->min_width = number;
	options->min_share = 0;
	return 0;
}

static bool is_hex_color(const char *text)
{
	return text[0] == '#' && strlen(text) == 7 &&
	       strspn(text + 1, "0123456789abcdefABCDEF") == 6;
}

bool flame_background_is_known(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(backgrounds); i++)
		if (!strcmp(text, backgrounds[i].name))
			return true;
	return is_hex_color(text);
}

const char *flame_background_name(size_t index)
{
	return index < ARRAY_SIZE(backgrounds) ? backgrounds[index].name : NULL;
}

static double line_height(const struct flame_page *page)
{
	return page->options->font_size * 1.7;
}

/* Bits of what the legend explains: sorts, and three that are behind the last of them. */
#define LEGEND_WAKER (1u << FLAME_SORTS)
#define LEGEND_CHANGE (2u << FLAME_SORTS)
#define LEGEND_SHARES (4u << FLAME_SORTS)
/* What took less of the whole picture than this is in the boxes' titles only. */
#define LEGEND_LEAST_SHARE 0.001

static unsigned int sorts_present(const struct flame_page *page)
{
	unsigned int present = page->options->before ? LEGEND_CHANGE : 0;

	if (page->layout->has_shares)
		present |= LEGEND_SHARES;
	vec_each (box, &page->layout->boxes) {
		if (!box->depth || box->merged)
			continue;
		struct flame_kind kind = flame_box_kind(page, box);
		if (flame_sort_word(kind.sort))
			present |= 1u << kind.sort;
		if (kind.is_waker)
			present |= LEGEND_WAKER;
	}
	return present;
}

static void put_attribute(const struct flame_page *page, const char *name, const char *value)
{
	fprintf(page->out, " %s=\"", name);
	svg_put_text(page->out, value);
	fputc('"', page->out);
}

static void put_attribute_number(const struct flame_page *page, const char *name, double value)
{
	fprintf(page->out, " %s=\"", name);
	svg_put_number(page->out, value);
	fputc('"', page->out);
}

static const char *title_of(const struct flame_options *options)
{
	if (options->title)
		return options->title;
	return options->is_inverted ? "Icicle Graph" : "Flame Graph";
}

static void put_root(const struct flame_page *page)
{
	const struct flame_options *options = page->options;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dwell-flame\" role=\"img\"",
		page->out);
	put_attribute_number(page, "width", page->width);
	put_attribute_number(page, "height", page->height);
	fputs(" viewBox=\"0 0 ", page->out);
	svg_put_number(page->out, page->width);
	fputc(' ', page->out);
	svg_put_number(page->out, page->height);
	fputc('"', page->out);
	put_attribute(page, "font-family", options->font_type ? options->font_type : DEFAULT_FONT);
	put_attribute_number(page, "font-size", options->font_size);
	put_attribute_number(page, "data-pad", FLAME_PAD);
	put_attribute_number(page, "data-frame-height", options->frame_height);
	put_attribute_number(page, "data-foot-height", FOOT_HEIGHT);
	put_attribute_number(page, "data-mark-width", FLAME_MARK_WIDTH);
	put_attribute_number(page, "data-stripe-width", FLAME_STRIPE_WIDTH);
	put_attribute_number(page, "data-gap", FLAME_GAP);
	put_attribute_number(page, "data-top", page->top);
	put_attribute_number(page, "data-font-size", options->font_size);
	put_attribute_number(page, "data-character-width", page->character_width);
	put_attribute(page, "data-inverted", options->is_inverted ? "1" : "0");
	put_attribute(page, "data-cut", options->cuts_start ? "left" : "right");
	put_attribute(page, "data-fixed", options->width > 0 ? "1" : "0");
	put_attribute(
		page, "data-name-type", options->name_type ? options->name_type : "Function:");
	fputs(">\n", page->out);
}

static void put_description(const struct flame_page *page)
{
	const struct flame_options *options = page->options;
	char room[FLAME_VALUE_ROOM];

	fputs("<title>", page->out);
	svg_put_text(page->out, title_of(options));
	fputs("</title>\n<desc>Stacks as boxes, each as wide as its share of ", page->out);
	svg_put_text(page->out, flame_value(page, page->layout->total, room));
	fprintf(page->out, "; callers are %s.", options->is_inverted ? "above" : "below");
	if (options->notes) {
		fputs(" Notes: ", page->out);
		svg_put_text(page->out, options->notes);
	}
	fputs("</desc>\n", page->out);
}

/* A colour of the user's own is there in light and dark, so the ink follows it. */
static void put_own_paper(const struct flame_page *page, const char *color)
{
	unsigned long rgb = strtoul(color + 1, NULL, 16);
	unsigned long light =
		299 * (rgb >> 16) + 587 * (rgb >> 8 & 0xff) + 114 * (rgb & 0xff); /* of 255000 */
	bool is_light = light > 128000;

	fprintf(page->out, ".dwell-flame { --paper: %s; --ink: %s; --soft: %s; }\n", color,
		is_light ? "#000000" : "#ffffff", is_light ? "#333333" : "#dddddd");
}

static void put_style(const struct flame_page *page)
{
	const char *background = page->options->background;

	fprintf(page->out, "<style><![CDATA[\n%s", svg_asset_flame_css);
	for (size_t i = 0; background && i < ARRAY_SIZE(backgrounds); i++)
		if (!strcmp(background, backgrounds[i].name))
			fprintf(page->out,
				"@media (prefers-color-scheme: light) {\n"
				"\t.dwell-flame { --paper: %s; --paper-end: %s; }\n}\n",
				backgrounds[i].top, backgrounds[i].bottom);
	if (background && is_hex_color(background))
		put_own_paper(page, background);
	fputs("]]></style>\n", page->out);
}

static void put_paper(const struct flame_page *page)
{
	fputs("<defs><linearGradient id=\"dwell-paper\" x2=\"0\" y2=\"1\">"
	      "<stop style=\"stop-color:var(--paper)\"/>"
	      "<stop offset=\"1\" style=\"stop-color:var(--paper-end)\"/></linearGradient></defs>\n"
	      "<rect class=\"paper\"",
		page->out);
	put_attribute_number(page, "width", page->width);
	put_attribute_number(page, "height", page->height);
	fputs(" fill=\"url(#dwell-paper)\"/>\n", page->out);
}

/* What stripes are filled with: plain, slanted lines, dots. They do not grow with the zoom. */
static void put_patterns(const struct flame_page *page)
{
	fputs("<defs><pattern id=\"dwell-runnable\" width=\"6\" height=\"6\" "
	      "patternUnits=\"userSpaceOnUse\"><rect class=\"q\" width=\"6\" height=\"6\"/>"
	      "<path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\"/></pattern>"
	      "<pattern id=\"dwell-blocked\" width=\"6\" height=\"6\" "
	      "patternUnits=\"userSpaceOnUse\"><rect class=\"b\" width=\"6\" height=\"6\"/>"
	      "<circle cx=\"1.5\" cy=\"1.5\" r=\"0.7\"/><circle cx=\"4.5\" cy=\"4.5\" "
	      "r=\"0.7\"/></pattern></defs>\n",
		page->out);
}

static void put_line(const struct flame_page *page, const char *class, double y, const char *text)
{
	fprintf(page->out, "<text class=\"%s\"", class);
	put_attribute_number(page, "x", FLAME_PAD);
	put_attribute_number(page, "y", y);
	fputc('>', page->out);
	svg_put_text(page->out, text);
	fputs("</text>\n", page->out);
}

/* A small frame, closed by the caller with its mark. Returns where the next one starts. */
static double put_legend_entry(
	const struct flame_page *page, const char *start, const char *word, double x, double y)
{
	double size = page->options->font_size;

	fprintf(page->out,
		"%s x=\"%.2f\" y=\"%.2f\" width=\"14\" height=\"%.2f\"/>"
		"<text x=\"%.2f\" y=\"%.2f\">%s</text>",
		start, x, y - size * 0.85, size, x + 20, y, word);
	return x + 20 + (double)(strlen(word) + 3) * page->character_width;
}

static double put_legend_mark(
	const struct flame_page *page, char letter, const char *word, double x, double y)
{
	double size = page->options->font_size, edge = letter == 'w' ? x + 13 : x + 1;
	char start[] = "<g class=\"?\"><rect";

	*strchr(start, '?') = letter;
	double next = put_legend_entry(page, start, word, x, y);
	fprintf(page->out, "<path class=\"e\" d=\"M%.2f %.2fv%.2f\"/></g>\n", edge, y - size * 0.85,
		size);
	return next;
}

static double put_legend_color(const struct flame_page *page, const char *class,
	struct flame_color color, const char *word, double x, double y)
{
	char start[96];

	snprintf(start, sizeof(start), "<g class=\"%s\"><rect style=\"fill:#%02x%02x%02x\"", class,
		color.red, color.green, color.blue);
	x = put_legend_entry(page, start, word, x, y);
	fputs("</g>\n", page->out);
	return x;
}

static double put_legend_change(
	const struct flame_page *page, double change, const char *word, double x, double y)
{
	return put_legend_color(page, "change",
		flame_color_of_change(change, 1, page->options->is_negated), word, x, y);
}

static double put_legend_share(
	const struct flame_page *page, enum flame_share share, double x, double y)
{
	char start[] = "<g><rect class=\"s ?\"";

	*strchr(start, '?') = flame_share_letter(share);
	x = put_legend_entry(page, start, flame_share_word(share), x, y);
	fputs("</g>\n", page->out);
	return x;
}

/* Reasons, those that took most of the picture first. The root is the first box. */
static double put_legend_reasons(const struct flame_page *page, double x, double y)
{
	const uint64_t *row = page->layout->reasons[0];
	unsigned int order[REASON_PARTS];
	size_t count = flame_reasons_by_size(row, order);

	for (size_t i = 0; i < count; i++) {
		double share = (double)row[order[i]] / (double)page->layout->total;
		if (share < LEGEND_LEAST_SHARE)
			break;
		_cleanup_free_ char *word = xasprintf("%s %.*f %%", reason_part_name(order[i]),
			share < 0.01 ? 1 : 0, 100 * share);
		x = put_legend_color(page, "why", flame_color_of_legend(order[i]), word, x, y);
	}
	if (count > 1)
		x = put_legend_color(
			page, "mixed", flame_color_of_legend(REASON_PARTS), "mixed", x, y);
	return x;
}

/* Where reasons have the colours, wakers have one of their own. */
static double put_legend_waker(const struct flame_page *page, double x, double y)
{
	static const struct flame_kind waker = {"waker", 5, FLAME_USER, true};
	struct flame_color color = flame_color_of(page->options->palette, &waker, false);
	double size = page->options->font_size;
	char start[64];

	if (!page->layout->reasons)
		return put_legend_mark(page, 'w', waker.name, x, y);
	snprintf(start, sizeof(start), "<g class=\"w\"><rect style=\"fill:#%02x%02x%02x\"",
		color.red, color.green, color.blue);
	double next = put_legend_entry(page, start, waker.name, x, y);
	fprintf(page->out, "<path class=\"e\" d=\"M%.2f %.2fv%.2f\"/></g>\n", x + 13,
		y - size * 0.85, size);
	return next;
}

static void put_legend(const struct flame_page *page, unsigned int present, double y)
{
	double x = FLAME_PAD + 0.5;

	fputs("<g class=\"legend\">\n", page->out);
	if (page->layout->reasons)
		x = put_legend_reasons(page, x, y);
	for (unsigned int sort = 0; sort < FLAME_SORTS; sort++)
		if (present & 1u << sort)
			x = put_legend_mark(page, flame_sort_letter((enum flame_sort)sort),
				flame_sort_word((enum flame_sort)sort), x, y);
	if (present & LEGEND_WAKER)
		x = put_legend_waker(page, x, y);
	for (unsigned int share = 0; present & LEGEND_SHARES && share < FLAME_SHARES; share++)
		x = put_legend_share(page, (enum flame_share)share, x, y);
	if (present & LEGEND_CHANGE) {
		x = put_legend_change(page, 1, "more", x, y);
		put_legend_change(page, -1, "less", x, y);
	}
	fputs("</g>\n", page->out);
}

/* Where frames begin is known before the first byte is written. */
static void measure(struct flame_page *page, unsigned int present)
{
	const struct flame_options *options = page->options;

	page->top = FLAME_PAD + options->font_size * 1.4 + 12;
	if (options->subtitle)
		page->top += line_height(page);
	if (present || page->layout->reasons)
		page->top += line_height(page);
	page->height =
		page->top + (page->layout->depth + 1) * options->frame_height + 8 + FOOT_HEIGHT;
}

static void put_head(const struct flame_page *page, unsigned int present)
{
	const struct flame_options *options = page->options;
	double y = FLAME_PAD + options->font_size * 1.4;

	put_line(page, "title", y, title_of(options));
	if (options->subtitle)
		put_line(page, "soft", y += line_height(page), options->subtitle);
	if (present || page->layout->reasons)
		put_legend(page, present, y + line_height(page));
}

static void put_foot(const struct flame_page *page)
{
	size_t frames = page->layout->boxes.count - 1;
	char value[FLAME_VALUE_ROOM], count[UNITS_ROOM], merged[UNITS_ROOM];

	vec_each (box, &page->layout->boxes)
		frames -= box->merged != 0;
	_cleanup_free_ char *text = xasprintf("all: %s in %s %s%s%s%s",
		flame_value(page, page->layout->total, value), units_count(frames, count),
		frames == 1 ? "frame" : "frames", page->layout->merged ? ", and " : "",
		page->layout->merged ? units_count(page->layout->merged, merged) : "",
		page->layout->merged ? " more too thin to draw" : "");
	put_line(page, "soft foot", page->height - FOOT_HEIGHT + 20, text);
}

int flame_svg_write(
	const struct tree *tree, const struct flame_options *options, FILE *out, struct why *why)
{
	double width = options->width > 0 ? options->width : DEFAULT_WIDTH;
	struct flame_layout layout;
	struct flame_page page = {
		.options = options, .layout = &layout, .out = out, .width = width};
	unsigned int present;
	int error = flame_layout_make(tree, options, width - 2 * FLAME_PAD, &layout, why);

	if (error)
		return error;
	page.tree = layout.shaped ? layout.shaped : tree;
	page.character_width = options->font_size * LETTER_WIDTH;
	present = sorts_present(&page);
	measure(&page, present);
	put_root(&page);
	put_description(&page);
	put_style(&page);
	put_paper(&page);
	if (layout.has_shares)
		put_patterns(&page);
	put_head(&page, present);
	flame_put_frames(&page);
	put_foot(&page);
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", svg_asset_flame_js);
	flame_layout_clear(&layout);
	return 0;
}
