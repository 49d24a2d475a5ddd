// SPDX-License-Identifier: GPL-2.0-or-later
/* What was counted beside time, as the page says it before, and without, its script. */
#include <string.h>

#include "render/page/page_parts.h"
#include "render/report/report_parts.h"

/* More measures than that are shown on demand. */
#define MOST_MEASURES_OPEN 3
/* Of a stack in one line. */
#define STACK_COLUMNS 160

/* Is it called by its kind? Several measures of memory count allocations. */
static bool has_own_title(const struct measured *measured)
{
	enum measure_kind kind = measured->view.type.kind;

	return kind != MEASURE_EVENT && kind != MEASURE_FAULTS;
}

/* "Allocated 2.0 GiB", "54,000 minor faults" */
static char *short_text(const struct measured *measured)
{
	const struct view_type *view = &measured->view.type;
	char value[UNIT_VALUE_ROOM];

	unit_value(view->unit, view->unit_word, measured->weight, value);
	if (has_own_title(measured))
		return xasprintf("%c%s %s", view->label[0] | 0x20, view->label + 1, value);
	return xasprintf(view->unit == UNIT_COUNT ? "%s %s" : "%s of %s", value,
		measured->weight == 1 ? view->counted : view->counts);
}

/* Opens what shows many measures if somebody wants it: their values, in one line. */
static void put_counted(const struct page *page)
{
	char *all = xstrdup("Counted: ");

	vec_each (measured, &page->summary->measures) {
		if (!measured->count)
			continue;
		_cleanup_free_ char *one = short_text(measured);
		char *longer =
			xasprintf("%s%s%s", all, all[strlen(all) - 1] == ' ' ? "" : "; ", one);
		free(all);
		all = longer;
	}
	_cleanup_free_ char *text = page_text(all, page->options->is_redacted);
	fputs("<details id=\"counted\">", page->out);
	page_put_element(page->out, "summary", text);
	free(all);
}

/* What was counted beside time: the report's lines. */
void page_measures(const struct page *page)
{
	bool is_redacted = page->options->is_redacted;
	bool is_long = page->summary->measures.count > MOST_MEASURES_OPEN;
	const char *hidden = report_hidden_measures(page->summary);

	if (hidden)
		page_put_element(page->out, "p class=\"only\"", hidden);
	if (!page->summary->measures.count)
		return;
	if (is_long)
		put_counted(page);
	fputs("<ul id=\"measures\">\n", page->out);
	vec_each (measured, &page->summary->measures) {
		_cleanup_free_ char *untitled = report_measure_text(page->summary, measured);
		_cleanup_free_ char *raw =
			has_own_title(measured)
				? xasprintf("%s: %s", measured->view.type.title, untitled)
				: xstrdup(untitled);
		_cleanup_free_ char *text = page_text(raw, is_redacted);
		_cleanup_free_ char *raw_stack =
			report_measure_stack(page->summary, measured, false, STACK_COLUMNS);
		_cleanup_free_ char *stack = page_text(raw_stack, is_redacted);
		fputs("<li>", page->out);
		page_put_text(page->out, text);
		if (stack[0])
			page_put_element(page->out, "div class=\"stack\"", stack);
		fputs("</li>\n", page->out);
	}
	fputs(is_long ? "</ul></details>\n" : "</ul>\n", page->out);
}
