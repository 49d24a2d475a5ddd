// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Option parsing on argp with our own complaints: argp is silenced, because its errors take two
 * lines and know no "did you mean". The words are checked before argp sees them, so that when argp
 * fails, the command's parser has already said why.
 */
#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cli/terminal.h"
#include "render/layout.h"
#include "util/text.h"
#include "util/vec.h"

/* As wide as a terminal of 80 columns allows; on a wider one no wider than is easily read. */
#define HELP_COLUMNS 79
#define MOST_HELP_COLUMNS 100
/* Where what is said of an option begins, and on a narrow terminal. */
#define DOC_COLUMN 29
#define NARROW_DOC_COLUMN 10

typedef VEC(const struct argp_option *) option_list;

static void collect(const struct argp *argp, option_list *list)
{
	for (const struct argp_option *option = argp->options;
		option && (option->name || option->key || option->doc); option++)
		vec_push(list, option);
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		collect(child->argp, list);
}

static bool is_hidden(const struct argp_option *option)
{
	return option->flags & OPTION_HIDDEN;
}

/* Those of that name, or else of a name that begins so; an alias is what it stands for. */
static void find_long(
	const option_list *list, const char *name, size_t length, option_list *ret_found)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct argp_option *option = list->at[i];
		bool is_known = false;

		if (!option->name || strncmp(option->name, name, length))
			continue;
		if (!option->name[length]) {
			ret_found->count = 0;
			vec_push(ret_found, option);
			return;
		}
		for (size_t j = 0; j < ret_found->count; j++)
			is_known |= ret_found->at[j]->key == option->key;
		if (!is_known)
			vec_push(ret_found, option);
	}
}

/* Keys of options without a letter are above all letters. */
static bool has_letter(const struct argp_option *option)
{
	return option->key > 0 && option->key <= 0x7f && isgraph(option->key);
}

static const struct argp_option *find_short(const option_list *list, char letter)
{
	for (size_t i = 0; i < list->count; i++)
		if (has_letter(list->at[i]) && list->at[i]->key == letter)
			return list->at[i];
	return NULL;
}

/* An alias takes an argument if the option it stands for does. */
static bool takes_argument(const option_list *list, const struct argp_option *option)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i] == option) {
			while (i && (list->at[i]->flags & OPTION_ALIAS))
				i--;
			return list->at[i]->arg && !(list->at[i]->flags & OPTION_ARG_OPTIONAL);
		}
	return false;
}

/* `dwell` in one shot has no name to put a space before. */
static const char *space_before(const struct command *command)
{
	return command->name[0] ? " " : "";
}

/* By letter, or by name if that is 0. NULL if it is not one that people know from elsewhere. */
static const struct stranger *find_stranger(
	const struct command *command, char letter, const char *name)
{
	for (const struct stranger *each = command->strangers; each && each->name; each++)
		if (letter ? each->letter == letter : !strcmp(each->name, name))
			return each;
	return NULL;
}

static int unknown_short(const struct command *command, char letter)
{
	const struct stranger *stranger = find_stranger(command, letter, "");

	if (stranger)
		return fail(STATUS_USAGE, "there is no option -%c: %s", letter, stranger->instead);
	return fail(STATUS_USAGE, "unknown option -%c; see dwell%s%s --help", letter,
		space_before(command), command->name);
}

static int unknown_long(const struct command *command, const option_list *list, const char *word)
{
	VEC(const char *) names = {0};
	_cleanup_free_ char *name = xstrndup(word + 2, strcspn(word + 2, "="));
	const struct stranger *stranger = find_stranger(command, 0, name);
	const char *near;

	if (stranger)
		return fail(STATUS_USAGE, "there is no option --%s: %s", name, stranger->instead);
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i]->name && !is_hidden(list->at[i]))
			vec_push(&names, list->at[i]->name);
	vec_push(&names, "help");
	vec_push(&names, NULL);
	near = text_nearest(name, names.at);
	vec_clear(&names);
	if (near)
		return fail(STATUS_USAGE, "unknown option --%s; did you mean --%s?", name, near);
	return fail(STATUS_USAGE, "unknown option --%s; see dwell%s%s --help", name,
		space_before(command), command->name);
}

static int missing_argument(const struct command *command, const char *word)
{
	return fail(STATUS_USAGE, "%s needs a value; see dwell%s%s --help", word,
		space_before(command), command->name);
}

/* "--st is ambiguous: --state, --stacks" */
static int ambiguous(const option_list *found, const char *name, size_t length)
{
	_cleanup_free_ char *names = xstrdup("");

	for (size_t i = 0; i < found->count; i++) {
		char *longer = xasprintf("%s%s --%s", names, i ? "," : "", found->at[i]->name);
		free(names);
		names = longer;
	}
	return fail(STATUS_USAGE, "--%.*s is ambiguous:%s", (int)length, name, names);
}

/* A word that begins with two dashes: see check_word(). */
static int check_long(const struct command *command, const option_list *list, const char *word,
	bool has_next, bool *ret_skip)
{
	size_t length = strcspn(word + 2, "=");
	option_list found = {0};
	int status = OPTIONS_GO_ON;

	find_long(list, word + 2, length, &found);
	if (!found.count)
		status = unknown_long(command, list, word);
	else if (found.count > 1)
		status = ambiguous(&found, word + 2, length);
	else if (takes_argument(list, found.at[0]) && word[2 + length] != '=')
		*ret_skip = true;
	vec_clear(&found);
	if (status == OPTIONS_GO_ON && *ret_skip && !has_next)
		status = missing_argument(command, word);
	return status;
}

