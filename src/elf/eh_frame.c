// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk: a record is a length, an id and a body. In .eh_frame the id of an FDE is the distance
 * back to its CIE and 0 marks a CIE; in .debug_frame it is the CIE's offset and all ones mark a
 * CIE. Formats: LSB core specification 10.6, DWARF 5 section 6.4.1. All reading goes through a
 * cursor that turns bad at its end and then yields zeros, so that a body is checked once, when it
 * is read. Only 64-bit files of this machine's byte order get here.
 */
#include "elf/eh_frame.h"

#include <string.h>

enum {
	ENC_ABSOLUTE = 0x00,
	ENC_ULEB = 0x01,
	ENC_U2 = 0x02,
	ENC_U4 = 0x03,
	ENC_U8 = 0x04,
	ENC_SLEB = 0x09,
	ENC_S2 = 0x0a,
	ENC_S4 = 0x0b,
	ENC_S8 = 0x0c,
	ENC_FORM = 0x0f,
	ENC_PC_RELATIVE = 0x10,
	ENC_BASE = 0x70,
	ENC_INDIRECT = 0x80,
	ENC_OMIT = 0xff,
};

struct cursor {
	const unsigned char *at;
	const unsigned char *end;
	bool is_bad;
};

/* One record without its length. */
struct record {
	uint64_t offset; /* of its length */
	uint64_t id_offset;
	uint64_t id;
	bool is_wide; /* 64-bit DWARF */
	struct cursor body;
	uint64_t next;
};

static const unsigned char *take(struct cursor *cursor, uint64_t bytes)
{
	const unsigned char *at = cursor->at;

	if (bytes > (uint64_t)(cursor->end - cursor->at)) {
		cursor->is_bad = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += bytes;
	return at;
}

static uint64_t take_unsigned(struct cursor *cursor, size_t bytes)
{
	const unsigned char *at = take(cursor, bytes);
	uint8_t byte;
	uint16_t half;
	uint32_t word;
	uint64_t wide = 0;

	if (!at)
		return 0;
	switch (bytes) {
	case 1:
		memcpy(&byte, at, 1);
		return byte;
	case 2:
		memcpy(&half, at, 2);
		return half;
	case 4:
		memcpy(&word, at, 4);
		return word;
	default:
		memcpy(&wide, at, 8);
		return wide;
	}
}

/* Bits beyond the 64th are dropped, as every reader does. */
static uint64_t take_uleb(struct cursor *cursor)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	for (;;) {
		uint64_t byte = take_unsigned(cursor, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : shift;
		if (!(byte & 0x80))
			return value;
	}
}

static int64_t take_sleb(struct cursor *cursor)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take_unsigned(cursor, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : shift;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* A number in one of the forms of DW_EH_PE_*, without its base. */
static uint64_t take_form(struct cursor *cursor, uint8_t encoding)
{
	switch (encoding & ENC_FORM) {
	case ENC_ABSOLUTE:
	case ENC_U8:
	case ENC_S8:
		return take_unsigned(cursor, 8);
	case ENC_ULEB:
		return take_uleb(cursor);
	case ENC_SLEB:
		return (uint64_t)take_sleb(cursor);
	case ENC_U2:
		return take_unsigned(cursor, 2);
	case ENC_S2:
		return (uint64_t)(int64_t)(int16_t)take_unsigned(cursor, 2);
	case ENC_U4:
		return take_unsigned(cursor, 4);
	case ENC_S4:
		return (uint64_t)(int64_t)(int32_t)take_unsigned(cursor, 4);
	default:
		cursor->is_bad = true;
		return 0;
	}
}

/* Code is addressed absolutely or from the place of the number; bases that only the running program
 * knows (GOT, function start) and pointers in memory make no start of a function. */
static uint64_t take_address(const struct eh_frame *frames, struct cursor *cursor, uint8_t encoding)
{
	uint64_t place = frames->vaddr + (uint64_t)(cursor->at - frames->bytes);
	uint64_t value;

	if (encoding & ENC_INDIRECT) {
		cursor->is_bad = true;
		return 0;
	}
	value = take_form(cursor, encoding);
	switch (encoding & ENC_BASE) {
	case ENC_ABSOLUTE:
		return value;
	case ENC_PC_RELATIVE:
		return place + value;
	default:
		cursor->is_bad = true;
		return 0;
	}
}

/* false: the end, or no way to find it. */
static bool take_record(struct eh_frame *frames, uint64_t offset, struct record *ret)
{
	struct cursor cursor = {frames->bytes + offset, frames->bytes + frames->count, false};
	uint64_t length = take_unsigned(&cursor, 4);

	ret->offset = offset;
	ret->is_wide = length == UINT32_MAX;
	if (ret->is_wide)
		length = take_unsigned(&cursor, 8);
	if (cursor.is_bad || length > (uint64_t)(cursor.end - cursor.at))
		return false;
	cursor.end = cursor.at + length;
	ret->next = (uint64_t)(cursor.end - frames->bytes);
	ret->id_offset = (uint64_t)(cursor.at - frames->bytes);
	ret->id = 0;
	/* Length 0 ends a table, but linkers join several: the next one may follow. */
	if (length) {
		bool has_wide_id = ret->is_wide && frames->kind == EH_FRAME_DEBUG;
		ret->id = take_unsigned(&cursor, has_wide_id ? 8 : 4);
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

/* The letters after 'z'. An unknown one ends the reading: where its data end is not known. */
static void take_augmentation(
	const struct eh_frame *frames, struct cursor *data, const char *letters, struct eh_cie *cie)
{
	for (; *letters; letters++) {
		uint8_t encoding;
		switch (*letters) {
		case 'R':
			cie->address_encoding = (uint8_t)take_unsigned(data, 1);
			break;
		case 'L':
			take_unsigned(data, 1);
			break;
		case 'P':
			/* The routine itself is of no interest: only the width of its address. */
			encoding = (uint8_t)take_unsigned(data, 1);
			if (encoding != ENC_OMIT)
				take_address(frames, data, encoding & ENC_FORM);
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

	cie.version = (uint8_t)take_unsigned(&body, 1);
	if (cie.version != 1 && cie.version != 3 && cie.version != 4)
		return false;
	letters = (const char *)body.at;
	while (take_unsigned(&body, 1))
		continue;
	if (cie.version == 4) {
		uint64_t address_bytes = take_unsigned(&body, 1);
		uint64_t segment_bytes = take_unsigned(&body, 1);
		if (address_bytes != 8 || segment_bytes)
			return false;
	}
	cie.code_factor = take_uleb(&body);
	cie.data_factor = take_sleb(&body);
	cie.return_register = cie.version == 1 ? take_unsigned(&body, 1) : take_uleb(&body);
	if (body.is_bad || (*letters && *letters != 'z'))
		return false;
	if (*letters) {
		uint64_t bytes = take_uleb(&body);
		const unsigned char *at = take(&body, bytes);
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
	fde.start = take_address(frames, &body, fde.cie.address_encoding);
	bytes = take_form(&body, fde.cie.address_encoding);
	if (fde.cie.has_augmentation)
		take(&body, take_uleb(&body));
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
