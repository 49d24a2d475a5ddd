// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell import: other tools' files as a recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "format/import.h"
#include "model/hop.h"
#include "model/loss.h"
#include "util/units.h"
#include "util/vec.h"

enum {
	KEY_AS = 0x2000,
	KEY_UNIT,
	KEY_HZ,
	KEY_SLICE,
	KEY_DEPTH,
	KEY_FULL_NAMES,
};

/* As dwell record has it. */
#define DEFAULT_DEPTH 8

struct arguments {
	struct import_options options;
	VEC(const char *) files;
	const char *output;
	bool is_quiet;
};

static const struct argp_option options[] = {
	{.doc = "What is written:"},
	{.key = 'o', .name = "output", .arg = "OUT.dwell", .doc = "the recording to make"},
	{.key = KEY_SLICE,
		.name = "slice",
		.arg = "TIME",
		.doc = "length of a slice of scheduler traces; default 1s"},
	{.key = KEY_DEPTH,
		.name = "depth",
		.arg = "N",
		.doc = "hops kept of each wake chain, 0 to 16; default 8"},
	{.key = KEY_FULL_NAMES,
		.name = "full-names",
		.doc = "keep parameters and return types in names"},
	{.key = 'q', .name = "quiet", .doc = "say nothing but errors"},
	{.doc = "What the files do not say:"},
	{.key = KEY_AS,
		.name = "as",
		.arg = "running|blocked",
		.doc = "what stacks without events are; default running"},
	{.key = KEY_UNIT,
		.name = "unit",
		.arg = "ns|us|ms|s|samples",
		.doc = "of their counts; default: what the file says, "
		       "else us for blocked, samples for running"},
	{.key = KEY_HZ, .name = "hz", .arg = "N", .doc = "samples were taken N times a second"},
	{0},
};

static error_t refuse(const char *option, const char *value, const char *wanted)
{
	fail(STATUS_USAGE, "import: %s %s: unknown; give %s", option, value, wanted);
	return EINVAL;
}

static error_t parse_as(const char *value, struct import_options *ret)
{
	if (state_from_name(value, &ret->state) &&
		(ret->state == TIME_RUNNING || ret->state == TIME_BLOCKED))
		return 0;
	return refuse("--as", value, "running or blocked");
}

static error_t parse_unit(const char *value, struct import_options *ret)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}, {"s", NS_PER_S}, {"samples", 0}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(value, units[i].name)) {
			ret->unit_ns = units[i].ns;
			return 0;
		}
	return refuse("--unit", value, "ns, us, ms, s or samples");
}

static error_t parse_hz(const char *value, uint32_t *ret)
{
	char *end;
	unsigned long hz = strtoul(value, &end, 10);

	if (*end || end == value || *value == '-' || !hz || hz > 1000000)
		return refuse("--hz", value, "a number from 1 to 1000000");
	*ret = (uint32_t)hz;
	return 0;
}

static error_t parse_depth(const char *value, uint32_t *ret)
{
	char *end;
	unsigned long depth = strtoul(value, &end, 10);

	if (*end || end == value || *value == '-' || depth > CONTRACT_MAX_HOPS)
		return refuse("--depth", value, "a number from 0 to 16");
	*ret = (uint32_t)depth;
	return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		arguments->output = value;
		return 0;
	case 'q':
		arguments->is_quiet = true;
		return 0;
	case KEY_FULL_NAMES:
		arguments->options.has_full_names = true;
		return 0;
	case KEY_AS:
		return parse_as(value, &arguments->options);
	case KEY_UNIT:
		return parse_unit(value, &arguments->options);
	case KEY_HZ:
		return parse_hz(value, &arguments->options.sample_hz);
	case KEY_DEPTH:
		return parse_depth(value, &arguments->options.chain_depth);
	case KEY_SLICE:
		if (units_parse_duration(value, &arguments->options.slice_ns) ||
			arguments->options.slice_ns < NS_PER_MS)
			return refuse("--slice", value, "a time from 1ms on");
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&arguments->files, value);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {.options = options, .parser = parse_option};

static int read_file(struct import *import, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	_cleanup_fclose_ FILE *opened = is_stdin ? NULL : fopen(path, "re");
	FILE *in = is_stdin ? stdin : opened;
	struct why why = {""};
	struct stat status;

	if (!in)
		return fail(STATUS_USAGE, "cannot read %s: %s", path, strerror(errno));
	if (!fstat(fileno(in), &status) && S_ISDIR(status.st_mode))
		return fail(STATUS_USAGE, "cannot read %s: it is a folder", path);
	if (import_read(import, in, &why))
		return fail(STATUS_USAGE, "cannot import %s: %s", path, why.text);
	return STATUS_DONE;
}

/* A file that is read must not be the one that is written. */
static int check_output(const struct arguments *arguments)
{
	struct stat out, in;

	if (stat(arguments->output, &out))
		return STATUS_DONE;
	for (size_t i = 0; i < arguments->files.count; i++)
		if (!stat(arguments->files.at[i], &in) && in.st_ino == out.st_ino &&
			in.st_dev == out.st_dev)
			return fail(STATUS_USAGE, "import: -o %s is one of the files to read",
				arguments->output);
	return STATUS_DONE;
}

