// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One function's calls in words: how much of their time slow ones were blocked and how much typical
 * ones, what slow ones waited in, which have not ended, and of which nothing is known.
 */
#include "render/report/report_called.h"

#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_causes.h"
#include "render/report/report_queue.h"
#include "render/report/report_what.h"
#include "render/stack_line.h"
#include "util/mem.h"
#include "util/text.h"

/* Waits with less than this part of the time of slow calls are not told. */
#define LEAST_PART 50
/* Stacks stand below them if there is room for so many lines. */
#define ROOM_FOR_STACKS 2
/* Fewer returns without a beginning are of a fork or of the start. */
#define LEAST_OF_COROUTINES 10

static uint64_t no_cpu_ns(const struct call_total *total)
{
	return total->part_ns[TIME_WOKEN] + total->part_ns[TIME_PREEMPTED];
}

/* "81 %", "0.1 %", "< 0.1 %": small shares are what typical calls differ by. */
static const char *fine_share(uint64_t part, uint64_t whole, char room[static UNITS_ROOM])
{
	double percent = whole ? 100 * (double)part / (double)whole : 0;

	if (percent >= 10 || !part)
		return share_text(part, whole, room);
	if (percent < 0.05)
		snprintf(room, UNITS_ROOM, "< 0.1 %%");
	else
		snprintf(room, UNITS_ROOM, "%.1f %%", percent);
	return room;
}

/* "blocked 81 %, no CPU 10 %, running 9 %": add up to 100. Caller frees. */
static char *parts_text(const struct call_total *total)
{
	uint64_t parts[] = {
		total->part_ns[TIME_BLOCKED], no_cpu_ns(total), total->part_ns[TIME_RUNNING]};
	uint64_t percents[ARRAY_SIZE(parts)];

	apportion(parts, ARRAY_SIZE(parts), 100, percents);
	return xasprintf("blocked %llu %%, no CPU %llu %%, running %llu %%",
		(unsigned long long)percents[0], (unsigned long long)percents[1],
		(unsigned long long)percents[2]);
}

/* "; at first from 1.0 ms up" */
static const char *early_text(const struct called *called, char room[static 2 * UNITS_ROOM])
{
	char first[UNITS_ROOM];

	if (!called->early_slow)
		return "";
	if (called->early_band != call_band_of(CALL_FIRST_SLOW_NS))
		return "; less at first";
	snprintf(room, 2 * (size_t)UNITS_ROOM, "; at first from %s up",
		units_duration(CALL_FIRST_SLOW_NS, first));
	return room;
}

/* " from 12 ms up (p99)", " from 10 ms up". Caller frees. */
static char *rule_text(const struct called *called)
{
	const struct rec_function *function = called->function;
	char from[UNITS_ROOM], early[2 * UNITS_ROOM];
	_cleanup_free_ char *rule = text_clean(function->rule, false);

	units_duration(function->slow_from_ns, from);
	if (function->rule[0] != 'p')
		return xasprintf(" from %s up", from);
	if (function->slow_from_ns == CALL_FIRST_SLOW_NS)
		return xasprintf(" from %s up (too few calls to know %s)", from, rule);
	return xasprintf(" from %s up (%s%s)", from, rule, early_text(called, early));
}

/* "; most of them before p99 was known". Caller frees. */
static char *mostly_early_text(const struct called *called)
{
	_cleanup_free_ char *rule = text_clean(called->function->rule, false);

	if (!called_were_mostly_early(called))
		return xstrdup("");
	return xasprintf("; most of them before %s was known", rule);
}

/* "; no other call was blocked" */
static char *typical_text(const struct called *called)
{
	const struct call_total *typical = &called->typical;
	char blocked[UNITS_ROOM], no_cpu[UNITS_ROOM], time[UNITS_ROOM];

	if (!typical->wall_ns)
		return xstrdup("");
	if (!typical->part_ns[TIME_BLOCKED])
		return xasprintf("; no other call was blocked (%s, no CPU %s)",
			units_duration(typical->wall_ns, time),
			fine_share(no_cpu_ns(typical), typical->wall_ns, no_cpu));
	return xasprintf("; the others, %s: blocked %s, no CPU %s",
		units_duration(typical->wall_ns, time),
		fine_share(typical->part_ns[TIME_BLOCKED], typical->wall_ns, blocked),
		fine_share(no_cpu_ns(typical), typical->wall_ns, no_cpu));
}

