/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of each image, as the kernel side has them: a map is written whole and
 * then published; a process that maps something new gets a new map. Children of a fork have
 * their parent's without our doing, so a map that its image has left is kept until no entry of
 * the kernel's refers to it. Under the loader's lock.
 */
#ifndef DWELL_UNWIND_IMAGE_MAPS_H
#define DWELL_UNWIND_IMAGE_MAPS_H

#include "unwind/objects.h"

struct image_maps;

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct unwind_object *object; /* NULL: code without a file */
	/*
	 * How that is walked, enum unwind_vma_kind; 0: by frame pointer. So wide that equal
	 * mappings are equal bytes.
	 */
	uint64_t plain_kind;
	/* UNWIND_VMA_JAVA: the file that generates the code, and where it is mapped itself. */
	struct unwind_object *maker;
	uint64_t maker_start;
	uint64_t maker_offset;
};

typedef VEC(struct mapping) mapping_list;

struct image_maps *image_maps_new(struct unwind_tables *tables, struct unwind_objects *objects);
void image_maps_free(struct image_maps *maps);

/* The image's mappings are these, sorted; what it had is retired. -ENOSPC if there is no room. */
int image_maps_put(struct image_maps *maps, uint32_t image, const mapping_list *mappings);
/* The image's mappings, NULL if it has none of its own. Borrowed until the next call. */
const mapping_list *image_maps_of(const struct image_maps *maps, uint32_t image);
/* Where they are; -ENOENT if there are none. */
int image_maps_place(const struct image_maps *maps, uint32_t image, struct unwind_process *ret);
/* The mapping that holds an address, NULL if none does. */
const struct mapping *image_maps_find(
	const struct image_maps *maps, uint32_t image, uint64_t address);
/* An object was read or evicted: its mappings change in place. */
void image_maps_update(struct image_maps *maps, struct unwind_object *object);
/* Nobody runs the image any more. */
void image_maps_forget(struct image_maps *maps, uint32_t image);
/* Gives retired maps back that no entry refers to, this time and the last time. */
void image_maps_collect(struct image_maps *maps);
/* Marks the objects that somebody maps. */
void image_maps_mark_live(struct image_maps *maps);

#endif
