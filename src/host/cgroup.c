// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names to cgroups: first as a path, then by looking through the trees. A folder belongs to a
 * hierarchy if its device is the mount's. What the kernel compares is kn->id, which is the file
 * handle of the folder; ids repeat across hierarchies, so the hierarchy's number goes with it.
 */
#include "host/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "host/container.h"

static bool is_folder_on(const char *path, dev_t device)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode) && status.st_dev == device;
}

/* The name as a path of the file system. */
static const struct cgroup_mount *mount_of_path(
	const struct cgroup_mounts *mounts, const char *path)
{
	vec_each (mount, &mounts->list)
		if (is_folder_on(path, mount->device))
			return mount;
	return NULL;
}

/* What is left of the cgroup's name below the one that is mounted, or NULL. */
static const char *below_root(const struct cgroup_mount *mount, const char *name)
{
	size_t length = strlen(mount->root);

	if (length <= 1 || strncmp(name, mount->root, length) ||
		(name[length] && name[length] != '/'))
		return NULL;
	return name + length;
}

/* The name as the kernel writes it, from the hierarchy's root. Caller frees; NULL: not there. */
static char *path_in_mount(const struct cgroup_mount *mount, const char *name)
{
	const char *rest = below_root(mount, name);

	for (int i = rest ? 0 : 1; i < 2; i++) {
		const char *below = i ? name : rest;
		_cleanup_free_ char *path =
			xasprintf("%s/%s", mount->path, below + strspn(below, "/"));
		if (is_folder_on(path, mount->device)) {
			char *found = path;
			path = NULL;
			return found;
		}
	}
	return NULL;
}

struct matches {
	size_t count;
	char *first, *second;
};

static void matches_clear(struct matches *matches)
{
	free(matches->first);
	free(matches->second);
}

