/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of Go begin with a look at whether the stack has room for them. Has it none, or is the
 * goroutine to yield, they call the runtime, which may move the stack, and then jump back to their
 * beginning: one call comes by there twice, or more often. Behind the check it comes by once, with
 * its stack and arguments as at the beginning.
 */
#ifndef DWELL_ELF_STACK_CHECK_H
#define DWELL_ELF_STACK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes behind the function's beginning. */
struct stack_check {
	size_t behind; /* of what comes next if there is room */
	size_t again;  /* of the jump back to the beginning */
};

/* The code is that of x86-64 from the function's beginning on, and may go on behind its end.
 * false: it has no check, or none that is recognised from its first byte to the jump back. */
bool stack_check_find(const unsigned char *code, size_t count, struct stack_check *ret);

#endif
