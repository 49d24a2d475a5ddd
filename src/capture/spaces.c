// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spaces by process. A fork shares its parent's space until one of the two maps something or is
 * attached; then the space is copied, so an attached space belongs to one process alone.
 */
#include "capture/spaces.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "symbol/outside/errand.h"
#include "symbol/jit.h"
#include "symbol/object_table.h"
#include "symbol/outside/outside.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/units.h"

#define REREAD_NS (100 * NS_PER_MS)
/* Listing a million mappings takes seconds: at most this part of the time goes into it. */
#define REGIONS_SHARE 32

struct space {
	uint32_t references; /* processes and users */
	uint32_t processes;
	uint32_t pid;
	uint64_t start_stack;
	bool is_whole; /* from its exec on, or read from /proc */
	bool is_gone;  /* /proc does not show it any more */
	uint64_t read_ns;
	uint64_t jit_read_ns;
	char *exe;
	struct code_maps *maps;
	struct map_lines lines; /* that `maps` is made of when it is needed first */
	struct jit_map *jit;
	struct regions *regions; /* NULL: not read yet */
	uint64_t regions_read_ns;
	uint64_t regions_pause_ns; /* until they may be read again */
};

struct spaces {
	struct object_table *objects;
	bool follows_all;
	struct map64 by_pid;  /* -> struct space * */
	struct map64 parents; /* pid -> pid, of forks seen */
};

struct spaces *spaces_new(struct object_table *objects, bool follows_all)
{
	struct spaces *spaces = xcalloc(1, sizeof(*spaces));

	spaces->objects = objects;
	spaces->follows_all = follows_all;
	return spaces;
}

static struct space *space_new(uint32_t pid, struct code_maps *maps, const char *exe)
{
	struct space *space = xcalloc(1, sizeof(*space));

	space->pid = pid;
	space->maps = maps;
	space->exe = xstrdup(exe);
	return space;
}

static void unref(struct space *space)
{
	if (--space->references)
		return;
	code_maps_free(space->maps);
	map_lines_clear(&space->lines);
	jit_map_free(space->jit);
	regions_free(space->regions);
	free(space->exe);
	free(space);
}

void spaces_free(struct spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < spaces->by_pid.room; i++)
		if (spaces->by_pid.slots[i].is_used)
			unref((struct space *)(uintptr_t)spaces->by_pid.slots[i].value);
	map64_clear(&spaces->by_pid);
	map64_clear(&spaces->parents);
	free(spaces);
}

static struct space *space_of(const struct spaces *spaces, uint32_t pid)
{
	const uint64_t *slot = map64_find(&spaces->by_pid, pid);

	return slot ? (struct space *)(uintptr_t)*slot : NULL;
}

/* The process leaves its space, for another one or for good (NULL). */
static void move_to(struct spaces *spaces, uint32_t pid, struct space *space)
{
	struct space *old = space_of(spaces, pid);

	if (space) {
		space->references++;
		space->processes++;
		*map64_put(&spaces->by_pid, pid, NULL) = (uintptr_t)space;
	} else {
		map64_remove(&spaces->by_pid, pid);
	}
	if (old) {
		old->processes--;
		unref(old);
	}
}

