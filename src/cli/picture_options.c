// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of pictures. */
#include "cli/picture_options.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "util/text.h"

#define DEFAULT_COLORS_PATH "palette.map"

enum {
	KEY_TITLE = 0x4000,
	KEY_SUBTITLE,
	KEY_WIDTH,
	KEY_HEIGHT,
	KEY_MIN_WIDTH,
	KEY_COLORS,
	KEY_BACKGROUND,
	KEY_HASH,
	KEY_CP,
	KEY_NEGATE,
	KEY_INVERTED,
	KEY_REVERSE,
	KEY_CHART,
	KEY_BASE,
	KEY_TRUNCATE,
	KEY_TRUNCATE_RIGHT,
	KEY_COUNT_NAME,
	KEY_NAME_TYPE,
	KEY_FONT_TYPE,
	KEY_FONT_SIZE,
	KEY_TOTAL,
	KEY_FACTOR,
	KEY_NOTES,
	KEY_ATTRIBUTES,
	KEY_DETERMINISTIC,
};

static const struct argp_option options[] = {
	{.doc = "How pictures look:"},
	{.key = KEY_TITLE, .name = "title", .arg = "TEXT", .doc = "default: the view"},
	{.key = KEY_SUBTITLE, .name = "subtitle", .arg = "TEXT", .doc = "a second line"},
	{.key = KEY_COLORS,
		.name = "colors",
		.arg = "PALETTE",
		.doc = "hot, mem, io, wakeup, chain, reason, java, js, perl, red, green, blue, "
		       "aqua, "
		       "yellow, purple or orange"},
	{.key = KEY_COLORS, .name = "color", .flags = OPTION_ALIAS},
	{.key = KEY_BACKGROUND,
		.name = "bgcolors",
		.arg = "COLOR",
		.doc = "yellow, blue, green, grey or #rrggbb; default: plain, light or dark as "
		       "the reader likes"},
	{.key = KEY_HASH, .name = "hash", .doc = "names that begin alike have like colours"},
	{.key = KEY_DETERMINISTIC,
		.name = "deterministic",
		.doc = "colours by name alone; this is always so"},
	{.key = KEY_CP,
		.name = "cp",
		.arg = "FILE",
		.flags = OPTION_ARG_OPTIONAL,
		.doc = "keep colours in FILE, default " DEFAULT_COLORS_PATH},
	{.key = KEY_INVERTED, .name = "inverted", .doc = "an icicle: the root on top"},
	{.key = KEY_REVERSE, .name = "reverse", .doc = "stacks leaf first"},
	{.key = KEY_CHART,
		.name = "flamechart",
		.doc = "stacks in the order of the input (text only), not merged and not sorted"},
	{.key = KEY_BASE,
		.name = "base",
		.arg = "NAME",
		.doc = "start stacks at this function; can be repeated"},
	{.key = KEY_WIDTH,
		.name = "width",
		.arg = "PX",
		.doc = "default 1200, and the window's in a browser"},
	{.key = KEY_HEIGHT, .name = "height", .arg = "PX", .doc = "of a frame; default 18"},
	{.key = KEY_MIN_WIDTH,
		.name = "minwidth",
		.arg = "PX|N%",
		.doc = "merge frames narrower than this; default 0.1"},
	{.key = KEY_TRUNCATE,
		.name = "truncate",
		.arg = "left|right",
		.doc = "which end of long names is cut; default right"},
	{.key = KEY_TRUNCATE_RIGHT, .name = "truncate-text-right", .flags = OPTION_HIDDEN},
	{.key = KEY_FONT_TYPE, .name = "fonttype", .arg = "FONT", .doc = "default: monospaced"},
	{.key = KEY_FONT_SIZE, .name = "fontsize", .arg = "PX", .doc = "default 12"},
	{.key = KEY_COUNT_NAME,
		.name = "countname",
		.arg = "WORD",
		.doc = "what weights are called; default samples. Times are printed as times "
		       "unless this is given"},
	{.key = KEY_NAME_TYPE,
		.name = "nametype",
		.arg = "WORD",
		.doc = "what frames are called; default Function:"},
	{.key = KEY_TOTAL,
		.name = "total",
		.arg = "N",
		.doc = "what the whole width stands for, if that is more than all stacks"},
	{.key = KEY_FACTOR, .name = "factor", .arg = "X", .doc = "multiply printed weights"},
	{.key = KEY_NEGATE, .name = "negate", .doc = "of two columns: blue for more, red for less"},
	{.key = KEY_NOTES, .name = "notes", .arg = "TEXT", .doc = "kept in the file, not shown"},
	{.key = KEY_ATTRIBUTES,
		.name = "nameattr",
		.arg = "FILE",
		.doc = "lines of NAME<tab>href=...<tab>target=...: links, classes and titles of "
		       "functions"},
	{0},
};

