// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks the notes (elf.h: Elf64_Nhdr, owner "stapsdt", type 3). What a note holds: the address of
 * the probe, the address that .stapsdt.base had when it was written, the address of its counter,
 * and three texts: provider, name, arguments. A tool that moves the sections of a linked file
 * (prelink) leaves notes as they are, so addresses are taken relative to where .stapsdt.base is.
 */
#include "elf/usdt.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "elf/cursor.h"
#include "elf/file.h"
#include "elf/section.h"
#include "elf/x86_length.h"
#include "util/vec.h"

#define NOTES_SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define OWNER "stapsdt"
#define NOTE_TYPE 3
#define MAX_SECTION_BYTES (16ULL << 20)

struct note {
	uint64_t address, base, semaphore;
	const char *provider, *name, *arguments;
};

/* The text up to its end, which is within the note; NULL: it is not. */
static const char *take_text(struct cursor *cursor)
{
	const char *text = (const char *)cursor->at;
	const char *end = memchr(text, '\0', (size_t)(cursor->end - cursor->at));

	cursor_take(cursor, end ? (uint64_t)(end + 1 - text) : UINT64_MAX);
	return end ? text : NULL;
}

static bool parse_note(struct cursor at, struct note *ret)
{
	struct note note;

	note.address = cursor_u64(&at);
	note.base = cursor_u64(&at);
	note.semaphore = cursor_u64(&at);
	note.provider = take_text(&at);
	note.name = take_text(&at);
	note.arguments = take_text(&at);
	if (at.is_bad || !note.provider[0] || !note.name[0])
		return false;
	*ret = note;
	return true;
}

/* The next note of a probe; false at the end of those that make sense. */
static bool next_note(struct cursor *cursor, struct note *ret)
{
	while (cursor->at < cursor->end) {
		uint32_t owner_bytes = cursor_u32(cursor);
		uint32_t bytes = cursor_u32(cursor);
		uint32_t type = cursor_u32(cursor);
		const unsigned char *owner =
			cursor_take(cursor, ((uint64_t)owner_bytes + 3) & ~3ULL);
		const unsigned char *text = cursor_take(cursor, bytes);
		if (cursor->is_bad)
			return false;
		/* The last one's padding may be left out. */
		uint64_t padding = -(uint64_t)bytes & 3;
		cursor_take(cursor, padding < (uint64_t)(cursor->end - cursor->at)
					    ? padding
					    : (uint64_t)(cursor->end - cursor->at));
		if (type != NOTE_TYPE || owner_bytes != sizeof(OWNER) ||
			memcmp(owner, OWNER, sizeof(OWNER)))
			continue;
		if (parse_note((struct cursor){.at = text, .end = text + bytes}, ret))
			return true;
	}
	return false;
}

/* 0 and no bytes if there are no notes. */
static int open_notes(const struct elf_file *file, struct cursor *ret)
{
	struct elf_section section = {0};
	int error = elf_section_read(file, NOTES_SECTION, MAX_SECTION_BYTES, &section);

	if (error && error != -ENOENT)
		return error;
	*ret = (struct cursor){.at = section.bytes, .end = section.bytes + section.count};
	return 0;
}

static bool offset_of(const struct elf_file *file, uint64_t address, bool is_code, uint64_t *ret)
{
	Elf *elf = elf_file_handle(file);
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
			(!is_code || header.p_flags & PF_X) && address >= header.p_vaddr &&
			address - header.p_vaddr < header.p_filesz)
			return !__builtin_add_overflow(
				address - header.p_vaddr, header.p_offset, ret);
	return false;
}

static void parse_arguments(const char *text, struct elf_usdt_place *place)
{
	for (size_t length; *(text += strspn(text, " ")); text += length) {
		length = strcspn(text, " ");
		if (place->argument_count == ELF_USDT_MAX_ARGUMENTS)
			return;
		place->arguments[place->argument_count++] = elf_usdt_argument(text, length);
	}
}

/* base: where .stapsdt.base is; 0: the file has none, and notes are taken as they are. */
static bool make_place(const struct elf_file *file, const struct note *note, uint64_t base,
	struct elf_usdt_place *ret)
{
	struct elf_usdt_place place;
	uint64_t moved = base ? base - note->base : 0;

