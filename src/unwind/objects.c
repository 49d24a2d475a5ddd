// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of objects: by file, and by build-id for copies. Number 0 is nobody's. */
#include "unwind/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/outside/errand.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "unwind/unwind_cache.h"
#include "symbol/vdso.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/map64.h"
#include "util/open_files.h"

/* More than this are not worth what they pin; of the files we may open, others need some too. */
#define MAX_OPEN_FILES 8192
#define PARTS_OF_FILES 4

struct unwind_objects {
	struct outside *outside;
	struct unwind_tables *tables;
	size_t open_files;
	size_t max_open_files;
	VEC(struct unwind_object *) all; /* by number */
	struct map64 by_file;
	struct map64 by_inode; /* -> the last one that we held a file of */
	struct map64 by_build; /* settled ones */
	struct unwind_object *vdso;
};

struct unwind_objects *unwind_objects_new(struct unwind_tables *tables, struct outside *outside)
{
	struct unwind_objects *objects = xcalloc(1, sizeof(*objects));

	objects->outside = outside;
	objects->tables = tables;
	objects->max_open_files = open_files_share(MAX_OPEN_FILES, PARTS_OF_FILES);
	vec_push(&objects->all, NULL);
	return objects;
}

void unwind_objects_free(struct unwind_objects *objects)
{
	if (!objects)
		return;
	vec_each (slot, &objects->all) {
		struct unwind_object *object = *slot;
		if (!object)
			continue;
		if (object->path_fd >= 0)
			close(object->path_fd);
		vec_clear(&object->segments);
		free(object->path);
		free(object->build_id);
		free(object);
	}
	vec_clear(&objects->all);
	map64_clear(&objects->by_file);
	map64_clear(&objects->by_inode);
	map64_clear(&objects->by_build);
	free(objects);
}

static struct unwind_object *add(struct unwind_objects *objects, const char *path)
{
	struct unwind_object *object = xcalloc(1, sizeof(*object));

	object->number = (uint32_t)objects->all.count;
	object->path = xstrdup(path);
	object->build_id = xstrdup("");
	object->path_fd = -1;
	/* More files than frames can number. */
	if (object->number > UNWIND_MAX_OBJECT)
		object->state = UNWIND_OBJECT_UNUSABLE;
	vec_push(&objects->all, object);
	return object;
}

struct unwind_object *unwind_object_itself(struct unwind_object *object)
{
	return object && object->state == UNWIND_OBJECT_TWIN ? object->twin : object;
}

static void close_file(struct unwind_objects *objects, struct unwind_object *object)
{
	if (object->path_fd < 0)
		return;
	close(object->path_fd);
	object->path_fd = -1;
	objects->open_files--;
}

/* Closes the longest unused ones of those that are not to be read. */
static void close_surplus(struct unwind_objects *objects)
{
	while (objects->open_files > objects->max_open_files) {
		struct unwind_object *oldest = NULL;
		for (size_t i = 1; i < objects->all.count; i++) {
			struct unwind_object *object = objects->all.at[i];
			if (object->path_fd < 0 || object->is_queued ||
				object->state == UNWIND_OBJECT_PENDING)
				continue;
			if (!oldest || object->used_ns < oldest->used_ns)
				oldest = object;
		}
		if (!oldest)
			return;
		close_file(objects, oldest);
	}
}

/* Takes the file, unless as many are held that must not be closed: then it has to be found again.
 */
static void keep_file(struct unwind_objects *objects, struct unwind_object *object, int *fd)
{
	if (*fd < 0)
		return;
	object->path_fd = *fd;
	*fd = -1;
	object->used_ns = clock_monotonic_ns();
	objects->open_files++;
	close_surplus(objects);
	if (objects->open_files > objects->max_open_files)
		close_file(objects, object);
}

/* May somebody still want to read its table or its symbols? */
static bool needs_file(const struct unwind_object *object)
{
	return object->state == UNWIND_OBJECT_READY || object->state == UNWIND_OBJECT_FRAMEPTR ||
	       object->state == UNWIND_OBJECT_EVICTED;
}

static uint64_t inode_key(const struct map_line *line)
{
	return hash_add((uint64_t)line->dev_major << 32 | line->dev_minor, line->inode);
}

