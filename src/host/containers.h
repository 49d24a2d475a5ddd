/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Containers of processes, also of those that are gone: by the cgroups that the kernel named when
 * it told of them. What a cgroup is called is looked up once.
 */
#ifndef DWELL_HOST_CONTAINERS_H
#define DWELL_HOST_CONTAINERS_H

#include "host/cgroup.h"
#include "host/container.h"

struct containers;

/* Knows the hierarchies that are mounted now. */
struct containers *containers_new(void);
void containers_free(struct containers *containers);

/*
 * The container of a process that was in these cgroups (of different hierarchies; id 0: none), ""
 * if none is known. /proc/PID is asked only if they do not tell. Borrowed, lives as long as
 * containers.
 */
const char *containers_find(struct containers *containers, uint32_t pid,
	const struct cgroup_target *cgroups, size_t count);

#endif
