// SPDX-License-Identifier: GPL-2.0-or-later
/* What the page says before, and without, its script: the summary, the largest waits and processes.
 */
#include <string.h>

#include "render/page/page_parts.h"
#include "render/report/report_causes.h"
#include "render/report/report_queue.h"
#include "render/report/report_parts.h"
#include "render/stack_line.h"

#define FALLBACK_ROWS 20
#define ENOUGH_COLUMNS 100000
/* Of a stack in one line. */
#define STACK_COLUMNS 160

static char *take_text(char *text)
{
	size_t length = text ? strlen(text) : 0;

	while (length && text[length - 1] == '\n')
		text[--length] = 0;
	return text ? text : xstrdup("");
}

/* The report's own sentences, in one line. */
char *page_verdict(const struct page *page)
{
	struct report_style style = {.file = "", .width = ENOUGH_COLUMNS, .prose = ENOUGH_COLUMNS};
	struct report report = {.summary = page->summary, .style = &style};
	char *text = NULL;
	size_t size;

	report.scale =
		scale_for(page->summary->busy_ns ? page->summary->busy_ns : page->summary->life_ns);
	report.out = open_memstream(&text, &size);
	if (!report.out)
		return xstrdup("");
	report_verdict(&report);
	fclose(report.out);
	_cleanup_free_ char *raw = take_text(text);
	return page_text(raw, page->options->is_redacted);
}

/* "10.0 s on db1, Linux 6.12, 2 CPUs, all threads" */
char *page_window(const struct page *page)
{
	const struct rec_meta *meta = page->summary->meta;
	bool is_redacted = page->options->is_redacted;
	struct scale scale = scale_for(meta->window_ns);
	char amount[UNITS_ROOM], busy[UNITS_ROOM];
	bool has_busy = report_cpu_share(page->summary, busy);
	bool has_host = meta->host[0] && !is_redacted;
	_cleanup_free_ char *raw = xasprintf("dwell: %s%s%s%s%s, %u CPU%s%s%s%s%s%s",
		scale_ns(&scale, meta->window_ns, amount), has_host ? " on " : "",
		has_host ? meta->host : "", meta->kernel_release[0] ? ", Linux " : "",
		meta->kernel_release, meta->cpus, meta->cpus == 1 ? "" : "s", has_busy ? " (" : "",
		has_busy ? busy : "", has_busy ? " busy)" : "", is_redacted ? "" : ", ",
		is_redacted ? "" : meta->target);

	return page_text(raw, is_redacted);
}

char *page_accounting(const struct page *page)
{
	const struct summary *summary = page->summary;
	const struct conservation *accounting = &summary->conservation;
	struct scale scale = scale_for(accounting->expected_ns);
	bool is_over = accounting->accounted_ns > accounting->expected_ns;
	char percent[UNITS_ROOM], amount[UNITS_ROOM];

	if (summary->slow ||
		(!accounting->expected_ns && !accounting->accounted_ns && !summary->lost_events))
		return xstrdup("no thread's time to account for; lost nothing");
	return xasprintf("accounted %s of %s; %s",
		percent_text(accounting->accounted_ns, accounting->expected_ns, percent),
		scale_ns(&scale, accounting->expected_ns, amount),
		is_over                ? "more than there is: the recording is damaged"
		: summary->lost_events ? "some detail was lost"
				       : "lost nothing");
}

char *page_sentence(const struct page *page, size_t line)
{
	const struct summary *summary = page->summary;
	struct explanation explanation;

	if (summary->lines.at[line].is_runnable) {
		_cleanup_free_ char *queue = queue_sentence(summary, line);
		return page_text(queue, page->options->is_redacted);
	}
	if (!summary->has_chains)
		return xstrdup("");
	_cleanup_free_ char *name = summary_root_name(summary, summary->lines.at[line].root);
	explain_line(summary, line, &explanation);
	_cleanup_free_ char *text = cause_sentence(&explanation, name);
	explanation_clear(&explanation);
	return page_text(text, page->options->is_redacted);
}