static void say_skipped(const struct import *import)
{
	char *words = skipped_words(import_skipped(import));

	if (words)
		fail(0, "%s", words);
	free(words);
}

/* "1 switch", "12 switches" */
static void say_count(uint64_t count, const char *one, const char *many)
{
	char room[UNITS_ROOM];

	fprintf(stderr, "%s %s", units_count(count, room), count == 1 ? one : many);
}

/* "dwell: counts page-faults, cycles: dwell flame a.dwell --view page-faults" */
static void say_measures(const struct import *import, const char *path)
{
	const char *first = import_measure(import, 0), *name = first;

	if (!first)
		return;
	fputs("dwell: counts ", stderr);
	for (size_t i = 0; name; name = import_measure(import, ++i))
		fprintf(stderr, "%s%s", i ? ", " : "", name);
	fprintf(stderr, ": dwell flame %s --view %s -o OUT.svg\n", path, first);
}

static void say_loss(enum loss loss, uint64_t count)
{
	char room[UNITS_ROOM];

	if (count)
		fail(0, "%s: %s %s", loss_is_serious(loss) ? "lost" : "noted",
			units_count(count, room), loss_words(loss, "", count));
}

static void say_summary(
	const struct import *import, const struct import_summary *summary, const char *path)
{
	char room[UNITS_ROOM];

	fputs("dwell: imported ", stderr);
	if (summary->switches)
		say_count(summary->switches, "switch", "switches");
	else if (summary->samples || import_measure(import, 0))
		say_count(summary->samples + summary->events, "sample", "samples");
	else
		say_count(summary->stacks, "stack or wait", "stacks or waits");
	fputs(" of ", stderr);
	say_count(summary->threads, "thread", "threads");
	if (!summary->is_partial)
		fprintf(stderr, " in %s", units_duration(summary->window_ns, room));
	else if (summary->accounted_ns)
		fprintf(stderr, ", %s of their time", units_duration(summary->accounted_ns, room));
	fprintf(stderr, ", into %s", path);
	if (!summary->is_partial && summary->expected_ns)
		fprintf(stderr, "; accounted %.3f %%",
			100.0 * (double)summary->accounted_ns / (double)summary->expected_ns);
	if (summary->sample_ns)
		fprintf(stderr, "; a sample is taken for %s (--hz)",
			units_duration(summary->sample_ns, room));
	fputc('\n', stderr);
	say_loss(LOSS_OTHER_SAMPLES, summary->other_samples);
	say_loss(LOSS_TOO_LARGE, summary->too_large);
	say_measures(import, path);
}

static int import_files(const struct arguments *arguments)
{
	struct import *import = import_new(&arguments->options);
	struct import_summary summary;
	struct why why = {""};
	int status = check_output(arguments);

	for (size_t i = 0; status == STATUS_DONE && i < arguments->files.count; i++)
		status = read_file(import, arguments->files.at[i]);
	if (status == STATUS_DONE) {
		int error = import_write(import, arguments->output, &summary, &why);
		if (error)
			status = fail(
				error == -ENODATA ? STATUS_NOTHING : STATUS_USAGE, "%s", why.text);
		if (!arguments->is_quiet)
			say_skipped(import);
		if (!error && !arguments->is_quiet)
			say_summary(import, &summary, arguments->output);
	}
	import_free(import);
	return status;
}

static char *join(int argc, char **argv)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return xstrdup("dwell import");
	fputs("dwell", out);
	for (int i = 0; i < argc; i++)
		fprintf(out, " %s", argv[i]);
	fclose(out);
	return line;
}

static int run(const struct command *command, int argc, char **argv)
{
	_cleanup_free_ char *line = join(argc, argv);
	struct arguments arguments = {.options = {.state = TIME_RUNNING,
					      .slice_ns = NS_PER_S,
					      .chain_depth = DEFAULT_DEPTH,
					      .command_line = line}};
	int status = options_parse(command, &argp, 0, argc, argv, &arguments);

	if (status == OPTIONS_GO_ON) {
		if (!arguments.files.count)
			status = fail(STATUS_USAGE,
				"import: name the files to read (- is stdin); see dwell import -h");
		else if (!arguments.output)
			status = fail(STATUS_USAGE, "import: say where to: -o OUT.dwell");
		else
			status = import_files(&arguments);
	}
	vec_clear(&arguments.files);
	return status;
}

const struct command cmd_import = {
	.name = "import",
	.usage = "FILE... -o OUT.dwell [OPTION...]",
	.summary = "Make a recording of text of perf script, bpftrace, bcc, folded",
	.examples = "  perf record -e sched:sched_switch -e sched:sched_waking -a -g -- sleep 5\n"
		    "  perf script --ns --show-lost-events -F +pid,+ip,+sym,+dso |\n"
		    "  dwell import - -o a.dwell\n"
		    "                                      a host without BPF, in full\n"
		    "  dwell import perf.txt.gz -o a.dwell  CPU samples as running time\n"
		    "  dwell import --as blocked off.folded -o a.dwell\n"
		    "                                      folded stacks in microseconds\n",
	.argp = &argp,
	.run = run,
};
