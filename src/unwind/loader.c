// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The outside of the loader: starts and ends its threads, takes orders and answers questions. How
 * the threads share the work is told in loader_private.h.
 */
#include "unwind/loader_private.h"

#include <bpf/libbpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/units.h"
#include "util/urgency.h"

static void wake(struct loader *loader)
{
	uint64_t one = 1;

	if (write(loader->wake_fd, &one, sizeof(one)) < 0)
		return; /* it is awake */
}

static int start_threads(struct loader *loader, struct why *why)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t readers = cpus < 1                    ? 1
			 : cpus > LOADER_MAX_READERS ? LOADER_MAX_READERS
						     : (size_t)cpus;
	struct sched_param low = {.sched_priority = 1};

	for (size_t i = 0; i <= readers; i++) {
		int error = pthread_create(
			&loader->threads[i], NULL, i ? loader_read_files : loader_listen, loader);
		if (error)
			return why_set(why, -error, "cannot start a thread: %s", strerror(error));
		loader->thread_count++;
		if (i)
			urgency_share(loader->threads[i]);
	}
	/* A listener that has to wait for a CPU misses the processes that it listens for. */
	pthread_setschedparam(loader->threads[0], SCHED_FIFO | SCHED_RESET_ON_FORK, &low);
	return 0;
}

int loader_new(const struct loader_options *options, struct loader **ret, struct why *why)
{
	struct loader *loader = xcalloc(1, sizeof(*loader));
	int error = 0;

	loader->on_news = options->on_news;
	loader->news_context = options->news_context;
	loader->tables = unwind_tables_new(&options->areas);
	loader->outside = options->outside;
	loader->objects = unwind_objects_new(loader->tables, loader->outside);
	loader->maps = image_maps_new(loader->tables, loader->objects);
	loader->collected_ns = clock_monotonic_ns();
	/* One that cannot be had costs time only. */
	if (options->has_cache && unwind_cache_open(UNWIND_CACHE_BYTES, &loader->cache, NULL))
		loader->cache = NULL;
	pthread_mutex_init(&loader->lock, NULL);
	pthread_cond_init(&loader->has_reads, NULL);
	pthread_cond_init(&loader->is_idle, NULL);
	loader->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (options->wants_fd >= 0) {
		loader->wants = ring_buffer__new(options->wants_fd, loader_on_want, loader, NULL);
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
	loader_drop_early(loader, 0);
	vec_clear(&loader->scans.list);
	vec_clear(&loader->urgent_scans.list);
	vec_clear(&loader->reads.list);
	vec_clear(&loader->urgent_reads.list);
	vec_clear(&loader->postponed);
	vec_clear(&loader->later);
	vec_clear(&loader->own_reads);
	image_maps_free(loader->maps);
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
	loader_queue_scan(loader, false, 0, pid, 0);
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

void loader_set_started(struct loader *loader)
{
	pthread_mutex_lock(&loader->lock);
	loader->is_started = true;
	pthread_mutex_unlock(&loader->lock);
}

void loader_know(struct loader *loader, uint32_t image, uint32_t pid, bool now)
{
	pthread_mutex_lock(&loader->lock);
	loader_image_of(loader, image, pid);
	if (now)
		loader_queue_scan(loader, false, image, pid, 0);
	pthread_mutex_unlock(&loader->lock);
	if (now)
		wake(loader);
}

void loader_forget(struct loader *loader, uint32_t number)
{
	pthread_mutex_lock(&loader->lock);
	struct loader_image *image = loader_known_image(loader, number);
	if (image) {
		const uint64_t *current = map64_find(&loader->by_pid, image->pid);
		if (current && *current == number)
			map64_remove(&loader->by_pid, image->pid);
		map64_remove(&loader->images, number);
		free(image);
	}
	image_maps_forget(loader->maps, number);
	pthread_mutex_unlock(&loader->lock);
}

void loader_progress(struct loader *loader, size_t *ret_read, size_t *ret_all)
{
	pthread_mutex_lock(&loader->lock);
	*ret_all = unwind_objects_count(loader->objects);
	*ret_read = *ret_all - unwind_objects_unread(loader->objects);
	pthread_mutex_unlock(&loader->lock);
}

bool loader_wait(struct loader *loader, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_ns(CLOCK_REALTIME) + timeout_ns;
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};

	pthread_mutex_lock(&loader->lock);
	while (loader_has_work(loader) &&
		!pthread_cond_timedwait(&loader->is_idle, &loader->lock, &until))
		;
	bool is_done = !loader_has_work(loader);
	pthread_mutex_unlock(&loader->lock);
	return is_done;
}

int loader_place(struct loader *loader, uint32_t image, struct unwind_process *ret)
{
	pthread_mutex_lock(&loader->lock);
	int error = image_maps_place(loader->maps, image, ret);
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
			.path_fd = unwind_object_open(loader->objects, object),
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