	memset(&place, 0, sizeof(place));
	if (!offset_of(file, note->address + moved, true, &place.offset))
		return false;
	/* Without its counter the program would never come to the probe. */
	if (note->semaphore &&
		(!offset_of(file, note->semaphore + moved, false, &place.semaphore) ||
			!place.semaphore))
		return false;
	if (elf_file_is_x86(file)) {
		size_t count;
		const unsigned char *code =
			elf_file_code(file, place.offset, X86_MAX_LENGTH, &count);
		place.is_nop5 = code && x86_is_nop5(code, count);
	}
	parse_arguments(note->arguments, &place);
	*ret = place;
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct elf_usdt_place *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* A place that is named twice would be counted twice. */
static size_t without_doubles(struct elf_usdt_place *places, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!kept || places[kept - 1].offset != places[i].offset)
			places[kept++] = places[i];
	return kept;
}

int elf_usdt_places(const struct elf_file *file, const char *provider, const char *name,
	struct elf_usdt_place **ret, size_t *ret_count)
{
	VEC(struct elf_usdt_place) places = {0};
	struct elf_usdt_place place;
	struct elf_section base = {0};
	struct cursor notes;
	struct note note;
	bool is_named = false;
	int error = open_notes(file, &notes);

	if (error)
		return error;
	elf_section_read(file, BASE_SECTION, MAX_SECTION_BYTES, &base);
	while (!error && next_note(&notes, &note)) {
		if (strcmp(note.provider, provider) || strcmp(note.name, name))
			continue;
		is_named = true;
		if (!make_place(file, &note, base.vaddr, &place))
			continue;
		if (places.count == ELF_USDT_MAX_PLACES)
			error = -E2BIG;
		else
			vec_push(&places, place);
	}
	if (!error && !places.count)
		error = is_named || notes.is_bad ? -EBADMSG : -ENOENT;
	if (error) {
		vec_clear(&places);
		return error;
	}
	vec_sort(&places, by_offset);
	*ret_count = without_doubles(places.at, places.count);
	*ret = places.at;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	const struct elf_usdt_name *left = a, *right = b;

	return strcmp(left->text, right->text);
}

static uint32_t count_arguments(const char *text)
{
	struct elf_usdt_place place = {0};

	parse_arguments(text, &place);
	return place.argument_count;
}

/* Sorted names; equal ones become one that counts. */
static size_t join(struct elf_usdt_name *names, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!kept || strcmp(names[kept - 1].text, names[i].text)) {
			names[kept++] = names[i];
			continue;
		}
		names[kept - 1].place_count += names[i].place_count;
		if (names[kept - 1].argument_count < names[i].argument_count)
			names[kept - 1].argument_count = names[i].argument_count;
		free(names[i].text);
	}
	return kept;
}

int elf_usdt_names(const struct elf_file *file, struct elf_usdt_name **ret, size_t *ret_count)
{
	VEC(struct elf_usdt_name) names = {0};
	struct cursor notes;
	struct note note;
	int error = open_notes(file, &notes);

	while (!error && next_note(&notes, &note)) {
		if (strlen(note.provider) + strlen(note.name) + 1 > ELF_USDT_MAX_NAME_BYTES)
			continue;
		vec_push(&names,
			((struct elf_usdt_name){xasprintf("%s:%s", note.provider, note.name), 1,
				count_arguments(note.arguments)}));
		/* Before there are too many, those of one name are put together. */
		if (names.count == 4 * ELF_USDT_MAX_NAMES) {
			vec_sort(&names, by_text);
			names.count = join(names.at, names.count);
			if (names.count > ELF_USDT_MAX_NAMES)
				error = -E2BIG;
		}
	}
	vec_sort(&names, by_text);
	names.count = join(names.at, names.count);
	if (!error && names.count > ELF_USDT_MAX_NAMES)
		error = -E2BIG;
	if (!error && notes.is_bad && !names.count)
		error = -EBADMSG;
	if (error) {
		elf_usdt_names_free(names.at, names.count);
		return error;
	}
	*ret = names.at;
	*ret_count = names.count;
	return 0;
}

void elf_usdt_names_free(struct elf_usdt_name *names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i].text);
	free(names);
}
