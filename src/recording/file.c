// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings as files. Root writes them into folders that others may own, so nothing is ever
 * written through a name that was there before: the old file is unlinked, the new one made with
 * O_EXCL. An open-file-description lock on one byte beside those that SQLite locks says that a
 * writer is at work; the kernel drops it with the process, however that ends.
 */
#include "recording/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/writer.h"
#include "util/mem.h"

/* SQLite locks the 512 bytes from 1 GiB on. */
#define WRITER_LOCK_OFFSET (0x40000000 + 4096)

static const char *const companions[] = {"-journal", "-wal", "-shm"};

static struct flock writer_lock(short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = WRITER_LOCK_OFFSET,
		.l_len = 1,
	};
}

bool recording_is_being_written(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct flock lock = writer_lock(F_RDLCK);

	return fd >= 0 && !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

static const char *kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISFIFO(mode))
		return "a pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	return "a device";
}

/* Only a regular file, a link to one, or a link to nothing may make room. */
static int make_room(const char *path, struct why *why)
{
	struct stat there;

	if (lstat(path, &there))
		return errno == ENOENT
			       ? 0
			       : why_set(why, -errno, "cannot write %s: %s", path, strerror(errno));
	if (S_ISLNK(there.st_mode) && stat(path, &there))
		there.st_mode = S_IFREG;
	if (!S_ISREG(there.st_mode))
		return why_set(why, S_ISDIR(there.st_mode) ? -EISDIR : -EINVAL,
			"cannot write %s: it is %s; name a file", path, kind_of(there.st_mode));
	if (recording_is_being_written(path))
		return why_set(why, -EBUSY, "another dwell is recording into %s", path);
	if (unlink(path) && errno != ENOENT)
		return why_set(why, -errno, "cannot replace %s: %s", path, strerror(errno));
	return 0;
}

static int remove_companions(const char *path, struct why *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
		_cleanup_free_ char *name = xasprintf("%s%s", path, companions[i]);
		if (unlink(name) && errno != ENOENT)
			return why_set(
				why, -errno, "cannot remove old %s: %s", name, strerror(errno));
	}
	return 0;
}

static bool id_from_environment(const char *name, unsigned int *ret)
{
	const char *text = secure_getenv(name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long number = strtoul(text, &end, 10);
	if (errno || *end || number >= UINT_MAX)
		return false;
	*ret = (unsigned int)number;
	return true;
}

static int give_to_invoking_user(int fd, const char *path, struct why *why)
{
	unsigned int uid, gid;

	if (geteuid() || !id_from_environment("SUDO_UID", &uid) ||
		!id_from_environment("SUDO_GID", &gid))
		return 0;
	if (fchown(fd, uid, gid))
		return why_set(
			why, -errno, "cannot give %s to user %u: %s", path, uid, strerror(errno));
	return 0;
}

static int mark_as_written(int fd, const char *path, struct why *why)
{
	struct flock lock = writer_lock(F_WRLCK);

	/* File systems without locks do not stop us; one that says "taken" does. */
	if (fcntl(fd, F_OFD_SETLK, &lock) && (errno == EAGAIN || errno == EACCES))
		return why_set(why, -EBUSY, "another dwell is recording into %s", path);
	return 0;
}

int recording_file_create(const char *path, char **ret_real_path, int *ret_fd, struct why *why)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *real_path = NULL;
	int error = make_room(path, why);

	if (!error)
		error = remove_companions(path, why);
	if (error)
		return error;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return why_set(why, -errno, "cannot write %s: %s", path, strerror(errno));
	/* Absolute: SQLite takes names like "file:x" and ":memory:" for something else. */
	real_path = realpath(path, NULL);
	if (!real_path)
		return why_set(why, -errno, "cannot write %s: %s", path, strerror(errno));
	error = give_to_invoking_user(fd, path, why);
	if (!error)
		error = mark_as_written(fd, path, why);
	if (error)
		return error;
	*ret_real_path = real_path;
	*ret_fd = fd;
	real_path = NULL;
	fd = -1;
	return 0;
}

int recording_move(const char *from, const char *to, struct why *why)
{
	_cleanup_free_ char *journal_from = xasprintf("%s-journal", from);
	_cleanup_free_ char *journal_to = xasprintf("%s-journal", to);
	int error;

	if (recording_is_being_written(from))
		return why_set(why, -EBUSY, "another dwell is recording into %s", from);
	if (access(from, F_OK))
		return why_set(why, -errno, "cannot rename %s: %s", from, strerror(errno));
	error = make_room(to, why);
	if (!error)
		error = remove_companions(to, why);
	if (error)
		return error;
	if (rename(from, to) || (rename(journal_from, journal_to) && errno != ENOENT))
		return why_set(
			why, -errno, "cannot rename %s to %s: %s", from, to, strerror(errno));
	return 0;
}
