// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C's functions. malloc() and free() come down to a few instructions and a jump to the allocator's:
 * their rare cases are functions of their own, so that the usual ones need no frame.
 */
#include <errno.h>
#include <stdlib.h>

#include "preload/blocks.h"

/* glibc's headers do not have all of them, and other compilers' have other attributes. */
EXPORTED void *reallocarray(void *old, size_t count, size_t size);
EXPORTED void *memalign(size_t alignment, size_t size);
EXPORTED void *valloc(size_t size);
EXPORTED void *pvalloc(size_t size);

OUT_OF_LINE void block_begins_slowly(void *address, size_t bytes)
{
	if (sampler_takes(bytes))
		block_tell(address, bytes);
}

OUT_OF_LINE void block_ends_slowly(void *address)
{
	if (sampled_take(address))
		dwell_free_sampled(address);
}

/*
 * Decided before the call: what fails has used up some of the distance to the next point, which is
 * as far as ever from anywhere.
 */
static OUT_OF_LINE void *malloc_slowly(size_t size)
{
	size_t bytes = sampler_bytes(size);
	bool is_sampled = sampler_takes(bytes);
	void *address = next.malloc(size);

	if (is_sampled && address)
		block_tell(address, bytes);
	return address;
}

EXPORTED void *malloc(size_t size)
{
	return sampler_skips(sampler_bytes(size)) ? next.malloc(size) : malloc_slowly(size);
}

static OUT_OF_LINE void free_slowly(void *address)
{
	if (next_lent(address))
		return;
	block_ends_slowly(address);
	next.free(address);
}

EXPORTED void free(void *address)
{
	if (sampled_may_have(address))
		free_slowly(address);
	else
		next.free(address);
}

EXPORTED void *calloc(size_t count, size_t size)
{
	struct moment before = moment_now();
	void *address = next.calloc(count, size);

	block_begins(before, address, count * size);
	return address;
}

/*
 * The end of one block and the beginning of another, also where the address stays. If it fails, the
 * old block lives on, but was told to have ended: whether a realloc() will fail cannot be known
 * before, and afterwards the address may be another thread's.
 */
EXPORTED void *realloc(void *old, size_t size)
{
	struct moment before = moment_now();
	void *address;

	if (sampled_may_have(old)) {
		if (next_lent(old))
			address = next_move_lent(old, size);
		else {
			block_ends_slowly(old);
			address = next.realloc(old, size);
		}
	} else {
		address = next.realloc(old, size);
	}
	block_begins(before, address, size);
	return address;
}

EXPORTED void *reallocarray(void *old, size_t count, size_t size)
{
	struct moment before = moment_now();
	size_t bytes;
	void *address;

	if (next_lent(old)) {
		if (!__builtin_mul_overflow(count, size, &bytes))
			return realloc(old, bytes);
		errno = ENOMEM;
		return NULL;
	}
	block_ends(old);
	address = next.reallocarray(old, count, size);
	block_begins(before, address, count * size);
	return address;
}

EXPORTED int posix_memalign(void **address, size_t alignment, size_t size)
{
	struct moment before = moment_now();
	int error = next.posix_memalign(address, alignment, size);

	if (!error)
		block_begins(before, *address, size);
	return error;
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
	struct moment before = moment_now();
	void *address = next.aligned_alloc(alignment, size);

	block_begins(before, address, size);
	return address;
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
	struct moment before = moment_now();
	void *address = next.memalign(alignment, size);

	block_begins(before, address, size);
	return address;
}

EXPORTED void *valloc(size_t size)
{
	struct moment before = moment_now();
	void *address = next.valloc(size);

	block_begins(before, address, size);
	return address;
}

EXPORTED void *pvalloc(size_t size)
{
	struct moment before = moment_now();
	void *address = next.pvalloc(size);

	block_begins(before, address, size);
	return address;
}
