// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsers of single /proc and /sys files. They walk lines and fields and never assume a length. */
#include "host/proc_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/io.h"
#include "util/mem.h"

#define READ_LIMIT (1UL << 20)

int proc_text_read(const char *path, char **ret_text)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t used = 0, room = 0;

	if (fd < 0)
		return -errno;
	while (used < READ_LIMIT) {
		room = room ? room * 2 : 8192;
		text = xreallocarray(text, room, 1);
		ssize_t got = io_read(fd, text + used, room - used - 1, IO_HERE);
		if (got < 0)
			return (int)got;
		used += (size_t)got;
		if (used < room - 1)
			break;
	}
	text[used] = 0;
	*ret_text = text;
	text = NULL;
	return 0;
}

int proc_text_read_number(const char *path, int64_t *ret_number)
{
	_cleanup_free_ char *text = NULL;
	char *end;
	int error = proc_text_read(path, &text);

	if (error)
		return error;
	errno = 0;
	long long number = strtoll(text, &end, 10);
	if (end == text || errno)
		return -EINVAL;
	*ret_number = number;
	return 0;
}

/* The rest of the line that begins with prefix, or NULL. */
static const char *after_line_start(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	while (text && *text) {
		if (!strncmp(text, prefix, length))
			return text + length;
		text = strchr(text, '\n');
		text += text ? 1 : 0;
	}
	return NULL;
}

int proc_text_capabilities(const char *status, uint64_t *ret_mask)
{
	const char *value = after_line_start(status, "CapEff:");
	char *end;

	if (!value)
		return -ENOENT;
	value += strspn(value, " \t");
	errno = 0;
	uint64_t mask = strtoull(value, &end, 16);
	if (end == value || errno || (*end && *end != '\n'))
		return -EINVAL;
	*ret_mask = mask;
	return 0;
}

int proc_text_chosen(const char *text, char **ret_word)
{
	const char *begin = strchr(text, '[');
	const char *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return -EINVAL;
	*ret_word = xstrndup(begin + 1, (size_t)(end - begin - 1));
	return 0;
}

bool proc_text_has_addresses(const char *kallsyms)
{
	while (kallsyms && *kallsyms) {
		if (strspn(kallsyms, "0") < strspn(kallsyms, "0123456789abcdef"))
			return true;
		kallsyms = strchr(kallsyms, '\n');
		kallsyms += kallsyms ? 1 : 0;
	}
	return false;
}

int proc_text_value(const char *text, const char *name, uint64_t *ret_value)
{
	_cleanup_free_ char *by_space = xasprintf("%s ", name), *by_tab = xasprintf("%s\t", name);
	const char *value = after_line_start(text, by_space);
	char *end;

	if (!value)
		value = after_line_start(text, by_tab);
	if (!value)
		return -ENOENT;
	errno = 0;
	uint64_t number = strtoull(value, &end, 10);
	if (end == value || errno)
		return -EINVAL;
	*ret_value = number;
	return 0;
}

/* Is word one of the comma-separated list's? The list ends at any of the stop characters. */
static bool list_has(const char *list, const char *stops, const char *word)
{
	size_t length = strlen(word);
	const char *end = list + strcspn(list, stops);

	while (list < end) {
		size_t item = strcspn(list, ",");
		if (list + item > end)
			item = (size_t)(end - list);
		if (item == length && !strncmp(list, word, length))
			return true;
		list += item + 1;
	}
	return false;
}

/* Path of the process in the hierarchy, from lines "ID:CONTROLLERS:PATH"; caller frees. */
static char *cgroup_path(const char *cgroup, const char *controller)
{
	while (cgroup && *cgroup) {
		size_t line = strcspn(cgroup, "\n");
		const char *controllers = memchr(cgroup, ':', line);
		const char *path = controllers ? memchr(controllers + 1, ':',
							 line - (size_t)(controllers + 1 - cgroup))
					       : NULL;
		if (path && (controller ? list_has(controllers + 1, ":", controller)
					: !strncmp(cgroup, "0::", 3)))
			return xstrndup(path + 1, (size_t)(cgroup + line - path - 1));
		cgroup += line + (cgroup[line] ? 1 : 0);
	}
	return NULL;
}

struct mount_line {
	const char *root, *point, *type, *options;
	size_t root_length, point_length, type_length;
};

/* "36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
static bool split_mount(const char *line, struct mount_line *mount)
{
	const char *at = line, *end = line + strcspn(line, "\n");

	for (int field = 0; field < 5; field++) {
		size_t length = strcspn(at, " \n");
		if (at + length >= end)
			return false;
		if (field == 3)
			mount->root = at, mount->root_length = length;
		if (field == 4)
			mount->point = at, mount->point_length = length;
		at += length + 1;
	}
	at = strstr(at, " - ");
	if (!at || at >= end)
		return false;
	mount->type = at + 3;
	mount->type_length = strcspn(mount->type, " \n");
	const char *source = mount->type + mount->type_length + 1;
	if (source >= end)
		return false;
	mount->options = source + strcspn(source, " \n") + 1;
	return mount->options <= end;
}

static int find_mount(
	const char *mountinfo, const char *type, const char *option, struct mount_line *ret_mount)
{
	struct mount_line mount;

	while (mountinfo && *mountinfo) {
		if (split_mount(mountinfo, &mount) && mount.type_length == strlen(type) &&
			!strncmp(mount.type, type, mount.type_length) &&
			(!option || list_has(mount.options, "\n", option))) {
			*ret_mount = mount;
			return 0;
		}
		mountinfo = strchr(mountinfo, '\n');
		mountinfo += mountinfo ? 1 : 0;
	}
	return -ENOENT;
}

int proc_text_mount(const char *mountinfo, const char *type, char **ret_mount)
{
	struct mount_line mount;
	int error = find_mount(mountinfo, type, NULL, &mount);

	if (!error)
		*ret_mount = xstrndup(mount.point, mount.point_length);
	return error;
}

int proc_text_cgroup_folder(const char *cgroup, const char *mountinfo, const char *controller,
	char **ret_folder, size_t *ret_mount_length)
{
	struct mount_line mount;
	_cleanup_free_ char *path = cgroup_path(cgroup, controller);
	int error = find_mount(mountinfo, controller ? "cgroup" : "cgroup2", controller, &mount);

	if (error || !path)
		return -ENOENT;
	/* A container mounts its own part of the tree: paths below that part are relative to it. */
	const char *below = path;
	if (mount.root_length > 1 && !strncmp(path, mount.root, mount.root_length) &&
		(path[mount.root_length] == '/' || !path[mount.root_length]))
		below += mount.root_length;
	if (!strcmp(below, "/"))
		below = "";
	*ret_folder = xasprintf("%.*s%s", (int)mount.point_length, mount.point, below);
	*ret_mount_length = mount.point_length;
	return 0;
}
