// SPDX-License-Identifier: GPL-2.0-or-later
/* From argp tables to what the writers of scripts need. */
#include "cli/completion/completion.h"

#include <ctype.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"

typedef VEC(struct completion_option) option_list;

/* An alias has only its name; the rest is said by the entry that it follows. */
static void add_option(const struct command *command, const struct argp_option *option,
	const struct argp_option *main_one, option_list *list)
{
	struct completion_option add = {
		.name = option->name,
		.letter = option->key > 0 && option->key < 128 && isgraph(option->key)
				  ? (char)option->key
				  : 0,
		.is_optional = main_one->flags & OPTION_ARG_OPTIONAL,
		.doc = main_one->doc ? main_one->doc : "",
		.value = main_one->arg,
	};

	/* Its letter is the main one's, which has it already. */
	if (option != main_one && option->key == main_one->key)
		add.letter = 0;
	add.kind = completion_value(command, main_one, &add.words);
	vec_push(list, add);
}

static void add_options(const struct command *command, const struct argp *argp, option_list *list)
{
	const struct argp_option *main_one = NULL;

	for (const struct argp_option *option = argp->options;
		option && (option->name || option->key || option->doc); option++) {
		if (!option->name && !option->key)
			continue;
		if (!main_one || !(option->flags & OPTION_ALIAS))
			main_one = option;
		if (!((option->flags | main_one->flags) & OPTION_HIDDEN))
			add_option(command, option, main_one, list);
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		add_options(command, child->argp, list);
}

static struct completion_command complete_command(const struct command *command)
{
	static const struct argp_option everywhere[] = {
		{.name = "help", .key = 'h', .doc = "help"}, {0}};
	static const struct argp_option first_only[] = {
		{.name = "version", .key = 'V', .doc = "version, and what it was built with"}, {0}};
	static const struct argp help = {.options = everywhere}, version = {.options = first_only};
	option_list list = {0};

	add_options(command, command->argp, &list);
	add_options(command, &help, &list);
	if (!command->name[0])
		add_options(command, &version, &list);
	return (struct completion_command){.command = command,
		.options = list.at,
		.option_count = list.count,
		.operand = completion_operand(command)};
}

static void completion_init(
	struct completion *completion, const struct command *const *commands, size_t count)
{
	*completion = (struct completion){
		.commands = xcalloc(count + 1, sizeof(*completion->commands)),
		.command_count = count + 1,
		.topics = xstrdup("words"),
	};
	for (size_t i = 0; i < count; i++) {
		char *more = xasprintf("%s %s", completion->topics, commands[i]->name);

		free(completion->topics);
		completion->topics = more;
		completion->commands[i] = complete_command(commands[i]);
	}
	completion->commands[count] = complete_command(&cmd_oneshot);
}

static void completion_clear(struct completion *completion)
{
	for (size_t i = 0; i < completion->command_count; i++) {
		struct completion_command *command = &completion->commands[i];

		for (size_t j = 0; j < command->option_count; j++)
			free(command->options[j].words);
		free(command->options);
	}
	free(completion->commands);
	free(completion->topics);
}

int completion_run(const struct command *const *commands, size_t count, int argc, char **argv)
{
	static const struct {
		const char *shell;
		void (*write)(const struct completion *completion, FILE *out);
	} writers[] = {{"bash", completion_write_bash}, {"zsh", completion_write_zsh},
		{"fish", completion_write_fish}};
	struct completion completion;

	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(writers); i++) {
		if (strcmp(argv[1], writers[i].shell))
			continue;
		completion_init(&completion, commands, count);
		writers[i].write(&completion, stdout);
		completion_clear(&completion);
		return finish_stdout(STATUS_DONE);
	}
	return fail(STATUS_USAGE,
		"completion: say for which shell: dwell completion bash, zsh or fish");
}
