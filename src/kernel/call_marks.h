/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which two marks of a program are the beginning and the end of the same work, by their names. */
#ifndef DWELL_KERNEL_CALL_MARKS_H
#define DWELL_KERNEL_CALL_MARKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * `begin` is a mark whose name says that something begins ("query__start"), or what marks of both
 * kinds have in common ("query"); the names are those of one provider. Both that are found are
 * among them, and borrowed. false: there are no such two.
 */
bool call_mark_end(const char *begin, const char *const *names, size_t count,
	const char **ret_begin, const char **ret_end);

#endif
