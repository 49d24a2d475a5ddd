/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel has all memory, for walks that look user stacks up in the page tables
 * (bpf/pages.bpf.h). It is not told, so it is guessed, and believed only if words of ours are found
 * by it; where it is not found, under a hypervisor's own page tables or with encrypted memory,
 * stacks are copied.
 */
#ifndef DWELL_KERNEL_DIRECT_MAP_H
#define DWELL_KERNEL_DIRECT_MAP_H

#include <stdbool.h>

struct dwell;

/* Before loading: does the kernel have what is needed? */
void direct_map_configure(struct dwell *skeleton, bool has_loads);
/* After loading. */
void direct_map_find(struct dwell *skeleton);

#endif