static void put_text(const struct report *report, size_t indent, const char *text)
{
	fprintf(report->out, "%*s", (int)indent, "");
	layout_wrap(report->out, text, report_prose(report), indent, indent + 2);
}

char *report_slow_text(const struct called *called)
{
	struct call_total slow = called_all_slow(called);
	_cleanup_free_ char *rule = rule_text(called);
	char count[UNITS_ROOM], open[UNITS_ROOM + 32] = "", number[UNITS_ROOM], time[UNITS_ROOM];

	if (!slow.count)
		return xasprintf("slow: none%s", rule);
	if (called->open_slow.count)
		snprintf(open, sizeof(open), " and %s not ended",
			units_count(called->open_slow.count, number));
	_cleanup_free_ char *parts = parts_text(&slow);
	_cleanup_free_ char *typical = typical_text(called);
	_cleanup_free_ char *early = mostly_early_text(called);
	return xasprintf("slow: %s%s%s, %s: %s%s%s", units_count(called->slow.count, count), rule,
		open, units_duration(slow.wall_ns, time), parts, typical, early);
}

/* All time of slow calls that is in rows. */
static uint64_t told_ns(const struct summary *waits)
{
	uint64_t ns = 0;

	for (unsigned int state = 0; state < TIME_STATES; state++)
		ns += waits->total_ns[state];
	return ns;
}

/* Do all lines have one name? Then nobody needs to read it. */
static bool has_one_name(const struct summary *waits)
{
	vec_each (line, &waits->lines)
		if (line->root != waits->lines.at[0].root)
			return false;
	return true;
}

/* "waiting for a mutex (ask), held by refresher 98 %: asleep in refresh_cache." Caller frees. */
static char *line_text(const struct summary *waits, size_t index)
{
	const struct summary_line *line = &waits->lines.at[index];
	_cleanup_free_ char *name = summary_root_name(waits, line->root);
	_cleanup_free_ char *causes = NULL;
	struct explanation explanation;
	bool is_asleep = line->reason == REASON_SLEEP && line->spot;

	if (line->is_runnable) {
		_cleanup_free_ char *queue = queue_sentence(waits, index);
		return xasprintf("ready without a CPU%s%s%s%s", queue[0] ? ". " : "", queue,
			has_one_name(waits) ? "" : ": ", has_one_name(waits) ? "" : name);
	}
	if (waits->has_chains) {
		explain_line(waits, index, &explanation);
		/* Lines are numbered in a report of these calls alone. */
		vec_each (cause, &explanation.causes)
			cause->see = 0;
		causes = cause_sentence(&explanation, name);
		explanation_clear(&explanation);
	}
	_cleanup_free_ char *what = report_what_and_why(waits, line, causes ? causes : "");
	return xasprintf("%s%s%s %s", has_one_name(waits) ? "" : name,
		has_one_name(waits) ? "" : " ", is_asleep ? "asleep" : "waiting", what);
}

char *report_slow_wait(const struct summary *waits, size_t line)
{
	_cleanup_free_ char *text = line_text(waits, line);
	char share[UNITS_ROOM];

	return xasprintf(
		"%s %s", share_text(waits->lines.at[line].total_ns, told_ns(waits), share), text);
}

static void put_stack(
	const struct report *report, const struct tree *tree, uint32_t node, size_t indent)
{
	size_t columns = report->style->width - indent;
	_cleanup_free_ char *stack = stack_line(tree, node, report->style->is_full, columns);

	if (!stack[0] || report->stacks < ROOM_FOR_STACKS)
		return;
	fprintf(report->out, "%*s", (int)indent, "");
	if (report->style->is_full) {
		layout_wrap(report->out, stack, report->style->width, indent, indent + 2);
		return;
	}
	_cleanup_free_ char *cut = layout_cut(stack, columns);
	fprintf(report->out, "%s\n", cut);
}

