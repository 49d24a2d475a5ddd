// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which folder, and whether it can be trusted: it must be a real folder of ours that nobody else
 * may write to, and from then on everything goes through its descriptor. Programs with file
 * capabilities do not believe the environment, so they have none.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unwind/unwind_cache_private.h"
#include "util/mem.h"

#define ROOT_FOLDER "/var/cache/dwell"

static int open_folder(const char *path, struct why *why)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	int ret;

	if (mkdir(path, 0700) && errno != EEXIST)
		return why_set(why, -errno, "cannot make %s: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		return why_set(why, -errno, "cannot open %s: %s", path, strerror(errno));
	if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH))
		return why_set(why, -EPERM,
			"%s is not ours alone: it must belong to user %u, and nobody else may "
			"write to "
			"it",
			path, geteuid());
	ret = fd;
	fd = -1;
	return ret;
}

int unwind_cache_open_at(
	const char *folder, uint64_t limit_bytes, struct unwind_cache **ret, struct why *why)
{
	struct unwind_cache *cache;
	int fd = open_folder(folder, why);

	if (fd < 0)
		return fd;
	cache = xcalloc(1, sizeof(*cache));
	cache->folder = fd;
	cache->limit_bytes = limit_bytes;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_mutex_lock(&cache->lock);
	unwind_cache_sweep(cache);
	pthread_mutex_unlock(&cache->lock);
	*ret = cache;
	return 0;
}

/* The folder of the user, whose parent is made if it is not there yet. */
static char *user_folder(void)
{
	const char *caches = secure_getenv("XDG_CACHE_HOME");
	const char *home = secure_getenv("HOME");
	_cleanup_free_ char *parent = NULL;

	if (caches && caches[0] == '/')
		parent = xstrdup(caches);
	else if (home && home[0] == '/')
		parent = xasprintf("%s/.cache", home);
	else
		return NULL;
	mkdir(parent, 0700);
	return xasprintf("%s/dwell", parent);
}

int unwind_cache_open(uint64_t limit_bytes, struct unwind_cache **ret, struct why *why)
{
	_cleanup_free_ char *folder = geteuid() ? user_folder() : xstrdup(ROOT_FOLDER);

	if (!folder)
		return why_set(why, -ENOENT,
			"no place for a cache: neither HOME nor XDG_CACHE_HOME is set, or dwell "
			"has "
			"file capabilities");
	return unwind_cache_open_at(folder, limit_bytes, ret, why);
}

void unwind_cache_free(struct unwind_cache *cache)
{
	if (!cache)
		return;
	close(cache->folder);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}
