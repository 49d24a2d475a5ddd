// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell flame: stacks with weights, as a picture or as folded text. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/picture_options.h"
#include "cli/stack_options.h"
#include "format/folded.h"
#include "profile/estimate.h"
#include "util/units.h"

enum {
	KEY_UNIT = 0x2000,
	KEY_SUFFIXES,
};

struct arguments {
	struct view_options view;
	struct stack_options stacks;
	struct picture_options picture;
	struct folded_options folded;
	const char *unit;
	const char *file;
};

static const struct argp_option options[] = {
	{.doc = "How they are written:"},
	{.key = KEY_UNIT, .name = "unit", .arg = "ns|us|ms", .doc = "of time; default us"},
	{.key = KEY_SUFFIXES,
		.name = "suffixes",
		.doc = "mark frames: _[k] kernel, _[i] inlined, _[j] code without a file"},
	{0},
};

static error_t parse_unit(const char *value, struct arguments *arguments)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(value, units[i].name)) {
			arguments->folded.unit_ns = units[i].ns;
			arguments->unit = units[i].name;
			return 0;
		}
	fail(STATUS_USAGE, "flame: --unit %s: unknown; give ns, us or ms", value);
	return EINVAL;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->stacks;
		state->child_inputs[1] = &arguments->view;
		state->child_inputs[2] = &arguments->picture;
		return 0;
	case KEY_UNIT:
		return parse_unit(value, arguments);
	case KEY_SUFFIXES:
		arguments->view.shape.has_suffixes = true;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->file) {
			fail(STATUS_USAGE, "flame: one file at a time; %s is too many", value);
			return EINVAL;
		}
		arguments->file = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &stack_options_argp, .group = -1},
	{.argp = &view_options_argp}, {.argp = &picture_options_argp}, {0}};
static const struct argp argp = {.options = options, .parser = parse_option, .children = children};

static int nothing_to_show(
	const struct input *input, const struct arguments *arguments, const char *path)
{
	if (!input->is_recording)
		return fail(STATUS_NOTHING, "%s: nothing to show: no stack weighs anything", path);
	const struct view_type *view = &input->view.type;
	bool is_measure = view->id == VIEW_MEASURE;
	if (tree_total_weight(&input->tree) && !arguments->folded.weighs_counts)
		return fail(STATUS_NOTHING,
			"%s: nothing to show: all %s%s is less than one %s; try a smaller --unit",
			path, is_measure ? "time of " : view->name,
			is_measure ? view->weight : " time", arguments->unit);
	const char *nothing = input->nothing ? input->nothing : "";
	const char *colon = input->nothing ? ": " : "";
	if (is_measure)
		return fail(STATUS_NOTHING, "%s: nothing to show: no %s %s%s%s", path,
			view->counted,
			view_filter_is_open(&arguments->view.filter) ? "was seen"
								     : "passes the filters",
			colon, nothing);
	char room[UNITS_ROOM];
	if (input->idle_ns)
		return fail(STATUS_NOTHING,
			"%s: nothing to show but idle time, %s of it: see it with --idle show",
			path, units_duration(input->idle_ns, room));
	return fail(STATUS_NOTHING, "%s: nothing to show: %s %s passes the filters%s%s", path,
		arguments->folded.weighs_counts ? "no wait or sample of" : "no time of", view->name,
		colon, nothing);
}

/* What the reader has to know that is not in the output. */
static void say_oddities(
	const struct input *input, const struct arguments *arguments, const char *path)
{
	const struct view_filter *filter = &arguments->view.filter;
	char room[UNITS_ROOM];

	say_losses(path, input);
	if (input->is_recording && !arguments->stacks.has_view &&
		input->view.type.id != VIEW_OFFCPU)
		fprintf(stderr, "dwell: %s tells of no waits: showing --view %s\n", path,
			input->view.type.name);
	if (input->hidden_threads)
		fprintf(stderr,
			"dwell: --roots hides %zu thread%s with %s of blocked time, seen in the "
			"chains of others\n",
			input->hidden_threads, input->hidden_threads == 1 ? "" : "s",
			units_duration(input->hidden_ns, room));
	if (input->has_range &&
		(input->from_ns != filter->from_ns ||
			(input->to_ns != filter->to_ns && filter->to_ns != UINT64_MAX)))
		fprintf(stderr, "dwell: showing %.3f s to %.3f s: the range in whole slices\n",
			(double)input->from_ns / 1e9, (double)input->to_ns / 1e9);
}

/* Two columns: boxes are as wide as the larger one, so that what is gone is still to be seen. */
static void compare_columns(struct input *input, uint64_t *after, struct flame_options *flame)
{
	while (input->before.count < input->tree.nodes.count)
		vec_push(&input->before, 0);
	for (size_t i = 0; i < input->tree.nodes.count; i++) {
		struct tree_node *node = &input->tree.nodes.at[i];
		after[i] = node->self_weight;
		if (node->self_weight < input->before.at[i])
			node->self_weight = input->before.at[i];
	}
	flame->before = input->before.at;
	flame->after = after;
}

