// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings as files. Root writes them into folders that others may own, so nothing is ever
 * written or read through a name that was there before: the old file is unlinked, the new one and
 * its journal are made with O_EXCL and held; what is removed later is compared with what is held.
 * A file beside the recording that is not ours is never touched.
 *
 * Open-file-description locks say that a writer is at work; the kernel drops them with the process,
 * however that ends, and not when some other descriptor of the file is closed.
 */
#include "recording/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "recording/writer.h"
#include "util/mem.h"
#include "util/place_target.h"

/* Beside the 512 bytes that SQLite locks. */
#define WRITER_LOCK_OFFSET (FILE_PENDING_BYTE + 4096)

/* What SQLite would look for beside a database. Dwell makes the first only. */
static const char *const companions[] = {"-journal", "-wal", "-shm"};

#define NOBODY ((uid_t)-1)

static struct flock byte_lock(short type, off_t offset)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = offset,
		.l_len = 1,
	};
}

static bool has_writer(int fd)
{
	struct flock lock = byte_lock(F_RDLCK, WRITER_LOCK_OFFSET);

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

static bool is_being_written(const struct place *place)
{
	_cleanup_close_ int fd = openat(place->folder, place->name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd >= 0 && has_writer(fd);
}

bool recording_file_is_being_written(const struct recording_file *file)
{
	return has_writer(file->main);
}

bool recording_is_being_written(const char *path)
{
	_cleanup_(place_close) struct place place = PLACE_NONE;

	return !place_open(path, &place) && is_being_written(&place);
}

/*
 * Only a regular file, a link to one, or a link to nothing may make room. Returns 0 with the owner
 * of what is there, NOBODY if nothing is.
 */
static int look_at_file(
	const struct place *place, const char *path, uid_t *ret_owner, struct why *why)
{
	_cleanup_(place_target_clear) struct place_target target = {.at = PLACE_NONE};
	int error = place_target_find(place, &target);

	if (error)
		return place_cannot_write(why, error, path, place->folder);
	*ret_owner = target.owner;
	if (target.kind == PLACE_OPEN || target.kind == PLACE_SPECIAL)
		return why_set(why, S_ISDIR(target.status.st_mode) ? -EISDIR : -EINVAL,
			"cannot write %s: it is %s%s; name a file", path,
			place_target_words(&target),
			S_ISDIR(target.status.st_mode) ? "" : ", which cannot hold a database");
	if (is_being_written(place))
		return why_set(why, -EBUSY, "another dwell is recording into %s", path);
	return 0;
}

/* A leftover of a recording of ours, or of the one that is replaced; -EPERM: somebody else's. */
static int look_at_companion(const struct place *place, const char *name, uid_t owner)
{
	struct stat there;

	if (fstatat(place->folder, name, &there, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	return S_ISREG(there.st_mode) && (place_trusts(there.st_uid) || there.st_uid == owner)
		       ? 0
		       : -EPERM;
}

static int look_at_companions(
	const struct place *place, const char *path, uid_t owner, struct why *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
		_cleanup_free_ char *name = xasprintf("%s%s", place->name, companions[i]);
		int error = look_at_companion(place, name, owner);

		if (error == -EPERM)
			return why_set(why, error,
				"cannot write %s: %s%s is in the way and not ours; remove it or "
				"name another file",
				path, path, companions[i]);
		if (error)
			return place_cannot_write(why, error, path, place->folder);
	}
	return 0;
}

/* Everything is looked at before anything is removed: what is refused leaves all as it was. */
static int make_room(const struct place *place, const char *path, struct why *why)
{
	uid_t owner = NOBODY;
	int error = look_at_file(place, path, &owner, why);

	if (!error)
		error = look_at_companions(place, path, owner, why);
	if (error)
		return error;
	if (owner != NOBODY && unlinkat(place->folder, place->name, 0) && errno != ENOENT)
		return why_set(why, -errno, "cannot replace %s: %s", path, strerror(errno));
	for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
		_cleanup_free_ char *name = xasprintf("%s%s", place->name, companions[i]);
		struct stat there;

		if (!fstatat(place->folder, name, &there, AT_SYMLINK_NOFOLLOW) &&
			unlinkat(place->folder, name, 0) && errno != ENOENT)
			return why_set(why, -errno, "cannot remove old %s%s: %s", path,
				companions[i], strerror(errno));
	}
	return 0;
}

static int create(const struct place *place, const char *name, const char *path, const char *ending,
	struct why *why)
{
	_cleanup_free_ char *shown = xasprintf("%s%s", path, ending);
	int fd = openat(
		place->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return place_cannot_write(why, -errno, shown, place->folder);
	int error = place_give_away(fd);
	if (error) {
		place_remove(place, name, fd);
		close(fd);
		return why_set(why, error, "cannot give %s to the user who called sudo: %s", shown,
			strerror(-error));
	}
	return fd;
}

/*
 * Besides the mark for other dwells, SQLite's lock on the right to write: while it is held, no
 * reader takes any journal of that name for one that has to be rolled back.
 */
static int mark_as_written(int fd, const char *path, struct why *why)
{
	static const off_t bytes[] = {WRITER_LOCK_OFFSET, FILE_RESERVED_BYTE};

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		struct flock lock = byte_lock(F_WRLCK, bytes[i]);

		/* File systems without locks do not stop us; one that says "taken" does. */
		if (fcntl(fd, F_OFD_SETLK, &lock) && (errno == EAGAIN || errno == EACCES))
			return why_set(why, -EBUSY, "another dwell is recording into %s", path);
	}
	return 0;
}

static int create_both(struct recording_file *file, const char *path, struct why *why)
{
	int error;

	file->main = create(&file->place, file->place.name, path, "", why);
	if (file->main < 0)
		return file->main;
	error = mark_as_written(file->main, path, why);
	if (error)
		return error;
	file->journal = create(&file->place, file->journal_name, path, "-journal", why);
	return file->journal < 0 ? file->journal : 0;
}

int recording_file_create(const char *path, struct recording_file *ret, struct why *why)
{
	struct recording_file file = RECORDING_FILE_NONE;
	int error = place_open(path, &file.place);

	if (error == -EISDIR)
		return why_set(why, error, "cannot write %s: it is a folder; name a file", path);
	if (error)
		return place_cannot_write(why, error, path, -1);
	file.journal_name = xasprintf("%s-journal", file.place.name);
	error = make_room(&file.place, path, why);
	if (!error)
		error = create_both(&file, path, why);
	if (error) {
		recording_file_remove(&file);
		recording_file_close(&file);
		return error;
	}
	*ret = file;
	return 0;
}

void recording_file_remove(struct recording_file *file)
{
	if (file->place.folder < 0)
		return;
	place_remove(&file->place, file->place.name, file->main);
	place_remove(&file->place, file->journal_name, file->journal);
}

void recording_file_close(struct recording_file *file)
{
	struct stat journal;

	/* One that is not empty is needed: rolling back has failed. */
	if (file->place.folder >= 0 && file->journal >= 0 && !fstat(file->journal, &journal) &&
		!journal.st_size)
		place_remove(&file->place, file->journal_name, file->journal);
	mem_close_fd(&file->journal);
	mem_close_fd(&file->main);
	place_close(&file->place);
	free(file->journal_name);
	*file = RECORDING_FILE_NONE;
}

static int rename_both(const struct place *from, const struct place *to)
{
	_cleanup_free_ char *journal_from = xasprintf("%s-journal", from->name);
	_cleanup_free_ char *journal_to = xasprintf("%s-journal", to->name);
	struct stat there;

	if (fstatat(from->folder, from->name, &there, AT_SYMLINK_NOFOLLOW) ||
		renameat(from->folder, from->name, to->folder, to->name))
		return -errno;
	/* Somebody else's stays where it is. */
	if (look_at_companion(from, journal_from, there.st_uid))
		return 0;
	return renameat(from->folder, journal_from, to->folder, journal_to) && errno != ENOENT
		       ? -errno
		       : 0;
}

int recording_move(const char *from, const char *to, struct why *why)
{
	_cleanup_(place_close) struct place place_from = PLACE_NONE, place_to = PLACE_NONE;
	struct stat there;
	int error = place_open(from, &place_from);

	if (!error && fstatat(place_from.folder, place_from.name, &there, AT_SYMLINK_NOFOLLOW))
		error = -errno;
	if (error)
		return why_set(why, error, "cannot rename %s: %s", from, strerror(-error));
	if (is_being_written(&place_from))
		return why_set(why, -EBUSY, "another dwell is recording into %s", from);
	error = place_open(to, &place_to);
	if (error)
		return place_cannot_write(why, error, to, -1);
	error = make_room(&place_to, to, why);
	if (error)
		return error;
	error = rename_both(&place_from, &place_to);
	if (error)
		return why_set(
			why, error, "cannot rename %s to %s: %s", from, to, strerror(-error));
	return 0;
}

void recording_remove(const char *path)
{
	_cleanup_(place_close) struct place place = PLACE_NONE;

	if (!place_open(path, &place) && !is_being_written(&place))
		make_room(&place, path, NULL);
}
