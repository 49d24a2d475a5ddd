/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits that people have a name for. The kernel's side of a wait says futex or poll; which lock or
 * queue that was is in the names of the functions that called it, in the program or in the kernel.
 */
#ifndef DWELL_MODEL_KNOWN_WAIT_H
#define DWELL_MODEL_KNOWN_WAIT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/reason.h"

enum known_kind {
	KNOWN_NOT,
	KNOWN_LOCK,   /* somebody has it: never idle, and who ended the wait held it */
	KNOWN_ASKED,  /* an answer that was asked for: never idle */
	KNOWN_SIGNAL, /* a condition or the like: it may be either */
	KNOWN_OTHERS, /* certain other threads have to come first: nobody parks so */
	KNOWN_PARKED, /* a worker without work: idle */
	KNOWN_SLEEP,  /* it asked to sleep */
};

struct known_wait {
	const char *name; /* NULL: none */
	enum known_kind kind;
	/* The futex that it waits at is this lock or condition, so its address tells it from
	 * others. Of those that runtimes make, it is mostly a place of the thread's own. */
	bool is_word;
};

/*
 * By the names of a user stack, leaf first, and whether each is a wrapper (plumbing_is()); NULL
 * names are unnamed frames.
 */
struct known_wait known_wait_of_user(
	const char *const *names, const bool *are_wrappers, size_t count);
/* Which lock of glibc's: that says where in it the owner's tid is. */
enum known_owner { KNOWN_OWNER_NOT, KNOWN_OWNER_OF_MUTEX, KNOWN_OWNER_OF_RWLOCK };

/*
 * May the owner be believed that was found at the futex of a wait in this user stack? Only
 * functions of glibc keep one there: its mutexes and rwlocks, but not the locks of malloc() and
 * stdio.
 */
enum known_owner known_wait_tells_owner(const char *const *names, size_t count);
/* By those of a kernel stack, of a wait for that reason. */
struct known_wait known_wait_of_kernel(const char *const *names, size_t count, enum reason reason);

#endif
