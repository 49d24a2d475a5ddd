// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks for what next.h has, and lends memory to dlsym() while it does. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "preload/next.h"
#include "preload/sampled.h"

#define ARENA_BYTES 16384
#define ARENA_ALIGNMENT 16

/* In front of each block: its size. */
struct lent {
	size_t bytes;
} __attribute__((aligned(ARENA_ALIGNMENT)));

static char arena[ARENA_BYTES] __attribute__((aligned(ARENA_ALIGNMENT)));
static size_t arena_used;
static __thread bool is_looking __attribute__((tls_model("initial-exec")));

/* Zeroed, as nothing is ever given twice. */
static void *lend(size_t size)
{
	size_t bytes =
		(size + sizeof(struct lent) + ARENA_ALIGNMENT - 1) & -(size_t)ARENA_ALIGNMENT;
	struct lent *block;
	size_t start;

	if (size > ARENA_BYTES)
		return NULL;
	start = __atomic_fetch_add(&arena_used, bytes, __ATOMIC_RELAXED);
	if (start + bytes > ARENA_BYTES)
		return NULL;
	block = (struct lent *)(void *)&arena[start];
	block->bytes = size;
	sampled_mark(block + 1);
	return block + 1;
}

bool next_lent(const void *address)
{
	return (uintptr_t)address - (uintptr_t)arena < ARENA_BYTES;
}

void *next_move_lent(const void *old, size_t size)
{
	size_t bytes = ((const struct lent *)old)[-1].bytes;
	void *block = next.malloc(size);

	if (block)
		memcpy(block, old, bytes < size ? bytes : size);
	return block;
}

static void *find_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* False within itself. Two threads that look at once find the same. */
static bool look_for_all(void)
{
	int error = errno;

	if (is_looking)
		return false;
	is_looking = true;
	struct next found = {
		.malloc = find_next("malloc"),
		.calloc = find_next("calloc"),
		.realloc = find_next("realloc"),
		.reallocarray = find_next("reallocarray"),
		.free = find_next("free"),
		.posix_memalign = find_next("posix_memalign"),
		.aligned_alloc = find_next("aligned_alloc"),
		.memalign = find_next("memalign"),
		.valloc = find_next("valloc"),
		.pvalloc = find_next("pvalloc"),
	};
	next = found;
	is_looking = false;
	errno = error;
	return true;
}

static void *first_malloc(size_t size)
{
	return look_for_all() ? next.malloc(size) : lend(size);
}

static void *first_calloc(size_t count, size_t size)
{
	size_t bytes;

	if (look_for_all())
		return next.calloc(count, size);
	return __builtin_mul_overflow(count, size, &bytes) ? NULL : lend(bytes);
}

static void *first_realloc(void *old, size_t size)
{
	if (look_for_all())
		return next.realloc(old, size);
	return old ? NULL : lend(size);
}

static void *first_reallocarray(void *old, size_t count, size_t size)
{
	return look_for_all() ? next.reallocarray(old, count, size) : NULL;
}

static void first_free(void *address)
{
	if (look_for_all())
		next.free(address);
}

static int first_posix_memalign(void **address, size_t alignment, size_t size)
{
	return look_for_all() ? next.posix_memalign(address, alignment, size) : ENOMEM;
}

static void *first_aligned_alloc(size_t alignment, size_t size)
{
	return look_for_all() ? next.aligned_alloc(alignment, size) : NULL;
}

static void *first_memalign(size_t alignment, size_t size)
{
	return look_for_all() ? next.memalign(alignment, size) : NULL;
}

static void *first_valloc(size_t size)
{
	return look_for_all() ? next.valloc(size) : NULL;
}

static void *first_pvalloc(size_t size)
{
	return look_for_all() ? next.pvalloc(size) : NULL;
}

struct next next = {
	.malloc = first_malloc,
	.calloc = first_calloc,
	.realloc = first_realloc,
	.reallocarray = first_reallocarray,
	.free = first_free,
	.posix_memalign = first_posix_memalign,
	.aligned_alloc = first_aligned_alloc,
	.memalign = first_memalign,
	.valloc = first_valloc,
	.pvalloc = first_pvalloc,
};

bool next_has_operators(void)
{
	bool has = find_next("_Znwm") != NULL;

	/* What succeeds puts an end to the error of what did not. */
	find_next("malloc");
	return has;
}

void *next_operator(const char *name)
{
	int error = errno;
	void *found = find_next(name);

	errno = error;
	return found;
}
