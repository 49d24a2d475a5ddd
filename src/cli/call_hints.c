// SPDX-License-Identifier: GPL-2.0-or-later
/* A function that nobody calls is most often one of another file, or was inlined. */
#include "cli/call_hints.h"

#include <string.h>

#include "cli/command.h"
#include "cli/view_options.h"
#include "render/layout.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

/* Names in one line. */
#define MOST_NAMES 5

bool call_hints_has_any(const struct summary *summary)
{
	vec_each (called, &summary->calls)
		if (called_was_seen(called))
			return true;
	return false;
}

/* "a, b and 3 more"; caller frees. */
static char *names_text(const called_list *calls)
{
	char *names = xstrdup("");

	for (size_t i = 0; i < calls->count && i < MOST_NAMES; i++) {
		_cleanup_free_ char *name = text_clean(calls->at[i].function->name, false);
		char *longer = xasprintf("%s%s%s", names, i ? ", " : "", name);
		free(names);
		names = longer;
	}
	if (calls->count > MOST_NAMES) {
		char *longer = xasprintf("%s and %zu more", names, calls->count - MOST_NAMES);
		free(names);
		names = longer;
	}
	return names;
}

static const char *likely_reason(const struct summary *summary)
{
	size_t of_files = 0;

	if (!summary->total_ns[TIME_RUNNING])
		return "no thread of the target ran at all";
	vec_each (called, &summary->calls)
		of_files += called->function->place[0] != 0;
	if (of_files)
		return "has the target loaded another file that has it (/proc/PID/maps), was it "
		       "inlined, or was there nothing to do (dwell report)?";
	return "was there nothing to do (dwell report)?";
}

void call_hints_none(const struct summary *summary)
{
	_cleanup_free_ char *names = names_text(&summary->calls);
	char window[UNITS_ROOM];

	fail(0, "not called in %s: %s; %s",
		units_duration(summary->to_ns - summary->from_ns, window), names,
		likely_reason(summary));
}

/* A name for a shell: as it is, or between quotes. Caller frees. */
static char *quoted(const char *name)
{
	_cleanup_free_ char *clean = text_clean(name, false);

	if (clean[strspn(clean, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				"._/:,+@-")] == 0)
		return xstrdup(clean);
	return strchr(clean, '\'') ? xstrdup("NAME") : xasprintf("'%s'", clean);
}

/* The one with most time in slow calls; NULL: there was no slow call. */
static const struct called *slowest(const struct summary *summary)
{
	const struct called *best = NULL;
	uint64_t best_ns = 0;

	vec_each (called, &summary->calls) {
		uint64_t ns = called_all_slow(called).wall_ns;
		if (ns > best_ns) {
			best_ns = ns;
			best = called;
		}
	}
	return best;
}

/* "dwell report a.dwell --slow NAME --wait 1; dwell flame a.dwell --view slow:NAME -o slow.svg; ";
 * caller frees. */
static char *slow_commands(const struct called *called, const char *behind)
{
	_cleanup_free_ char *name = quoted(called->function->name);
	bool has_waits = called->waits && called->waits->lines.count;
	_cleanup_free_ char *report =
		has_waits ? xasprintf("dwell report%s --slow %s --wait 1; ", behind, name)
			  : xstrdup("");

	return xasprintf("%sdwell flame%s --view slow:%s -o slow.svg; ", report, behind, name);
}

void call_hints_next(const struct summary *summary, const char *file, size_t columns, FILE *out)
{
	const struct called *called = slowest(summary);
	_cleanup_free_ char *path = quoted(file);
	_cleanup_free_ char *behind =
		strcmp(file, VIEW_DEFAULT_FILE) ? xasprintf(" %s", path) : xstrdup("");
	_cleanup_free_ char *slow = called ? slow_commands(called, behind) : xstrdup("");
	_cleanup_free_ char *line =
		xasprintf("next: %sdwell report%s; dwell html%s", slow, behind, behind);

	layout_wrap(out, line, columns, 0, strlen("next: "));
}
