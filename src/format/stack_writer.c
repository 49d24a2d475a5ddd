// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of text into objects, frames and nodes of a recording. Names come as text, so ids are made
 * from object, name and address. A stack is divided where the kernel begins: at the first frame
 * (from the root) that is known to be the kernel's, or is one of its entry points.
 */
#include <string.h>

#include "format/import_private.h"
#include "util/hash.h"
#include "util/text.h"

enum seed { SEED_OBJECT = 0x6f626a69, SEED_FRAME = 0x66726d69, SEED_STACK = 0x73746b69 };

/* The recording's readers refuse deeper ones. */
#define MAX_NODES 4000
#define MAX_NAME_BYTES 65000

struct stack_writer {
	struct recording_writer *writer;
	const struct stack_table *table;
	struct map64 frame_ids;      /* frame number -> id */
	struct map64 written;        /* ids of objects, frames and nodes */
	VEC(struct rec_stack) nodes; /* to be written */
	struct written_stack *done;  /* by number of the stack */
	struct stack_cuts cuts;
};

struct stack_writer *stack_writer_new(struct recording_writer *writer, struct stack_table *table)
{
	struct stack_writer *stacks = xcalloc(1, sizeof(*stacks));

	map64_clear(&table->by_hash);
	stacks->writer = writer;
	stacks->table = table;
	stacks->done = xcalloc(table->stacks.count + 1, sizeof(*stacks->done));
	return stacks;
}

static int compare_nodes(const void *left, const void *right)
{
	const struct rec_stack *a = left, *b = right;

	return (int64_t)a->id < (int64_t)b->id ? -1 : (int64_t)a->id > (int64_t)b->id;
}

struct stack_cuts stack_writer_cuts(const struct stack_writer *stacks)
{
	return stacks->cuts;
}

void stack_writer_flush(struct stack_writer *stacks)
{
	/* In the order of the table's key, which is five times as fast as in none. */
	vec_sort(&stacks->nodes, compare_nodes);
	vec_each (node, &stacks->nodes)
		recording_writer_add_stack(stacks->writer, node);
	stacks->nodes.count = 0;
}

void stack_writer_free(struct stack_writer *stacks)
{
	if (!stacks)
		return;
	map64_clear(&stacks->frame_ids);
	free(stacks->done);
	map64_clear(&stacks->written);
	vec_clear(&stacks->nodes);
	free(stacks);
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
	bool is_new;
	uint64_t *id = map64_put(&stacks->frame_ids, number, &is_new);

	if (!is_new)
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

static uint64_t write_nodes(
	struct stack_writer *stacks, const uint32_t *frames, size_t depth, enum unwind_end end)
{
	uint64_t parent = 0;

	if (depth > MAX_NODES) {
		stacks->cuts.stacks++;
		frames += depth - MAX_NODES;
		depth = MAX_NODES;
		end = UNWIND_CUT;
	}
	for (size_t i = 0; i < depth; i++) {
		struct rec_stack node = {
			.parent = parent, .frame = frame_id(stacks, frames[i]), .end = end};
		node.id = hash_add(hash_add(hash_add(SEED_STACK, end), parent), node.frame);
		if (node.id < STACK_FIRST_ID)
			node.id += STACK_FIRST_ID;
		if (is_first(stacks, node.id))
			vec_push(&stacks->nodes, node);
		parent = node.id;
	}
	return depth ? parent : STACK_NONE;
}

static const char *name_of(const struct stack_writer *stacks, uint32_t frame)
{
	return intern_text(&stacks->table->texts, stacks->table->frames.at[frame].name);
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

/* The first frame of the kernel; with a delimiter "-" before it, as bcc writes it with -d. */
static size_t find_kernel(const struct stack_writer *stacks, const uint32_t *frames, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		if (stacks->table->frames.at[frames[i]].is_kernel ||
			is_entry(name_of(stacks, frames[i])) ||
			!strcmp(name_of(stacks, frames[i]), "-"))
			return i;
	return depth;
}

/* As for recordings of our own: only a known first function makes a stack complete. */
static enum unwind_end user_end(const struct stack_writer *stacks, const uint32_t *frames)
{
	static const char *const roots[] = {
		"_start", "__libc_start_", "clone", "__clone", "start_thread", "__GI___clone"};
	const struct table_frame *root = &stacks->table->frames.at[frames[0]];
	const char *name = intern_text(&stacks->table->texts, root->name);

	/* Text without addresses does not tell how it was walked. */
	if (!root->address)
		return UNWIND_COMPLETE;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (!strncmp(name, roots[i], strlen(roots[i])))
			return UNWIND_COMPLETE;
	return UNWIND_BROKEN;
}

static struct written_stack write_stack(struct stack_writer *stacks, uint32_t stack)
{
	struct written_stack written = {STACK_NONE, STACK_NONE, false, true};
	size_t depth;
	const uint32_t *frames = stack_table_frames(stacks->table, stack, &depth);
	size_t kernel = find_kernel(stacks, frames, depth);

	if (kernel)
		written.user = write_nodes(stacks, frames, kernel, user_end(stacks, frames));
	if (!kernel && depth && !strncmp(name_of(stacks, frames[0]), "ret_from_fork", 13))
		written.is_kernel_thread = true;
	if (kernel < depth && !strcmp(name_of(stacks, frames[kernel]), "-"))
		kernel++;
	if (kernel < depth)
		written.kernel =
			write_nodes(stacks, frames + kernel, depth - kernel, UNWIND_COMPLETE);
	return written;
}

struct written_stack stack_writer_put(struct stack_writer *stacks, uint32_t stack)
{
	if (stack >= stacks->table->stacks.count)
		stack = 0;
	if (!stacks->done[stack].is_done)
		stacks->done[stack] = write_stack(stacks, stack);
	return stacks->done[stack];
}
