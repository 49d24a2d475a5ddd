/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite on the descriptors of a recording_file: nothing is looked up by name, except the journal
 * of a file that is read. Private to src/recording/.
 */
#ifndef DWELL_RECORDING_VFS_H
#define DWELL_RECORDING_VFS_H

#include <sqlite3.h>

#include "recording/file.h"

/*
 * Opens the file for writing if its journal is held (file->journal), else for reading. What it
 * holds is borrowed until vfs_close(). Returns a SQLite code.
 */
int vfs_open(const struct recording_file *file, sqlite3 **ret);
/* The errno of the last input or output that failed. sqlite3_system_errno() does not know it if
 * that was in a COMMIT. */
int vfs_errno(sqlite3 *db);
/* Closes what vfs_open() gave; NULL is allowed. */
void vfs_close(sqlite3 *db);

#endif
