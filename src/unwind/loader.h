/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings unwind tables to the kernel side in time: one thread listens to what the kernel side asks
 * for and to the kernel's records of new mappings, looks at the processes and publishes their
 * mappings at once; some more read the files. How fast this is decides how many stacks of young
 * processes are complete.
 */
#ifndef DWELL_UNWIND_LOADER_H
#define DWELL_UNWIND_LOADER_H

#include "unwind/tables.h"
#include "symbol/locate.h"
#include "util/why.h"

struct loader;

struct outside;

struct loader_options {
	struct outside *outside; /* borrowed */
	struct unwind_areas areas;
	int wants_fd; /* the ring of struct unwind_want; -1: none */
	bool has_cache;
	/*
	 * Called, if not NULL, when tables or mappings have come; by a thread of the loader, which
	 * it must not keep.
	 */
	void (*on_news)(void *context);
	void *news_context;
};

int loader_new(const struct loader_options *options, struct loader **ret, struct why *why);
/* Ends the threads. */
void loader_free(struct loader *loader);

/* Reads the files that a process has mapped, so that they are there when it is asked for. */
void loader_warm(struct loader *loader, uint32_t pid);
/* The same for all processes that there are. */
void loader_warm_all(struct loader *loader);
/* The processes of the start are known by now: others are new. */
void loader_set_started(struct loader *loader);
/*
 * The mappings of a process as they were when it was warmed, if nobody took them before and it is
 * the same image still: start_stack is that in /proc/PID/stat. They are the caller's to clear.
 */
bool loader_take_lines(
	struct loader *loader, uint32_t pid, uint64_t start_stack, struct map_lines *ret);
/* An image is run by a process. Its mappings are looked at if `now`, else when somebody asks. */
void loader_know(struct loader *loader, uint32_t image, uint32_t pid, bool now);
/* Nobody runs the image any more. */
void loader_forget(struct loader *loader, uint32_t image);
/* How many files there were to read so far, and how many of them are read. */
void loader_progress(struct loader *loader, size_t *ret_read, size_t *ret_all);
/* Returns true when all that was asked for is there, false when the time is over. */
bool loader_wait(struct loader *loader, uint64_t timeout_ns);

/* The mappings of an image that was known here; -ENOENT if there are none. */
int loader_place(struct loader *loader, uint32_t image, struct unwind_process *ret);

/* The file that a frame's object number stands for. */
struct loader_object {
	char *path; /* the caller's */
	struct file_stamp stamp;
	int path_fd; /* O_PATH, the caller's; -1 if is_vdso, or not to be found any more */
	uint32_t pid;
	bool is_vdso;
};

/* 0, or -ENOENT. */
int loader_object(struct loader *loader, uint32_t number, struct loader_object *ret);

struct loader_counts {
	uint64_t objects;
	uint64_t rows;
	uint64_t row_room;
	uint64_t scans;   /* of /proc/PID/maps */
	uint64_t inserts; /* mappings that were told by the kernel and needed no scan */
	uint64_t evicted;
	uint64_t without_room; /* objects and maps that found none */
};

void loader_counts(struct loader *loader, struct loader_counts *ret);

#endif
