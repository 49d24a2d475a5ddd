// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names. An image is one (process, exec): the address space it had, and the raw stacks that belong
 * to it, which are forgotten with it. Objects, frames and nodes are written once each, by content.
 */
#include "capture/namer_private.h"

#include <string.h>
#include <sys/utsname.h>

#include "contract/unwind.h"
#include "model/unwind.h"
#include "symbol/object.h"
#include "util/hash.h"

/* vm.mmap_min_addr's usual value: nothing is mapped below. */
#define LOWEST_ADDRESS 65536
#define SEED_STACK 0x737461636b31ULL

struct namer *namer_new(struct recording_writer *writer, struct kernel_symbols *symbols,
	struct outside *outside, bool follows_all)
{
	struct namer *namer = xcalloc(1, sizeof(*namer));
	struct utsname name;

	namer->writer = writer;
	namer->symbols = symbols;
	namer->objects = object_table_new(outside);
	namer->spaces = spaces_new(namer->objects, follows_all);
	namer->kernel_seed = SEED_OBJECT;
	if (!uname(&name))
		namer->kernel_seed = hash_text(hash_text(SEED_OBJECT, name.release), name.version);
	return namer;
}

static void image_free(struct namer *namer, struct image *image)
{
	spaces_release(namer->spaces, image->space);
	vec_clear(&image->raw);
	free(image);
}

static struct image *image_at(uint64_t value)
{
	return (struct image *)(uintptr_t)value;
}

void namer_free(struct namer *namer)
{
	if (!namer)
		return;
	for (size_t i = 0; i < namer->images.room; i++)
		if (namer->images.slots[i].is_used)
			image_free(namer, image_at(namer->images.slots[i].value));
	map64_clear(&namer->images);
	map64_clear(&namer->by_raw);
	map64_clear(&namer->lock_stacks);
	map64_clear(&namer->written);
	map64_clear(&namer->numbered);
	spaces_free(namer->spaces);
	object_table_free(namer->objects);
	free(namer);
}

void namer_set_loader(struct namer *namer, struct loader *loader)
{
	namer->loader = loader;
}

void namer_set_own_code(struct namer *namer, const struct own_code *own)
{
	namer->own = own;
}

void namer_set_started(struct namer *namer)
{
	namer->is_started = true;
}

void namer_watch(struct namer *namer, uint32_t pid)
{
	spaces_watch(namer->spaces, pid);
}

void namer_apply(struct namer *namer, const struct map_event *event)
{
	spaces_apply(namer->spaces, event);
}

/*
 * At the start the loader has just read what every process has mapped. Frames that it has tables
 * for are known by their files: mappings are needed for the others only, if there are any.
 */
static struct space *attach_space(struct namer *namer, uint32_t pid, uint64_t start_stack)
{
	struct map_lines lines;

	if (namer->loader && !namer->is_started &&
		loader_take_lines(namer->loader, pid, start_stack, &lines))
		return spaces_attach_read(namer->spaces, pid, start_stack, &lines);
	return spaces_attach(namer->spaces, pid, start_stack);
}

void namer_add_image(struct namer *namer, uint32_t number, uint32_t pid, uint64_t start_stack)
{
	bool is_new;
	uint64_t *slot = map64_put(&namer->images, number, &is_new);

	if (!is_new)
		return;
	struct image *image = xcalloc(1, sizeof(*image));
	image->space = attach_space(namer, pid, start_stack);
	*slot = (uintptr_t)image;
	if (namer->loader)
		loader_know(namer->loader, number, pid, !namer->is_started);
}

const char *namer_exe(const struct namer *namer, uint32_t number)
{
	const uint64_t *slot = map64_find(&namer->images, number);

	return slot ? space_exe(image_at(*slot)->space) : "";
}

void namer_drop_image(struct namer *namer, uint32_t number)
{
	uint64_t *slot = map64_find(&namer->images, number);

	/* A stack that asked for its tables may have made it known there, and only there. */
	if (namer->loader)
		loader_forget(namer->loader, number);
	if (!slot)
		return;
	struct image *image = image_at(*slot);
	vec_each (raw, &image->raw) {
		map64_remove(&namer->by_raw, *raw);
		map64_remove(&namer->lock_stacks, *raw);
	}
	map64_remove(&namer->images, number);
	image_free(namer, image);
}

/* Functions in which a thread's user stack begins. */
static bool is_root_function(const char *name)
{
	static const char *const roots[] = {"_start", "__libc_start_main", "__libc_start_call_main",
		"__libc_start_main_impl", "__libc_start_main@@GLIBC_2.34", "clone", "__clone",
		"clone3", "__clone3", "start_thread"};

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (!strcmp(name, roots[i]))
			return true;
	return false;
}

