// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The mappings of a process become the map of its image: all of them, as /proc/PID/maps shows
 * them, or one more, as the kernel tells of it. An image that is large or was looked at in vain has
 * to wait for its next look.
 */
#include "unwind/loader_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "unwind/mapping_choice.h"
#include "symbol/outside/errand.h"
#include "symbol/outside/outside.h"
#include "util/clock.h"
#include "util/units.h"

/* An image that asks in vain waits twice as long each time, up to so many times. */
#define MAX_PAUSE_DOUBLINGS 8
/* Looks and maps that are this large make an image wait, for so many times what they cost. */
#define LONG_LOOK_NS (5 * NS_PER_MS)
#define MANY_MAPPINGS 256
#define MAPPING_COST_NS 1000
#define PAUSE_TIMES 20
/* Maps that one image has left and that still rest take this part of the room for mappings. */
#define PARTS_OF_ROOM 4

static int read_maps(struct loader *loader, uint32_t pid, uint32_t tid, struct map_lines *ret)
{
	_cleanup_fclose_ FILE *in = NULL;
	size_t all = 0;
	int error = errand_maps(loader->outside->errands, pid, tid, &in);

	if (!error)
		error = map_lines_read(in, ret, &all);
	return error ? error : all ? 0 : -ESRCH;
}

/* The mappings of a process whose first thread may have ended are those of any other thread. */
static int read_any_maps(struct loader *loader, uint32_t pid, struct map_lines *ret)
{
	int error = read_maps(loader, pid, pid, ret);
	char path[64];

	if (error != -ESRCH)
		return error;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *tasks = opendir(path);
	struct dirent *entry;
	while (tasks && error && (entry = readdir(tasks)))
		if (isdigit((unsigned char)entry->d_name[0]))
			error = read_maps(
				loader, pid, (uint32_t)strtoul(entry->d_name, NULL, 10), ret);
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
		loader_queue_read(loader, object, false);
	}
}

/*
 * How long a map that large has to last. A new one costs time, and the room of the one before is
 * free only after its rest: an image that maps all the time would leave the others none.
 */
static uint64_t pause_of(const struct loader *loader, size_t mappings)
{
	uint64_t room = unwind_tables_areas(loader->tables)->vma_room;
	uint64_t for_time = mappings * MAPPING_COST_NS * PAUSE_TIMES;
	uint64_t for_room = mappings * EXTENTS_REST_NS / (room / PARTS_OF_ROOM + 1);

	return mappings <= MANY_MAPPINGS ? 0 : for_time > for_room ? for_time : for_room;
}

static int put_mappings(struct loader *loader, uint32_t number, const mapping_list *mappings)
{
	struct loader_image *image = loader_known_image(loader, number);
	int error = image_maps_put(loader->maps, number, mappings);

	if (error)
		loader->counts.without_room++;
	else
		loader->has_news = true;
	if (image)
		image->not_before_ns = clock_monotonic_ns() + pause_of(loader, mappings->count);
	return error;
}

/* Takes the mappings and the lines. */
static void keep_early(
	struct loader *loader, uint32_t pid, mapping_list *mappings, struct map_lines *lines)
{
	if (!loader->events)
		return;
	loader_drop_early(loader, pid);
	struct early_look *kept = xcalloc(1, sizeof(*kept));
	kept->mappings = *mappings;
	kept->lines = *lines;
	memset(mappings, 0, sizeof(*mappings));
	memset(lines, 0, sizeof(*lines));
	*map64_put(&loader->early, pid, NULL) = (uintptr_t)kept;
}

static struct early_look *early_of(const struct loader *loader, uint32_t pid)
{
	const uint64_t *slot = map64_find(&loader->early, pid);

	return slot ? (struct early_look *)(uintptr_t)*slot : NULL;
}

bool loader_take_lines(
	struct loader *loader, uint32_t pid, uint64_t start_stack, struct map_lines *ret)
{
	bool is_taken = false;

	pthread_mutex_lock(&loader->lock);
	struct early_look *look = early_of(loader, pid);
	if (look && start_stack >= look->lines.stack_start && start_stack < look->lines.stack_end) {
		*ret = look->lines;
		memset(&look->lines, 0, sizeof(look->lines));
		is_taken = true;
	}
	pthread_mutex_unlock(&loader->lock);
	return is_taken;
}

/* Was the process looked at before, and has nothing changed? Then that look will do. */
static bool use_early(struct loader *loader, const struct loader_scan *scan)
{
	const struct early_look *look = early_of(loader, scan->pid);

	if (!look || !scan->image || scan->pc)
		return false;
	int error = put_mappings(loader, scan->image, &look->mappings);
	loader_drop_early(loader, scan->pid);
	return !error;
}

/* How code is walked that the process generates: by who is there to generate it. */
static void find_maker(struct loader *loader, const struct loader_scan *scan,
	const struct map_lines *lines, struct mapping *ret)
{
	vec_each (line, &lines->lines) {
		const char *slash = strrchr(line->path, '/');
		const char *name = slash ? slash + 1 : "";
		if (!strncmp(name, "python3", 7) || !strncmp(name, "libpython3", 10))
			ret->plain_kind = UNWIND_VMA_PYTHON;
		if (strcmp(name, "libjvm.so"))
			continue;
		ret->maker = unwind_objects_get(loader->objects, scan->pid, line);
		ret->maker_start = line->start;
		ret->maker_offset = line->offset;
		return;
	}
}

