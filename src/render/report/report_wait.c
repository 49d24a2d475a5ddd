// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A line of the report with its whole stack and its chains, each hop with its own share. Shares of
 * a chain add up to it, and the chains to the wait.
 */
#include "render/report/report_wait.h"

#include <string.h>

#include "profile/rounding.h"
#include "profile/shares.h"
#include "render/report/report_causes.h"
#include "render/report/report_parts.h"
#include "util/mem.h"
#include "util/text.h"

#define MOST_CHAINS 5
#define NAME_COLUMNS 24
/* Number, share and time of a hop. */
#define HOP_COLUMNS 23

static void put_did(FILE *out, const struct rec_share *share, bool is_metal)
{
	const struct {
		uint64_t ns;
		const char *word;
	} parts[] = {{share->ran_ns, is_metal ? "pending" : "ran"},
		{share->no_cpu_ns, "had no CPU"}, {share->earlier_ns, "earlier"}};
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
static char *waited_text(const struct cause_hop *hop)
{
	if (!hop->has_waited)
		return xstrdup("");
	_cleanup_free_ char *operation =
		text_clean(hop->operation ? hop->operation : reason_name(hop->reason), false);
	return xasprintf("woke it in %s", operation);
}

static void put_hop(const struct report *report, const struct cause_hop *hop,
	const struct rec_share *share, size_t number, uint64_t percent)
{
	char room[UNITS_ROOM];
	_cleanup_free_ char *name = cause_name(report->summary->words, hop->kind, hop->name);
	_cleanup_free_ char *cut = layout_cut(name, NAME_COLUMNS);
	_cleanup_free_ char *waited = waited_text(hop);
	_cleanup_free_ char *did = NULL;
	size_t size;
	FILE *out = open_memstream(&did, &size);

	if (!out)
		return;
	put_did(out, share, hop_kind_is_metal(hop->kind));
	fclose(out);
	_cleanup_free_ char *text = xasprintf("%s%s%s", waited, *waited && *did ? "; " : "", did);
	fprintf(report->out, "%5zu %4llu %% %8s  %s%*s", number, (unsigned long long)percent,
		units_duration(share_ns(share), room), cut,
		(int)(NAME_COLUMNS + 1 - text_width(cut)), "");
	layout_wrap(report->out, text, report->style->width, HOP_COLUMNS + NAME_COLUMNS + 1,
		HOP_COLUMNS + NAME_COLUMNS + 1);
}

static void put_chain(
	const struct report *report, const struct cause_chain *chain, size_t number, size_t count)
{
	const struct causes *causes = &report->summary->causes;
	const struct rec_share *shares = causes->shares.at + chain->first_share;
	uint64_t parts[CONTRACT_MAX_HOPS + 1], percents[CONTRACT_MAX_HOPS + 1];
	char total[UNITS_ROOM], waits[UNITS_ROOM], room[UNITS_ROOM];

	for (uint32_t i = 0; i <= chain->hop_count; i++)
		parts[i] = share_ns(&shares[i]);
	apportion(parts, chain->hop_count + 1, 100, percents);
	fprintf(report->out, "\nchain %zu of %zu: %s in ", number, count,
		units_duration(chain->total_ns, total));
	/* None ended with it: it explains what others end. */
	if (chain->count)
		fprintf(report->out, "%s wait%s\n", units_count(chain->count, waits),
			chain->count == 1 ? "" : "s");
	else
		fputs("parts of waits\n", report->out);
	for (uint32_t i = 0; i < chain->hop_count; i++)
		put_hop(report, &causes->hops.at[chain->first_hop + i], &shares[i], i + 1,
			percents[i]);
	if (parts[chain->hop_count])
		fprintf(report->out, "    - %4llu %% %8s  not explained: %s\n",
			(unsigned long long)percents[chain->hop_count],
			units_duration(parts[chain->hop_count], room),
			words_text(report->summary->words, WORD_CHAIN_END, chain->end));
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
		put_chain(report, &chains[i], i + 1, count);
	for (size_t i = most; i < count; i++)
		left_ns += chains[i].total_ns;
	if (count > most)
		fprintf(report->out, "\n%zu more chain%s with %s (--full shows %s)\n", count - most,
			count - most == 1 ? "" : "s", units_duration(left_ns, room),
			count - most == 1 ? "it" : "them");
}

void report_wait(
	const struct summary *summary, size_t number, const struct report_style *style, FILE *out)
{
	struct report_style whole = *style;
	struct report report = {.summary = summary, .style = &whole, .out = out};

	whole.is_full = true;
	report_line(&report, number - 1);
	report.style = style;
	if (!summary->lines.at[number - 1].is_runnable)
		put_chains(&report, number - 1);
}
