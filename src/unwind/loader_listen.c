// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The listener: a thread that waits for what stacks ask for, for the kernel's records of new
 * mappings and for the loader's callers, and does one look at a process after the other.
 */
#include "unwind/loader_private.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "host/rights.h"
#include "util/clock.h"
#include "util/units.h"

#define TICK_MS 500
#define LATER_TICK_MS 5
#define COLLECT_EVERY_NS (5 * NS_PER_S)
/* An image that asks in vain is looked at less and less often. */
#define FIRST_PAUSE_NS (5 * NS_PER_MS)

/* When an image may be looked at again. */
static uint64_t due_ns(const struct loader_image *image)
{
	uint64_t pause = image->vain > LOADER_FREE_LOOKS
				 ? FIRST_PAUSE_NS << (image->vain - LOADER_FREE_LOOKS)
				 : 0;
	uint64_t due = image->looked_ns + pause;

	return due > image->not_before_ns ? due : image->not_before_ns;
}

/* A thread that sleeps on a stack without tables asks once: the look must not be forgotten. */
static void look_later(
	struct loader *loader, uint32_t number, struct loader_image *image, uint64_t pc)
{
	image->later_pc = pc;
	if (image->is_later)
		return;
	image->is_later = true;
	vec_push(&loader->later, number);
}

int loader_on_want(void *context, void *data, size_t length)
{
	struct loader *loader = context;
	struct unwind_want want;

	if (length < sizeof(want))
		return 0;
	memcpy(&want, data, sizeof(want));
	pthread_mutex_lock(&loader->lock);
	struct loader_image *image = loader_image_of(loader, want.image, want.pid);
	if (clock_monotonic_ns() >= due_ns(image))
		loader_queue_scan(loader, true, want.image, want.pid, want.pc);
	else
		look_later(loader, want.image, image, want.pc);
	pthread_mutex_unlock(&loader->lock);
	return 0;
}

static void take_mapping(struct loader *loader, const struct map_event *event)
{
	const uint64_t *number = map64_find(&loader->by_pid, event->pid);
	struct loader_image *image = number ? loader_known_image(loader, (uint32_t)*number) : NULL;

	if (image && clock_monotonic_ns() < image->not_before_ns)
		look_later(loader, (uint32_t)*number, image, 0);
	else if (image && !loader_take_event(loader, (uint32_t)*number, event))
		loader_queue_scan(loader, true, (uint32_t)*number, event->pid, 0);
}

static void on_map_record(void *context, const void *record, size_t length)
{
	struct loader *loader = context;
	struct map_event event;

	if (!map_event_parse(record, length, &event))
		return;
	pthread_mutex_lock(&loader->lock);
	loader_drop_early(loader, event.pid);
	if (event.kind == MAP_EVENT_MAP)
		take_mapping(loader, &event);
	pthread_mutex_unlock(&loader->lock);
}

static void read_map_records(struct loader *loader)
{
	if (!loader->events)
		return;
	map_events_read(loader->events, on_map_record, loader);
	pthread_mutex_lock(&loader->lock);
	if (map_events_lost(loader->events) != loader->records_lost)
		loader_drop_early(loader, 0);
	loader->records_lost = map_events_lost(loader->events);
	pthread_mutex_unlock(&loader->lock);
}

static void queue_due(struct loader *loader, uint64_t now)
{
	size_t kept = 0;

	vec_each (number, &loader->later) {
		struct loader_image *image = loader_known_image(loader, *number);
		if (image && now < due_ns(image)) {
			loader->later.at[kept++] = *number;
		} else if (image) {
			image->is_later = false;
			loader_queue_scan(loader, true, *number, image->pid, image->later_pc);
		}
	}
	loader->later.count = kept;
}

/* Now and then: images whose pause is over, maps that nobody refers to, tables that were waiting
 * for room. */
static void tidy(struct loader *loader)
{
	uint64_t now = clock_monotonic_ns();

	pthread_mutex_lock(&loader->lock);
	queue_due(loader, now);
	if (loader->is_started && loader->early.count)
		loader_drop_early(loader, 0);
	if (now - loader->collected_ns > COLLECT_EVERY_NS) {
		loader->collected_ns = now;
		image_maps_collect(loader->maps);
	}
	if (loader->postponed.count && now - loader->postponed_ns > EXTENTS_REST_NS) {
		vec_each (object, &loader->postponed) {
			(*object)->is_queued = false;
			loader_queue_read(loader, *object, false);
		}
		loader->postponed.count = 0;
	}
	pthread_mutex_unlock(&loader->lock);
}

static bool do_scans(struct loader *loader)
{
	struct loader_scan scan;

	for (;;) {
		/* What comes in meanwhile may be more urgent than what is queued. */
		if (loader->wants)
			ring_buffer__consume(loader->wants);
		/* Ours alone while we run: nobody else fills it. */
		if (loader->early.count)
			read_map_records(loader);
		pthread_mutex_lock(&loader->lock);
		bool is_stopping = loader->is_stopping, has_one = loader_next_scan(loader, &scan);
		loader->busy += has_one;
		/* Some mappings needed no look: they are news, too. */
		loader_tell_news(loader);
		pthread_mutex_unlock(&loader->lock);
		if (is_stopping || !has_one)
			return !is_stopping;
		loader_look(loader, &scan);
		pthread_mutex_lock(&loader->lock);
		loader_done(loader);
		pthread_mutex_unlock(&loader->lock);
	}
}

void *loader_listen(void *context)
{
	struct loader *loader = context;
	VEC(struct pollfd) fds = {0};
	struct pollfd wake_fd = {.fd = loader->wake_fd, .events = POLLIN};
	uint64_t times;

	rights_settle();
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
		/* Only this thread puts images there. */
		int wait_ms = loader->later.count ? LATER_TICK_MS : TICK_MS;
		if (poll(fds.at, fds.count, wait_ms) < 0 && errno != EINTR)
			break;
		if (read(loader->wake_fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
			break;
		if (loader->wants)
			ring_buffer__consume(loader->wants);
		read_map_records(loader);
		tidy(loader);
	}
	vec_clear(&fds);
	return NULL;
}
