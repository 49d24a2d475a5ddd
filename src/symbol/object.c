// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of code objects. A file is known by device, inode, path, size and time of change, so a
 * program that was compiled anew is a new object even if it got its old inode. Its headers are read
 * and its separate debug file is found when it is first seen; symbols are read when a name is first
 * asked for, through fds kept open until then, because by that time the process and its root may be
 * gone. At most MAX_PENDING fds wait like this, and a small share of those that we may have. Copies
 * of one file (the same library in many containers) share one object.
 */
#include "symbol/object.h"

#include <errno.h>
#include <string.h>

#include "symbol/debug_file.h"
#include "symbol/object_private.h"
#include "symbol/outside/errand.h"
#include "symbol/outside/parser.h"
#include "symbol/vdso.h"
#include "util/hash.h"
#include "util/open_files.h"

#define MAX_PENDING 136
/* Most processes map the same few files; those are held, so that they need not be found again. */
#define MAX_HELD 64
#define PARTS_OF_FILES 8

static struct object *add_object(struct object_table *table, enum code_kind kind, const char *path)
{
	struct object *object = xcalloc(1, sizeof(*object));

	object->table = table;
	object->path = xstrdup(path);
	object->build_id = xstrdup("");
	object->pending_fd = object->debug_fd = -1;
	object->public.kind = kind;
	object->public.path = object->path;
	object->public.build_id = object->build_id;
	object->public.id = hash_text(0, path);
	vec_push(&table->objects, object);
	return object;
}

static void free_object(struct object *object)
{
	if (object->pending_fd >= 0)
		close(object->pending_fd);
	if (object->debug_fd >= 0)
		close(object->debug_fd);
	object_names_free(object->names);
	object_names_free(object->variables);
	vec_clear(&object->segments);
	free(object->path);
	free(object->build_id);
	free(object);
}

struct object_table *object_table_new(struct outside *outside)
{
	struct object_table *table = xcalloc(1, sizeof(*table));

	table->here = OUTSIDE_HERE;
	table->outside = outside ? outside : &table->here;
	table->max_pending = open_files_share(MAX_PENDING, PARTS_OF_FILES);
	table->max_held = open_files_share(MAX_HELD, PARTS_OF_FILES);
	return table;
}

void object_table_free(struct object_table *table)
{
	if (!table)
		return;
	vec_each (object, &table->objects)
		free_object(*object);
	vec_clear(&table->objects);
	vec_each (held, &table->held)
		close(held->path_fd);
	vec_clear(&table->held);
	map64_clear(&table->by_inode);
	map64_clear(&table->by_key);
	map64_clear(&table->by_id);
	free(table);
}

struct outside *object_table_outside(struct object_table *table)
{
	return table->outside;
}

static void take_facts(struct object *object, const struct elf_facts *facts)
{
	vec_append(&object->segments, facts->segments, facts->segment_count);
	object->extent = facts->extent;
	free(object->build_id);
	object->build_id = xstrdup(facts->build_id);
	object->public.build_id = object->build_id;
	object->public.is_readable = true;
}

static enum code_lack lack_of(int error)
{
	if (error == -EACCES || error == -EPERM)
		return CODE_LACK_RIGHT;
	return error == -ETIMEDOUT || error == -EPIPE ? CODE_LACK_ANSWER : CODE_LACK_NONE;
}

/* Takes the names, as far as all of them together have room. */
static void take_names(struct object *object, struct object_names *names)
{
	if (!budget_take(&object->table->outside->names, object_names_bytes(names))) {
		object_names_free(names);
		object->public.lack = CODE_LACK_ROOM;
		return;
	}
	object->names = names;
	object->public.has_symbols = object_names_any(names);
}

static void load_pending(struct object *object)
{
	_cleanup_close_ int fd = object->pending_fd, debug_fd = object->debug_fd;
	struct object_names *names;

	if (fd < 0)
		return;
	object->pending_fd = object->debug_fd = -1;
	object->table->pending -= debug_fd < 0 ? 1 : 2;
	int error = parser_names(object->table->outside->parsers, fd, debug_fd, &names);
	if (error)
		object->public.lack = lack_of(error);
	else
		take_names(object, names);
}

static struct object *anonymous_object(struct object_table *table)
{
	if (!table->anonymous)
		table->anonymous = add_object(table, CODE_ANONYMOUS, "[anonymous]");
	return table->anonymous;
}

