// SPDX-License-Identifier: GPL-2.0-or-later
/* Three columns: status, name, effect. The name's width follows the longest one. */
#include "cli/fact_table.h"

#include <string.h>

#include "util/text.h"

#define STATUS_WIDTH 8
#define FIRST_COLUMN (2 + STATUS_WIDTH + 1)
#define LEAST_ROOM 20

static const char *group_title(enum fact_group group)
{
	static const char *const titles[] = {
		"Needed to record", "Makes recordings better", "This machine"};

	return titles[group];
}

/* Bytes of text that fit into `room` columns, cut at a space; at least one word. */
static size_t fitting(const char *text, size_t room)
{
	size_t length = strlen(text), cut = room;

	if (length <= room)
		return length;
	while (cut && text[cut] != ' ')
		cut--;
	return cut ? cut : strcspn(text, " ");
}

static void print_wrapped(FILE *out, const char *text, size_t column, size_t width)
{
	size_t room = width - column;

	while (true) {
		size_t length = fitting(text, room);
		fprintf(out, "%.*s\n", (int)length, text);
		text += length;
		text += *text == ' ';
		if (!*text)
			return;
		fprintf(out, "%*s", (int)column, "");
	}
}

/* One command often mends several facts; it is spelt out at the first. */
static void print_fix(FILE *out, const struct facts *facts, const struct fact *fact)
{
	vec_each (other, &facts->list) {
		if (!other->fix || strcmp(other->fix, fact->fix))
			continue;
		fprintf(out, "%*sfix: %s%s\n", FIRST_COLUMN, "", other == fact ? "" : "as for ",
			other == fact ? fact->fix : other->name);
		return;
	}
}

static void print_fact(FILE *out, const struct facts *facts, const struct fact *fact,
	size_t name_width, size_t width)
{
	size_t column = FIRST_COLUMN + name_width + 2;
	/* A narrow screen has no room beside the name. */
	bool is_beside = width >= column + LEAST_ROOM;

	fprintf(out, "  %-*s %-*s", STATUS_WIDTH, fact_status_word(fact->status),
		is_beside ? (int)name_width : 0, fact->name);
	if (is_beside)
		fputs("  ", out);
	else
		fprintf(out, "\n%*s", FIRST_COLUMN, "");
	print_wrapped(out, fact->effect, is_beside ? column : FIRST_COLUMN, width);
	if (fact->fix)
		print_fix(out, facts, fact);
}

void fact_table_print(FILE *out, const struct facts *facts, size_t width)
{
	size_t name_width = 0;

	vec_each (fact, &facts->list)
		if (text_width(fact->name) > name_width)
			name_width = text_width(fact->name);
	for (enum fact_group group = 0; group < FACT_GROUPS; group++) {
		fprintf(out, "%s%s\n", group ? "\n" : "", group_title(group));
		vec_each (fact, &facts->list)
			if (fact->group == group)
				print_fact(out, facts, fact, name_width, width);
	}
}

void fact_table_json(struct json *json, const struct facts *facts)
{
	json_open_array(json);
	vec_each (fact, &facts->list) {
		json_open_object(json);
		json_field_text(json, "group", fact_group_word(fact->group));
		json_field_text(json, "status", fact_status_word(fact->status));
		json_field_text(json, "name", fact->name);
		json_field_text(json, "effect", fact->effect);
		json_name(json, "fix");
		if (fact->fix)
			json_text(json, fact->fix);
		else
			json_null(json);
		json_close_object(json);
	}
	json_close_array(json);
}
