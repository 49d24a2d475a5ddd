/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text of /proc/PID/maps. Paths are chosen by the processes that are watched, so they
 * are hostile: spaces, newlines (which the kernel writes as \012) and " (deleted)" are expected,
 * and no line breaks the reading of the others.
 */
#ifndef DWELL_SYMBOL_MAPS_H
#define DWELL_SYMBOL_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/vec.h"

struct map_line {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* of start in the file */
	uint64_t inode;  /* 0: no file */
	uint32_t dev_major;
	uint32_t dev_minor;
	bool is_writable;
	bool is_executable;
	bool is_shared;
	bool is_deleted;
	char *path; /* without " (deleted)"; "" if there is none; owned */
};

struct map_lines {
	VEC(struct map_line) lines; /* in order of address */
	/* The first thread's stack, which an exec puts elsewhere; both 0: there is none. */
	uint64_t stack_start;
	uint64_t stack_end;
};

/* One line, with or without its newline; false if it is none. On success the path is the caller's.
 */
bool map_line_parse(const char *text, struct map_line *ret);

/* The next line of a stream that is one; false at its end. On success the path is the caller's. */
bool map_line_read(FILE *in, struct map_line *ret);

/* Memory that has an inode but is no file of anybody's: memfds, System V segments, ... */
bool map_line_is_memory(const struct map_line *line);

/*
 * All executable mappings of a stream; the count of all mappings goes to ret_all (NULL is
 * allowed). 0, -E2BIG for more than a million, -errno if reading fails. Clear ret with
 * map_lines_clear().
 */
int map_lines_read(FILE *in, struct map_lines *ret, size_t *ret_all);
void map_lines_clear(struct map_lines *maps);

#endif
