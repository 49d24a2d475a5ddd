// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell TARGET or dwell -- COMMAND: records, reports and writes the page in one go. */
#include "cli/command.h"
#include "cli/html.h"
#include "cli/report.h"
#include "cli/session.h"

static int show(const char *path, const struct record_options *options)
{
	struct html_options html;
	struct summed summed = {0};
	struct why why = {""};
	int status;

	html_options_init(&html);
	html.is_quiet = options->is_quiet;
	if (summed_open(path, &html.view, &summed, &why))
		status = fail(STATUS_USAGE, "%s", why.text);
	else
		status = report_print_summed(path, &summed);
	if (status == STATUS_DONE)
		status = html_write_summed(path, &summed, &html);
	summed_clear(&summed);
	html_options_clear(&html);
	return status;
}

static int run_oneshot(const struct command *command, int argc, char **argv)
{
	struct record_options options;
	const char *path = NULL;
	int status;

	status = record_options_parse(&options, command, argc, argv);
	if (status != OPTIONS_GO_ON)
		goto out;
	record_options_limit(&options);
	status = session_record(&options, &path);
	if (path) {
		command_give_up_rights();
		int report_status = show(path, &options);
		/* A recording that failed on its way is shown as far as it goes, and has failed. */
		if (!options.command && status == STATUS_DONE)
			status = report_status;
	}
out:
	record_options_clear(&options);
	return status;
}

const struct command cmd_oneshot = {
	.name = "",
	.usage = "TARGET|-- COMMAND [-d TIME] [-o FILE]",
	.summary = "Record, print where the time went, write the page (dwell.html)",
	.examples = "  dwell -p 1234 -d 10s     a process, for 10 s\n"
		    "  dwell -a                 the whole machine, for 10 s\n"
		    "  dwell -- make -j4        a command and all it starts\n",
	.argp = &record_argp,
	.run = run_oneshot,
	.strangers = perf_strangers,
};
