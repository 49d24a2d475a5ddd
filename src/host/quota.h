/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the CPU quota of a cgroup held its threads back: they are ready then, and CPUs may be
 * idle. The kernel counts that for each group and CPU; what groups above it do counts, too.
 */
#ifndef DWELL_HOST_QUOTA_H
#define DWELL_HOST_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is valid: no group, or none that can be looked at. */
struct quota {
	char *folder; /* of the cgroup; below a mount point of so many bytes */
	size_t mount_length;
	uint64_t before_ns;
};

/* The group that a process is in. */
void quota_begin(struct quota *quota, uint32_t pid);
/* A group by its name, as cgroup_find() has it: that of the first process in it. */
void quota_begin_in(struct quota *quota, const char *cgroup);
/* How long it and those above it were held back since quota_begin(), summed over CPUs. */
uint64_t quota_held_back_ns(const struct quota *quota);
void quota_clear(struct quota *quota);

/* One group's cpu.stat, of either version; 0 if it has no such line. */
uint64_t quota_parse(const char *stat);

#endif
