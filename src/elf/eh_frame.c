// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk: a record is a length, an id and a body. In .eh_frame the id of an FDE is the distance
 * back to its CIE and 0 marks a CIE; in .debug_frame it is the CIE's offset and all ones mark a
 * CIE. Formats: LSB core specification 10.6, DWARF 5 section 6.4.1. All reading goes through a
 * cursor that turns bad at its end and then yields zeros, so that a body is checked once, when it
 * is read. Only 64-bit files of this machine's byte order get here.
 */
#include "elf/eh_frame.h"

#include "elf/cursor.h"

/* Of a CIE's augmentation; known are 7. */
#define MAX_LETTERS 32

/* One record without its length. */
struct record {
	uint64_t offset; /* of its length */
	uint64_t id_offset;
	uint64_t id;
	bool is_wide; /* 64-bit DWARF */
	struct cursor body;
	uint64_t next;
};

/* false: the end, or no way to find it. */
static bool take_record(struct eh_frame *frames, uint64_t offset, struct record *ret)
{
	struct cursor cursor = {frames->bytes + offset, frames->bytes + frames->count, false};
	uint64_t length = cursor_u32(&cursor);

	ret->offset = offset;
	ret->is_wide = length == UINT32_MAX;
	if (ret->is_wide)
		length = cursor_u64(&cursor);
	if (cursor.is_bad || length > (uint64_t)(cursor.end - cursor.at))
		return false;
	cursor.end = cursor.at + length;
	ret->next = (uint64_t)(cursor.end - frames->bytes);
	ret->id_offset = (uint64_t)(cursor.at - frames->bytes);
	ret->id = 0;
	/* Length 0 ends a table, but linkers join several: the next one may follow. */
	if (length) {
		bool has_wide_id = ret->is_wide && frames->kind == EH_FRAME_DEBUG;
		ret->id = has_wide_id ? cursor_u64(&cursor) : cursor_u32(&cursor);
	}
	ret->body = cursor;
	return true;
}

static bool is_cie(const struct eh_frame *frames, const struct record *record)
{
	if (frames->kind == EH_FRAME_RUNTIME)
		return record->id == 0;
	return record->id == (record->is_wide ? UINT64_MAX : UINT32_MAX);
}

static void take_personality(
	const struct eh_frame *frames, struct cursor *data, uint8_t encoding, struct eh_cie *cie)
{
	uint64_t place = frames->vaddr + (uint64_t)(data->at - frames->bytes);

	cie->has_personality = true;
	cie->personality = cursor_form(data, encoding) +
			   ((encoding & ENC_BASE) == ENC_PC_RELATIVE ? place : 0);
}

/* The letters after 'z'. An unknown one ends the reading: where its data end is not known. */
static void take_augmentation(
	const struct eh_frame *frames, struct cursor *data, const char *letters, struct eh_cie *cie)
{
	for (; *letters; letters++) {
		uint8_t encoding;
		switch (*letters) {
		case 'R':
			cie->address_encoding = cursor_u8(data);
			break;
		case 'L':
			cursor_u8(data);
			break;
		case 'P':
			encoding = cursor_u8(data);
			if (encoding != ENC_OMIT)
				take_personality(frames, data, encoding, cie);
			break;
		case 'S':
			cie->is_signal_frame = true;
			break;
		case 'B': /* arm64: return addresses signed with the B key */
		case 'G': /* arm64: memory tagging */
			break;
		default:
			return;
		}
	}
}

static bool parse_cie(
	const struct eh_frame *frames, const struct record *record, struct eh_cie *ret)
{
	struct cursor body = record->body;
	struct eh_cie cie = {.offset = record->offset, .address_encoding = ENC_ABSOLUTE};
	const char *letters;

	cie.version = cursor_u8(&body);
	if (cie.version != 1 && cie.version != 3 && cie.version != 4)
		return false;
	letters = (const char *)body.at;
	/* Without a bound, FDEs that take turns with two CIEs of endless letters cost the square.
	 */
	for (unsigned int length = 0; cursor_u8(&body); length++)
		if (length == MAX_LETTERS)
			return false;
	if (cie.version == 4) {
		uint64_t address_bytes = cursor_u8(&body);
		uint64_t segment_bytes = cursor_u8(&body);
		if (address_bytes != 8 || segment_bytes)
			return false;
	}
	cie.code_factor = cursor_uleb(&body);
	cie.data_factor = cursor_sleb(&body);
	cie.return_register = cie.version == 1 ? cursor_u8(&body) : cursor_uleb(&body);
	if (body.is_bad || (*letters && *letters != 'z'))
		return false;
	if (*letters) {
		uint64_t bytes = cursor_uleb(&body);
		const unsigned char *at = cursor_take(&body, bytes);
		if (!at)
			return false;
		struct cursor data = {at, at + bytes, false};
		cie.has_augmentation = true;
		take_augmentation(frames, &data, letters + 1, &cie);
		if (data.is_bad)
			return false;
	}
	cie.program = body.at;
	cie.program_bytes = (size_t)(body.end - body.at);
	*ret = cie;
	return true;
}

/* FDEs mostly follow their CIE, so the last one is kept. */
static bool find_cie(struct eh_frame *frames, const struct record *fde)
{
	struct record record;
	uint64_t offset = fde->id;

	if (frames->kind == EH_FRAME_RUNTIME) {
		if (fde->id > fde->id_offset)
			return false;
		offset = fde->id_offset - fde->id;
	}
	if (frames->has_cie && frames->cie.offset == offset)
		return true;
	if (offset >= frames->count || !take_record(frames, offset, &record) ||
		record.body.is_bad || !is_cie(frames, &record) ||
		!parse_cie(frames, &record, &frames->cie)) {
		frames->has_cie = false;
		return false;
	}
	frames->has_cie = true;
	return true;
}

static bool parse_fde(struct eh_frame *frames, const struct record *record, struct eh_fde *ret)
{
	struct cursor body = record->body;
	struct eh_fde fde;
	uint64_t bytes;

	if (body.is_bad || !find_cie(frames, record))
		return false;
	fde.cie = frames->cie;
	fde.start = cursor_address(&body, fde.cie.address_encoding, frames->bytes, frames->vaddr);
	bytes = cursor_form(&body, fde.cie.address_encoding);
	if (fde.cie.has_augmentation)
		cursor_take(&body, cursor_uleb(&body));
	if (body.is_bad || !bytes || __builtin_add_overflow(fde.start, bytes, &fde.end))
		return false;
	fde.program = body.at;
	fde.program_bytes = (size_t)(body.end - body.at);
	*ret = fde;
	return true;
}

void eh_frame_init(struct eh_frame *frames, enum eh_frame_kind kind, const void *bytes,
	size_t count, uint64_t vaddr)
{
	*frames = (struct eh_frame){.bytes = bytes, .count = count, .vaddr = vaddr, .kind = kind};
}

bool eh_frame_next(struct eh_frame *frames, struct eh_fde *ret)
{
	while (frames->next < frames->count) {
		struct record record;
		if (!take_record(frames, frames->next, &record)) {
			frames->is_cut = true;
			frames->next = frames->count;
			return false;
		}
		frames->next = record.next;
		if (is_cie(frames, &record))
			continue;
		if (parse_fde(frames, &record, ret))
			return true;
		frames->skipped++;
	}
	return false;
}
