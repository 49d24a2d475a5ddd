/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy the CPUs of the machine were, whoever used them, as the kernel counts it. */
#ifndef DWELL_HOST_CPU_LOAD_H
#define DWELL_HOST_CPU_LOAD_H

#include <stdint.h>

/* All zero: not known. */
struct cpu_load {
	uint64_t busy;
	uint64_t all;
};

/* As of now, in the kernel's ticks since it started. */
struct cpu_load cpu_load_now(void);
/* The first line of /proc/stat. */
struct cpu_load cpu_load_parse(const char *stat);
/* Between two moments, in millionths of all CPU time; 0: not known. At least 1 if it is. */
uint32_t cpu_load_share(const struct cpu_load *before, const struct cpu_load *after);

#endif
