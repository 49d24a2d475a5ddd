// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names. An image is one (process, exec): the address space it had, and the raw stacks that belong
 * to it, which are forgotten with it. Objects, frames and nodes are written once each, by content.
 */
#include "capture/namer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/spaces.h"
#include "contract/unwind.h"
#include "model/unwind.h"
#include "symbol/locate.h"
#include "symbol/object.h"
#include "util/hash.h"
#include "util/map64.h"
#include "util/vec.h"

/* vm.mmap_min_addr's usual value: nothing is mapped below. */
#define LOWEST_ADDRESS 65536
#define SEED_OBJECT 0x6f626a65637431ULL
#define SEED_FRAME 0x6672616d6531ULL
#define SEED_STACK 0x737461636b31ULL

struct image {
	struct space *space;
	VEC(uint64_t) raw; /* its stacks, to be forgotten with it */
};

struct namer {
	struct recording_writer *writer;
	struct kernel_symbols *symbols;
	struct object_table *objects;
	struct spaces *spaces;
	uint64_t kernel_seed; /* tells this kernel build from others */
	struct map64 images;  /* image -> struct image * */
	struct map64 by_raw;  /* raw id -> recording's id */
	struct map64 written; /* ids of objects, frames, nodes */
	struct loader *loader;
	const struct own_code *own;
	bool is_started;
	struct map64 numbered; /* the loader's number -> struct code_object * */
};

/* One frame on its way into the recording. */
struct place {
	struct rec_object object;
	struct rec_frame frame;
	uint64_t salt; /* tells frames of one address apart: JIT code comes and goes */
};

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

void namer_add_image(struct namer *namer, uint32_t number, uint32_t pid, uint64_t start_stack)
{
	bool is_new;
	uint64_t *slot = map64_put(&namer->images, number, &is_new);

	if (!is_new)
		return;
	struct image *image = xcalloc(1, sizeof(*image));
	image->space = spaces_attach(namer->spaces, pid, start_stack);
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
	vec_each (raw, &image->raw)
		map64_remove(&namer->by_raw, *raw);
	map64_remove(&namer->images, number);
	image_free(namer, image);
}

/* True the first time for each id. */
static bool is_first(struct namer *namer, uint64_t id)
{
	bool is_new;

	map64_put(&namer->written, id, &is_new);
	return is_new;
}

static uint64_t write_place(struct namer *namer, struct place *place)
{
	place->frame.object = place->object.id;
	place->frame.id = hash_add(hash_add(SEED_FRAME, place->object.id), place->frame.address);
	if (place->salt)
		place->frame.id = hash_add(place->frame.id, place->salt);
	if (is_first(namer, place->frame.id)) {
		if (is_first(namer, place->object.id))
			recording_writer_add_object(namer->writer, &place->object);
		recording_writer_add_frame(namer->writer, &place->frame);
	}
	return place->frame.id;
}

/* An address without a symbol may be of a module or BPF program that was not there yet. */
static bool find_symbol(struct namer *namer, uint64_t address, struct kernel_symbol *ret)
{
	/* kallsyms has no sizes: a program loaded later seems to be its neighbour. */
	if (kernel_symbols_find(namer->symbols, address, ret) && strcmp(ret->module, "bpf"))
		return true;
	kernel_symbols_refresh(namer->symbols);
	return kernel_symbols_find(namer->symbols, address, ret);
}

/* `at` is where the name is looked up: inside the call for return addresses. */
static uint64_t kernel_frame(struct namer *namer, uint64_t pc, uint64_t at)
{
	struct place place = {.object = {.kind = OBJECT_KERNEL, .path = "[kernel]", .build_id = ""},
		.frame = {.address = pc, .name = "", .reason = NAME_HIDDEN}};
	struct kernel_symbol symbol;
	char path[80];

	if (namer->symbols) {
		place.frame.reason = NAME_NO_SYMBOL;
		place.frame.address = pc - kernel_symbols_base(namer->symbols);
	}
	if (namer->symbols && find_symbol(namer, at, &symbol)) {
		place.frame.name = symbol.name;
		place.frame.offset = pc - symbol.start;
		place.frame.reason = NAME_OK;
		if (symbol.module[0]) {
			snprintf(path, sizeof(path), "[%s]", symbol.module);
			place.object.kind = OBJECT_MODULE;
			place.object.path = path;
			place.frame.address =
				pc - kernel_symbols_module_base(namer->symbols, symbol.module);
		}
	}
	place.object.id = hash_text(namer->kernel_seed, place.object.path);
	return write_place(namer, &place);
}

