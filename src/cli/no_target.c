// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of a target that matches nobody, with the nearest name that is there. */
#include "cli/no_target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Names of processes are enough for a hint: threads have theirs, or names that begin so. */
#define MOST_NAMES 4096

typedef VEC(char *) name_list;

static void read_name(const char *pid, name_list *names)
{
	char path[300], name[64];
	_cleanup_fclose_ FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(name, sizeof(name), file))
		return;
	name[strcspn(name, "\n")] = 0;
	vec_push(names, xstrdup(name));
}

static void read_names(name_list *names)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && names->count < MOST_NAMES && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			read_name(entry->d_name, names);
	if (folder)
		closedir(folder);
	vec_push(names, NULL);
}

/* "; did you mean 'postgres'?", or "". Caller frees. */
static char *suggestion(const char *glob)
{
	_cleanup_free_ char *plain = xstrdup(glob);
	const char *near = NULL;
	name_list names = {0};
	size_t used = 0;
	char *text;

	for (const char *at = glob; *at; at++)
		if (*at != '*' && *at != '?')
			plain[used++] = *at;
	plain[used] = 0;
	read_names(&names);
	for (size_t i = 0; plain[0] && i + 1 < names.count && !near; i++)
		if (strcasestr(names.at[i], plain))
			near = names.at[i];
	if (!near)
		near = text_nearest(plain, (const char *const *)names.at);
	text = near ? xasprintf("; did you mean '%s'?", near) : xstrdup("");
	for (size_t i = 0; i < names.count; i++)
		free(names.at[i]);
	vec_clear(&names);
	return text;
}

/* "no thread is named nginx", "no kernel thread is in cgroup web". Caller frees. */
static char *nobody(const struct record_options *options, bool is_over)
{
	const struct capture_options *capture = &options->capture;
	const char *side = !capture->has_kernel_threads ? "user "
			   : !capture->has_user_threads ? "kernel "
							: "";
	const char *is = is_over ? "was" : "is";

	switch (capture->target) {
	case TARGET_COMM:
		return xasprintf("no %sthread %s named %s", side, is, capture->comm_glob);
	case TARGET_CGROUP:
		return xasprintf("no %sthread %s in cgroup %s", side, is, capture->cgroup);
	default:
		return xasprintf("no %sthread %s seen of %s", side, is, options->target_text);
	}
}

void no_target_yet(const struct record_options *options)
{
	_cleanup_free_ char *whom = nobody(options, false);
	_cleanup_free_ char *hint = options->capture.target == TARGET_COMM
					    ? suggestion(options->capture.comm_glob)
					    : xstrdup("");

	fail(0, "%s yet: those that come are recorded%s", whom, hint);
}

int no_target_at_all(const struct record_options *options, struct why *why)
{
	_cleanup_free_ char *whom = nobody(options, true);

	return why_set(why, -ENXIO, "%s: nothing was recorded", whom);
}
