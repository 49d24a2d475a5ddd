// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell TARGET or dwell -- COMMAND: records and reports in one go, for people in a hurry. */
#include "cli/command.h"
#include "cli/report.h"
#include "cli/session.h"
#include "util/units.h"

#define DEFAULT_DURATION_NS (10 * NS_PER_S)

static int run_oneshot(const struct command *command, int argc, char **argv)
{
	struct record_options options;
	const char *path = NULL;
	int status;

	status = record_options_parse(&options, command, argc, argv);
	if (status != OPTIONS_GO_ON)
		goto out;
	if (!options.capture.duration_ns && !options.command) {
		options.capture.duration_ns = DEFAULT_DURATION_NS;
		if (!options.is_quiet)
			fputs("dwell: recording for 10 s (-d changes that, Ctrl-C stops earlier)\n",
				stderr);
	}
	status = session_record(&options, &path);
	if (path) {
		int report_status = report_print(path, NULL);
		if (!options.command)
			status = report_status;
	}
out:
	record_options_clear(&options);
	return status;
}

const struct command cmd_oneshot = {
	.name = "",
	.usage = "TARGET|-- COMMAND [-d TIME] [-o FILE]",
	.summary = "Record, then print where the time went",
	.examples = "  dwell -p 1234 -d 10s     a process, for 10 s\n"
		    "  dwell -a                 the whole machine, for 10 s\n"
		    "  dwell -- make -j4        a command and all it starts\n",
	.run = run_oneshot,
};
