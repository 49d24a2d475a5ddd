// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies for rolling back, and for taking one's time. The original is never written to: a reader
 * may not be allowed to, and a look must not change what is looked at. A journal changes what is
 * read, so it must be the recording's: of the same owner, not larger than its pages, and without
 * the name of a second file, which dwell never writes and SQLite would believe.
 */
#include "recording/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>

#include "util/io.h"
#include "util/mem.h"

/* A journal holds each page of the file at most once, with a few bytes around it. */
#define JOURNAL_EXTRA_BYTES (1 << 20)

/* Holes stay holes: a file may be much longer than the disk. */
static off_t next_data(int fd, off_t at, off_t *ret_end)
{
	off_t from = lseek(fd, at, SEEK_DATA);

	if (from < 0 && errno == ENXIO)
		return -1;
	if (from < 0)
		from = at;
	*ret_end = lseek(fd, from, SEEK_HOLE);
	return from;
}

static int copy_piece(int from, int to, off_t at, off_t end)
{
	char buffer[1 << 16];

	while (at < end) {
		size_t wanted =
			end - at < (off_t)sizeof(buffer) ? (size_t)(end - at) : sizeof(buffer);
		ssize_t got = io_read(from, buffer, wanted, at);
		if (got <= 0)
			return (int)got;
		int error = io_write(to, buffer, (size_t)got, at);
		if (error)
			return error;
		at += got;
	}
	return 0;
}

static int copy_contents(int from, int to, off_t bytes)
{
	off_t end = 0;

	for (off_t at = next_data(from, 0, &end); at >= 0 && at < bytes;
		at = next_data(from, end, &end)) {
		if (end < 0 || end > bytes)
			end = bytes;
		int error = copy_piece(from, to, at, end);
		if (error)
			return error;
	}
	return ftruncate(to, bytes) ? -errno : 0;
}

/* A file that only we can find. /var/tmp first: a recording may be larger than memory. */
static int make_unnamed_file(void)
{
	const char *chosen = secure_getenv("TMPDIR");
	const char *const places[] = {chosen && *chosen == '/' ? chosen : "/var/tmp", "/tmp"};
	int error = 0;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *name = xasprintf("%s/dwell-XXXXXX", places[i]);
		int fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0) {
			unlink(name);
			return fd;
		}
		error = -errno;
	}
	return error;
}

/* As much again must stay free: the recording itself may be growing on that disk. */
static bool has_room(int fd, off_t bytes)
{
	struct statvfs room;

	return !fstatvfs(fd, &room) && room.f_bavail / 2 > (fsblkcnt_t)bytes / room.f_frsize;
}

bool repair_take_copy(const struct recording_file *file, struct recording_file *ret)
{
	struct recording_file copy = RECORDING_FILE_NONE;
	struct stat status;

	copy.main = make_unnamed_file();
	copy.journal = make_unnamed_file();
	if (copy.main < 0 || copy.journal < 0 || fstat(file->main, &status) ||
		!has_room(copy.main, status.st_size) ||
		copy_contents(file->main, copy.main, status.st_size)) {
		recording_file_close(&copy);
		return false;
	}
	*ret = copy;
	return true;
}

static int copy_file(int from, const char *path, const char *ending, struct why *why)
{
	struct stat status;
	int fd = make_unnamed_file();
	int error = fd < 0 ? fd : fstat(from, &status) ? -errno : 0;

	if (!error)
		error = copy_contents(from, fd, status.st_size);
	if (!error)
		return fd;
	mem_close_fd(&fd);
	return why_set(why, error,
		"cannot copy %s%s into /var/tmp to repair it (TMPDIR names "
		"another place): %s",
		path, ending, strerror(-error));
}

static int open_journal(const struct recording_file *file, const char *path, struct why *why)
{
	int fd = openat(file->place.folder, file->journal_name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && (errno == ELOOP || errno == ENXIO))
		return why_set(why, -EIO, "damaged recording: %s-journal is not a file", path);
	if (fd < 0)
		return why_set(why, -errno, "cannot read %s-journal, which is part of %s: %s", path,
			path, strerror(errno));
	return fd;
}

static int check_journal(const struct stat *main, const struct stat *journal, int fd,
	const char *path, struct why *why)
{
	static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	unsigned char end[sizeof(magic)];

	if (!S_ISREG(journal->st_mode))
		return why_set(why, -EIO, "damaged recording: %s-journal is not a file", path);
	if (journal->st_uid != main->st_uid)
		return why_set(why, -EPERM,
			"%s-journal belongs to user %u, %s to user %u: remove it if it is "
			"somebody else's, give both one owner if it is not",
			path, journal->st_uid, path, main->st_uid);
	if (journal->st_size > 2 * main->st_size + JOURNAL_EXTRA_BYTES)
		return why_set(why, -EIO, "damaged recording: foreign journal (%s)", path);
	/* A second file's name would stand at the end, before this. */
	if (journal->st_size >= (off_t)sizeof(end) &&
		(pread(fd, end, sizeof(end), journal->st_size - (off_t)sizeof(end)) !=
				sizeof(end) ||
			!memcmp(end, magic, sizeof(magic))))
		return why_set(why, -EIO, "damaged recording: foreign journal (%s)", path);
	return 0;
}

int repair_into_copy(struct recording_file *file, const char *path, struct why *why)
{
	struct recording_file copy = RECORDING_FILE_NONE;
	struct stat main, journal;
	_cleanup_close_ int fd = open_journal(file, path, why);

	if (fd < 0)
		return fd;
	if (fstat(file->main, &main) || fstat(fd, &journal))
		return why_set(why, -errno, "cannot read %s: %s", path, strerror(errno));
	int error = check_journal(&main, &journal, fd, path, why);
	if (error)
		return error;
	copy.journal = copy_file(fd, path, "-journal", why);
	copy.main = copy.journal < 0 ? copy.journal : copy_file(file->main, path, "", why);
	if (copy.main < 0) {
		error = copy.main;
		recording_file_close(&copy);
		return error;
	}
	recording_file_close(file);
	*file = copy;
	return 0;
}