/*
 * A frame-pointer walk cannot tell where the stack ends from where the chain breaks: only a known
 * first function at the outer end counts as complete.
 */
static enum unwind_end user_end(const struct record_stack *record, const char *outermost)
{
	if (record->depth >= CONTRACT_MAX_FRAMES)
		return UNWIND_CUT;
	return is_root_function(outermost) ? UNWIND_COMPLETE : UNWIND_BROKEN;
}

static uint64_t write_nodes(
	struct namer *namer, const uint64_t *frames, size_t count, enum unwind_end end)
{
	uint64_t parent = 0;

	for (size_t i = count; i--;) {
		struct rec_stack node = {.parent = parent, .frame = frames[i], .end = end};
		node.id = hash_add(hash_add(hash_add(SEED_STACK, end), parent), frames[i]);
		if (node.id < STACK_FIRST_ID)
			node.id += STACK_FIRST_ID;
		if (namer_is_first(namer, node.id))
			recording_writer_add_stack(namer->writer, &node);
		parent = node.id;
	}
	return parent;
}

static bool starts_function(const struct namer *namer, uint64_t address)
{
	struct kernel_symbol symbol;

	return namer->symbols && kernel_symbols_find(namer->symbols, address, &symbol) &&
	       symbol.start == address;
}

static uint64_t kernel_stack(struct namer *namer, const struct record_stack *record)
{
	uint64_t frames[CONTRACT_MAX_FRAMES];
	uint32_t kept[CONTRACT_MAX_FRAMES], first = record->skip;

	if (record->has_callee && !starts_function(namer, record->frames[first]))
		first++;
	size_t count = own_code_cut(
		namer->own, namer->symbols, record->frames, first, record->depth, kept);
	/* A walk that began in a program before it had a frame may not get out of it. */
	if (!count)
		return STACK_FAILED;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = kernel_frame_place(namer->symbols, record->frames, kept[i]);
		frames[i] = namer_kernel_frame(namer, record->frames[kept[i]], at);
	}
	return write_nodes(namer, frames, count,
		record->depth >= CONTRACT_MAX_FRAMES ? UNWIND_CUT : UNWIND_COMPLETE);
}

struct image *namer_image(struct namer *namer, uint32_t number)
{
	uint64_t *slot = map64_find(&namer->images, number);

	return slot ? image_at(*slot) : NULL;
}

/* Leaf frames whose names say what lock was waited for. */
#define LOCK_FRAMES 8

/* Notes stacks of pthread's locks: a few, of the many that a recording has. */
static void note_lock(struct namer *namer, uint64_t raw_id, const char *const *names, size_t count)
{
	enum known_owner owner = known_wait_tells_owner(names, count);

	if (owner)
		*map64_put(&namer->lock_stacks, raw_id, NULL) = owner;
}

enum known_owner namer_tells_owner(const struct namer *namer, uint64_t raw_id)
{
	const uint64_t *owner = map64_find(&namer->lock_stacks, raw_id);

	return owner ? (enum known_owner) * owner : KNOWN_OWNER_NOT;
}

/*
 * Leaf frames that are of the library which COMMAND was started with, where that tells of a block:
 * whoever looks for allocations means who called malloc(), not how dwell knows.
 */
static uint32_t telling_frames(const struct namer *namer, const struct record_stack *record,
	const char *const leaves[static LOCK_FRAMES])
{
	uint32_t count = 0, object = UNWIND_FRAME_OBJECT(record->frames[0]);

	if (!namer->hook || !leaves[0] || strcmp(leaves[0], namer->hook) != 0)
		return 0;
	while (count + 1 < record->depth && !(record->frames[count] & UNWIND_FRAME_RAW) &&
		UNWIND_FRAME_OBJECT(record->frames[count]) == object)
		count++;
	/* The hook itself in any case: its mapping may not be known yet. */
	if (!count && record->depth > 1)
		count = 1;
	/* Who wants a block in C++ asks an operator, which asks malloc(). */
	while (count && count + 1 < record->depth && count < LOCK_FRAMES && leaves[count] &&
		!strncmp(leaves[count], "operator new", strlen("operator new")))
		count++;
	return count;
}

/*
 * What the library hands on to the program's own allocator: where that waits, or asks the kernel
 * for memory, the program's own caller is who matters. Frames at the leaf are its own time, and
 * stay.
 */
