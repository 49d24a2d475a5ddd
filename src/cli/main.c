// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell: finds the command and calls it. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/built.h"
#include "cli/command.h"
#include "cli/completion/completion.h"
#include "cli/record_options.h"
#include "cli/terminal.h"
#include "cli/words.h"
#include "render/layout.h"
#include "util/mem.h"
#include "util/rights.h"
#include "util/text.h"

static const struct command *const commands[] = {&cmd_record, &cmd_calls, &cmd_report, &cmd_flame,
	&cmd_html, &cmd_diff, &cmd_import, &cmd_list, &cmd_check};

#define HELP_COLUMNS 80

static void print_help(void)
{
	static const char head[] =
		"dwell: where do threads spend their time, and why do they wait?\n"
		"\n"
		"  dwell -p PID -d 10s         record a process for 10 s and report\n"
		"  dwell -- make -j4           run a command, record all it starts, and report\n"
		"  dwell record -a -d 30s      record the whole machine into last.dwell\n"
		"  dwell report                where the time went, from last.dwell\n"
		"  dwell flame -f > a.folded   off-CPU stacks for a flame graph\n"
		"  dwell calls -p PID NAME     how long calls of a function take, and why\n"
		"\n"
		"Commands:\n";
	size_t columns = terminal_columns(HELP_COLUMNS);

	layout_fit(stdout, head, columns);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		printf("  %-10s", commands[i]->name);
		layout_wrap(stdout, commands[i]->summary, columns, 12, 12);
	}
	layout_fit(stdout,
		"\ndwell help COMMAND: all its options. dwell help words: what reports say.\n"
		"Start with: dwell check\n",
		columns);
}

/* File capabilities are for recording: with them anybody could read everybody's recordings. */
void command_give_up_rights(void)
{
	if (geteuid())
		rights_keep(0);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

/* "dwell record or dwell report": what the word is the beginning of, or is nearest to. NULL: it is
 * like none. A word is never taken for another, only told. Caller frees. */
static char *likely_commands(const char *program, const char *word)
{
	const char *names[ARRAY_SIZE(commands) + 2] = {NULL};
	size_t count = 0;
	char *likely = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[count++] = commands[i]->name;
	names[count++] = "help";
	for (size_t i = 0; word[0] && i < count; i++)
		if (!strncmp(word, names[i], strlen(word))) {
			char *longer = xasprintf("%s%s%s %s", likely ? likely : "",
				likely ? " or " : "", program, names[i]);
			free(likely);
			likely = longer;
		}
	const char *near = likely ? NULL : text_nearest(word, names);
	return near ? xasprintf("%s %s", program, near) : likely;
}

static int unknown_command(const char *word)
{
	_cleanup_free_ char *likely = likely_commands("dwell", word);

	if (likely)
		return fail(STATUS_USAGE, "unknown command %s; did you mean %s?", word, likely);
	return fail(STATUS_USAGE, "unknown command %s; to record it: dwell -- %s", word, word);
}

/* dwell help COMMAND is dwell COMMAND --help. */
static int help_about(char *word)
{
	const struct command *command = find_command(word);
	char full[] = "--help";
	char *words[] = {word, full, NULL};

	if (!strcmp(word, "words")) {
		print_words();
		return finish_stdout(STATUS_DONE);
	}
	if (command)
		return command->run(command, 2, words);
	_cleanup_free_ char *likely = likely_commands("dwell help", word);
	if (likely)
		return fail(
			STATUS_USAGE, "there is no help about %s; did you mean %s?", word, likely);
	return fail(STATUS_USAGE, "there is no help about %s; dwell help lists the commands", word);
}

static int help(int argc, char **argv)
{
	if (argc > 1)
		return fail(
			STATUS_USAGE, "help is about one word at a time; %s is too many", argv[1]);
	if (argc)
		return help_about(argv[0]);
	print_help();
	return finish_stdout(STATUS_DONE);
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

	if (argc < 2 || !strcmp(argv[1], "help"))
		return help(argc < 2 ? 0 : argc - 2, argv + 2);
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
	const struct command *command = find_command(argv[1]);
	if (command) {
		if (!command->needs_rights)
			command_give_up_rights();
		return command->run(command, argc - 1, argv + 1);
	}
	if (argv[1][0] != '-')
		return unknown_command(argv[1]);
	return cmd_oneshot.run(&cmd_oneshot, argc, argv);
}
