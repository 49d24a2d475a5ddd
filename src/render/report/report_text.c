// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of the text report, its head and its foot. */
#include "render/report/report_text.h"

#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_budget.h"
#include "render/report/report_parts.h"
#include "util/mem.h"
#include "util/text.h"

/* Losses that a screen has room for. */
#define MOST_LOSSES 2
/* Less than this part of the time without a CPU is not worth a word. */
#define HELD_BACK_PART 20

bool report_has_all_threads(const struct summary *summary)
{
	return !strcmp(summary->meta->target, "all threads") && summary->has_all_running;
}

bool report_was_held_back(const struct summary *summary, uint64_t runnable_ns)
{
	return !summary->has_range && !summary->slow && summary->meta->held_back_ns > runnable_ns / HELD_BACK_PART;
}

bool report_cpu_share(const struct summary *summary, char room[static UNITS_ROOM])
{
	uint64_t all_ns = (summary->to_ns - summary->from_ns) * summary->meta->cpus;
	uint64_t ran_ns = summary->total_ns[TIME_RUNNING];

	if (summary->meta->cpu_busy_ppm && !summary->has_range) {
		share_text(summary->meta->cpu_busy_ppm, 1000000, room);
		return true;
	}
	if (!report_has_all_threads(summary) || !all_ns)
		return false;
	share_text(ran_ns < all_ns ? ran_ns : all_ns, all_ns, room);
	return true;
}

/* "dwell  10.0 s on db1, Linux 6.12, 2 CPUs (15 % busy)" */
static char *window_text(const struct summary *summary)
{
	const struct rec_meta *meta = summary->meta;
	struct scale scale = scale_for(meta->window_ns);
	char amount[UNITS_ROOM], busy[UNITS_ROOM];
	const char *dot = strchr(meta->kernel_release, '.');
	int release = dot ? (int)(dot + 1 + strcspn(dot + 1, ".-") - meta->kernel_release)
			  : (int)strlen(meta->kernel_release);
	bool has_busy = report_cpu_share(summary, busy);
	_cleanup_free_ char *raw = xasprintf("dwell  %s%s%s%s%.*s, %u CPU%s%s%s%s",
		scale_ns(&scale, meta->window_ns, amount), meta->host[0] ? " on " : "", meta->host,
		release ? ", Linux " : "", release, meta->kernel_release, meta->cpus,
		meta->cpus == 1 ? "" : "s", has_busy ? " (" : "", has_busy ? busy : "",
		has_busy ? " busy)" : "");

	return text_clean(raw, false);
}

size_t report_prose(const struct report *report)
{
	size_t most = report->style->prose ? report->style->prose : LAYOUT_PROSE;

	return report->style->width < most ? report->style->width : most;
}

size_t report_extra(const struct report *report, size_t part)
{
	size_t width = report->style->width;

	return width > REPORT_WIDTH ? (width - REPORT_WIDTH) / part : 0;
}

/* Do two texts fit at both ends of a line? */
static bool ends_fit(const struct report *report, const char *left, const char *right)
{
	return text_width(left) + 2 + text_width(right) <= report_prose(report);
}

/* Of a long right one, on a line of its own, the end is shown. */
static void put_ends(const struct report *report, const char *left, const char *right)
{
	if (ends_fit(report, left, right)) {
		int gap = (int)(report_prose(report) - text_width(left) - text_width(right));
		fprintf(report->out, "%s%*s%s\n", left, gap, "", right);
		return;
	}
	_cleanup_free_ char *cut = layout_cut_front(right, report->style->width);
	fprintf(report->out, "%s\n%s\n", left, cut);
}

#define TARGET_INDENT 7 /* below the window's length */

/* A target that has no room beside the window gets a line of its own, and is cut there; so does
 * the file, behind it, where the window takes a whole line. */
static void put_window(const struct report *report)
{
	const struct rec_meta *meta = report->summary->meta;
	_cleanup_free_ char *window = window_text(report->summary);
	_cleanup_free_ char *target = text_clean(meta->target, false);
	_cleanup_free_ char *file = text_clean(report->style->file, false);
	_cleanup_free_ char *both = xasprintf("%s, %s", window, target);

	if (text_width(both) <= report_prose(report)) {
		put_ends(report, both, file);
	} else {
		_cleanup_free_ char *cut = layout_cut(target, report->style->width - TARGET_INDENT);
		_cleanup_free_ char *below = xasprintf(
			"%*s%s", TARGET_INDENT, "", report->style->is_full ? target : cut);
		if (ends_fit(report, window, file)) {
			put_ends(report, window, file);
			fprintf(report->out, "%s\n", below);
		} else {
			layout_wrap(report->out, window, report_prose(report), 0, TARGET_INDENT);
			put_ends(report, below, file);
		}
	}
	if (!meta->is_finished)
		fprintf(report->out, "%s\n", layout_unfinished(report->summary->is_live));
}

