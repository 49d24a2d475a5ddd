// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict: the largest parts of busy time, said in words. Recorded facts only. */
#include <string.h>

#include "render/report/report_causes.h"
#include "render/report/report_parts.h"
#include "util/mem.h"
#include "util/text.h"

/* What time was spent on: a reason, or one of these. */
#define RUNNING REASONS
#define RUNNABLE (REASONS + 1)
#define CLASSES (REASONS + 2)
/* Causes in the verdict: at most so many, of a seventh or more. */
#define MOST_CAUSES 2
#define LARGE_CAUSE 7
/* Less of what a cause did is not worth a word. */
#define SMALL_PART 10

static void fill_classes(const struct summary *summary, uint64_t classes[static CLASSES])
{
	memcpy(classes, summary->reason_ns, sizeof(summary->reason_ns));
	classes[RUNNING] = summary->total_ns[TIME_RUNNING];
	classes[RUNNABLE] = summary->total_ns[TIME_WOKEN] + summary->total_ns[TIME_PREEMPTED];
}

static unsigned int largest(const uint64_t *classes)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < CLASSES; i++)
		if (classes[i] > classes[best])
			best = i;
	return best;
}

static uint64_t group_part(const struct summary_group *group, unsigned int class)
{
	if (class == RUNNING)
		return group->total_ns[TIME_RUNNING];
	if (class == RUNNABLE)
		return group->total_ns[TIME_WOKEN] + group->total_ns[TIME_PREEMPTED];
	return group->reason_ns[class];
}

/* " in fdatasync", or ", 12.1 s of it in write": the operation that most of a reason was in. */
static void put_operation(
	FILE *out, const struct report *report, unsigned int class, uint64_t whole_ns)
{
	const struct summary *summary = report->summary;
	const char *best = NULL;
	uint64_t best_ns = 0;
	char amount[UNITS_ROOM];

	vec_each (line, &summary->lines) {
		uint64_t ns = 0;
		if (line->is_runnable || line->reason != class || !line->operation)
			continue;
		vec_each (other, &summary->lines)
			if (!other->is_runnable && other->reason == class && other->operation &&
				!strcmp(other->operation, line->operation))
				ns += other->total_ns;
		if (ns > best_ns) {
			best_ns = ns;
			best = line->operation;
		}
		/* Sorted: no other can have more than this one's lines left. */
		if (best_ns > whole_ns / 2)
			break;
	}
	if (!best || best_ns <= whole_ns / 2 || !strcmp(best, reason_name((enum reason) class)))
		return;
	_cleanup_free_ char *operation = text_clean(best, false);
	if (best_ns < whole_ns - whole_ns / 200)
		fprintf(out, ", %s of it", scale_ns(&report->scale, best_ns, amount));
	fprintf(out, " in %s", operation);
}

/* " (postgres 13.1 s)", " (all pgbench)": the process that has most of it. */
static void put_who(FILE *out, const struct report *report, unsigned int class, uint64_t whole_ns)
{
	const struct summary *summary = report->summary;
	const struct summary_group *best = NULL;
	char amount[UNITS_ROOM];

	vec_each (group, &summary->groups)
		if (!best || group_part(group, class) > group_part(best, class))
			best = group;
	if (!best || summary->groups.count < 2)
		return;
	_cleanup_free_ char *name = summary_root_name(summary, best->root);
	if (group_part(best, class) >= whole_ns)
		fprintf(out, " (all %s)", name);
	else
		fprintf(out, " (%s %s)", name,
			scale_ns(&report->scale, group_part(best, class), amount));
}

static void put_class(FILE *out, const struct report *report, unsigned int class, uint64_t ns)
{
	bool is_known = class != REASON_UNKNOWN && class != REASON_LOST;
	char amount[UNITS_ROOM], busy[UNITS_ROOM];

	scale_ns(&report->scale, ns, amount);
	if (class == RUNNING)
		fprintf(out, "running: %s", amount);
	else if (class == RUNNABLE)
		fprintf(out, "ready without a CPU: %s", amount);
	else {
		fprintf(out, "blocked %s%s%s: %s", is_known ? "in " : "",
			is_known               ? reason_name((enum reason) class)
			: class == REASON_LOST ? "in lost stacks"
					       : "for unknown reasons",
			class == REASON_KERNEL ? " waits" : "", amount);
		put_operation(out, report, class, ns);
	}
	put_who(out, report, class, ns);
	if (class == RUNNABLE && report_cpu_share(report->summary, busy))
		fprintf(out, "; CPUs %s busy", busy);
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

static void put_sentences(FILE *out, const struct report *report)
{
	const struct summary *summary = report->summary;
	uint64_t window_ns = summary->to_ns - summary->from_ns;
	uint64_t classes[CLASSES];
	unsigned int first, second;

	fill_classes(summary, classes);
	if (!summary->busy_ns) {
		fputs("nothing but idle", out);
		put_idle(out, summary);
		fputs(".", out);
		return;
	}
	if (summary->aside_ns && summary->busy_ns < window_ns / 100) {
		fputs("almost nothing but idle", out);
		put_idle(out, summary);
		fputs(". The rest is ", out);
	}
	first = largest(classes);
	fputs(classes[first] == summary->busy_ns        ? "all "
		: classes[first] > summary->busy_ns / 2 ? "mostly "
							: "above all ",
		out);
	put_class(out, report, first, classes[first]);
	fputs(".", out);
	classes[first] = 0;
	second = largest(classes);
	if (classes[second] > summary->busy_ns / 7) {
		fputs(" Then ", out);
		put_class(out, report, second, classes[second]);
		fputs(".", out);
	}
}

/*
 * "Of 22.5 s blocked, 57 % was for disk vda.": who or what was behind the waits in the end, the two
 * largest if they are large.
 */
static void put_causes(FILE *out, const struct report *report)
{
	const struct summary *summary = report->summary;
	struct explanation explanation;
	char amount[UNITS_ROOM], share[UNITS_ROOM];
	size_t shown = 0;

	explain_all(summary, &explanation);
	for (size_t i = 0; i < explanation.causes.count && shown < MOST_CAUSES; i++) {
		const struct cause *cause = &explanation.causes.at[i];
		uint64_t awake_ns = cause->ran_ns + cause->no_cpu_ns;
		_cleanup_free_ char *name = cause_name(summary->words, cause->kind, cause->name);
		if (awake_ns < explanation.total_ns / LARGE_CAUSE ||
			explanation.total_ns < summary->busy_ns / LARGE_CAUSE)
			break;
		if (!shown)
			fprintf(out, " Of %s blocked,",
				scale_ns(&report->scale, explanation.total_ns, amount));
		share_text(awake_ns, explanation.total_ns, share);
		fprintf(out, "%s %s %s%s%s", shown ? "," : "", share,
			hop_kind_is_metal(cause->kind) ? "was for " : "while ", name,
			hop_kind_is_metal(cause->kind)             ? ""
			: cause->no_cpu_ns < awake_ns / SMALL_PART ? " ran"
			: cause->ran_ns < awake_ns / SMALL_PART    ? " had no CPU"
								   : " ran or had no CPU");
		shown++;
	}
	fputs(shown ? "." : "", out);
	explanation_clear(&explanation);
}

void report_verdict(const struct report *report)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	put_sentences(out, report);
	if (report->summary->has_chains && report->summary->busy_ns)
		put_causes(out, report);
	fclose(out);
	fputs(report->style->is_colored ? "\033[1mIn short:\033[0m " : "In short: ", report->out);
	layout_wrap(report->out, text, report->style->width, strlen("In short: "), 0);
}
