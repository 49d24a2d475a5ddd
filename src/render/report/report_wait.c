// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line of the report with its largest stacks and its chains, each hop with its own share. Shares
 * of a chain add up to it, and the chains to the wait.
 */
#include "render/report/report_wait.h"

#include <string.h>

#include "profile/rounding.h"
#include "profile/shares.h"
#include "profile/summary/line_things.h"
#include "render/report/report_causes.h"
#include "render/report/report_parts.h"
#include "render/report/report_things.h"
#include "render/stack_line.h"
#include "util/mem.h"
#include "util/text.h"

#define MOST_CHAINS 5
#define MOST_STACKS 5
#define MOST_THINGS 5
#define NAME_COLUMNS 24
/* Number, share and time of a hop. */
#define HOP_COLUMNS 23
/* On a narrower screen what a hop did stands below its name. */
#define WIDE_ENOUGH 72
#define BELOW_COLUMNS 12

static void put_did(FILE *out, const struct rec_share *share, bool is_metal)
{
	const struct {
		uint64_t ns;
		const char *word;
	} parts[] = {{is_metal ? 0 : share->ran_ns, "ran"}, {share->no_cpu_ns, "had no CPU"},
		{share->earlier_ns, "not remembered"}};
	bool has_any = false;
	char room[UNITS_ROOM];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].ns)
			continue;
		fprintf(out, "%s%s %s", has_any ? ", " : "", parts[i].word,
			units_duration(parts[i].ns, room));
		has_any = true;
	}
}

/* "woke it in fdatasync": what the waker before had been in. */
static char *waited_text(const struct summary *summary, const struct cause_hop *hop)
{
	if (!hop->has_waited)
		return xstrdup("");
	_cleanup_free_ char *call = thing_in_call(hop->operation, hop->reason,
		hop->thing == REC_NONE ? NULL : &summary->things.at.at[hop->thing]);
	return xasprintf("woke it in %s", call);
}

static void put_hop(const struct report *report, const struct cause_hop *hop,
	const struct rec_share *share, size_t number, uint64_t percent)
{
	char room[UNITS_ROOM];
	_cleanup_free_ char *name = cause_name(report->summary->words, hop->kind, hop->name);
	_cleanup_free_ char *cut = layout_cut(name, NAME_COLUMNS);
	_cleanup_free_ char *waited = waited_text(report->summary, hop);
	_cleanup_free_ char *did = NULL;
	size_t size;
	FILE *out = open_memstream(&did, &size);

	if (!out)
		return;
	put_did(out, share, hop_kind_is_metal(hop->kind));
	fclose(out);
	_cleanup_free_ char *text = xasprintf("%s%s%s", waited, *waited && *did ? "; " : "", did);
	bool is_beside = report->style->width >= WIDE_ENOUGH;
	size_t indent = is_beside ? HOP_COLUMNS + NAME_COLUMNS + 1 : BELOW_COLUMNS;
	fprintf(report->out, "%5zu %4llu %% %8s  %s", number, (unsigned long long)percent,
		units_duration(share_ns(share), room), cut);
	if (is_beside)
		fprintf(report->out, "%*s", (int)(NAME_COLUMNS + 1 - text_width(cut)), "");
	else if (text[0])
		fprintf(report->out, "\n%*s", (int)indent, "");
	layout_wrap(report->out, text, report_prose(report), indent, indent);
}

/*
 * "chain 2 of 57: 3.4 s of postgres's 11.2 s (30 %), ends 1,477 waits". A wait is explained by
 * several chains, one after the other, and counted where it ends: time by waits would be no mean.
 */
