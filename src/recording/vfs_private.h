/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vfs.c (names) and vfs_file.c (bytes and locks) share. */
#ifndef DWELL_RECORDING_VFS_PRIVATE_H
#define DWELL_RECORDING_VFS_PRIVATE_H

#include <errno.h>
#include <stdbool.h>

#include "recording/vfs.h"

struct vfs {
	sqlite3_vfs base;
	sqlite3_vfs *system;        /* for time, sleep and chance */
	struct recording_file file; /* its descriptors and names are borrowed */
	int last_errno;
	char name[32];
};

/* The recording or its journal, as SQLite has it open. */
struct vfs_file {
	sqlite3_file base;
	struct vfs *vfs;
	int fd;
	bool is_own; /* closed by SQLite; else borrowed */
};

extern const sqlite3_io_methods vfs_file_methods;

static inline bool vfs_is_writer(const struct vfs *vfs)
{
	return vfs->file.journal >= 0;
}

/* Keeps errno for messages. */
static inline int vfs_failed(struct vfs *vfs, int code)
{
	vfs->last_errno = errno;
	return code;
}

#endif
