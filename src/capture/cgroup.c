// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cgroup paths to (hierarchy, id). The id is the kernfs file handle's, which is what the kernel
 * calls kn->id; ids repeat across hierarchies, so the hierarchy's number goes with it. It comes
 * from /proc/self/cgroup, matched with the mount by its controllers.
 */
#include "capture/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "util/mem.h"
#include "util/vec.h"

struct mount {
	char path[PATH_MAX];
	int hierarchy;
};

typedef VEC(struct mount) mount_list;

/* Is every controller of the comma list among the mount's options? "name=x" counts like one. */
static bool has_controllers(const char *options, const char *controllers)
{
	_cleanup_free_ char *padded = xasprintf(",%s,", options);
	_cleanup_free_ char *copy = xstrdup(controllers);
	char *rest = NULL;

	for (char *one = strtok_r(copy, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
		_cleanup_free_ char *wanted = xasprintf(",%s,", one);
		if (!strstr(padded, wanted))
			return false;
	}
	return true;
}

/* The number of the hierarchy that carries what the mount's options say; -1 if unknown. */
static int hierarchy_of(const char *options)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX + 256], controllers[256];
	int number;

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "%d:%255[^:]:", &number, controllers) == 2 &&
			has_controllers(options, controllers))
			return number;
	return -1;
}

static void list_mounts(mount_list *mounts)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) > 0) {
		struct mount mount = {.hierarchy = 0};
		char type[64], super[1024] = "";
		char *tail = strstr(line, " - ");

		if (!tail || sscanf(line, "%*d %*d %*s %*s %4095s", mount.path) != 1 ||
			sscanf(tail, " - %63s %*s %1023s", type, super) < 1)
			continue;
		/* A hierarchy without a controller (name=systemd) is not to be found from a thread.
		 */
		if (!strcmp(type, "cgroup"))
			mount.hierarchy = strstr(super, "name=") ? -1 : hierarchy_of(super);
		else if (strcmp(type, "cgroup2"))
			continue;
		if (mount.hierarchy >= 0)
			vec_push(mounts, mount);
	}
	free(line);
}

/* Fills ret if path is a cgroup folder at or below the mount. */
static bool resolve(const struct mount *mount, const char *path, struct cgroup_target *ret)
{
	char real[PATH_MAX];
	struct {
		struct file_handle handle;
		uint64_t id;
	} at = {.handle.handle_bytes = sizeof(uint64_t)};
	size_t length = strlen(mount->path);
	int mount_id;
	struct stat status;

	if (!realpath(path, real) || strncmp(real, mount->path, length) ||
		(real[length] && real[length] != '/') || stat(real, &status) ||
		!S_ISDIR(status.st_mode))
		return false;
	if (name_to_handle_at(AT_FDCWD, real, &at.handle, &mount_id, 0) ||
		at.handle.handle_bytes != sizeof(uint64_t))
		return false;
	struct cgroup_target found = {.hierarchy = mount->hierarchy};
	memcpy(&found.id, at.handle.f_handle, sizeof(found.id));
	snprintf(found.path, sizeof(found.path), "%s", real);
	*ret = found;
	return true;
}

#define MAX_DEPTH 32

/* Counts folders below path whose last part contains the text; the first found goes to ret_path. */
static int search(const char *path, const char *text, int depth, char ret_path[PATH_MAX])
{
	struct dirent **entries = NULL;
	int found = 0, number = depth < MAX_DEPTH ? scandir(path, &entries, NULL, alphasort) : 0;

	for (int i = 0; i < number; i++) {
		char below[PATH_MAX];
		const struct dirent *entry = entries[i];

		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
			snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
				(int)sizeof(below)) {
			if (strstr(entry->d_name, text)) {
				if (!found++)
					memcpy(ret_path, below, sizeof(below));
			} else {
				char deeper[PATH_MAX];
				int more = search(below, text, depth + 1, deeper);
				if (more && !found)
					memcpy(ret_path, deeper, sizeof(deeper));
				found += more;
			}
		}
		free(entries[i]);
	}
	free(entries);
	return found;
}

static bool looks_like_container_id(const char *name)
{
	size_t length = strspn(name, "0123456789abcdef-_");

	return length >= 8 && !name[length];
}

static int find_container(
	const mount_list *mounts, const char *name, struct cgroup_target *ret, struct why *why)
{
	for (size_t i = 0; i < mounts->count; i++) {
		char path[PATH_MAX];
		int found = search(mounts->at[i].path, name, 0, path);

		if (found > 1)
			return why_set(why, -EINVAL,
				"%d cgroups match %s; give more of the id, or a path such as %s",
				found, name, path);
		if (found == 1 && resolve(&mounts->at[i], path, ret))
			return 0;
	}
	return -ENOENT;
}

static int by_version(const void *a, const void *b)
{
	return ((const struct mount *)a)->hierarchy - ((const struct mount *)b)->hierarchy;
}

int cgroup_find(const char *name, struct cgroup_target *ret, struct why *why)
{
	mount_list mounts = {0};
	int error = -ENOENT;

	list_mounts(&mounts);
	vec_sort(&mounts, by_version);
	for (size_t i = 0; i < mounts.count && error; i++) {
		_cleanup_free_ char *below = xasprintf("%s/%s", mounts.at[i].path, name);
		/* A mount may lie inside another one's folder: the longest match is the right one.
		 */
		if (name[0] == '/' ? resolve(&mounts.at[i], name, ret)
				   : resolve(&mounts.at[i], below, ret))
			error = 0;
	}
	if (error && looks_like_container_id(name))
		error = find_container(&mounts, name, ret, why);
	if (error == -ENOENT)
		why_set(why, error,
			mounts.count ? "no cgroup %s; list them with: systemd-cgls, or find "
				       "/sys/fs/cgroup -type d"
				     : "no cgroup %s: no cgroup file system is mounted",
			name);
	vec_clear(&mounts);
	return error;
}
