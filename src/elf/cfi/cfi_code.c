// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One pass over the instructions, in the order of their addresses. Each has a state, in which it is
 * reached: how far the CFA is above the stack pointer, and whether the frame pointer is saved. A
 * jump hands its state on to where it leads; two states for one instruction, a jump between two
 * instructions, or a return with something left on the stack end the attempt.
 */
#include "elf/cfi/cfi_code.h"

#include <string.h>

enum { REGISTER_SP = 4, REGISTER_FP = 5 };

/* Before the first instruction of a function: the return address is on the stack. */
#define AT_ENTRY 8

struct frame {
	int32_t cfa; /* above SP; 0: not known */
	int32_t fp;  /* of the saved frame pointer, below the CFA; 0: not saved */
};

enum effect {
	EFFECT_NONE,
	EFFECT_PUSH,
	EFFECT_POP,
	EFFECT_ADD, /* `number` to SP */
	EFFECT_CALL,
	EFFECT_BRANCH,
	EFFECT_JUMP,
	EFFECT_END, /* returns, or jumps to another function by way of a register */
	EFFECT_UNKNOWN,
};

struct instruction {
	enum effect effect;
	size_t bytes;
	int64_t number;  /* how far SP moves; how far a jump goes from behind it */
	uint8_t pointer; /* of push and pop: the register */
	bool saves_sp_in_fp;
};

/* The instruction as it is taken apart. */
struct decoder {
	const unsigned char *bytes;
	size_t count;
	size_t at;
	bool is_bad;
	uint8_t rex;
	uint8_t mod, reg, rm;
};

static uint8_t take(struct decoder *decoder)
{
	if (decoder->at >= decoder->count) {
		decoder->is_bad = true;
		return 0;
	}
	return decoder->bytes[decoder->at++];
}

static int64_t take_number(struct decoder *decoder, size_t bytes)
{
	int32_t wide = 0;

	if (bytes == 1)
		return (int8_t)take(decoder);
	for (size_t i = 0; i < 4; i++)
		wide |= (int32_t)((uint32_t)take(decoder) << (8 * i));
	return wide;
}

/* The operands: a register, and a register or a place in memory. */
static void take_operands(struct decoder *decoder)
{
	uint8_t byte = take(decoder), base;

	decoder->mod = byte >> 6;
	decoder->reg = (uint8_t)((byte >> 3 & 7) | (decoder->rex & 4) << 1);
	decoder->rm = (uint8_t)((byte & 7) | (decoder->rex & 1) << 3);
	if (decoder->mod == 3)
		return;
	base = byte & 7;
	if (base == 4)
		base = take(decoder) & 7;
	if (decoder->mod == 1)
		take(decoder);
	else if (decoder->mod == 2 || base == 5)
		take_number(decoder, 4);
}

static bool is_frame_register(uint8_t number)
{
	return number == REGISTER_SP || number == REGISTER_FP;
}

/* Nothing but pushes, pops and sums may change SP and FP; `mov %rsp,%rbp` we can do without. */
static enum effect effect_of_result(uint8_t written)
{
	return is_frame_register(written) ? EFFECT_UNKNOWN : EFFECT_NONE;
}

/* An operation whose result goes to the second operand, if that is no memory. */
static enum effect effect_on_second(const struct decoder *decoder)
{
	return decoder->mod == 3 ? effect_of_result(decoder->rm) : EFFECT_NONE;
}

/* 0x80, 0x81, 0x83: add, or, adc, sbb, and, sub, xor, cmp with a number. */
static void take_sum(struct decoder *decoder, uint8_t opcode, struct instruction *ret)
{
	enum { ADD = 0, SUB = 5, CMP = 7 };

	take_operands(decoder);
	int64_t number = take_number(decoder, opcode == 0x81 ? 4 : 1);
	uint8_t operation = decoder->reg & 7;
	if (operation == CMP)
		return;
	ret->effect = effect_on_second(decoder);
	if (ret->effect == EFFECT_NONE || decoder->rm != REGISTER_SP || opcode == 0x80 ||
		!(decoder->rex & 8) || (operation != ADD && operation != SUB))
		return;
	ret->effect = EFFECT_ADD;
	ret->number = operation == ADD ? number : -number;
}

/* 0xff: inc, dec, call, far call, jmp, far jmp, push. */
static void take_indirect(struct decoder *decoder, struct instruction *ret)
{
	enum { CALL = 2, JUMP = 4 };

	take_operands(decoder);
	uint8_t operation = decoder->reg & 7;
	ret->effect = operation == CALL   ? EFFECT_CALL
		      : operation == JUMP ? EFFECT_END
					  : EFFECT_UNKNOWN;
}

