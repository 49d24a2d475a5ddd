// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of text into objects, frames and nodes of a recording. Names come as text, so ids are made
 * from object, name and address. A stack is divided where the kernel begins: at the first frame
 * (from the root) that is known to be the kernel's, or is one of its entry points. The stacks are a
 * tree: what a node is follows from its frame and the node above it.
 */
#include <string.h>

#include "format/import_private.h"
#include "util/hash.h"
#include "util/sort64.h"
#include "util/text.h"

enum seed { SEED_OBJECT = 0x6f626a69, SEED_FRAME = 0x66726d69, SEED_STACK = 0x73746b69 };

/* The recording's readers refuse deeper ones. */
#define MAX_NODES 4000
#define MAX_NAME_BYTES 65000

enum border {
	BORDER_UNKNOWN,
	BORDER_NONE,
	BORDER_KERNEL,    /* the kernel begins here */
	BORDER_DELIMITER, /* and here behind it: "-", as bcc writes it with -d */
};

/* A frame of the table. */
struct made_frame {
	uint64_t id; /* 0: not made yet */
	enum border border;
};

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
	uint32_t *node_of_stack;   /* by number in the table; TREE_ROOT: not looked for yet */
	struct made_frame *frames; /* by number in the table */
	VEC(struct made_node) nodes;
	struct map64 written; /* ids of objects and frames */
	struct stack_cuts cuts;
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
	stacks->frames = xcalloc(table->frames.count, sizeof(*stacks->frames));
	return stacks;
}

void stack_writer_free(struct stack_writer *stacks)
{
	if (!stacks)
		return;
	free(stacks->node_of_stack);
	free(stacks->frames);
	vec_clear(&stacks->nodes);
	map64_clear(&stacks->written);
	free(stacks);
}

struct stack_cuts stack_writer_cuts(const struct stack_writer *stacks)
{
	return stacks->cuts;
}

static bool is_first(struct stack_writer *stacks, uint64_t id)
{
	bool is_new;

	map64_put(&stacks->written, id, &is_new);
	return is_new;
}

/* Clean, and cut to what a recording keeps, at the border of a character. */
static char *clean_name(struct stack_writer *stacks, const char *name)
{
	char *clean = text_clean(name, false);
	size_t length = strlen(clean);

	if (length > MAX_NAME_BYTES) {
		stacks->cuts.names++;
		length = MAX_NAME_BYTES;
		while (length && ((unsigned char)clean[length] & 0xc0) == 0x80)
			length--;
		clean[length] = 0;
	}
	return clean;
}

static enum object_kind kind_of(const struct table_frame *frame, const char *path)
{
	if (frame->is_kernel)
		return !*path || strstr(path, "kernel") || strstr(path, "vmlinux") ? OBJECT_KERNEL
										   : OBJECT_MODULE;
	if (!*path || !strcmp(path, "[unknown]"))
		return OBJECT_UNKNOWN;
	if (!strcmp(path, "[vdso]"))
		return OBJECT_VDSO;
	return strncmp(path, "/tmp/perf-", 10) && strcmp(path, "//anon") &&
			       strncmp(path, "[anon", 5)
		       ? OBJECT_FILE
		       : OBJECT_ANONYMOUS;
}

static uint64_t write_object(struct stack_writer *stacks, const struct table_frame *frame)
{
	_cleanup_free_ char *path =
		clean_name(stacks, intern_text(&stacks->table->texts, frame->object));
	struct rec_object object = {.kind = kind_of(frame, path), .path = path, .build_id = ""};

	if (object.kind == OBJECT_KERNEL)
		object.path = "[kernel]";
	else if (!*path)
		object.path = "[unknown]";
	object.id = hash_add(hash_text(SEED_OBJECT, object.path), object.kind);
	if (is_first(stacks, object.id))
		recording_writer_add_object(stacks->writer, &object);
	return object.id;
}

