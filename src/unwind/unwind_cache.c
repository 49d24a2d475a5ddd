// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loading and storing. A file is read as a whole, never mapped, and believed only if it is a
 * plain file of ours; one that is not what it should be is removed. It is written under another
 * name and renamed, so that readers see all of it or nothing; the checksum finds what a power
 * failure left half-written.
 */
#include "unwind/unwind_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "elf/cfi/cfi_pack.h"
#include "unwind/unwind_cache_private.h"
#include "util/hash.h"
#include "util/io.h"
#include "util/mem.h"

#define MAX_BUILD_ID_DIGITS 128
#define NAME_ROOM (MAX_BUILD_ID_DIGITS + 32)
/* Use is noted by the time of change, but not each time: that would be a write for each read. */
#define NOTE_USE_S 3600
#define TEMP_ROOM 64
#define MAX_TEMP_TRIES 64

static bool make_name(const char *build_id, uid_t owner, char name[static NAME_ROOM])
{
	size_t digits = strspn(build_id, "0123456789abcdef");

	if (!digits || digits > MAX_BUILD_ID_DIGITS || build_id[digits])
		return false;
	snprintf(name, NAME_ROOM, "%s-%u" CACHE_ENDING, build_id, owner);
	return true;
}

static bool is_ours(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH)) &&
	       (uint64_t)status->st_size >= cfi_pack_min_bytes &&
	       (uint64_t)status->st_size <= cfi_pack_max_bytes;
}

static int load(struct unwind_cache *cache, const char *name, struct cfi_table *ret)
{
	/* O_NONBLOCK: a FIFO in its place must not hold us up. */
	_cleanup_close_ int fd = openat(
		cache->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	_cleanup_free_ unsigned char *bytes = NULL;
	struct stat status;
	ssize_t got;
	int err;

	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &status))
		return -errno;
	if (!is_ours(&status))
		return -EBADMSG;
	bytes = xmalloc((size_t)status.st_size);
	got = io_read(fd, bytes, (size_t)status.st_size, IO_HERE);
	err = got < 0 ? (int)got : got < status.st_size ? -EBADMSG : 0;
	if (!err)
		err = cfi_unpack(bytes, (size_t)status.st_size, hash_text(0, name), ret);
	if (!err && time(NULL) - status.st_mtime > NOTE_USE_S)
		futimens(fd, NULL);
	return err;
}

int unwind_cache_load(
	struct unwind_cache *cache, const char *build_id, uid_t owner, struct cfi_table *ret)
{
	char name[NAME_ROOM];
	int err;

	if (!make_name(build_id, owner, name))
		return -ENOENT;
	err = load(cache, name, ret);
	if (err == -EBADMSG)
		unlinkat(cache->folder, name, 0);
	return err;
}

/* Makes a new file and its name. Pids are unique in their namespace only, and come again. */
static int open_temp(struct unwind_cache *cache, char temp[static TEMP_ROOM])
{
	for (int tries = 0; tries < MAX_TEMP_TRIES; tries++) {
		snprintf(temp, TEMP_ROOM, CACHE_TEMP "%d-%u", getpid(),
			atomic_fetch_add(&cache->next_temp, 1));
		int fd = openat(cache->folder, temp,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int write_temp(
	struct unwind_cache *cache, char temp[static TEMP_ROOM], const void *bytes, size_t count)
{
	int fd = open_temp(cache, temp), err;

	if (fd < 0)
		return fd;
	err = io_write(fd, bytes, count, IO_HERE);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlinkat(cache->folder, temp, 0);
	return err;
}

static void count_in(struct unwind_cache *cache, uint64_t bytes)
{
	pthread_mutex_lock(&cache->lock);
	cache->used_bytes += bytes;
	if (cache->used_bytes > cache->limit_bytes)
		unwind_cache_sweep(cache);
	pthread_mutex_unlock(&cache->lock);
}

int unwind_cache_store(struct unwind_cache *cache, const char *build_id, uid_t owner,
	const struct cfi_table *table)
{
	_cleanup_free_ void *bytes = NULL;
	char name[NAME_ROOM], temp[TEMP_ROOM];
	size_t count;
	int err;

	if (!make_name(build_id, owner, name))
		return -EINVAL;
	bytes = cfi_pack(table, hash_text(0, name), &count);
	if (count > cache->limit_bytes / 4)
		return -E2BIG;
	err = write_temp(cache, temp, bytes, count);
	if (err)
		return err;
	if (renameat(cache->folder, temp, cache->folder, name)) {
		err = -errno;
		unlinkat(cache->folder, temp, 0);
		return err;
	}
	count_in(cache, count);
	return 0;
}
