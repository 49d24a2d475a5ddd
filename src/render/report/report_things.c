// SPDX-License-Identifier: GPL-2.0-or-later
/* Awaited things in words. */
#include "render/report/report_things.h"

#include <string.h>

#include "profile/summary/line_things.h"
#include "render/layout.h"
#include "util/mem.h"
#include "util/text.h"

/* Of a thing that has less room than this in a heading nothing could be read. */
#define LEAST_COLUMNS 10
/* Things that a sentence names, of so many percent each; the first has twice that. */
#define MOST_NAMED 2
#define LEAST_PERCENT 5
/* With less than this part for others, one thing is all, and the heading has said so. */
#define OTHERS_PART 20

/* Where the last so many columns of a text begin. */
static const char *last_columns(const char *text, size_t columns)
{
	const char *at = text + strlen(text);

	for (size_t i = 0; i < columns && at > text; i++)
		do
			at--;
		while (at > text && ((unsigned char)*at & 0xc0) == 0x80);
	return at;
}

/* Where a text goes on after so many columns. */
static const char *after_columns(const char *text, size_t columns)
{
	for (size_t i = 0; i < columns && *text; i++)
		do
			text++;
		while (((unsigned char)*text & 0xc0) == 0x80);
	return text;
}

/*
 * A path in so many columns, LEAST_COLUMNS or more: its last parts (".../pg_wal/0006"), or, of a
 * last part that is too long for that, both ends, behind its folder if that is short
 * ("pg_wal/0000...0006").
 */
static char *cut_path(const char *path, size_t columns)
{
	const char *whole = strchr(last_columns(path, columns - strlen("...")), '/');
	const char *last = strrchr(path, '/') + 1, *folder = last - 1;
	size_t before, room;

	if (whole && whole + 1 < path + strlen(path))
		return xasprintf("...%s", whole);
	while (folder > path && folder[-1] != '/')
		folder--;
	/* Not more than half, with its '/'. */
	if (folder == path || after_columns(folder, columns / 2) < last)
		folder = last;
	before = (size_t)(last - folder);
	room = columns - text_width(folder) + text_width(last) - strlen("...");
	return xasprintf("%.*s%.*s...%s", (int)before, folder,
		(int)(after_columns(last, room / 2) - last), last,
		last_columns(last, room - room / 2));
}

/* Without " (deleted)", which is behind a file's path: where room is scarce the name says more. */
static char *without_remark(const char *text)
{
	static const char remark[] = " (deleted)";
	size_t length = strlen(text), end = strlen(remark);

	if (length > end && !strcmp(text + length - end, remark))
		length -= end;
	return xstrndup(text, length);
}

char *thing_text(const struct thing *thing, size_t columns)
{
	if (thing->kind == AWAITED_MMAP_LOCK && columns >= strlen("mmap_lock"))
		return xstrdup("mmap_lock");
	if (text_width(thing->shown) <= columns)
		return xstrdup(thing->shown);
	_cleanup_free_ char *text = without_remark(thing->shown);
	const char *path = strchr(text, '/');
	size_t before = path ? (size_t)(path - text) : 0;

	if (text_width(text) <= columns)
		return xstrdup(text);
	if (!path || columns < before + LEAST_COLUMNS || thing->kind == AWAITED_FUTEX)
		return layout_cut(text, columns);
	_cleanup_free_ char *end = cut_path(path, columns - before);
	return xasprintf("%.*s%s", (int)before, text, end);
}

static bool is_kernel_lock(enum awaited_kind kind)
{
	return kind == AWAITED_KERNEL_MUTEX || kind == AWAITED_KERNEL_RWSEM ||
	       kind == AWAITED_KERNEL_SEMAPHORE || kind == AWAITED_MMAP_LOCK;
}

bool thing_is_worked_on(const struct thing *thing, enum reason reason)
{
	return reason != REASON_POLL &&
	       (thing->kind == AWAITED_FILE || thing->kind == AWAITED_DEVICE ||
		       thing->kind == AWAITED_PIPE);
}

char *thing_in_call(const char *operation, enum reason reason, const struct thing *thing)
{
	_cleanup_free_ char *call = text_clean(operation ? operation : reason_name(reason), false);

	if (!thing)
		return xstrdup(call);
	_cleanup_free_ char *text = thing_text(thing, THING_COLUMNS);
	return xasprintf("%s %s %s", call,
		operation && thing_is_worked_on(thing, reason) ? "of" : "for", text);
}

/* What stands around a thing in a heading. */
struct form {
	char *before;
	char *after;
};

#define MOST_FORMS 3

