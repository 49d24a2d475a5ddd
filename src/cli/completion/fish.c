// SPDX-License-Identifier: GPL-2.0-or-later
/* The script for fish: one `complete` for each option of each command. */
#include "cli/completion/completion.h"

static const char helpers[] =
	"# Is the command $argv[1] ('' for none), and has no program to record begun?\n"
	"function __dwell_in\n"
	"\tset -l words (commandline -opc)\n"
	"\tcontains -- -- $words; and return 1\n"
	"\tif test -n \"$argv[1]\"\n"
	"\t\ttest \"$words[2]\" = \"$argv[1]\"\n"
	"\telse\n"
	"\t\tnot contains -- \"$words[2]\" $__dwell_commands help\n"
	"\tend\n"
	"end\n"
	"\n"
	"function __dwell_is_first\n"
	"\ttest (count (commandline -opc)) -eq 1\n"
	"end\n"
	"\n"
	"# Each word, behind what is there of a list already.\n"
	"function __dwell_list\n"
	"\tset -l head (commandline -ct | string replace -r '^-.*=' '' | string match -r '^.*,')\n"
	"\tprintf '%s\\n' \"$head\"$argv\n"
	"end\n"
	"\n"
	"function __dwell_tids\n"
	"\tstring match -r '[0-9]+$' /proc/*/task/*\n"
	"end\n"
	"\n"
	"# The program behind --, by its own rules.\n"
	"function __dwell_program\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l at (contains -i -- -- $words); or return\n"
	"\tset -e words[1..$at]\n"
	"\tcomplete -C (string join ' ' -- (string escape -- $words) (commandline -ct))\n"
	"end\n"
	"\n"
	"complete -c dwell -f\n"
	"complete -c dwell -n 'contains -- -- (commandline -opc)' -a '(__dwell_program)'\n";

/* Inside single quotes. */
static void write_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
}

static void write_value(enum completion_kind kind, const char *words, FILE *out)
{
	switch (kind) {
	case COMPLETION_NOTHING:
	case COMPLETION_COMMAND:
	case COMPLETION_BEHIND:
		break;
	case COMPLETION_ANY:
		fputs(" -x", out);
		break;
	case COMPLETION_WORDS:
		fprintf(out, " -x -a '%s'", words);
		break;
	case COMPLETION_LIST:
		fprintf(out, " -x -a '(__dwell_list %s)'", words);
		break;
	case COMPLETION_PIDS:
		fputs(" -x -a '(__dwell_list (__fish_complete_pids))'", out);
		break;
	case COMPLETION_TIDS:
		fputs(" -x -a '(__dwell_list (__dwell_tids))'", out);
		break;
	case COMPLETION_FILE:
		fputs(" -r -F", out);
		break;
	case COMPLETION_RECORDING:
		fputs(" -x -a '(__fish_complete_suffix " COMPLETION_RECORDINGS ")'", out);
		break;
	}
}

static void write_beginning(const struct command *command, FILE *out)
{
	fprintf(out, "complete -c dwell -n '__dwell_in \"%s\"'", command->name);
}

static void write_command(const struct completion_command *command, FILE *out)
{
	putc('\n', out);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct completion_option *option = &command->options[i];

		write_beginning(command->command, out);
		if (option->letter)
			fprintf(out, " -s %c", option->letter);
		if (option->name)
			fprintf(out, " -l %s", option->name);
		/* A value that can be left out is no reason to take the next word for it. */
		if (!option->is_optional)
			write_value(option->kind, option->words, out);
		fputs(" -d '", out);
		write_text(option->doc, out);
		fputs("'\n", out);
	}
	if (command->operand == COMPLETION_FILE) {
		write_beginning(command->command, out);
		fputs(" -F\n", out);
	} else if (command->operand == COMPLETION_RECORDING) {
		write_beginning(command->command, out);
		fputs(" -a '(__fish_complete_suffix " COMPLETION_RECORDINGS ")'\n", out);
	}
}

void completion_write_fish(const struct completion *completion, FILE *out)
{
	size_t named = completion->command_count - 1;

	fputs("# Completion of dwell for fish. Written by dwell itself: dwell completion fish\n\n"
	      "set -g __dwell_commands",
		out);
	for (size_t i = 0; i < named; i++)
		fprintf(out, " %s", completion->commands[i].command->name);
	fputs("\n\n", out);
	fputs(helpers, out);
	for (size_t i = 0; i < named; i++) {
		const struct command *command = completion->commands[i].command;

		fprintf(out, "complete -c dwell -n __dwell_is_first -a %s -d '", command->name);
		write_text(command->summary, out);
		fputs("'\n", out);
	}
	fprintf(out,
		"complete -c dwell -n __dwell_is_first -a help -d 'Words of reports, commands'\n"
		"complete -c dwell -n '__dwell_in help' -a '%s'\n",
		completion->topics);
	for (size_t i = 0; i < completion->command_count; i++)
		write_command(&completion->commands[i], out);
}
