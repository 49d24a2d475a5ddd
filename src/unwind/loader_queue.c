// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the loader has to do: the images that it knows, the processes to look at and the files to
 * read, each in two queues, of which the urgent one goes first. Nothing is in a queue twice.
 */
#include "unwind/loader_private.h"

#define queue_is_empty(queue) ((queue)->head == (queue)->list.count)
#define queue_push(queue, item) vec_push(&(queue)->list, item)
/* The queue must not be empty. */
#define queue_take(queue, ret)                                                                     \
	do {                                                                                       \
		*(ret) = (queue)->list.at[(queue)->head++];                                        \
		if (queue_is_empty(queue))                                                         \
			(queue)->head = (queue)->list.count = 0;                                   \
	} while (0)

struct loader_image *loader_image_of(struct loader *loader, uint32_t number, uint32_t pid)
{
	bool is_new;
	uint64_t *slot = map64_put(&loader->images, number, &is_new);

	if (is_new) {
		struct loader_image *image = xcalloc(1, sizeof(*image));
		image->pid = pid;
		*slot = (uintptr_t)image;
		/* Serials grow: what is told late must not hide what came after it. */
		uint64_t *current = map64_put(&loader->by_pid, pid, NULL);
		if (*current < number)
			*current = number;
	}
	return (struct loader_image *)(uintptr_t)*slot;
}

struct loader_image *loader_known_image(const struct loader *loader, uint32_t number)
{
	const uint64_t *slot = map64_find(&loader->images, number);

	return slot ? (struct loader_image *)(uintptr_t)*slot : NULL;
}

void loader_queue_scan(
	struct loader *loader, bool is_urgent, uint32_t number, uint32_t pid, uint64_t pc)
{
	scan_queue *queue = is_urgent ? &loader->urgent_scans : &loader->scans;
	struct loader_scan scan = {.image = number, .pid = pid, .is_urgent = is_urgent, .pc = pc};

	if (number) {
		struct loader_image *image = loader_image_of(loader, number, pid);
		if (image->is_queued)
			return;
		image->is_queued = true;
	}
	queue_push(queue, scan);
}

void loader_queue_read(struct loader *loader, struct unwind_object *object, bool is_urgent)
{
	object_queue *queue = is_urgent ? &loader->urgent_reads : &loader->reads;

	if (object->is_queued)
		return;
	object->is_queued = true;
	queue_push(queue, object);
	pthread_cond_signal(&loader->has_reads);
}

bool loader_next_scan(struct loader *loader, struct loader_scan *ret)
{
	scan_queue *queue =
		queue_is_empty(&loader->urgent_scans) ? &loader->scans : &loader->urgent_scans;
	struct loader_image *image;

	if (queue_is_empty(queue))
		return false;
	queue_take(queue, ret);
	image = loader_known_image(loader, ret->image);
	if (image)
		image->is_queued = false;
	return true;
}

struct unwind_object *loader_next_read(struct loader *loader)
{
	object_queue *queue =
		queue_is_empty(&loader->urgent_reads) ? &loader->reads : &loader->urgent_reads;
	struct unwind_object *object;

	if (queue_is_empty(queue))
		return NULL;
	queue_take(queue, &object);
	return object;
}

bool loader_has_work(const struct loader *loader)
{
	return loader->busy || !queue_is_empty(&loader->scans) ||
	       !queue_is_empty(&loader->urgent_scans) || !queue_is_empty(&loader->reads) ||
	       !queue_is_empty(&loader->urgent_reads);
}

void loader_done(struct loader *loader)
{
	loader->busy--;
	pthread_cond_broadcast(&loader->is_idle);
	loader_tell_news(loader);
}

void loader_tell_news(struct loader *loader)
{
	if (!loader->has_news)
		return;
	loader->has_news = false;
	if (loader->on_news)
		loader->on_news(loader->news_context);
}

static void free_early(uint64_t value)
{
	struct early_look *look = (struct early_look *)(uintptr_t)value;

	vec_clear(&look->mappings);
	map_lines_clear(&look->lines);
	free(look);
}

void loader_drop_early(struct loader *loader, uint32_t pid)
{
	const uint64_t *slot = pid ? map64_find(&loader->early, pid) : NULL;

	if (slot) {
		free_early(*slot);
		map64_remove(&loader->early, pid);
	}
	if (pid)
		return;
	for (size_t i = 0; i < loader->early.room; i++)
		if (loader->early.slots[i].is_used)
			free_early(loader->early.slots[i].value);
	map64_clear(&loader->early);
}