static const enum object_kind kind_of_code[] = {
	[CODE_FILE] = OBJECT_FILE, [CODE_VDSO] = OBJECT_VDSO, [CODE_ANONYMOUS] = OBJECT_ANONYMOUS};

/* Code without a file: named by the process's perf map, and then its own object. */
static void name_jit(
	struct namer *namer, struct space *space, uint64_t pc, uint64_t at, struct place *place)
{
	const char *name = space_jit_name(namer->spaces, space, at, &place->frame.offset);

	place->frame.reason = NAME_ANONYMOUS;
	if (!name)
		return;
	place->frame.name = name;
	place->frame.offset += pc - at;
	place->frame.reason = NAME_OK;
	place->salt = hash_text(0, name);
	place->object.path = "[jit]";
	place->object.id = hash_add(hash_text(SEED_OBJECT, place->object.path), space_mark(space));
}

/* Why the object has no name for one of its addresses. */
static enum name_reason reason_of(const struct code_object *object)
{
	static const enum name_reason of_lack[] = {[CODE_LACK_RIGHT] = NAME_FORBIDDEN,
		[CODE_LACK_ANSWER] = NAME_NO_ANSWER,
		[CODE_LACK_ROOM] = NAME_NO_ROOM};

	if (object->lack)
		return of_lack[object->lack];
	if (!object->is_readable)
		return NAME_NO_FILE;
	return object->has_symbols ? NAME_NO_SYMBOL : NAME_STRIPPED;
}

/* An unnamed function whose start is known still has an offset in it. */
static void name_in_object(const struct code_place *code, uint64_t behind, struct rec_frame *frame)
{
	const char *name = code_object_name(code->object, code->address, &frame->offset);
	uint64_t start;

	frame->reason = name ? NAME_OK : reason_of(code->object);
	if (name) {
		frame->name = name;
		frame->offset += behind;
	} else if (code_object_function(code->object, code->address, &start)) {
		frame->offset = code->address + behind - start;
	}
}

static void fill_object(struct place *place, const struct code_object *object)
{
	place->object.id = object->id;
	place->object.kind = kind_of_code[object->kind];
	place->object.path = object->path;
	place->object.build_id = object->build_id;
}

static uint64_t user_frame(
	struct namer *namer, struct image *image, uint64_t pc, uint64_t at, const char **ret_name)
{
	struct place place = {
		.object = {.kind = OBJECT_UNKNOWN, .path = "[unknown]", .build_id = ""},
		.frame = {.address = pc, .name = "", .reason = NAME_NOT_MAPPED}};
	struct code_place code;

	place.object.id = hash_text(SEED_OBJECT, place.object.path);
	if (image && space_find(namer->spaces, image->space, at, &code)) {
		fill_object(&place, code.object);
		place.frame.address = code.address + (pc - at);
		if (code.object->kind == CODE_ANONYMOUS)
			name_jit(namer, image->space, pc, at, &place);
		else
			name_in_object(&code, pc - at, &place.frame);
	} else if (!image || space_is_unknown(image->space)) {
		place.frame.reason = NAME_PROCESS_GONE;
	}
	*ret_name = place.frame.name;
	return write_place(namer, &place);
}

/* The object that the loader gave a number; NULL if it does not know it. */
static struct code_object *numbered_object(struct namer *namer, uint32_t number)
{
	bool is_new;
	uint64_t *slot = map64_put(&namer->numbered, number, &is_new);
	struct loader_object known;

	if (!is_new)
		return (struct code_object *)(uintptr_t)*slot;
	if (!namer->loader || loader_object(namer->loader, number, &known))
		return NULL;
	_cleanup_free_ char *path = known.path;
	_cleanup_close_ int fd = known.path_fd;
	/* Who had it may be gone; its debug file is then looked for where we would. */
	if (kill((pid_t)known.pid, 0) && errno == ESRCH)
		known.pid = LOCATE_OWN_ROOT;
	struct code_object *object = known.is_vdso ? object_table_vdso(namer->objects)
						   : object_table_adopt(namer->objects, known.pid,
							     path, &known.stamp, fd);
	*slot = (uintptr_t)object;
	return object;
}

