// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The executable mappings of one process, each with its object: a balanced tree (tsearch(3)) of
 * ranges that do not overlap. Two ranges that overlap compare as equal, so that looking for one
 * finds whatever is in its way. A process may have a million mappings and make new ones all the
 * time: adding one must not touch the others.
 */
#include <errno.h>
#include <search.h>

#include "symbol/outside/errand.h"
#include "symbol/object_table.h"
#include "symbol/outside/outside.h"

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct code_object *object;
};

struct code_maps {
	void *root;
};

static int compare(const void *left, const void *right)
{
	const struct mapping *a = left, *b = right;

	return a->end <= b->start ? -1 : a->start >= b->end;
}

/* NULL: nothing is mapped in the range. */
static struct mapping *find_in(const struct code_maps *maps, uint64_t start, uint64_t end)
{
	struct mapping range = {.start = start, .end = end};
	struct mapping *const *node = tfind(&range, &maps->root, compare);

	return node ? *node : NULL;
}

/* Nothing may be mapped there. */
static void put(struct code_maps *maps, const struct mapping *added)
{
	struct mapping *mapping = xmalloc(sizeof(*mapping));

	*mapping = *added;
	if (!tsearch(mapping, &maps->root, compare))
		mem_exhausted();
}

/* Takes [start, end) out of what is mapped; a mapping that surrounds it is cut in two. */
static void cut_out(struct code_maps *maps, uint64_t start, uint64_t end)
{
	struct mapping *found;

	while ((found = find_in(maps, start, end))) {
		struct mapping left = *found, right = *found;

		left.end = start;
		right.start = end;
		right.offset += end - found->start;
		tdelete(found, &maps->root, compare);
		free(found);
		if (left.start < left.end)
			put(maps, &left);
		if (right.start < right.end)
			put(maps, &right);
	}
}

struct code_maps *code_maps_of_lines(
	struct object_table *table, uint32_t pid, bool is_gone, const struct map_lines *lines)
{
	struct code_maps *maps = code_maps_new();

	vec_each (line, &lines->lines) {
		struct mapping mapping = {
			.start = line->start, .end = line->end, .offset = line->offset};
		mapping.object = is_gone ? object_table_get_told(table, pid, 0, line)
					 : object_table_get(table, pid, line);
		/* The process may have changed them while they were read. */
		cut_out(maps, mapping.start, mapping.end);
		put(maps, &mapping);
	}
	return maps;
}

int code_maps_read(struct object_table *table, uint32_t pid, struct code_maps **ret)
{
	_cleanup_fclose_ FILE *in = NULL;
	struct map_lines maps = {0};
	size_t all = 0;
	int err = errand_maps(object_table_outside(table)->errands, pid, pid, &in);

	if (err)
		return err == -ENOENT ? -ESRCH : err;
	err = map_lines_read(in, &maps, &all);
	if (err)
		return err;
	/* A process that has exited, but was not waited for, has no mappings at all. */
	if (!all)
		return -ESRCH;
	*ret = code_maps_of_lines(table, pid, false, &maps);
	map_lines_clear(&maps);
	return 0;
}

struct code_maps *code_maps_new(void)
{
	return xcalloc(1, sizeof(struct code_maps));
}

static void put_copy(const void *node, VISIT visit, void *to)
{
	if (visit == postorder || visit == leaf)
		put(to, *(struct mapping *const *)node);
}

struct code_maps *code_maps_copy(const struct code_maps *maps)
{
	struct code_maps *copy = code_maps_new();

	twalk_r(maps->root, put_copy, copy);
	return copy;
}

void code_maps_add(struct object_table *table, struct code_maps *maps, uint32_t pid,
	const struct code_mapping *added)
{
	struct map_line line = {.start = added->start,
		.end = added->end,
		.offset = added->offset,
		.inode = added->inode,
		.dev_major = added->dev_major,
		.dev_minor = added->dev_minor,
		.is_executable = true,
		.path = (char *)added->path};
	struct mapping mapping = {
		.start = added->start, .end = added->end, .offset = added->offset};

	mapping.object = object_table_get_told(table, pid, added->relative, &line);
	if (mapping.start >= mapping.end)
		return;
	cut_out(maps, mapping.start, mapping.end);
	put(maps, &mapping);
}

/* A search that remembers what lies on both sides of its way. */
struct search {
	struct mapping sought;
	const struct mapping *below;
	const struct mapping *above;
};

/* tfind(3) calls with what is sought first, in glibc and in musl; each step of its way is nearer.
 */
static int compare_and_note(const void *key, const void *node)
{
	struct search *search = (struct search *)key;
	int order = compare(&search->sought, node);

	if (order > 0)
		search->below = node;
	else if (order < 0)
		search->above = node;
	return order;
}

static bool find_data(const struct mapping *code, uint64_t address, struct data_place *ret)
{
	if (!code || code->object->kind != CODE_FILE ||
		!code_object_data_address(
			code->object, code->offset, address - code->start, &ret->address))
		return false;
	ret->object = code->object;
	ret->code_start = code->start;
	ret->code_end = code->end;
	return true;
}

/*
 * Loaders reserve the whole object before they map its parts, so that nobody else's code comes
 * between its code and its data; linkers put data behind code, some before it.
 */
bool code_maps_find_data(const struct code_maps *maps, uint64_t address, struct data_place *ret)
{
	struct search search = {.sought = {.start = address, .end = address + 1}};
	struct mapping *const *node = tfind(&search, &maps->root, compare_and_note);

	return (node && find_data(*node, address, ret)) || find_data(search.below, address, ret) ||
	       find_data(search.above, address, ret);
}

void code_maps_free(struct code_maps *maps)
{
	if (!maps)
		return;
	tdestroy(maps->root, free);
	free(maps);
}

bool code_maps_find(const struct code_maps *maps, uint64_t pc, struct code_place *ret)
{
	const struct mapping *mapping = find_in(maps, pc, pc + 1);

	if (!mapping)
		return false;
	ret->object = mapping->object;
	ret->address = pc;
	if (mapping->object->kind != CODE_ANONYMOUS)
		ret->address =
			code_object_address(mapping->object, pc - mapping->start + mapping->offset);
	return true;
}
