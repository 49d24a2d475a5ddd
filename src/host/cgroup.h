/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cgroup a user means: a path, a container or a pod, to what the kernel compares. */
#ifndef DWELL_HOST_CGROUP_H
#define DWELL_HOST_CGROUP_H

#include <stdint.h>

#include "host/cgroup_mount.h"
#include "util/why.h"

struct cgroup_target {
	int hierarchy; /* 0: version 2 */
	uint64_t id;
};

/*
 * `name` is a folder below a cgroup mount; or a path as /proc/PID/cgroup has it, with or without
 * the first slash; or a container's id, a pod's uid (or 8 digits or more of them), a container's
 * name or a cgroup's own name, as container_part_matches() has it. Version 2 is tried before the
 * hierarchies of version 1. Of matches inside one another the outermost is taken. -ENOENT if there
 * is none, -EINVAL if several lie apart or the hierarchy cannot be followed; why says which.
 */
int cgroup_find(const char *name, struct cgroup_target *ret, struct why *why);

/*
 * The other way round: the folder of a cgroup that the kernel named, as long as it exists. 0, or
 * -errno: -ENOENT if its hierarchy is not mounted, -ESTALE if it is gone, -EPERM without
 * CAP_DAC_READ_SEARCH. The path is the caller's to free.
 */
int cgroup_path(
	const struct cgroup_mounts *mounts, const struct cgroup_target *target, char **ret_path);

/*
 * The part of cgroup_find() that needs no cgroup file system: the folder that is meant. ret_mount
 * is borrowed from mounts, the path is the caller's to free.
 */
int cgroup_find_folder(const struct cgroup_mounts *mounts, const char *name,
	const struct cgroup_mount **ret_mount, char **ret_path, struct why *why);

#endif
