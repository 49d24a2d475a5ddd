// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that appear whole. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/mem.h"

static void make_ordinary(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, 0666 & ~mask))
		return;
	if (uid && gid && !geteuid() &&
		fchown(fd, (uid_t)strtoul(uid, NULL, 10), (gid_t)strtoul(gid, NULL, 10)))
		return;
}

int output_open(const char *path, struct output *ret, struct why *why)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

	*ret = (struct output){0};
	if (!stream) {
		int error = -errno;
		if (fd >= 0) {
			close(fd);
			unlink(temporary);
		}
		free(temporary);
		return why_set(why, error, "cannot write %s: %s", path, strerror(-error));
	}
	make_ordinary(fd);
	*ret = (struct output){.stream = stream, .path = xstrdup(path), .temporary = temporary};
	return 0;
}

static void release(struct output *output)
{
	free(output->path);
	free(output->temporary);
	*output = (struct output){0};
}

int output_finish(struct output *output, struct why *why)
{
	int error = 0;

	errno = 0;
	if (fflush(output->stream) || ferror(output->stream))
		error = errno ? -errno : -EIO;
	if (fclose(output->stream) && !error)
		error = -errno;
	if (!error && rename(output->temporary, output->path))
		error = -errno;
	if (error) {
		unlink(output->temporary);
		why_set(why, error, "cannot write %s: %s", output->path, strerror(-error));
	}
	release(output);
	return error;
}

void output_abandon(struct output *output)
{
	if (!output->stream)
		return;
	fclose(output->stream);
	unlink(output->temporary);
	release(output);
}