static void put_chain_head(const struct report *report, const struct cause_chain *chain,
	size_t number, size_t count, const struct summary_line *line)
{
	char total[UNITS_ROOM], whole[UNITS_ROOM], share[UNITS_ROOM], waits[UNITS_ROOM];
	_cleanup_free_ char *name = summary_root_name(report->summary, line->root);
	_cleanup_free_ char *ends =
		chain->count ? xasprintf("ends %s wait%s", units_count(chain->count, waits),
				       chain->count == 1 ? "" : "s")
			     : xstrdup("part of waits that others end");
	_cleanup_free_ char *text = xasprintf("chain %zu of %zu: %s of %s's %s (%s), %s", number,
		count, units_duration(chain->total_ns, total), name,
		units_duration(line->total_ns, whole),
		share_text(chain->total_ns, line->total_ns, share), ends);

	putc('\n', report->out);
	layout_wrap(report->out, text, report->style->width, 0, 2);
}

static void put_chain(const struct report *report, const struct cause_chain *chain, size_t number,
	size_t count, const struct summary_line *line)
{
	const struct causes *causes = &report->summary->causes;
	const struct rec_share *shares = causes->shares.at + chain->first_share;
	uint64_t parts[CONTRACT_MAX_HOPS + 1], percents[CONTRACT_MAX_HOPS + 1];
	char room[UNITS_ROOM];

	for (uint32_t i = 0; i <= chain->hop_count; i++)
		parts[i] = share_ns(&shares[i]);
	apportion(parts, chain->hop_count + 1, 100, percents);
	put_chain_head(report, chain, number, count, line);
	for (uint32_t i = 0; i < chain->hop_count; i++)
		put_hop(report, &causes->hops.at[chain->first_hop + i], &shares[i], i + 1,
			percents[i]);
	if (parts[chain->hop_count])
		fprintf(report->out, "    - %4llu %% %8s  not explained: %s\n",
			(unsigned long long)percents[chain->hop_count],
			units_duration(parts[chain->hop_count], room),
			words_plain_end(report->summary->words, chain->end));
}

static void put_chains(const struct report *report, size_t line)
{
	size_t count;
	const struct cause_chain *chains =
		causes_of(&report->summary->causes, (uint32_t)line, &count);
	size_t most = report->style->is_full ? count : MOST_CHAINS;
	uint64_t left_ns = 0;
	char room[UNITS_ROOM];

	for (size_t i = 0; i < count && i < most; i++)
		put_chain(report, &chains[i], i + 1, count, &report->summary->lines.at[line]);
	for (size_t i = most; i < count; i++)
		left_ns += chains[i].total_ns;
	if (count > most)
		fprintf(report->out, "\n%zu more chain%s with %s (--full shows %s)\n", count - most,
			count - most == 1 ? "" : "s", units_duration(left_ns, room),
			count - most == 1 ? "it" : "them");
}

struct stack_part {
	uint32_t node;
	uint64_t ns;
	uint64_t count;
};

typedef VEC(struct stack_part) stack_parts;

