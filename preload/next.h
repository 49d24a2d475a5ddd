/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The allocator that the program would have without us: for each function the next definition in
 * the program's own order of objects. Never glibc's by its name: the program may have jemalloc,
 * whose malloc_usable_size() must not meet glibc's pointers.
 *
 * Each pointer can be called at any time. At first it is a function that looks for all of them.
 * dlsym() may allocate itself: it gets memory from a small arena that is never given back.
 */
#ifndef DWELL_PRELOAD_NEXT_H
#define DWELL_PRELOAD_NEXT_H

#include <stdbool.h>
#include <stddef.h>

struct next {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *old, size_t size);
	void *(*reallocarray)(void *old, size_t count, size_t size);
	void (*free)(void *address);
	int (*posix_memalign)(void **address, size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
};

extern struct next next;

/* Whether it is from the arena. sampled_may_have() says yes of all that is. */
bool next_lent(const void *address);

/* realloc() for what is from the arena. */
void *next_move_lent(const void *old, size_t size);

/* Whether the program had a C++ library from the start. Leaves nothing for dlerror(). */
bool next_has_operators(void);

/* The next definition of one of C++'s operators; NULL if there is none. Keeps errno. */
void *next_operator(const char *name);

#endif