/* The ways to say it, the best first. */
static size_t forms_of(const struct summary_line *line, const struct thing *thing,
	struct form forms[static MOST_FORMS])
{
	const char *called = line->known.name ? line->known.name : reason_name(line->reason);
	_cleanup_free_ char *operation =
		line->operation ? text_clean(line->operation, false) : NULL;
	size_t count = 0;

	if (thing->kind == AWAITED_FUTEX) {
		/* Its text says what it is for its program. */
		forms[count++] = (struct form){xstrdup(""), xstrdup("")};
	} else if (thing_is_worked_on(thing, line->reason) && operation && !line->known.name) {
		forms[count++] = (struct form){
			xasprintf("%s%s of ", line->reason == REASON_LOCK ? "lock, in " : "",
				operation),
			xstrdup("")};
	} else if (is_kernel_lock(thing->kind) || line->reason == REASON_SOCKET ||
		   line->reason == REASON_ACCEPT || line->reason == REASON_CHILD ||
		   line->reason == REASON_FAULT) {
		/* The thing tells the reason. */
		if (operation)
			forms[count++] =
				(struct form){xstrdup(""), xasprintf(", in %s", operation)};
		forms[count++] = (struct form){xstrdup(""), xstrdup("")};
	} else {
		forms[count++] = (struct form){xasprintf("%s, for ", called), xstrdup("")};
		forms[count++] = (struct form){xasprintf("%s, ", called), xstrdup("")};
		forms[count++] = (struct form){xstrdup(""), xstrdup("")};
	}
	return count;
}

/* The first form that has room for the thing; if none has, the last with what fits. */
static char *fill_forms(
	const struct form *forms, size_t count, const struct thing *thing, size_t columns)
{
	for (size_t i = 0; i < count; i++) {
		size_t used = text_width(forms[i].before) + text_width(forms[i].after);
		_cleanup_free_ char *whole = thing_text(thing, SIZE_MAX);
		if (used + text_width(whole) > columns &&
			(i + 1 < count || used + LEAST_COLUMNS > columns))
			continue;
		_cleanup_free_ char *text = thing_text(thing, columns - used);
		return xasprintf("%s%s%s", forms[i].before, text, forms[i].after);
	}
	return xstrdup("");
}

static char *title_with(const struct summary_line *line, const struct thing *thing, size_t columns)
{
	struct form forms[MOST_FORMS];
	size_t count = forms_of(line, thing, forms);
	char *title = fill_forms(forms, count, thing, columns);

	for (size_t i = 0; i < count; i++) {
		free(forms[i].before);
		free(forms[i].after);
	}
	return title;
}

char *thing_title(const struct summary *summary, const struct summary_line *line, size_t columns)
{
	const struct thing *thing = line_thing(summary, line);

	if (thing)
		return title_with(line, thing, columns);
	if (line->part != PART_KIND || !line->thing_count)
		return xstrdup("");
	/* Small things of one kind: "other files". */
	const struct thing *any =
		&summary->things.at.at[summary->line_things.at[line->first_thing].thing];
	_cleanup_free_ char *text = awaited_text(
		&(struct awaited){.kind = any->kind, .is_folded = true, .name = "", .place = ""},
		NULL, false);
	return title_with(
		line, &(struct thing){.kind = any->kind, .text = text, .shown = text}, columns);
}

char *thing_sentence(const struct summary *summary, size_t line)
{
	size_t count, named = 0;
	const struct line_thing *things = line_things_of(summary, line, &count);
	uint64_t total_ns = summary->lines.at[line].total_ns;
	_cleanup_free_ char *text = xstrdup("");
	char share[UNITS_ROOM];

	if (!count || things[0].ns >= total_ns - total_ns / OTHERS_PART ||
		things[0].ns < total_ns / 100 * 2 * LEAST_PERCENT ||
		/* Who the children were, the causes tell. */
		summary->things.at.at[things[0].thing].kind == AWAITED_CHILD)
		return xstrdup("");
	for (; named < count && named < MOST_NAMED; named++) {
		if (things[named].ns < total_ns / 100 * LEAST_PERCENT)
			break;
		_cleanup_free_ char *thing =
			thing_text(&summary->things.at.at[things[named].thing], THING_COLUMNS);
		char *longer = xasprintf("%s%s%s for %s", text, named ? ", " : "",
			share_text(things[named].ns, total_ns, share), thing);
		free(text);
		text = longer;
	}
	if (named == count)
		return xasprintf("%s.", text);
	/* Those that were not told apart have no number. */
	for (size_t i = named; i < count; i++)
		if (summary->things.at.at[things[i].thing].is_folded)
			return xasprintf("%s; others.", text);
	return xasprintf("%s; %zu other%s.", text, count - named, count - named == 1 ? "" : "s");
}
