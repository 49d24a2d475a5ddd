/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the loader share: loader_listen.c is the thread that listens, loader_look.c
 * looks at processes, loader_read.c reads files, loader_queue.c holds what is to be done, loader.c
 * is the outside. The listener owns the looking at processes, the readers the reading of files; one
 * lock is around objects, maps and queues, and is not held while a file or /proc/PID/maps is
 * read. What is asked for by a stack that could not be walked goes before what is merely there.
 * Private to the loader.
 */
#ifndef DWELL_UNWIND_LOADER_PRIVATE_H
#define DWELL_UNWIND_LOADER_PRIVATE_H

#include <pthread.h>

#include "unwind/loader.h"
#include "host/map_events.h"
#include "unwind/image_maps.h"
#include "unwind/unwind_cache.h"
#include "util/map64.h"
#include "util/vec.h"

#define LOADER_MAX_READERS 4

/* A process amid its exec may be looked at in vain; so many times that costs it nothing. */
#define LOADER_FREE_LOOKS 4

struct loader_image {
	uint32_t pid;
	bool is_queued;
	uint32_t vain; /* looks in a row that did not find what was asked for */
	uint64_t looked_ns;
	uint64_t not_before_ns; /* one with very many mappings must not keep the listener busy */
	bool is_later;          /* in the list of those to be looked at when their pause is over */
	uint64_t later_pc;
};

struct early_look {
	mapping_list mappings;
	struct map_lines lines; /* what they were made of, until somebody takes it */
};

struct loader_scan {
	uint32_t image; /* 0: only its files are wanted */
	uint32_t pid;
	bool is_urgent;
	uint64_t pc; /* that was in no known mapping, 0: none */
};

/* First in, first out: what lies before `head` has been taken. */
typedef struct {
	VEC(struct loader_scan) list;
	size_t head;
} scan_queue;
typedef struct {
	VEC(struct unwind_object *) list;
	size_t head;
} object_queue;

struct loader {
	struct outside *outside;
	struct unwind_tables *tables;
	struct unwind_objects *objects;
	struct image_maps *maps;
	struct unwind_cache *cache; /* NULL: none; has its own lock */
	struct ring_buffer *wants;
	struct map_events *events;
	int wake_fd;
	void (*on_news)(void *context);
	void *news_context;
	uint64_t collected_ns;
	pthread_t threads[LOADER_MAX_READERS + 1];
	size_t thread_count;

	pthread_mutex_t lock; /* all that follows, and the first three */
	pthread_cond_t has_reads;
	pthread_cond_t is_idle;
	struct map64 images; /* -> struct loader_image * */
	struct map64 by_pid; /* -> the image that it runs */
	/*
	 * pid -> struct early_look * of a process that was looked at before its image had a number.
	 * The kernel's records tell if something has changed since; without these there are none.
	 */
	struct map64 early;
	uint64_t records_lost; /* when `early` was last right */
	scan_queue scans;
	scan_queue urgent_scans;
	object_queue reads;
	object_queue urgent_reads;
	VEC(struct unwind_object *) own_reads; /* of the listener */
	VEC(uint32_t) later;                   /* images that asked before their pause was over */
	VEC(struct unwind_object *) postponed;
	uint64_t postponed_ns;
	size_t busy;
	bool is_stopping;
	bool is_started;
	bool has_news;
	struct loader_counts counts;
};

/* Where nothing else is said, the caller has the lock. */

/* Makes one that is not known. */
struct loader_image *loader_image_of(struct loader *loader, uint32_t number, uint32_t pid);
/* NULL if it is not known. */
struct loader_image *loader_known_image(const struct loader *loader, uint32_t number);
/* Does nothing if the image is queued already; image and pc as in struct loader_scan. */
void loader_queue_scan(
	struct loader *loader, bool is_urgent, uint32_t number, uint32_t pid, uint64_t pc);
/* Does nothing if the object is queued already. */
void loader_queue_read(struct loader *loader, struct unwind_object *object, bool is_urgent);
/* Next in the queues; false if they are empty. */
bool loader_next_scan(struct loader *loader, struct loader_scan *ret);
/* Next in the queues; NULL if they are empty. */
struct unwind_object *loader_next_read(struct loader *loader);
/* Is anything queued or being done? */
bool loader_has_work(const struct loader *loader);
/* One that was busy is done with a piece of work. */
void loader_done(struct loader *loader);
/* Tells the news, if there are any. */
void loader_tell_news(struct loader *loader);

/* Nothing that was read early about the process (0: any) holds any more. */
void loader_drop_early(struct loader *loader, uint32_t pid);

/* Reads a process's mappings and publishes them. Takes the lock. */
void loader_look(struct loader *loader, const struct loader_scan *scan);
/* A new mapping of an image; false if that needs a look at the process. */
bool loader_take_event(struct loader *loader, uint32_t number, const struct map_event *event);

/* What the listener reads itself. Gives the lock away meanwhile. */
void loader_read_own_files(struct loader *loader);
/* A thread that reads files until the loader stops. Takes the lock. */
void *loader_read_files(void *loader);

/* For the ring of wanted tables. Takes the lock. */
int loader_on_want(void *loader, void *data, size_t length);
/* The thread that listens until the loader stops. Takes the lock. */
void *loader_listen(void *loader);

#endif
