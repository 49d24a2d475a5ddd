// SPDX-License-Identifier: GPL-2.0-or-later
/* When all options of a recording are read: whether they go together, and what they are in words.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/command.h"
#include "host/proc_text.h"
#include "cli/record_options.h"
#include "util/mem.h"

static char *join_words(int count, char *const *words)
{
	char *line = xstrdup("");

	for (int i = 0; i < count; i++) {
		char *longer = xasprintf("%s%s%s", line, i ? " " : "", words[i]);
		free(line);
		line = longer;
	}
	return line;
}

static char *join_ids(const struct record_options *options, const char *one, const char *many)
{
	char *text = xstrdup(options->ids.count == 1 ? one : many);

	for (size_t i = 0; i < options->ids.count; i++) {
		char *longer = xasprintf("%s%s%u", text, i ? ", " : " ", options->ids.at[i]);
		free(text);
		text = longer;
	}
	return text;
}

static char *describe_target(const struct record_options *options)
{
	switch (options->capture.target) {
	case TARGET_PIDS:
		return join_ids(options, "process", "processes");
	case TARGET_TIDS:
		return join_ids(options, "thread", "threads");
	case TARGET_COMM:
		return xasprintf("threads named %s", options->capture.comm_glob);
	case TARGET_CGROUP:
		return xasprintf("cgroup %s", options->capture.cgroup);
	case TARGET_COMMAND:
		return xasprintf("%s and what it started", basename(options->command[0]));
	default:
		if (!options->capture.has_kernel_threads)
			return xstrdup("all user threads");
		return xstrdup(
			options->capture.has_user_threads ? "all threads" : "all kernel threads");
	}
}

/* Wrong usage with a COMMAND is dwell's own failure: 2 would be taken for COMMAND's. */
static int usage_status(const struct record_options *options)
{
	return options->command ? STATUS_COMMAND_FAILED : STATUS_USAGE;
}

/*
 * A process or thread that is not there is a mistake to tell at once. Those that are there are
 * held, as numbers are given again.
 */
static int hold_ids(struct record_options *options)
{
	for (size_t i = 0; i < options->ids.count; i++) {
		char path[64];
		snprintf(path, sizeof(path), "/proc/%u", options->ids.at[i]);
		int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (folder < 0 && errno == ENOENT)
			return fail(usage_status(options),
				"there is no %s %u; find it with: pgrep -a NAME",
				options->capture.target == TARGET_PIDS ? "process" : "thread",
				options->ids.at[i]);
		vec_push(&options->id_folders, folder);
	}
	return 0;
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* By the name that it was started by, if there is a link of that name beside the file:
 * redis-server, not redis-check-rdb. Caller frees. */
static char *by_own_name(uint32_t pid, const char *path)
{
	_cleanup_free_ char *file = xasprintf("/proc/%u/comm", pid);
	_cleanup_free_ char *comm = NULL;

	if (proc_text_read(file, &comm))
		return xstrdup(path);
	comm[strcspn(comm, "\n")] = '\0';
	char *other = xasprintf("%.*s/%s", (int)(strrchr(path, '/') - path), path, comm);
	if (comm[0] && !strchr(comm, '/') && is_same_file(other, path))
		return other;
	free(other);
	return xstrdup(path);
}

/*
 * The file that a process runs, as the kernel calls it: by that name if it is the same file to us,
 * else through the process, as of one that was replaced, or of a container. NULL: it has none.
 * Caller frees.
 */
static char *program_of(uint32_t pid)
{
	_cleanup_free_ char *link = xasprintf("/proc/%u/exe", pid);
	char path[PATH_MAX];
	ssize_t length = readlink(link, path, sizeof(path) - 1);

	if (length <= 0)
		return NULL;
	path[length] = 0;
	if (is_same_file(path, link))
		return by_own_name(pid, path);
	_cleanup_free_ char *inside = xasprintf("/proc/%u/root%s", pid, path);
	return xstrdup(is_same_file(inside, link) ? inside : link);
}

/* The one file that all processes run, if it is one. Caller frees. */
static char *common_program(const struct record_options *options)
{
	char *common = NULL;

	for (size_t i = 0; i < options->ids.count; i++) {
		_cleanup_free_ char *program = program_of(options->ids.at[i]);
		if (!common && program) {
			common = xstrdup(program);
		} else if (!program || !is_same_file(common, program)) {
			free(common);
			return NULL;
		}
	}
	return common;
}

/* Functions that are named without a file are of this one; NULL: of no one program. Caller frees.
 */
static char *find_program(const struct record_options *options)
{
	const struct capture_options *capture = &options->capture;
	bool is_numbered = capture->target == TARGET_PIDS || capture->target == TARGET_TIDS;
	char *file = NULL, *path;

	if (is_numbered)
		return common_program(options);
	if (capture->target != TARGET_COMMAND || child_find(options->command[0], &file) || !file)
		return file;
	path = realpath(file, NULL);
	free(file);
	return path;
}

/* Of a process of somebody else it is not to be seen what it runs. */
static bool is_program_hidden(const struct record_options *options)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < options->ids.count; i++) {
		_cleanup_free_ char *link = xasprintf("/proc/%u/exe", options->ids.at[i]);
		if (readlink(link, path, sizeof(path)) < 0 && errno == EACCES)
			return true;
	}
	return false;
}

