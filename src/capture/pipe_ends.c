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

/* Links that are read, some 100 ms of them: on machines with more, some ends stay untold. */
#define MOST_LINKS 65536

void pipe_ends_want(struct pipe_ends *ends, uint64_t inode)
{
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

static void note_link(struct pipe_ends *ends, uint32_t pid, int folder, const char *name)
{
	uint64_t inode = pipe_of_link(folder, name);
	struct stat link;

	if (!inode || !map64_find(&ends->wanted, inode) ||
		fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW))
		return;
	struct pipe_end end = {
		.inode = inode,
		.pid = pid,
		.reads = link.st_mode & S_IRUSR,
		.writes = link.st_mode & S_IWUSR,
	};
	vec_push(&ends->ends, end);
}

/* Returns how many links it has read, of `most`. */
static size_t look_at_process(struct pipe_ends *ends, const char *pid, size_t most)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fd", pid);
	DIR *files = opendir(path);
	struct dirent *file;
	size_t links = 0;

	while (files && links < most && (file = readdir(files))) {
		if (!isdigit((unsigned char)file->d_name[0]))
			continue;
		note_link(ends, (uint32_t)strtoul(pid, NULL, 10), dirfd(files), file->d_name);
		links++;
	}
	if (files)
		closedir(files);
	return links;
}

void pipe_ends_look(struct pipe_ends *ends)
{
	DIR *processes = ends->wanted.count ? opendir("/proc") : NULL;
	size_t left = MOST_LINKS;
	struct dirent *entry;

	while (processes && left && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			left -= look_at_process(ends, entry->d_name, left);
	if (processes)
		closedir(processes);
	/* Who has not been looked at may have an end, too. */
	if (!left)
		vec_clear(&ends->ends);
}

uint32_t pipe_ends_other(const struct pipe_ends *ends, uint64_t inode, uint32_t pid)
{
	bool reads = false, writes = false;
	uint32_t other = 0;

	vec_each (end, &ends->ends)
		if (end->inode == inode && end->pid == pid) {
			reads |= end->reads;
			writes |= end->writes;
		}
	if (reads == writes)
		return 0;
	vec_each (end, &ends->ends) {
		if (end->inode != inode || end->pid == pid || (reads ? !end->writes : !end->reads))
			continue;
		if (other && other != end->pid)
			return 0;
		other = end->pid;
	}
	return other;
}

void pipe_ends_clear(struct pipe_ends *ends)
{
	map64_clear(&ends->wanted);
	vec_clear(&ends->ends);
}
