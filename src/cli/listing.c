// SPDX-License-Identifier: GPL-2.0-or-later
/* Names in one column, what is said of them in another; long names have a line of their own. */
#include "cli/listing.h"

#include <stdarg.h>
#include <string.h>

#include "render/layout.h"
#include "util/json.h"
#include "util/text.h"

#define INDENT 2
#define GAP 2
/* What is said of a name has as much room, or begins on the next line. */
#define LEAST_ROOM 24
#define WIDEST_NAME 40

static const struct {
	const char *title;
	const char *key;
} groups[LISTING_GROUPS] = {
	[LISTING_SOFTWARE] = {"Software events", "software"},
	[LISTING_HARDWARE] = {"Hardware events", "hardware"},
	[LISTING_TRACEPOINTS] = {"Tracepoints, with the numbers that can be summed", "tracepoints"},
	[LISTING_PROBES] = {"Probes that its authors left in the file (USDT)", "probes"},
	[LISTING_FUNCTIONS] = {"Functions", "functions"},
	[LISTING_WAYS] = {"Given by name", "ways"},
	[LISTING_MISSING] = {"Not here", "missing"},
};

struct listing_item *listing_add(struct listing *listing, enum listing_group group,
	const char *name, const char *about_format, ...)
{
	struct listing_item item = {.group = group, .name = text_clean(name, false)};
	_cleanup_free_ char *about = NULL;
	va_list args;

	va_start(args, about_format);
	if (vasprintf(&about, about_format, args) < 0)
		mem_exhausted();
	va_end(args);
	item.about = text_clean(about, false);
	vec_push(&listing->items, item);
	return &listing->items.at[listing->items.count - 1];
}

void listing_add_field(
	struct listing_item *item, const char *name, const char *type, bool is_number)
{
	vec_push(&item->fields, ((struct listing_field){text_clean(name, false),
					text_clean(type, false), is_number}));
}

size_t listing_count(const struct listing *listing, enum listing_group group)
{
	size_t count = 0;

	vec_each (item, &listing->items)
		count +=
			group == LISTING_GROUPS ? item->group < LISTING_WAYS : item->group == group;
	return count;
}

/* The widest name that is no wider than is good for a column. */
static size_t name_width(const struct listing *listing, enum listing_group group)
{
	size_t widest = 0;

	vec_each (item, &listing->items) {
		size_t width = text_width(item->name);
		if (item->group == group && width > widest && width <= WIDEST_NAME)
			widest = width;
	}
	return widest;
}

static void print_row(
	FILE *out, const char *name, const char *about, size_t indent, size_t width, size_t columns)
{
	size_t column = indent + width + GAP;

	fprintf(out, "%*s%s", (int)indent, "", name);
	if (!*about) {
		fputc('\n', out);
		return;
	}
	if (column + LEAST_ROOM > columns) {
		column = indent + 2 * GAP;
		fprintf(out, "\n%*s", (int)column, "");
	} else if (text_width(name) > width) {
		fprintf(out, "\n%*s", (int)column, "");
	} else {
		fprintf(out, "%*s", (int)(width - text_width(name) + GAP), "");
	}
	layout_wrap(out, about, columns, column, column);
}

static void print_fields(FILE *out, const struct listing_item *item, size_t columns)
{
	size_t width = 0;

	vec_each (field, &item->fields)
		if (text_width(field->name) > width && text_width(field->name) <= WIDEST_NAME)
			width = text_width(field->name);
	vec_each (field, &item->fields) {
		_cleanup_free_ char *type =
			xasprintf("%s%s", field->type, field->is_number ? "" : " (no number)");
		print_row(out, field->name, type, 2 * INDENT, width, columns);
	}
}

/* "order, migratetype" */
static char *numbers_of(const struct listing_item *item)
{
	char *text = xstrdup("");

	vec_each (field, &item->fields) {
		if (!field->is_number)
			continue;
		char *longer = xasprintf("%s%s%s", text, *text ? ", " : "", field->name);
		free(text);
		text = longer;
	}
	return text;
}

void listing_print(FILE *out, const struct listing *listing, bool has_fields, size_t columns)
{
	bool is_first = true;

	has_fields |= listing_count(listing, LISTING_GROUPS) == 1;
	for (enum listing_group group = 0; group < LISTING_GROUPS; group++) {
		if (!listing_count(listing, group))
			continue;
		size_t width = name_width(listing, group);
		fprintf(out, "%s%s\n", is_first ? "" : "\n", groups[group].title);
		is_first = false;
		vec_each (item, &listing->items) {
			if (item->group != group)
				continue;
			_cleanup_free_ char *numbers = numbers_of(item);
			bool has_list = item->fields.count && has_fields;
			print_row(out, item->name,
				has_list             ? ""
				: item->fields.count ? numbers
						     : item->about,
				INDENT, width, columns);
			if (has_list)
				print_fields(out, item, columns);
		}
	}
}

static void json_item(struct json *json, const struct listing_item *item)
{
	json_open_object(json);
	json_field_text(json, "name", item->name);
	if (item->group == LISTING_TRACEPOINTS) {
		json_name(json, "fields");
		json_open_array(json);
		vec_each (field, &item->fields) {
			json_open_object(json);
			json_field_text(json, "name", field->name);
			json_field_text(json, "type", field->type);
			json_field_bool(json, "is_number", field->is_number);
			json_close_object(json);
		}
		json_close_array(json);
	} else {
		json_field_text(json, "about", item->about);
	}
	json_close_object(json);
}

void listing_json(FILE *out, const struct listing *listing)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json);
	for (enum listing_group group = 0; group < LISTING_GROUPS; group++) {
		json_name(&json, groups[group].key);
		json_open_array(&json);
		vec_each (item, &listing->items)
			if (item->group == group)
				json_item(&json, item);
		json_close_array(&json);
	}
	json_close_object(&json);
	json_end(&json);
}

void listing_clear(struct listing *listing)
{
	vec_each (item, &listing->items) {
		vec_each (field, &item->fields) {
			free(field->name);
			free(field->type);
		}
		vec_clear(&item->fields);
		free(item->name);
		free(item->about);
	}
	vec_clear(&listing->items);
}