static void put_wait(const struct report *report, const struct summary *waits, size_t index)
{
	const struct summary_line *line = &waits->lines.at[index];
	_cleanup_free_ char *text = report_slow_wait(waits, index);

	put_text(report, 4, text);
	if (!line->is_runnable)
		put_stack(report, &waits->tree, waits->waits.at[line->heaviest].node, 6);
}

/* What they ran in, by samples: of the process that ran most. */
static void put_running(const struct report *report, const struct summary *waits)
{
	_cleanup_free_ char *text = NULL;
	const struct summary_group *most = NULL;
	char share[UNITS_ROOM];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	vec_each (group, &waits->groups)
		if (!most || group->total_ns[TIME_RUNNING] > most->total_ns[TIME_RUNNING])
			most = group;
	fprintf(out, "%s running",
		share_text(waits->total_ns[TIME_RUNNING], told_ns(waits), share));
	if (most)
		report_functions(out, waits, most->root);
	fclose(out);
	put_text(report, 4, text);
}

/* The largest waits, and running time in its place among them. */
static void put_waits(const struct report *report, const struct summary *waits)
{
	size_t most = report->style->is_full ? SIZE_MAX : report->stacks, shown = 0;
	uint64_t running_ns = waits->total_ns[TIME_RUNNING], least_ns = told_ns(waits) / LEAST_PART;
	bool has_run = running_ns < least_ns || !running_ns;

	for (size_t i = 0; i <= waits->lines.count && shown < most; i++) {
		uint64_t ns = i < waits->lines.count ? waits->lines.at[i].total_ns : 0;
		if (!has_run && running_ns >= ns) {
			put_running(report, waits);
			has_run = true;
			shown++;
		}
		if (shown >= most || ns < least_ns || !ns)
			break;
		put_wait(report, waits, i);
		shown++;
	}
}

/* "thread worker 4711, for 34.0 s: blocked in futex for cache.lock": blocked 99 % of that */
static void put_open_call(const struct report *report, const struct called_open *open)
{
	_cleanup_free_ char *name = text_clean(open->thread->comm, true);
	_cleanup_free_ char *thing = open->thing ? text_clean(open->thing, false) : NULL;
	_cleanup_free_ char *operation =
		open->operation ? text_clean(open->operation, false) : NULL;
	bool is_blocked = open->state == TIME_BLOCKED;
	char age[UNITS_ROOM], share[UNITS_ROOM];
	const char *where = operation ? operation : is_blocked ? reason_name(open->reason) : "";
	_cleanup_free_ char *text =
		xasprintf("not ended: thread %s %u, for %s, %s%s%s%s%s; blocked %s of that", name,
			open->thread->tid, units_duration(open->wall_ns, age),
			is_blocked                    ? "blocked"
			: open->state == TIME_RUNNING ? "running"
						      : "ready without a CPU",
			where[0] ? " in " : "", where, thing ? " for " : "", thing ? thing : "",
			share_text(open->part_ns[TIME_BLOCKED], open->wall_ns, share));

	put_text(report, 2, text);
	put_stack(report, &report->summary->tree, open->node, 4);
}

/* Slow ones have been open for long; others just happen to be. */
static size_t open_worth_telling(const struct report *report, const struct called *called)
{
	size_t most = called->opened.count;

	if (report->style->is_full)
		return most;
	for (size_t i = 0; i < most; i++)
		if (called->opened.at[i].wall_ns < called->function->slow_from_ns)
			most = i;
	return most < report->stacks ? most : report->stacks;
}

static void put_open(const struct report *report, const struct called *called)
{
	size_t shown = open_worth_telling(report, called), more = called->opened.count - shown;
	char age[UNITS_ROOM], count[UNITS_ROOM];

	for (size_t i = 0; i < shown; i++)
		put_open_call(report, &called->opened.at[i]);
	if (!more)
		return;
	units_duration(called->opened.at[shown].wall_ns, age);
	if (shown)
		fprintf(report->out, "  and %s more that %s not ended, for %s or less\n",
			units_count(more, count), more == 1 ? "has" : "have", age);
	else
		fprintf(report->out, "  not ended: %s, begun %s%s ago\n", units_count(more, count),
			more == 1 ? "" : "at most ", age);
}

