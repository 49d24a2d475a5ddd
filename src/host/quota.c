// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu.stat of a cgroup and of those above it. */
#include "host/quota.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/cgroup.h"
#include "host/proc_text.h"
#include "util/mem.h"

#define NS_PER_US 1000

uint64_t quota_parse(const char *stat)
{
	uint64_t value;

	/* Version 2 counts microseconds, version 1 nanoseconds. */
	for (const char *line = stat; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "throttled_usec %" SCNu64, &value) == 1)
			return value * NS_PER_US;
		if (sscanf(line, "throttled_time %" SCNu64, &value) == 1)
			return value;
	}
	return 0;
}

static uint64_t sum_upwards(const struct quota *quota)
{
	_cleanup_free_ char *folder = quota->folder ? xstrdup(quota->folder) : NULL;
	uint64_t ns = 0;

	while (folder) {
		_cleanup_free_ char *path = xasprintf("%s/cpu.stat", folder);
		_cleanup_free_ char *text = NULL;
		char *slash = strrchr(folder, '/');
		if (!proc_text_read(path, &text))
			ns += quota_parse(text);
		if (!slash || (size_t)(slash - folder) < quota->mount_length)
			break;
		*slash = 0;
	}
	return ns;
}

void quota_begin(struct quota *quota, uint32_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%u/cgroup", pid);
	_cleanup_free_ char *cgroup = NULL, *mounts = NULL;

	*quota = (struct quota){0};
	if (proc_text_read(path, &cgroup) || proc_text_read("/proc/self/mountinfo", &mounts))
		return;
	/* The controller is in one of the two. */
	if (proc_text_cgroup_folder(cgroup, mounts, "cpu", &quota->folder, &quota->mount_length) &&
		proc_text_cgroup_folder(
			cgroup, mounts, NULL, &quota->folder, &quota->mount_length)) {
		quota->folder = NULL;
		return;
	}
	quota->before_ns = sum_upwards(quota);
}

void quota_begin_in(struct quota *quota, const char *cgroup)
{
	struct cgroup_mounts mounts = {0};
	const struct cgroup_mount *mount;
	_cleanup_free_ char *folder = NULL;
	struct why why = {""};

	*quota = (struct quota){0};
	cgroup_mounts_read(&mounts);
	if (!cgroup_find_folder(&mounts, cgroup, &mount, &folder, &why)) {
		_cleanup_free_ char *path = xasprintf("%s/cgroup.procs", folder);
		_cleanup_free_ char *text = NULL;
		uint32_t pid;
		if (!proc_text_read(path, &text) && sscanf(text, "%" SCNu32, &pid) == 1 && pid)
			quota_begin(quota, pid);
	}
	cgroup_mounts_clear(&mounts);
}

uint64_t quota_held_back_ns(const struct quota *quota)
{
	uint64_t now_ns = sum_upwards(quota);

	return now_ns > quota->before_ns ? now_ns - quota->before_ns : 0;
}

void quota_clear(struct quota *quota)
{
	free(quota->folder);
	*quota = (struct quota){0};
}
