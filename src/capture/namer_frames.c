// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames: an address of the kernel, of a process or of an object becomes a name, or why not. */
#include "capture/namer_private.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "contract/unwind.h"
#include "symbol/locate.h"
#include "symbol/object.h"
#include "util/hash.h"

/* As many ids as are remembered to be written, in 6 MiB. */
#define MAX_WRITTEN (1 << 17)
#define SEED_FRAME 0x6672616d6531ULL

/* One frame on its way into the recording. */
struct place {
	struct rec_object object;
	struct rec_frame frame;
	uint64_t salt; /* tells frames of one address apart: JIT code comes and goes */
};

/* The recording ignores what it has, so ids may be forgotten: each process with code made at run
 * time has frames of its own, and they would be kept for ever. */
bool namer_is_first(struct namer *namer, uint64_t id)
{
	bool is_new;

	if (namer->written.count >= MAX_WRITTEN)
		map64_clear(&namer->written);
	map64_put(&namer->written, id, &is_new);
	return is_new;
}

static uint64_t write_place(struct namer *namer, struct place *place)
{
	place->frame.object = place->object.id;
	place->frame.id = hash_add(hash_add(SEED_FRAME, place->object.id), place->frame.address);
	if (place->salt)
		place->frame.id = hash_add(place->frame.id, place->salt);
	if (namer_is_first(namer, place->frame.id)) {
		if (namer_is_first(namer, place->object.id))
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

uint64_t namer_kernel_frame(struct namer *namer, uint64_t pc, uint64_t at)
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

uint64_t namer_user_frame(
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
	/* If its process is gone, its debug file is looked for in our own root. */
	if (kill((pid_t)known.pid, 0) && errno == ESRCH)
		known.pid = LOCATE_OWN_ROOT;
	struct code_object *object = known.is_vdso ? object_table_vdso(namer->objects)
						   : object_table_adopt(namer->objects, known.pid,
							     path, &known.stamp, fd);
	*slot = (uintptr_t)object;
	return object;
}

uint64_t namer_packed_frame(struct namer *namer, uint64_t frame, const char **ret_name)
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

bool namer_is_in(struct namer *namer, uint64_t frame, const char *path)
{
	const struct code_object *object =
		frame & UNWIND_FRAME_RAW ? NULL
					 : numbered_object(namer, UNWIND_FRAME_OBJECT(frame));

	return object && !strcmp(object->path, path);
}

const char *namer_kernel_function(struct namer *namer, uint64_t address)
{
	struct kernel_symbol symbol;

	return namer->symbols && find_symbol(namer, address, &symbol) ? symbol.name : "";
}