/* Most processes map the same few files: those need not be found again for each of them. */
struct unwind_object *unwind_objects_held(
	const struct unwind_objects *objects, const struct map_line *line)
{
	const uint64_t *slot = map64_find(&objects->by_inode, inode_key(line));
	struct unwind_object *object = slot ? (struct unwind_object *)(uintptr_t)*slot : NULL;

	return object && locate_holds(object->path_fd, &object->stamp, line) ? object : NULL;
}

static uint64_t file_key(const struct map_line *line, const struct file_stamp *stamp)
{
	uint64_t key = inode_key(line);

	/* Memory is written to all the time. */
	if (map_line_is_memory(line))
		return hash_text(key, line->path);
	return hash_add(hash_add(key, stamp->bytes), stamp->mtime_ns);
}

struct unwind_object *unwind_objects_get(
	struct unwind_objects *objects, uint32_t pid, const struct map_line *line)
{
	struct file_stamp stamp = {0};
	bool is_new;

	if (!strcmp(line->path, "[vdso]") && line->start > UINT32_MAX) {
		if (!objects->vdso) {
			objects->vdso = add(objects, "[vdso]");
			objects->vdso->is_vdso = true;
		}
		return objects->vdso;
	}
	if (!line->inode || line->path[0] != '/')
		return NULL;
	struct unwind_object *held = unwind_objects_held(objects, line);
	if (held)
		return held;
	_cleanup_close_ int fd = errand_mapped_file(objects->outside->errands, pid, line, &stamp);
	uint64_t *slot = map64_put(&objects->by_file, file_key(line, &stamp), &is_new);
	if (!is_new) {
		struct unwind_object *known = (struct unwind_object *)(uintptr_t)*slot;
		if (known->path_fd < 0 && needs_file(known))
			keep_file(objects, known, &fd);
		*map64_put(&objects->by_inode, inode_key(line), NULL) = (uintptr_t)known;
		return unwind_object_itself(known);
	}
	struct unwind_object *object = add(objects, line->path);
	*slot = (uintptr_t)object;
	object->stamp = stamp;
	object->pid = pid;
	object->line = *line;
	object->line.path = object->path;
	if (fd < 0)
		object->state = UNWIND_OBJECT_UNOPENED;
	if (object->state == UNWIND_OBJECT_PENDING)
		keep_file(objects, object, &fd);
	*map64_put(&objects->by_inode, inode_key(line), NULL) = (uintptr_t)object;
	return object;
}

/* As the process shows it, or where we see it ourselves: anything else may be there by now. */
int unwind_object_open(const struct unwind_objects *objects, const struct unwind_object *object)
{
	struct errands *errands = objects->outside->errands;
	struct file_stamp stamp = {0};
	int fd;

	if (object->path_fd >= 0)
		return fcntl(object->path_fd, F_DUPFD_CLOEXEC, 3);
	if (object->is_vdso)
		return -1;
	fd = errand_told_file(errands, object->pid, &object->line, &stamp);
	if (fd >= 0 && stamp.bytes == object->stamp.bytes &&
		stamp.mtime_ns == object->stamp.mtime_ns)
		return fd;
	if (fd >= 0)
		close(fd);
	fd = object->line.is_deleted ? -1 : errand_file(errands, LOCATE_OWN_ROOT, object->path);
	if (fd < 0 || locate_holds(fd, &object->stamp, &object->line))
		return fd;
	close(fd);
	return -1;
}

static uint64_t build_key(const char *build_id, uid_t owner)
{
	return hash_text(owner, build_id);
}

static struct unwind_object *find_built(
	const struct unwind_objects *objects, const char *build_id, uid_t owner)
{
	const uint64_t *slot = map64_find(&objects->by_build, build_key(build_id, owner));

	return slot ? (struct unwind_object *)(uintptr_t)*slot : NULL;
}

struct unwind_object *unwind_objects_numbered(const struct unwind_objects *objects, uint32_t number)
{
	return number && number < objects->all.count ? objects->all.at[number] : NULL;
}

size_t unwind_objects_count(const struct unwind_objects *objects)
{
	return objects->all.count - 1;
}

size_t unwind_objects_unread(const struct unwind_objects *objects)
{
	size_t unread = 0;

	for (size_t i = 1; i < objects->all.count; i++)
		unread += objects->all.at[i]->state == UNWIND_OBJECT_PENDING;
	return unread;
}

static void close_elf(struct elf_file **file)
{
	elf_file_free(*file);
}