static uint32_t drop_library(
	struct namer *namer, const struct record_stack *record, uint32_t first, uint64_t *frames)
{
	uint32_t count = record->depth - first, kept = 0;
	bool is_leaf = true;

	if (!namer->library)
		return count;
	for (uint32_t i = 0; i < count; i++) {
		bool is_ours = namer_is_in(namer, record->frames[first + i], namer->library);
		if (is_leaf || !is_ours)
			frames[kept++] = frames[i];
		is_leaf &= is_ours;
	}
	return kept;
}

static uint64_t packed_stack(struct namer *namer, const struct record_stack *record)
{
	uint64_t frames[UNWIND_MAX_FRAMES];
	struct image *image = namer_image(namer, record->image);
	enum unwind_end end = unwind_end_of(record->stop);
	const char *name = "", *leaves[LOCK_FRAMES] = {NULL};
	bool has_raw = false;

	for (uint32_t i = 0; i < record->depth; i++) {
		uint64_t frame = record->frames[i], pc = UNWIND_FRAME_PC(frame);
		bool is_raw = frame & UNWIND_FRAME_RAW;

		has_raw |= is_raw;
		frames[i] = is_raw ? namer_user_frame(namer, image, pc,
					     frame & UNWIND_FRAME_EXACT ? pc : pc - 1, &name)
				   : namer_packed_frame(namer, frame, &name);
		if (i < LOCK_FRAMES)
			leaves[i] = *name ? name : NULL;
	}
	note_lock(namer, record->id, leaves,
		record->depth < LOCK_FRAMES ? record->depth : LOCK_FRAMES);
	/* Some C libraries (musl) do not describe the function that threads begin in. */
	if (record->stop == UNWIND_STOP_GAP && is_root_function(name))
		end = UNWIND_COMPLETE;
	/* One without plain addresses may come from any process: it is kept. */
	if (image && has_raw)
		vec_push(&image->raw, record->id);
	uint32_t first = telling_frames(namer, record, leaves);
	return write_nodes(
		namer, frames + first, drop_library(namer, record, first, frames + first), end);
}

void namer_set_hook(struct namer *namer, const char *library, const char *function)
{
	namer->library = library;
	namer->hook = function;
}

static uint64_t user_stack(struct namer *namer, const struct record_stack *record)
{
	uint64_t frames[CONTRACT_MAX_FRAMES];
	struct image *image = namer_image(namer, record->image);
	const char *name = "", *leaves[LOCK_FRAMES] = {NULL};
	uint32_t depth = record->depth;

	/* Where the chain of frame pointers ends it often yields one that is no address. */
	while (depth > 1 && record->frames[depth - 1] < LOWEST_ADDRESS)
		depth--;
	for (uint32_t i = 0; i < depth; i++) {
		uint64_t pc = record->frames[i];
		frames[i] = namer_user_frame(namer, image, pc, i ? pc - 1 : pc, &name);
		if (i < LOCK_FRAMES)
			leaves[i] = *name ? name : NULL;
	}
	note_lock(namer, record->id, leaves, depth < LOCK_FRAMES ? depth : LOCK_FRAMES);
	if (image)
		vec_push(&image->raw, record->id);
	return write_nodes(namer, frames, depth, user_end(record, name));
}

/* Frames of user code may be packed, of which a stack can have more. */
static bool is_packed(const struct record_stack *record)
{
	return record->kind != RECORD_KERNEL_STACK && record->is_packed;
}

void namer_add_stack(struct namer *namer, const struct record_stack *record, size_t length)
{
	bool is_new;

	if (length < sizeof(*record) || !record->depth ||
		record->depth > (is_packed(record) ? UNWIND_MAX_FRAMES : CONTRACT_MAX_FRAMES) ||
		record->skip >= record->depth ||
		length < sizeof(*record) + record->depth * sizeof(uint64_t))
		return;
	map64_put(&namer->by_raw, record->id, &is_new);
	if (!is_new)
		return;
	uint64_t id = record->kind == RECORD_KERNEL_STACK ? kernel_stack(namer, record)
		      : is_packed(record)                 ? packed_stack(namer, record)
							  : user_stack(namer, record);
	*map64_put(&namer->by_raw, record->id, NULL) = id;
}

uint64_t namer_stack(const struct namer *namer, uint64_t raw_id)
{
	if (raw_id < STACK_FIRST_ID)
		return raw_id;
	const uint64_t *id = map64_find(&namer->by_raw, raw_id);
	return id ? *id : STACK_LOST;
}
