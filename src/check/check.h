/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this kernel, user and machine allow, found out by trying the thing itself or by reading what
 * the kernel says about itself, never from version numbers or build options. Everything tried is
 * undone before a function returns.
 */
#ifndef DWELL_CHECK_H
#define DWELL_CHECK_H

#include <stdint.h>

#include "check/facts.h"

/*
 * 0 if recording is possible. -EPERM (rights) or -ENOTSUP (kernel) if not: why is one line with the
 * missing capability or kernel feature and the command that mends it. Takes some milliseconds.
 */
int check_require(struct why *why);

/* All facts; memory_bytes is what the tables of a recording may take. Caller clears facts. */
void check_facts(uint64_t memory_bytes, struct facts *facts);

#endif
