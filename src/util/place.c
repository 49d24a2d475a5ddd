// SPDX-License-Identifier: GPL-2.0-or-later
/* Names in folders that are held, who may be trusted in them, and why writing fails there. */
#include "util/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>

#include "util/mem.h"

int place_open_at(int base, const char *path, struct place *ret)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	_cleanup_free_ char *folder =
		slash ? xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : xstrdup(".");

	if (!*path)
		return -ENOENT;
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	int fd = openat(base, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret = (struct place){.folder = fd, .name = xstrdup(name)};
	return 0;
}

int place_open(const char *path, struct place *ret)
{
	return place_open_at(AT_FDCWD, path, ret);
}

void place_close(struct place *place)
{
	mem_close_fd(&place->folder);
	free(place->name);
	*place = PLACE_NONE;
}

bool place_holds(const struct place *place, const char *name, int fd)
{
	struct stat there, ours;

	return !fstatat(place->folder, name, &there, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &ours) &&
	       there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

void place_remove(const struct place *place, const char *name, int fd)
{
	if (fd >= 0 && place_holds(place, name, fd))
		unlinkat(place->folder, name, 0);
}

static bool id_from_environment(const char *name, unsigned int *ret)
{
	const char *text = secure_getenv(name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long number = strtoul(text, &end, 10);
	if (errno || *end || number >= UINT_MAX)
		return false;
	*ret = (unsigned int)number;
	return true;
}

bool place_invoking_user(uid_t *ret_uid, gid_t *ret_gid)
{
	return !geteuid() && id_from_environment("SUDO_UID", ret_uid) &&
	       id_from_environment("SUDO_GID", ret_gid);
}

bool place_trusts(uid_t uid)
{
	uid_t invoking;
	gid_t group;

	return uid == geteuid() || !uid ||
	       (place_invoking_user(&invoking, &group) && uid == invoking);
}

int place_give_away(int fd)
{
	uid_t uid;
	gid_t gid;

	return place_invoking_user(&uid, &gid) && fchown(fd, uid, gid) ? -errno : 0;
}

int place_cannot_write(struct why *why, int error, const char *path, int fd)
{
	struct statvfs room;

	switch (error) {
	case -ENOENT:
		if (!path[0])
			return why_set(why, error, "cannot write: the name of the file is empty");
		return why_set(why, error,
			"cannot write %s: its folder does not exist; make it first", path);
	case -ENOSPC:
		if (fd >= 0 && !fstatvfs(fd, &room) && room.f_files && !room.f_favail)
			return why_set(why, error,
				"cannot write %s: its file system has no room for one more file, "
				"whatever the size (df -i)",
				path);
		return why_set(why, error, "cannot write %s: disk full", path);
	case -EFBIG:
		return why_set(why, error,
			"cannot write %s: File too large; raise the limit (ulimit -f) or name a "
			"file elsewhere",
			path);
	case -EEXIST:
		return why_set(why, error,
			"cannot write %s: somebody else made a file of that name just now", path);
	case -ESTALE:
		return why_set(why, error,
			"cannot write %s: somebody replaced or removed it meanwhile", path);
	default:
		return why_set(why, error, "cannot write %s: %s", path, strerror(-error));
	}
}