/* A table that is quickly made is not worth a file. */
#define ROWS_TO_CACHE 4096

/* fd: -1 for the vdso, which is `file`. */
static int read_table(struct unwind_reading *reading, struct helpers *parsers, int fd,
	const struct elf_file *file, struct unwind_cache *cache, bool is_quick)
{
	bool may_cache = cache && reading->build_id[0];

	if (may_cache &&
		!unwind_cache_load(cache, reading->build_id, reading->owner, &reading->table))
		return 0;
	if (is_quick)
		return -EAGAIN;
	int error = file ? cfi_table_read(file, &reading->table, NULL)
			 : parser_table(parsers, fd, &reading->table);
	if (!error && may_cache && reading->table.row_count >= ROWS_TO_CACHE)
		unwind_cache_store(cache, reading->build_id, reading->owner, &reading->table);
	return error;
}

static int read_facts(struct unwind_reading *reading, struct outside *outside, uint32_t pid,
	int path_fd, int *ret_fd, struct elf_facts *ret)
{
	struct statx status;
	int fd = errand_open(outside->errands, pid, path_fd, LOCATE_FOR_TABLES);

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID, &status))
		return -EACCES;
	*ret_fd = fd;
	reading->owner = status.stx_uid;
	return parser_facts(outside->parsers, fd, ret);
}

void unwind_reading_make(struct unwind_reading *ret, struct outside *outside, uint32_t pid,
	int path_fd, bool is_vdso, struct unwind_cache *cache, bool is_quick)
{
	_cleanup_close_ int fd = -1;
	_cleanup_(close_elf) struct elf_file *file = NULL;
	struct elf_facts facts;

	memset(ret, 0, sizeof(*ret));
	ret->build_id = xstrdup("");
	if (is_vdso)
		ret->error = vdso_open(&file);
	else
		ret->error = read_facts(ret, outside, pid, path_fd, &fd, &facts);
	if (ret->error)
		return;
	if (is_vdso)
		elf_facts_take(file, &facts);
	free(ret->build_id);
	ret->build_id = xstrdup(facts.build_id);
	ret->java_flag = facts.java_flag;
	vec_append(&ret->segments, facts.segments, facts.segment_count);
	ret->error = read_table(ret, outside->parsers, fd, file, cache, is_quick);
}

void unwind_reading_clear(struct unwind_reading *reading)
{
	free(reading->build_id);
	vec_clear(&reading->segments);
	cfi_table_clear(&reading->table);
}

/* Build-ids can be forged: only files of the same shape are taken for the same. */
static bool is_same(const struct unwind_object *object, const struct unwind_reading *reading)
{
	return object->segments.count == reading->segments.count &&
	       (!object->segments.count ||
		       !memcmp(object->segments.at, reading->segments.at,
			       object->segments.count * sizeof(*object->segments.at)));
}

static void take_facts(struct unwind_object *object, const struct unwind_reading *reading)
{
	free(object->build_id);
	object->build_id = xstrdup(reading->build_id);
	object->java_flag = reading->java_flag;
	object->segments.count = 0;
	vec_append(&object->segments, reading->segments.at, reading->segments.count);
}

static enum unwind_object_state state_of_error(int error)
{
	if (error == -ENOENT)
		return UNWIND_OBJECT_FRAMEPTR;
	if (error == -EACCES)
		return UNWIND_OBJECT_UNOPENED;
	return error == -ENOEXEC ? UNWIND_OBJECT_PLAIN : UNWIND_OBJECT_UNUSABLE;
}

int unwind_objects_settle(struct unwind_objects *objects, struct unwind_object *object,
	const struct unwind_reading *reading)
{
	struct unwind_object *twin =
		reading->build_id[0] ? find_built(objects, reading->build_id, reading->owner)
				     : NULL;

	if (twin && twin != object && is_same(twin, reading)) {
		object->state = UNWIND_OBJECT_TWIN;
		object->twin = twin;
		close_file(objects, object);
		return 0;
	}
	if (reading->error) {
		object->state = state_of_error(reading->error);
	} else {
		int error = unwind_tables_add(objects->tables, &reading->table, &object->place);
		if (error)
			return error;
		object->state = UNWIND_OBJECT_READY;
	}
	take_facts(object, reading);
	object->used_ns = clock_monotonic_ns();
	if (!needs_file(object))
		close_file(objects, object);
	close_surplus(objects);
	if (reading->build_id[0] && !twin)
		*map64_put(&objects->by_build, build_key(reading->build_id, reading->owner), NULL) =
			(uintptr_t)object;
	return 0;
}

