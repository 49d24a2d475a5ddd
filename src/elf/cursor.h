/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads numbers from the bytes of call frame information: fixed ones, LEB128 and the encoded
 * pointers of .eh_frame. A cursor turns bad at its end and then yields zeros, so that a whole
 * record is checked once, when it is read. Everything is inline: these are the innermost steps of
 * reading a table of a million rows.
 */
#ifndef DWELL_ELF_CURSOR_H
#define DWELL_ELF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* DW_EH_PE_*: how an address is written, and what it counts from. */
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

/* Assemblers pad LEB128 numbers, but no further than this; without a bound, records that share
 * their bytes could be made to cost the square of a section. */
#define CURSOR_MAX_LEB_BYTES 16

struct cursor {
	const unsigned char *at;
	const unsigned char *end;
	bool is_bad;
};

static inline const unsigned char *cursor_take(struct cursor *cursor, uint64_t bytes)
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

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->is_bad = true;
		return 0;
	}
	return *cursor->at++;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	const unsigned char *at = cursor_take(cursor, 2);
	uint16_t value = 0;

	if (at)
		memcpy(&value, at, 2);
	return value;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	const unsigned char *at = cursor_take(cursor, 4);
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, 4);
	return value;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	const unsigned char *at = cursor_take(cursor, 8);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, 8);
	return value;
}

/* The bits of a LEB128 number and how many there are. Those beyond the 64th are dropped, as every
 * reader does. */
static inline uint64_t cursor_leb(struct cursor *cursor, unsigned int *ret_bits)
{
	uint64_t value = 0, byte = cursor_u8(cursor);
	unsigned int bits = 7;

	value = byte & 0x7f;
	for (unsigned int bytes = 1; byte & 0x80; bytes++) {
		if (bytes == CURSOR_MAX_LEB_BYTES) {
			cursor->is_bad = true;
			return 0;
		}
		byte = cursor_u8(cursor);
		if (bits < 64) {
			value |= (byte & 0x7f) << bits;
			bits += 7;
		}
	}
	*ret_bits = bits;
	return value;
}

static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	unsigned int bits = 0;

	return cursor_leb(cursor, &bits);
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	unsigned int bits = 64;
	uint64_t value = cursor_leb(cursor, &bits);

	if (bits < 64 && value >> (bits - 1))
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

/* A number in one of the forms of DW_EH_PE_*, without its base. */
static inline uint64_t cursor_form(struct cursor *cursor, uint8_t encoding)
{
	switch (encoding & ENC_FORM) {
	case ENC_ABSOLUTE:
	case ENC_U8:
	case ENC_S8:
		return cursor_u64(cursor);
	case ENC_ULEB:
		return cursor_uleb(cursor);
	case ENC_SLEB:
		return (uint64_t)cursor_sleb(cursor);
	case ENC_U2:
		return cursor_u16(cursor);
	case ENC_S2:
		return (uint64_t)(int64_t)(int16_t)cursor_u16(cursor);
	case ENC_U4:
		return cursor_u32(cursor);
	case ENC_S4:
		return (uint64_t)(int64_t)(int32_t)cursor_u32(cursor);
	default:
		cursor->is_bad = true;
		return 0;
	}
}

/*
 * An address in a section whose bytes begin at `bytes` and which the file has at vaddr. Code is
 * addressed absolutely or from the place of the number; bases that only the running program knows
 * (GOT, function start) and pointers in memory make no address here.
 */
static inline uint64_t cursor_address(
	struct cursor *cursor, uint8_t encoding, const unsigned char *bytes, uint64_t vaddr)
{
	uint64_t place = vaddr + (uint64_t)(cursor->at - bytes);
	uint64_t value;

	if (encoding & ENC_INDIRECT) {
		cursor->is_bad = true;
		return 0;
	}
	value = cursor_form(cursor, encoding);
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

#endif
