// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verdict: what a person would say first. Threads that cannot go on by themselves come first
 * (stopped, stuck at a lock); then what most time was spent on: computing, having no CPU, or the
 * largest waits, each with who was behind it. Recorded facts only.
 */
#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_calls.h"
#include "render/report/report_causes.h"
#include "render/report/report_parts.h"
#include "render/report/report_queue.h"
#include "render/report/report_stuck.h"
#include "render/report/report_what.h"
#include "util/mem.h"
#include "util/text.h"

/* Waits in the verdict: at most so many, of a seventh or more of what was waited. */
#define MOST_WAITS 2
#define LARGE_PART 7
/* What they were for is followed so far, so that no link of it is said again. */
#define MOST_HOPS_TOLD 4
/* With less than this part of the window to tell of, there is nothing but idle. */
#define IDLE_PART 20
/* Less CPU time than this part of the window is worth saying: nobody got far. */
#define LITTLE_PART 100
/* Where CPUs are short, what dwell itself takes of them is said from here on. */
#define OWN_SHARE 0.01
/* All but this part is nearly all. */
#define NEARLY_PART 20
/* A process computes in a function that has this part of its samples; a second has this. */
#define MAIN_FUNCTION_PART 5
#define NEXT_FUNCTION_PART 10
/* More than this of all blocked time without an explanation is said. */
#define OPEN_PART 10

/* The sentence about a line's causes, and the largest of them. Caller frees. */
static char *causes_of_line(const struct summary *summary, size_t index, struct cause *ret_first)
{
	struct explanation explanation;

	*ret_first = (struct cause){.name = ""};
	if (!summary->has_chains)
		return xstrdup("");
	explain_line(summary, index, &explanation);
	_cleanup_free_ char *name = summary_root_name(summary, summary->lines.at[index].root);
	char *text = cause_sentence(&explanation, name);
	if (explanation.causes.count)
		*ret_first = explanation.causes.at[0];
	explanation_clear(&explanation);
	return text;
}

/* "user-* waited 3.0 s for a mutex (ask): held by refresher 98 %: asleep in refresh_cache." */
static void put_wait(FILE *out, const struct report *report, size_t index, const char *causes)
{
	const struct summary *summary = report->summary;
	const struct summary_line *line = &summary->lines.at[index];
	_cleanup_free_ char *name = summary_root_name(summary, line->root);
	_cleanup_free_ char *what = report_what_and_why(summary, line, causes);
	char amount[UNITS_ROOM];

	fprintf(out, "%s %s %s %s", name,
		line->reason == REASON_SLEEP && line->spot ? "slept" : "waited",
		units_duration(line->total_ns, amount), what);
}

void report_functions(FILE *out, const struct summary *summary, uint32_t group)
{
	const struct computed *computed = computed_by_group(&summary->computing, group);
	const struct computed_function *common = computed ? &computed->common : NULL;
	const struct computed_function *first = computed ? computed->functions : NULL;
	char share[UNITS_ROOM];

	if (!first || !first->name)
		return;
	share_text(first->samples, computed->samples, share);
	if (!computed_is_part(first->samples, MAIN_FUNCTION_PART, computed) && common->name &&
		strcmp(common->name, "main") && strcmp(common->name, first->name)) {
		_cleanup_free_ char *caller = text_clean(common->name, false);
		char part[UNITS_ROOM];
		fprintf(out, " (%s under %s, in no one function more than %s)",
			share_text(common->samples, computed->samples, part), caller, share);
		return;
	}
	if (!computed_is_part(first->samples, NEXT_FUNCTION_PART, computed))
		return;
	_cleanup_free_ char *name = text_clean(first->name, false);
	fprintf(out, " (%s in %s", share, name);
	if (first[1].name && computed_is_part(first[1].samples, NEXT_FUNCTION_PART, computed)) {
		_cleanup_free_ char *next = text_clean(first[1].name, false);
		fprintf(out, ", %s in %s", share_text(first[1].samples, computed->samples, share),
			next);
	}
	fputs(")", out);
}

/* ", 13.1 s of it postgres" */
static void put_leader(FILE *out, const struct summary *summary, const struct summary_group *group,
	uint64_t ns, uint64_t all_ns)
{
	_cleanup_free_ char *name = summary_root_name(summary, group->root);
	char amount[UNITS_ROOM];

	if (ns >= all_ns)
		fprintf(out, ", all of it %s", name);
	else if (ns >= all_ns - all_ns / NEARLY_PART)
		fprintf(out, ", nearly all of it %s", name);
	else
		fprintf(out, ", %s of it %s", units_duration(ns, amount), name);
}

