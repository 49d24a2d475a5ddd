// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The listener owns the looking at processes, the readers the reading of files; one lock is around
 * objects, slices and queues, and is not held while a file or /proc/PID/maps is read. What is asked
 * for by a stack that could not be walked goes before what is merely there.
 */
#include "capture/loader.h"

#include <bpf/libbpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "capture/map_events.h"
#include "capture/slices.h"
#include "symbol/maps.h"
#include "symbol/unwind_cache.h"
#include "util/clock.h"
#include "util/map64.h"
#include "util/units.h"

#define MAX_READERS 4
/* Read by the listener itself, in a millisecond or two: a reader may have to wait for a CPU. */
#define SMALL_FILE_BYTES (512 << 10)
#define TICK_MS 500
#define COLLECT_EVERY_NS (5 * NS_PER_S)
/* An image that asks in vain is looked at less and less often. */
#define FIRST_PAUSE_NS (5 * NS_PER_MS)
#define MAX_PAUSE_DOUBLINGS 8
/* Looks and slices that are this large make an image wait, for so many times what they cost. */
#define LONG_LOOK_NS (5 * NS_PER_MS)
#define MANY_MAPPINGS 256
#define MAPPING_COST_NS 1000
#define PAUSE_TIMES 20
/* A table that was used since is not given up for another one: they would take turns. */
#define EVICT_AFTER_NS (30 * NS_PER_S)

struct image {
	uint32_t pid;
	bool is_queued;
	uint32_t vain; /* looks in a row that did not find what was asked for */
	uint64_t looked_ns;
	uint64_t not_before_ns; /* one with very many mappings must not keep the listener busy */
};

struct scan {
	uint32_t image; /* 0: only its files are wanted */
	uint32_t pid;
	bool is_urgent;
	uint64_t pc; /* that was in no known mapping, 0: none */
};

/* First in, first out: what lies before `head` has been taken. */
typedef struct {
	VEC(struct scan) list;
	size_t head;
} scan_queue;
typedef struct {
	VEC(struct unwind_object *) list;
	size_t head;
} object_queue;

#define queue_is_empty(queue) ((queue)->head == (queue)->list.count)
#define queue_push(queue, item) vec_push(&(queue)->list, item)
/* Of one that is not empty. */
#define queue_take(queue, ret)                                                                     \
	do {                                                                                       \
		*(ret) = (queue)->list.at[(queue)->head++];                                        \
		if (queue_is_empty(queue))                                                         \
			(queue)->head = (queue)->list.count = 0;                                   \
	} while (0)

struct loader {
	struct unwind_tables *tables;
	struct unwind_objects *objects;
	struct slices *slices;
	struct unwind_cache *cache; /* NULL: none; has its own lock */
	struct ring_buffer *wants;
	struct map_events *events;
	int wake_fd;
	uint64_t collected_ns;
	pthread_t threads[MAX_READERS + 1];
	size_t thread_count;

	pthread_mutex_t lock; /* all that follows, and the three above */
	pthread_cond_t has_reads;
	pthread_cond_t is_idle;
	struct map64 images; /* -> struct image * */
	struct map64 by_pid; /* -> the image that it runs */
	scan_queue scans;
	scan_queue urgent_scans;
	object_queue reads;
	object_queue urgent_reads;
	VEC(struct unwind_object *) own_reads; /* of the listener */
	VEC(struct unwind_object *) postponed;
	uint64_t postponed_ns;
	size_t busy;
	bool is_stopping;
	struct loader_counts counts;
};

static void wake(struct loader *loader)
{
	uint64_t one = 1;

	if (write(loader->wake_fd, &one, sizeof(one)) < 0)
		return; /* it is awake */
}

static struct image *image_of(struct loader *loader, uint32_t number, uint32_t pid)
{
	bool is_new;
	uint64_t *slot = map64_put(&loader->images, number, &is_new);

	if (is_new) {
		struct image *image = xcalloc(1, sizeof(*image));
		image->pid = pid;
		*slot = (uintptr_t)image;
		/* Serials grow: what is told late must not hide what came after it. */
		uint64_t *current = map64_put(&loader->by_pid, pid, NULL);
		if (*current < number)
			*current = number;
	}
	return (struct image *)(uintptr_t)*slot;
}

