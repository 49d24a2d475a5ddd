/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that events are in, as people name them. */
#ifndef DWELL_KERNEL_EVENT_FILE_H
#define DWELL_KERNEL_EVENT_FILE_H

#include "util/why.h"

struct outside;

struct event_file {
	int fd;
	char *said; /* what to call it where something about it is told; owned */
	char *path; /* that it was opened by; owned */
};

/*
 * Opens what a person named: a file by its whole path, or by a short name: a library where the
 * system has its own ("libc", "libssl"), or a program of PATH. Whatever that leads to is opened by
 * who may wait for it, and only if it is a file. What it is called has the path that a short name
 * led to. 0, or -EINVAL with why; the fd is the caller's.
 */
int event_file_open(
	const char *name, struct outside *outside, struct event_file *ret, struct why *why);
/* Forgets what it is called; the fd stays open. */
void event_file_clear(struct event_file *file);
/* Says of a file in which there is no 64-bit program or library what it is instead. -EINVAL. */
int event_file_refuse(const struct event_file *file, struct why *why);

#endif