static void put_filter(const struct report *report)
{
	const struct summary *summary = report->summary;
	_cleanup_free_ char *filters = text_clean(summary->filter_text, false);
	_cleanup_free_ char *what =
		layout_only(summary->has_range, summary->from_ns, summary->to_ns, filters);

	if (!what[0])
		return;
	_cleanup_free_ char *text = xasprintf("only: %s", what);
	layout_wrap(report->out, text, report_prose(report), 0, 6);
}

/* "idle: kernel threads 60 %, own timers 40 %": why it was set aside. */
static void put_idle_kinds(const struct report *report)
{
	static const char *const words[IDLE_KINDS] = {
		[IDLE_UNENDED] = "never woken",
		[IDLE_MAIN_LOOP] = "kernel threads",
		[IDLE_OWN_TIMER] = "own timers",
		[IDLE_PARKED] = "parked workers",
	};
	uint64_t percents[IDLE_KINDS];
	bool is_kind_shown[IDLE_KINDS] = {false}, has_any = false;

	apportion(report->summary->idle_ns, IDLE_KINDS, 100, percents);
	fputs("  idle: ", report->out);
	for (unsigned int i = 0; i < IDLE_KINDS; i++) {
		unsigned int best = IDLE_NOT;
		for (unsigned int kind = IDLE_NOT + 1; kind < IDLE_KINDS; kind++)
			if (!is_kind_shown[kind] && percents[kind] > percents[best])
				best = kind;
		if (best == IDLE_NOT)
			break;
		is_kind_shown[best] = true;
		fprintf(report->out, "%s%s %llu %%", has_any ? ", " : "", words[best],
			(unsigned long long)percents[best]);
		has_any = true;
	}
	putc('\n', report->out);
}

/* The line of lives; also settles how busy time is printed. */
static void put_lives(struct report *report)
{
	const struct summary *summary = report->summary;
	uint64_t known_ns = summary->aside_ns + summary->busy_ns;
	uint64_t parts[3] = {summary->aside_ns, summary->busy_ns,
		summary->life_ns > known_ns ? summary->life_ns - known_ns : 0};
	struct scale scale = scale_for(summary->life_ns);
	uint64_t quanta[3], life = round_to(summary->life_ns, scale.quantum);
	char count[UNITS_ROOM], amount[UNITS_ROOM];

	apportion(parts, 3, life, quanta);
	report->scale = scale_for(summary->busy_ns ? summary->busy_ns : summary->life_ns);
	report->busy_quanta = report->scale.quantum == scale.quantum
				      ? quanta[1]
				      : round_to(summary->busy_ns, report->scale.quantum);
	fprintf(report->out, "%s thread%s %s %s %s", units_count(summary->threads.count, count),
		summary->threads.count == 1 ? "" : "s",
		summary->slow ? "spent in slow calls" : "lived", scale_text(&scale, life, amount),
		scale.unit);
	if (summary->aside_ns)
		fprintf(report->out, "; %s %s of it idle, set aside (--idle show)",
			scale_text(&scale, quanta[0], amount), scale.unit);
	putc('\n', report->out);
	if (summary->aside_ns)
		put_idle_kinds(report);
}

static void put_loss(const struct report *report, const struct rec_loss *loss)
{
	const struct conservation *accounting = &report->summary->conservation;
	uint64_t ns = loss->ns < accounting->expected_ns ? loss->ns : accounting->expected_ns;
	char count[UNITS_ROOM], share[UNITS_ROOM];
	_cleanup_free_ char *text = xasprintf("%s %s %s%s%s%s",
		loss_is_serious(loss->loss) ? "lost:" : "noted:", units_count(loss->count, count),
		loss_words(loss->loss, loss->name, loss->count), ns ? " (" : "",
		ns ? percent_text(ns, accounting->expected_ns, share) : "",
		ns ? " of the time)" : "");

	layout_wrap(report->out, text, report_prose(report), 0, 6);
}

