/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that events are in, as people name them. */
#ifndef DWELL_KERNEL_EVENT_FILE_H
#define DWELL_KERNEL_EVENT_FILE_H

#include "util/why.h"

struct outside;

/*
 * Opens what a person named: a file by its whole path, or by a short name: a library where the
 * system has its own ("libc", "libssl"), or a program of PATH. Whatever that leads to is opened by
 * who may wait for it, and only if it is a file. An fd, or -EINVAL with why.
 */
int event_file_open(const char *name, struct outside *outside, struct why *why);

#endif