void unwind_objects_evict(struct unwind_objects *objects, struct unwind_object *object)
{
	unwind_tables_drop(objects->tables, &object->place);
	object->state = UNWIND_OBJECT_EVICTED;
}

void unwind_objects_clear_live(struct unwind_objects *objects)
{
	for (size_t i = 1; i < objects->all.count; i++)
		objects->all.at[i]->is_live = false;
}

struct unwind_object *unwind_objects_oldest(struct unwind_objects *objects)
{
	struct unwind_object *oldest = NULL;

	for (size_t i = 1; i < objects->all.count; i++) {
		struct unwind_object *object = objects->all.at[i];
		if (object->state != UNWIND_OBJECT_READY || object->is_vdso)
			continue;
		if (!oldest || object->is_live < oldest->is_live ||
			(object->is_live == oldest->is_live && object->used_ns < oldest->used_ns))
			oldest = object;
	}
	return oldest;
}

static enum unwind_vma_kind kind_of(const struct unwind_object *object)
{
	switch (object->state) {
	case UNWIND_OBJECT_READY:
		return UNWIND_VMA_TABLE;
	case UNWIND_OBJECT_FRAMEPTR:
		return UNWIND_VMA_FRAMEPTR;
	case UNWIND_OBJECT_PLAIN:
		return UNWIND_VMA_ANON;
	case UNWIND_OBJECT_EVICTED:
		return UNWIND_VMA_EVICTED;
	case UNWIND_OBJECT_NO_ROOM:
		return UNWIND_VMA_NOROOM;
	case UNWIND_OBJECT_UNOPENED:
		return UNWIND_VMA_UNOPENED;
	case UNWIND_OBJECT_PENDING:
		/* Addresses stay plain: the segments that they would be made with are not known. */
		return UNWIND_VMA_PENDING;
	default:
		return UNWIND_VMA_CLOSED;
	}
}

/* Cuts the mapping down to what the object's page words describe; false if nothing is left. */
static bool fit_table(const struct unwind_object *object, struct unwind_vma *vma)
{
	uint64_t first = object->place.first_page;
	uint64_t last = first + (uint64_t)object->place.page_count * UNWIND_PAGE_BYTES;
	uint64_t start = vma->start - vma->bias, end = vma->end - vma->bias;

	if (start < first || start >= last)
		return false;
	if (end > last)
		vma->end -= end - last;
	vma->page0 = unwind_place_page0(&object->place);
	return true;
}

struct unwind_vma unwind_object_vma(
	const struct unwind_object *object, uint64_t start, uint64_t end, uint64_t offset)
{
	struct unwind_vma vma = {.start = start, .end = end, .object_kind = UNWIND_VMA_ANON};
	enum unwind_vma_kind kind;
	uint64_t address = 0, last;

	if (!object)
		return vma;
	if (object->state == UNWIND_OBJECT_TWIN)
		object = object->twin;
	kind = kind_of(object);
	if (kind == UNWIND_VMA_TABLE || kind == UNWIND_VMA_FRAMEPTR || kind == UNWIND_VMA_EVICTED) {
		if (!elf_segments_vaddr(
			    object->segments.at, object->segments.count, offset, &address) ||
			__builtin_add_overflow(address, end - start, &last) ||
			last > UNWIND_MAX_ADDRESS)
			kind = UNWIND_VMA_CLOSED;
		vma.bias = start - address;
	}
	if (kind == UNWIND_VMA_TABLE && !fit_table(object, &vma))
		kind = UNWIND_VMA_UNUSABLE;
	vma.object_kind = object->number << 8 | kind;
	return vma;
}

struct unwind_vma unwind_object_java_vma(const struct unwind_object *maker, uint64_t maker_start,
	uint64_t maker_offset, uint64_t start, uint64_t end)
{
	struct unwind_vma vma = {.start = start, .end = end, .object_kind = UNWIND_VMA_JAVA};
	uint64_t address;

	if (maker->state == UNWIND_OBJECT_TWIN)
		maker = maker->twin;
	if (maker->java_flag && elf_segments_vaddr(maker->segments.at, maker->segments.count,
					maker_offset, &address))
		vma.bias = maker_start - address + maker->java_flag;
	return vma;
}
