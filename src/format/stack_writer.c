// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of text into nodes of a recording. A stack is divided where the kernel begins: at the
 * first frame (from the root) that is a border. The stacks are a tree: what a node is follows from
 * its frame and the node above it.
 */
#include "format/import_frames.h"
#include "format/import_private.h"
#include "util/hash.h"
#include "util/sort64.h"

#define SEED_STACK 0x73746b69

/* The recording's readers refuse deeper ones. */
#define MAX_NODES 4000

/* A node of the tree, as a node of one of the two parts of stacks. */
struct made_node {
	uint64_t id;        /* STACK_NONE: a delimiter; of one too deep: 0 until it is asked for */
	uint32_t user_leaf; /* where the user part ends of stacks that end here; TREE_ROOT: none */
	uint16_t depth;     /* in its part */
	uint8_t end;        /* enum unwind_end */
	bool is_kernel : 1;
	bool is_kernel_thread : 1;
	bool is_written : 1; /* to be; those above it are found at the end */
	bool is_asked : 1;   /* a stack ends here */
};

struct stack_writer {
	struct recording_writer *writer;
	const struct stack_table *table;
	struct tree *tree;
	uint32_t *node_of_stack; /* by number in the table; TREE_ROOT: not looked for yet */
	struct import_frames *frames;
	VEC(struct made_node) nodes;
	uint64_t cut;
};

struct stack_writer *stack_writer_new(
	struct recording_writer *writer, struct stack_table *table, struct tree *tree)
{
	struct stack_writer *stacks = xcalloc(1, sizeof(*stacks));

	map64_clear(&table->by_hash);
	stacks->writer = writer;
	stacks->table = table;
	stacks->tree = tree;
	stacks->node_of_stack = xcalloc(table->stacks.count, sizeof(*stacks->node_of_stack));
	stacks->frames = import_frames_new(writer, table);
	return stacks;
}

void stack_writer_free(struct stack_writer *stacks)
{
	if (!stacks)
		return;
	free(stacks->node_of_stack);
	import_frames_free(stacks->frames);
	vec_clear(&stacks->nodes);
	free(stacks);
}

struct stack_cuts stack_writer_cuts(const struct stack_writer *stacks)
{
	return (struct stack_cuts){
		.names = import_frames_cut(stacks->frames), .stacks = stacks->cut};
}

static uint64_t node_id(enum unwind_end end, uint64_t parent, uint64_t frame)
{
	uint64_t id = hash_add(hash_add(hash_add(SEED_STACK, end), parent), frame);

	return id < STACK_FIRST_ID ? id + STACK_FIRST_ID : id;
}

/* What a node is; all above it are known. */
static struct made_node make_node(struct stack_writer *stacks, uint32_t number)
{
	const struct tree_node *node = &stacks->tree->nodes.at[number];
	const struct made_node *parent = &stacks->nodes.at[node->parent];
	enum frame_border border =
		parent->is_kernel ? BORDER_NONE : import_frames_border(stacks->frames, node->frame);
	struct made_node made = *parent;

	made.is_written = made.is_asked = false;
	if (border != BORDER_NONE) {
		made.is_kernel = true;
		made.id = made.depth = 0;
		made.end = UNWIND_COMPLETE;
	}
	if (node->parent == TREE_ROOT && made.is_kernel)
		made.is_kernel_thread =
			import_frames_begins_kernel_thread(stacks->frames, node->frame);
	else if (node->parent == TREE_ROOT)
		made.end = (uint8_t)import_frames_end(stacks->frames, node->frame);
	if (!made.is_kernel)
		made.user_leaf = number;
	if (border == BORDER_DELIMITER)
		return made;
	uint64_t frame = import_frames_id(stacks->frames, node->frame);
	made.id = ++made.depth > MAX_NODES ? 0 : node_id(made.end, made.id, frame);
	return made;
}

static void make_nodes(struct stack_writer *stacks)
{
	size_t count = stacks->tree->nodes.count;

	vec_reserve(&stacks->nodes, count);
	if (!stacks->nodes.count)
		vec_push(&stacks->nodes, ((struct made_node){0}));
	while (stacks->nodes.count < count) {
		struct made_node made = make_node(stacks, (uint32_t)stacks->nodes.count);
		vec_push(&stacks->nodes, made);
	}
}

