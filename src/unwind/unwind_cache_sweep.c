// SPDX-License-Identifier: GPL-2.0-or-later
/* Keeps the folder within its limit: what was used longest ago goes first. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unwind/unwind_cache_private.h"
#include "util/mem.h"
#include "util/vec.h"

/* No writer takes this long. */
#define STALE_TEMP_S 3600

struct entry {
	char name[NAME_MAX + 1];
	uint64_t bytes;
	struct timespec used;
};

struct entries {
	VEC(struct entry) all;
	uint64_t bytes;
};

static int compare_use(const void *left, const void *right)
{
	const struct timespec *a = &((const struct entry *)left)->used;
	const struct timespec *b = &((const struct entry *)right)->used;

	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

static bool ends_with(const char *name, const char *ending)
{
	size_t length = strlen(name), most = strlen(ending);

	return length > most && !strcmp(name + length - most, ending);
}

/* Only what has a name of ours is looked at, and ever removed. */
static void look_at(struct unwind_cache *cache, const char *name, struct entries *entries)
{
	bool is_temp = !strncmp(name, CACHE_TEMP, strlen(CACHE_TEMP));
	struct entry entry = {0};
	struct stat status;

	if ((!is_temp && !ends_with(name, CACHE_ENDING)) ||
		fstatat(cache->folder, name, &status, AT_SYMLINK_NOFOLLOW) ||
		!S_ISREG(status.st_mode))
		return;
	if (is_temp && time(NULL) - status.st_mtime > STALE_TEMP_S) {
		unlinkat(cache->folder, name, 0);
		return;
	}
	entry.bytes = (uint64_t)status.st_size;
	entry.used = status.st_mtim;
	memcpy(entry.name, name, strlen(name) + 1);
	entries->bytes += entry.bytes;
	if (!is_temp)
		vec_push(&entries->all, entry);
}

static void list(struct unwind_cache *cache, struct entries *entries)
{
	/* A descriptor of its own: the position in the folder belongs to it. */
	int fd = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *found;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((found = readdir(folder)))
		look_at(cache, found->d_name, entries);
	closedir(folder);
}

void unwind_cache_sweep(struct unwind_cache *cache)
{
	struct entries entries = {0};

	list(cache, &entries);
	if (entries.bytes > cache->limit_bytes) {
		vec_sort(&entries.all, compare_use);
		vec_each (entry, &entries.all) {
			if (entries.bytes <= cache->limit_bytes / 4 * 3)
				break;
			if (!unlinkat(cache->folder, entry->name, 0))
				entries.bytes -= entry->bytes;
		}
	}
	cache->used_bytes = entries.bytes;
	vec_clear(&entries.all);
}
