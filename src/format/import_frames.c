// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of text, each described when it is first asked for. */
#include "format/import_frames.h"

#include <string.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/text.h"

enum seed { SEED_OBJECT = 0x6f626a69, SEED_FRAME = 0x66726d69, SEED_INLINED = 0x696e6c69 };

#define MAX_NAME_BYTES 65000

struct known_frame {
	uint64_t id; /* 0: not made yet */
	enum frame_border border;
	bool is_put;
};

struct import_frames {
	struct recording_writer *writer;
	const struct stack_table *table;
	struct known_frame *known; /* by number */
	struct map64 put;          /* ids of objects and frames */
	uint64_t cut;
};

struct import_frames *import_frames_new(
	struct recording_writer *writer, const struct stack_table *table)
{
	struct import_frames *frames = xcalloc(1, sizeof(*frames));

	frames->writer = writer;
	frames->table = table;
	frames->known = xcalloc(table->frames.count, sizeof(*frames->known));
	return frames;
}

void import_frames_free(struct import_frames *frames)
{
	if (!frames)
		return;
	free(frames->known);
	map64_clear(&frames->put);
	free(frames);
}

uint64_t import_frames_cut(const struct import_frames *frames)
{
	return frames->cut;
}

static const char *name_of(const struct import_frames *frames, uint32_t number)
{
	return intern_text(&frames->table->texts, frames->table->frames.at[number].name);
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
			       strncmp(path, "[anon", 5) && strncmp(path, "[JIT]", 5)
		       ? OBJECT_FILE
		       : OBJECT_ANONYMOUS;
}

/* A frame and its object as rows, with the texts they point to. */
struct described {
	struct rec_frame frame;
	struct rec_object object;
	char *name;
	char *path;
	uint64_t cut; /* of the two */
};

static void free_described(struct described *described)
{
	free(described->name);
	free(described->path);
}

/* Clean, and cut to what a recording keeps, at the border of a character. */
static char *clean_name(struct described *described, const char *name)
{
	char *clean = text_clean(name, false);
	size_t length = strlen(clean);

	if (length > MAX_NAME_BYTES) {
		described->cut++;
		length = MAX_NAME_BYTES;
		while (length && ((unsigned char)clean[length] & 0xc0) == 0x80)
			length--;
		clean[length] = 0;
	}
	return clean;
}

static void describe_object(struct described *described, const struct table_frame *from)
{
	struct rec_object *object = &described->object;

	object->kind = kind_of(from, described->path);
	object->path = object->kind == OBJECT_KERNEL ? "[kernel]"
		       : *described->path            ? described->path
						     : "[unknown]";
	object->build_id = "";
	object->id = hash_add(hash_text(SEED_OBJECT, object->path), object->kind);
}

static void describe(
	const struct import_frames *frames, uint32_t number, struct described *described)
{
	const struct table_frame *from = &frames->table->frames.at[number];
	struct rec_frame *frame = &described->frame;

	described->name = clean_name(described, name_of(frames, number));
	described->path = clean_name(described, intern_text(&frames->table->texts, from->object));
	describe_object(described, from);
	*frame = (struct rec_frame){.object = described->object.id,
		.address = from->address,
		.name = described->name,
		.offset = from->offset,
		.reason = from->is_inlined                        ? NAME_INLINED
			  : *described->name && !from->is_unnamed ? NAME_OK
								  : NAME_NO_SYMBOL};
	if (!*described->name && !from->is_kernel && !from->object)
		frame->reason = NAME_NOT_MAPPED;
	frame->id = hash_text(
		hash_add(hash_add(from->is_inlined ? SEED_INLINED : SEED_FRAME, frame->object),
			frame->address),
		described->name);
}

uint64_t import_frames_id(struct import_frames *frames, uint32_t number)
{
	struct known_frame *known = &frames->known[number];

	if (!known->id) {
		_cleanup_(free_described) struct described described = {.cut = 0};
		describe(frames, number, &described);
		known->id = described.frame.id;
	}
	return known->id;
}

static bool is_first(struct import_frames *frames, uint64_t id)
{
	bool is_new;

	map64_put(&frames->put, id, &is_new);
	return is_new;
}

void import_frames_put(struct import_frames *frames, uint32_t number)
{
	_cleanup_(free_described) struct described described = {.cut = 0};

	if (frames->known[number].is_put)
		return;
	frames->known[number].is_put = true;
	describe(frames, number, &described);
	frames->cut += described.cut;
	if (is_first(frames, described.object.id))
		recording_writer_add_object(frames->writer, &described.object);
	if (is_first(frames, described.frame.id))
		recording_writer_add_frame(frames->writer, &described.frame);
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

enum frame_border import_frames_border(struct import_frames *frames, uint32_t number)
{
	enum frame_border *border = &frames->known[number].border;
	const char *name;

	if (*border == BORDER_UNKNOWN) {
		name = name_of(frames, number);
		*border = BORDER_NONE;
		if (frames->table->frames.at[number].is_kernel || is_entry(name))
			*border = BORDER_KERNEL;
		else if (!strcmp(name, "-"))
			*border = BORDER_DELIMITER;
	}
	return *border;
}

/* As for recordings of our own: only a known first function makes a stack complete. */
enum unwind_end import_frames_end(const struct import_frames *frames, uint32_t number)
{
	static const char *const roots[] = {
		"_start", "__libc_start_", "clone", "__clone", "start_thread", "__GI___clone"};

	/* Text without addresses does not tell how it was walked. */
	if (!frames->table->frames.at[number].address)
		return UNWIND_COMPLETE;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (!strncmp(name_of(frames, number), roots[i], strlen(roots[i])))
			return UNWIND_COMPLETE;
	return UNWIND_BROKEN;
}

bool import_frames_begins_kernel_thread(const struct import_frames *frames, uint32_t number)
{
	return !strncmp(name_of(frames, number), "ret_from_fork", 13);
}
