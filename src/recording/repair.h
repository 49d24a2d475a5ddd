/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies for readers, which have no names: of a recording that was cut short in mid-commit, to make
 * it whole, and of one that is being written, to be out of its writer's way. Private to
 * src/recording/.
 */
#ifndef DWELL_RECORDING_REPAIR_H
#define DWELL_RECORDING_REPAIR_H

#include <stdbool.h>

#include "recording/file.h"

/*
 * Puts copies of the file and its journal, which have no names, in the place of `file`: when they
 * are opened, SQLite rolls back there. Only a journal of the recording's owner is believed. 0, or
 * -errno with why and the file as it was.
 */
int repair_into_copy(struct recording_file *file, const char *path, struct why *why);
/* Copies a file whose read lock the caller holds. False if there is no ample room for that. */
bool repair_take_copy(const struct recording_file *file, struct recording_file *ret);

#endif
