/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of each image, as the kernel side has them: a slice is written whole and
 * then published; a process that maps something new gets a new slice. Children of a fork have
 * their parent's without our doing, so a slice that its image has left is kept until no entry of
 * the kernel's refers to it. Under the loader's lock.
 */
#ifndef DWELL_CAPTURE_SLICES_H
#define DWELL_CAPTURE_SLICES_H

#include "capture/unwind_objects.h"

struct slices;

struct slice_mapping {
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

typedef VEC(struct slice_mapping) slice_mappings;

struct slices *slices_new(struct unwind_tables *tables, struct unwind_objects *objects);
void slices_free(struct slices *slices);

/* The image's mappings are these, sorted; what it had is retired. -ENOSPC if there is no room. */
int slices_put(struct slices *slices, uint32_t image, const slice_mappings *mappings);
/* The image's mappings, NULL if it has none of its own. Borrowed until the next call. */
const slice_mappings *slices_of(const struct slices *slices, uint32_t image);
/* Where they are; -ENOENT if there are none. */
int slices_place(const struct slices *slices, uint32_t image, struct unwind_process *ret);
/* The mapping that holds an address, NULL if none does. */
const struct slice_mapping *slices_find(
	const struct slices *slices, uint32_t image, uint64_t address);
/* An object was read or evicted: its mappings change in place. */
void slices_update(struct slices *slices, struct unwind_object *object);
/* Nobody runs the image any more. */
void slices_forget(struct slices *slices, uint32_t image);
/* Gives retired slices back that no entry refers to, this time and the last time. */
void slices_collect(struct slices *slices);
/* Marks the objects that somebody maps. */
void slices_mark_live(struct slices *slices);

#endif
