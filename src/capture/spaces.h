/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: what code each process has mapped. They are put together from the kernel's
 * records of execs, forks and mappings, so that a process that lives a millisecond is known too;
 * what was there before the recording, or was missed, is read from /proc. What /proc shows counts
 * only while the process bears the mark it was announced with, else it shows a successor.
 */
#ifndef DWELL_CAPTURE_SPACES_H
#define DWELL_CAPTURE_SPACES_H

#include "host/map_events.h"
#include "symbol/maps.h"
#include "symbol/object.h"
#include "symbol/regions.h"

struct spaces;
struct space;

/*
 * Borrows the table of objects. Of processes that were neither attached nor watched, nor are
 * children of such, nothing is kept, unless follows_all: any process may then be attached later.
 */
struct spaces *spaces_new(struct object_table *objects, bool follows_all);
/* A process that is going to be attached after its next exec. */
void spaces_watch(struct spaces *spaces, uint32_t pid);
void spaces_free(struct spaces *spaces);

/* A record of the kernel's; they must come in order of time. */
void spaces_apply(struct spaces *spaces, const struct map_event *event);

/*
 * The space of a process as of now, to be released. start_stack is its mark in /proc/PID/stat.
 * Never NULL: of a process that nothing is known about the space is empty, and space_is_unknown().
 */
struct space *spaces_attach(struct spaces *spaces, uint32_t pid, uint64_t start_stack);
/*
 * The same with lines of /proc/PID/maps that somebody has read for that image, and which are taken:
 * /proc is not read, and files are not looked for, before an address is asked for.
 */
struct space *spaces_attach_read(
	struct spaces *spaces, uint32_t pid, uint64_t start_stack, struct map_lines *lines);
void spaces_release(struct spaces *spaces, struct space *space);
/* Processes of which something is kept. */
size_t spaces_count(const struct spaces *spaces);

/* What is mapped at an address; looks into /proc again, now and then, if nothing is known there. */
bool space_find(
	struct spaces *spaces, struct space *space, uint64_t address, struct code_place *ret);
/* In which object's data an address is, if it is in any. */
bool space_find_data(
	struct spaces *spaces, struct space *space, uint64_t address, struct data_place *ret);
/* What else the memory there is; looks into /proc, now and then, if nothing is known there. */
bool space_find_region(
	struct spaces *spaces, struct space *space, uint64_t address, struct region *ret);
bool space_is_unknown(const struct space *space);
uint32_t space_pid(const struct space *space);
/* The path of the program, "" if unknown. Borrowed. */
const char *space_exe(const struct space *space);
/* A number that tells this process's JIT code from other processes'. */
uint64_t space_mark(const struct space *space);
/* The name of JIT code at an address, from the process's perf map; NULL if there is none. */
const char *space_jit_name(
	struct spaces *spaces, struct space *space, uint64_t address, uint64_t *ret_offset);

#endif
