// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The script for bash. A table, one function, sets what a command has and what may follow one of
 * its options; the rest of the script is the same whatever the table says. It needs nothing of the
 * package bash-completion, which only makes arguments of a COMMAND completed by its own rules.
 */
#include "cli/completion/completion.h"

static const char *const kinds[] = {
	[COMPLETION_NOTHING] = "nothing",
	[COMPLETION_ANY] = "any",
	[COMPLETION_WORDS] = "words",
	[COMPLETION_LIST] = "list",
	[COMPLETION_PIDS] = "pids",
	[COMPLETION_TIDS] = "tids",
	[COMPLETION_FILE] = "files",
	[COMPLETION_RECORDING] = ("files " COMPLETION_RECORDINGS),
	[COMPLETION_COMMAND] = "command",
	[COMPLETION_BEHIND] = "behind",
};

/* Finds out where the word is: in a command's options, a value, an operand or another program. */
static const char script[] =
	"_dwell_offer() {\n"
	"\tlocal kind=$1 head= end ids\n"
	"\tshift\n"
	"\tcase $kind in\n"
	"\tlist | pids | tids) [[ $word == *,* ]] && head=${word%,*}, ;;\n"
	"\tesac\n"
	"\tcase $kind in\n"
	"\twords | list) ;;\n"
	"\tpids) ids=(/proc/[0-9]*) && set -- \"${ids[@]##*/}\" ;;\n"
	"\ttids) ids=(/proc/[0-9]*/task/[0-9]*) && set -- \"${ids[@]##*/}\" ;;\n"
	"\tfiles)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t COMPREPLY < <(\n"
	"\t\t\t[[ $1 ]] && compgen -d -- \"$word\" || compgen -f -- \"$word\"\n"
	"\t\t\tfor end; do compgen -f -X \"!*$end\" -- \"$word\"; done)\n"
	"\t\treturn ;;\n"
	"\t*) return ;;\n"
	"\tesac\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$*\" -- \"${word#\"$head\"}\")\n"
	"}\n"
	"\n"
	"_dwell_program() {\n"
	"\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t_command_offset \"$1\"\n"
	"\telif (($1 == COMP_CWORD)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
	"\telse\n"
	"\t\t_dwell_offer files\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_dwell() {\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} command= at=1 given behind options value operand\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD > 1)); then\n"
	"\t\tcase \" $_dwell_commands help \" in\n"
	"\t\t*\" ${COMP_WORDS[1]} \"*) command=${COMP_WORDS[1]} at=2 ;;\n"
	"\t\tesac\n"
	"\tfi\n"
	"\tfor (( ; at < COMP_CWORD; at++)); do\n"
	"\t\tgiven=${COMP_WORDS[at]}\n"
	"\t\t_dwell_table \"$command\" \"$given\"\n"
	"\t\tif [[ $given == -- ]]; then\n"
	"\t\t\t[[ $operand == command || $operand == behind ]] &&\n"
	"\t\t\t\t_dwell_program $((at + 1)) && return\n"
	"\t\t\tread -ra value <<<\"$operand\" && _dwell_offer \"${value[@]}\"\n"
	"\t\t\treturn\n"
	"\t\telif [[ $given != -* ]]; then\n"
	"\t\t\t[[ $operand == command ]] && _dwell_program \"$at\" && return\n"
	"\t\telif [[ $value ]]; then\n"
	"\t\t\tbehind=$((at + 1))\n"
	"\t\t\tif [[ ${COMP_WORDS[behind]} == = ]]; then\n"
	"\t\t\t\t((behind == COMP_CWORD)) && word= || ((behind++))\n"
	"\t\t\telif [[ $value == optional* ]]; then\n"
	"\t\t\t\tcontinue\n"
	"\t\t\tfi\n"
	"\t\t\tif ((behind >= COMP_CWORD)); then\n"
	"\t\t\t\tread -ra value <<<\"${value#optional }\"\n"
	"\t\t\t\t_dwell_offer \"${value[@]}\"\n"
	"\t\t\t\treturn\n"
	"\t\t\tfi\n"
	"\t\t\tat=$behind\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t_dwell_table \"$command\" ''\n"
	"\tif [[ $word == -* ]]; then\n"
	"\t\t_dwell_offer words $options\n"
	"\telif ((COMP_CWORD == 1)); then\n"
	"\t\t_dwell_offer words $_dwell_commands help\n"
	"\telif [[ $operand == command ]]; then\n"
	"\t\t_dwell_program \"$COMP_CWORD\"\n"
	"\telse\n"
	"\t\tread -ra value <<<\"$operand\" && _dwell_offer \"${value[@]}\"\n"
	"\tfi\n"
	"}\n"
	"complete -F _dwell dwell\n";

static void write_names(const struct completion_option *option, const char *between, FILE *out)
{
	if (option->letter)
		fprintf(out, "-%c", option->letter);
	if (option->letter && option->name)
		fputs(between, out);
	if (option->name)
		fprintf(out, "--%s", option->name);
}

static void write_command(const struct completion_command *command, FILE *out)
{
	fprintf(out, "\t'%s')\n\t\toperand='%s'\n\t\toptions='", command->command->name,
		kinds[command->operand]);
	for (size_t i = 0; i < command->option_count; i++) {
		fputs(i ? " " : "", out);
		write_names(&command->options[i], " ", out);
	}
	fputs("'\n\t\tcase $2 in\n", out);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct completion_option *option = &command->options[i];

		if (option->kind == COMPLETION_NOTHING)
			continue;
		fputs("\t\t", out);
		write_names(option, " | ", out);
		fprintf(out, ") value='%s%s%s%s' ;;\n", option->is_optional ? "optional " : "",
			kinds[option->kind], option->words ? " " : "",
			option->words ? option->words : "");
	}
	fputs("\t\tesac ;;\n", out);
}

void completion_write_bash(const struct completion *completion, FILE *out)
{
	fputs("# Completion of dwell for bash. Written by dwell itself: dwell completion bash\n\n"
	      "_dwell_commands='",
		out);
	for (size_t i = 0; i + 1 < completion->command_count; i++)
		fprintf(out, "%s%s", i ? " " : "", completion->commands[i].command->name);
	fputs("'\n\n"
	      "# Sets options and operand of command $1, and what follows its option $2.\n"
	      "_dwell_table() {\n\tvalue= options= operand=\n\tcase $1 in\n",
		out);
	for (size_t i = 0; i < completion->command_count; i++)
		write_command(&completion->commands[i], out);
	fprintf(out, "\thelp) operand='words %s' ;;\n\tesac\n}\n\n", completion->topics);
	fputs(script, out);
}
