/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of object.c, for object_data.c; symbol/object.h is for others. */
#ifndef DWELL_SYMBOL_OBJECT_PRIVATE_H
#define DWELL_SYMBOL_OBJECT_PRIVATE_H

#include "elf/facts.h"
#include "symbol/locate.h"
#include "symbol/names.h"
#include "symbol/object_table.h"
#include "symbol/outside/outside.h"
#include "util/map64.h"
#include "util/vec.h"

struct object {
	struct code_object public; /* first: callers' pointers lead here */
	struct object_table *table;
	char *path;
	char *build_id;
	struct file_stamp stamp;
	VEC(struct elf_segment) segments;
	struct elf_extent extent;
	struct object_names *names;
	struct object_names *variables; /* NULL: none are known, or nobody has asked yet */
	bool has_sought_variables;      /* there is no use in looking again */
	uint32_t sought_by;             /* a process by which the file was not found again */
	int pending_fd;                 /* -1: symbols were read, or there is nothing to read */
	int debug_fd;                   /* of the separate debug file, while pending */
};

/* A file that some process mapped. */
struct held {
	int path_fd;
	struct file_stamp stamp;
	struct object *object;
};

struct object_table {
	struct outside *outside;
	struct outside here; /* if we were given none */
	VEC(struct object *) objects;
	VEC(struct held) held;
	struct map64 by_inode; /* and path -> number in held */
	struct map64 by_key;   /* key of a mapped file -> struct object * */
	struct map64 by_id;    /* readable files only */
	struct object *vdso;
	struct object *anonymous;
	size_t pending; /* fds */
	size_t max_pending;
	size_t max_held;
	size_t next_held;
};

#endif
