/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks in nanoseconds. The kernel side stamps with the monotonic one. */
#ifndef DWELL_UTIL_CLOCK_H
#define DWELL_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
