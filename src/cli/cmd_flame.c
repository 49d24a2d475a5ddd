// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell flame: stacks with weights, as folded text. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/view_options.h"
#include "format/folded.h"
#include "util/units.h"

enum {
	KEY_VIEW = 0x2000,
	KEY_WEIGHT,
	KEY_UNIT,
	KEY_SUFFIXES,
};

struct arguments {
	struct view_options view;
	struct folded_options folded;
	enum view kind;
	const char *unit;
	const char *file;
	const char *output;
	bool is_to_stdout;
};

static const struct argp_option options[] = {
	{.doc = "What is written:"},
	{.key = KEY_VIEW,
		.name = "view",
		.arg = "VIEW",
		.doc = "offcpu (default), oncpu, runq or hotcold"},
	{.key = 'f', .name = "folded", .doc = "folded text to stdout"},
	{.key = 'o', .name = "output", .arg = "OUT.folded", .doc = "folded text to a file"},
	{.key = KEY_WEIGHT,
		.name = "weight",
		.arg = "time|count",
		.doc = "time (default), or how many waits or samples"},
	{.key = KEY_UNIT, .name = "unit", .arg = "ns|us|ms", .doc = "of time; default us"},
	{.key = KEY_SUFFIXES,
		.name = "suffixes",
		.doc = "mark frames: _[k] kernel, _[j] code without a file"},
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

static error_t parse_weight(const char *value, struct folded_options *folded)
{
	folded->weighs_counts = !strcmp(value, "count");
	if (folded->weighs_counts || !strcmp(value, "time"))
		return 0;
	fail(STATUS_USAGE, "flame: --weight %s: unknown; give time or count", value);
	return EINVAL;
}

static error_t parse_output(const char *value, struct arguments *arguments)
{
	const char *dot = strrchr(value, '.');

	if (!dot || strcmp(dot, ".folded")) {
		fail(STATUS_USAGE,
			"flame: -o %s: pictures come with a later version; write .folded", value);
		return EINVAL;
	}
	arguments->output = value;
	return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->view;
		return 0;
	case KEY_VIEW:
		return view_options_parse_view("flame", value, &arguments->kind);
	case KEY_WEIGHT:
		return parse_weight(value, &arguments->folded);
	case KEY_UNIT:
		return parse_unit(value, arguments);
	case KEY_SUFFIXES:
		arguments->view.shape.has_suffixes = true;
		return 0;
	case 'f':
		arguments->is_to_stdout = true;
		return 0;
	case 'o':
		return parse_output(value, arguments);
	case ARGP_KEY_ARG:
		if (arguments->file) {
			fail(STATUS_USAGE, "flame: one recording at a time; %s is too many", value);
			return EINVAL;
		}
		arguments->file = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &view_options_argp}, {0}};
static const struct argp argp = {.options = options, .parser = parse_option, .children = children};

/* As a file that the user had made by hand: by umask, and the invoking user's under sudo. */
static void make_ordinary(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask))
		return;
	if (uid && gid && !geteuid() &&
		fchown(fd, (uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10)))
		return;
}

/* Through a temporary file beside it, so that what was there stays until the new one is whole. */
static int write_file(const struct tree *tree, const struct arguments *arguments)
{
	_cleanup_free_ char *temporary = xasprintf("%s.XXXXXX", arguments->output);
	_cleanup_close_ int fd = mkostemp(temporary, O_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	int error = 0;

	if (!out) {
		error = errno;
	} else {
		make_ordinary(fd);
		folded_write(tree, &arguments->folded, out);
		errno = 0;
		if (fflush(out) || ferror(out))
			error = errno ? errno : EIO;
		if (fclose(out) && !error)
			error = errno;
		if (!error && rename(temporary, arguments->output))
			error = errno;
	}
	if (!error)
		return STATUS_DONE;
	if (fd >= 0)
		unlink(temporary);
	return fail(STATUS_USAGE, "cannot write %s: %s", arguments->output, strerror(error));
}

static int nothing_to_show(
	const struct profile *profile, const struct arguments *arguments, const char *path)
{
	if (tree_total_ns(&profile->tree) && !arguments->folded.weighs_counts)
		return fail(STATUS_NOTHING,
			"%s: nothing to show: all %s time is less than one %s; try a smaller "
			"--unit",
			path, view_name(arguments->kind), arguments->unit);
	return fail(STATUS_NOTHING, "%s: nothing to show: %s %s passes the filters", path,
		arguments->folded.weighs_counts ? "no wait or sample of" : "no time of",
		view_name(arguments->kind));
}

static int write_profile(
	const struct profile *profile, const struct arguments *arguments, const char *path)
{
	const struct view_filter *filter = &arguments->view.filter;
	uint64_t total = arguments->folded.weighs_counts
				 ? tree_total_count(&profile->tree)
				 : tree_total_ns(&profile->tree) / arguments->folded.unit_ns;

	if (!total)
		return nothing_to_show(profile, arguments, path);
	if (profile->has_range &&
		(profile->from_ns != filter->from_ns ||
			(profile->to_ns != filter->to_ns && filter->to_ns != UINT64_MAX)))
		fprintf(stderr, "dwell: showing %.3f s to %.3f s: the range in whole slices\n",
			(double)profile->from_ns / 1e9, (double)profile->to_ns / 1e9);
	if (arguments->output)
		return write_file(&profile->tree, arguments);
	folded_write(&profile->tree, &arguments->folded, stdout);
	return finish_stdout(STATUS_DONE);
}

static int print_view(const struct arguments *arguments)
{
	const char *path = arguments->file ? arguments->file : VIEW_DEFAULT_FILE;
	struct recording *recording = NULL;
	struct profile profile;
	struct why why = {""};
	int status;

	if (arguments->is_to_stdout && arguments->output)
		return fail(STATUS_USAGE, "flame: -f and -o exclude each other");
	if (!arguments->output && !arguments->is_to_stdout && isatty(STDOUT_FILENO))
		return fail(STATUS_USAGE,
			"flame: say where to: -f for folded text on the terminal, "
			"or -o OUT.folded");
	if (recording_open(path, &recording, &why))
		return fail(STATUS_USAGE, "%s", why.text);
	if (profile_of_view(recording, arguments->kind, &arguments->view.filter,
		    &arguments->view.shape, &profile, &why)) {
		status = fail(STATUS_USAGE, "%s", why.text);
	} else {
		status = write_profile(&profile, arguments, path);
		profile_clear(&profile);
	}
	recording_free(recording);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {
		.kind = VIEW_OFFCPU, .unit = "us", .folded = {.unit_ns = NS_PER_US}};
	int status;

	view_options_init(&arguments.view);
	status = options_parse(command, &argp, 0, argc, argv, &arguments);
	if (status == OPTIONS_GO_ON)
		status = print_view(&arguments);
	view_options_clear(&arguments.view);
	return status;
}

const struct command cmd_flame = {
	.name = "flame",
	.usage = "[FILE] [--view VIEW] [-f | -o OUT.folded] [OPTION...]",
	.summary = "Stacks with weights, as folded text, from a recording (default: last.dwell)",
	.examples = "  dwell flame -f | flamegraph.pl --colors io > off.svg\n"
		    "                                      off-CPU time as a picture\n"
		    "  dwell flame --view oncpu -o on.folded\n"
		    "                                      running time, to a file\n"
		    "  dwell flame --state blocked --idle hide -f\n"
		    "                                      blocked time of threads that have work\n"
		    "  dwell flame --view hotcold --by thread -n 'http*' -f\n"
		    "                                      all time of some threads in one tree\n",
	.run = run,
};
