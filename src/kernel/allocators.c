// SPDX-License-Identifier: GPL-2.0-or-later
/* Files are found by the mappings of a process; helpers open and read them. */
#include "kernel/allocators.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/maps.h"
#include "symbol/outside/errand.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"

/* Executable files of one process that are looked into. */
#define MOST_FILES 512

#define FIRST 1u
#define SECOND 2u
#define THIRD 4u

struct allocator_function {
	const char *name;
	enum allocation_call call;
	unsigned int arguments; /* that are needed */
	bool is_free;
	bool is_cpp; /* it throws, and has callers that expect it */
};

/*
 * Operators of C++ are those of the allocator's own file only: those of libstdc++ call malloc(),
 * and would count twice.
 */
static const struct allocator_function functions[] = {
	{"free", 0, FIRST, true, false},
	{"cfree", 0, FIRST, true, false},
	{"_ZdlPv", 0, FIRST, true, false},
	{"_ZdaPv", 0, FIRST, true, false},
	{"_ZdlPvm", 0, FIRST, true, false},
	{"_ZdaPvm", 0, FIRST, true, false},
	{"_ZdlPvSt11align_val_t", 0, FIRST, true, false},
	{"_ZdlPvmSt11align_val_t", 0, FIRST, true, false},
	{"sdallocx", 0, FIRST, true, false},
	{"dallocx", 0, FIRST, true, false},
	{"mi_free", 0, FIRST, true, false},
	{"tc_free", 0, FIRST, true, false},
	{"malloc", ALLOCATION_SIZE, FIRST, false, false},
	{"mallocx", ALLOCATION_SIZE, FIRST, false, false},
	{"mi_malloc", ALLOCATION_SIZE, FIRST, false, false},
	{"tc_malloc", ALLOCATION_SIZE, FIRST, false, false},
	{"valloc", ALLOCATION_SIZE, FIRST, false, false},
	{"pvalloc", ALLOCATION_SIZE, FIRST, false, false},
	{"calloc", ALLOCATION_PRODUCT, FIRST | SECOND, false, false},
	{"mi_calloc", ALLOCATION_PRODUCT, FIRST | SECOND, false, false},
	{"realloc", ALLOCATION_AGAIN, FIRST | SECOND, false, false},
	{"rallocx", ALLOCATION_AGAIN, FIRST | SECOND, false, false},
	{"mi_realloc", ALLOCATION_AGAIN, FIRST | SECOND, false, false},
	{"reallocarray", ALLOCATION_AGAIN_ARRAY, FIRST | SECOND | THIRD, false, false},
	{"posix_memalign", ALLOCATION_THROUGH, FIRST | THIRD, false, false},
	{"aligned_alloc", ALLOCATION_ALIGNED, SECOND, false, false},
	{"memalign", ALLOCATION_ALIGNED, SECOND, false, false},
	{"_Znwm", ALLOCATION_SIZE, FIRST, false, true},
	{"_Znam", ALLOCATION_SIZE, FIRST, false, true},
	{"_ZnwmRKSt9nothrow_t", ALLOCATION_SIZE, FIRST, false, true},
	{"_ZnamRKSt9nothrow_t", ALLOCATION_SIZE, FIRST, false, true},
	{"_ZnwmSt11align_val_t", ALLOCATION_SIZE, FIRST, false, true},
	{"_ZnamSt11align_val_t", ALLOCATION_SIZE, FIRST, false, true},
};

static bool has_place(const struct allocator *allocator, uint64_t offset, enum allocator_role role)
{
	vec_each (place, &allocator->places)
		if (place->offset == offset && place->role == role)
			return true;
	return false;
}

/* Several names may be one function. */
static void add_place(struct allocator *allocator, const struct allocator_place *place)
{
	if (!has_place(allocator, place->offset, place->role))
		vec_push(&allocator->places, *place);
}

/*
 * A return is watched from the function's beginning on: so is its call then, or there would be two
 * traps at the beginning.
 */
