// SPDX-License-Identifier: GPL-2.0-or-later
/* The executable mappings of one process: a sorted array, each with its object. */
#include <errno.h>

#include "symbol/errand.h"
#include "symbol/object_table.h"
#include "symbol/outside.h"
#include "util/vec.h"

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct code_object *object;
};

struct code_maps {
	VEC(struct mapping) mappings;
};

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
	struct code_maps *result = xcalloc(1, sizeof(*result));
	vec_each (line, &maps.lines) {
		struct mapping mapping = {
			line->start, line->end, line->offset, object_table_get(table, pid, line)};
		vec_push(&result->mappings, mapping);
	}
	map_lines_clear(&maps);
	*ret = result;
	return 0;
}

struct code_maps *code_maps_new(void)
{
	return xcalloc(1, sizeof(struct code_maps));
}

struct code_maps *code_maps_copy(const struct code_maps *maps)
{
	struct code_maps *copy = code_maps_new();

	vec_append(&copy->mappings, maps->mappings.at, maps->mappings.count);
	return copy;
}

/* Takes [start, end) out of what is mapped; a mapping that surrounds it is cut in two. */
static void cut_out(struct code_maps *maps, uint64_t start, uint64_t end)
{
	VEC(struct mapping) kept = {0};

	vec_each (mapping, &maps->mappings) {
		struct mapping left = *mapping, right = *mapping;

		left.end = mapping->end < start ? mapping->end : start;
		right.start = mapping->start > end ? mapping->start : end;
		right.offset += right.start - mapping->start;
		if (left.start < left.end)
			vec_push(&kept, left);
		if (right.start < right.end)
			vec_push(&kept, right);
	}
	vec_clear(&maps->mappings);
	vec_append(&maps->mappings, kept.at, kept.count);
	vec_clear(&kept);
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
	size_t at;

	mapping.object = object_table_get_told(table, pid, added->relative, &line);
	cut_out(maps, added->start, added->end);
	vec_push(&maps->mappings, mapping);
	for (at = maps->mappings.count - 1; at && maps->mappings.at[at - 1].start > mapping.start;
		at--)
		maps->mappings.at[at] = maps->mappings.at[at - 1];
	maps->mappings.at[at] = mapping;
}

void code_maps_free(struct code_maps *maps)
{
	if (!maps)
		return;
	vec_clear(&maps->mappings);
	free(maps);
}

bool code_maps_find(const struct code_maps *maps, uint64_t pc, struct code_place *ret)
{
	size_t low = 0, high = maps->mappings.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (maps->mappings.at[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc >= maps->mappings.at[low - 1].end)
		return false;
	const struct mapping *mapping = &maps->mappings.at[low - 1];
	ret->object = mapping->object;
	ret->address = pc;
	if (mapping->object->kind != CODE_ANONYMOUS)
		ret->address =
			code_object_address(mapping->object, pc - mapping->start + mapping->offset);
	return true;
}
