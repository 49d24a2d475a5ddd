// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps in a list, current ones also by image. Collecting is mark and sweep over the kernel's
 * entries. */
#include "unwind/image_maps.h"

#include <errno.h>
#include <string.h>

#include "util/map64.h"

struct image_map {
	uint32_t image; /* 0: retired */
	uint32_t base;
	uint32_t count;
	uint32_t unused_times; /* collections in a row that found no entry of it */
	bool is_marked;
	mapping_list mappings;
};

struct image_maps {
	struct unwind_tables *tables;
	struct unwind_objects *objects;
	VEC(struct image_map *) all;
	struct map64 by_image;
	struct map64 by_base;
};

struct image_maps *image_maps_new(struct unwind_tables *tables, struct unwind_objects *objects)
{
	struct image_maps *maps = xcalloc(1, sizeof(*maps));

	maps->tables = tables;
	maps->objects = objects;
	return maps;
}

static void map_free(struct image_map *map)
{
	vec_clear(&map->mappings);
	free(map);
}

void image_maps_free(struct image_maps *maps)
{
	if (!maps)
		return;
	vec_each (map, &maps->all)
		map_free(*map);
	vec_clear(&maps->all);
	map64_clear(&maps->by_image);
	map64_clear(&maps->by_base);
	free(maps);
}

static struct image_map *find(const struct image_maps *maps, uint32_t image)
{
	const uint64_t *slot = map64_find(&maps->by_image, image);

	return slot ? (struct image_map *)(uintptr_t)*slot : NULL;
}

static bool is_equal(const struct image_map *map, const mapping_list *mappings)
{
	return map->mappings.count == mappings->count &&
	       (!mappings->count || !memcmp(map->mappings.at, mappings->at,
					    mappings->count * sizeof(*mappings->at)));
}

static struct unwind_vma vma_of(const struct mapping *mapping)
{
	struct unwind_vma vma =
		unwind_object_vma(mapping->object, mapping->start, mapping->end, mapping->offset);

	if (mapping->maker)
		return unwind_object_java_vma(mapping->maker, mapping->maker_start,
			mapping->maker_offset, mapping->start, mapping->end);
	if (!mapping->object && mapping->plain_kind)
		vma.object_kind = (uint32_t)mapping->plain_kind;
	return vma;
}

static int write_map(struct image_maps *maps, struct image_map *map)
{
	_cleanup_free_ struct unwind_vma *vmas = xcalloc(map->count + 1, sizeof(*vmas));

	for (uint32_t i = 0; i < map->count; i++)
		vmas[i] = vma_of(&map->mappings.at[i]);
	int error = unwind_tables_add_vmas(maps->tables, vmas, map->count, &map->base);
	if (error != -ENOSPC)
		return error;
	/* Retired room is free two collections and a pause later: too late for this map. */
	image_maps_collect(maps);
	return unwind_tables_add_vmas(maps->tables, vmas, map->count, &map->base);
}

static void retire(struct image_maps *maps, struct image_map *map)
{
	map64_remove(&maps->by_image, map->image);
	map->image = 0;
}

int image_maps_put(struct image_maps *maps, uint32_t image, const mapping_list *mappings)
{
	struct image_map *old = find(maps, image), *map;
	int error;

	if (old && is_equal(old, mappings))
		return 0;
	map = xcalloc(1, sizeof(*map));
	map->image = image;
	map->count = (uint32_t)mappings->count;
	vec_append(&map->mappings, mappings->at, mappings->count);
	error = write_map(maps, map);
	if (!error) {
		error = unwind_tables_publish(maps->tables, image, map->base, map->count);
		if (error)
			unwind_tables_drop_vmas(maps->tables, map->base, map->count);
	}
	if (error) {
		map_free(map);
		return error;
	}
	if (old)
		retire(maps, old);
	vec_push(&maps->all, map);
	*map64_put(&maps->by_image, image, NULL) = (uintptr_t)map;
	*map64_put(&maps->by_base, map->base, NULL) = (uintptr_t)map;
	return 0;
}

const mapping_list *image_maps_of(const struct image_maps *maps, uint32_t image)
{
	struct image_map *map = find(maps, image);

	return map ? &map->mappings : NULL;
}

int image_maps_place(const struct image_maps *maps, uint32_t image, struct unwind_process *ret)
{
	struct image_map *map = find(maps, image);

	if (!map)
		return -ENOENT;
	*ret = (struct unwind_process){.vma_base = map->base, .vma_count = map->count};
	return 0;
}

const struct mapping *image_maps_find(
	const struct image_maps *maps, uint32_t image, uint64_t address)
{
	struct image_map *map = find(maps, image);

	if (!map)
		return NULL;
	vec_each (mapping, &map->mappings)
		if (address >= mapping->start && address < mapping->end)
			return mapping;
	return NULL;
}

void image_maps_update(struct image_maps *maps, struct unwind_object *object)
{
	const struct unwind_object *changed = unwind_object_itself(object);

	vec_each (slot, &maps->all) {
		struct image_map *map = *slot;
		for (uint32_t i = 0; i < map->count; i++) {
			const struct mapping *mapping = &map->mappings.at[i];
			struct unwind_object *about =
				mapping->maker ? mapping->maker : mapping->object;
			if (!about || unwind_object_itself(about) != changed)
				continue;
			struct unwind_vma vma = vma_of(mapping);
			unwind_tables_set_vma(maps->tables, map->base, (uint32_t)i, &vma);
		}
	}
}

void image_maps_forget(struct image_maps *maps, uint32_t image)
{
	struct image_map *map = find(maps, image);

	unwind_tables_forget(maps->tables, image);
	if (map)
		retire(maps, map);
}

static void mark(void *context, uint32_t image, uint32_t base)
{
	struct image_maps *maps = context;
	const uint64_t *slot = map64_find(&maps->by_base, base);

	(void)image;
	if (slot)
		((struct image_map *)(uintptr_t)*slot)->is_marked = true;
}

static void mark_all(struct image_maps *maps)
{
	vec_each (map, &maps->all)
		(*map)->is_marked = (*map)->image != 0;
	unwind_tables_each_process(maps->tables, mark, maps);
}

void image_maps_collect(struct image_maps *maps)
{
	size_t kept = 0;

	mark_all(maps);
	for (size_t i = 0; i < maps->all.count; i++) {
		struct image_map *map = maps->all.at[i];
		map->unused_times = map->is_marked ? 0 : map->unused_times + 1;
		/* A fork may have copied the entry behind the back of one reading, not of two. */
		if (map->unused_times < 2) {
			maps->all.at[kept++] = map;
			continue;
		}
		map64_remove(&maps->by_base, map->base);
		unwind_tables_drop_vmas(maps->tables, map->base, map->count);
		map_free(map);
	}
	maps->all.count = kept;
}

void image_maps_mark_live(struct image_maps *maps)
{
	unwind_objects_clear_live(maps->objects);
	mark_all(maps);
	vec_each (slot, &maps->all) {
		struct image_map *map = *slot;
		if (!map->is_marked)
			continue;
		vec_each (mapping, &map->mappings)
			if (mapping->object)
				unwind_object_itself(mapping->object)->is_live = true;
	}
}