static size_t count_losses(const struct summary *summary, bool is_serious)
{
	size_t count = 0;

	for (size_t i = 0; i < summary->loss_count; i++)
		if (summary->losses[i].count || summary->losses[i].ns)
			count += loss_is_serious(summary->losses[i].loss) == is_serious;
	return count;
}

/* The serious ones first. */
static void put_losses(const struct report *report)
{
	const struct summary *summary = report->summary;
	size_t most = report->style->is_full ? SIZE_MAX : MOST_LOSSES;
	size_t seen = 0;

	for (int is_serious = 1; is_serious >= 0; is_serious--)
		for (size_t i = 0; i < summary->loss_count; i++) {
			const struct rec_loss *loss = &summary->losses[i];
			if ((!loss->count && !loss->ns) ||
				loss_is_serious(loss->loss) != (bool)is_serious)
				continue;
			if (seen++ < most)
				put_loss(report, loss);
		}
	if (seen > most)
		fprintf(report->out, "and %zu more kind%s (--full names %s)\n", seen - most,
			seen - most == 1 ? "" : "s", seen - most == 1 ? "it" : "them");
}

static void put_accounting(const struct report *report)
{
	const struct summary *summary = report->summary;
	const struct conservation *accounting = &summary->conservation;
	struct scale scale = scale_for(accounting->expected_ns);
	char percent[UNITS_ROOM], amount[UNITS_ROOM], complete[48];
	uint64_t over_ns = accounting->accounted_ns > accounting->expected_ns
				   ? accounting->accounted_ns - accounting->expected_ns
				   : 0;

	report_complete_text(summary, complete, sizeof(complete));
	if (summary->slow) {
		fprintf(report->out, "of slow calls alone, %s\n", complete);
		report_stacks(report);
		put_losses(report);
		return;
	}
	percent_text(accounting->accounted_ns, accounting->expected_ns, percent);
	fprintf(report->out, "accounted %s of %s; %s; %s\n", percent,
		scale_ns(&scale, accounting->expected_ns, amount),
		over_ns                       ? "more than there is: the recording is damaged"
		: count_losses(summary, true) ? "lost: see below"
					      : "lost nothing",
		complete);
	report_stacks(report);
	put_losses(report);
}

static void put_cost(const struct report *report)
{
	const struct rec_meta *meta = report->summary->meta;
	char own[UNITS_ROOM], tables[UNITS_ROOM], of_switch[64] = "", of_event[64] = "";
	char memory[2 * UNITS_ROOM + 32] = "";

	if (!meta->window_ns)
		return;
	if (meta->switches)
		snprintf(of_switch, sizeof(of_switch), "%.2f us per switch, ",
			(double)meta->program_ns / (double)meta->switches / 1e3);
	if (meta->events)
		snprintf(of_event, sizeof(of_event), "%.2f us per event, ",
			(double)meta->event_ns / (double)meta->events / 1e3);
	if (meta->table_bytes || meta->own_memory_bytes)
		snprintf(memory, sizeof(memory), "; %s + %s in kernel",
			units_bytes(meta->own_memory_bytes, own),
			units_bytes(meta->table_bytes, tables));
	_cleanup_free_ char *text = xasprintf("cost %s%s%s%.1f %% of one CPU%s", of_switch,
		of_event, meta->switches || meta->events ? "in all " : "",
		100 * rec_meta_cost_ns(meta) / (double)meta->window_ns, memory);
	layout_wrap(report->out, text, report_prose(report), 0, 2);
}

/* Are lines numbered as without options? Only then `--wait 1` alone means the same wait. */
static bool has_usual_numbers(const struct summary *summary)
{
	uint64_t idle_ns = 0;

	for (unsigned int kind = 0; kind < IDLE_KINDS; kind++)
		idle_ns += summary->idle_ns[kind];
	return !summary->is_filtered && !summary->has_range && summary->aside_ns == idle_ns;
}

