// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links in /proc/PID/fd are only read, never followed: nothing of another process can hold this
 * up. How a file is open is in the link's own mode.
 */
#include "capture/pipe_ends.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Links and processes that are looked at, some 100 ms of them, and pipes that are asked for: on
 * machines with more, ends stay untold. */
#define MOST_LOOKS 65536
#define MOST_PIPES 1024

void pipe_ends_want(struct pipe_ends *ends, uint64_t inode)
{
	if (ends->wanted.count < MOST_PIPES)
		*map64_put(&ends->wanted, inode, NULL) = 1;
}

/* The inode of the pipe that a link leads to; 0: it leads to something else. */
static uint64_t pipe_of_link(int folder, const char *name)
{
	char target[sizeof("pipe:[18446744073709551615]")] = "";
	uint64_t inode = 0;

	if (readlinkat(folder, name, target, sizeof(target) - 1) < 0 ||
		sscanf(target, "pipe:[%" SCNu64 "]", &inode) != 1)
		return 0;
	return inode;
}

void pipe_ends_add(struct pipe_ends *ends, const struct pipe_end *end)
{
	uint64_t *index = map64_put(&ends->by_process, end->inode << 32 | end->pid, NULL);

	if (!*index) {
		vec_push(&ends->ends, *end);
		*index = ends->ends.count;
	}
	ends->ends.at[*index - 1].reads |= end->reads;
	ends->ends.at[*index - 1].writes |= end->writes;
}

static void note_link(struct pipe_ends *ends, uint32_t pid, int folder, const char *name)
{
	uint64_t inode = pipe_of_link(folder, name);
	struct stat link;

	if (!inode || !map64_find(&ends->wanted, inode) ||
		fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW))
		return;
	pipe_ends_add(ends, &(struct pipe_end){
				    .inode = inode,
				    .pid = pid,
				    .reads = link.st_mode & S_IRUSR,
				    .writes = link.st_mode & S_IWUSR,
			    });
}

/* Returns how often it has looked, at most as often as is left. */
static size_t look_at_process(struct pipe_ends *ends, const char *pid, size_t left)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fd", pid);
	DIR *files = opendir(path);
	struct dirent *file;
	size_t looks = 1;

	while (files && looks < left && (file = readdir(files))) {
		if (!isdigit((unsigned char)file->d_name[0]))
			continue;
		note_link(ends, (uint32_t)strtoul(pid, NULL, 10), dirfd(files), file->d_name);
		looks++;
	}
	if (files)
		closedir(files);
	return looks;
}

void pipe_ends_look(struct pipe_ends *ends)
{
	DIR *processes = ends->wanted.count ? opendir("/proc") : NULL;
	size_t left = MOST_LOOKS;
	struct dirent *entry;

	while (processes && left && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			left -= look_at_process(ends, entry->d_name, left);
	if (processes)
		closedir(processes);
	ends->is_partial |= !left;
}

static const struct pipe_end *end_of(const struct pipe_ends *ends, uint64_t inode, uint32_t pid)
{
	const uint64_t *index = map64_find(&ends->by_process, inode << 32 | pid);

	return index ? &ends->ends.at[*index - 1] : NULL;
}

uint32_t pipe_ends_other(const struct pipe_ends *ends, uint64_t inode, uint32_t pid)
{
	const struct pipe_end *own = end_of(ends, inode, pid);
	uint32_t other = 0;

	if (ends->is_partial || !own || own->reads == own->writes)
		return 0;
	vec_each (end, &ends->ends) {
		if (end->inode != inode || end == own || (own->reads ? !end->writes : !end->reads))
			continue;
		if (other)
			return 0;
		other = end->pid;
	}
	return other;
}

void pipe_ends_clear(struct pipe_ends *ends)
{
	map64_clear(&ends->wanted);
	map64_clear(&ends->by_process);
	vec_clear(&ends->ends);
}
