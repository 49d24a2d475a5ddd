// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell record: records until Ctrl-C, the time, COMMAND's end or the last target's end. */
#include "cli/command.h"
#include "cli/perf_options.h"
#include "cli/session.h"

static int run_record(const struct command *command, int argc, char **argv)
{
	struct record_options options;
	const char *path = NULL;
	int status;

	status = record_options_parse(&options, command, argc, argv);
	if (status == OPTIONS_GO_ON)
		status = session_record(&options, &path);
	record_options_clear(&options);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.usage = "[TARGET] [-d TIME] [-o FILE] [[--] COMMAND...]",
	.summary = "Record where threads spend their time, into a file",
	.examples =
		"  dwell record -p 1234 -d 10s          a process, for 10 s\n"
		"  dwell record -a                      the whole machine, until Ctrl-C\n"
		"  dwell record -- make -j4             a command and all it starts\n"
		"  dwell record -p 1234 -- sleep 30     a process, with a command as stopwatch\n"
		"  dwell record -n 'postgres*' -d 1m    threads by name\n",
	.argp = &record_argp,
	.run = run_record,
	.needs_rights = true,
	.strangers = perf_strangers,
};
