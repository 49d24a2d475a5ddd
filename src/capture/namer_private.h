/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What namer.c (images and stacks), namer_frames.c and namer_data.c share. Private to these. */
#ifndef DWELL_CAPTURE_NAMER_PRIVATE_H
#define DWELL_CAPTURE_NAMER_PRIVATE_H

#include "capture/namer.h"
#include "capture/spaces.h"
#include "util/map64.h"
#include "util/vec.h"

/* Of ids of objects. */
#define SEED_OBJECT 0x6f626a65637431ULL

struct image {
	struct space *space;
	VEC(uint64_t) raw; /* its stacks, to be forgotten with it */
};

struct namer {
	struct recording_writer *writer;
	struct kernel_symbols *symbols;
	struct object_table *objects;
	struct spaces *spaces;
	uint64_t kernel_seed;     /* tells this kernel build from others */
	struct map64 images;      /* image -> struct image * */
	struct map64 by_raw;      /* raw id -> recording's id */
	struct map64 lock_stacks; /* raw ids of user stacks that say that a lock's owner is known */
	struct map64 written;     /* ids of objects, frames, nodes */
	struct loader *loader;
	const struct own_code *own;
	const char *hook; /* see namer_set_hook(); NULL: none */
	const char *library;
	bool is_started;
	struct map64 numbered; /* the loader's number -> struct code_object * */
};

/* NULL: no such image was announced, or it was dropped. */
struct image *namer_image(struct namer *namer, uint32_t number);

/* True the first time for each id, and now and then again. */
bool namer_is_first(struct namer *namer, uint64_t id);

/*
 * The id of a frame in the recording, which has it from now on. `at` is where the name is looked
 * up: inside the call for return addresses. The names are borrowed, "" if there is none.
 */
uint64_t namer_kernel_frame(struct namer *namer, uint64_t pc, uint64_t at);
/* image may be NULL: nothing is known of it. */
uint64_t namer_user_frame(
	struct namer *namer, struct image *image, uint64_t pc, uint64_t at, const char **ret_name);
/* A frame as (object, address), contract/unwind.h: no mappings needed, whoever ran it. */
uint64_t namer_packed_frame(struct namer *namer, uint64_t frame, const char **ret_name);
/* Is the frame in the file of that path, as its process sees it? */
bool namer_is_in(struct namer *namer, uint64_t frame, const char *path);

#endif
