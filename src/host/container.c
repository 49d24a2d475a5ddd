// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Container ids out of cgroup paths, part by part; a part ends at a slash, or at a colon, which
 * containerd writes into cgroup names when it takes a systemd path for a plain one.
 */
#include "host/container.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "host/proc_text.h"
#include "util/mem.h"

#define ID_LENGTH 64
#define TASK_LENGTH 32
#define MIN_PREFIX 8

static size_t hex_length(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

static void copy_name(char ret[static CONTAINER_ID_ROOM], const char *name, size_t length)
{
	snprintf(ret, CONTAINER_ID_ROOM, "%.*s", (int)length, name);
}

/* 64 digits that are no part of a longer word. */
static bool find_id(const char *part, char ret[static CONTAINER_ID_ROOM])
{
	for (const char *at = part; *at;) {
		size_t length = strspn(at, "0123456789abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (length == ID_LENGTH && hex_length(at) == ID_LENGTH) {
			copy_name(ret, at, ID_LENGTH);
			return true;
		}
		at += length ? length : 1;
	}
	return false;
}

/* ECS on Fargate: the task's 32 digits, a dash, a number. */
static bool is_task_id(const char *part)
{
	const char *number = part + TASK_LENGTH + 1;

	return hex_length(part) == TASK_LENGTH && part[TASK_LENGTH] == '-' && *number &&
	       !number[strspn(number, "0123456789")];
}

/* systemd writes what it does not want in unit names as \x2d. */
static void unescape_unit(char *name)
{
	char *to = name;

	for (const char *at = name; *at; to++) {
		unsigned int byte;
		if (at[0] == '\\' && at[1] == 'x' && isxdigit((unsigned char)at[2]) &&
			isxdigit((unsigned char)at[3]) && sscanf(at + 2, "%2x", &byte) == 1 &&
			byte) {
			*to = (char)byte;
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = 0;
}

/* What is between prefix and suffix, if anything. */
static bool find_between(const char *part, const char *prefix, const char *suffix,
	char ret[static CONTAINER_ID_ROOM])
{
	size_t length = strlen(part), before = strlen(prefix), after = strlen(suffix);

	if (length <= before + after || strncmp(part, prefix, before) ||
		strcmp(part + length - after, suffix))
		return false;
	copy_name(ret, part + before, length - before - after);
	unescape_unit(ret);
	return true;
}

static bool container_of_part(const char *part, char ret[static CONTAINER_ID_ROOM])
{
	if (strstr(part, "conmon-"))
		return false;
	if (find_id(part, ret))
		return true;
	if (is_task_id(part)) {
		copy_name(ret, part, strlen(part));
		return true;
	}
	return find_between(part, "lxc.payload.", "", ret) ||
	       find_between(part, "machine-", ".scope", ret) ||
	       find_between(part, "systemd-nspawn@", ".service", ret);
}

bool container_of_path(const char *cgroup_path, char ret[static CONTAINER_ID_ROOM])
{
	static const char deleted[] = " (deleted)";
	_cleanup_free_ char *path = xstrndup(cgroup_path, strcspn(cgroup_path, "\n"));
	size_t length = strlen(path);
	bool is_found = false, is_after_lxc = false;
	char *rest = NULL;

	ret[0] = 0;
	if (length >= strlen(deleted) && !strcmp(path + length - strlen(deleted), deleted))
		path[length - strlen(deleted)] = 0;
	for (char *part = strtok_r(path, "/:", &rest); part; part = strtok_r(NULL, "/:", &rest)) {
		char name[CONTAINER_ID_ROOM];
		if (container_of_part(part, name)) {
			memcpy(ret, name, sizeof(name));
			is_found = true;
		} else if (is_after_lxc) {
			/* LXC before 4.0 */
			copy_name(ret, part, strlen(part));
			is_found = true;
		}
		is_after_lxc = !strcmp(part, "lxc");
	}
	return is_found;
}

bool container_of_process(uint32_t pid, char ret[static CONTAINER_ID_ROOM])
{
	_cleanup_free_ char *text = NULL;
	char path[64];

	ret[0] = 0;
	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	for (const char *line = proc_text_read(path, &text) ? "" : text; *line;) {
		if (container_of_path(line, ret))
			return true;
		line += strcspn(line, "\n");
		line += *line ? 1 : 0;
	}
	return false;
}

static bool same_but_dashes(const char *text, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != name[i] &&
			!((text[i] == '-' || text[i] == '_') && (name[i] == '-' || name[i] == '_')))
			return false;
	return true;
}

/* "pod" and a uid, which follow the start of the part or a dash. */
static bool pod_matches(const char *part, const char *name, size_t length)
{
	for (const char *at = strstr(part, "pod"); at; at = strstr(at + 1, "pod"))
		if ((at == part || at[-1] == '-') &&
			strspn(at + 3, "0123456789abcdef-_") >= length &&
			same_but_dashes(at + 3, name, length))
			return true;
	return false;
}

bool container_part_matches(const char *part, const char *name)
{
	const char *scheme = strstr(name, "://");
	char container[CONTAINER_ID_ROOM];

	if (scheme)
		name = scheme + 3;
	if (!name[0])
		return false;
	if (!strcmp(part, name))
		return true;
	size_t length = strlen(name);
	bool is_container = container_of_part(part, container);
	if (is_container && !strcmp(container, name))
		return true;
	if (is_container && length >= MIN_PREFIX && hex_length(name) == length &&
		hex_length(container) >= TASK_LENGTH && !strncmp(container, name, length))
		return true;
	if (!strncmp(name, "pod", 3))
		name += 3, length -= 3;
	return length >= MIN_PREFIX && hex_length(name) >= MIN_PREFIX &&
	       pod_matches(part, name, length);
}

bool container_is_short_id(const char *name)
{
	size_t length = hex_length(name);

	return length && length < MIN_PREFIX && !name[length];
}
