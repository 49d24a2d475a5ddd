/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a wait was in, in one word, derived from its kernel frames by one table. The stack is walked
 * from the leaf to the root: the first frame that means something decides. So a disk wait inside a
 * page fault is "disk" (reason_operation() still says "page fault"), and a kernel lock inside a
 * read is "lock".
 *
 * "lock" is a lock that somebody holds: the kernel's own, file locks, semaphores of System V,
 * priority-inheriting futexes. "futex" is every other futex wait: a user-space lock, a condition
 * variable or a semaphore, which the kernel cannot tell apart; a pool's worker without work waits
 * there too, so an endless futex wait is idle where an endless lock wait is not.
 */
#ifndef DWELL_MODEL_REASON_H
#define DWELL_MODEL_REASON_H

#include <stdbool.h>
#include <stddef.h>

enum reason {
	REASON_UNKNOWN,
	REASON_DISK,
	REASON_JOURNAL,
	REASON_LOCK,
	REASON_FUTEX,
	REASON_PIPE,
	REASON_SOCKET,
	REASON_ACCEPT,
	REASON_POLL,
	REASON_SLEEP,
	REASON_CHILD,
	REASON_FAULT,
	REASON_IO_URING,
	REASON_TTY,
	REASON_SIGNAL,
	REASON_VFORK,
	REASON_STOPPED,
	REASON_KERNEL,  /* kernel-internal waits: RCU, completions, freezer, ... */
	REASON_KTHREAD, /* a kernel thread in its own main loop */
	REASON_LOST,    /* there was a stack, but it could not be kept */
	REASONS,
};

/* "disk", "lock", "page fault", ... */
const char *reason_name(enum reason reason);
/* One capital letter for bars, different for each reason that a bar can show. */
char reason_letter(enum reason reason);
/* By its name, in which '-' may stand for a blank: a word that needs no quotes in a shell. */
bool reason_from_name(const char *name, enum reason *ret);

/*
 * The reason of a kernel stack given as names, leaf first. NULL names are unnamed frames.
 * is_kernel_thread and the task letter ('S', 'D', 'T', 't', 'I', 'P') settle what frames leave
 * open.
 */
enum reason reason_of_stack(
	const char *const *names, size_t count, bool is_kernel_thread, char letter);

/* True if the stack is in the nanosleep family: the thread set its own timer. */
bool reason_is_own_timer(const char *const *names, size_t count);

/* Is it a function of the scheduler, or of waiting as such? */
bool reason_is_scheduler(const char *name);

/*
 * The kernel operation a person would name ("fdatasync", "futex", "poll", "read"): from the syscall
 * entry frame (__x64_sys_NAME, __do_sys_NAME, ...), or "page fault"; NULL if the stack has neither.
 * Borrowed from names.
 */
const char *reason_operation(const char *const *names, size_t count);

#endif