void picture_options_init(struct picture_options *picture)
{
	*picture = (struct picture_options){0};
	flame_options_init(&picture->flame);
}

void picture_options_clear(struct picture_options *picture)
{
	vec_clear(&picture->bases);
	flame_colors_free(picture->colors);
	flame_attributes_free(picture->attributes);
}

static error_t parse_number(
	const char *name, const char *value, double least, double most, double *ret)
{
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end || !(number >= least && number <= most)) {
		fail(STATUS_USAGE, "--%s %s: give a number from %g to %g", name, value, least,
			most);
		return EINVAL;
	}
	*ret = number;
	return 0;
}

static error_t parse_palette(const char *value, struct picture_options *picture)
{
	const char *names[PALETTES + 1] = {NULL};
	const char *near;

	picture->has_palette = true;
	if (flame_palette_from_name(value, &picture->flame.palette))
		return 0;
	for (unsigned int i = 0; i < PALETTES; i++)
		names[i] = flame_palette_name((enum flame_palette)i);
	near = text_nearest(value, names);
	if (near)
		fail(STATUS_USAGE, "--colors %s: unknown; did you mean %s?", value, near);
	else
		fail(STATUS_USAGE, "--colors %s: unknown; see dwell flame --help", value);
	return EINVAL;
}

static error_t parse_background(const char *value, struct flame_options *flame)
{
	if (!flame_background_is_known(value)) {
		fail(STATUS_USAGE, "--bgcolors %s: give yellow, blue, green, grey or #rrggbb",
			value);
		return EINVAL;
	}
	flame->background = value;
	return 0;
}

static error_t parse_min_width(const char *value, struct flame_options *flame)
{
	if (!flame_options_set_min_width(flame, value))
		return 0;
	fail(STATUS_USAGE, "--minwidth %s: give pixels (0.1) or a share (0.5%%)", value);
	return EINVAL;
}

static error_t parse_truncate(const char *value, struct flame_options *flame)
{
	flame->cuts_start = !strcmp(value, "left");
	if (flame->cuts_start || !strcmp(value, "right"))
		return 0;
	fail(STATUS_USAGE, "--truncate %s: give left or right", value);
	return EINVAL;
}

/* A file of colours that is not there yet is made when the picture is. */
static error_t read_colors(struct picture_options *picture, const char *path)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct why why = {""};

	flame_colors_free(picture->colors);
	picture->colors = flame_colors_new();
	picture->flame.colors = picture->colors;
	picture->colors_path = path;
	if (!in && errno == ENOENT)
		return 0;
	if (!in)
		why_set(&why, -errno, "%s", strerror(errno));
	else if (!flame_colors_read(picture->colors, in, &why))
		return 0;
	fail(STATUS_USAGE, "--cp: %s: %s", path, why.text);
	return EINVAL;
}