static void close_elf(struct elf_file **file)
{
	elf_file_free(*file);
}

/* One image serves all 64-bit processes of a boot: the one that the kernel gave us. */
static struct object *vdso_object(struct object_table *table)
{
	_cleanup_(close_elf) struct elf_file *file = NULL;
	struct elf_facts facts;

	if (table->vdso)
		return table->vdso;
	table->vdso = add_object(table, CODE_VDSO, "[vdso]");
	if (vdso_open(&file))
		return table->vdso;
	elf_facts_take(file, &facts);
	take_facts(table->vdso, &facts);
	take_names(table->vdso, object_names_read(file, NULL));
	table->vdso->public.id = hash_text(table->vdso->public.id, table->vdso->build_id);
	return table->vdso;
}

static uint64_t inode_key(const struct map_line *line)
{
	uint64_t key = hash_add((uint64_t)line->dev_major << 32 | line->dev_minor, line->inode);

	return hash_text(key, line->path);
}

static struct object *find_held(const struct object_table *table, const struct map_line *line)
{
	const uint64_t *number = map64_find(&table->by_inode, inode_key(line));
	const struct held *held = number ? &table->held.at[*number] : NULL;

	return held && locate_holds(held->path_fd, &held->stamp, line) ? held->object : NULL;
}

static void hold(struct object_table *table, const struct map_line *line,
	const struct file_stamp *stamp, struct object *object, int *path_fd)
{
	struct held held = {*path_fd, *stamp, object};
	size_t slot = table->held.count;

	if (*path_fd < 0 || !table->max_held)
		return;
	if (slot < table->max_held) {
		vec_push(&table->held, held);
	} else {
		/* The longest held gives way; who looks for it finds another inode here. */
		slot = table->next_held++ % table->max_held;
		close(table->held.at[slot].path_fd);
		table->held.at[slot] = held;
	}
	*map64_put(&table->by_inode, inode_key(line), NULL) = slot;
	*path_fd = -1;
}

static uint64_t key_of(const struct map_line *line, const struct file_stamp *stamp)
{
	uint64_t key = inode_key(line);

	/* Memory is written to all the time. */
	if (map_line_is_memory(line))
		return key;
	return hash_add(hash_add(key, stamp->bytes), stamp->mtime_ns);
}

static uint64_t id_of_build(const char *build_id)
{
	return hash_text(hash_text(0, "build-id"), build_id);
}

static uint64_t id_of(const struct object *object, const struct file_stamp *stamp)
{
	if (object->build_id[0])
		return id_of_build(object->build_id);
	return hash_add(hash_add(hash_text(hash_text(0, "file"), object->path), stamp->bytes),
		stamp->mtime_ns);
}

/* Build-ids can be forged: only files that also agree in shape share an object. */
static bool is_same_file(const struct object *a, const struct object *b)
{
	return a->stamp.bytes == b->stamp.bytes && a->segments.count == b->segments.count &&
	       (!a->segments.count || !memcmp(a->segments.at, b->segments.at,
					      a->segments.count * sizeof(*a->segments.at)));
}

/* The known object with the same content, in place of the newest one; else that one. */
static struct object *merge_newest(struct object_table *table, struct object *newest)
{
	uint64_t *known = map64_put(&table->by_id, newest->public.id, NULL);
	struct object *twin = (struct object *)(uintptr_t)*known;

	if (!twin || !twin->public.is_readable) {
		*known = (uintptr_t)newest;
		return newest;
	}
	if (!is_same_file(twin, newest))
		return newest;
	table->objects.count--;
	free_object(newest);
	return twin;
}

/* An object for the ELF file open as fd, which is taken (left -1) if symbols are still to be read.
 */
static struct object *add_elf(struct object_table *table, uint32_t pid, const struct map_line *line,
	const struct file_stamp *stamp, const struct elf_facts *facts, int *fd)
{
	struct object *object = add_object(table, CODE_FILE, line->path);
	struct object *merged;

	object->stamp = *stamp;
	take_facts(object, facts);
	object->public.id = id_of(object, stamp);
	merged = merge_newest(table, object);
	if (merged != object)
		return merged;
	object->pending_fd = *fd;
	*fd = -1;
	object->debug_fd = debug_file_open(table->outside, pid, line->path, facts);
	table->pending += object->debug_fd < 0 ? 1 : 2;
	if (table->pending > table->max_pending)
		load_pending(object);
	return object;
}

