// SPDX-License-Identifier: GPL-2.0-or-later
/* Slices in a list, current ones also by image. Collecting is mark and sweep over the kernel's
 * entries. */
#include "capture/slices.h"

#include <errno.h>
#include <string.h>

#include "util/map64.h"

struct slice {
	uint32_t image; /* 0: retired */
	uint32_t base;
	uint32_t count;
	uint32_t unused_times; /* collections in a row that found no entry of it */
	bool is_marked;
	slice_mappings mappings;
};

struct slices {
	struct unwind_tables *tables;
	struct unwind_objects *objects;
	VEC(struct slice *) all;
	struct map64 by_image;
	struct map64 by_base;
};

struct slices *slices_new(struct unwind_tables *tables, struct unwind_objects *objects)
{
	struct slices *slices = xcalloc(1, sizeof(*slices));

	slices->tables = tables;
	slices->objects = objects;
	return slices;
}

static void slice_free(struct slice *slice)
{
	vec_clear(&slice->mappings);
	free(slice);
}

void slices_free(struct slices *slices)
{
	if (!slices)
		return;
	vec_each (slice, &slices->all)
		slice_free(*slice);
	vec_clear(&slices->all);
	map64_clear(&slices->by_image);
	map64_clear(&slices->by_base);
	free(slices);
}

static struct slice *find(const struct slices *slices, uint32_t image)
{
	const uint64_t *slot = map64_find(&slices->by_image, image);

	return slot ? (struct slice *)(uintptr_t)*slot : NULL;
}

static bool is_equal(const struct slice *slice, const slice_mappings *mappings)
{
	return slice->mappings.count == mappings->count &&
	       (!mappings->count || !memcmp(slice->mappings.at, mappings->at,
					    mappings->count * sizeof(*mappings->at)));
}

static struct unwind_vma vma_of(const struct slice_mapping *mapping)
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

static int write_slice(struct slices *slices, struct slice *slice)
{
	_cleanup_free_ struct unwind_vma *vmas = xcalloc(slice->count + 1, sizeof(*vmas));

	for (uint32_t i = 0; i < slice->count; i++)
		vmas[i] = vma_of(&slice->mappings.at[i]);
	int error = unwind_tables_add_slice(slices->tables, vmas, slice->count, &slice->base);
	if (error != -ENOSPC)
		return error;
	/* What was retired needs two collections and then a rest: this one has to do without. */
	slices_collect(slices);
	return unwind_tables_add_slice(slices->tables, vmas, slice->count, &slice->base);
}

static void retire(struct slices *slices, struct slice *slice)
{
	map64_remove(&slices->by_image, slice->image);
	slice->image = 0;
}

int slices_put(struct slices *slices, uint32_t image, const slice_mappings *mappings)
{
	struct slice *old = find(slices, image), *slice;
	int error;

	if (old && is_equal(old, mappings))
		return 0;
	slice = xcalloc(1, sizeof(*slice));
	slice->image = image;
	slice->count = (uint32_t)mappings->count;
	vec_append(&slice->mappings, mappings->at, mappings->count);
	error = write_slice(slices, slice);
	if (!error) {
		error = unwind_tables_publish(slices->tables, image, slice->base, slice->count);
		if (error)
			unwind_tables_drop_slice(slices->tables, slice->base, slice->count);
	}
	if (error) {
		slice_free(slice);
		return error;
	}
	if (old)
		retire(slices, old);
	vec_push(&slices->all, slice);
	*map64_put(&slices->by_image, image, NULL) = (uintptr_t)slice;
	*map64_put(&slices->by_base, slice->base, NULL) = (uintptr_t)slice;
	return 0;
}

const slice_mappings *slices_of(const struct slices *slices, uint32_t image)
{
	struct slice *slice = find(slices, image);

	return slice ? &slice->mappings : NULL;
}

int slices_place(const struct slices *slices, uint32_t image, struct unwind_process *ret)
{
	struct slice *slice = find(slices, image);

	if (!slice)
		return -ENOENT;
	*ret = (struct unwind_process){.vma_base = slice->base, .vma_count = slice->count};
	return 0;
}

const struct slice_mapping *slices_find(
	const struct slices *slices, uint32_t image, uint64_t address)
{
	struct slice *slice = find(slices, image);

	if (!slice)
		return NULL;
	vec_each (mapping, &slice->mappings)
		if (address >= mapping->start && address < mapping->end)
			return mapping;
	return NULL;
}

void slices_update(struct slices *slices, struct unwind_object *object)
{
	const struct unwind_object *changed = unwind_object_itself(object);

	vec_each (slot, &slices->all) {
		struct slice *slice = *slot;
		for (uint32_t i = 0; i < slice->count; i++) {
			const struct slice_mapping *mapping = &slice->mappings.at[i];
			struct unwind_object *about =
				mapping->maker ? mapping->maker : mapping->object;
			if (!about || unwind_object_itself(about) != changed)
				continue;
			struct unwind_vma vma = vma_of(mapping);
			unwind_tables_set_vma(slices->tables, slice->base + i, &vma);
		}
	}
}

void slices_forget(struct slices *slices, uint32_t image)
{
	struct slice *slice = find(slices, image);

	unwind_tables_forget(slices->tables, image);
	if (slice)
		retire(slices, slice);
}

static void mark(void *context, uint32_t image, uint32_t base)
{
	struct slices *slices = context;
	const uint64_t *slot = map64_find(&slices->by_base, base);

	(void)image;
	if (slot)
		((struct slice *)(uintptr_t)*slot)->is_marked = true;
}

static void mark_all(struct slices *slices)
{
	vec_each (slice, &slices->all)
		(*slice)->is_marked = (*slice)->image != 0;
	unwind_tables_each_process(slices->tables, mark, slices);
}

void slices_collect(struct slices *slices)
{
	size_t kept = 0;

	mark_all(slices);
	for (size_t i = 0; i < slices->all.count; i++) {
		struct slice *slice = slices->all.at[i];
		slice->unused_times = slice->is_marked ? 0 : slice->unused_times + 1;
		/* A fork may have copied the entry behind the back of one reading, not of two. */
		if (slice->unused_times < 2) {
			slices->all.at[kept++] = slice;
			continue;
		}
		map64_remove(&slices->by_base, slice->base);
		unwind_tables_drop_slice(slices->tables, slice->base, slice->count);
		slice_free(slice);
	}
	slices->all.count = kept;
}

void slices_mark_live(struct slices *slices)
{
	unwind_objects_clear_live(slices->objects);
	mark_all(slices);
	vec_each (slot, &slices->all) {
		struct slice *slice = *slot;
		if (!slice->is_marked)
			continue;
		vec_each (mapping, &slice->mappings)
			if (mapping->object)
				unwind_object_itself(mapping->object)->is_live = true;
	}
}
