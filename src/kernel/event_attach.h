/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which programs events need. */
#ifndef DWELL_KERNEL_EVENT_ATTACH_H
#define DWELL_KERNEL_EVENT_ATTACH_H

#include "kernel/event.h"
#include "kernel/programs.h"

/* Of enum program_use. */
unsigned int events_uses(const struct event *events, size_t count);

#endif
