// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds tracefs by the mounts of this process: by itself, or below debugfs, where looking into it
 * mounts it. Names come from the user and become a part of a path, so only such are looked for as
 * the kernel gives.
 */
#include "host/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host/proc_text.h"
#include "util/nearest.h"
#include "util/vec.h"

/* Those of the tracer's own records (function, print) are no places in the kernel. */
#define OWN_CATEGORY "ftrace"

static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-";

	return *name && !name[strspn(name, letters)] && strlen(name) < 128;
}

bool tracepoint_split(const char *text, char **ret_category, char **ret_name)
{
	static const char *const prefixes[] = {"tracepoint:", "t:"};
	static const char syscall[] = "syscall:";
	size_t length;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(text, prefixes[i], strlen(prefixes[i]))) {
			text += strlen(prefixes[i]);
			break;
		}
	length = strcspn(text, ":");
	if (!length || !text[length] || !text[length + 1])
		return false;
	const char *name = text + length + 1;
	if (!strncmp(text, syscall, strlen(syscall))) {
		size_t call = strcspn(name, ":");
		if (!call || (name[call] && strcmp(name + call, ":ret")))
			return false;
		*ret_category = xstrdup("syscalls");
		*ret_name =
			xasprintf("sys_%s_%.*s", name[call] ? "exit" : "enter", (int)call, name);
		return true;
	}
	if (strchr(name, ':'))
		return false;
	*ret_category = xstrndup(text, length);
	*ret_name = xstrdup(name);
	return true;
}

/* The folder of all tracepoints; the caller frees it. */
static int find_folder(char **ret, struct why *why)
{
	_cleanup_free_ char *mountinfo = NULL, *mount = NULL, *folder = NULL;
	struct stat status;
	int error = proc_text_read("/proc/self/mountinfo", &mountinfo);

	if (error)
		return why_set(
			why, error, "cannot read /proc/self/mountinfo: %s", strerror(-error));
	if (!proc_text_mount(mountinfo, "tracefs", &mount))
		folder = xasprintf("%s/events", mount);
	else if (!proc_text_mount(mountinfo, "debugfs", &mount))
		folder = xasprintf("%s/tracing/events", mount);
	error = !folder || stat(folder, &status) ? -errno : 0;
	if (!folder || error == -ENOENT || error == -ENOTDIR)
		return why_set(why, -ENODEV,
			"tracefs, which describes tracepoints, is not mounted: " TRACEPOINT_MOUNT);
	if (error)
		return why_set(why, error, "cannot look into %s: %s%s", folder, strerror(-error),
			error == -EACCES ? "; be root" : "");
	*ret = folder;
	folder = NULL;
	return 0;
}

typedef VEC(char *) names;

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void clear_names(names *list)
{
	vec_each (name, list)
		free(*name);
	vec_clear(list);
}

/* The folders in a folder, sorted. */
static int list_folder(const char *path, names *ret)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	if (!folder)
		return -errno;
	while ((entry = readdir(folder)))
		if (is_name(entry->d_name) &&
			(entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			vec_push(ret, xstrdup(entry->d_name));
	closedir(folder);
	vec_sort(ret, by_name);
	return 0;
}

int tracepoint_each(bool (*each)(void *context, const char *category, const char *name),
	void *context, struct why *why)
{
	_cleanup_free_ char *folder = NULL;
	_cleanup_(clear_names) names categories = {0};
	bool goes_on = true;
	int error = find_folder(&folder, why);

	if (error)
		return error;
	error = list_folder(folder, &categories);
	if (error)
		return why_set(why, error, "cannot look into %s: %s%s", folder, strerror(-error),
			error == -EACCES ? "; be root" : "");
	for (size_t i = 0; i < categories.count && goes_on; i++) {
		_cleanup_(clear_names) names points = {0};
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, categories.at[i]);
		/* One that goes away with its module is none. */
		if (!strcmp(categories.at[i], OWN_CATEGORY) || list_folder(path, &points))
			continue;
		for (size_t j = 0; j < points.count && goes_on; j++)
			goes_on = each(context, categories.at[i], points.at[j]);
	}
	return 0;
}

/* Reading what is near to a name that there is not. */

static bool add_near(void *context, const char *category, const char *name)
{
	_cleanup_free_ char *both = xasprintf("%s:%s", category, name);

	nearest_add(context, both);
	return true;
}

static int unknown(const char *category, const char *name, struct why *why)
{
	_cleanup_free_ char *wrong = xasprintf("%s:%s", category, name);
	struct nearest nearest;

	nearest_init(&nearest, wrong);
	tracepoint_each(add_near, &nearest, NULL);
	_cleanup_free_ char *near = nearest_text(&nearest);
	nearest_clear(&nearest);
	if (near)
		return why_set(why, -ENOENT, "there is no tracepoint %s; near are %s", wrong, near);
	return why_set(why, -ENOENT,
		"there is no tracepoint %s, nor one whose name is near; those of this kernel: "
		"dwell list '*:*'",
		wrong);
}

int tracepoint_read(const char *category, const char *name, struct tracepoint *ret, struct why *why)
{
	_cleanup_free_ char *folder = NULL, *path = NULL, *text = NULL;
	struct tracepoint tracepoint;
	int error = find_folder(&folder, why);

	if (error)
		return error;
	if (!is_name(category) || !is_name(name) || !strcmp(category, OWN_CATEGORY))
		return unknown(category, name, why);
	path = xasprintf("%s/%s/%s/format", folder, category, name);
	error = proc_text_read(path, &text);
	if (error == -ENOENT)
		return unknown(category, name, why);
	if (error)
		return why_set(why, error, "cannot read %s: %s%s", path, strerror(-error),
			error == -EACCES ? "; be root" : "");
	error = tracepoint_parse(text, &tracepoint);
	if (error)
		return why_set(
			why, error, "%s does not look like the format of a tracepoint", path);
	tracepoint.category = xstrdup(category);
	*ret = tracepoint;
	return 0;
}

/* Names of the fields that a weight can be. */

char *tracepoint_number_fields(const struct tracepoint *tracepoint)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < tracepoint->field_count; i++) {
		if (!tracepoint->fields[i].is_number)
			continue;
		char *longer =
			xasprintf("%s%s%s", text, *text ? ", " : "", tracepoint->fields[i].name);
		free(text);
		text = longer;
	}
	return text;
}

int tracepoint_number_field(const struct tracepoint *tracepoint, const char *name,
	const struct tracepoint_field **ret, struct why *why)
{
	const struct tracepoint_field *found = NULL;

	for (size_t i = 0; i < tracepoint->field_count && !found; i++)
		if (!strcmp(tracepoint->fields[i].name, name))
			found = &tracepoint->fields[i];
	if (found && found->is_number) {
		*ret = found;
		return 0;
	}
	_cleanup_free_ char *numbers = tracepoint_number_fields(tracepoint);
	_cleanup_free_ char *others =
		*numbers ? xasprintf("its numbers are %s", numbers) : xstrdup("it has no numbers");
	if (found)
		return why_set(why, -EINVAL, "field %s of %s:%s is %s, not a number; %s", name,
			tracepoint->category, tracepoint->name, found->type, others);
	return why_set(why, -ENOENT, "%s:%s has no field %s; %s", tracepoint->category,
		tracepoint->name, name, others);
}

void tracepoint_clear(struct tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->field_count; i++) {
		free(tracepoint->fields[i].name);
		free(tracepoint->fields[i].type);
	}
	free(tracepoint->fields);
	free(tracepoint->category);
	free(tracepoint->name);
	*tracepoint = (struct tracepoint){0};
}
