/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files whose unwind tables are loaded, each known by device, inode, size and time of change;
 * copies with the same build-id share one. An object gets a number that frames carry, which is
 * never used again. Reading a file is apart from the rest, because it takes time and needs no lock.
 */
#ifndef DWELL_UNWIND_OBJECTS_H
#define DWELL_UNWIND_OBJECTS_H

#include "unwind/tables.h"
#include "elf/file.h"
#include "symbol/locate.h"

enum unwind_object_state {
	UNWIND_OBJECT_PENDING,  /* to be read */
	UNWIND_OBJECT_READY,    /* has a table */
	UNWIND_OBJECT_FRAMEPTR, /* a program without any call frame information */
	UNWIND_OBJECT_PLAIN,    /* no program: memory of somebody who makes code */
	UNWIND_OBJECT_UNUSABLE, /* damaged, or of another kind */
	UNWIND_OBJECT_UNOPENED, /* not to be opened: gone, or not ours to read */
	UNWIND_OBJECT_NO_ROOM,  /* its table found no room */
	UNWIND_OBJECT_EVICTED,  /* had a table; it is read again when asked for */
	UNWIND_OBJECT_TWIN,     /* see twin */
};

struct unwind_object {
	uint32_t number;
	enum unwind_object_state state;
	bool is_vdso;
	bool is_queued; /* to be read, being read, or waiting for room */
	bool is_live;   /* while looking for one to evict: some process maps it */
	char *path;
	char *build_id;
	struct file_stamp stamp;
	/* O_PATH, so that it can be read when its processes are gone; -1 if there are too many. */
	int path_fd;
	uint32_t pid;         /* that had it first */
	struct map_line line; /* and how it showed: the way to a file that is not held; same path */
	VEC(struct elf_segment) segments;
	struct unwind_place place;
	uint64_t java_flag;         /* hotspot_find_flag(); 0: none */
	struct unwind_object *twin; /* the one with the same content that came first */
	uint64_t used_ns;
};

struct unwind_objects;

struct outside;

/* Borrows both. */
struct unwind_objects *unwind_objects_new(struct unwind_tables *tables, struct outside *outside);
void unwind_objects_free(struct unwind_objects *objects);

/* The object that a mapping shows, new (pending) or known; NULL: code without a file. */
struct unwind_object *unwind_objects_get(
	struct unwind_objects *objects, uint32_t pid, const struct map_line *line);
/* The same, if it is known and its file is held and unchanged; else NULL. Quick. */
struct unwind_object *unwind_objects_held(
	const struct unwind_objects *objects, const struct map_line *line);
/* By its number; NULL if there is none. */
struct unwind_object *unwind_objects_numbered(
	const struct unwind_objects *objects, uint32_t number);
size_t unwind_objects_count(const struct unwind_objects *objects);
/* How many of them are still to be read. */
size_t unwind_objects_unread(const struct unwind_objects *objects);

/* What reading a file gave. */
struct unwind_reading {
	int error; /* as cfi_table_read(), or of opening it */
	char *build_id;
	uid_t owner; /* of the file: build-ids can be forged, the system's files cannot */
	VEC(struct elf_segment) segments;
	struct cfi_table table;
	uint64_t java_flag;
};

struct unwind_cache;

/*
 * Reads a file of that process, without any lock: path_fd is an O_PATH fd, or -1 for the vdso. The
 * cache may be NULL. With is_quick the error is -EAGAIN if the table is not in the cache.
 */
void unwind_reading_make(struct unwind_reading *ret, struct outside *outside, uint32_t pid,
	int path_fd, bool is_vdso, struct unwind_cache *cache, bool is_quick);
void unwind_reading_clear(struct unwind_reading *reading);
/* An O_PATH fd of the object's file, the caller's; -1 if it is not held and cannot be found. */
int unwind_object_open(const struct unwind_objects *objects, const struct unwind_object *object);
/* Settles a pending object. -ENOSPC: no room for the table; the object stays pending. */
int unwind_objects_settle(struct unwind_objects *objects, struct unwind_object *object,
	const struct unwind_reading *reading);
/* Gives an object's rows back. */
void unwind_objects_evict(struct unwind_objects *objects, struct unwind_object *object);
/* The one to evict: not mapped by anybody if there is such a one, else the longest unused. */
struct unwind_object *unwind_objects_oldest(struct unwind_objects *objects);
void unwind_objects_clear_live(struct unwind_objects *objects);

/* The object itself, or the one whose content it has. NULL stays NULL. */
struct unwind_object *unwind_object_itself(struct unwind_object *object);

/* A mapping of the object (NULL: code without a file) for the kernel side. */
struct unwind_vma unwind_object_vma(
	const struct unwind_object *object, uint64_t start, uint64_t end, uint64_t offset);

/*
 * The same for code without a file that the object generates, libjvm.so, which has a mapping of its
 * own at maker_start.
 */
struct unwind_vma unwind_object_java_vma(const struct unwind_object *maker, uint64_t maker_start,
	uint64_t maker_offset, uint64_t start, uint64_t end);

#endif
