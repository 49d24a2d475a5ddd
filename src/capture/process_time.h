/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time that the target has used: of the processes that are named, else of the whole machine. */
#ifndef DWELL_CAPTURE_PROCESS_TIME_H
#define DWELL_CAPTURE_PROCESS_TIME_H

#include "kernel/options.h"

struct process_time {
	uint64_t at_ns;
	uint64_t cpu_ns; /* of the processes; of others as many CPUs as there are, all the time */
};

void process_time_read(const struct capture_options *options, struct process_time *ret);
/* 0 if processes have ended meanwhile. */
uint64_t process_time_between(const struct process_time *before, const struct process_time *after);
/* What the kernel counts it in: less cannot be told from nothing. */
uint64_t process_time_tick_ns(void);

#endif
