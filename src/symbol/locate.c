// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way to a mapped file. Files are first taken hold of with O_PATH, which runs no driver or FUSE
 * code and cannot block on a pipe, and opened for reading only when they turn out to be regular and
 * new to us. Paths below another process's root are resolved inside that root, so that a
 * container's links cannot lead us to the host's files.
 */
#include "symbol/locate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "util/mem.h"
#include "util/units.h"

static int open_below_root(uint32_t pid, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	_cleanup_free_ char *root = xasprintf("/proc/%" PRIu32 "/root", pid);
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root_fd < 0)
		return -1;
	return (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
}

static int open_mapping(uint32_t pid, const struct map_line *line)
{
	_cleanup_free_ char *link = xasprintf(
		"/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid, line->start, line->end);
	int fd = open(link, O_PATH | O_CLOEXEC);

	if (fd >= 0 || line->is_deleted)
		return fd;
	return open_below_root(pid, line->path);
}

int locate_mapped_file(uint32_t pid, const struct map_line *line, struct file_stamp *ret)
{
	int fd = open_mapping(pid, line);
	struct stat stat;

	if (fd < 0)
		return -1;
	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode)) {
		close(fd);
		return -1;
	}
	ret->bytes = (uint64_t)stat.st_size;
	ret->mtime_ns = (uint64_t)stat.st_mtim.tv_sec * NS_PER_S + (uint64_t)stat.st_mtim.tv_nsec;
	return fd;
}

int locate_open(int path_fd)
{
	_cleanup_free_ char *link = xasprintf("/proc/self/fd/%d", path_fd);

	return open(link, O_RDONLY | O_CLOEXEC);
}
