/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The container a process runs in, as far as its cgroup's path tells. A container is known by its
 * engine's id, 64 hexadecimal digits (docker, podman, containerd, cri-o, in whatever the engine
 * puts around them) or 32 and a number (ECS), or, where the engine uses names, by its name (LXC,
 * systemd-nspawn and other machines of machined). The innermost one counts. An engine's monitor
 * (conmon, lxc.monitor) is in no container.
 */
#ifndef DWELL_HOST_CONTAINER_H
#define DWELL_HOST_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

/* Longer names are cut. */
#define CONTAINER_ID_ROOM 65

/* From a cgroup's path or a line of /proc/PID/cgroup; "" and false if it is no container's. */
bool container_of_path(const char *cgroup_path, char ret[static CONTAINER_ID_ROOM]);
/* From /proc/PID/cgroup; "" and false if the process is gone or in no container. */
bool container_of_process(uint32_t pid, char ret[static CONTAINER_ID_ROOM]);

/*
 * Does a cgroup, by the last part of its path, bear this name? That is: the part itself, the id or
 * name of the container that it is, or the uid of a pod (dashes, or underscores as systemd wants
 * them); ids and uids by 8 digits or more from their start. What kubectl shows before an id
 * ("containerd://") may be left on, and "pod" before a uid.
 */
bool container_part_matches(const char *part, const char *name);
/* Hexadecimal, but too short to be taken for the beginning of an id. */
bool container_is_short_id(const char *name);

#endif