/* A frame as (object, address): no mappings needed, whoever ran it. */
static uint64_t packed_frame(struct namer *namer, uint64_t frame, const char **ret_name)
{
	uint64_t address = UNWIND_FRAME_ADDRESS(frame), behind = !(frame & UNWIND_FRAME_EXACT);
	struct place place = {
		.object = {.kind = OBJECT_UNKNOWN, .path = "[unknown]", .build_id = ""},
		.frame = {.address = address, .name = "", .reason = NAME_NO_FILE}};
	struct code_place code = {.object = numbered_object(namer, UNWIND_FRAME_OBJECT(frame)),
		.address = address - behind};

	place.object.id = hash_text(SEED_OBJECT, place.object.path);
	if (code.object) {
		fill_object(&place, code.object);
		name_in_object(&code, behind, &place.frame);
	}
	*ret_name = place.frame.name;
	return write_place(namer, &place);
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
		if (is_first(namer, node.id))
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
		frames[i] = kernel_frame(namer, record->frames[kept[i]], at);
	}
	return write_nodes(namer, frames, count,
		record->depth >= CONTRACT_MAX_FRAMES ? UNWIND_CUT : UNWIND_COMPLETE);
}

static struct image *image_of(struct namer *namer, uint32_t number)
{
	uint64_t *slot = map64_find(&namer->images, number);

	return slot ? image_at(*slot) : NULL;
}

static uint64_t packed_stack(struct namer *namer, const struct record_stack *record)
{
	uint64_t frames[UNWIND_MAX_FRAMES];
	struct image *image = image_of(namer, record->image);
	enum unwind_end end = unwind_end_of(record->stop);
	const char *name = "";
	bool has_raw = false;

	for (uint32_t i = 0; i < record->depth; i++) {
		uint64_t frame = record->frames[i], pc = UNWIND_FRAME_PC(frame);
		bool is_raw = frame & UNWIND_FRAME_RAW;

		has_raw |= is_raw;
		frames[i] = is_raw ? user_frame(namer, image, pc,
					     frame & UNWIND_FRAME_EXACT ? pc : pc - 1, &name)
				   : packed_frame(namer, frame, &name);
	}
	/* Some C libraries (musl) do not describe the function that threads begin in. */
	if (record->stop == UNWIND_STOP_GAP && is_root_function(name))
		end = UNWIND_COMPLETE;
	/* One without plain addresses may come from any process: it is kept. */
	if (image && has_raw)
		vec_push(&image->raw, record->id);
	return write_nodes(namer, frames, record->depth, end);
}

static uint64_t user_stack(struct namer *namer, const struct record_stack *record)
{
	uint64_t frames[CONTRACT_MAX_FRAMES];
	struct image *image = image_of(namer, record->image);
	const char *name = "";
	uint32_t depth = record->depth;

	/* Where the chain of frame pointers ends it often yields one that is no address. */
	while (depth > 1 && record->frames[depth - 1] < LOWEST_ADDRESS)
		depth--;
	for (uint32_t i = 0; i < depth; i++) {
		uint64_t pc = record->frames[i];
		frames[i] = user_frame(namer, image, pc, i ? pc - 1 : pc, &name);
	}
	if (image)
		vec_push(&image->raw, record->id);
	return write_nodes(namer, frames, depth, user_end(record, name));
}

void namer_add_stack(struct namer *namer, const struct record_stack *record, size_t length)
{
	bool is_new;

	if (length < sizeof(*record) || !record->depth ||
		record->depth > (record->is_packed ? UNWIND_MAX_FRAMES : CONTRACT_MAX_FRAMES) ||
		record->skip >= record->depth ||
		length < sizeof(*record) + record->depth * sizeof(uint64_t))
		return;
	map64_put(&namer->by_raw, record->id, &is_new);
	if (!is_new)
		return;
	uint64_t id = record->kind == RECORD_KERNEL_STACK ? kernel_stack(namer, record)
		      : record->is_packed                 ? packed_stack(namer, record)
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

const char *namer_kernel_function(struct namer *namer, uint64_t address)
{
	struct kernel_symbol symbol;

	return namer->symbols && find_symbol(namer, address, &symbol) ? symbol.name : "";
}
