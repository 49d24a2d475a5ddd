// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way to a mapped file. Files are first taken hold of with O_PATH, which runs no driver or FUSE
 * code and cannot block on a pipe, and opened for reading only when they turn out to be regular and
 * new to us. Paths below another process's root are resolved inside that root, so that a
 * container's links cannot lead us to the host's files.
 */
#include "symbol/locate.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "util/mem.h"
#include "util/units.h"

/* Not in linux/magic.h. */
#define CONFIGFS_MAGIC 0x62656570
#define MQUEUE_MAGIC 0x19800202
#define FUSE_CONTROL_MAGIC 0x65735543
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif
#define RESCTRL_MAGIC 0x07655821

/* fd, or -1 and closed if it is no regular file. */
static int keep_regular(int fd, struct stat *ret)
{
	if (fd >= 0 && (fstat(fd, ret) || !S_ISREG(ret->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_below_root(uint32_t pid, const char *path, uint64_t flags)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_IN_ROOT};
	_cleanup_free_ char *root = xasprintf("/proc/%" PRIu32 "/root", pid);
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root_fd < 0)
		return -1;
	return (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
}

char *locate_path_inside(uint32_t pid, const char *path)
{
	_cleanup_free_ char *link = xasprintf("/proc/%" PRIu32 "/root", pid);
	char root[PATH_MAX];
	ssize_t length = readlink(link, root, sizeof(root));

	if (length > 1 && !strncmp(path, root, (size_t)length) && path[length] == '/')
		path += length;
	return xstrdup(path);
}

static int open_address(uint32_t pid, const struct map_line *line)
{
	_cleanup_free_ char *link = xasprintf(
		"/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid, line->start, line->end);

	return open(link, O_PATH | O_CLOEXEC);
}

static int open_path(uint32_t pid, const struct map_line *line)
{
	_cleanup_free_ char *inside = locate_path_inside(pid, line->path);

	return line->is_deleted ? -1 : open_below_root(pid, inside, 0);
}

static int open_mapping(uint32_t pid, const struct map_line *line)
{
	int fd = open_address(pid, line);

	return fd >= 0 ? fd : open_path(pid, line);
}

static struct file_stamp stamp_of(const struct stat *stat)
{
	return (struct file_stamp){.bytes = (uint64_t)stat->st_size,
		.mtime_ns = (uint64_t)stat->st_mtim.tv_sec * NS_PER_S +
			    (uint64_t)stat->st_mtim.tv_nsec};
}

int locate_mapped_file(uint32_t pid, const struct map_line *line, struct file_stamp *ret)
{
	struct stat stat;
	int fd = keep_regular(open_mapping(pid, line), &stat);

	if (fd < 0)
		return -1;
	*ret = stamp_of(&stat);
	return fd;
}

/* Of file systems without a device of their own (major 0) stat(2) may tell another number. */
static bool is_told(const struct stat *stat, const struct map_line *line)
{
	dev_t told = makedev(line->dev_major, line->dev_minor);

	return stat->st_ino == line->inode && (stat->st_dev == told || !major(stat->st_dev));
}

int locate_told_file(uint32_t pid, const struct map_line *line, struct file_stamp *ret)
{
	int (*const ways[])(uint32_t, const struct map_line *) = {open_address, open_path};
	struct stat stat;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		int fd = keep_regular(ways[i](pid, line), &stat);
		if (fd >= 0 && is_told(&stat, line)) {
			*ret = stamp_of(&stat);
			return fd;
		}
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* Asks for what the kernel has in memory: a network file system might never answer. */
bool locate_holds(int path_fd, const struct file_stamp *stamp, const struct map_line *line)
{
	struct statx now;

	if (path_fd < 0 || map_line_is_memory(line) ||
		statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &now))
		return false;
	return now.stx_ino == line->inode && now.stx_dev_major == line->dev_major &&
	       now.stx_dev_minor == line->dev_minor && now.stx_size == stamp->bytes &&
	       (uint64_t)now.stx_mtime.tv_sec * NS_PER_S + now.stx_mtime.tv_nsec == stamp->mtime_ns;
}

int locate_file(uint32_t pid, const char *path)
{
	struct stat stat;

	if (pid == LOCATE_OWN_ROOT)
		return keep_regular(open(path, O_PATH | O_CLOEXEC), &stat);
	return keep_regular(open_below_root(pid, path, 0), &stat);
}

int locate_unlinked_file(uint32_t pid, const char *path)
{
	struct stat stat;

	return keep_regular(open_below_root(pid, path, O_NOFOLLOW), &stat);
}

/*
 * File systems whose files are no files: reading them may wait for ever or have an effect. On FUSE,
 * which somebody's process answers for, even closing a file may: nobody could be left to hold it.
 */
static bool is_made_up(int fd)
{
	static const uint32_t made_up[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC,
		TRACEFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC,
		BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,
		DEVPTS_SUPER_MAGIC, BINFMTFS_MAGIC, NSFS_MAGIC, RESCTRL_MAGIC, XENFS_SUPER_MAGIC,
		USBDEVICE_SUPER_MAGIC, BINDERFS_SUPER_MAGIC, CONFIGFS_MAGIC, MQUEUE_MAGIC,
		FUSE_CONTROL_MAGIC, FUSE_SUPER_MAGIC};
	struct statfs system;

	if (fstatfs(fd, &system))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(made_up); i++)
		if ((uint32_t)system.f_type == made_up[i])
			return true;
	return false;
}

int locate_open(int path_fd, enum locate_use use)
{
	_cleanup_free_ char *link = xasprintf("/proc/self/fd/%d", path_fd);

	if (is_made_up(path_fd))
		return -ENOTSUP;
	/* faccessat() asks for the real user, without the capabilities that a file gave us. */
	if (use == LOCATE_FOR_NAMES && faccessat(path_fd, "", R_OK, AT_EMPTY_PATH))
		return -EACCES;
	/* O_NONBLOCK: who holds a lease on the file need not be waited for. */
	int fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
