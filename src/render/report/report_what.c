// SPDX-License-Identifier: GPL-2.0-or-later
/* Phrases about lines: what they waited for, or in. */
#include "render/report/report_what.h"

#include <string.h>

#include "profile/summary/line_things.h"
#include "render/report/report_things.h"
#include "util/mem.h"
#include "util/text.h"

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && !strcmp(text + length - wanted, end);
}

/* "a mutex", "a PostgreSQL lock", "the mmap_lock", "the exec's other threads", "DNS" */
static const char *article_of(const char *known)
{
	bool is_name = known[0] >= 'A' && known[0] <= 'Z';

	if (strstr(known, "'s ") || strchr(known, '_'))
		return is_name ? "" : "the ";
	return is_name && !ends_in(known, "ock") && !ends_in(known, "mutex") &&
			       !ends_in(known, "monitor")
		       ? ""
		       : "a ";
}

char *report_what_alone(const struct summary_line *line)
{
	_cleanup_free_ char *operation =
		line->operation ? text_clean(line->operation, false) : NULL;
	_cleanup_free_ char *spot = line->spot ? text_clean(line->spot, false) : NULL;
	_cleanup_free_ char *where = spot ? xasprintf(" (%s)", spot) : xstrdup("");
	const char *known = line->known.name;

	if (known)
		return xasprintf("for %s%s%s", article_of(known), known, where);
	if (operation)
		return xasprintf("in %s%s", operation, where);
	if (line->reason == REASON_UNKNOWN || line->reason == REASON_LOST)
		return xasprintf("%s%s",
			line->reason == REASON_LOST ? "in lost stacks" : "for unknown reasons",
			where);
	return xasprintf("for %s%s%s",
		line->reason == REASON_KERNEL                   ? "the "
		: strchr("aeiou", reason_name(line->reason)[0]) ? "an "
								: "a ",
		reason_name(line->reason), where);
}

char *report_what(const struct summary *summary, const struct summary_line *line, bool *ret_is_for)
{
	const struct thing *thing = line_thing(summary, line);
	_cleanup_free_ char *what = report_what_alone(line);
	_cleanup_free_ char *text = thing ? thing_text(thing, THING_COLUMNS) : NULL;
	bool is_of = thing && thing_is_worked_on(thing, line->reason);

	if (ret_is_for)
		*ret_is_for = thing && thing->kind != AWAITED_FUTEX && !line->known.name &&
			      line->operation && !is_of;
	/* The name of such a lock is that of its thing. */
	if (!thing || strstr(what, text))
		return xstrdup(what);
	if (thing->kind == AWAITED_FUTEX) {
		_cleanup_free_ char *spot = line->spot ? text_clean(line->spot, false) : NULL;
		return xasprintf(
			"for %s%s%s%s", text, spot ? " (" : "", spot ? spot : "", spot ? ")" : "");
	}
	if (line->known.name || !line->operation)
		return xasprintf("%s, %s", what, text);
	return xasprintf("%s %s %s", what, is_of ? "of" : "for", text);
}

char *report_what_and_why(
	const struct summary *summary, const struct summary_line *line, const char *causes)
{
	static const char not_explained[] = "Not explained", of_somebody[] = "For ";
	bool is_for;
	_cleanup_free_ char *what = report_what(summary, line, &is_for);

	if (!causes[0] || !strncmp(causes, not_explained, strlen(not_explained)))
		return xasprintf("%s.%s%s", what, causes[0] ? " " : "", causes);
	/* Not "for its client, for worker". */
	if (is_for && !strncmp(causes, of_somebody, strlen(of_somebody)))
		return xasprintf("%s: %s", what, causes + strlen(of_somebody));
	return xasprintf("%s, %c%s", what, causes[0] - 'A' + 'a', causes + 1);
}
