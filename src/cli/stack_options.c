// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that dwell flame and dwell diff share. */
#include "cli/stack_options.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "util/units.h"

enum {
	KEY_VIEW = 0x4000,
	KEY_WEIGHT,
	KEY_ROOTS,
	KEY_FULL_NAMES,
};

static const struct argp_option options[] = {
	{.doc = "Which stacks, and where to:"},
	{.key = KEY_VIEW,
		.name = "view",
		.arg = "VIEW",
		.doc = "one of " VIEW_NAMES
		       "; default offcpu; or slow:FUNCTION, all time of its slow calls (record "
		       "--calls); or what the recording counts (record -e); or an event of perf "
		       "script text"},
	{.key = KEY_WEIGHT,
		.name = "weight",
		.arg = "time|count|cause",
		.doc = "time (default; of perf script the period), how many waits or samples, or "
		       "(chain) each hop's own share of the time"},
	{.key = KEY_ROOTS,
		.name = "roots",
		.doc = "of views of wakers: hide threads whose waits are seen in the chains of "
		       "others"},
	{.key = KEY_FULL_NAMES,
		.name = "full-names",
		.doc = "of text: keep parameters and return types in names"},
	{.key = 'o',
		.name = "output",
		.arg = "OUT",
		.doc = "a picture (.svg) or folded text (.folded) to a file"},
	{.key = 'f', .name = "folded", .doc = "folded text: to stdout, or with -o to any file"},
	{0},
};

static error_t parse_weight(const char *value, struct stack_options *stacks)
{
	stacks->weighs_counts = !strcmp(value, "count");
	stacks->weighs_causes = !strcmp(value, "cause");
	if (stacks->weighs_counts || stacks->weighs_causes || !strcmp(value, "time"))
		return 0;
	fail(STATUS_USAGE, "--weight %s: unknown; give time, count or cause", value);
	return EINVAL;
}

/* Whether -o fits the rest, which may stand behind it. */
static error_t settle_format(struct stack_options *stacks)
{
	bool has_ending = stacks->output && output_format_of(stacks->output, &stacks->format);

	if (stacks->is_folded && has_ending && stacks->format != OUTPUT_FOLDED) {
		fail(STATUS_USAGE, "-o %s is a picture, and -f is text; give one of them",
			stacks->output);
		return EINVAL;
	}
	if (stacks->is_folded)
		stacks->format = OUTPUT_FOLDED;
	if (!stacks->output || has_ending || stacks->is_folded)
		return 0;
	_cleanup_free_ char *endings = output_format_endings();
	fail(STATUS_USAGE, "-o %s: cannot tell the format; write %s, or add -f for folded text",
		stacks->output, endings);
	return EINVAL;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct stack_options *stacks = state->input;

	switch (key) {
	case KEY_VIEW:
		stacks->has_view = true;
		stacks->view = value;
		return 0;
	case KEY_WEIGHT:
		return parse_weight(value, stacks);
	case KEY_ROOTS:
		stacks->is_roots_only = true;
		return 0;
	case KEY_FULL_NAMES:
		stacks->has_full_names = true;
		return 0;
	case 'o':
		stacks->output = value;
		return 0;
	case 'f':
		stacks->is_folded = true;
		return 0;
	case ARGP_KEY_END:
		return settle_format(stacks);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp stack_options_argp = {.options = options, .parser = parse_option};

/* The name may be one that a recording has for what it counts, but not together with --roots. */
static int no_chains(const char *view)
{
	const struct view_type *near = view_nearest(view);
	bool has_hint = near && near->needs_chains;

	return fail(STATUS_USAGE,
		"--roots is for --view wakeup, offwake or chain; %s has no chains%s%s%s", view,
		has_hint ? "; did you mean " : "", has_hint ? near->name : "", has_hint ? "?" : "");
}

int stack_options_settle(struct stack_options *stacks, struct view_options *asked)
{
	struct stack_shape *shape = &asked->shape;
	int status = view_options_take_slow(asked, &stacks->view);
	const struct view_type *view = view_from_name(stacks->view);

	if (status)
		return status;

	if (stacks->weighs_causes && (!view || view->id != VIEW_CHAIN))
		return fail(STATUS_USAGE, "--weight cause is for --view chain");
	if (stacks->is_roots_only && (!view || !view->needs_chains))
		return no_chains(stacks->view);
	shape->weighs_causes = stacks->weighs_causes;
	shape->is_roots_only = stacks->is_roots_only;
	return STATUS_DONE;
}

/* Samples of other events are in the text, too: which, and how they can be seen. */
static void say_others(const char *path, const struct stacks_told *told)
{
	const char *shown = told->shown < told->events.count ? told->events.at[told->shown].name
							     : "off-CPU time";
	const char *example = NULL;
	char room[UNITS_ROOM];

	if (told->events.count < 1 + (size_t)(told->shown < told->events.count))
		return;
	fprintf(stderr, "dwell: %s: shows %s; also samples of ", path, *shown ? shown : "samples");
	for (size_t i = 0; i < told->events.count; i++) {
		const struct stacks_event *event = &told->events.at[i];
		if (i == told->shown)
			continue;
		fprintf(stderr, "%s%s (%s)", example ? ", " : "",
			*event->name ? event->name : "no event", units_count(event->samples, room));
		if (!example)
			example = event->name;
	}
	fprintf(stderr, ": see them with --view %s\n", example);
}

void say_losses(const char *path, const struct input *input)
{
	_cleanup_free_ char *words = skipped_words(&input->skipped);

	say_others(path, &input->told);
	if (words)
		fprintf(stderr, "dwell: %s: %s\n", path, words);
	if (input->losses)
		fprintf(stderr, "dwell: %s: %s\n", path, input->losses);
}

char *stack_options_idle(const struct input *input)
{
	char room[UNITS_ROOM];

	if (!input->idle_ns)
		return NULL;
	return xasprintf("idle %s set aside (--idle show)", units_duration(input->idle_ns, room));
}
