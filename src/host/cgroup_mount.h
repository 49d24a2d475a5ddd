/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the cgroup hierarchies are mounted, and under which numbers the kernel knows them. */
#ifndef DWELL_HOST_CGROUP_MOUNT_H
#define DWELL_HOST_CGROUP_MOUNT_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/vec.h"

struct cgroup_mount {
	char *path;     /* the mount point */
	char *root;     /* the cgroup that is to be seen there, "/" for the whole tree */
	dev_t device;   /* what stat() says of every folder in the hierarchy */
	int hierarchy;  /* 0: version 2 */
	bool is_opaque; /* a hierarchy without a controller: no thread leads to its cgroups */
};

struct cgroup_mounts {
	VEC(struct cgroup_mount) list; /* version 2 first, wide mounts before narrow ones */
	bool is_part;                  /* a container's view: other cgroups are out of sight */
};

/*
 * Adds what the texts of /proc/self/mountinfo and /proc/self/cgroup say. Lines of another shape,
 * other file systems and hierarchies without a number are passed over. The caller clears.
 */
void cgroup_mounts_parse(
	struct cgroup_mounts *mounts, const char *mountinfo, const char *own_cgroups);
/* The same from those files. */
void cgroup_mounts_read(struct cgroup_mounts *mounts);
void cgroup_mounts_clear(struct cgroup_mounts *mounts);

#endif
