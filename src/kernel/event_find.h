/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a file that a person's word means. */
#ifndef DWELL_KERNEL_EVENT_FIND_H
#define DWELL_KERNEL_EVENT_FIND_H

#include "kernel/event_file.h"
#include "symbol/outside/parser.h"

/* As parser_functions(); -errno with why, which names what is near. */
int event_find_functions(const char *pattern, unsigned int needed_arguments,
	struct outside *outside, const struct event_file *file, struct parser_function **ret,
	size_t *ret_count, struct why *why);

#endif
