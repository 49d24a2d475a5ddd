/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A name in a folder that is held open. A path is looked up once; afterwards everything goes
 * through the folder's descriptor, so nobody who renames folders or puts links into the way can
 * move the place. What the name stands for may still change: compare it with a descriptor.
 */
#ifndef DWELL_UTIL_PLACE_H
#define DWELL_UTIL_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "util/why.h"

struct place {
	int folder; /* O_PATH */
	char *name;
};

/* Nowhere: what place_close() leaves behind. */
#define PLACE_NONE ((struct place){.folder = -1})

/* 0 or -errno: -EISDIR if the path can only be a folder. The caller closes it. */
int place_open(const char *path, struct place *ret);
/* The same, for a path that begins in that folder. */
int place_open_at(int folder, const char *path, struct place *ret);
void place_close(struct place *place);

/* Is `name` in that folder the very file that fd is open on? */
bool place_holds(const struct place *place, const char *name, int fd);
/* Removes that name if it is; what somebody else has put there stays. */
void place_remove(const struct place *place, const char *name, int fd);

/* Under sudo: who called it. Nonsense in the environment is nobody. */
bool place_invoking_user(uid_t *ret_uid, gid_t *ret_gid);
/* Is that us, root or the user who called sudo? Their links and pipes can be followed. */
bool place_trusts(uid_t uid);
/* Under sudo, gives the file to the invoking user. 0 or -errno. */
int place_give_away(int fd);

/* Why a file cannot be written, with the way out where the error alone would mislead. `fd` is any
 * descriptor of its file system, or -1. Returns `error`. */
int place_cannot_write(struct why *why, int error, const char *path, int fd);

#endif
