// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of mountinfo that are cgroup hierarchies. A hierarchy's number is in /proc/self/cgroup
 * only, found there by the controllers (or the name) that the mount's options tell. A mount is
 * known by its device, because mount points may be bound elsewhere, linked to, or hidden.
 */
#include "host/cgroup_mount.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "host/proc_text.h"

/* PROC_CGROUP_INIT_INO of the kernel: the namespace in which all cgroups are to be seen. */
#define INITIAL_CGROUP_NAMESPACE 0xEFFFFFFBU

struct word {
	const char *at;
	size_t length;
};

/* The next word of the line, after any of the stops; false at the line's end. */
static bool next_word(const char **line, const char *stops, struct word *word)
{
	*line += strspn(*line, stops);
	*word = (struct word){*line, 0};
	while ((*line)[0] && (*line)[0] != '\n' && !strchr(stops, (*line)[0]))
		(*line)++;
	word->length = (size_t)(*line - word->at);
	return word->length;
}

static bool is_word(const struct word *word, const char *text)
{
	return word->length == strlen(text) && !memcmp(word->at, text, word->length);
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line ? 1 : 0);
}

static bool list_has(struct word list, const struct word *wanted)
{
	_cleanup_free_ char *copy = xstrndup(list.at, list.length);
	const char *at = copy;
	struct word one;

	while (next_word(&at, ",", &one))
		if (one.length == wanted->length && !memcmp(one.at, wanted->at, one.length))
			return true;
	return false;
}

/* Is each of the controllers (name=x is like one) among the mount's options? */
static bool has_all(struct word options, struct word controllers, bool *ret_is_opaque)
{
	_cleanup_free_ char *copy = xstrndup(controllers.at, controllers.length);
	const char *at = copy;
	bool is_opaque = true;
	struct word one;

	while (next_word(&at, ",", &one)) {
		if (!list_has(options, &one))
			return false;
		if (one.length < 5 || memcmp(one.at, "name=", 5))
			is_opaque = false;
	}
	*ret_is_opaque = is_opaque;
	return true;
}

/* Looks through lines "NUMBER:CONTROLLERS:PATH"; version 2 has no controllers there. */
static bool number_hierarchy(
	const char *own_cgroups, struct word options, struct cgroup_mount *mount)
{
	for (const char *line = own_cgroups; *line; line = next_line(line)) {
		char *end;
		unsigned long number = strtoul(line, &end, 10);
		struct word controllers = {end + 1, 0};

		if (end == line || *end != ':' || !number || number > INT32_MAX)
			continue;
		controllers.length = strcspn(controllers.at, ":\n");
		if (controllers.at[controllers.length] != ':' || !controllers.length ||
			!has_all(options, controllers, &mount->is_opaque))
			continue;
		mount->hierarchy = (int)number;
		return true;
	}
	return false;
}

/* mountinfo writes blanks, tabs, newlines and backslashes as \ and three octal digits. */
static char *unescape(const struct word *word)
{
	char *text = xmalloc(word->length + 1), *to = text;

	for (size_t i = 0; i < word->length; i++) {
		const char *at = word->at + i;
		if (word->length - i > 3 && at[0] == '\\' && at[1] >= '0' && at[1] <= '3' &&
			at[2] >= '0' && at[2] <= '7' && at[3] >= '0' && at[3] <= '7') {
			*to++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			i += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = 0;
	return text;
}

static bool parse_device(const struct word *word, dev_t *ret)
{
	char *end;
	unsigned long major_number = strtoul(word->at, &end, 10);

	if (end == word->at || *end != ':')
		return false;
	const char *minor_at = end + 1;
	unsigned long minor_number = strtoul(minor_at, &end, 10);
	if (end == minor_at || end != word->at + word->length)
		return false;
	*ret = makedev((unsigned int)major_number, (unsigned int)minor_number);
	return true;
}

/* "36 35 0:30 /root /point rw,noatime master:1 - cgroup source rw,cpu,cpuacct" */
static bool parse_mount(const char *line, const char *own_cgroups, struct cgroup_mount *ret)
{
	struct word fields[5], type, source, options = {"", 0};
	struct cgroup_mount mount = {0};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!next_word(&line, " ", &fields[i]))
			return false;
	for (type = fields[0]; !is_word(&type, "-");)
		if (!next_word(&line, " ", &type))
			return false;
	if (!next_word(&line, " ", &type) || !next_word(&line, " ", &source) ||
		!parse_device(&fields[2], &mount.device))
		return false;
	next_word(&line, " ", &options);
	if (is_word(&type, "cgroup")) {
		if (!number_hierarchy(own_cgroups, options, &mount))
			return false;
	} else if (!is_word(&type, "cgroup2")) {
		return false;
	}
	mount.root = unescape(&fields[3]);
	mount.path = unescape(&fields[4]);
	*ret = mount;
	return true;
}

/* "/.." is outside of a cgroup namespace, thus wider than its "/". */
static size_t narrowness(const struct cgroup_mount *mount)
{
	return strncmp(mount->root, "/..", 3) ? strlen(mount->root) : 0;
}

static int by_hierarchy(const void *a, const void *b)
{
	const struct cgroup_mount *left = a, *right = b;
	size_t left_narrowness = narrowness(left), right_narrowness = narrowness(right);

	if (left->hierarchy != right->hierarchy)
		return left->hierarchy < right->hierarchy ? -1 : 1;
	if (left_narrowness != right_narrowness)
		return left_narrowness < right_narrowness ? -1 : 1;
	return strcmp(left->path, right->path);
}

void cgroup_mounts_parse(
	struct cgroup_mounts *mounts, const char *mountinfo, const char *own_cgroups)
{
	bool has_whole = false;

	for (const char *line = mountinfo; *line; line = next_line(line)) {
		struct cgroup_mount mount;
		if (parse_mount(line, own_cgroups, &mount))
			vec_push(&mounts->list, mount);
	}
	vec_sort(&mounts->list, by_hierarchy);
	vec_each (mount, &mounts->list)
		if (!strcmp(mount->root, "/"))
			has_whole = true;
	mounts->is_part = mounts->list.count && !has_whole;
}

void cgroup_mounts_read(struct cgroup_mounts *mounts)
{
	_cleanup_free_ char *mountinfo = NULL, *own_cgroups = NULL;
	struct stat status;

	if (!proc_text_read("/proc/self/mountinfo", &mountinfo) &&
		!proc_text_read("/proc/self/cgroup", &own_cgroups))
		cgroup_mounts_parse(mounts, mountinfo, own_cgroups);
	if (!stat("/proc/self/ns/cgroup", &status) && status.st_ino != INITIAL_CGROUP_NAMESPACE)
		mounts->is_part = true;
}

void cgroup_mounts_clear(struct cgroup_mounts *mounts)
{
	vec_each (mount, &mounts->list) {
		free(mount->path);
		free(mount->root);
	}
	vec_clear(&mounts->list);
	mounts->is_part = false;
}
