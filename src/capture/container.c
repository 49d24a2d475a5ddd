// SPDX-License-Identifier: GPL-2.0-or-later
/* Container ids out of cgroup paths. */
#include "capture/container.h"

#include <stdio.h>
#include <string.h>

#include "util/mem.h"

#define ID_LENGTH (CONTAINER_ID_ROOM - 1)

bool container_of_path(const char *cgroup_path, char ret[static CONTAINER_ID_ROOM])
{
	static const char digits[] = "0123456789abcdef";

	ret[0] = 0;
	for (const char *at = cgroup_path; *at;) {
		size_t length = strspn(at, digits);
		if (length == ID_LENGTH) {
			memcpy(ret, at, ID_LENGTH);
			ret[ID_LENGTH] = 0;
			return true;
		}
		at += length ? length : 1;
	}
	return false;
}

bool container_of_process(uint32_t pid, char ret[static CONTAINER_ID_ROOM])
{
	char path[64], line[4096];

	ret[0] = 0;
	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (container_of_path(line, ret))
			return true;
	return false;
}
