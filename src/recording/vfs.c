// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file system for SQLite that consists of one recording and its journal. SQLite's own one finds
 * files by name, again and again: at each transaction it looks for a journal to roll back, which in
 * a folder of others may be anybody's, changes the recording, and may name one more file, which
 * SQLite then deletes. Here a writer has the two descriptors that it was given and nothing else:
 * its journal "exists" if it is not empty, and is "deleted" by emptying it. A reader looks for a
 * journal, only to learn whether there is something to roll back.
 */
#include "recording/vfs_private.h"

#include <fcntl.h>
#include <string.h>

#include "util/mem.h"

/* SQLite sees these names; no file has them. */
#define MAIN_NAME "recording"
#define JOURNAL_NAME MAIN_NAME "-journal"

static struct vfs *vfs_of(sqlite3_vfs *base)
{
	return (struct vfs *)base;
}

/* Of a file that is read: what lies beside it, if it is at least a regular file. */
static int open_journal_beside(const struct recording_file *file)
{
	struct stat status;
	int fd = openat(file->place.folder, file->journal_name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode)))
		return fd;
	close(fd);
	return -1;
}

static int open_file(
	sqlite3_vfs *base, const char *name, sqlite3_file *ret, int flags, int *ret_flags)
{
	struct vfs *vfs = vfs_of(base);
	struct vfs_file *file = (struct vfs_file *)ret;
	bool is_journal = flags & SQLITE_OPEN_MAIN_JOURNAL;

	(void)name;
	*file = (struct vfs_file){.vfs = vfs, .fd = -1};
	if (flags & SQLITE_OPEN_MAIN_DB)
		file->fd = vfs->file.main;
	else if (is_journal && vfs_is_writer(vfs))
		file->fd = vfs->file.journal;
	else if (is_journal) {
		file->fd = open_journal_beside(&vfs->file);
		file->is_own = true;
	}
	if (file->fd < 0)
		return vfs_failed(vfs, SQLITE_CANTOPEN);
	file->base.pMethods = &vfs_file_methods;
	if (ret_flags)
		*ret_flags = vfs_is_writer(vfs) ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *base, const char *name, int syncs_folder)
{
	struct vfs *vfs = vfs_of(base);

	(void)syncs_folder;
	if (!vfs_is_writer(vfs) || strcmp(name, JOURNAL_NAME))
		return SQLITE_IOERR_DELETE;
	return ftruncate(vfs->file.journal, 0) ? vfs_failed(vfs, SQLITE_IOERR_DELETE) : SQLITE_OK;
}

static int access_file(sqlite3_vfs *base, const char *name, int question, int *ret)
{
	struct vfs *vfs = vfs_of(base);
	struct stat status;

	(void)question;
	if (strcmp(name, JOURNAL_NAME))
		*ret = 0;
	else if (vfs_is_writer(vfs))
		*ret = !fstat(vfs->file.journal, &status) && status.st_size;
	else
		*ret = !fstatat(vfs->file.place.folder, vfs->file.journal_name, &status,
			       AT_SYMLINK_NOFOLLOW) &&
		       (status.st_size || !S_ISREG(status.st_mode));
	return SQLITE_OK;
}

static int full_name(sqlite3_vfs *base, const char *name, int room, char *ret)
{
	(void)base;
	snprintf(ret, (size_t)room, "%s", name);
	return SQLITE_OK;
}

static int random_bytes(sqlite3_vfs *base, int count, char *ret)
{
	sqlite3_vfs *system = vfs_of(base)->system;

	return system->xRandomness(system, count, ret);
}

static int sleep_us(sqlite3_vfs *base, int us)
{
	sqlite3_vfs *system = vfs_of(base)->system;

	return system->xSleep(system, us);
}

static int current_day(sqlite3_vfs *base, double *ret)
{
	sqlite3_vfs *system = vfs_of(base)->system;

	return system->xCurrentTime(system, ret);
}

static int last_error(sqlite3_vfs *base, int room, char *ret)
{
	(void)room;
	(void)ret;
	return vfs_of(base)->last_errno;
}

static void vfs_free(struct vfs *vfs)
{
	sqlite3_vfs_unregister(&vfs->base);
	free(vfs);
}

int vfs_open(const struct recording_file *file, sqlite3 **ret)
{
	struct vfs *vfs = xcalloc(1, sizeof(*vfs));
	int flags = file->journal >= 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	sqlite3 *db = NULL;

	snprintf(vfs->name, sizeof(vfs->name), "dwell-%p", (void *)vfs);
	vfs->file = *file;
	vfs->system = sqlite3_vfs_find(NULL);
	vfs->base = (sqlite3_vfs){.iVersion = 1,
		.szOsFile = sizeof(struct vfs_file),
		.mxPathname = sizeof(JOURNAL_NAME) + 8,
		.zName = vfs->name,
		.xOpen = open_file,
		.xDelete = delete_file,
		.xAccess = access_file,
		.xFullPathname = full_name,
		.xRandomness = random_bytes,
		.xSleep = sleep_us,
		.xCurrentTime = current_day,
		.xGetLastError = last_error};
	int code = vfs->system ? sqlite3_vfs_register(&vfs->base, 0) : SQLITE_ERROR;
	if (!code)
		code = sqlite3_open_v2(MAIN_NAME, &db, flags | SQLITE_OPEN_NOMUTEX, vfs->name);
	if (code) {
		sqlite3_close(db);
		vfs_free(vfs);
		return code;
	}
	*ret = db;
	return SQLITE_OK;
}

static struct vfs *vfs_of_database(sqlite3 *db)
{
	sqlite3_vfs *base = NULL;

	if (db)
		sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &base);
	return vfs_of(base);
}

int vfs_errno(sqlite3 *db)
{
	const struct vfs *vfs = vfs_of_database(db);

	return vfs ? vfs->last_errno : 0;
}

void vfs_close(sqlite3 *db)
{
	struct vfs *vfs = vfs_of_database(db);

	sqlite3_close(db);
	if (vfs)
		vfs_free(vfs);
}