void page_put_element(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	page_put_text(out, text);
	fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

static void put_losses(const struct page *page)
{
	const struct summary *summary = page->summary;

	for (size_t i = 0; i < summary->loss_count; i++) {
		const struct rec_loss *loss = &summary->losses[i];
		char count[UNITS_ROOM];
		if (!loss->count && !loss->ns)
			continue;
		_cleanup_free_ char *text =
			xasprintf("%s %s %s", loss_is_serious(loss->loss) ? "lost:" : "noted:",
				units_count(loss->count, count),
				loss_words(loss->loss, loss->name, loss->count));
		page_put_element(
			page->out, loss_is_serious(loss->loss) ? "li class=\"lost\"" : "li", text);
		fputs("\n", page->out);
	}
}

static void put_filters(const struct page *page)
{
	const struct summary *summary = page->summary;
	const char *words = page->options->filter_text;
	_cleanup_free_ char *filters =
		page_text(words ? words : summary->filter_text, page->options->is_redacted);
	_cleanup_free_ char *what =
		layout_only(summary->has_range, summary->from_ns, summary->to_ns, filters);

	if (!what[0])
		return;
	_cleanup_free_ char *text = xasprintf("This page holds only: %s", what);
	page_put_element(page->out, "p class=\"only\"", text);
}

void page_head(const struct page *page)
{
	_cleanup_free_ char *window = page_window(page);
	_cleanup_free_ char *verdict = page_verdict(page);
	_cleanup_free_ char *accounting = page_accounting(page);
	bool is_empty = !page->summary->threads.count ||
			!(page->summary->busy_ns + page->summary->aside_ns);

	fputs("<header id=\"head\">\n", page->out);
	page_put_element(page->out, "h1", window);
	if (!page->summary->meta->is_finished)
		page_put_element(
			page->out, "p class=\"lost\"", layout_unfinished(page->summary->is_live));
	put_filters(page);
	if (is_empty)
		page_put_element(page->out, "p id=\"verdict\"",
			page->summary->is_filtered
				? "Nothing passes the filters."
				: "The recording is empty: no thread of its target lived in "
				  "this time.");
	else
		page_put_element(page->out, "p id=\"verdict\"", verdict);
	putc('\n', page->out);
	page_calls(page);
	page_measures(page);
	fputs("<ul id=\"accounting\">\n", page->out);
	page_put_element(
		page->out, page->summary->lost_events ? "li class=\"lost\"" : "li", accounting);
	fputs("\n", page->out);
	put_losses(page);
	fputs("</ul>\n</header>\n", page->out);
}

static void put_number(FILE *out, const char *text)
{
	page_put_element(out, "td class=\"n\"", text);
}

static void put_wait(const struct page *page, size_t number)
{
	const struct summary *summary = page->summary;
	const struct summary_line *line = &summary->lines.at[number];
	bool is_redacted = page->options->is_redacted;
	_cleanup_free_ char *raw = summary_root_name(summary, line->root);
	_cleanup_free_ char *name = page_text(raw, is_redacted);
	_cleanup_free_ char *operation =
		page_text(line->operation ? line->operation : "", is_redacted);
	_cleanup_free_ char *stack = stack_line(
		&summary->tree, summary->waits.at[line->heaviest].node, false, STACK_COLUMNS);
	_cleanup_free_ char *clean = page_text(stack, is_redacted);
	_cleanup_free_ char *sentence = page_sentence(page, number);
	char room[UNITS_ROOM];

	fputs("<tr>", page->out);
	page_put_element(page->out, "td", name);
	page_put_element(page->out, "td",
		line->is_runnable  ? "no CPU"
		: line->known.name ? line->known.name
				   : reason_name(line->reason));
	page_put_element(page->out, "td", operation);
	put_number(page->out, units_duration(line->total_ns, room));
	put_number(page->out, units_count(line->count, room));
	put_number(page->out, units_duration(line->max_ns, room));
	fputs("<td>", page->out);
	page_put_text(page->out, line->is_runnable ? "" : clean);
	if (sentence[0])
		page_put_element(page->out, "p", sentence);
	fputs("</td></tr>\n", page->out);
}

static void put_group(const struct page *page, const struct summary_group *group)
{
	_cleanup_free_ char *raw = summary_root_name(page->summary, group->root);
	_cleanup_free_ char *name = page_text(raw, page->options->is_redacted);
	char room[UNITS_ROOM];

	fputs("<tr>", page->out);
	page_put_element(page->out, "td", name);
	put_number(page->out, units_count(group->threads, room));
	put_number(page->out, units_duration(group->total_ns[TIME_RUNNING], room));
	put_number(page->out,
		units_duration(
			group->total_ns[TIME_WOKEN] + group->total_ns[TIME_PREEMPTED], room));
	put_number(
		page->out, units_duration(group->total_ns[TIME_BLOCKED] - group->aside_ns, room));
	put_number(page->out, units_duration(group->aside_ns, room));
	fputs("</tr>\n", page->out);
}

void page_fallback(const struct page *page)
{
	const struct summary *summary = page->summary;

	fputs("<table><caption>Why they did not "
	      "run</caption><thead><tr><th>thread</th><th>reason</th>"
	      "<th>in</th><th class=\"n\">total</th><th class=\"n\">waits</th>"
	      "<th class=\"n\">longest</th><th>stack</th></tr></thead><tbody>\n",
		page->out);
	for (size_t i = 0; i < summary->lines.count && i < FALLBACK_ROWS; i++)
		put_wait(page, i);
	fputs("</tbody></table>\n<table><caption>Processes</caption><thead><tr><th>process</th>"
	      "<th class=\"n\">threads</th><th class=\"n\">running</th><th class=\"n\">no CPU</th>"
	      "<th class=\"n\">blocked</th><th class=\"n\">idle</th></tr></thead><tbody>\n",
		page->out);
	for (size_t i = 0; i < summary->groups.count && i < FALLBACK_ROWS; i++)
		put_group(page, &summary->groups.at[i]);
	fputs("</tbody></table>\n", page->out);
}
