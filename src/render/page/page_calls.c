// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of functions, as the page says it before, and without, its script. */
#include "render/page/page_parts.h"
#include "render/report/report_called.h"

/* Functions that have a row. */
#define MOST_ROWS 50

static void put_number(const struct page *page, const char *text)
{
	page_put_element(page->out, "td class=\"n\"", text);
}

static void put_length(const struct page *page, uint64_t ns)
{
	char room[UNITS_ROOM];

	put_number(page, units_duration(ns, room));
}

static void put_share(const struct page *page, const struct call_total *total, uint64_t part_ns)
{
	char room[UNITS_ROOM];

	put_number(page, share_text(part_ns, total->wall_ns, room));
}

static void put_figures(const struct page *page, const struct called *called)
{
	const struct call_total *all = &called->all;
	_cleanup_free_ char *name = page_text(called->function->name, page->options->is_redacted);
	char count[UNITS_ROOM];

	fputs("<tr>", page->out);
	page_put_element(page->out, "td", name);
	put_number(page, units_count(all->count, count));
	put_length(page, call_lengths_at(&called->lengths, 500000));
	put_length(page, call_lengths_at(&called->lengths, 900000));
	put_length(page, call_lengths_at(&called->lengths, 990000));
	put_length(page, called->lengths.max_ns);
	put_length(page, all->wall_ns);
	put_share(page, all, all->part_ns[TIME_RUNNING]);
	put_share(page, all, all->part_ns[TIME_WOKEN] + all->part_ns[TIME_PREEMPTED]);
	put_share(page, all, all->part_ns[TIME_BLOCKED]);
	fputs("</tr>\n", page->out);
}

static void put_paragraph(const struct page *page, const char *raw)
{
	_cleanup_free_ char *text = page_text(raw, page->options->is_redacted);

	page_put_element(page->out, "p", text);
}

/* What slow ones took, and the largest of their waits. */
static void put_slow(const struct page *page, const struct called *called)
{
	_cleanup_free_ char *slow = report_slow_text(called);

	if (!called_all_slow(called).count)
		return;
	fputs("<tr><td></td><td colspan=\"9\">", page->out);
	put_paragraph(page, slow);
	if (called->waits && called->waits->lines.count) {
		_cleanup_free_ char *wait = report_slow_wait(called->waits, 0);
		put_paragraph(page, wait);
	}
	fputs("</td></tr>\n", page->out);
}

void page_calls(const struct page *page)
{
	const called_list *calls = &page->summary->calls;
	size_t shown = 0;

	if (!calls->count)
		return;
	fputs("<details id=\"calls\" open><summary>Calls of functions</summary>\n<table>"
	      "<thead><tr><th>function</th><th class=\"n\">calls</th><th class=\"n\">p50</th>"
	      "<th class=\"n\">p90</th><th class=\"n\">p99</th><th class=\"n\">max</th>"
	      "<th class=\"n\">time</th><th class=\"n\">running</th><th class=\"n\">no CPU</th>"
	      "<th class=\"n\">blocked</th></tr></thead><tbody>\n",
		page->out);
	for (; shown < calls->count && shown < MOST_ROWS; shown++) {
		put_figures(page, &calls->at[shown]);
		put_slow(page, &calls->at[shown]);
	}
	fputs("</tbody></table>\n", page->out);
	if (shown < calls->count)
		fprintf(page->out, "<p>%zu more functions: dwell report --full</p>\n",
			calls->count - shown);
	fputs("<p>p50 to p99 are estimates, up to 25 % off.</p></details>\n", page->out);
}
