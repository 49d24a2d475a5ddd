// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell diff: what became slower, faster, new or gone between two recordings or folded files. */
#include "cli/command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/record_options.h"
#include "cli/stack_options.h"
#include "cli/terminal.h"
#include "render/diff.h"
#include "util/units.h"

enum {
	KEY_NORMALIZE = 0x3000,
	KEY_RAW,
	KEY_EXACT,
	KEY_FAIL_ABOVE,
	KEY_TOP,
	KEY_JSON,
	KEY_TITLE,
	KEY_WIDTH,
};

#define DEFAULT_TOP 8
#define TABLE_WIDTH 100
struct arguments {
	struct view_options view;
	struct stack_options stacks;
	struct diff_options diff;
	const char *files[2];
	size_t file_count;
	const char *title;
	bool has_scale; /* --normalize or --raw was given */
	bool is_json;
	struct diff_facts facts; /* of recordings of time */
	diff_calls calls;        /* of recordings */
	double fail_above;       /* share; < 0: no gate */
	size_t top;
	size_t width; /* 0: the terminal's */
};

static const struct argp_option options[] = {
	{.doc = "What is compared:"},
	{.key = KEY_NORMALIZE,
		.name = "normalize",
		.arg = "window|total",
		.doc = "per second of window (default), or as shares of each total (default for "
		       "text, which has no window)"},
	{.key = KEY_RAW, .name = "raw", .doc = "weights as they are"},
	{.key = KEY_EXACT, .name = "exact-names", .doc = "do not fold digits in names of threads"},
	{.doc = "What is written:"},
	{.key = KEY_TITLE, .name = "title", .arg = "TEXT", .doc = "of the picture"},
	{.key = KEY_TOP,
		.name = "top",
		.arg = "N",
		.doc = "N functions of each kind of change (default 8)"},
	{.key = KEY_JSON, .name = "json", .doc = "everything, as JSON"},
	{.key = KEY_WIDTH,
		.name = "width",
		.arg = "N",
		.doc = "N columns (50 or more) instead of the terminal's"},
	{.key = KEY_FAIL_ABOVE,
		.name = "fail-above",
		.arg = "PERCENT",
		.doc = "exit 1 if a function's total grew by more than this much of the total "
		       "before, 2 if a side is empty"},
	{0},
};

static int complain(const char *option, const char *value)
{
	fail(STATUS_USAGE, "%s is no value for --%s; see dwell diff --help", value, option);
	return EINVAL;
}

static error_t parse_percent(const char *value, double *ret)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || (*end && strcmp(end, "%")) || !isfinite(percent) || percent < 0)
		return complain("fail-above", value);
	*ret = percent / 100;
	return 0;
}

static error_t parse_normalize(const char *value, struct arguments *arguments)
{
	arguments->has_scale = true;
	if (!strcmp(value, "total"))
		arguments->diff.scale = DIFF_SHARE;
	else if (!strcmp(value, "window"))
		arguments->diff.scale = DIFF_PER_SECOND;
	else
		return complain("normalize", value);
	return 0;
}

static error_t parse_count(const char *option, const char *value, size_t *ret)
{
	char *end;
	unsigned long count = strtoul(value, &end, 10);

	if (end == value || *end || value[0] == '-' || !count || count > 1000000)
		return complain(option, value);
	*ret = count;
	return 0;
}