static struct object *add_mapped(struct object_table *table, uint32_t pid,
	const struct map_line *line, const struct file_stamp *stamp, int path_fd)
{
	struct outside *outside = table->outside;
	_cleanup_close_ int fd =
		path_fd < 0 ? -ENOENT
			    : errand_open(outside->errands, pid, path_fd, LOCATE_FOR_NAMES);
	struct elf_facts facts;
	struct object *object;
	int error = fd < 0 ? fd : parser_facts(outside->parsers, fd, &facts);

	if (!error)
		return add_elf(table, pid, line, stamp, &facts, &fd);
	/* A deleted file that is no ELF is how many JIT compilers get their memory. */
	if (map_line_is_memory(line) || (fd >= 0 && line->is_deleted))
		return anonymous_object(table);
	object = add_object(table, CODE_FILE, line->path);
	object->public.id = id_of(object, stamp);
	object->public.lack = lack_of(error);
	return object;
}

/* The object of a file that was found, which is taken (left -1) if it is held from now on. */
static struct object *get_found(struct object_table *table, uint32_t pid,
	const struct map_line *line, const struct file_stamp *stamp, int *path_fd)
{
	uint64_t key = key_of(line, stamp);
	uint64_t *known = map64_find(&table->by_key, key);

	if (known)
		return (struct object *)(uintptr_t)*known;
	struct object *object = add_mapped(table, pid, line, stamp, *path_fd);
	*map64_put(&table->by_key, key, NULL) = (uintptr_t)object;
	hold(table, line, stamp, object, path_fd);
	return object;
}

static struct object *get_mapped(
	struct object_table *table, uint32_t pid, const struct map_line *line)
{
	struct file_stamp stamp = {0};
	struct object *held = find_held(table, line);

	if (held)
		return held;
	_cleanup_close_ int path_fd =
		errand_mapped_file(table->outside->errands, pid, line, &stamp);
	return get_found(table, pid, line, &stamp, &path_fd);
}

struct code_object *object_table_adopt(struct object_table *table, uint32_t pid, const char *path,
	const struct file_stamp *stamp, int path_fd)
{
	const struct map_line line = {.path = (char *)path};

	return &add_mapped(table, pid, &line, stamp, path_fd)->public;
}

struct code_object *object_table_vdso(struct object_table *table)
{
	return &vdso_object(table)->public;
}

struct code_object *object_table_get(
	struct object_table *table, uint32_t pid, const struct map_line *line)
{
	/* A 32-bit process has another vdso, of which we have no image. */
	bool is_vdso = !strcmp(line->path, "[vdso]") && line->start > UINT32_MAX;

	if (is_vdso)
		return &vdso_object(table)->public;
	if (!line->inode || line->path[0] != '/')
		return &anonymous_object(table)->public;
	return &get_mapped(table, pid, line)->public;
}

struct code_object *object_table_get_told(
	struct object_table *table, uint32_t pid, uint32_t relative, const struct map_line *line)
{
	const uint32_t pids[] = {pid, relative, (uint32_t)getpid()};
	struct file_stamp stamp = {0};
	_cleanup_close_ int path_fd = -1;

	if (line->path[0] != '/' || !line->inode || map_line_is_memory(line))
		return object_table_get(table, pid, line);
	struct object *held = find_held(table, line);
	if (held)
		return &held->public;
	for (size_t i = 0; i < ARRAY_SIZE(pids) && path_fd < 0; i++) {
		path_fd = pids[i] ? errand_told_file(table->outside->errands, pids[i], line, &stamp)
				  : -1;
		pid = pids[i];
	}
	return &get_found(table, pid, line, &stamp, &path_fd)->public;
}

uint64_t code_object_address(const struct code_object *public, uint64_t offset)
{
	const struct object *object = (const struct object *)public;
	uint64_t address = offset;

	elf_segments_vaddr(object->segments.at, object->segments.count, offset, &address);
	return address;
}

const char *code_object_name(struct code_object *public, uint64_t address, uint64_t *ret_offset)
{
	struct object *object = (struct object *)public;
	const char *name;
	uint64_t start;

	load_pending(object);
	name = object->names ? object_names_find(object->names, address, &start) : NULL;
	if (name && ret_offset)
		*ret_offset = address - start;
	return name;
}

bool code_object_function(struct code_object *public, uint64_t address, uint64_t *ret_start)
{
	struct object *object = (struct object *)public;

	load_pending(object);
	return object->names && object_names_start(object->names, address, ret_start);
}