/* The next node towards the root on the same side (kernel or user); TREE_ROOT: there is none. */
static uint32_t above(const struct stack_writer *stacks, uint32_t number)
{
	uint32_t parent = stacks->tree->nodes.at[number].parent;
	const struct made_node *node = &stacks->nodes.at[parent];

	return node->is_kernel == stacks->nodes.at[number].is_kernel && node->depth ? parent
										    : TREE_ROOT;
}

/* Nodes of their own for the frames next to the leaf, because others hang on the true root. */
static uint64_t write_cut(struct stack_writer *stacks, uint32_t number)
{
	_cleanup_free_ uint32_t *frames = xcalloc(MAX_NODES, sizeof(*frames));
	struct rec_stack node = {.end = UNWIND_CUT};
	uint32_t at = number;

	for (size_t i = MAX_NODES; i--; at = above(stacks, at))
		frames[i] = stacks->tree->nodes.at[at].frame;
	for (size_t i = 0; i < MAX_NODES; i++) {
		import_frames_put(stacks->frames, frames[i]);
		node.frame = import_frames_id(stacks->frames, frames[i]);
		node.parent = node.id;
		node.id = node_id(UNWIND_CUT, node.parent, node.frame);
		recording_writer_add_stack(stacks->writer, &node);
	}
	return node.id;
}

/* The id of the part that ends in a node, which is to be written. */
static uint64_t part_id(struct stack_writer *stacks, uint32_t number, bool is_new)
{
	struct made_node *node = &stacks->nodes.at[number];

	if (node->depth > MAX_NODES) {
		stacks->cut += is_new;
		if (!node->id)
			node->id = write_cut(stacks, number);
		return node->id;
	}
	node->is_written = true;
	return node->id;
}

struct written_stack stack_writer_put_node(struct stack_writer *stacks, uint32_t number)
{
	struct written_stack written = {STACK_NONE, STACK_NONE, false};

	make_nodes(stacks);
	struct made_node *node = &stacks->nodes.at[number];
	bool is_new = !node->is_asked;
	node->is_asked = true;
	written.is_kernel_thread = node->is_kernel_thread;
	if (node->user_leaf != TREE_ROOT)
		written.user = part_id(stacks, node->user_leaf, is_new);
	if (node->is_kernel)
		written.kernel = part_id(stacks, number, is_new);
	return written;
}

struct written_stack stack_writer_put(struct stack_writer *stacks, uint32_t stack)
{
	size_t depth;
	const uint32_t *frames = stack_table_frames(stacks->table, stack, &depth);

	if (!depth)
		return stack_writer_put_node(stacks, TREE_ROOT);
	uint32_t *node = &stacks->node_of_stack[stack];
	if (*node == TREE_ROOT)
		for (size_t i = 0; i < depth; i++)
			*node = tree_child_frame(stacks->tree, *node, frames[i], FRAME_USER);
	return stack_writer_put_node(stacks, *node);
}

/* In the order of the table's key, which is eight times as fast as in none. */
static void write_in_order(struct stack_writer *stacks, const struct rec_stack *nodes, size_t count)
{
	_cleanup_free_ struct sort64_item *order = xcalloc(count, sizeof(*order));

	/* SQLite's keys are signed. */
	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct sort64_item){nodes[i].id ^ 1ULL << 63, i};
	sort64(order, count);
	for (size_t i = 0; i < count; i++)
		recording_writer_add_stack(stacks->writer, &nodes[order[i].number]);
}

void stack_writer_flush(struct stack_writer *stacks)
{
	VEC(struct rec_stack) nodes = {0};

	/* From the last to the first: what is above stands before. */
	for (uint32_t i = (uint32_t)stacks->nodes.count; i-- > 1;) {
		const struct made_node *made = &stacks->nodes.at[i];
		if (!made->is_written || !made->id)
			continue;
		uint32_t parent = above(stacks, i), frame = stacks->tree->nodes.at[i].frame;
		struct rec_stack node = {.id = made->id,
			.frame = import_frames_id(stacks->frames, frame),
			.end = (enum unwind_end)made->end};
		if (parent != TREE_ROOT) {
			stacks->nodes.at[parent].is_written = true;
			node.parent = stacks->nodes.at[parent].id;
		}
		import_frames_put(stacks->frames, frame);
		vec_push(&nodes, node);
	}
	write_in_order(stacks, nodes.at, nodes.count);
	vec_clear(&nodes);
}
