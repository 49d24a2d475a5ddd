// SPDX-License-Identifier: GPL-2.0-or-later
/* The script for zsh: a function of _arguments' specifications for each command. */
#include "cli/completion/completion.h"

#include <string.h>

static const char *const actions[] = {
	[COMPLETION_NOTHING] = "",
	[COMPLETION_ANY] = " ",
	[COMPLETION_PIDS] = "_sequence _dwell_pids",
	[COMPLETION_TIDS] = "_sequence _dwell_tids",
	[COMPLETION_FILE] = "_files",
	[COMPLETION_RECORDING] = "_dwell_recordings",
	[COMPLETION_BEHIND] = " ",
};

/* zsh's own _pids knows the processes of its terminal only. */
static const char helpers[] = "_dwell_ids() {\n"
			      "\tlocal -a ids said\n"
			      "\tlocal folder name\n"
			      "\tfor folder in $folders; do\n"
			      "\t\t{ read -r name < $folder/comm } 2>/dev/null || continue\n"
			      "\t\tids+=(${folder:t}) said+=(\"${folder:t} $name\")\n"
			      "\tdone\n"
			      "\tcompadd \"$@\" -l -d said -a ids\n"
			      "}\n"
			      "\n"
			      "_dwell_pids() {\n"
			      "\tlocal -a folders=(/proc/<->(N))\n"
			      "\t_dwell_ids \"$@\"\n"
			      "}\n"
			      "\n"
			      "_dwell_tids() {\n"
			      "\tlocal -a folders=(/proc/<->/task/<->(N))\n"
			      "\t_dwell_ids \"$@\"\n"
			      "}\n"
			      "\n"
			      "# What is behind -- is completed by its own rules.\n"
			      "_dwell_program() {\n"
			      "\tlocal -i at=${words[(i)--]}\n"
			      "\t((at < CURRENT)) || return\n"
			      "\tshift $at words\n"
			      "\t((CURRENT -= at))\n"
			      "\t_normal\n"
			      "\treturn 0\n"
			      "}\n"
			      "\n"
			      "_dwell_recordings() {\n"
			      "\tlocal -a endings=(" COMPLETION_RECORDINGS ")\n"
			      "\t_files \"$@\" -g \"*(${(j:|:)endings})(-.)\"\n"
			      "}\n";

/* Inside single quotes, in a part of a specification where brackets and colons mean something. */
static void write_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else
			putc(*text, out);
	}
}

static void write_action(const struct completion_option *option, FILE *out)
{
	if (option->kind == COMPLETION_WORDS)
		fprintf(out, "(%s)", option->words);
	else if (option->kind == COMPLETION_LIST)
		fprintf(out, "_values -s , word %s", option->words);
	else
		fputs(actions[option->kind], out);
}

/* `dashed` is the option with what says where its value is: --pid=, -p+. */
static void write_option(const struct completion_option *option, const char *dashed, FILE *out)
{
	const char *sign = "";

	if (option->kind != COMPLETION_NOTHING)
		sign = dashed[1] != '-' ? "+" : option->is_optional ? "=-" : "=";
	fprintf(out, " \\\n\t\t'*%s%s[", dashed, sign);
	write_text(option->doc, out);
	putc(']', out);
	if (option->kind != COMPLETION_NOTHING) {
		fputs(option->is_optional ? "::" : ":", out);
		write_text(option->value, out);
		putc(':', out);
		write_action(option, out);
	}
	putc('\'', out);
}

static const char *function_of(const struct command *command)
{
	return command->name[0] ? command->name : "oneshot";
}

static void write_command(const struct completion_command *command, FILE *out)
{
	fprintf(out, "\n_dwell_%s() {\n", function_of(command->command));
	if (command->operand == COMPLETION_COMMAND || command->operand == COMPLETION_BEHIND)
		fputs("\t_dwell_program && return\n", out);
	fputs("\t_arguments -s -S", out);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct completion_option *option = &command->options[i];
		char dashed[64];

		if (option->letter) {
			snprintf(dashed, sizeof(dashed), "-%c", option->letter);
			write_option(option, dashed, out);
		}
		if (option->name) {
			snprintf(dashed, sizeof(dashed), "--%s", option->name);
			write_option(option, dashed, out);
		}
	}
	if (command->operand == COMPLETION_COMMAND)
		fputs(" \\\n\t\t'(-)1:command: _command_names -e' '*::argument: _normal'", out);
	else if (command->operand != COMPLETION_NOTHING)
		fprintf(out, " \\\n\t\t'*:%s:%s'",
			command->operand == COMPLETION_BEHIND ? "function" : "file",
			actions[command->operand]);
	fputs("\n}\n", out);
}

static void write_main(const struct completion *completion, FILE *out)
{
	size_t named = completion->command_count - 1;

	fputs("\n_dwell() {\n\tlocal -a named=(", out);
	for (size_t i = 0; i < named; i++) {
		const struct command *command = completion->commands[i].command;

		fprintf(out, "\n\t\t'%s:", command->name);
		write_text(command->summary, out);
		putc('\'', out);
	}
	fputs("\n\t\t'help:What reports say, and each command')\n"
	      "\tif ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
	      "\t\t_describe -t commands 'command' named\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase $words[2] in\n",
		out);
	for (size_t i = 0; i < named; i++) {
		const char *name = function_of(completion->commands[i].command);

		fprintf(out, "\t%s) shift words; ((CURRENT--)); _dwell_%s ;;\n", name, name);
	}
	fprintf(out,
		"\thelp) shift words; ((CURRENT--)); _arguments '1:topic:(%s)' ;;\n"
		"\t*) _dwell_oneshot ;;\n\tesac\n}\n\n",
		completion->topics);
	fputs("if [[ $funcstack[1] == _dwell ]]; then\n\t_dwell \"$@\"\nelse\n"
	      "\tcompdef _dwell dwell\nfi\n",
		out);
}

void completion_write_zsh(const struct completion *completion, FILE *out)
{
	fputs("#compdef dwell\n"
	      "# Completion of dwell for zsh. Written by dwell itself: dwell completion zsh\n\n",
		out);
	fputs(helpers, out);
	for (size_t i = 0; i < completion->command_count; i++)
		write_command(&completion->commands[i], out);
	write_main(completion, out);
}
