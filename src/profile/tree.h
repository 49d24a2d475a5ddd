/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call tree of labels: a node is (parent, label), node 0 is the root and stands for no frame.
 * Weights are kept where a stack ends. All zero is not valid: use tree_init.
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

struct tree_node {
	uint32_t parent;
	uint32_t label; /* number in labels */
	enum frame_kind kind;
	uint64_t self_ns;
	uint64_t self_count;
};

struct tree {
	struct intern labels;
	VEC(struct tree_node) nodes;
	struct map64 children; /* parent << 32 | label -> node */
};

void tree_init(struct tree *tree);
void tree_clear(struct tree *tree);

/* The child with that label, made if need be. Labels are used as they are: clean them first. */
uint32_t tree_child(struct tree *tree, uint32_t parent, const char *label, enum frame_kind kind);
uint32_t tree_child_label(struct tree *tree, uint32_t parent, uint32_t label, enum frame_kind kind);
void tree_add(struct tree *tree, uint32_t node, uint64_t ns, uint64_t count);

const char *tree_label(const struct tree *tree, uint32_t node);
uint64_t tree_total_ns(const struct tree *tree);
uint64_t tree_total_count(const struct tree *tree);

#endif
