// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expressions are read as a sum that grows: a base, numbers added to it, at most one dereference,
 * more numbers. What does not fit that shape is compared with the PLT's two wordings, or is not
 * understood.
 */
#include "elf/cfi/cfi_expression.h"

#include <stdbool.h>

#include "elf/cursor.h"

enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG_FP = OP_BREG0 + 6,
	OP_BREG_SP = OP_BREG0 + 7,
	OP_BREG_PC = OP_BREG0 + 16,
};

/* GNU ld's PLT entries push at 11 of 16 bytes, those with endbr64 (and lld's) at 10 or 11. */
static bool is_plt(const unsigned char *bytes, size_t count, int32_t *ret_threshold)
{
	static const unsigned char before[] = {OP_BREG_SP, 8, OP_BREG_PC, 0, OP_LIT0 + 15, OP_AND};
	static const unsigned char after[] = {OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS};

	if (count != sizeof(before) + 1 + sizeof(after) || memcmp(bytes, before, sizeof(before)) ||
		memcmp(bytes + sizeof(before) + 1, after, sizeof(after)))
		return false;
	*ret_threshold = bytes[sizeof(before)] - OP_LIT0;
	return *ret_threshold >= 0 && *ret_threshold <= 15;
}

/* A constant that one of the operators must follow. */
static bool take_constant(struct cursor *cursor, uint8_t op, int64_t *ret)
{
	if (op >= OP_LIT0 && op <= OP_LIT31) {
		*ret = op - OP_LIT0;
		return true;
	}
	switch (op) {
	case OP_CONST1U:
		*ret = cursor_u8(cursor);
		return true;
	case OP_CONST1S:
		*ret = (int8_t)cursor_u8(cursor);
		return true;
	case OP_CONST2U:
		*ret = cursor_u16(cursor);
		return true;
	case OP_CONST2S:
		*ret = (int16_t)cursor_u16(cursor);
		return true;
	case OP_CONST4U:
		*ret = cursor_u32(cursor);
		return true;
	case OP_CONST4S:
		*ret = (int32_t)cursor_u32(cursor);
		return true;
	case OP_CONSTU:
		*ret = (int64_t)cursor_uleb(cursor);
		return true;
	case OP_CONSTS:
		*ret = cursor_sleb(cursor);
		return true;
	default:
		return false;
	}
}

/* One operation that adds a number; false: it is none. */
static bool take_addend(struct cursor *cursor, uint8_t op, int64_t *ret)
{
	if (op == OP_PLUS_UCONST) {
		*ret = (int64_t)cursor_uleb(cursor);
		return true;
	}
	if (!take_constant(cursor, op, ret))
		return false;
	switch (cursor_u8(cursor)) {
	case OP_PLUS:
		return true;
	case OP_MINUS:
		return !__builtin_sub_overflow(0, *ret, ret);
	default:
		return false;
	}
}

static bool add(int32_t *sum, int64_t number)
{
	int64_t wide;

	return !__builtin_add_overflow((int64_t)*sum, number, &wide) && wide >= INT32_MIN &&
	       wide <= INT32_MAX && (*sum = (int32_t)wide, true);
}

static bool read_sum(struct cursor *cursor, struct cfi_expression *expression)
{
	int32_t *sum = &expression->first;

	while (cursor->at < cursor->end) {
		int64_t number = 0;
		uint8_t op = cursor_u8(cursor);
		if (op == OP_DEREF && expression->kind == CFI_EXPR_SUM) {
			expression->kind = CFI_EXPR_DEREF;
			sum = &expression->second;
			continue;
		}
		if (!take_addend(cursor, op, &number) || cursor->is_bad || !add(sum, number))
			return false;
	}
	return true;
}

struct cfi_expression cfi_expression_read(const unsigned char *bytes, size_t count)
{
	const struct cfi_expression other = {.kind = CFI_EXPR_OTHER};
	struct cfi_expression ret = {.kind = CFI_EXPR_SUM, .base = CFI_BASE_CFA};
	struct cursor cursor = {bytes, bytes + count, false};

	if (!count)
		return other;
	if (is_plt(bytes, count, &ret.first)) {
		ret.kind = CFI_EXPR_PLT;
		ret.base = CFI_BASE_SP;
		return ret;
	}
	if (*bytes == OP_BREG_FP || *bytes == OP_BREG_SP) {
		ret.base = cursor_u8(&cursor) == OP_BREG_FP ? CFI_BASE_FP : CFI_BASE_SP;
		if (!add(&ret.first, cursor_sleb(&cursor)) || cursor.is_bad)
			return other;
	}
	return read_sum(&cursor, &ret) ? ret : other;
}
