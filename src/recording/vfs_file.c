// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes and locks of the recording for SQLite. Locks are on the bytes that SQLite's unix files use,
 * so that programs which have those can read along, but as open-file-description locks: they do not
 * vanish when the process closes another descriptor of the file. The writer holds RESERVED from
 * beginning to end (recording_file_create).
 */
#include "recording/vfs_private.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/io.h"

#define SECTOR_BYTES 4096

static struct vfs_file *file_of(sqlite3_file *base)
{
	return (struct vfs_file *)base;
}

static int file_close(sqlite3_file *base)
{
	struct vfs_file *file = file_of(base);

	if (file->is_own)
		close(file->fd);
	return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *to, int bytes, sqlite3_int64 offset)
{
	struct vfs_file *file = file_of(base);
	ssize_t got = io_read(file->fd, to, (size_t)bytes, offset);

	if (got < 0)
		return vfs_failed(file->vfs, SQLITE_IOERR_READ);
	if (got == bytes)
		return SQLITE_OK;
	/* SQLite relies on it. */
	memset((char *)to + got, 0, (size_t)(bytes - got));
	return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *from, int bytes, sqlite3_int64 offset)
{
	struct vfs_file *file = file_of(base);
	int error = io_write(file->fd, from, (size_t)bytes, offset);

	if (!error)
		return SQLITE_OK;
	return vfs_failed(file->vfs, error == -ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 bytes)
{
	struct vfs_file *file = file_of(base);

	return ftruncate(file->fd, bytes) ? vfs_failed(file->vfs, SQLITE_IOERR_TRUNCATE)
					  : SQLITE_OK;
}

/* synchronous=OFF: a recording outlives a kill, not a power cut. */
static int file_sync(sqlite3_file *base, int flags)
{
	(void)base;
	(void)flags;
	return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *ret)
{
	struct vfs_file *file = file_of(base);
	struct stat status;

	if (fstat(file->fd, &status))
		return vfs_failed(file->vfs, SQLITE_IOERR_FSTAT);
	*ret = status.st_size;
	return SQLITE_OK;
}

/* File systems without locks do not stop us. */
static int set_lock(struct vfs_file *file, short type, off_t start, off_t count)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = count};

	if (fcntl(file->fd, F_OFD_SETLK, &lock) && (errno == EAGAIN || errno == EACCES))
		return SQLITE_BUSY;
	return SQLITE_OK;
}

/* A reader begins only if no writer waits for readers to end, nor is in its commit. */
static int lock_for_reading(struct vfs_file *file)
{
	int code = set_lock(file, F_RDLCK, FILE_PENDING_BYTE, 1);

	if (code)
		return code;
	code = set_lock(file, F_RDLCK, FILE_SHARED_BYTES, FILE_SHARED_COUNT);
	set_lock(file, F_UNLCK, FILE_PENDING_BYTE, 1);
	return code;
}

/* PENDING stays if readers are still there: no new one begins, and those that are there end. */
static int lock_for_commit(struct vfs_file *file)
{
	int code = set_lock(file, F_WRLCK, FILE_PENDING_BYTE, 1);

	return code ? code : set_lock(file, F_WRLCK, FILE_SHARED_BYTES, FILE_SHARED_COUNT);
}

static int file_lock(sqlite3_file *base, int level)
{
	struct vfs_file *file = file_of(base);

	if (!vfs_is_writer(file->vfs))
		return level == SQLITE_LOCK_SHARED ? lock_for_reading(file) : SQLITE_IOERR_LOCK;
	/* Nobody else can write: up to RESERVED there is nothing to do. */
	return level == SQLITE_LOCK_EXCLUSIVE ? lock_for_commit(file) : SQLITE_OK;
}

static int file_unlock(sqlite3_file *base, int level)
{
	struct vfs_file *file = file_of(base);

	if (level == SQLITE_LOCK_NONE || vfs_is_writer(file->vfs)) {
		set_lock(file, F_UNLCK, FILE_SHARED_BYTES, FILE_SHARED_COUNT);
		set_lock(file, F_UNLCK, FILE_PENDING_BYTE, 1);
	}
	return SQLITE_OK;
}

/* Does somebody else hold the right to write? */
static int file_check_reserved(sqlite3_file *base, int *ret)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FILE_RESERVED_BYTE, .l_len = 1};

	*ret = !fcntl(file_of(base)->fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
	return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int action, void *argument)
{
	(void)base;
	(void)action;
	(void)argument;
	return SQLITE_NOTFOUND;
}

static int file_sector_bytes(sqlite3_file *base)
{
	(void)base;
	return SECTOR_BYTES;
}

static int file_characteristics(sqlite3_file *base)
{
	(void)base;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/* Version 1: without shared memory, so without write-ahead logs, too. */
const sqlite3_io_methods vfs_file_methods = {
	.iVersion = 1,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_check_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector_bytes,
	.xDeviceCharacteristics = file_characteristics,
};