static error_t parse_width(const char *value, size_t *ret)
{
	size_t width = 0;

	if (parse_count("width", value, &width))
		return EINVAL;
	if (width < TERMINAL_NARROWEST)
		return complain("width", value);
	*ret = width;
	return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->stacks;
		state->child_inputs[1] = &arguments->view;
		return 0;
	case KEY_NORMALIZE:
		return parse_normalize(value, arguments);
	case KEY_RAW:
		arguments->has_scale = true;
		arguments->diff.scale = DIFF_RAW;
		return 0;
	case KEY_EXACT:
		arguments->diff.has_exact_names = true;
		return 0;
	case KEY_TITLE:
		arguments->title = value;
		return 0;
	case KEY_TOP:
		return parse_count("top", value, &arguments->top);
	case KEY_WIDTH:
		return parse_width(value, &arguments->width);
	case KEY_JSON:
		arguments->is_json = true;
		return 0;
	case KEY_FAIL_ABOVE:
		return parse_percent(value, &arguments->fail_above);
	case ARGP_KEY_ARG:
		if (arguments->file_count < 2) {
			arguments->files[arguments->file_count++] = value;
			return 0;
		}
		fail(STATUS_USAGE, "two files can be compared, not three: %s", value);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{.argp = &stack_options_argp, .group = -1}, {.argp = &view_options_argp}, {0}};
static const struct argp argp = {.options = options, .parser = parse_option, .children = children};

/* The caller frees it. */
static char *unit_of(const struct arguments *arguments, const struct input *input)
{
	bool is_own = input->is_recording && input->view.type.unit != UNIT_COUNT;
	const char *unit = arguments->diff.weighs_counts ? "counts"
			   : input->is_time              ? "s"
			   : is_own                      ? input_unit(input)
							 : "counts";

	if (arguments->diff.scale == DIFF_SHARE)
		return xstrdup("%");
	return xasprintf("%s%s", unit, arguments->diff.scale == DIFF_RAW ? "" : "/s");
}

static int write_output(const struct diff *diff, const struct arguments *arguments,
	const struct input *sides, const struct diff_text *text)
{
	static int (*const writers[OUTPUT_FORMATS])(const struct diff *diff,
		const struct diff_text *text, FILE *out, struct why *why) = {
		[OUTPUT_SVG] = diff_picture_write, [OUTPUT_FOLDED] = diff_folded_write};
	struct output output;
	struct why why = {""};
	struct privacy privacy = privacy_of_both(&sides[0].privacy, &sides[1].privacy);
	int error = output_open(arguments->stacks.output, &privacy, &output, &why);
	if (error)
		return fail(STATUS_USAGE, "%s", why.text);
	error = writers[arguments->stacks.format](diff, text, output.stream, &why);
	if (!error)
		error = output_finish(&output, &why);
	else
		output_abandon(&output);
	return error ? fail(STATUS_USAGE, "%s", why.text) : STATUS_DONE;
}

static int gate(const struct diff *diff, const diff_functions *functions, double limit)
{
	double worst = diff_worst_growth(diff, functions);

	if (limit < 0 || worst <= limit)
		return STATUS_DONE;
	return fail(STATUS_NOTHING,
		"a function grew by %.1f %% of the total before; %.1f %% is allowed", 100 * worst,
		100 * limit);
}

/* What of the recordings is not compared, in words; NULL: nothing. The caller frees it. */
static char *aside_words(const struct input *sides)
{
	char before[UNITS_ROOM], after[UNITS_ROOM];

	if (!sides[0].idle_ns && !sides[1].idle_ns)
		return NULL;
	return xasprintf("idle time is set aside, %s before and %s after (--idle show)",
		units_duration(sides[0].idle_ns, before), units_duration(sides[1].idle_ns, after));
}

