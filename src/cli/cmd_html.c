// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell html: the whole recording as one page. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/view_options.h"
#include "profile/cube/cube.h"
#include "render/page/page.h"
#include "util/units.h"

enum {
	KEY_REDACT = 0x3000,
};

struct arguments {
	struct html_options html;
	const char *file;
};

static const struct argp_option options[] = {
	{.doc = "What is written:"},
	{.key = 'o', .name = "output", .arg = "FILE", .doc = "the page; - is stdout"},
	{.key = KEY_REDACT,
		.name = "redact",
		.doc = "leave paths, addresses, command lines, containers and the host's name out"},
	{0},
};

void html_options_init(struct html_options *html)
{
	*html = (struct html_options){0};
	view_options_init(&html->view);
	html->view.filter.idle = IDLE_HIDE;
}

void html_options_clear(struct html_options *html)
{
	view_options_clear(&html->view);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->html.view;
		return 0;
	case 'o':
		arguments->html.output = value;
		return 0;
	case KEY_REDACT:
		arguments->html.is_redacted = true;
		return 0;
	case ARGP_KEY_END:
		if (!stack_shape_is_of_waits(&arguments->html.view.shape))
			return 0;
		fail(STATUS_USAGE, "html: --by awaited: the page has a choice of things instead; "
				   "flame --by awaited has the picture");
		return EINVAL;
	case ARGP_KEY_ARG:
		if (arguments->file) {
			fail(STATUS_USAGE, "html: one recording at a time; %s is too many", value);
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

/* last.dwell becomes dwell.html; others keep their name with another ending. */
char *html_default_output(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');
	size_t length =
		dot && dot > base && !strcmp(dot, ".dwell") ? (size_t)(dot - file) : strlen(file);

	if (!strcmp(file, VIEW_DEFAULT_FILE))
		return xstrdup("dwell.html");
	return xasprintf("%.*s.html", (int)length, file);
}

/* What the page is made from, beside the figures. */
struct material {
	struct cube *cube;
	struct profile profile;
	bool has_profile;
};

static void material_clear(struct material *material)
{
	if (material->has_profile)
		profile_clear(&material->profile);
	cube_free(material->cube);
}

static int gather(const struct summed *summed, const struct html_options *html,
	struct material *material, struct why *why)
{
	struct recording *recording = summed->recording;
	const struct view_filter *filter = &html->view.filter;
	int error = cube_new(
		recording, filter, &html->view.shape, NULL, summed->summary, &material->cube, why);

	if (!error)
		error = profile_of_view(recording, view_type(VIEW_OFFCPU), filter,
			&html->view.shape, &material->profile, why);
	material->has_profile = !error;
	return error;
}

static const char *by_word(const struct html_options *html)
{
	switch (html->view.shape.by[0]) {
	case BY_PROCESS:
		return "process";
	case BY_THREAD:
		return "thread";
	case BY_NAME:
		return "name";
	case BY_CONTAINER:
		return "container";
	default:
		return "comm";
	}
}

/* What the options leave out, in words that may be passed on: what somebody looks for is a name. */
static char *redacted_filter_text(const struct html_options *html)
{
	char some[] = "some things";
	struct view_filter filter = html->view.filter;

	if (filter.thing_pattern)
		filter.thing_pattern = some;
	return view_filter_text(&filter);
}

static int write_page(const struct summed *summed, const struct material *material,
	const char *path, const char *output, const struct html_options *html, struct why *why)
{
	_cleanup_free_ char *command = xasprintf("dwell html %s", path);
	_cleanup_free_ char *filter_text = html->is_redacted ? redacted_filter_text(html) : NULL;
	struct page_options page = {.file = path,
		.command = html->command ? html->command : command,
		.by = by_word(html),
		.idle = html->view.filter.idle,
		.is_redacted = html->is_redacted,
		.filter_text = filter_text,
		.tree = &material->profile.tree};
	/* A redacted page is made to be passed on. */
	struct privacy privacy =
		html->is_redacted ? PRIVACY_OPEN : *recording_privacy(summed->recording);
	struct output file;
	int error;

	if (!strcmp(output, "-"))
		return page_write(material->cube, summed->summary, &page, stdout, why);
	error = output_open(output, &privacy, &file, why);
	if (error)
		return error;
	error = page_write(material->cube, summed->summary, &page, file.stream, why);
	if (error)
		output_abandon(&file);
	else
		error = output_finish(&file, why);
	return error;
}

int html_write_summed(
	const char *path, const struct summed *summed, const struct html_options *html)
{
	_cleanup_free_ char *output =
		html->output ? xstrdup(html->output) : html_default_output(path);
	struct material material = {0};
	struct why why = {""};
	struct stat status = {0};
	char size[UNITS_ROOM];
	int error = gather(summed, html, &material, &why);

	if (!error)
		error = write_page(summed, &material, path, output, html, &why);
	material_clear(&material);
	if (error)
		return fail(STATUS_USAGE, "%s", why.text);
	if (!strcmp(output, "-"))
		return finish_stdout(STATUS_DONE);
	if (!html->is_quiet && !stat(output, &status) && S_ISREG(status.st_mode))
		fprintf(stderr, "dwell: wrote %s (%s)\n", output,
			units_bytes((uint64_t)status.st_size, size));
	return STATUS_DONE;
}

int html_write(const char *path, const struct html_options *html)
{
	struct summed summed = {0};
	struct why why = {""};

	int error = summed_open(path, &html->view, &summed, &why);
	if (error)
		return fail_reading(error, &why);
	/* A page of nothing would take the place of one of something. */
	int status = summed.summary->is_filtered && summed_is_empty(&summed, path, &html->view)
			     ? STATUS_NOTHING
			     : html_write_summed(path, &summed, html);
	summed_clear(&summed);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {0};
	_cleanup_free_ char *words = NULL;
	size_t size;
	FILE *stream = open_memstream(&words, &size);
	int status;

	fputs("dwell", stream);
	for (int i = 0; i < argc; i++)
		fprintf(stream, " %s", argv[i]);
	fclose(stream);
	html_options_init(&arguments.html);
	arguments.html.command = words;
	status = options_parse(command, &argp, 0, argc, argv, &arguments);
	if (status == OPTIONS_GO_ON)
		status = html_write(
			arguments.file ? arguments.file : VIEW_DEFAULT_FILE, &arguments.html);
	html_options_clear(&arguments.html);
	return status;
}

const struct command cmd_html = {
	.name = "html",
	.usage = "[FILE] [-o OUT.html] [OPTION...]",
	.summary = "A recording as one page with pictures and tables",
	.examples = "  dwell html                          last.dwell as dwell.html\n"
		    "  dwell html slow.dwell               as slow.html\n"
		    "  dwell html -n 'postgres*' -o p.html some threads only\n"
		    "  dwell html --redact -o share.html   without paths and the host's name\n",
	.argp = &argp,
	.run = run,
};
