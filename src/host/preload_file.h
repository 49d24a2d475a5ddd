/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library that dwell carries in itself as a file, for a COMMAND to be started with. The file
 * stays: processes may outlive the recording, and each program that they start loads it again by
 * its path. So it is where nobody but its owner can put another in its place: in a folder of root's
 * or of the user's own, which nobody else may write to, below one that nobody else may rename it
 * in.
 */
#ifndef DWELL_HOST_PRELOAD_FILE_H
#define DWELL_HOST_PRELOAD_FILE_H

#include <stddef.h>

#include "util/why.h"

/*
 * The path of the library's file, which is made if it is not there as it should be. 0, or -errno
 * with why: no folder will do from which programs may load a library. The caller frees it.
 */
int preload_file_make(char **ret_path, struct why *why);
/* In the first of these folders that will do; a folder that is missing is made. */
int preload_file_make_in(
	const char *const *folders, size_t count, char **ret_path, struct why *why);

#endif
