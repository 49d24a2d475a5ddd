// SPDX-License-Identifier: GPL-2.0-or-later
/* Following links, one by one, each from the folder that it is in. */
#include "util/place_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>

#include "util/mem.h"

/* As many as the kernel follows. */
#define MAX_LINKS 40

static bool is_in_procfs(const struct place *place)
{
	struct statfs system;

	return !fstatfs(place->folder, &system) && system.f_type == PROC_SUPER_MAGIC;
}

/* Goes one link further. */
static int follow(struct place *at)
{
	char target[PATH_MAX];
	struct place next;
	ssize_t length = readlinkat(at->folder, at->name, target, sizeof(target) - 1);

	if (length < 0)
		return -errno;
	target[length] = '\0';
	int error = place_open_at(at->folder, target, &next);
	/* Without /proc, /dev/stdout leads to nothing; it is no name for a file all the same. */
	if (error == -ENOENT && !strncmp(target, "/proc/", strlen("/proc/")))
		return -ENXIO;
	if (error)
		return error;
	place_close(at);
	*at = next;
	return 0;
}

static enum place_kind kind_of(mode_t mode)
{
	return S_ISREG(mode) ? PLACE_FILE : PLACE_SPECIAL;
}

static int walk(struct place_target *target)
{
	struct place *at = &target->at;

	for (int links = 0; links < MAX_LINKS; links++) {
		int error = 0;

		if (fstatat(at->folder, at->name, &target->status, AT_SYMLINK_NOFOLLOW))
			error = -errno;
		else if (!links)
			target->owner = target->status.st_uid;
		if (!error && !S_ISLNK(target->status.st_mode)) {
			target->kind = kind_of(target->status.st_mode);
			return 0;
		}
		if (!error && !place_trusts(target->status.st_uid))
			target->is_trusted = false;
		if (!error && is_in_procfs(at)) {
			target->kind = PLACE_OPEN;
			return fstatat(at->folder, at->name, &target->status, 0) ? -errno : 0;
		}
		if (!error)
			error = follow(at);
		if (error == -ENOENT) {
			target->status = (struct stat){0};
			target->kind = target->owner == (uid_t)-1 ? PLACE_FREE : PLACE_FILE;
			return 0;
		}
		if (error)
			return error;
	}
	return -ELOOP;
}

int place_target_find(const struct place *place, struct place_target *ret)
{
	struct place_target target = {.at = {.folder = fcntl(place->folder, F_DUPFD_CLOEXEC, 0),
					      .name = xstrdup(place->name)},
		.is_trusted = true,
		.owner = (uid_t)-1};
	int error = target.at.folder < 0 ? -errno : walk(&target);

	if (error) {
		place_target_clear(&target);
		return error;
	}
	/* A pipe of another user is read by that user: nothing is written there. */
	if (target.kind == PLACE_SPECIAL && S_ISFIFO(target.status.st_mode) &&
		!place_trusts(target.status.st_uid))
		target.is_trusted = false;
	*ret = target;
	return 0;
}

void place_target_clear(struct place_target *target)
{
	place_close(&target->at);
}

/* A descriptor of our own is taken over as it is: a socket could not be opened by its name, and a
 * file would be written from its beginning. */
static int duplicate(const struct place *at)
{
	struct stat ours, there;
	char *end;
	long number = strtol(at->name, &end, 10);

	if (stat("/proc/self/fd", &ours) || fstat(at->folder, &there) ||
		ours.st_dev != there.st_dev || ours.st_ino != there.st_ino || *end || number < 0 ||
		number > INT_MAX)
		return -1;
	return fcntl((int)number, F_DUPFD_CLOEXEC, 0);
}

int place_target_open(const struct place_target *target)
{
	const struct place *at = &target->at;
	struct stat status;
	int fd = target->kind == PLACE_OPEN ? duplicate(at) : -1;

	if (fd < 0)
		fd = openat(at->folder, at->name,
			O_WRONLY | O_NOCTTY | O_CLOEXEC |
				(target->kind == PLACE_OPEN ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return -errno;
	/* Nothing is written yet: what was put there meanwhile stays as it is. */
	if (fstat(fd, &status) || (status.st_mode & S_IFMT) != (target->status.st_mode & S_IFMT) ||
		status.st_ino != target->status.st_ino || status.st_dev != target->status.st_dev) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

const char *place_target_words(const struct place_target *target)
{
	mode_t mode = target->status.st_mode;

	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISFIFO(mode))
		return "a pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISREG(mode) ? "a file that is open already" : "a device";
}