/* Commands to go on with, as many as fit a line. */
static void put_next(const struct report *report)
{
	static const char *const plain[] = {
		"dwell html", "dwell flame -o off.svg", "dwell report --full"};
	static const char *const with_chains[] = {
		"dwell html", "dwell report --wait 1", "dwell flame --view chain -o chain.svg"};
	bool has_waits = report->summary->has_chains && report->summary->lines.count;
	bool is_usual = has_usual_numbers(report->summary);
	const char *const *commands = has_waits ? with_chains : plain;
	const char *file = report->style->file;
	bool is_plain = strlen(file) <= 16 + report_extra(report, 4) && file[0] != '-' &&
			strspn(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789._/-") == strlen(file);
	bool is_default = !strcmp(file, "last.dwell");
	_cleanup_free_ char *name = xasprintf("%s%s", is_default ? "" : " ",
		is_default ? ""
		: is_plain ? file
			   : "FILE");
	size_t used = strlen("next:");

	fputs("next:", report->out);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		_cleanup_free_ char *command = has_waits && i == 1 && !is_usual
						       ? xstrdup("the same with --wait 1")
						       : xasprintf("%s%s", commands[i], name);
		size_t wanted = strlen(i ? "; " : " ") + strlen(command);
		if (used + wanted > report_prose(report))
			break;
		fprintf(report->out, "%s%s", i ? "; " : " ", command);
		used += wanted;
	}
	putc('\n', report->out);
}

static void put_report(struct report *report)
{
	const struct summary *summary = report->summary;

	put_window(report);
	put_filter(report);
	put_lives(report);
	putc('\n', report->out);
	if (report->busy_quanta) {
		report_bar(report);
		putc('\n', report->out);
	}
	report_verdict(report);
	if (summary->calls.count || summary->hidden_calls) {
		putc('\n', report->out);
		report_calls_block(report);
	}
	if (summary->groups.count) {
		putc('\n', report->out);
		report_groups(report);
	}
	if (summary->lines.count) {
		putc('\n', report->out);
		report_lines(report);
	}
	if (summary->measures.count || summary->hidden_measures || summary->resident.count) {
		putc('\n', report->out);
		report_measures(report);
	}
	putc('\n', report->out);
	put_accounting(report);
	put_cost(report);
	report_budget(report->summary->meta, report->out);
	put_next(report);
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* How many rows and waits are tried first, and how many lines they may take. */
struct room {
	size_t lines;
	size_t rows;
	size_t top;
	size_t stacks; /* of a measure, or of slow calls */
	size_t calls;  /* functions */
	size_t least_rows;
	size_t least_top;
};

static struct room room_for(const struct summary *summary, const struct report_style *style)
{
	struct room room = {.lines = REPORT_LINES,
		.rows = REPORT_TOP,
		.top = REPORT_TOP,
		.stacks = REPORT_STACKS,
		.calls = REPORT_CALLS,
		.least_rows = 1,
		.least_top = 1};
	bool is_machine = report_has_all_threads(summary);

	if (style->top)
		return (struct room){
			SIZE_MAX, style->top, style->top, style->top, style->top, style->top,
			style->top};
	if (is_machine || style->lines > REPORT_LINES) {
		room.rows = REPORT_MACHINE_ROWS;
		room.top = REPORT_MACHINE_TOP;
	}
	/* The prompt takes a line. */
	if (style->lines > REPORT_LINES)
		room.lines = style->lines - 1;
	if (is_machine && !style->lines)
		room.lines = REPORT_MACHINE_LINES;
	if (is_machine) {
		room.least_rows = REPORT_LEAST_ROWS;
		room.least_top = REPORT_LEAST_TOP;
	}
	return room;
}

/* One row less: of waits, which take several lines each, first; of measures before the last few of
 * them, of calls before all of these. False if there are few already. */
static bool take_away(struct room *room, bool has_calls)
{
	if (has_calls && room->calls > REPORT_LEAST_CALLS) {
		room->calls--;
		return true;
	}
	if (room->stacks > 1 && (has_calls || room->top <= REPORT_STACKS)) {
		room->stacks--;
		return true;
	}
	if (room->top > room->rows / 2 && room->top > room->least_top) {
		room->top--;
		/* Where both are few they go together. */
		if (room->rows <= REPORT_TOP)
			room->rows = room->top;
		return true;
	}
	if (room->rows <= room->least_rows)
		return false;
	room->rows--;
	return true;
}

void report_text(const struct summary *summary, const struct report_style *style, FILE *out)
{
	struct room room = room_for(summary, style);

	for (;;) {
		_cleanup_free_ char *text = NULL;
		size_t size;
		struct report report = {.summary = summary,
			.style = style,
			.top = room.top,
			.rows = room.rows,
			.stacks = room.stacks,
			.calls = room.calls};

		report.out = open_memstream(&text, &size);
		if (!report.out)
			return;
		put_report(&report);
		fclose(report.out);
		if (style->is_full || count_lines(text) <= room.lines || 
			!take_away(&room, summary->calls.count)) {
			layout_fit(out, text, style->width);
			return;
		}
	}
}
