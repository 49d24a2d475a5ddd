// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files become tables: the listener reads those that are small or cached itself, the readers all
 * others. A table that finds no room makes others give theirs up, and is read again when their
 * rest is over.
 */
#include "unwind/loader_private.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/rights.h"
#include "util/clock.h"
#include "util/units.h"

/* Read by the listener itself, in a millisecond or two: a reader may have to wait for a CPU. */
#define SMALL_FILE_BYTES (512 << 10)
/* A table that was used since is not given up for another one: they would take turns. */
#define EVICT_AFTER_NS (30 * NS_PER_S)

/* Gives up tables until the rows that are wanted will be free, after their rest. */
static void make_room(struct loader *loader, struct unwind_object *wanting, uint32_t rows)
{
	uint64_t now = clock_monotonic_ns();
	uint32_t used, room, free_rows;

	image_maps_mark_live(loader->maps);
	unwind_tables_fill(loader->tables, &used, &room);
	free_rows = room - used;
	/* Enough rows may be free, but in pieces: at least one object has to go. */
	do {
		struct unwind_object *oldest =
			rows <= room ? unwind_objects_oldest(loader->objects) : NULL;
		if (!oldest || (oldest->is_live && now - oldest->used_ns < EVICT_AFTER_NS)) {
			wanting->state = UNWIND_OBJECT_NO_ROOM;
			loader->counts.without_room++;
			return;
		}
		free_rows += oldest->place.row_count;
		unwind_objects_evict(loader->objects, oldest);
		image_maps_update(loader->maps, oldest);
		loader->counts.evicted++;
	} while (free_rows < rows);
	/* Before their rest is over it would find no room, and nothing more to give up. It began
	 * just now, not when the look for room did. */
	wanting->is_queued = true;
	vec_push(&loader->postponed, wanting);
	loader->postponed_ns = clock_monotonic_ns();
}

/*
 * One taken from a queue, without the lock while the file is read. false: it would take longer than
 * is_quick allows.
 */
static bool read_object(struct loader *loader, struct unwind_object *object, bool is_quick)
{
	struct unwind_reading reading;
	bool is_vdso = object->is_vdso;

	if (object->state != UNWIND_OBJECT_PENDING) {
		object->is_queued = false;
		return true;
	}
	_cleanup_close_ int found =
		object->path_fd < 0 ? unwind_object_open(loader->objects, object) : -1;
	uint32_t pid = object->pid;
	int fd = object->path_fd < 0 ? found : object->path_fd;
	pthread_mutex_unlock(&loader->lock);
	unwind_reading_make(&reading, loader->outside, pid, fd, is_vdso, loader->cache, is_quick);
	pthread_mutex_lock(&loader->lock);
	object->is_queued = false;
	if (reading.error == -EAGAIN) {
		unwind_reading_clear(&reading);
		return false;
	}
	if (unwind_objects_settle(loader->objects, object, &reading))
		make_room(loader, object, reading.table.row_count);
	image_maps_update(loader->maps, object);
	loader->has_news = true;
	unwind_reading_clear(&reading);
	return true;
}

/* Small files, and those whose tables are in the cache; the others are for the readers. */
void loader_read_own_files(struct loader *loader)
{
	while (loader->own_reads.count) {
		struct unwind_object *object = loader->own_reads.at[--loader->own_reads.count];
		bool is_small = object->stamp.bytes <= SMALL_FILE_BYTES;

		if (!read_object(loader, object, !is_small))
			loader_queue_read(loader, object, true);
	}
}

void *loader_read_files(void *context)
{
	struct loader *loader = context;

	rights_settle();
	/* Not as urgent as the listener, more so than those whose stacks wait for the tables. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
	pthread_mutex_lock(&loader->lock);
	while (!loader->is_stopping) {
		struct unwind_object *object = loader_next_read(loader);
		if (!object) {
			pthread_cond_wait(&loader->has_reads, &loader->lock);
			continue;
		}
		loader->busy++;
		read_object(loader, object, false);
		loader_done(loader);
	}
	pthread_mutex_unlock(&loader->lock);
	return NULL;
}
