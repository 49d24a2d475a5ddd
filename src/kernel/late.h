/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that nothing else of the start waits for: a thread has them loaded, which is mostly the
 * verifier's time, while the others are attached and what runs is looked at. They are a second
 * object on the tables of the first. Private to the kernel side.
 */
#ifndef DWELL_KERNEL_LATE_H
#define DWELL_KERNEL_LATE_H

#include <stddef.h>

struct bpf_object;
struct dwell;
struct late;

/* Leaves these programs, of those that were chosen, out of the first object; before it is loaded.
 * NULL if there are none. */
struct late *late_new(struct dwell *first);
/* After the first object was loaded. */
void late_begin(struct late *late, const struct dwell *first);
/* Waits; 0, or -errno as loading gives it. Without a thread, or a beginning, it is done here. NULL
 * is allowed. */
int late_wait(struct late *late);
/* Borrowed; NULL if there is none. */
struct bpf_object *late_object(const struct late *late);
/* Unloads them, too; they must be detached. NULL is allowed. */
void late_free(struct late *late);

#endif
