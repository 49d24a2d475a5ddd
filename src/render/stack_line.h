/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack in one line for people: "main > flush > fdatasync > ext4_sync_file". */
#ifndef DWELL_RENDER_STACK_LINE_H
#define DWELL_RENDER_STACK_LINE_H

#include <stdbool.h>

#include "profile/tree.h"

/*
 * The frames of the stack that ends at node, without its names, root first. is_full: all of them.
 * Else those that tell: entry code and the scheduler are left out, of the kernel only the operation
 * stays, outermost user frames go if they have no name or there is no room for them, and "..."
 * stands for what is missing towards the root. "" if there are no frames. Caller frees.
 */
char *stack_line(const struct tree *tree, uint32_t node, bool is_full, size_t columns);

#endif