/* Two bytes: 0x0f and this one. */
static void take_second(struct decoder *decoder, struct instruction *ret)
{
	uint8_t opcode = take(decoder);

	if (opcode == 0x1e || opcode == 0x1f) { /* endbr64, and nops of any length */
		take_operands(decoder);
		ret->effect = EFFECT_NONE;
	} else if (opcode >= 0x80 && opcode <= 0x8f) {
		ret->number = take_number(decoder, 4);
		ret->effect = EFFECT_BRANCH;
	}
}

static void take_operation(struct decoder *decoder, uint8_t opcode, struct instruction *ret)
{
	switch (opcode) {
	case 0x01: /* add, sub, xor, mov to the second operand */
	case 0x29:
	case 0x31:
	case 0x89:
		take_operands(decoder);
		ret->saves_sp_in_fp = opcode == 0x89 && decoder->mod == 3 && decoder->rex & 8 &&
				      decoder->reg == REGISTER_SP && decoder->rm == REGISTER_FP;
		ret->effect = ret->saves_sp_in_fp ? EFFECT_NONE : effect_on_second(decoder);
		break;
	case 0x03: /* add, sub, xor, mov, lea to the first operand */
	case 0x2b:
	case 0x33:
	case 0x8b:
	case 0x8d:
		take_operands(decoder);
		ret->effect = effect_of_result(decoder->reg);
		break;
	case 0x38: /* comparisons */
	case 0x39:
	case 0x3b:
	case 0x84:
	case 0x85:
		take_operands(decoder);
		ret->effect = EFFECT_NONE;
		break;
	case 0xc1: /* shifts */
	case 0xd1:
		take_operands(decoder);
		if (opcode == 0xc1)
			take(decoder);
		ret->effect = effect_on_second(decoder);
		break;
	case 0xc6: /* mov of a number */
	case 0xc7:
		take_operands(decoder);
		take_number(decoder, opcode == 0xc7 ? 4 : 1);
		if (!decoder->reg)
			ret->effect = effect_on_second(decoder);
		break;
	default:
		break;
	}
}

/* What follows the opcode. */
static void take_rest(struct decoder *decoder, uint8_t opcode, struct instruction *ret)
{
	uint8_t pointer = (opcode & 7) | (uint8_t)((decoder->rex & 1) << 3);

	if (opcode >= 0x50 && opcode <= 0x5f) {
		ret->effect = opcode < 0x58 ? EFFECT_PUSH : EFFECT_POP;
		ret->pointer = pointer;
		if (ret->effect == EFFECT_POP && pointer == REGISTER_SP)
			ret->effect = EFFECT_UNKNOWN;
	} else if (opcode >= 0x70 && opcode <= 0x7f) {
		ret->number = take_number(decoder, 1);
		ret->effect = EFFECT_BRANCH;
	} else if (opcode >= 0xb8 && opcode <= 0xbf && !(decoder->rex & 8)) {
		take_number(decoder, 4);
		ret->effect = effect_of_result(pointer);
	} else if (opcode == 0xeb || opcode == 0xe9) {
		ret->number = take_number(decoder, opcode == 0xeb ? 1 : 4);
		ret->effect = EFFECT_JUMP;
	} else if (opcode == 0xe8) {
		take_number(decoder, 4);
		ret->effect = EFFECT_CALL;
	} else if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83) {
		ret->effect = EFFECT_NONE;
		take_sum(decoder, opcode, ret);
	} else if (opcode == 0xff) {
		take_indirect(decoder, ret);
	} else if (opcode == 0x0f) {
		take_second(decoder, ret);
	} else if (opcode == 0x90) {
		ret->effect = EFFECT_NONE;
	} else if (opcode == 0xc3 || opcode == 0xcc) { /* ret; int3, as padding */
		ret->effect = EFFECT_END;
	} else {
		take_operation(decoder, opcode, ret);
	}
}

/*
 * Prefixes: segments that mean nothing, and those that make nops long, a return a `rep ret` or a
 * 16-bit operation, of which we know nops only.
 */
static struct instruction decode(const unsigned char *bytes, size_t count)
{
	struct decoder decoder = {.bytes = bytes, .count = count};
	struct instruction ret = {.effect = EFFECT_UNKNOWN};
	bool is_narrow = false;

	while (decoder.at < count &&
		(bytes[decoder.at] == 0x66 || bytes[decoder.at] == 0x2e ||
			bytes[decoder.at] == 0x3e || bytes[decoder.at] == 0xf2 ||
			bytes[decoder.at] == 0xf3))
		is_narrow |= take(&decoder) == 0x66;
	if (decoder.at < count && (bytes[decoder.at] & 0xf0) == 0x40)
		decoder.rex = take(&decoder);
	uint8_t opcode = take(&decoder);
	if (!is_narrow || opcode == 0x0f || opcode == 0x90)
		take_rest(&decoder, opcode, &ret);
	if (decoder.is_bad)
		ret.effect = EFFECT_UNKNOWN;
	ret.bytes = decoder.at;
	return ret;
}