static void put_count(FILE *out, bool *is_first, uint64_t count, const char *what)
{
	char number[UNITS_ROOM];

	if (count)
		fprintf(out, "%s%s %s", *is_first ? "not in these figures: " : ", ",
			units_count(count, number), what);
	*is_first &= !count;
}

static void put_untold_counts(FILE *out, const struct called *called, bool is_full)
{
	const struct rec_function *function = called->function;
	bool is_first = true;

	put_count(out, &is_first, function->begun_before, "that had begun before");
	put_count(out, &is_first, function->left,
		called->kind == CALL_OF_FUNCTION ? "left by longjmp() or an exception"
						 : "that did not end before the next one");
	put_count(out, &is_first, function->died_inside,
		"whose thread ended within or executed another program");
	put_count(out, &is_first, function->too_deep, "too deep within others");
	put_count(out, &is_first, function->in_interrupt, "in interrupts");
	if (called_has_many_unmatched(called) || is_full)
		put_count(out, &is_first, function->unmatched,
			function->unmatched < LEAST_OF_COROUTINES
				? "that returned where none had begun"
				: "that returned where none had begun (coroutines?)");
}

/* Counts are the recording's: of some threads or a range of time they say nothing. */
static void put_untold(const struct report *report, const struct called *called)
{
	const struct summary *summary = report->summary;
	const struct rec_function *function = called->function;
	_cleanup_free_ char *text = NULL;
	char number[UNITS_ROOM];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	if (!summary->has_range && (!summary->is_filtered || summary->slow))
		put_untold_counts(out, called, report->style->is_full);
	if (function->jumped_on && !summary->has_range && (!summary->is_filtered || summary->slow))
		fprintf(out, "%s%s ended by a jump to another function, whose time is not theirs",
			ftell(out) ? "; " : "", units_count(function->jumped_on, number));
	if (called->errors)
		fprintf(out, "%s%s returned an error", ftell(out) ? "; " : "",
			units_count(called->errors, number));
	fclose(out);
	if (text[0])
		put_text(report, 2, text);
}

void report_called(const struct report *report, const struct called *called)
{
	_cleanup_free_ char *slow = report_slow_text(called);

	if (called->all.count || called->open_slow.count)
		put_text(report, 2, slow);
	/* Of those that have not ended alone it is said where they are, which is the same. */
	if (called->waits && (called->slow.count || report->style->is_full))
		put_waits(report, called->waits);
	put_open(report, called);
	put_untold(report, called);
}

static const struct called *slowest(const struct summary *summary)
{
	const struct called *best = NULL;

	vec_each (called, &summary->calls) {
		if (!called->waits || !called->waits->lines.count)
			continue;
		if (!best || called_all_slow(called).wall_ns > called_all_slow(best).wall_ns)
			best = called;
	}
	return best;
}

void report_slowest(FILE *out, const struct summary *summary)
{
	const struct called *called = slowest(summary);
	char count[UNITS_ROOM], all[UNITS_ROOM], share[UNITS_ROOM], from[UNITS_ROOM];

	if (!called)
		return;
	const struct summary *waits = called->waits;
	_cleanup_free_ char *name = text_clean(called->function->name, false);
	_cleanup_free_ char *what = line_text(waits, 0);
	_cleanup_free_ char *early = mostly_early_text(called);
	fprintf(out, " Slow calls of %s (%s of %s, from %s up%s) spent %s of their time %s", name,
		units_count(called_all_slow(called).count, count),
		units_count(called->all.count + called->open.count, all),
		units_duration(called->function->slow_from_ns, from), early,
		share_text(waits->lines.at[0].total_ns, told_ns(waits), share), what);
	if (waits->lines.at[0].is_runnable && what[strlen(what) - 1] != '.')
		putc('.', out);
}
