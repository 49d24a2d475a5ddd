/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that a CPU counts itself (its PMU), by the names that perf has for them, by raw numbers,
 * and by the fields that the kernel says a PMU has. Whether a machine has one only perf_event_open
 * tells.
 */
#ifndef DWELL_KERNEL_EVENT_HARDWARE_H
#define DWELL_KERNEL_EVENT_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/why.h"

/* As in struct perf_event_attr. */
struct event_hardware {
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
};

/* "cycles", "cache-misses", ...: false if it is none of them. */
bool event_hardware_find(const char *name, uint32_t *ret_type, uint64_t *ret_config);
/* Each name; `about` says what is counted, and is NULL for another name of the one before. */
void event_hardware_each(void (*each)(void *context, const char *name, const char *about,
				 const struct event_hardware *event),
	void *context);

/*
 * Is it written as such an event: a name of the table, r and hexadecimal digits ("r01c2"), or
 * PMU/TERMS/ ("cpu/event=0x3c,umask=1/", "cpu/cache-misses/")? Without modifiers (":u").
 */
bool event_hardware_is(const char *text);
/* 0; -EINVAL: it does not make sense; -ENODEV: there is no such PMU. With why. */
int event_hardware_parse(const char *text, struct event_hardware *ret, struct why *why);
/* The same with another folder than /sys/bus/event_source/devices, for tests. */
int event_hardware_parse_in(
	const char *devices, const char *text, struct event_hardware *ret, struct why *why);

/*
 * Can this machine count it, and may this user? 0; -ENOENT: its CPUs do not have it (or it has no
 * PMU at all, as most virtual machines); -EACCES, -EPERM: not by this user; -errno.
 */
int event_hardware_try(const struct event_hardware *event);

#endif