/* The process that has most of running or runnable time, and what it computed in. */
static void put_leaders(FILE *out, const struct report *report, bool is_running)
{
	const struct summary *summary = report->summary;
	const struct summary_group *best = NULL;
	uint64_t best_ns = 0, all_ns = 0;

	vec_each (group, &summary->groups) {
		uint64_t ns =
			is_running ? group->total_ns[TIME_RUNNING]
				   : group->total_ns[TIME_WOKEN] + group->total_ns[TIME_PREEMPTED];
		all_ns += ns;
		if (ns > best_ns) {
			best_ns = ns;
			best = group;
		}
	}
	if (best && summary->groups.count > 1)
		put_leader(out, summary, best, best_ns, all_ns);
	if (best && is_running)
		report_functions(out, summary, best->root);
}

/* Computing, or waiting for a CPU. */
static void put_class(FILE *out, const struct report *report, bool is_running, uint64_t ns)
{
	char amount[UNITS_ROOM], busy[UNITS_ROOM];
	bool is_told = false;

	fprintf(out, is_running ? "computing: %s" : "ready without a CPU: %s",
		units_duration(ns, amount));
	put_leaders(out, report, is_running);
	if (!is_running) {
		_cleanup_free_ char *queue = queue_headline(report->summary);
		fprintf(out, "%s%s", queue[0] ? "; " : "", queue);
		is_told = strstr(queue, "the CPU quota");
	}
	if (!is_running && report_cpu_share(report->summary, busy)) {
		double own = rec_meta_cost_share(report->summary->meta);
		fprintf(out, "; CPUs %s busy", busy);
		if (own >= OWN_SHARE)
			fprintf(out, ", %.0f %% by dwell", own * 100);
	}
	if (!is_running && !is_told && report_was_held_back(report->summary, ns))
		fprintf(out, "; the CPU quota of its cgroup held it back for %s",
			units_duration(report->summary->meta->held_back_ns, amount));
	fputs(".", out);
}