/* Field 28 of /proc/PID/stat; the comm before it may hold anything, so count from its last ')'. */
static bool bears_mark(const struct space *space)
{
	char path[64], line[2048];
	unsigned long long start_stack = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", space->pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	size_t length = in ? fread(line, 1, sizeof(line) - 1, in) : 0;
	line[length] = 0;
	char *at = strrchr(line, ')');
	if (!at)
		return false;
	for (int field = 2; at && field < 28; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %llu", &start_stack) == 1 && start_stack == space->start_stack;
}

static struct code_maps *maps_of(const struct spaces *spaces, struct space *space)
{
	if (space->lines.lines.count) {
		code_maps_free(space->maps);
		space->maps = code_maps_of_lines(
			spaces->objects, space->pid, !bears_mark(space), &space->lines);
		map_lines_clear(&space->lines);
	}
	return space->maps;
}

/* The process's space for changing: its own, not shared with a relative. */
static struct space *own_space(struct spaces *spaces, uint32_t pid)
{
	struct space *space = space_of(spaces, pid), *own;

	if (space && space->processes == 1)
		return space;
	own = space_new(pid, space ? code_maps_copy(maps_of(spaces, space)) : code_maps_new(),
		space ? space->exe : "");
	own->is_whole = space && space->is_whole;
	move_to(spaces, pid, own);
	return own;
}

static void add_mapping(struct spaces *spaces, const struct map_event *event)
{
	struct space *space = own_space(spaces, event->pid);
	const uint64_t *parent = map64_find(&spaces->parents, event->pid);
	struct code_mapping mapping = {.relative = parent ? (uint32_t)*parent : 0,
		.start = event->start,
		.end = event->end,
		.offset = event->offset,
		.dev_major = event->dev_major,
		.dev_minor = event->dev_minor,
		.inode = event->inode,
		.path = event->path};

	/* The first file that an exec maps is the program itself. */
	if (space->is_whole && !space->exe[0] && event->path[0] == '/' && event->path[1] != '/') {
		free(space->exe);
		space->exe = xstrdup(event->path);
	}
	code_maps_add(spaces->objects, maps_of(spaces, space), event->pid, &mapping);
}

void spaces_watch(struct spaces *spaces, uint32_t pid)
{
	own_space(spaces, pid);
}

void spaces_apply(struct spaces *spaces, const struct map_event *event)
{
	uint32_t known = event->kind == MAP_EVENT_FORK ? event->parent : event->pid;
	struct space *space;

	if (!spaces->follows_all && !space_of(spaces, known))
		return;

	switch (event->kind) {
	case MAP_EVENT_MAP:
		add_mapping(spaces, event);
		break;
	case MAP_EVENT_EXEC:
		space = space_new(event->pid, code_maps_new(), "");
		space->is_whole = true;
		move_to(spaces, event->pid, space);
		break;
	case MAP_EVENT_FORK:
		*map64_put(&spaces->parents, event->pid, NULL) = event->parent;
		space = space_of(spaces, event->parent);
		move_to(spaces, event->pid, space);
		break;
	case MAP_EVENT_EXIT:
		map64_remove(&spaces->parents, event->pid);
		errands_forget(object_table_outside(spaces->objects)->errands, event->pid);
		move_to(spaces, event->pid, NULL);
		break;
	}
}

static void read_exe(uint32_t pid, char ret[static PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	ssize_t length = readlink(link, ret, PATH_MAX - 1);
	ret[length > 0 ? length : 0] = 0;
}

static void become_whole(struct space *space, const char *exe)
{
	space->is_whole = true;
	space->is_gone = false;
	if (exe[0]) {
		free(space->exe);
		space->exe = xstrdup(exe);
	}
}

static void read_proc(struct spaces *spaces, struct space *space)
{
	char exe[PATH_MAX];
	struct code_maps *maps = NULL;

	space->read_ns = clock_monotonic_ns();
	read_exe(space->pid, exe);
	if (code_maps_read(spaces->objects, space->pid, &maps) || !bears_mark(space)) {
		code_maps_free(maps);
		space->is_gone = true;
		return;
	}
	code_maps_free(space->maps);
	map_lines_clear(&space->lines);
	space->maps = maps;
	become_whole(space, exe);
}

static struct space *attach(struct spaces *spaces, uint32_t pid, uint64_t start_stack)
{
	struct space *space = own_space(spaces, pid);

	space->references++;
	space->start_stack = start_stack;
	return space;
}

struct space *spaces_attach(struct spaces *spaces, uint32_t pid, uint64_t start_stack)
{
	struct space *space = attach(spaces, pid, start_stack);

	if (!space->is_whole)
		read_proc(spaces, space);
	return space;
}

struct space *spaces_attach_read(
	struct spaces *spaces, uint32_t pid, uint64_t start_stack, struct map_lines *lines)
{
	/* What records have told of a process since may be newer than the lines. */
	bool is_untold = !space_of(spaces, pid);
	char exe[PATH_MAX];

	if (!is_untold) {
		map_lines_clear(lines);
		return spaces_attach(spaces, pid, start_stack);
	}
	struct space *space = attach(spaces, pid, start_stack);
	space->lines = *lines;
	memset(lines, 0, sizeof(*lines));
	read_exe(pid, exe);
	become_whole(space, exe);
	return space;
}

/* One that was attached after its process's end was told: no other record will let it go. */
static bool is_left_over(const struct spaces *spaces, const struct space *space)
{
	return space->references == 1 && space->processes == 1 &&
	       space_of(spaces, space->pid) == space &&
	       (space->is_gone || (kill((pid_t)space->pid, 0) && errno == ESRCH));
}

void spaces_release(struct spaces *spaces, struct space *space)
{
	if (!space)
		return;
	if (space->references == 1) {
		unref(space);
		return;
	}
	space->references--;
	if (is_left_over(spaces, space))
		move_to(spaces, space->pid, NULL);
}

size_t spaces_count(const struct spaces *spaces)
{
	return spaces->by_pid.count;
}

bool space_find(
	struct spaces *spaces, struct space *space, uint64_t address, struct code_place *ret)
{
	if (code_maps_find(maps_of(spaces, space), address, ret))
		return true;
	if (space->is_gone || clock_monotonic_ns() - space->read_ns < REREAD_NS)
		return false;
	read_proc(spaces, space);
	return code_maps_find(space->maps, address, ret);
}

static void read_regions(struct spaces *spaces, struct space *space)
{
	struct errands *errands = object_table_outside(spaces->objects)->errands;
	uint64_t began_ns = clock_monotonic_ns();
	struct regions *regions = NULL;

	if (regions_read(errands, space->pid, &regions) || !bears_mark(space)) {
		regions_free(regions);
		space->is_gone = true;
		return;
	}
	regions_free(space->regions);
	space->regions = regions;
	space->regions_read_ns = clock_monotonic_ns();
	space->regions_pause_ns = REGIONS_SHARE * (space->regions_read_ns - began_ns);
	if (space->regions_pause_ns < REREAD_NS)
		space->regions_pause_ns = REREAD_NS;
}

bool space_find_region(
	struct spaces *spaces, struct space *space, uint64_t address, struct region *ret)
{
	if (space->regions && regions_find(space->regions, address, ret))
		return true;
	if (space->is_gone ||
		clock_monotonic_ns() - space->regions_read_ns < space->regions_pause_ns)
		return false;
	read_regions(spaces, space);
	return space->regions && regions_find(space->regions, address, ret);
}

/* A file's data whose code is not known: it was mapped and nobody told. */
static bool lacks_code(struct spaces *spaces, struct space *space, uint64_t address)
{
	struct region region;

	return space_find_region(spaces, space, address, &region) && region.kind == REGION_FILE &&
	       !space->is_gone && space->read_ns < space->regions_read_ns;
}

bool space_find_data(
	struct spaces *spaces, struct space *space, uint64_t address, struct data_place *ret)
{
	if (code_maps_find_data(maps_of(spaces, space), address, ret))
		return true;
	if (!lacks_code(spaces, space, address))
		return false;
	read_proc(spaces, space);
	return code_maps_find_data(maps_of(spaces, space), address, ret);
}

bool space_is_unknown(const struct space *space)
{
	return !space->is_whole;
}

uint32_t space_pid(const struct space *space)
{
	return space->pid;
}

const char *space_exe(const struct space *space)
{
	return space->exe;
}

uint64_t space_mark(const struct space *space)
{
	return hash_add(space->pid, space->start_stack);
}

/* Looks for the perf map, or for what was added to it; not more often than every 100 ms. */
static bool read_jit(struct spaces *spaces, struct space *space)
{
	if (clock_monotonic_ns() - space->jit_read_ns < REREAD_NS)
		return false;
	space->jit_read_ns = clock_monotonic_ns();
	if (space->jit)
		return jit_map_refresh(space->jit) > 0;
	if (jit_map_read(object_table_outside(spaces->objects), space->pid, &space->jit))
		return false;
	if (bears_mark(space))
		return true;
	jit_map_free(space->jit);
	space->jit = NULL;
	return false;
}

const char *space_jit_name(
	struct spaces *spaces, struct space *space, uint64_t address, uint64_t *ret_offset)
{
	const char *name = space->jit ? jit_map_name(space->jit, address, ret_offset) : NULL;

	if (!name && read_jit(spaces, space))
		name = jit_map_name(space->jit, address, ret_offset);
	return name;
}
