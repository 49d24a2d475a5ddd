// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time of /proc/stat. */
#include "host/cpu_load.h"

#include <inttypes.h>
#include <stdio.h>

#include "host/proc_text.h"
#include "util/mem.h"

#define MILLION 1000000

struct cpu_load cpu_load_parse(const char *stat)
{
	/* user nice system idle iowait irq softirq; what the hypervisor took is nobody's. */
	uint64_t ticks[7];
	struct cpu_load load = {0};

	if (sscanf(stat,
		    "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		    " %" SCNu64,
		    &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5],
		    &ticks[6]) != 7)
		return load;
	for (size_t i = 0; i < ARRAY_SIZE(ticks); i++) {
		load.all += ticks[i];
		if (i != 3 && i != 4)
			load.busy += ticks[i];
	}
	return load;
}

struct cpu_load cpu_load_now(void)
{
	_cleanup_free_ char *text = NULL;

	return proc_text_read("/proc/stat", &text) ? (struct cpu_load){0} : cpu_load_parse(text);
}

uint32_t cpu_load_share(const struct cpu_load *before, const struct cpu_load *after)
{
	uint64_t all = after->all - before->all, busy = after->busy - before->busy;

	/* The kernel's count of idle ticks may go back a little. */
	if (!before->all || after->all <= before->all || after->busy < before->busy)
		return 0;
	if (busy > all)
		busy = all;
	return (uint32_t)(busy * MILLION / all) + !busy;
}
