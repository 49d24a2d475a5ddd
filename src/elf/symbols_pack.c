// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of symbols as bytes and back; what comes back keeps all that look-ups rely on. */
#include <errno.h>

#include "elf/pack.h"
#include "elf/symbols_private.h"

void elf_symbols_pack(const struct elf_symbols *symbols, struct elf_bytes *bytes)
{
	elf_bytes_add_array(bytes, symbols->entries.at, symbols->entries.count,
		sizeof(struct elf_symbols_entry));
	elf_bytes_add_array(bytes, symbols->names.at, symbols->names.count, 1);
}

/* Names end inside of the text, starts ascend, and parents come before their children. */
static bool is_sound(const struct elf_symbols *symbols)
{
	const struct elf_symbols_entry *entries = symbols->entries.at;

	if (symbols->names.count && symbols->names.at[symbols->names.count - 1])
		return false;
	for (size_t i = 0; i < symbols->entries.count; i++)
		if (entries[i].name >= symbols->names.count ||
			(i && entries[i - 1].start >= entries[i].start) ||
			(entries[i].parent != ELF_SYMBOLS_NO_PARENT && entries[i].parent >= i))
			return false;
	return true;
}

int elf_symbols_unpack(struct elf_cursor *at, struct elf_symbols **ret)
{
	struct elf_symbols *symbols = xcalloc(1, sizeof(*symbols));
	void *entries = NULL, *names = NULL;
	size_t entry_count = 0, name_count = 0;
	int error = elf_cursor_take_array(
		at, UINT32_MAX, sizeof(struct elf_symbols_entry), &entries, &entry_count);

	if (!error)
		error = elf_cursor_take_array(
			at, ELF_SYMBOLS_MAX_NAMES_BYTES, 1, &names, &name_count);
	symbols->entries.at = entries;
	symbols->entries.count = symbols->entries.room = entry_count;
	symbols->names.at = names;
	symbols->names.count = symbols->names.room = name_count;
	if (!error && !is_sound(symbols))
		error = -EBADMSG;
	if (error)
		elf_symbols_free(symbols);
	else
		*ret = symbols;
	return error;
}

uint64_t elf_symbols_bytes(const struct elf_symbols *symbols)
{
	return sizeof(*symbols) + symbols->entries.room * sizeof(struct elf_symbols_entry) +
	       symbols->names.room;
}
