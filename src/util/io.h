/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and writing that goes on after a signal and after a part. */
#ifndef DWELL_UTIL_IO_H
#define DWELL_UTIL_IO_H

#include <stddef.h>
#include <sys/types.h>

/* In place of an offset: where the file stands, as read() and write() do it. */
#define IO_HERE ((off_t)-1)

/* The bytes that were read: fewer than asked for only at the file's end; -errno. */
ssize_t io_read(int fd, void *to, size_t bytes, off_t offset);
/* Writes all of it: 0, -errno. */
int io_write(int fd, const void *from, size_t bytes, off_t offset);

#endif
