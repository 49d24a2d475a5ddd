// SPDX-License-Identifier: GPL-2.0-or-later
/* Two recordings are kept under their default names, and a third one for as long as the new one may
 * come to nothing. */
#include "cli/rotation.h"

#include <sys/stat.h>

#include "cli/record_options.h"
#include "recording/writer.h"

#define OLDER_FILE "last.dwell.older"

static bool is_there(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

int rotation_begin(struct rotation *rotation, struct why *why)
{
	int error = 0;

	if (!is_there(RECORD_DEFAULT_FILE))
		return 0;
	if (is_there(RECORD_OLD_FILE)) {
		error = recording_move(RECORD_OLD_FILE, OLDER_FILE, why);
		rotation->has_older = !error;
	}
	if (!error) {
		error = recording_move(RECORD_DEFAULT_FILE, RECORD_OLD_FILE, why);
		rotation->is_moved = !error;
	}
	if (error)
		rotation_undo(rotation);
	return error;
}

void rotation_undo(struct rotation *rotation)
{
	if (rotation->is_moved && !recording_move(RECORD_OLD_FILE, RECORD_DEFAULT_FILE, NULL))
		rotation->is_moved = false;
	if (!rotation->is_moved && rotation->has_older &&
		!recording_move(OLDER_FILE, RECORD_OLD_FILE, NULL))
		rotation->has_older = false;
}

void rotation_end(struct rotation *rotation)
{
	if (rotation->has_older)
		recording_remove(OLDER_FILE);
	*rotation = (struct rotation){false, false};
}