static void matches_add(struct matches *matches, const char *path)
{
	if (!matches->count)
		matches->first = xstrdup(path);
	else if (matches->count == 1)
		matches->second = xstrdup(path);
	matches->count++;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Looks through the tree; what lies inside a match is part of it. Groups may vanish meanwhile. */
static void search(const struct cgroup_mount *mount, const char *name, struct matches *matches)
{
	char *const roots[] = {mount->path, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		if (entry->fts_info != FTS_D || entry->fts_level < 1 ||
			!container_part_matches(entry->fts_name, name))
			continue;
		matches_add(matches, entry->fts_path);
		fts_set(tree, entry, FTS_SKIP);
	}
	if (tree)
		fts_close(tree);
}

/* The first hierarchy that has the container decides. */
static int find_container(const struct cgroup_mounts *mounts, const char *name,
	const struct cgroup_mount **ret_mount, char **ret_path, struct why *why)
{
	vec_each (mount, &mounts->list) {
		_cleanup_(matches_clear) struct matches matches = {0};

		if (mount->is_opaque || !is_folder_on(mount->path, mount->device))
			continue;
		search(mount, name, &matches);
		if (matches.count > 1)
			return why_set(why, -EINVAL,
				"%s matches %zu cgroups; give more of it, or a path: %s or %s",
				name, matches.count, matches.first, matches.second);
		if (matches.count) {
			*ret_mount = mount;
			*ret_path = matches.first;
			matches.first = NULL;
			return 0;
		}
	}
	return -ENOENT;
}

static int explain_absence(const struct cgroup_mounts *mounts, const char *name, struct why *why)
{
	if (!mounts->list.count)
		return why_set(
			why, -ENOENT, "no cgroup %s: no cgroup file system is mounted", name);
	if (mounts->is_part)
		return why_set(why, -ENOENT,
			"no cgroup %s to be seen from here: this is a container that sees a part "
			"of the tree; start it with --cgroupns=host",
			name);
	if (container_is_short_id(name))
		return why_set(
			why, -ENOENT, "no cgroup %s; a container id needs 8 digits or more", name);
	return why_set(why, -ENOENT,
		"no cgroup %s; list them with: systemd-cgls, or find /sys/fs/cgroup -type d", name);
}

/* A hierarchy of no controller is only taken if there is nothing else. */
static const struct cgroup_mount *find_path(
	const struct cgroup_mounts *mounts, const char *name, char **ret_path)
{
	const struct cgroup_mount *found = name[0] == '/' ? mount_of_path(mounts, name) : NULL;

	if (found) {
		*ret_path = xstrdup(name);
		return found;
	}
	for (int is_opaque = 0; is_opaque < 2; is_opaque++)
		vec_each (mount, &mounts->list) {
			char *path =
				mount->is_opaque == is_opaque ? path_in_mount(mount, name) : NULL;
			if (path) {
				*ret_path = path;
				return mount;
			}
		}
	return NULL;
}

int cgroup_find_folder(const struct cgroup_mounts *mounts, const char *name,
	const struct cgroup_mount **ret_mount, char **ret_path, struct why *why)
{
	_cleanup_free_ char *path = NULL;
	const struct cgroup_mount *mount = NULL;
	int error;

	if (!name[0])
		return why_set(why, -EINVAL, "a cgroup's name is empty");
	mount = find_path(mounts, name, &path);
	if (mount && mount->is_opaque)
		return why_set(why, -EINVAL,
			"%s is in a hierarchy without a controller, which threads cannot be "
			"followed through; give the same cgroup in another one",
			path);
	if (!mount) {
		error = find_container(mounts, name, &mount, &path, why);
		if (error)
			return error == -ENOENT ? explain_absence(mounts, name, why) : error;
	}
	*ret_mount = mount;
	*ret_path = path;
	path = NULL;
	return 0;
}

/* FILEID_KERNFS of the kernel: a file handle that is nothing but kn->id. */
#define HANDLE_TYPE 0xfe

union id_handle {
	struct file_handle handle;
	char room[sizeof(struct file_handle) + sizeof(uint64_t)];
};

static int read_id(const char *path, uint64_t *ret_id)
{
	union id_handle at = {.handle.handle_bytes = sizeof(uint64_t)};
	int mount_id;

	if (name_to_handle_at(AT_FDCWD, path, &at.handle, &mount_id, AT_SYMLINK_FOLLOW))
		return -errno;
	if (at.handle.handle_bytes != sizeof(uint64_t))
		return -EINVAL;
	memcpy(ret_id, at.handle.f_handle, sizeof(*ret_id));
	return 0;
}

static int path_of_id(const char *mount_path, uint64_t id, char **ret_path)
{
	union id_handle at = {
		.handle = {.handle_bytes = sizeof(uint64_t), .handle_type = HANDLE_TYPE}};
	_cleanup_close_ int mount_fd = open(mount_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int fd = -1;
	char link[64], path[PATH_MAX];

	if (mount_fd < 0)
		return -errno;
	memcpy(at.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(mount_fd, &at.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof(path));
	if (length < 0)
		return -errno;
	*ret_path = xstrndup(path, (size_t)length);
	return 0;
}

int cgroup_path(
	const struct cgroup_mounts *mounts, const struct cgroup_target *target, char **ret_path)
{
	vec_each (mount, &mounts->list)
		if (mount->hierarchy == target->hierarchy &&
			is_folder_on(mount->path, mount->device))
			return path_of_id(mount->path, target->id, ret_path);
	return -ENOENT;
}

int cgroup_find(const char *name, struct cgroup_target *ret, struct why *why)
{
	_cleanup_(cgroup_mounts_clear) struct cgroup_mounts mounts = {0};
	_cleanup_free_ char *path = NULL;
	const struct cgroup_mount *mount = NULL;
	struct cgroup_target found = {0};
	int error;

	cgroup_mounts_read(&mounts);
	error = cgroup_find_folder(&mounts, name, &mount, &path, why);
	if (error || !mount)
		return error;
	found.hierarchy = mount->hierarchy;
	error = read_id(path, &found.id);
	if (error)
		return why_set(
			why, error, "cannot read the id of cgroup %s: %s", path, strerror(-error));
	*ret = found;
	return 0;
}
