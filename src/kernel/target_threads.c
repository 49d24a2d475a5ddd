// SPDX-License-Identifier: GPL-2.0-or-later
/* A command is counted among those that may soon be many: builds are recorded that way. */
#include "kernel/target_threads.h"

#include <stdio.h>
#include <sys/stat.h>

/* The folder of a process's threads has a link for each of them, and the usual two. */
static uint32_t threads_of(uint32_t pid)
{
	struct stat status;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return stat(path, &status) || status.st_nlink < 3 ? 1 : (uint32_t)status.st_nlink - 2;
}

uint32_t target_threads(const struct capture_options *options)
{
	uint32_t threads = 0;

	if (options->target == TARGET_TIDS)
		return (uint32_t)options->id_count;
	for (size_t i = 0; options->target == TARGET_PIDS && i < options->id_count; i++)
		threads += threads_of(options->ids[i]);
	return threads;
}
