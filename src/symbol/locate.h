/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the file behind a mapping of another process, wherever its mount namespace has it. */
#ifndef DWELL_SYMBOL_LOCATE_H
#define DWELL_SYMBOL_LOCATE_H

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
/* Opens for reading what an O_PATH fd stands for; -1 if we may not. */
int locate_open(int path_fd);

#endif