/*
 * Looks at one word; *ret_skip is set when the next word is its value.
 * OPTIONS_GO_ON or a status after a complaint.
 */
static int check_word(const struct command *command, const option_list *list, const char *word,
	bool has_next, bool *ret_skip)
{
	if (word[1] == '-')
		return check_long(command, list, word, has_next, ret_skip);
	for (const char *letter = word + 1; *letter; letter++) {
		const struct argp_option *option = find_short(list, *letter);
		if (!option)
			return unknown_short(command, *letter);
		if (!takes_argument(list, option))
			continue;
		if (!letter[1]) {
			if (!has_next)
				return missing_argument(command, word);
			*ret_skip = true;
		}
		break;
	}
	return OPTIONS_GO_ON;
}

static int check_words(const struct command *command, const struct argp *argp, unsigned int flags,
	int argc, char **argv)
{
	option_list list = {0};
	int status = OPTIONS_GO_ON;

	collect(argp, &list);
	for (int i = 1; i < argc && status == OPTIONS_GO_ON; i++) {
		const char *word = argv[i];
		bool skip = false;

		if (!strcmp(word, "--"))
			break;
		if (word[0] != '-' || !word[1]) {
			if ((flags & ARGP_IN_ORDER) && !command->has_words)
				break;
			continue;
		}
		if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
			command_help(command, argp, word[1] == '-');
			status = finish_stdout(STATUS_DONE);
			break;
		}
		status = check_word(command, &list, word, i + 1 < argc, &skip);
		i += skip;
	}
	vec_clear(&list);
	return status;
}

int options_parse(const struct command *command, const struct argp *argp, unsigned int flags,
	int argc, char **argv, void *input)
{
	int status = check_words(command, argp, flags, argc, argv);

	if (status != OPTIONS_GO_ON)
		return status;
	if (argp_parse(argp, argc, argv, flags | ARGP_SILENT, NULL, input))
		return STATUS_USAGE;
	return OPTIONS_GO_ON;
}

static size_t help_columns(void)
{
	size_t columns = terminal_columns(HELP_COLUMNS);

	return columns < MOST_HELP_COLUMNS ? columns : MOST_HELP_COLUMNS;
}

static void print_option(const struct argp_option *option, const struct argp_option *next)
{
	char left[64];
	int used = 0;

	if (has_letter(option))
		used += snprintf(left, sizeof(left), "-%c", option->key);
	if (option->name)
		used += snprintf(left + used, sizeof(left) - (size_t)used, "%s--%s",
			used ? ", " : "    ", option->name);
	if ((next->flags & OPTION_ALIAS) && next->name)
		used += snprintf(left + used, sizeof(left) - (size_t)used, ", --%s", next->name);
	if (option->arg)
		snprintf(left + used, sizeof(left) - (size_t)used,
			option->flags & OPTION_ARG_OPTIONAL ? "[=%s]" : " %s", option->arg);
	size_t columns = help_columns();
	int indent = columns < HELP_COLUMNS ? NARROW_DOC_COLUMN : DOC_COLUMN;
	if ((int)strlen(left) > indent - 3)
		printf("  %s\n%*s", left, indent, "");
	else
		printf("  %-*s", indent - 2, left);
	layout_wrap(
		stdout, option->doc ? option->doc : "", columns, (size_t)indent, (size_t)indent);
}

static void print_options(const struct argp *argp);

/* Children of a negative group stand before their parent's own options, the others behind. */
static void print_children(const struct argp *argp, bool is_before)
{
	for (const struct argp_child *child = argp->children; child && child->argp; child++) {
		if ((child->group < 0) != is_before)
			continue;
		if (child->header) {
			putchar('\n');
			layout_wrap(stdout, child->header, help_columns(), 0, 0);
		}
		print_options(child->argp);
	}
}

static void print_options(const struct argp *argp)
{
	print_children(argp, true);
	for (const struct argp_option *option = argp->options;
		option && (option->name || option->key || option->doc); option++) {
		if (is_hidden(option) || (option->flags & OPTION_ALIAS))
			continue;
		if (!option->name && !option->key)
			printf("\n%s\n", option->doc);
		else
			print_option(option, option + 1);
	}
	print_children(argp, false);
}

void command_help(const struct command *command, const struct argp *argp, int is_full)
{
	static const struct argp_option own = {
		.key = 'h', .name = "help", .doc = "short help, this help"};
	static const struct argp_option none = {0};
	_cleanup_free_ char *head = xasprintf("dwell%s%s %s\n%s.\n", space_before(command),
		command->name, command->usage, command->summary);

	layout_fit(stdout, head, help_columns());
	if (command->examples)
		fputs("\nExamples:\n", stdout);
	layout_fit(stdout, command->examples ? command->examples : "", help_columns());
	if (!is_full) {
		printf("\nAll options: dwell%s%s --help\n", space_before(command), command->name);
		return;
	}
	print_options(argp);
	print_option(&own, &none);
}