static int show(
	const struct diff *diff, const struct arguments *arguments, const struct input *sides)
{
	_cleanup_free_ char *unit = unit_of(arguments, &sides[0]);
	_cleanup_free_ char *aside = aside_words(sides);
	_cleanup_free_ char *title =
		sides[1].slow
			? xasprintf("Differential Flame Graph: slow calls of %s", sides[1].slow)
			: NULL;
	const struct diff_options *asked = &arguments->diff;
	bool has_facts = sides[0].is_recording && sides[1].is_recording && sides[0].is_time;
	struct diff_text text = {.before = arguments->files[0],
		.after = arguments->files[1],
		.what = input_name(&sides[0]),
		.unit = unit,
		.more_is_slower = !sides[0].is_recording || sides[0].is_time,
		.factor = arguments->diff.scale == DIFF_SHARE ? 100 : 1,
		.top = arguments->top,
		.width = arguments->width ? arguments->width : terminal_columns(TABLE_WIDTH),
		.what_time = !sides[0].is_recording ? ""
			     : asked->weighs_counts ? sides[0].view.type.counts
						    : sides[0].view.type.weight,
		.per = asked->scale == DIFF_PER_SECOND ? "per second of recording" : "",
		.is_time =
			asked->scale != DIFF_SHARE && !asked->weighs_counts && !asked->is_no_time,
		.is_raw = asked->scale == DIFF_RAW,
		.title = arguments->title ? arguments->title : title,
		.facts = has_facts ? &arguments->facts : NULL,
		.calls = &arguments->calls,
		.aside = aside};
	diff_functions functions;
	struct json json;
	int status = STATUS_DONE;

	if (!text.what[0])
		text.what = "weights";
	diff_rank(diff, &functions);
	if (arguments->stacks.output)
		status = write_output(diff, arguments, sides, &text);
	if (!status && arguments->stacks.is_folded && !arguments->stacks.output) {
		struct why unused;
		diff_folded_write(diff, &text, stdout, &unused);
	} else if (!status && arguments->is_json) {
		json_init(&json, stdout);
		diff_json(&json, diff, &functions, &text);
		json_end(&json);
	} else if (!status) {
		diff_print(stdout, diff, &functions, &text);
	}
	status = finish_stdout(status);
	if (!status)
		status = gate(diff, &functions, arguments->fail_above);
	vec_clear(&functions);
	return status;
}

static bool is_empty(const struct input *input, const struct arguments *arguments)
{
	return !(arguments->diff.weighs_counts ? tree_total_count(&input->tree)
					       : tree_total_weight(&input->tree));
}

/* Says when the two are not of one kind, and settles what the default scale is. */
static int check_sides(struct arguments *arguments, const struct input *sides)
{
	/* A gate has 1 for what it found. */
	for (size_t i = 0; i < 2; i++)
		if (sides[i].nothing)
			return fail(arguments->fail_above < 0 ? STATUS_NOTHING : STATUS_USAGE,
				"%s: nothing to compare: no time of %s passes the filters: %s",
				arguments->files[i], sides[i].view.type.name, sides[i].nothing);
	for (size_t i = 0; i < 2; i++)
		if (is_empty(&sides[i], arguments))
			return fail(STATUS_USAGE, "%s is empty: there is nothing to compare with",
				arguments->files[i]);
	if (sides[0].is_recording && sides[1].is_recording &&
		strcmp(sides[0].view.type.name, sides[1].view.type.name))
		return fail(STATUS_USAGE,
			"not comparable: %s shows %s, %s shows %s; say which --view",
			arguments->files[0], sides[0].view.type.name, arguments->files[1],
			sides[1].view.type.name);
	const char *units[2] = {input_unit(&sides[0]), input_unit(&sides[1])};
	if (sides[0].is_time != sides[1].is_time || strcmp(units[0], units[1]))
		return fail(STATUS_USAGE, "not comparable: %s holds %s, %s holds %s",
			arguments->files[0], units[0][0] ? units[0] : "weights",
			arguments->files[1], units[1][0] ? units[1] : "weights");
	arguments->diff.is_no_time = !sides[0].is_time;
	bool has_windows = sides[0].window_ns && sides[1].window_ns;
	/* What lives at the end is no rate. */
	if (!arguments->has_scale && sides[0].is_recording &&
		sides[0].view.type.kind == MEASURE_LIVE)
		arguments->diff.scale = DIFF_RAW;
	if (!arguments->has_scale && !has_windows)
		arguments->diff.scale = DIFF_SHARE;
	if (arguments->diff.scale == DIFF_PER_SECOND && !has_windows)
		return fail(STATUS_USAGE,
			"text has no window to divide by; compare with --normalize total or --raw");
	return STATUS_DONE;
}