static struct image *known_image(const struct loader *loader, uint32_t number)
{
	const uint64_t *slot = map64_find(&loader->images, number);

	return slot ? (struct image *)(uintptr_t)*slot : NULL;
}

static void queue_scan(
	struct loader *loader, bool is_urgent, uint32_t number, uint32_t pid, uint64_t pc)
{
	scan_queue *queue = is_urgent ? &loader->urgent_scans : &loader->scans;
	struct scan scan = {.image = number, .pid = pid, .is_urgent = is_urgent, .pc = pc};

	if (number) {
		struct image *image = image_of(loader, number, pid);
		if (image->is_queued)
			return;
		image->is_queued = true;
	}
	queue_push(queue, scan);
}

static void queue_read(struct loader *loader, struct unwind_object *object, bool is_urgent)
{
	object_queue *queue = is_urgent ? &loader->urgent_reads : &loader->reads;

	if (object->is_queued)
		return;
	object->is_queued = true;
	queue_push(queue, object);
	pthread_cond_signal(&loader->has_reads);
}

/* The mappings of a process whose first thread may have ended are those of any other thread. */
static FILE *open_maps(uint32_t pid, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/maps", pid, tid);
	return fopen(path, "re");
}

static int read_maps(uint32_t pid, uint32_t tid, struct map_lines *ret)
{
	_cleanup_fclose_ FILE *in = open_maps(pid, tid);
	size_t all = 0;
	int error = in ? map_lines_read(in, ret, &all) : -errno;

	return error ? error : all ? 0 : -ESRCH;
}

