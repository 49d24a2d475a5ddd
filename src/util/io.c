// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/io.h"

#include <errno.h>
#include <unistd.h>

ssize_t io_read(int fd, void *to, size_t bytes, off_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		char *at = (char *)to + done;
		ssize_t got = offset == IO_HERE ? read(fd, at, bytes - done)
						: pread(fd, at, bytes - done, offset + (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int io_write(int fd, const void *from, size_t bytes, off_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		const char *at = (const char *)from + done;
		ssize_t put = offset == IO_HERE
				      ? write(fd, at, bytes - done)
				      : pwrite(fd, at, bytes - done, offset + (off_t)done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		done += (size_t)put;
	}
	return 0;
}