/* Code without a file is generated, or the kernel's: [uprobes], [uprobes-trampoline]. */
static struct mapping plain_mapping(const struct map_line *line, const struct mapping *generated)
{
	struct mapping mapping = {.plain_kind = UNWIND_VMA_PROBE};

	if (strncmp(line->path, "[uprobes", 8))
		mapping = *generated;
	mapping.start = line->start;
	mapping.end = line->end;
	return mapping;
}

static int take_lines(
	struct loader *loader, const struct loader_scan *scan, struct map_lines *lines)
{
	struct mapping generated = {0};
	mapping_list mappings = {0};
	int error = 0;
	_cleanup_free_ bool *is_kept = mapping_choice(lines, UNWIND_MAX_VMAS);

	find_maker(loader, scan, lines, &generated);
	for (size_t i = 0; i < lines->lines.count; i++) {
		const struct map_line *line = &lines->lines.at[i];
		struct mapping mapping = {
			.start = line->start, .end = line->end, .offset = line->offset};
		if (!is_kept[i] || !strcmp(line->path, "[vsyscall]"))
			continue;
		mapping.object = unwind_objects_get(loader->objects, scan->pid, line);
		if (mapping.object)
			use_object(loader, mapping.object, scan->is_urgent);
		else
			mapping = plain_mapping(line, &generated);
		vec_push(&mappings, mapping);
	}
	if (scan->image)
		error = put_mappings(loader, scan->image, &mappings);
	else
		keep_early(loader, scan->pid, &mappings, lines);
	vec_clear(&mappings);
	return error;
}

/* Was a process looked at in vain? Then it has to wait longer for the next time. */
static void note_look(struct loader *loader, const struct loader_scan *scan, int error)
{
	struct loader_image *image = loader_known_image(loader, scan->image);

	if (!image)
		return;
	image->looked_ns = clock_monotonic_ns();
	const struct mapping *found = image_maps_find(loader->maps, scan->image, scan->pc);
	struct unwind_object *object = found ? unwind_object_itself(found->object) : NULL;
	bool is_evicted = scan->pc && object && object->state == UNWIND_OBJECT_EVICTED;
	bool is_lost = is_evicted && object->path_fd < 0;
	if (!error && (!scan->pc || found) && !is_lost)
		image->vain = 0;
	else if (image->vain < LOADER_FREE_LOOKS + MAX_PAUSE_DOUBLINGS)
		image->vain++;
	/* The stack that asked was in a file whose table had to make room. */
	if (is_evicted && !is_lost) {
		object->state = UNWIND_OBJECT_PENDING;
		loader_queue_read(loader, object, true);
	}
}

void loader_look(struct loader *loader, const struct loader_scan *scan)
{
	struct map_lines lines = {0};
	uint64_t begun = clock_monotonic_ns();

	pthread_mutex_lock(&loader->lock);
	bool is_known = use_early(loader, scan);
	pthread_mutex_unlock(&loader->lock);
	if (is_known)
		return;
	int error = read_any_maps(loader, scan->pid, &lines);

	pthread_mutex_lock(&loader->lock);
	loader->counts.scans++;
	if (!error)
		error = take_lines(loader, scan, &lines);
	loader_read_own_files(loader);
	note_look(loader, scan, error);
	uint64_t now = clock_monotonic_ns();
	struct loader_image *image = loader_known_image(loader, scan->image);
	uint64_t pause_ns = now - begun > LONG_LOOK_NS ? PAUSE_TIMES * (now - begun) : 0;
	if (image && image->not_before_ns < now + pause_ns)
		image->not_before_ns = now + pause_ns;
	pthread_mutex_unlock(&loader->lock);
	map_lines_clear(&lines);
}

/* Puts a mapping in its place among the others; what was there is gone. */
static void insert_mapping(
	mapping_list *mappings, const mapping_list *known, const struct mapping *added)
{
	bool is_in = false;

	vec_each (mapping, known) {
		struct mapping left = *mapping, right = *mapping;

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

/* A file that is known by its inode needs no look at the process. */
bool loader_take_event(struct loader *loader, uint32_t number, const struct map_event *event)
{
	const mapping_list *known = image_maps_of(loader->maps, number);
	struct mapping added = {.start = event->start, .end = event->end, .offset = event->offset};
	mapping_list mappings = {0};

	const struct map_line line = {.inode = event->inode,
		.dev_major = event->dev_major,
		.dev_minor = event->dev_minor,
		.path = (char *)event->path};

	/* The new one may cut one in two. */
	if (!known || !event->inode || known->count + 2 > UNWIND_MAX_VMAS)
		return false;
	added.object = unwind_objects_held(loader->objects, &line);
	if (!added.object || added.object->state != UNWIND_OBJECT_READY)
		return false;
	added.object->used_ns = clock_monotonic_ns();
	insert_mapping(&mappings, known, &added);
	int error = put_mappings(loader, number, &mappings);
	vec_clear(&mappings);
	loader->counts.inserts++;
	return !error;
}