/* Tells the picture what weights are: nanoseconds, or numbers of something that has a name. */
static void fit_weights(
	const struct input *input, struct arguments *arguments, struct flame_options *flame)
{
	bool is_time = input->is_time && !arguments->folded.weighs_counts;

	flame->weighs_counts = arguments->folded.weighs_counts;
	flame->is_time = is_time && !flame->count_name;
	if (is_time)
		flame->total *= arguments->folded.unit_ns;
	if (is_time && flame->count_name)
		flame->factor /= (double)arguments->folded.unit_ns;
	if (is_time || flame->count_name)
		return;
	const struct view_type *view = &input->view.type;
	const char *unit = input_unit(input);
	bool is_counted = arguments->folded.weighs_counts || view->unit == UNIT_COUNT;
	if (!input->is_recording && arguments->folded.weighs_counts)
		unit = input_count_word(input);
	if (!input->is_recording || !is_counted)
		flame->count_name = unit[0] ? unit : NULL;
	else
		flame->count_name = view->counts;
}

static int write_picture(
	struct input *input, struct arguments *arguments, const char *path, FILE *out)
{
	_cleanup_free_ uint64_t *after =
		xcalloc(input->tree.nodes.count, sizeof(*input->before.at));
	char room[UNITS_ROOM], hidden_room[UNITS_ROOM], error_text[ESTIMATE_ROOM];
	_cleanup_free_ char *hidden =
		input->hidden_threads ? xasprintf("; %zu more threads, blocked %s, are seen as "
						  "wakers only",
						input->hidden_threads,
						units_duration(input->hidden_ns, hidden_room))
				      : xstrdup("");
	estimate_text(tree_total_count(&input->tree), tree_total_samples(&input->tree), error_text);
	/* Pictures are passed on; where the file was is nobody's business. */
	_cleanup_free_ char *idle = stack_options_idle(input);
	_cleanup_free_ char *subtitle = xasprintf("%s, %s%s%s%s%s%s%s%s", basename(path),
		units_duration(input->window_ns, room), error_text[0] ? ";" : "", error_text,
		idle ? "; " : "", idle ? idle : "", hidden, input->losses ? "; " : "",
		input->losses ? input->losses : "");
	struct picture_options *picture = &arguments->picture;
	struct why why = {""};
	int error;

	_cleanup_free_ char *title =
		input->slow ? xasprintf("%s: slow calls of %s", input->view.type.title, input->slow)
			    : NULL;
	if (title && !picture->flame.title)
		picture->flame.title = title;
	if (input->is_recording)
		picture_options_suit(picture, &input->view.type);
	if (input->is_recording && !picture->flame.subtitle)
		picture->flame.subtitle = subtitle;
	/* Of several events in one text. */
	else if (input->told.events.count > 1 && !picture->flame.subtitle)
		picture->flame.subtitle = input_name(input);
	if (input->before.count)
		compare_columns(input, after, &picture->flame);
	fit_weights(input, arguments, &picture->flame);
	picture->flame.parts = &input->parts;
	error = flame_svg_write(&input->tree, &picture->flame, out, &why);
	if (!error)
		error = picture_options_keep_colors(picture, &input->privacy, &why);
	return error ? fail(STATUS_USAGE, "%s: %s", path, why.text) : STATUS_DONE;
}

static int write_folded(
	struct input *input, struct arguments *arguments, const char *path, FILE *out)
{
	(void)path;
	folded_write(&input->tree, &arguments->folded, out);
	return STATUS_DONE;
}

static int write_stacks(
	struct input *input, struct arguments *arguments, const char *path, FILE *out)
{
	static int (*const writers[OUTPUT_FORMATS])(struct input * input,
		struct arguments * arguments, const char *path,
		FILE *out) = {[OUTPUT_SVG] = write_picture, [OUTPUT_FOLDED] = write_folded};

	return writers[arguments->stacks.format](input, arguments, path, out);
}

static int write_input(struct input *input, struct arguments *arguments, const char *path)
{
	struct output output;
	struct why why = {""};
	int status;

	if (!arguments->stacks.output)
		return finish_stdout(write_stacks(input, arguments, path, stdout));
	if (output_open(arguments->stacks.output, &input->privacy, &output, &why))
		return fail(STATUS_USAGE, "%s", why.text);
	status = write_stacks(input, arguments, path, output.stream);
	if (status)
		output_abandon(&output);
	else if (output_finish(&output, &why))
		status = fail(STATUS_USAGE, "%s", why.text);
	return status;
}

/* Pictures have it in their subtitle; of text it is said, unless its reader has gone. */
static void say_idle(const struct input *input)
{
	_cleanup_free_ char *idle = stack_options_idle(input);

	if (idle && !ferror(stdout))
		fprintf(stderr, "dwell: %s\n", idle);
}

