/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds files of another process, wherever its mount namespace has them. */
#ifndef DWELL_SYMBOL_LOCATE_H
#define DWELL_SYMBOL_LOCATE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/maps.h"

/* What tells two files of one path and inode number apart. */
struct file_stamp {
	uint64_t bytes;
	uint64_t mtime_ns;
};

/*
 * An O_PATH fd of the mapped file, through /proc/PID/map_files (deleted files and other mount
 * namespaces too, needs privilege) or else by its path below the process's root. -1 if there is no
 * way to it or it is no regular file; then ret is untouched.
 */
int locate_mapped_file(uint32_t pid, const struct map_line *line, struct file_stamp *ret);

/*
 * The same for a mapping that the kernel has told of, and that may be gone, or be another one's by
 * now: only a file with its inode number will do, on its device or on one of those (major 0) that
 * have other numbers for those who ask.
 */
int locate_told_file(uint32_t pid, const struct map_line *line, struct file_stamp *ret);

/*
 * Is what we hold the file that the mapping shows, and unchanged? As long as it is held nobody else
 * gets its inode number. Some file systems (btrfs) give numbers of their own to those who ask; of
 * theirs the answer is false. It costs a tenth of finding the file again.
 */
bool locate_holds(int path_fd, const struct file_stamp *stamp, const struct map_line *line);

/*
 * A mapping's path as the process has it: /proc shows those of a process in a chroot with the way
 * to its root. The caller frees it.
 */
char *locate_path_inside(uint32_t pid, const char *path);

/* In place of a process: the root that we see ourselves. */
#define LOCATE_OWN_ROOT 0

/*
 * An O_PATH fd of the regular file that has this path in the process's root; links, also the last
 * component, stay inside of it. -1 if there is none.
 */
int locate_file(uint32_t pid, const char *path);
/* The same, but -1 if the path itself is a link: it might lead to what its maker may not read. */
int locate_unlinked_file(uint32_t pid, const char *path);
enum locate_use {
	LOCATE_FOR_TABLES,
	LOCATE_FOR_NAMES, /* shown to the user, who must have the right to read them */
};

/*
 * Opens for reading what an O_PATH fd stands for, without waiting for anybody. -ENOTSUP: no file of
 * a real file system (procfs, sysfs, FUSE, ...); -EACCES; -EAGAIN: somebody has a lease on it;
 * -errno.
 */
int locate_open(int path_fd, enum locate_use use);

#endif