static void add_function(struct allocator *allocator, const struct allocator_function *function,
	const struct parser_function *found)
{
	struct allocator_place near = {
		.offset = found->place, .call = function->call, .is_dear = !found->is_emulated};
	struct allocator_place first = {.offset = found->start,
		.call = function->call,
		.is_dear = !found->is_emulated || found->place != found->start};

	if (function->is_free) {
		near.role = ALLOCATOR_FREES;
		add_place(allocator, &near);
		return;
	}
	/* malloc() under its C++ name returns the same way. */
	if (function->is_cpp && !has_place(allocator, found->start, ALLOCATOR_RETURNS)) {
		near.role = ALLOCATOR_CALLED_ONLY;
		add_place(allocator, &near);
		return;
	}
	if (function->is_cpp)
		return;
	first.role = ALLOCATOR_CALLED;
	add_place(allocator, &first);
	first.role = ALLOCATOR_RETURNS;
	add_place(allocator, &first);
}

/* Fills in the functions of a file that defines malloc(); others have none. */
static void read_functions(struct allocator *allocator, struct outside *outside)
{
	uint64_t offset;

	if (parser_function(outside->parsers, allocator->fd, "malloc", &offset))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		struct parser_function *found = NULL;
		size_t count = 0;
		if (parser_functions(outside->parsers, allocator->fd, functions[i].name,
			    functions[i].arguments, &found, &count))
			continue;
		for (size_t n = 0; n < count; n++)
			add_function(allocator, &functions[i], &found[n]);
		parser_functions_free(found, count);
	}
}

static void allocator_clear(struct allocator *allocator)
{
	mem_close_fd(&allocator->fd);
	free(allocator->path);
	vec_clear(&allocator->places);
}

static bool was_before(const struct map_lines *maps, size_t index)
{
	const struct map_line *line = &maps->lines.at[index];

	for (size_t i = 0; i < index; i++)
		if (maps->lines.at[i].inode == line->inode &&
			maps->lines.at[i].dev_major == line->dev_major &&
			maps->lines.at[i].dev_minor == line->dev_minor)
			return true;
	return false;
}

/* The dynamic linker has a small malloc() for itself, which programs never call. */
static bool is_linker(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strncmp(name ? name + 1 : path, "ld-", 3) ||
	       !strncmp(name ? name + 1 : path, "ld.so", 5);
}

static void look_into(
	uint32_t pid, const struct map_line *line, struct outside *outside, allocator_list *ret)
{
	struct allocator allocator = {.pid = pid, .fd = -1, .path = xstrdup(line->path)};
	struct file_stamp stamp;
	_cleanup_close_ int path_fd = errand_mapped_file(outside->errands, pid, line, &stamp);

	if (path_fd >= 0)
		allocator.fd = errand_open(outside->errands, pid, path_fd, LOCATE_FOR_NAMES);
	if (allocator.fd >= 0)
		read_functions(&allocator, outside);
	if (allocator.places.count)
		vec_push(ret, allocator);
	else
		allocator_clear(&allocator);
}

static int find_in(uint32_t pid, struct outside *outside, allocator_list *ret, struct why *why)
{
	struct map_lines maps = {0};
	size_t files = 0;
	FILE *in;
	int error = errand_maps(outside->errands, pid, pid, &in);

	if (!error) {
		error = map_lines_read(in, &maps, NULL);
		fclose(in);
	}
	if (error)
		return why_set(why, -ESRCH, "cannot read the mappings of process %u: %s", pid,
			strerror(-error));
	for (size_t i = 0; i < maps.lines.count; i++) {
		const struct map_line *line = &maps.lines.at[i];
		if (!line->inode || map_line_is_memory(line) || is_linker(line->path) ||
			was_before(&maps, i) || files++ >= MOST_FILES)
			continue;
		look_into(pid, line, outside, ret);
	}
	map_lines_clear(&maps);
	return 0;
}

int allocators_find(const uint32_t *pids, size_t count, struct outside *outside,
	allocator_list *ret, struct why *why)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = find_in(pids[i], outside, ret, why);
	if (!error && !ret->count)
		error = why_set(why, -ENOTSUP,
			"--alloc: no malloc() is in what process%s %u%s runs, or its symbols are "
			"stripped (Go has an allocator of its own); --growth shows who asks the "
			"kernel "
			"for memory, and -e faults who touches it",
			count == 1 ? "" : "es", count ? pids[0] : 0,
			count > 1 ? " and others" : "");
	return error;
}

void allocators_clear(allocator_list *allocators)
{
	vec_each (allocator, allocators)
		allocator_clear(allocator);
	vec_clear(allocators);
}
