/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's tracepoints as tracefs describes them: their numbers, and the fields of what a
 * program on one gets. Which there are is a matter of the kernel and its modules.
 */
#ifndef DWELL_HOST_TRACEPOINT_H
#define DWELL_HOST_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/why.h"

struct tracepoint_field {
	char *name;
	char *type; /* as the kernel's C has it, "unsigned int" */
	uint32_t offset;
	uint32_t bytes;
	bool is_signed;
	bool is_number; /* of 1, 2, 4 or 8 bytes; no array, no text (__data_loc), no pointer */
};

/* Fields that all tracepoints have (common_pid) are left out. */
struct tracepoint {
	uint32_t id;
	char *category;
	char *name;
	struct tracepoint_field *fields;
	size_t field_count;
};

/*
 * "sched:sched_switch", "tracepoint:sched:sched_switch" and "t:..." as their two words;
 * "syscall:openat" is syscalls:sys_enter_openat, "syscall:openat:ret" sys_exit_openat. false: it is
 * none of these. The caller frees both.
 */
bool tracepoint_split(const char *text, char **ret_category, char **ret_name);

/*
 * 0; -ENODEV: tracefs is mounted nowhere; -EACCES: it may not be read; -ENOENT: there is no such
 * tracepoint, and why names the nearest; -EBADMSG, -errno. The caller clears it.
 */
int tracepoint_read(
	const char *category, const char *name, struct tracepoint *ret, struct why *why);
/* The text of a format file; the category, which it does not have, is NULL. 0 or -EBADMSG. */
int tracepoint_parse(const char *text, struct tracepoint *ret);
void tracepoint_clear(struct tracepoint *tracepoint);

/* 0; -ENOENT: no such field, -EINVAL: it is no number; why lists those that are. Borrowed. */
int tracepoint_number_field(const struct tracepoint *tracepoint, const char *name,
	const struct tracepoint_field **ret, struct why *why);
/* "bytes, nr_sector"; "" if there is none. Caller frees. */
char *tracepoint_number_fields(const struct tracepoint *tracepoint);

/* All of them, by category and name. As long as each() says true. 0, -ENODEV, -EACCES, -errno. */
int tracepoint_each(bool (*each)(void *context, const char *category, const char *name),
	void *context, struct why *why);

/* What mounts it. */
#define TRACEPOINT_MOUNT "mount -t tracefs none /sys/kernel/tracing"

#endif