static int compare_stacks(const void *left, const void *right)
{
	const struct stack_part *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Threads of several names, and waits of several task states, may be in one stack. */
static void list_stacks(const struct summary *summary, size_t line, stack_parts *stacks)
{
	struct map64 by_node = {0};

	vec_each (wait, &summary->waits) {
		if (wait->line != line)
			continue;
		uint64_t *number = map64_put(&by_node, wait->node, NULL);
		if (!*number) {
			vec_push(stacks, (struct stack_part){.node = wait->node});
			*number = stacks->count;
		}
		stacks->at[*number - 1].ns += wait->total_ns;
		stacks->at[*number - 1].count += wait->count + wait->unended;
	}
	map64_clear(&by_node);
	vec_sort(stacks, compare_stacks);
}

/* The stacks that have most of it, if there are several: the first is shown above. */
static void put_stacks(const struct report *report, size_t line)
{
	const struct summary *summary = report->summary;
	uint64_t total_ns = summary->lines.at[line].total_ns, left_ns = total_ns;
	stack_parts stacks = {0};
	char room[UNITS_ROOM], share[UNITS_ROOM], waits[UNITS_ROOM];
	size_t most = report->style->is_full ? SIZE_MAX : MOST_STACKS, shown = 0;

	list_stacks(summary, line + 1, &stacks);
	for (; stacks.count > 1 && shown < stacks.count && shown < most; shown++) {
		const struct stack_part *part = &stacks.at[shown];
		_cleanup_free_ char *text = stack_line(&summary->tree, part->node, true, 0);
		fprintf(report->out, "\nstack %zu of %zu: %s, %s in %s wait%s\n  ", shown + 1,
			stacks.count, share_text(part->ns, total_ns, share),
			units_duration(part->ns, room), units_count(part->count, waits),
			part->count == 1 ? "" : "s");
		layout_wrap(report->out, text, report->style->width, 2, 4);
		left_ns -= part->ns;
	}
	if (shown && shown < stacks.count)
		fprintf(report->out, "\n%zu more stack%s with %s (--full shows %s)\n",
			stacks.count - shown, stacks.count - shown == 1 ? "" : "s",
			units_duration(left_ns, room), stacks.count - shown == 1 ? "it" : "them");
	vec_clear(&stacks);
}

/* Of a lock: who had it when the longest wait for it began; of a pipe: who has its other end. */
static void put_owner(const struct report *report, size_t line)
{
	const struct summary_line *figures = &report->summary->lines.at[line];
	char room[UNITS_ROOM];

	if (!figures->owner)
		return;
	_cleanup_free_ char *name = text_clean(figures->owner->comm, false);
	_cleanup_free_ char *text =
		figures->known.kind == KNOWN_LOCK || figures->reason == REASON_LOCK
			? xasprintf("The longest, %s, found it with %s (thread %u).",
				  units_duration(figures->max_ns, room), name, figures->owner->tid)
			: xasprintf("The longest, %s, is for a pipe whose other end is with %s "
				    "(process %u).",
				  units_duration(figures->max_ns, room), name, figures->owner->tid);
	fputs("  ", report->out);
	layout_wrap(report->out, text, report_prose(report), 2, 2);
}

/* The things that it was for, if they are several or a path, of which headings show the end. */
static void put_things(const struct report *report, size_t line)
{
	const struct summary *summary = report->summary;
	size_t count, most = report->style->is_full ? SIZE_MAX : MOST_THINGS;
	const struct line_thing *things = line_things_of(summary, line, &count);
	char share[UNITS_ROOM], room[UNITS_ROOM], waits[UNITS_ROOM];

	if (count == 1 && !strchr(summary->things.at.at[things[0].thing].text, '/'))
		return;
	if (count)
		putc('\n', report->out);
	for (size_t i = 0; i < count && i < most; i++) {
		_cleanup_free_ char *text = xasprintf("for %s: %s, %s in %s wait%s",
			summary->things.at.at[things[i].thing].text,
			share_text(things[i].ns, summary->lines.at[line].total_ns, share),
			units_duration(things[i].ns, room), units_count(things[i].count, waits),
			things[i].count == 1 ? "" : "s");
		layout_wrap(report->out, text, report->style->width, 0, 4);
	}
	if (count > most)
		fprintf(report->out, "for %zu other%s (--full shows %s)\n", count - most,
			count - most == 1 ? "" : "s", count - most == 1 ? "it" : "them");
}

static void put_wait(struct report *report, size_t line)
{
	const struct report_style *style = report->style;
	const struct summary_line *figures = &report->summary->lines.at[line];
	struct report_style whole = *style;

	/* One stack is shown with the line; several come below it. */
	whole.is_full = figures->heaviest_ns == figures->total_ns;
	report->style = &whole;
	report_line(report, line);
	report->style = style;
	put_owner(report, line);
	put_things(report, line);
	put_stacks(report, line);
	if (!figures->is_runnable)
		put_chains(report, line);
}

void report_wait(
	const struct summary *summary, size_t number, const struct report_style *style, FILE *out)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	struct report report = {.summary = summary, .style = style};

	report.out = open_memstream(&text, &size);
	if (!report.out)
		return;
	put_wait(&report, number - 1);
	fclose(report.out);
	layout_fit(out, text, style->width);
}