static int settle_calls(struct record_options *options)
{
	_cleanup_free_ char *program = find_program(options);

	if (!program && call_arguments_need_program(&options->calls) && is_program_hidden(options))
		return fail(options->command ? STATUS_COMMAND_FAILED : STATUS_REFUSED,
			"-p: only its owner may see which program that is: run dwell as root, or "
			"give "
			"functions as FILE:FUNCTION");
	options->calls.most_cost = options->events.overhead;
	return call_arguments_settle(
		&options->calls, &options->capture, program, usage_status(options));
}

int record_options_settle(struct record_options *options, int argc, char **argv)
{
	struct capture_options *capture = &options->capture;

	if (!capture->has_kernel_threads && !capture->has_user_threads)
		return fail(usage_status(options), "-u and -k together leave no thread");
	if (capture->min_wait_ns > capture->max_wait_ns)
		return fail(usage_status(options),
			"the shortest wait (-m) is longer than the longest (-M)");
	if (options->command && !options->has_target)
		capture->target = TARGET_COMMAND;
	int status = event_options_settle(
		&options->events, capture, options->command != NULL, usage_status(options));
	if (!status)
		status = hold_ids(options);
	if (!status)
		status = settle_calls(options);
	if (status)
		return status;
	options->target_text = describe_target(options);
	_cleanup_free_ char *words = join_words(argc - 1, argv + 1);
	options->command_line =
		xasprintf("dwell%s%s %s", options->name[0] ? " " : "", options->name, words);
	capture->target_text = options->target_text;
	capture->command_line = options->command_line;
	return 0;
}

/* Is there a COMMAND behind "--"? Asked when the options before it could not be read. */
static bool has_command(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return false;
}

int record_options_read(struct record_options *options, const struct command *command,
	const struct argp *argp, void *input, int argc, char **argv)
{
	options->name = command->name;
	int status = options_parse(command, argp, ARGP_IN_ORDER, argc, argv, input);
	if (status == OPTIONS_GO_ON)
		status = record_options_settle(options, argc, argv);
	else if (status != STATUS_DONE && has_command(argc, argv))
		status = STATUS_COMMAND_FAILED;
	else
		return status;
	if (status)
		return status;
	if (!options->is_quiet)
		perf_options_say(&options->perf);
	return OPTIONS_GO_ON;
}

int record_options_parse(
	struct record_options *options, const struct command *command, int argc, char **argv)
{
	record_options_init(options);
	return record_options_read(options, command, &record_argp, options, argc, argv);
}

void record_options_limit(struct record_options *options)
{
	if (options->capture.duration_ns || options->command)
		return;
	options->capture.duration_ns = RECORD_DEFAULT_DURATION_NS;
	if (!options->is_quiet)
		fputs("dwell: recording for 10 s (-d changes that, Ctrl-C stops earlier)\n",
			stderr);
}

void record_options_clear(struct record_options *options)
{
	vec_clear(&options->ids);
	event_options_clear(&options->events);
	call_arguments_clear(&options->calls);
	vec_each (folder, &options->id_folders)
		if (*folder >= 0)
			close(*folder);
	vec_clear(&options->id_folders);
	free(options->target_text);
	free(options->command_line);
}