static int read_any_maps(uint32_t pid, struct map_lines *ret)
{
	int error = read_maps(pid, pid, ret);
	char path[64];

	if (error != -ESRCH)
		return error;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *tasks = opendir(path);
	struct dirent *entry;
	while (tasks && error && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			error = read_maps(pid, (uint32_t)strtoul(entry->d_name, NULL, 10), ret);
	if (tasks)
		closedir(tasks);
	return error;
}

/* Takes note of an object that somebody maps. What is urgent the listener tries to read itself. */
static void use_object(struct loader *loader, struct unwind_object *object, bool is_urgent)
{
	object->used_ns = clock_monotonic_ns();
	if (object->state != UNWIND_OBJECT_PENDING || object->is_queued)
		return;
	if (is_urgent) {
		object->is_queued = true;
		vec_push(&loader->own_reads, object);
	} else {
		queue_read(loader, object, false);
	}
}

static void take_lines(
	struct loader *loader, const struct scan *scan, const struct map_lines *lines)
{
	slice_mappings mappings = {0};
	/* What nobody could search is left out: first of all memory without a file. */
	bool has_too_many = lines->lines.count > UNWIND_MAX_VMAS;

	vec_each (line, &lines->lines) {
		struct slice_mapping mapping = {
			.start = line->start, .end = line->end, .offset = line->offset};
		if (!strcmp(line->path, "[vsyscall]"))
			continue;
		if (has_too_many && !line->inode && line->path[0] != '[')
			continue;
		if (mappings.count == UNWIND_MAX_VMAS)
			break;
		mapping.object = unwind_objects_get(loader->objects, scan->pid, line);
		if (mapping.object)
			use_object(loader, mapping.object, scan->is_urgent);
		vec_push(&mappings, mapping);
	}
	if (scan->image && slices_put(loader->slices, scan->image, &mappings))
		loader->counts.without_room++;
	vec_clear(&mappings);
}

/* Was a process looked at in vain? Then it has to wait longer for the next time. */
static void note_look(struct loader *loader, const struct scan *scan)
{
	struct image *image = known_image(loader, scan->image);

	if (!image)
		return;
	image->looked_ns = clock_monotonic_ns();
	const struct slice_mapping *found = slices_find(loader->slices, scan->image, scan->pc);
	if (!scan->pc || found)
		image->vain = 0;
	else if (image->vain < MAX_PAUSE_DOUBLINGS)
		image->vain++;
	/* The stack that asked was in a file whose table had to make room. */
	struct unwind_object *object = found ? unwind_object_itself(found->object) : NULL;
	if (scan->pc && object && object->state == UNWIND_OBJECT_EVICTED) {
		object->state = UNWIND_OBJECT_PENDING;
		queue_read(loader, object, true);
	}
}

/* Gives up tables until the rows that are wanted will be free, after their rest. */
static void make_room(struct loader *loader, struct unwind_object *wanting, uint32_t rows)
{
	uint64_t freed = 0, now = clock_monotonic_ns();
	uint32_t used, room;

	slices_mark_live(loader->slices);
	unwind_tables_fill(loader->tables, &used, &room);
	while (freed < rows) {
		struct unwind_object *oldest =
			rows < room ? unwind_objects_oldest(loader->objects) : NULL;
		if (!oldest || (oldest->is_live && now - oldest->used_ns < EVICT_AFTER_NS)) {
			wanting->state = UNWIND_OBJECT_UNUSABLE;
			loader->counts.without_room++;
			return;
		}
		freed += oldest->place.row_count;
		unwind_objects_evict(loader->objects, oldest);
		slices_update(loader->slices, oldest);
		loader->counts.evicted++;
	}
	vec_push(&loader->postponed, wanting);
	loader->postponed_ns = now;
}

/* Without the lock while the file is read. false: it would take longer than is_quick allows. */
static bool read_object(struct loader *loader, struct unwind_object *object, bool is_quick)
{
	struct unwind_reading reading;
	bool is_vdso = object->is_vdso;
	int fd = object->path_fd;

	if (object->state != UNWIND_OBJECT_PENDING)
		return true;
	pthread_mutex_unlock(&loader->lock);
	unwind_reading_make(&reading, fd, is_vdso, loader->cache, is_quick);
	pthread_mutex_lock(&loader->lock);
	if (reading.error == -EAGAIN) {
		unwind_reading_clear(&reading);
		return false;
	}
	if (unwind_objects_settle(loader->objects, object, &reading))
		make_room(loader, object, reading.table.row_count);
	slices_update(loader->slices, object);
	unwind_reading_clear(&reading);
	return true;
}

/* Small files, and those whose tables are in the cache; the others are for the readers. */
static void read_own_files(struct loader *loader)
{
	while (loader->own_reads.count) {
		struct unwind_object *object = loader->own_reads.at[--loader->own_reads.count];
		bool is_small = object->stamp.bytes <= SMALL_FILE_BYTES;

		bool is_read = read_object(loader, object, !is_small);
		object->is_queued = false;
		if (!is_read)
			queue_read(loader, object, true);
	}
}

static void look_at_process(struct loader *loader, const struct scan *scan)
{
	struct map_lines lines = {0};
	uint64_t begun = clock_monotonic_ns();
	int error = read_any_maps(scan->pid, &lines);

	pthread_mutex_lock(&loader->lock);
	loader->counts.scans++;
	if (!error)
		take_lines(loader, scan, &lines);
	read_own_files(loader);
	note_look(loader, scan);
	uint64_t now = clock_monotonic_ns();
	struct image *image = known_image(loader, scan->image);
	if (image && now - begun > LONG_LOOK_NS)
		image->not_before_ns = now + PAUSE_TIMES * (now - begun);
	pthread_mutex_unlock(&loader->lock);
	map_lines_clear(&lines);
}

/* Next in the queues; false if they are empty. */
static bool next_scan(struct loader *loader, struct scan *ret)
{
	scan_queue *queue =
		queue_is_empty(&loader->urgent_scans) ? &loader->scans : &loader->urgent_scans;
	struct image *image;

	if (queue_is_empty(queue))
		return false;
	queue_take(queue, ret);
	image = known_image(loader, ret->image);
	if (image)
		image->is_queued = false;
	return true;
}

static int on_want(void *context, void *data, size_t length)
{
	struct loader *loader = context;
	struct unwind_want want;

	if (length < sizeof(want))
		return 0;
	memcpy(&want, data, sizeof(want));
	pthread_mutex_lock(&loader->lock);
	struct image *image = image_of(loader, want.image, want.pid);
	uint64_t pause = image->vain ? FIRST_PAUSE_NS << image->vain : 0;
	uint64_t now = clock_monotonic_ns();
	if (now - image->looked_ns >= pause && now >= image->not_before_ns)
		queue_scan(loader, true, want.image, want.pid, want.pc);
	pthread_mutex_unlock(&loader->lock);
	return 0;
}

/* Puts a mapping in its place among the others; what was there is gone. */
static void insert_mapping(
	slice_mappings *mappings, const slice_mappings *known, const struct slice_mapping *added)
{
	bool is_in = false;

	vec_each (mapping, known) {
		struct slice_mapping left = *mapping, right = *mapping;

		left.end = mapping->end < added->start ? mapping->end : added->start;
		right.start = mapping->start > added->end ? mapping->start : added->end;
		right.offset += right.start - mapping->start;
		if (left.start < left.end)
			vec_push(mappings, left);
		if (!is_in && mapping->end > added->start) {
			vec_push(mappings, *added);
			is_in = true;
		}
		if (right.start < right.end)
			vec_push(mappings, right);
	}
	if (!is_in)
		vec_push(mappings, *added);
}

/* A file that is known by its build-id needs no look at the process. */
static bool take_event(struct loader *loader, uint32_t number, const struct map_event *event)
{
	const slice_mappings *known = slices_of(loader->slices, number);
	struct image *image = known_image(loader, number);
	struct slice_mapping added = {
		.start = event->start, .end = event->end, .offset = event->offset};
	slice_mappings mappings = {0};

	if (!known || !event->build_id[0])
		return false;
	added.object = unwind_objects_built(loader->objects, event->build_id);
	if (!added.object || added.object->state != UNWIND_OBJECT_READY)
		return false;
	added.object->used_ns = clock_monotonic_ns();
	insert_mapping(&mappings, known, &added);
	int error = slices_put(loader->slices, number, &mappings);
	if (image && mappings.count > MANY_MAPPINGS)
		image->not_before_ns =
			clock_monotonic_ns() + mappings.count * MAPPING_COST_NS * PAUSE_TIMES;
	vec_clear(&mappings);
	loader->counts.inserts++;
	return !error;
}

static void on_map_record(void *context, const void *record, size_t length)
{
	struct loader *loader = context;
	struct map_event event;

	if (!map_event_parse(record, length, &event) || event.kind != MAP_EVENT_MAP)
		return;
	pthread_mutex_lock(&loader->lock);
	const uint64_t *number = map64_find(&loader->by_pid, event.pid);
	const struct image *image = number ? known_image(loader, (uint32_t)*number) : NULL;
	/* One that has to wait asks for what it lacks. */
	if (image && clock_monotonic_ns() >= image->not_before_ns &&
		!take_event(loader, (uint32_t)*number, &event))
		queue_scan(loader, true, (uint32_t)*number, event.pid, 0);
	pthread_mutex_unlock(&loader->lock);
}

/* Now and then: slices that nobody refers to, tables that were waiting for room. */
static void tidy(struct loader *loader)
{
	uint64_t now = clock_monotonic_ns();

	pthread_mutex_lock(&loader->lock);
	if (now - loader->collected_ns > COLLECT_EVERY_NS) {
		loader->collected_ns = now;
		slices_collect(loader->slices);
	}
	if (loader->postponed.count && now - loader->postponed_ns > EXTENTS_REST_NS) {
		vec_each (object, &loader->postponed)
			queue_read(loader, *object, false);
		loader->postponed.count = 0;
	}
	pthread_mutex_unlock(&loader->lock);
}

static bool do_scans(struct loader *loader)
{
	struct scan scan;

	for (;;) {
		/* What comes in meanwhile may be more urgent than what is queued. */
		if (loader->wants)
			ring_buffer__consume(loader->wants);
		pthread_mutex_lock(&loader->lock);
		bool is_stopping = loader->is_stopping, has_one = next_scan(loader, &scan);
		loader->busy += has_one;
		pthread_mutex_unlock(&loader->lock);
		if (is_stopping || !has_one)
			return !is_stopping;
		look_at_process(loader, &scan);
		pthread_mutex_lock(&loader->lock);
		loader->busy--;
		pthread_cond_broadcast(&loader->is_idle);
		pthread_mutex_unlock(&loader->lock);
	}
}

static void *listen_on(void *context)
{
	struct loader *loader = context;
	VEC(struct pollfd) fds = {0};
	struct pollfd wake_fd = {.fd = loader->wake_fd, .events = POLLIN};
	uint64_t times;

	vec_push(&fds, wake_fd);
	if (loader->wants) {
		struct pollfd fd = {.fd = ring_buffer__epoll_fd(loader->wants), .events = POLLIN};
		vec_push(&fds, fd);
	}
	for (size_t i = 0; loader->events && i < map_events_count(loader->events); i++) {
		struct pollfd fd = {.fd = map_events_fd(loader->events, i), .events = POLLIN};
		vec_push(&fds, fd);
	}
	while (do_scans(loader)) {
		if (poll(fds.at, fds.count, TICK_MS) < 0 && errno != EINTR)
			break;
		if (read(loader->wake_fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
			break;
		if (loader->wants)
			ring_buffer__consume(loader->wants);
		if (loader->events)
			map_events_read(loader->events, on_map_record, loader);
		tidy(loader);
	}
	vec_clear(&fds);
	return NULL;
}

static struct unwind_object *next_read(struct loader *loader)
{
	object_queue *queue =
		queue_is_empty(&loader->urgent_reads) ? &loader->reads : &loader->urgent_reads;
	struct unwind_object *object;

	if (queue_is_empty(queue))
		return NULL;
	queue_take(queue, &object);
	return object;
}

static void *read_files(void *context)
{
	struct loader *loader = context;

	/* Not as urgent as the listener, more so than those whose stacks wait for the tables. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
	pthread_mutex_lock(&loader->lock);
	while (!loader->is_stopping) {
		struct unwind_object *object = next_read(loader);
		if (!object) {
			pthread_cond_wait(&loader->has_reads, &loader->lock);
			continue;
		}
		loader->busy++;
		read_object(loader, object, false);
		object->is_queued = false;
		loader->busy--;
		pthread_cond_broadcast(&loader->is_idle);
	}
	pthread_mutex_unlock(&loader->lock);
	return NULL;
}

static int start_threads(struct loader *loader, struct why *why)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t readers = cpus < 1 ? 1 : cpus > MAX_READERS ? MAX_READERS : (size_t)cpus;
	struct sched_param low = {.sched_priority = 1};

	for (size_t i = 0; i <= readers; i++) {
		int error = pthread_create(
			&loader->threads[i], NULL, i ? read_files : listen_on, loader);
		if (error)
			return why_set(why, -error, "cannot start a thread: %s", strerror(error));
		loader->thread_count++;
	}
	/* A listener that has to wait for a CPU misses the processes that it listens for. */
	pthread_setschedparam(loader->threads[0], SCHED_FIFO | SCHED_RESET_ON_FORK, &low);
	return 0;
}

/* Each file stays open, so that its symbols can be read when its processes are gone. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int loader_new(const struct loader_options *options, struct loader **ret, struct why *why)
{
	struct loader *loader = xcalloc(1, sizeof(*loader));
	int error = 0;

	raise_file_limit();
	loader->tables = unwind_tables_new(&options->areas);
	loader->objects = unwind_objects_new(loader->tables);
	loader->slices = slices_new(loader->tables, loader->objects);
	loader->collected_ns = clock_monotonic_ns();
	/* One that cannot be had costs time only. */
	if (options->has_cache && unwind_cache_open(UNWIND_CACHE_BYTES, &loader->cache, NULL))
		loader->cache = NULL;
	pthread_mutex_init(&loader->lock, NULL);
	pthread_cond_init(&loader->has_reads, NULL);
	pthread_cond_init(&loader->is_idle, NULL);
	loader->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (options->wants_fd >= 0) {
		loader->wants = ring_buffer__new(options->wants_fd, on_want, loader, NULL);
		if (!loader->wants)
			error = why_set(why, -EIO, "cannot read the ring of wanted tables: %s",
				strerror(errno));
		/* Without them new mappings are noticed by the stacks that miss them. */
		if (!error && map_events_new(true, &loader->events, NULL))
			loader->events = NULL;
	}
	if (!error && loader->wake_fd < 0)
		error = why_set(why, -errno, "cannot make an eventfd: %s", strerror(errno));
	if (!error)
		error = start_threads(loader, why);
	if (error) {
		loader_free(loader);
		return error;
	}
	*ret = loader;
	return 0;
}

void loader_free(struct loader *loader)
{
	if (!loader)
		return;
	pthread_mutex_lock(&loader->lock);
	loader->is_stopping = true;
	pthread_cond_broadcast(&loader->has_reads);
	pthread_mutex_unlock(&loader->lock);
	wake(loader);
	for (size_t i = 0; i < loader->thread_count; i++)
		pthread_join(loader->threads[i], NULL);
	ring_buffer__free(loader->wants);
	map_events_free(loader->events);
	if (loader->wake_fd >= 0)
		close(loader->wake_fd);
	for (size_t i = 0; i < loader->images.room; i++)
		if (loader->images.slots[i].is_used)
			free((void *)(uintptr_t)loader->images.slots[i].value);
	map64_clear(&loader->images);
	map64_clear(&loader->by_pid);
	vec_clear(&loader->scans.list);
	vec_clear(&loader->urgent_scans.list);
	vec_clear(&loader->reads.list);
	vec_clear(&loader->urgent_reads.list);
	vec_clear(&loader->postponed);
	vec_clear(&loader->own_reads);
	slices_free(loader->slices);
	unwind_objects_free(loader->objects);
	unwind_tables_free(loader->tables);
	unwind_cache_free(loader->cache);
	pthread_cond_destroy(&loader->has_reads);
	pthread_cond_destroy(&loader->is_idle);
	pthread_mutex_destroy(&loader->lock);
	free(loader);
}

void loader_warm(struct loader *loader, uint32_t pid)
{
	pthread_mutex_lock(&loader->lock);
	queue_scan(loader, false, 0, pid, 0);
	pthread_mutex_unlock(&loader->lock);
	wake(loader);
}

void loader_warm_all(struct loader *loader)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			loader_warm(loader, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (processes)
		closedir(processes);
}

void loader_know(struct loader *loader, uint32_t image, uint32_t pid, bool now)
{
	pthread_mutex_lock(&loader->lock);
	image_of(loader, image, pid);
	if (now)
		queue_scan(loader, false, image, pid, 0);
	pthread_mutex_unlock(&loader->lock);
	if (now)
		wake(loader);
}

void loader_forget(struct loader *loader, uint32_t number)
{
	pthread_mutex_lock(&loader->lock);
	struct image *image = known_image(loader, number);
	if (image) {
		const uint64_t *current = map64_find(&loader->by_pid, image->pid);
		if (current && *current == number)
			map64_remove(&loader->by_pid, image->pid);
		map64_remove(&loader->images, number);
		free(image);
	}
	slices_forget(loader->slices, number);
	pthread_mutex_unlock(&loader->lock);
}

static bool has_work(const struct loader *loader)
{
	return loader->busy || !queue_is_empty(&loader->scans) ||
	       !queue_is_empty(&loader->urgent_scans) || !queue_is_empty(&loader->reads) ||
	       !queue_is_empty(&loader->urgent_reads);
}

void loader_wait(struct loader *loader, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_ns(CLOCK_REALTIME) + timeout_ns;
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};

	pthread_mutex_lock(&loader->lock);
	while (has_work(loader) && !pthread_cond_timedwait(&loader->is_idle, &loader->lock, &until))
		;
	pthread_mutex_unlock(&loader->lock);
}

int loader_slice(struct loader *loader, uint32_t image, struct unwind_process *ret)
{
	pthread_mutex_lock(&loader->lock);
	int error = slices_place(loader->slices, image, ret);
	pthread_mutex_unlock(&loader->lock);
	return error;
}

int loader_object(struct loader *loader, uint32_t number, struct loader_object *ret)
{
	int error = 0;

	pthread_mutex_lock(&loader->lock);
	struct unwind_object *object = unwind_objects_numbered(loader->objects, number);
	if (object) {
		object->used_ns = clock_monotonic_ns();
		*ret = (struct loader_object){.path = xstrdup(object->path),
			.stamp = object->stamp,
			.path_fd = object->path_fd < 0 ? -1
						       : fcntl(object->path_fd, F_DUPFD_CLOEXEC, 3),
			.pid = object->pid,
			.is_vdso = object->is_vdso};
	} else {
		error = -ENOENT;
	}
	pthread_mutex_unlock(&loader->lock);
	return error;
}

void loader_counts(struct loader *loader, struct loader_counts *ret)
{
	uint32_t used, room;

	pthread_mutex_lock(&loader->lock);
	unwind_tables_fill(loader->tables, &used, &room);
	*ret = loader->counts;
	ret->objects = unwind_objects_count(loader->objects);
	ret->rows = used;
	ret->row_room = room;
	pthread_mutex_unlock(&loader->lock);
}
