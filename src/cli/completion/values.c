// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What can follow an option. Mostly help's word for the value says it (PID, FILE, a|b|c); where the
 * words are in a table of the program, that table is asked.
 */
#include "cli/completion/completion.h"

#include <string.h>

#include "kernel/event.h"
#include "model/reason.h"
#include "model/state.h"
#include "profile/placer.h"
#include "profile/view_types.h"
#include "render/flame/flame_color.h"
#include "render/flame/flame_svg.h"
#include "util/mem.h"

static void list_views(FILE *out)
{
	for (unsigned int i = 0; i < VIEWS; i++)
		fprintf(out, " %s", view_type((enum view)i)->name);
}

/* A table of functions has no use for views whose stacks are of several threads. */
static void list_function_views(FILE *out)
{
	for (const char *at = VIEW_NAMES_OF_FUNCTIONS; *at;) {
		size_t length = strcspn(at, ",");

		fprintf(out, " %.*s", (int)length, at);
		at += length + strspn(at + length, ", ");
	}
}

static void list_states(FILE *out)
{
	fputs(" runnable", out);
	for (unsigned int i = 0; i < TIME_STATES; i++)
		fprintf(out, " %s", state_name((enum time_state)i));
}

/* "page fault" as one word, which --reason takes as well. */
static void list_reasons(FILE *out)
{
	for (unsigned int i = 0; i < REASONS; i++) {
		putc(' ', out);
		for (const char *at = reason_name((enum reason)i); *at; at++)
			putc(*at == ' ' ? '-' : *at, out);
	}
}

static void list_bys(FILE *out)
{
	for (unsigned int i = 0; i < VIEW_BYS; i++)
		fprintf(out, " %s", view_by_name((enum view_by)i));
}

static void list_events(FILE *out)
{
#define NAME_WITH_BLANK(name, ...) " " name
	fputs(EVENT_SOFTWARE(NAME_WITH_BLANK), out);
}

static void list_palettes(FILE *out)
{
	for (unsigned int i = 0; i < PALETTES; i++)
		fprintf(out, " %s", flame_palette_name((enum flame_palette)i));
}

static void list_backgrounds(FILE *out)
{
	for (size_t i = 0; flame_background_name(i); i++)
		fprintf(out, " %s", flame_background_name(i));
}

/* The first row that fits counts. */
static const struct {
	const char *command; /* NULL: all */
	const char *option;
	void (*list)(FILE *out); /* each word with a blank before it */
} tables[] = {
	{"report", "view", list_function_views},
	{NULL, "view", list_views},
	{NULL, "state", list_states},
	{NULL, "reason", list_reasons},
	{NULL, "by", list_bys},
	{NULL, "event", list_events},
	{NULL, "colors", list_palettes},
	{NULL, "bgcolors", list_backgrounds},
};

static char *words_of_table(const struct command *command, const struct argp_option *option)
{
	char *words = NULL;
	size_t size;

	for (size_t i = 0; option->name && i < ARRAY_SIZE(tables); i++) {
		if (strcmp(tables[i].option, option->name) ||
			(tables[i].command && strcmp(tables[i].command, command->name)))
			continue;
		FILE *out = open_memstream(&words, &size);
		if (!out)
			return NULL;
		tables[i].list(out);
		fclose(out);
		memmove(words, words + 1, size);
		break;
	}
	return words;
}

/* "time|count|cause": words as they are typed. */
static char *words_of_value(const char *value)
{
	if (!strchr(value, '|') || value[strspn(value, "abcdefghijklmnopqrstuvwxyz|")])
		return NULL;
	char *words = xstrdup(value);
	for (char *at = words; *at; at++)
		if (*at == '|')
			*at = ' ';
	return words;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool ends(const char *text, const char *with)
{
	size_t length = strlen(text), wanted = strlen(with);

	return length >= wanted && !strcmp(text + length - wanted, with);
}

enum completion_kind completion_value(
	const struct command *command, const struct argp_option *option, char **ret_words)
{
	*ret_words = NULL;
	if (!option->arg)
		return COMPLETION_NOTHING;
	*ret_words = words_of_table(command, option);
	if (!*ret_words)
		*ret_words = words_of_value(option->arg);
	if (*ret_words)
		return ends(option->arg, ",...") ? COMPLETION_LIST : COMPLETION_WORDS;
	if (begins(option->arg, "PID"))
		return COMPLETION_PIDS;
	if (begins(option->arg, "TID"))
		return COMPLETION_TIDS;
	if (ends(option->arg, ".dwell"))
		return COMPLETION_RECORDING;
	if (begins(option->arg, "FILE") || begins(option->arg, "OUT"))
		return COMPLETION_FILE;
	return COMPLETION_ANY;
}

enum completion_kind completion_operand(const struct command *command)
{
	if (command->has_words)
		return COMPLETION_BEHIND;
	if (strstr(command->usage, "COMMAND"))
		return COMPLETION_COMMAND;
	/* Where other tools' text is as welcome as a recording, usage says FILE|- or FILE... */
	if (begins(command->usage, "[FILE]"))
		return COMPLETION_RECORDING;
	if (begins(command->usage, "FILE") || begins(command->usage, "[FILE") ||
		begins(command->usage, "[BEFORE"))
		return COMPLETION_FILE;
	return COMPLETION_NOTHING;
}
