// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers between a function's instructions (tables of old compilers) are read as instructions, and
 * mostly are none that is known: then the place is refused. */
#include "elf/probe_offset.h"

#include <stddef.h>

#include "elf/file.h"
#include "elf/x86_length.h"

/* Into larger functions than that nobody looks by hand. */
#define MOST_BYTES (16U << 20)

static struct elf_offset walk(
	const unsigned char *code, size_t count, uint64_t bytes, uint64_t wanted)
{
	uint64_t at = 0, length = 0;

	for (; at < wanted; at += length) {
		length = x86_length(code + at, count - at);
		if (!length)
			return (struct elf_offset){.kind = ELF_OFFSET_UNKNOWN, .before = at};
	}
	if (at > wanted)
		return (struct elf_offset){.kind = ELF_OFFSET_WITHIN,
			.before = at - length,
			.behind = bytes && at >= bytes ? 0 : at};
	length = x86_length(code + at, count - at);
	/* What ends behind the function is none of its instructions. */
	if (!length || (bytes && length > bytes - at))
		return (struct elf_offset){.kind = ELF_OFFSET_UNKNOWN, .before = at};
	return (struct elf_offset){
		.kind = x86_is_nop5(code + at, count - at) ? ELF_OFFSET_NOP5 : ELF_OFFSET_FITS};
}

struct elf_offset elf_offset_check(
	const struct elf_file *file, uint64_t begin, uint64_t bytes, uint64_t wanted)
{
	size_t count;

	if (bytes && wanted >= bytes)
		return (struct elf_offset){.kind = ELF_OFFSET_BEHIND, .bytes = bytes};
	if (!elf_file_is_x86(file))
		return (struct elf_offset){.kind = ELF_OFFSET_MACHINE};
	if (wanted > MOST_BYTES)
		return (struct elf_offset){.kind = ELF_OFFSET_UNKNOWN};
	const unsigned char *code = elf_file_code(file, begin, wanted + 2 * X86_MAX_LENGTH, &count);
	if (!code)
		return (struct elf_offset){.kind = ELF_OFFSET_UNKNOWN};
	if (wanted >= count)
		return (struct elf_offset){.kind = ELF_OFFSET_BEHIND, .bytes = count};
	return walk(code, count, bytes, wanted);
}

bool elf_offset_is_sound(const struct elf_offset *offset, uint64_t wanted)
{
	switch (offset->kind) {
	case ELF_OFFSET_BEHIND:
		return offset->bytes && offset->bytes <= wanted;
	case ELF_OFFSET_WITHIN:
		return offset->before < wanted && wanted - offset->before < X86_MAX_LENGTH &&
		       (!offset->behind || (offset->behind > wanted &&
						   offset->behind - wanted < X86_MAX_LENGTH));
	case ELF_OFFSET_UNKNOWN:
		return offset->before <= wanted;
	default:
		return offset->kind < ELF_OFFSET_KINDS;
	}
}