static int show(struct input *input, struct arguments *arguments, const char *path)
{
	uint64_t total;
	int status;

	if (!input->is_recording && !view_filter_is_open(&arguments->view.filter))
		return fail(STATUS_USAGE,
			"%s is text: filters need a recording; make one with dwell import", path);
	if (arguments->picture.flame.is_chart && arguments->stacks.has_view)
		return fail(STATUS_USAGE,
			"flame: --view %s is for recordings; --flamechart shows text as it is",
			arguments->stacks.view);
	if (!input->is_time)
		arguments->folded.unit_ns = 1;
	total = arguments->folded.weighs_counts
			? tree_total_count(&input->tree)
			: tree_total_weight(&input->tree) / arguments->folded.unit_ns;
	say_oddities(input, arguments, path);
	if (!total && !input->before.count)
		return nothing_to_show(input, arguments, path);
	status = write_input(input, arguments, path);
	if (!status && arguments->stacks.format == OUTPUT_FOLDED)
		say_idle(input);
	return status;
}

/* What the user asks that only a recording can answer; NULL if nothing. */
static const char *recording_question(const struct arguments *arguments)
{
	if (arguments->stacks.has_view)
		return "--view is";
	if (arguments->view.has_by)
		return "--by is";
	return view_filter_is_open(&arguments->view.filter) ? NULL : "filters are";
}

/*
 * Without a file: what is piped in, or else the last recording. A pipe may as well be there by
 * accident, inside a loop that reads from one: so it is never read silently, nor passed over
 * silently, and an empty one is no reason to show something else.
 */
static int choose_input(const struct arguments *arguments, const char **ret)
{
	const char *question = recording_question(arguments);
	struct stat stdin_is;
	int first;

	*ret = arguments->file ? arguments->file : VIEW_DEFAULT_FILE;
	if (arguments->file || fstat(STDIN_FILENO, &stdin_is) || !S_ISFIFO(stdin_is.st_mode))
		return STATUS_DONE;
	if (question)
		return fail(STATUS_USAGE,
			"stdin is a pipe, and %s for recordings: say which FILE, for "
			"example " VIEW_DEFAULT_FILE ", or - for stdin",
			question);
	fputs("dwell: no FILE is given and stdin is a pipe: reading stdin\n", stderr);
	first = getc(stdin);
	if (first == EOF)
		return fail(STATUS_USAGE,
			"stdin is empty: did the command before the pipe fail? For a recording say "
			"which FILE, for example " VIEW_DEFAULT_FILE);
	ungetc(first, stdin);
	*ret = "-";
	return STATUS_DONE;
}

static int read_and_show(struct arguments *arguments)
{
	const char *path;
	struct input input;
	struct why why = {""};
	int status, error;

	status = stack_options_settle(&arguments->stacks, &arguments->view);
	if (status)
		return status;
	arguments->folded.weighs_counts = arguments->stacks.weighs_counts;
	if (!arguments->stacks.output && !arguments->stacks.is_folded && isatty(STDOUT_FILENO))
		return fail(STATUS_USAGE,
			"flame: say where to: -o OUT.svg for a picture, -f for folded text on the "
			"terminal");
	status = choose_input(arguments, &path);
	if (status)
		return status;
	/* Pictures tell JIT code by it, and do not show it. */
	if (arguments->stacks.format == OUTPUT_SVG)
		arguments->view.shape.has_suffixes = true;
	struct input_asked asked = {
		.view = arguments->stacks.has_view ? arguments->stacks.view : NULL,
		.filter = &arguments->view.filter,
		.shape = &arguments->view.shape,
		.has_full_names = arguments->stacks.has_full_names};
	error = arguments->picture.flame.is_chart
			? input_read_in_order(path, arguments->stacks.has_full_names, &input, &why)
			: input_read(path, &asked, &input, &why);
	if (error)
		return fail_reading(error, &why);
	status = show(&input, arguments, strcmp(path, "-") ? path : "stdin");
	input_clear(&input);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {
		.stacks.view = "offcpu", .unit = "us", .folded = {.unit_ns = NS_PER_US}};
	int status;

	view_options_init(&arguments.view);
	arguments.view.filter.idle = IDLE_HIDE;
	picture_options_init(&arguments.picture);
	status = options_parse(command, &argp, 0, argc, argv, &arguments);
	if (status == OPTIONS_GO_ON)
		status = read_and_show(&arguments);
	view_options_clear(&arguments.view);
	picture_options_clear(&arguments.picture);
	return status;
}

const struct command cmd_flame = {
	.name = "flame",
	.usage = "[FILE|-] [--view VIEW] [-o OUT.svg|OUT.folded] [-f] [OPTION...]",
	.summary = "A flame graph or folded stacks, of a recording or of text",
	.examples = "  dwell flame -o off.svg              off-CPU time as a picture\n"
		    "  dwell flame --view oncpu -o on.folded\n"
		    "                                      running time, as folded text\n"
		    "  dwell flame --state blocked -f      blocked time as text, on the terminal\n"
		    "  dwell flame --view hotcold --by thread -n 'http*' > some.svg\n"
		    "                                      all time of some threads in one tree\n"
		    "  dwell flame --view chain --roots -o chain.svg\n"
		    "                                      who woke whom, and who woke the waker\n"
		    "  dwell flame --by comm,awaited -o for.svg\n"
		    "                                      blocked time by what it was for\n"
		    "  perf script | dwell flame --colors java > on.svg\n"
		    "                                      what another tool wrote\n",
	.argp = &argp,
	.run = run,
};
