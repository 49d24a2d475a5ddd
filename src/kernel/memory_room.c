// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads /proc/meminfo and the memory controllers of both cgroup versions, up to the root. */
#include "kernel/memory_room.h"

#include <errno.h>
#include <string.h>

#include "kernel/options.h"
#include "host/proc_text.h"
#include "util/mem.h"
#include "util/units.h"

/*
 * Set aside for dwell itself: 50 to 110 MiB were seen, with tables that are smaller the less there
 * is. Of the rest the tables may take half: threads have storage of their own in the kernel, and
 * those that are recorded must be able to grow while they are.
 */
#define OWN_BYTES (64ULL << 20)
#define PARTS 2
/* Free memory changes: the most that a refusal named must be granted a moment later. */
#define SLACK_PARTS 16

const struct memory_files memory_files_of_proc = {.meminfo = "/proc/meminfo",
	.cgroup = "/proc/self/cgroup",
	.mountinfo = "/proc/self/mountinfo"};

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t read_bytes(const char *folder, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, file), *text = NULL;
	char *end;

	if (proc_text_read(path, &text))
		return UINT64_MAX;
	/* "max" is no number. */
	uint64_t bytes = strtoull(text, &end, 10);
	return end == text ? UINT64_MAX : bytes;
}

/* What may still be allocated in one cgroup; page cache that nobody uses counts as free. */
static uint64_t room_of(const char *folder, bool is_v2)
{
	uint64_t limit = read_bytes(folder, is_v2 ? "memory.max" : "memory.limit_in_bytes");
	uint64_t used = read_bytes(folder, is_v2 ? "memory.current" : "memory.usage_in_bytes");
	_cleanup_free_ char *path = xasprintf("%s/memory.stat", folder), *text = NULL;
	uint64_t cache = 0;

	/* Beyond it nobody is killed, but all in the cgroup are slowed down. */
	if (is_v2)
		limit = least_of(limit, read_bytes(folder, "memory.high"));
	if (limit == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	if (!proc_text_read(path, &text))
		proc_text_value(text, is_v2 ? "inactive_file" : "total_inactive_file", &cache);
	used -= cache < used ? cache : used;
	return limit > used ? limit - used : 0;
}

/* The tightest room from the cgroup up to its mount point. UINT64_MAX: no limit found. */
static uint64_t cgroup_room(const struct memory_files *files, bool is_v2)
{
	_cleanup_free_ char *cgroup = NULL, *mountinfo = NULL, *folder = NULL;
	uint64_t least = UINT64_MAX;
	size_t mount_length;

	if (proc_text_read(files->cgroup, &cgroup) ||
		proc_text_read(files->mountinfo, &mountinfo) ||
		proc_text_cgroup_folder(
			cgroup, mountinfo, is_v2 ? NULL : "memory", &folder, &mount_length))
		return UINT64_MAX;
	while (true) {
		least = least_of(least, room_of(folder, is_v2));
		char *slash = strrchr(folder, '/');
		if (!slash || strlen(folder) <= mount_length)
			return least;
		*slash = 0;
	}
}

static uint64_t machine_room(const struct memory_files *files)
{
	_cleanup_free_ char *text = NULL;
	uint64_t kib;

	if (proc_text_read(files->meminfo, &text) || proc_text_value(text, "MemAvailable:", &kib))
		return UINT64_MAX;
	return kib * 1024;
}

void memory_room_read(const struct memory_files *files, struct memory_room *ret)
{
	uint64_t in_cgroup = least_of(cgroup_room(files, true), cgroup_room(files, false));
	uint64_t in_all = machine_room(files);

	*ret = (struct memory_room){
		.bytes = least_of(in_cgroup, in_all), .is_of_cgroup = in_cgroup < in_all};
}

const char *memory_room_place(const struct memory_room *room)
{
	return room->is_of_cgroup ? "in this cgroup" : "on this machine";
}

uint64_t memory_room_for_tables(const struct memory_room *room)
{
	if (room->bytes == UINT64_MAX)
		return UINT64_MAX / PARTS;
	return room->bytes > OWN_BYTES ? (room->bytes - OWN_BYTES) / PARTS : 0;
}

int memory_room_take(const struct memory_room *room, uint64_t wanted_bytes, bool is_asked,
	uint64_t *ret_bytes, struct why *why)
{
	uint64_t most = memory_room_for_tables(room);
	char left[UNITS_ROOM], wanted[UNITS_ROOM], least[UNITS_ROOM];

	units_bytes(room->bytes, left);
	if (most < CAPTURE_MIN_MEMORY)
		return why_set(why, -ENOMEM,
			"only %s of memory are free %s, and a recording needs %s: end something "
			"else%s",
			left, memory_room_place(room),
			units_bytes(PARTS * CAPTURE_MIN_MEMORY + OWN_BYTES, least),
			room->is_of_cgroup ? ", or raise its limit" : "");
	if (is_asked && wanted_bytes > most + most / SLACK_PARTS)
		return why_set(why, -ENOMEM,
			"%s is more memory than tables can have here: %s are free %s; the most is "
			"--memory %lluM",
			units_bytes(wanted_bytes, wanted), left, memory_room_place(room),
			(unsigned long long)(most >> 20));
	*ret_bytes = is_asked ? wanted_bytes : least_of(wanted_bytes, most);
	return 0;
}
