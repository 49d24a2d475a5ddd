// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/proc_text.h"
#include "util/clock.h"
#include "util/units.h"

uint64_t process_time_tick_ns(void)
{
	return NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* CPU time of a process so far; 0 if it is not known. */
static uint64_t cpu_of(uint32_t pid)
{
	_cleanup_free_ char *text = NULL;
	uint64_t user, system;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (proc_text_read(path, &text))
		return 0;
	/* Behind the name, which may hold anything. */
	const char *at = strrchr(text, ')');
	if (!at ||
		sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
			&user, &system) != 2)
		return 0;
	return (user + system) * process_time_tick_ns();
}

void process_time_read(const struct capture_options *options, struct process_time *ret)
{
	ret->at_ns = clock_ns(CLOCK_MONOTONIC);
	ret->cpu_ns = 0;
	if (options->target != TARGET_PIDS)
		ret->cpu_ns = ret->at_ns * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	for (size_t i = 0; options->target == TARGET_PIDS && i < options->id_count; i++)
		ret->cpu_ns += cpu_of(options->ids[i]);
}

uint64_t process_time_between(const struct process_time *before, const struct process_time *after)
{
	return after->cpu_ns > before->cpu_ns ? after->cpu_ns - before->cpu_ns : 0;
}