/* The largest idle wait: all there is to say about an idle recording. */
static void put_idle(FILE *out, const struct summary *summary)
{
	struct scale scale = scale_for(summary->aside_ns);
	char amount[UNITS_ROOM];

	vec_each (wait, &summary->waits) {
		if (!wait->is_aside)
			continue;
		_cleanup_free_ char *name = summary_root_name(summary, wait->root);
		_cleanup_free_ char *operation =
			wait->operation ? text_clean(wait->operation, false) : NULL;
		fprintf(out, "; %s in %s %s", name,
			operation ? operation : reason_name(wait->reason),
			scale_ns(&scale, wait->total_ns, amount));
		return;
	}
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Do both come from the same thing that somebody did? */
static bool is_same_story(const struct cause *a, const struct cause *b)
{
	return a->name[0] && !strcmp(a->name, b->name) && a->reason == b->reason &&
	       is_same(a->operation, b->operation) && is_same(a->spot, b->spot) &&
	       a->thing == b->thing;
}

/* Does a wait count for the verdict by itself? */
static bool is_story(const struct summary *summary, const struct summary_line *line)
{
	return !line->is_runnable && !line_is_for_an_end(line) && line->reason != REASON_STOPPED &&
	       !report_is_stuck(summary, line);
}

/* What is told already: the lines that tell what the ones before them were for, and causes. */
struct told {
	size_t lines[2 * MOST_HOPS_TOLD];
	size_t line_count;
	struct cause causes[MOST_WAITS];
	size_t cause_count;
};

static bool is_told(const struct told *told, size_t line, const struct cause *first)
{
	for (size_t i = 0; i < told->line_count; i++)
		if (told->lines[i] == line)
			return true;
	for (size_t i = 0; i < told->cause_count; i++)
		if (is_same_story(&told->causes[i], first))
			return true;
	return false;
}

/* From a cause on to the line that it sees, to what that one's cause sees, and so on. */
static void tell(const struct summary *summary, struct told *told, struct cause first)
{
	told->causes[told->cause_count++] = first;
	for (size_t i = 0; i < MOST_HOPS_TOLD && first.see; i++) {
		told->lines[told->line_count++] = first.see;
		free(causes_of_line(summary, first.see - 1, &first));
	}
}

/*
 * The largest waits, with who was behind them. What another of them tells is left out: a wait that
 * is for the same thing, and the wait of the one that it is for.
 */
static void put_waits(FILE *out, const struct report *report, uint64_t waited_ns, bool has_any)
{
	const struct summary *summary = report->summary;
	struct told told = {0};

	for (size_t i = 0; i < summary->lines.count && told.cause_count < MOST_WAITS; i++) {
		const struct summary_line *line = &summary->lines.at[i];
		bool is_large = line->total_ns >= waited_ns / LARGE_PART;
		struct cause first;
		if (!is_story(summary, line))
			continue;
		if (!is_large && told.cause_count)
			break;
		_cleanup_free_ char *causes = causes_of_line(summary, i, &first);
		if (is_told(&told, i + 1, &first))
			continue;
		fprintf(out, "%s%s", has_any ? " Then " : "",
			is_large ? "" : "many waits, none of them large; of these ");
		put_wait(out, report, i, causes);
		tell(summary, &told, first);
		has_any = true;
	}
}

/* How much of all that was waited nothing explains, if that is much. */
static void put_open(FILE *out, const struct report *report, uint64_t waited_ns)
{
	const struct summary *summary = report->summary;
	uint64_t open_ns = 0;
	char share[UNITS_ROOM];

	for (size_t i = 0; summary->has_chains && i < summary->lines.count; i++) {
		struct explanation explanation;
		if (!is_story(summary, &summary->lines.at[i]))
			continue;
		explain_line(summary, i, &explanation);
		open_ns += explanation.unexplained_ns - explanation.by_end_ns[CHAIN_NOT_WOKEN];
		explanation_clear(&explanation);
	}
	if (open_ns > waited_ns / OPEN_PART)
		fprintf(out, " Of all that was waited %s is not explained.",
			share_text(open_ns, waited_ns, share));
}

struct amounts {
	uint64_t running_ns, runnable_ns, waited_ns;
	uint64_t largest_ns; /* of the waits */
};

/* What most time was spent on, and what comes next if that is much: the largest first. */
static void put_spent(FILE *out, const struct report *report, const struct amounts *spent)
{
	bool is_many = spent->largest_ns < spent->waited_ns / LARGE_PART;
	/* In the order of what is printed; of many waits none of which is large, all count. */
	uint64_t amounts[] = {is_many ? spent->waited_ns : spent->largest_ns, spent->running_ns,
		spent->runnable_ns};
	uint64_t most_ns = 0;

	for (size_t turn = 0; turn < ARRAY_SIZE(amounts); turn++) {
		size_t best = amounts[0] ? 0 : 1;
		for (size_t i = 1; i < ARRAY_SIZE(amounts); i++)
			if (amounts[i] > amounts[best])
				best = i;
		uint64_t ns = best ? amounts[best] : spent->waited_ns;
		amounts[best] = 0;
		if (turn && ns <= most_ns / LARGE_PART)
			continue;
		if (!turn)
			most_ns = ns;
		if (!best) {
			put_waits(out, report, spent->waited_ns, turn);
			continue;
		}
		fputs(turn ? " Then " : "", out);
		put_class(out, report, best == 1, ns);
	}
}

static void put_sentences(FILE *out, const struct report *report)
{
	const struct summary *summary = report->summary;
	uint64_t window_ns = summary->to_ns - summary->from_ns;
	struct amounts spent = {.running_ns = summary->total_ns[TIME_RUNNING],
		.runnable_ns = summary->total_ns[TIME_WOKEN] + summary->total_ns[TIME_PREEMPTED]};
	char amount[UNITS_ROOM];
	bool is_idle;
	size_t stuck;

	if (!summary->busy_ns) {
		fputs(summary->aside_ns ? "nothing but idle" : "no time was recorded", out);
		put_idle(out, summary);
		fputs(".", out);
		return;
	}
	vec_each (line, &summary->lines)
		if (is_story(summary, line)) {
			spent.waited_ns += line->total_ns;
			if (line->total_ns > spent.largest_ns)
				spent.largest_ns = line->total_ns;
		}
	stuck = report_stuck(out, summary);
	if (stuck && spent.running_ns + spent.runnable_ns + spent.waited_ns < window_ns / 100)
		return;
	is_idle = !stuck && summary->aside_ns && summary->busy_ns < window_ns / IDLE_PART;
	if (stuck) {
		fputs(" Besides: ", out);
	} else if (is_idle) {
		fputs("almost nothing but idle", out);
		put_idle(out, summary);
		fputs(". The rest is ", out);
	}
	if (!is_idle && summary->has_all_running && spent.running_ns < window_ns / LITTLE_PART &&
		spent.waited_ns)
		fprintf(out, "little was done: %s of CPU time. ",
			units_duration(spent.running_ns, amount));
	put_spent(out, report, &spent);
	put_open(out, report, spent.waited_ns);
	report_slowest(out, summary);
}

void report_verdict(const struct report *report)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	put_sentences(out, report);
	fclose(out);
	fputs(report->style->is_colored ? "\033[1mIn short:\033[0m " : "In short: ", report->out);
	layout_wrap(report->out, text, report_prose(report), strlen("In short: "), 0);
}
