/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording as a file among files: made safely, marked as being written. Private to
 * src/recording/. */
#ifndef DWELL_RECORDING_FILE_H
#define DWELL_RECORDING_FILE_H

#include "util/why.h"

/*
 * Makes an empty file of mode 0600 that belongs to the invoking user, in place of a regular file
 * (or a link to one) of that name and of its journals. Returns 0 with the absolute path (caller
 * frees) and a descriptor that marks the file as being written until it is closed, or -errno.
 *
 * Closing any descriptor of a file drops the process's POSIX locks on it, and with them SQLite's:
 * close it only after the database.
 */
int recording_file_create(const char *path, char **ret_real_path, int *ret_fd, struct why *why);

#endif