static error_t read_attributes(struct picture_options *picture, const char *path)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct why why = {""};

	if (!picture->attributes)
		picture->attributes = flame_attributes_new();
	picture->flame.attributes = picture->attributes;
	if (!in)
		why_set(&why, -errno, "%s", strerror(errno));
	else if (!flame_attributes_read(picture->attributes, in, &why))
		return 0;
	fail(STATUS_USAGE, "--nameattr: %s: %s", path, why.text);
	return EINVAL;
}

static error_t parse_total(const char *value, struct flame_options *flame)
{
	double number;
	error_t error = parse_number("total", value, 0, 1e15, &number);

	if (!error)
		flame->total = (uint64_t)number;
	return error;
}

/* Values that are checked. */
static error_t parse_value(int key, char *value, struct picture_options *picture)
{
	struct flame_options *flame = &picture->flame;

	switch (key) {
	case KEY_COLORS:
		return parse_palette(value, picture);
	case KEY_BACKGROUND:
		return parse_background(value, flame);
	case KEY_MIN_WIDTH:
		return parse_min_width(value, flame);
	case KEY_TRUNCATE:
		return parse_truncate(value, flame);
	case KEY_WIDTH:
		return parse_number("width", value, 100, 100000, &flame->width);
	case KEY_HEIGHT:
		return parse_number("height", value, 4, 200, &flame->frame_height);
	case KEY_FONT_SIZE:
		return parse_number("fontsize", value, 4, 100, &flame->font_size);
	case KEY_FACTOR:
		return parse_number("factor", value, 1e-12, 1e12, &flame->factor);
	case KEY_TOTAL:
		return parse_total(value, flame);
	case KEY_CP:
		return read_colors(picture, value ? value : DEFAULT_COLORS_PATH);
	case KEY_ATTRIBUTES:
		return read_attributes(picture, value);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_text(int key, char *value, struct picture_options *picture)
{
	struct flame_options *flame = &picture->flame;

	switch (key) {
	case KEY_TITLE:
		flame->title = value;
		return 0;
	case KEY_SUBTITLE:
		flame->subtitle = value;
		return 0;
	case KEY_COUNT_NAME:
		flame->count_name = value;
		return 0;
	case KEY_NAME_TYPE:
		flame->name_type = value;
		return 0;
	case KEY_FONT_TYPE:
		flame->font_type = value;
		return 0;
	case KEY_NOTES:
		flame->notes = value;
		return 0;
	case KEY_BASE:
		vec_push(&picture->bases, value);
		flame->bases = picture->bases.at;
		flame->base_count = picture->bases.count;
		return 0;
	default:
		return parse_value(key, value, picture);
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct picture_options *picture = state->input;
	struct flame_options *flame = &picture->flame;

	switch (key) {
	case KEY_INVERTED:
		flame->is_inverted = true;
		return 0;
	case KEY_REVERSE:
		flame->is_reversed = true;
		return 0;
	case KEY_CHART:
		flame->is_chart = true;
		return 0;
	case KEY_HASH:
		flame->is_alike = true;
		return 0;
	case KEY_NEGATE:
		flame->is_negated = true;
		return 0;
	case KEY_DETERMINISTIC:
	case KEY_TRUNCATE_RIGHT:
		return 0;
	default:
		return parse_text(key, value, picture);
	}
}

const struct argp picture_options_argp = {.options = options, .parser = parse_option};

void picture_options_suit(struct picture_options *picture, const struct view_type *view)
{
	if (!picture->flame.title)
		picture->flame.title = view->title;
	/* Kept colours are of names, whatever these waited for. */
	bool has_names = picture->colors && view->has_reasons;
	if (!picture->has_palette)
		flame_palette_from_name(has_names ? "io" : view->palette, &picture->flame.palette);
}

int picture_options_keep_colors(
	const struct picture_options *picture, const struct privacy *privacy, struct why *why)
{
	struct output output;
	int error;

	if (!picture->colors)
		return 0;
	error = output_open(picture->colors_path, privacy, &output, why);
	if (error)
		return error;
	flame_colors_write(picture->colors, output.stream);
	return output_finish(&output, why);
}