static uint64_t frame_id(struct stack_writer *stacks, uint32_t number)
{
	const struct table_frame *from = &stacks->table->frames.at[number];
	uint64_t *id = &stacks->frames[number].id;

	if (*id)
		return *id;
	_cleanup_free_ char *name =
		clean_name(stacks, intern_text(&stacks->table->texts, from->name));
	struct rec_frame frame = {.object = write_object(stacks, from),
		.address = from->address,
		.name = name,
		.offset = from->offset,
		.reason = *name ? NAME_OK : NAME_NO_SYMBOL};
	if (!*name && !from->is_kernel && !from->object)
		frame.reason = NAME_NOT_MAPPED;
	frame.id = hash_text(hash_add(hash_add(SEED_FRAME, frame.object), frame.address), name);
	if (is_first(stacks, frame.id))
		recording_writer_add_frame(stacks->writer, &frame);
	*id = frame.id;
	return frame.id;
}

/* Where a thread comes into the kernel, or begins in it: on x86 and arm64. */
static bool is_entry(const char *name)
{
	static const char *const entries[] = {"entry_SYSCALL_64_after_hwframe",
		"entry_SYSCALL_64_fastpath", "do_syscall_64", "syscall_return_via_sysret",
		"entry_SYSENTER_compat_after_hwframe", "entry_INT80_compat", "el0t_64_sync",
		"el0_sync", "el0_svc", "ret_from_fork", "ret_from_fork_asm", "asm_exc_page_fault",
		"asm_sysvec_apic_timer_interrupt", "asm_sysvec_reschedule_ipi",
		"asm_common_interrupt", "irqentry_exit_to_user_mode"};

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (!strcmp(name, entries[i]))
			return true;
	return false;
}

static enum border border_of(struct stack_writer *stacks, uint32_t number)
{
	const struct table_frame *from = &stacks->table->frames.at[number];
	const char *name = intern_text(&stacks->table->texts, from->name);
	enum border *border = &stacks->frames[number].border;

	if (*border == BORDER_UNKNOWN)
		*border = from->is_kernel || is_entry(name) ? BORDER_KERNEL
			  : !strcmp(name, "-")              ? BORDER_DELIMITER
							    : BORDER_NONE;
	return *border;
}

/* As for recordings of our own: only a known first function makes a stack complete. */
static enum unwind_end user_end(const struct stack_writer *stacks, uint32_t frame)
{
	static const char *const roots[] = {
		"_start", "__libc_start_", "clone", "__clone", "start_thread", "__GI___clone"};
	const struct table_frame *root = &stacks->table->frames.at[frame];
	const char *name = intern_text(&stacks->table->texts, root->name);

	/* Text without addresses does not tell how it was walked. */
	if (!root->address)
		return UNWIND_COMPLETE;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (!strncmp(name, roots[i], strlen(roots[i])))
			return UNWIND_COMPLETE;
	return UNWIND_BROKEN;
}

static bool begins_kernel_thread(const struct stack_writer *stacks, uint32_t frame)
{
	const char *name = intern_text(&stacks->table->texts, stacks->table->frames.at[frame].name);

	return !strncmp(name, "ret_from_fork", 13);
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
	enum border border = parent->is_kernel ? BORDER_NONE : border_of(stacks, node->frame);
	struct made_node made = *parent;

	made.is_written = made.is_asked = false;
	if (border != BORDER_NONE) {
		made.is_kernel = true;
		made.id = made.depth = 0;
		made.end = UNWIND_COMPLETE;
	}
	if (node->parent == TREE_ROOT && made.is_kernel)
		made.is_kernel_thread = begins_kernel_thread(stacks, node->frame);
	else if (node->parent == TREE_ROOT)
		made.end = (uint8_t)user_end(stacks, node->frame);
	if (!made.is_kernel)
		made.user_leaf = number;
	if (border == BORDER_DELIMITER)
		return made;
	uint64_t frame = frame_id(stacks, node->frame);
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

/* Of the part that ends in a node, towards the root; TREE_ROOT: there is no more. */
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
		node.frame = stacks->frames[frames[i]].id;
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
		stacks->cuts.stacks += is_new;
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

/* In the order of the table's key, which is five times as fast as in none. */
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
		uint32_t parent = above(stacks, i);
		struct rec_stack node = {.id = made->id,
			.frame = stacks->frames[stacks->tree->nodes.at[i].frame].id,
			.end = (enum unwind_end)made->end};
		if (parent != TREE_ROOT) {
			stacks->nodes.at[parent].is_written = true;
			node.parent = stacks->nodes.at[parent].id;
		}
		vec_push(&nodes, node);
	}
	write_in_order(stacks, nodes.at, nodes.count);
	vec_clear(&nodes);
}
