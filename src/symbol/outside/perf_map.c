// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the text file in which a process names the code that it makes, and decides whether to trust
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "symbol/outside/errand_private.h"
#include "util/mem.h"

/* What the process's own view of itself is. */
struct self {
	uint64_t pid;
	uid_t user;
};

/* From /proc/PID/status: the effective of four user ids, the innermost of the process ids. */
static int read_self(uint32_t pid, struct self *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%" PRIu32 "/status", pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct self self = {0};
	bool has_user = false;
	char line[1024];

	if (!in)
		return errno == ENOENT ? -ESRCH : -errno;
	while (fgets(line, sizeof(line), in)) {
		unsigned int user;
		if (sscanf(line, "Uid: %*u %u", &user) == 1) {
			self.user = user;
			has_user = true;
		}
		if (strncmp(line, "NSpid:", 6))
			continue;
		line[strcspn(line, "\n")] = '\0';
		self.pid = strtoull(strrchr(line, '\t') ? strrchr(line, '\t') : "", NULL, 10);
	}
	if (!has_user || !self.pid)
		return -ESRCH;
	*ret = self;
	return 0;
}

/*
 * Is it the process's own? A file of root's may be one that the process wrote before it gave up its
 * rights, but not one that it has mounted or linked there, to have it read by us.
 */
static bool is_trusted(const struct statx *file, uid_t user)
{
	if (file->stx_uid == user)
		return true;
	return !file->stx_uid && file->stx_nlink == 1 &&
	       (file->stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
	       !(file->stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* An O_PATH fd of the file, or -errno. */
static int find_file(uint32_t pid, struct statx *ret)
{
	struct self self = {0};
	int err = read_self(pid, &self);

	if (err)
		return err;
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%" PRIu64 ".map", self.pid);
	int fd = locate_unlinked_file(pid, path);
	if (fd < 0)
		return -ENOENT;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, ret) || !is_trusted(ret, self.user)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int perf_map_find(uint32_t pid, struct perf_map_state *state, bool *ret_is_other, int *ret_path_fd)
{
	struct statx file;
	int fd = find_file(pid, &file);

	if (fd < 0)
		return fd;
	struct perf_map_state now = {.device = makedev(file.stx_dev_major, file.stx_dev_minor),
		.inode = file.stx_ino,
		.bytes = file.stx_size};
	bool is_same = now.device == state->device && now.inode == state->inode &&
		       state->bytes <= now.bytes;
	if (is_same && state->bytes == now.bytes) {
		close(fd);
		return 0;
	}
	*state = now;
	*ret_is_other = !is_same;
	*ret_path_fd = fd;
	return 1;
}
