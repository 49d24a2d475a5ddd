/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cgroup a user means: a path below /sys/fs/cgroup (either version) to what the kernel
 * compares. */
#ifndef DWELL_CAPTURE_CGROUP_H
#define DWELL_CAPTURE_CGROUP_H

#include <stdint.h>

#include "util/why.h"

struct cgroup_target {
	int hierarchy; /* 0: version 2 */
	uint64_t id;
	char path[4096]; /* as found */
};

/*
 * `name` is an absolute path below a cgroup mount, or a path relative to one (version 2 is tried
 * first), or what the last part of a cgroup's path begins with or contains (a container id of at
 * least 8 hex digits). -ENOENT if there is none, -EINVAL if several match; why says which.
 */
int cgroup_find(const char *name, struct cgroup_target *ret, struct why *why);

#endif