/* The side that is being read. */
struct side_facts {
	struct arguments *arguments;
	bool is_after;
};

static int gather_facts(struct recording *recording, const struct input *input,
	const struct view_filter *filter, void *context, struct why *why)
{
	const struct side_facts *side = context;
	struct arguments *arguments = side->arguments;
	struct diff_side measured = {&input->tree, input->window_ns};

	int error = diff_calls_add(&arguments->calls, recording, filter, side->is_after, why);
	if (error || !input->is_time)
		return error;
	return diff_facts_add(&arguments->facts, recording, &input->view.type, filter,
		arguments->stacks.is_roots_only, &arguments->diff,
		diff_divisor(&measured, &arguments->diff), side->is_after, why);
}

static int compare(struct arguments *arguments)
{
	struct input sides[2];
	struct diff diff;
	struct why why = {""};
	size_t read = 0;
	int status = stack_options_settle(&arguments->stacks, &arguments->view);

	arguments->view.shape.keeps_objects = true;
	arguments->diff.weighs_counts = arguments->stacks.weighs_counts;
	for (; read < 2 && !status; read++) {
		struct side_facts facts = {arguments, read == 1};
		struct input_asked asked = {
			.view = arguments->stacks.has_view ? arguments->stacks.view : NULL,
			.filter = &arguments->view.filter,
			.shape = &arguments->view.shape,
			.has_full_names = arguments->stacks.has_full_names,
			.visit = gather_facts,
			.context = &facts};
		int error = input_read(arguments->files[read], &asked, &sides[read], &why);
		if (error) {
			status = fail_reading(error, &why);
			break;
		}
		say_losses(arguments->files[read], &sides[read]);
	}
	if (!status)
		status = check_sides(arguments, sides);
	if (!status) {
		struct diff_side before = {&sides[0].tree, sides[0].window_ns};
		struct diff_side after = {&sides[1].tree, sides[1].window_ns};
		diff_make(&before, &after, &arguments->diff, &diff);
		diff_facts_rank(&arguments->facts);
		status = show(&diff, arguments, sides);
		diff_clear(&diff);
	}
	while (read--)
		input_clear(&sides[read]);
	diff_facts_clear(&arguments->facts);
	diff_calls_clear(&arguments->calls);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {
		.stacks.view = "offcpu", .top = DEFAULT_TOP, .fail_above = -1};
	int status;

	view_options_init(&arguments.view);
	arguments.view.filter.idle = IDLE_HIDE;
	status = options_parse(command, &argp, 0, argc, argv, &arguments);
	if (status == OPTIONS_GO_ON && arguments.is_json && arguments.stacks.is_folded &&
		!arguments.stacks.output)
		status = fail(STATUS_USAGE, "-f and --json both go to stdout; give -o FILE for -f");
	if (status == OPTIONS_GO_ON) {
		if (!arguments.file_count) {
			arguments.files[0] = RECORD_OLD_FILE;
			arguments.files[1] = RECORD_DEFAULT_FILE;
			status = compare(&arguments);
		} else if (arguments.file_count == 1) {
			status = fail(STATUS_USAGE, "give two files, or none to compare "
						    "last.dwell.old with last.dwell");
		} else {
			status = compare(&arguments);
		}
	}
	view_options_clear(&arguments.view);
	return status;
}

const struct command cmd_diff = {
	.name = "diff",
	.usage = "[BEFORE AFTER] [--view VIEW] [-o OUT.svg|OUT.folded] [-f] [OPTION...]",
	.summary = "What became slower, faster, new or gone between two recordings",
	.examples =
		"  dwell diff                             last.dwell.old and last.dwell\n"
		"  dwell diff a.dwell b.dwell --view oncpu -o diff.svg\n"
		"                                         the same for running time, as a picture\n"
		"  dwell diff a.folded b.folded           two files of another tool\n"
		"  dwell diff a.dwell b.dwell --fail-above 5%\n"
		"                                         a gate: exit 1 on a regression\n",
	.argp = &argp,
	.run = run,
};
