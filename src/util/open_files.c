// SPDX-License-Identifier: GPL-2.0-or-later
/* The limit is asked for each time: it is not ours alone to change. */
#include "util/open_files.h"

#include <sys/resource.h>
#include <unistd.h>

/* On 2 CPUs 92 were in use, 6 of them for these, and a dozen more for a moment. */
#define FIXED 124
#define PER_CPU 4

uint64_t open_files_most(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_max;
}

void open_files_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

uint64_t open_files_needed(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return FIXED + PER_CPU * (cpus > 0 ? (uint64_t)cpus : 1);
}

size_t open_files_share(size_t most, size_t parts)
{
	uint64_t needed = open_files_needed();
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return most;
	uint64_t left = limit.rlim_cur > needed ? limit.rlim_cur - needed : 0;
	return left / parts < most ? left / parts : most;
}
