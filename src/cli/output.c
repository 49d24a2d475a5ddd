// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that appear whole, and things that are no files. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/place_target.h"

#define MAX_TRIES 100

static int make_private(int fd, const struct privacy *privacy)
{
	struct stat status;

	/* Some file systems have no owners: then it stays root's. */
	place_give_away(fd);
	if (fstat(fd, &status))
		return -errno;
	/* The group may be another than the source's: a folder or sudo may have chosen it. */
	if (privacy->has_group && privacy->group != status.st_gid && status.st_mode & S_IRWXG &&
		fchmod(fd, status.st_mode & 0707))
		return -errno;
	return 0;
}

/* A file of a name that nobody can guess. */
static int open_temporary(struct output *output, const struct privacy *privacy)
{
	for (int tries = 0; tries < MAX_TRIES; tries++) {
		uint64_t chance;

		if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
			return -EIO;
		free(output->temporary);
		output->temporary = xasprintf("%s.%010llx", output->place.name,
			(unsigned long long)(chance & 0xffffffffffULL));
		int fd = openat(output->place.folder, output->temporary,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, privacy->mode);
		if (fd >= 0 || errno != EEXIST)
			return fd < 0 ? -errno : fd;
	}
	return -EEXIST;
}

static int open_file(struct output *output, const struct privacy *privacy, struct why *why)
{
	int fd = open_temporary(output, privacy);
	int error = fd < 0 ? fd : make_private(fd, privacy);

	if (!error)
		return fd;
	if (fd >= 0)
		place_remove(&output->place, output->temporary, fd);
	mem_close_fd(&fd);
	return place_cannot_write(why, error, output->path, output->place.folder);
}

static int open_in_place(
	const struct place_target *target, const struct output *output, struct why *why)
{
	const char *words = place_target_words(target);

	if (S_ISDIR(target->status.st_mode) ||
		(S_ISSOCK(target->status.st_mode) && target->kind != PLACE_OPEN))
		return why_set(why, -EISDIR, "cannot write %s: it is %s; name a file", output->path,
			words);
	if (!target->is_trusted)
		return why_set(why, -EPERM,
			"cannot write %s: it is %s through a name of another user; name a file",
			output->path, words);
	int fd = place_target_open(target);
	return fd < 0 ? place_cannot_write(why, fd, output->path, -1) : fd;
}

static int open_fd(struct output *output, const struct privacy *privacy, struct why *why)
{
	_cleanup_(place_target_clear) struct place_target target = {.at = PLACE_NONE};
	int error = place_open(output->path, &output->place);

	if (error == -EISDIR)
		return why_set(
			why, error, "cannot write %s: it is a folder; name a file", output->path);
	if (!error)
		error = place_target_find(&output->place, &target);
	if (error)
		return place_cannot_write(why, error, output->path, -1);
	return target.kind == PLACE_OPEN || target.kind == PLACE_SPECIAL
		       ? open_in_place(&target, output, why)
		       : open_file(output, privacy, why);
}

static void release(struct output *output)
{
	place_close(&output->place);
	free(output->path);
	free(output->temporary);
	*output = (struct output){.place = PLACE_NONE};
}

int output_open(
	const char *path, const struct privacy *privacy, struct output *ret, struct why *why)
{
	struct output output = {.path = xstrdup(path), .place = PLACE_NONE};
	int fd = open_fd(&output, privacy, why);

	*ret = (struct output){.place = PLACE_NONE};
	if (fd < 0) {
		release(&output);
		return fd;
	}
	output.stream = fdopen(fd, "w");
	if (!output.stream) {
		close(fd);
		release(&output);
		return why_set(why, -ENOMEM, "cannot write %s: out of memory", path);
	}
	*ret = output;
	return 0;
}

int output_flush(FILE *stream)
{
	errno = 0;
	if (!fflush(stream) && !ferror(stream))
		return 0;
	/* An earlier write failed and its errno is gone: writing one more byte brings it back. */
	if (!errno) {
		clearerr(stream);
		putc('\n', stream);
		fflush(stream);
	}
	return errno ? -errno : -EIO;
}

/* Closes the stream, whose last bytes some file systems refuse only then. */
static int close_stream(struct output *output)
{
	int error = output_flush(output->stream);

	if (fclose(output->stream) && !error)
		error = -errno;
	output->stream = NULL;
	return error;
}

/* Renames the temporary file if it still is the one that was written. */
static int put_in_place(const struct output *output, int fd)
{
	if (!place_holds(&output->place, output->temporary, fd))
		return -ESTALE;
	return renameat(output->place.folder, output->temporary, output->place.folder,
		       output->place.name)
		       ? -errno
		       : 0;
}

int output_finish(struct output *output, struct why *why)
{
	_cleanup_close_ int fd = fcntl(fileno(output->stream), F_DUPFD_CLOEXEC, 0);
	int error = close_stream(output);

	/* A reader that closes its pipe has had enough: no error. */
	if (error == -EPIPE && !output->temporary)
		error = 0;
	if (!error && output->temporary)
		error = put_in_place(output, fd);
	if (error && output->temporary)
		place_remove(&output->place, output->temporary, fd);
	if (error)
		place_cannot_write(why, error, output->path, output->place.folder);
	release(output);
	return error;
}

void output_abandon(struct output *output)
{
	if (!output->stream)
		return;
	if (output->temporary)
		place_remove(&output->place, output->temporary, fileno(output->stream));
	fclose(output->stream);
	release(output);
}