struct reading {
	const unsigned char *bytes;
	size_t count;
	struct frame frames[CFI_CODE_BYTES]; /* in which an instruction is reached */
	bool begins[CFI_CODE_BYTES];         /* an instruction */
};

static bool is_same_frame(const struct frame *a, const struct frame *b)
{
	return a->cfa == b->cfa && a->fp == b->fp;
}

static bool is_at_entry(const struct frame *frame)
{
	return frame->cfa == AT_ENTRY && !frame->fp;
}

/* A jump out of the piece is a call of another function that returns for us. */
static bool hand_on(
	struct reading *reading, size_t from, int64_t distance, const struct frame *frame)
{
	int64_t target = (int64_t)from + distance;

	if (target < 0 || target >= (int64_t)reading->count)
		return is_at_entry(frame);
	if ((size_t)target < from && !reading->begins[target])
		return false;
	if (reading->frames[target].cfa)
		return is_same_frame(&reading->frames[target], frame);
	reading->frames[target] = *frame;
	return true;
}

/* The frame behind the instruction; false: it makes no sense. */
static bool follow(const struct instruction *instruction, struct frame *frame)
{
	switch (instruction->effect) {
	case EFFECT_PUSH:
		frame->cfa += 8;
		if (instruction->pointer == REGISTER_FP && !frame->fp)
			frame->fp = frame->cfa;
		break;
	case EFFECT_POP:
		if (frame->fp && frame->fp == frame->cfa) {
			/* No epilogue pops the caller's frame pointer into another register. */
			if (instruction->pointer != REGISTER_FP)
				return false;
			frame->fp = 0;
		} else if (instruction->pointer == REGISTER_FP) {
			return false;
		}
		frame->cfa -= 8;
		break;
	case EFFECT_ADD:
		if (instruction->number % 8 || instruction->number > INT16_MAX ||
			instruction->number < INT16_MIN)
			return false;
		frame->cfa -= (int32_t)instruction->number;
		break;
	default:
		break;
	}
	return frame->cfa >= AT_ENTRY && frame->fp <= frame->cfa && frame->cfa <= INT16_MAX;
}

/* Finds the frame of every instruction. */
static bool read_all(struct reading *reading)
{
	struct frame frame = {.cfa = AT_ENTRY};
	bool is_reached = true; /* from the instruction before */

	for (size_t at = 0; at < reading->count;) {
		struct frame *here = &reading->frames[at];
		struct instruction instruction = decode(reading->bytes + at, reading->count - at);
		size_t next = at + instruction.bytes;

		if (instruction.effect == EFFECT_UNKNOWN)
			return false;
		if (!is_reached)
			frame = here->cfa ? *here : (struct frame){.cfa = AT_ENTRY};
		if (here->cfa && !is_same_frame(here, &frame))
			return false;
		*here = frame;
		reading->begins[at] = true;
		/* Nobody may jump into the middle of it. */
		for (size_t i = at + 1; i < next; i++)
			if (reading->frames[i].cfa)
				return false;
		if (instruction.saves_sp_in_fp && !frame.fp)
			return false;
		/* The stack is aligned at a call: else this code is no whole function. */
		if (instruction.effect == EFFECT_CALL && frame.cfa % 16)
			return false;
		if (!follow(&instruction, &frame))
			return false;
		is_reached = instruction.effect != EFFECT_END && instruction.effect != EFFECT_JUMP;
		if (instruction.effect == EFFECT_END && !is_at_entry(&frame))
			return false;
		if ((instruction.effect == EFFECT_BRANCH || instruction.effect == EFFECT_JUMP) &&
			!hand_on(reading, next, instruction.number, &frame))
			return false;
		at = next;
	}
	return !is_reached || is_at_entry(&frame);
}

bool cfi_code_describe(const unsigned char *bytes, size_t count, uint64_t start,
	void (*each)(void *context, uint64_t address, const struct unwind_rule *rule),
	void *context)
{
	struct reading reading = {.bytes = bytes, .count = count};

	if (!count || count > CFI_CODE_BYTES || !read_all(&reading))
		return false;
	for (size_t at = 0; at < count; at++) {
		const struct frame *frame = &reading.frames[at];
		struct unwind_rule rule = {.cfa_kind = UNWIND_CFA_SP, .cfa_offset = frame->cfa};
		if (!reading.begins[at])
			continue;
		if (frame->fp) {
			rule.fp_kind = UNWIND_FP_AT_CFA;
			rule.fp_offset = (int16_t)-frame->fp;
		}
		each(context, start + at, &rule);
	}
	return true;
}
