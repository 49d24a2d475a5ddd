/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that was cut short in mid-commit, made whole for a reader. Private to
 * src/recording/. */
#ifndef DWELL_RECORDING_REPAIR_H
#define DWELL_RECORDING_REPAIR_H

#include "recording/file.h"

/*
 * Puts copies of the file and its journal, which have no names, in the place of `file`: when they
 * are opened, SQLite rolls back there. Only a journal of the recording's owner is believed. 0, or
 * -errno with why and the file as it was.
 */
int repair_into_copy(struct recording_file *file, const char *path, struct why *why);

#endif
