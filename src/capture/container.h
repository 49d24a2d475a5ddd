/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The container a process runs in, as far as its cgroup path tells. */
#ifndef DWELL_CAPTURE_CONTAINER_H
#define DWELL_CAPTURE_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#define CONTAINER_ID_ROOM 65

/* The 64 hex digits that docker, podman, containerd and cri-o put into cgroup paths; false if none.
 */
bool container_of_path(const char *cgroup_path, char ret[static CONTAINER_ID_ROOM]);
/* From /proc/PID/cgroup; "" and false if the process is gone or in no container. */
bool container_of_process(uint32_t pid, char ret[static CONTAINER_ID_ROOM]);

#endif
