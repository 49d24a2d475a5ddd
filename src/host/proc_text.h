/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What single files of /proc and /sys say. The parsers are pure: text in, fact out; a text that
 * does not have the expected shape is -EINVAL, a thing not in it -ENOENT.
 */
#ifndef DWELL_HOST_PROC_TEXT_H
#define DWELL_HOST_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file's text, at most 1 MiB of it; caller frees. 0 or -errno. */
int proc_text_read(const char *path, char **ret_text);
/* A file with one number, as most of /proc/sys. 0 or -errno. */
int proc_text_read_number(const char *path, int64_t *ret_number);

/* The mask of effective capabilities, from /proc/PID/status. */
int proc_text_capabilities(const char *status, uint64_t *ret_mask);
/* The word in brackets of "none [integrity] confidentiality"; caller frees. */
int proc_text_chosen(const char *text, char **ret_word);
/* Does /proc/kallsyms show any address that is not 0? */
bool proc_text_has_addresses(const char *kallsyms);
/* A value of a "name value" file as memory.stat, or with a tab between them as /proc/PID/status. */
int proc_text_value(const char *text, const char *name, uint64_t *ret_value);

/*
 * The folder of a process's cgroup, as this process can open it: from /proc/PID/cgroup and
 * /proc/self/mountinfo. controller: that of a v1 hierarchy, NULL for v2. ret_mount is the length of
 * the mount point within ret_folder; caller frees.
 */
int proc_text_cgroup_folder(const char *cgroup, const char *mountinfo, const char *controller,
	char **ret_folder, size_t *ret_mount_length);
/* Is a file system of that type mounted? The mount point (first one), caller frees. */
int proc_text_mount(const char *mountinfo, const char *type, char **ret_mount);

#endif
