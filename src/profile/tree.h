/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call tree: a node is (parent, frame), node 0 is the root and stands for no frame. A frame is a
 * label and, only in trees that keep objects apart, the object it is in. Weights are kept where a
 * stack ends. All zero is not valid: use tree_init.
 */
#ifndef DWELL_PROFILE_TREE_H
#define DWELL_PROFILE_TREE_H

#include <stdint.h>

#include "util/intern.h"
#include "util/map64.h"
#include "util/vec.h"

#define TREE_ROOT 0

/* What a frame is, for those who shorten or colour stacks. */
enum frame_kind {
	FRAME_NAME, /* thread, process, ...: what --by asks for */
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_MARK, /* words in brackets that dwell adds: [runq], [broken] */
};

struct tree_frame {
	uint32_t label;  /* number in labels */
	uint32_t object; /* number in labels; 0: not kept, or none */
};

struct tree_node {
	uint32_t parent;
	uint32_t frame; /* index into frames */
	enum frame_kind kind;
	uint32_t hash; /* of the frames from the root to it */
	uint64_t self_weight;
	uint64_t self_count;
};

/* A child in the table of them. */
struct tree_slot {
	uint32_t hash;
	uint32_t node; /* 0: free */
};

struct tree_children {
	struct tree_slot *slots;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

struct tree {
	struct intern labels;
	VEC(struct tree_frame) frames;
	VEC(uint32_t) plain_frames;  /* by label: index + 1 of its frame in no object, or 0 */
	struct map64 frame_of;       /* label << 32 | object -> index, of those in an object */
	VEC(struct tree_node) nodes; /* parents before their children */
	/* By node, as far as there are any: how many of its own count were looked at, where they
	 * are events of which only some are. */
	VEC(uint64_t) samples;
	struct tree_children children;
};

/* One frame of a stack on its way into the tree. */
struct tree_step {
	uint32_t frame;
	enum frame_kind kind;
};

void tree_init(struct tree *tree);
void tree_clear(struct tree *tree);

/* The child with that label, made if need be. Labels are used as they are: clean them first. */
uint32_t tree_child(struct tree *tree, uint32_t parent, const char *label, enum frame_kind kind);
/* The frame of a label in an object ("": none), for tree_child_frame(). */
uint32_t tree_frame(struct tree *tree, const char *label, const char *object);
/* The same for a label of known length, which needs no NUL behind it and has none inside. */
uint32_t tree_frame_bytes(struct tree *tree, const char *label, size_t length, const char *object);
/* Is there a frame in no object with that label? A label that is there was clean. */
bool tree_find_frame(const struct tree *tree, const char *label, size_t length, uint32_t *ret);
/* Many stacks at once are faster by tree_feed.h. */
uint32_t tree_child_frame(struct tree *tree, uint32_t parent, uint32_t frame, enum frame_kind kind);
/* A child that is never found again, and a sibling of those of the same frame. */
uint32_t tree_add_child(struct tree *tree, uint32_t parent, const struct tree_step *step);
/* Forgets where children are found; the nodes stay. */
void tree_children_clear(struct tree_children *children);
void tree_add(struct tree *tree, uint32_t node, uint64_t weight, uint64_t count);
void tree_add_samples(struct tree *tree, uint32_t node, uint64_t samples);
/* A node's own; 0: none are known. */
uint64_t tree_samples(const struct tree *tree, uint32_t node);

const char *tree_label(const struct tree *tree, uint32_t node);
/* "" where objects are not kept, and for frames in none. */
const char *tree_object(const struct tree *tree, uint32_t node);
uint64_t tree_total_weight(const struct tree *tree);
uint64_t tree_total_count(const struct tree *tree);
uint64_t tree_total_samples(const struct tree *tree);

#endif
