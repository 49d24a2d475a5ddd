// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C++'s operators new and delete under the names that compilers give them (Itanium's ABI). Most
 * libraries' call malloc() and free(), but allocators that are made for speed have them do the work
 * themselves.
 *
 * An operator that was seen to count inside, byte for byte, is jumped to from then on: stacks have
 * a frame of ours less, and calls a comparison.
 *
 * A program in C has no operators from the start, but may load modules that have: each calls those
 * that its own object sees, which need not be those of another module, so they are looked for by
 * who calls. Where code in C++ has none to be found, ours do what libstdc++'s do as far as that
 * goes without it: when there is no memory they end the program instead of throwing.
 */
#include <stdlib.h>
#include <unistd.h>

#include "preload/blocks.h"
#include "preload/modules.h"
#include "preload/operators.h"

/* std::nothrow_t and std::align_val_t, as C can say them. */
typedef const void *nothrow;
typedef size_t align;

/* X(its name, what is done if there is none, parameters, arguments) */
#define OPERATORS_NEW(X)                                                                           \
	X(_Znwm, own_new, (size_t size), (size))                                                   \
	X(_Znam, own_new, (size_t size), (size))                                                   \
	X(_ZnwmRKSt9nothrow_t, own_new_nothrow, (size_t size, nothrow tag), (size, tag))           \
	X(_ZnamRKSt9nothrow_t, own_new_nothrow, (size_t size, nothrow tag), (size, tag))           \
	X(_ZnwmSt11align_val_t, own_new_aligned, (size_t size, align to), (size, to))              \
	X(_ZnamSt11align_val_t, own_new_aligned, (size_t size, align to), (size, to))              \
	X(_ZnwmSt11align_val_tRKSt9nothrow_t, own_new_aligned_nothrow,                             \
		(size_t size, align to, nothrow tag), (size, to, tag))                             \
	X(_ZnamSt11align_val_tRKSt9nothrow_t, own_new_aligned_nothrow,                             \
		(size_t size, align to, nothrow tag), (size, to, tag))

#define OPERATORS_DELETE(X)                                                                        \
	X(_ZdlPv, own_delete, (void *block), (block))                                              \
	X(_ZdaPv, own_delete, (void *block), (block))                                              \
	X(_ZdlPvm, own_delete, (void *block, size_t size), (block, size))                          \
	X(_ZdaPvm, own_delete, (void *block, size_t size), (block, size))                          \
	X(_ZdlPvRKSt9nothrow_t, own_delete, (void *block, nothrow tag), (block, tag))              \
	X(_ZdaPvRKSt9nothrow_t, own_delete, (void *block, nothrow tag), (block, tag))              \
	X(_ZdlPvSt11align_val_t, own_delete, (void *block, align to), (block, to))                 \
	X(_ZdaPvSt11align_val_t, own_delete, (void *block, align to), (block, to))                 \
	X(_ZdlPvmSt11align_val_t, own_delete, (void *block, size_t size, align to),                \
		(block, size, to))                                                                 \
	X(_ZdaPvmSt11align_val_t, own_delete, (void *block, size_t size, align to),                \
		(block, size, to))                                                                 \
	X(_ZdlPvSt11align_val_tRKSt9nothrow_t, own_delete, (void *block, align to, nothrow tag),   \
		(block, to, tag))                                                                  \
	X(_ZdaPvSt11align_val_tRKSt9nothrow_t, own_delete, (void *block, align to, nothrow tag),   \
		(block, to, tag))

#define IN_ENUM(name, otherwise, parameters, arguments) INDEX##name,
enum { OPERATORS_NEW(IN_ENUM) OPERATORS_DELETE(IN_ENUM) OPERATOR_COUNT };
_Static_assert(OPERATOR_COUNT <= MODULES_OPERATORS, "each has a number");

/* Of the program, from the start; NULL: it has none. Written before there are threads. */
static void *found[OPERATOR_COUNT];
static bool counts_inside[OPERATOR_COUNT];

/* Where this library lies, from the linker. */
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

/*
 * What was last handed on to. An operator may end in a jump to another one, as delete[] does to
 * delete: that one is then called from here, as it looks, but means what its own object sees.
 */
static __thread void *handed_to;

static bool is_ours(const void *address)
{
	return (const char *)address >= __ehdr_start && (const char *)address < _end;
}

static void *or_end(void *address)
{
	static const char words[] =
		"dwell: out of memory in operator new, and no C++ library that could throw\n";
	ssize_t written;

	if (address)
		return address;
	written = write(STDERR_FILENO, words, sizeof(words) - 1);
	(void)written;
	abort();
}

static void *own_new_nothrow(size_t size)
{
	return malloc(sampler_bytes(size));
}

static void *own_new(size_t size)
{
	return or_end(own_new_nothrow(size));
}

static void *own_new_aligned_nothrow(size_t size, size_t alignment)
{
	void *address;

	if (alignment < sizeof(void *))
		alignment = sizeof(void *);
	return posix_memalign(&address, alignment, sampler_bytes(size)) ? NULL : address;
}

static void *own_new_aligned(size_t size, size_t alignment)
{
	return or_end(own_new_aligned_nothrow(size, alignment));
}

static void own_delete(void *address)
{
	free(address);
}

void operators_start(void)
{
	modules_start();
	if (!next_has_operators())
		return;
#define LOOK(name, otherwise, parameters, arguments) found[INDEX##name] = next_operator(#name);
	OPERATORS_NEW(LOOK)
	OPERATORS_DELETE(LOOK)
}

static OUT_OF_LINE void *find_for(
	unsigned int index, const char *name, void *otherwise, const void *caller)
{
	void *function;

	if (is_ours(caller))
		caller = handed_to;
	function = is_ours(caller) ? NULL : modules_find(index, name, caller);
	handed_to = function ? function : otherwise;
	return handed_to;
}

/* Each has what it ignores of its arguments in registers, in both ABIs that there are. */
static inline __attribute__((always_inline)) void *callee(
	unsigned int index, const char *name, void *otherwise)
{
	return __builtin_expect(found[index] != NULL, 1)
		       ? found[index]
		       : find_for(index, name, otherwise, __builtin_return_address(0));
}

/* `before`, and one block of that size has been counted since. */
static inline bool has_counted(struct moment before, size_t size)
{
	return sampler.samples == before.samples &&
	       before.left - sampler.left == sampler_bytes(size);
}

#define NEW(name, otherwise, parameters, arguments)                                                \
	EXPORTED void *name parameters;                                                            \
	void *name parameters                                                                      \
	{                                                                                          \
		void *(*function)parameters = callee(INDEX##name, #name, (void *)(otherwise));     \
		struct moment before;                                                              \
		void *address;                                                                     \
                                                                                                   \
		if (counts_inside[INDEX##name])                                                    \
			return function arguments;                                                 \
		before = moment_now();                                                             \
		address = function arguments;                                                      \
		if (found[INDEX##name] && has_counted(before, size))                               \
			counts_inside[INDEX##name] = true;                                         \
		block_begins(before, address, size);                                               \
		return address;                                                                    \
	}

#define DELETE(name, otherwise, parameters, arguments)                                             \
	EXPORTED void name parameters;                                                             \
	void name parameters                                                                       \
	{                                                                                          \
		void(*function) parameters = callee(INDEX##name, #name, (void *)(otherwise));      \
                                                                                                   \
		block_ends(block);                                                                 \
		function arguments;                                                                \
	}

OPERATORS_NEW(NEW)
OPERATORS_DELETE(DELETE)
