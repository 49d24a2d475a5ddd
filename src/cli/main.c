// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell: finds the command and calls it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check/built.h"
#include "cli/command.h"
#include "cli/completion/completion.h"
#include "cli/record_options.h"
#include "cli/words.h"
#include "util/mem.h"
#include "util/rights.h"
#include "util/text.h"

static const struct command *const commands[] = {
	&cmd_record, &cmd_report, &cmd_flame, &cmd_html, &cmd_diff, &cmd_import, &cmd_check};

static void print_help(void)
{
	puts("dwell: where do threads spend their time, and why do they wait?\n"
	     "\n"
	     "  dwell -p PID -d 10s         record a process for 10 s and report\n"
	     "  dwell -- make -j4           run a command, record all it starts, and report\n"
	     "  dwell record -a -d 30s      record the whole machine into last.dwell\n"
	     "  dwell report                where the time went, from last.dwell\n"
	     "  dwell flame -f > a.folded   off-CPU stacks for a flame graph\n"
	     "\n"
	     "Commands:");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-10s%s\n", commands[i]->name, commands[i]->summary);
	puts("\nEach command has --help. dwell help words: what reports say.\n"
	     "Start with: dwell check");
}

/* File capabilities are for recording: with them anybody could read everybody's recordings. */
void command_give_up_rights(void)
{
	if (geteuid())
		rights_keep(0);
}

static int unknown_command(const char *word)
{
	const char *names[ARRAY_SIZE(commands) + 1] = {NULL};

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	const char *near = text_nearest(word, names);
	if (near)
		return fail(STATUS_USAGE, "unknown command %s; did you mean dwell %s?", word, near);
	return fail(STATUS_USAGE, "unknown command %s; to record it: dwell -- %s", word, word);
}

/* A file opened as descriptor 1 or 2 would be written to by mistake. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	/* A closed pipe, or a file that reached its limit, is noticed where output is finished, not
	 * by dying in the middle of it. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* Ignored, as some parents leave it, the numbers of dead children would be given again. */
	signal(SIGCHLD, SIG_DFL);
	open_standard_files();

	if (argc == 3 && !strcmp(argv[1], "help") && !strcmp(argv[2], "words")) {
		print_words();
		return finish_stdout(STATUS_DONE);
	}
	if (argc < 2 || !strcmp(argv[1], "help")) {
		print_help();
		return finish_stdout(STATUS_DONE);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help();
		if (argv[1][1] == '-') {
			puts("\nRecording and reporting in one go:\n");
			command_help(&cmd_oneshot, &record_argp, true);
		}
		return finish_stdout(STATUS_DONE);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		_cleanup_free_ char *text = built_text();
		fputs(text, stdout);
		return finish_stdout(STATUS_DONE);
	}
	if (!strcmp(argv[1], "completion"))
		return completion_run(commands, ARRAY_SIZE(commands), argc - 1, argv + 1);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i]->name)) {
			if (!commands[i]->needs_rights)
				command_give_up_rights();
			return commands[i]->run(commands[i], argc - 1, argv + 1);
		}
	if (argv[1][0] != '-')
		return unknown_command(argv[1]);
	return cmd_oneshot.run(&cmd_oneshot, argc, argv);
}
