/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the kernel whose calls can be watched. */
#ifndef DWELL_KERNEL_CALL_KERNEL_H
#define DWELL_KERNEL_CALL_KERNEL_H

#include "kernel/call.h"

/* Can this kernel's functions be watched at all? 0, or -ENOTSUP with why. */
int call_kernel_check(const char *text, struct why *why);
/* Calls for each function that the request's pattern means, until that returns an error. */
int call_kernel_find(const struct call_request *request,
	int (*each)(void *context, const char *name, struct why *why), void *context,
	struct why *why);
/* Can many of them be one link (kprobe_multi)? Tried once, on a function that every kernel has. */
bool call_kernel_has_multi(void);

#endif
