// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is recognised is what Go's assembler makes since 1.17 (obj6.go, stacksplit()): by the size
 * of the frame one of three ways to compare the stack pointer with what the goroutine in r14 has
 * as its stack's end. Behind the check the frame is made: nothing but the check leads to an
 * instruction that lowers the stack, so each call passes it once.
 */
#include "elf/stack_check.h"

#include <string.h>

#include "contract/jump.h"
#include "elf/x86_length.h"
#include "elf/x86_way.h"

/* The call of the runtime, with as many registers as hold arguments stored before and loaded
 * behind it. */
#define MOST_AGAIN_BYTES 1024

#define CALL 0xe8
/* Conditions of jumps: below; below or equal. */
#define BELOW 2
#define NOT_ABOVE 6

struct reader {
	const unsigned char *code;
	size_t count;
	size_t at;
};

/* Goes past an instruction if these are its first bytes. */
static bool take(struct reader *reader, const char *bytes, size_t count)
{
	size_t left = reader->count - reader->at;

	if (left < count || memcmp(reader->code + reader->at, bytes, count))
		return false;
	size_t length = x86_length(reader->code + reader->at, left);
	reader->at += length;
	return length != 0;
}

#define TAKE(reader, bytes) take(reader, bytes, sizeof(bytes) - 1)

/* The jump that is taken if there is no room; all of a check lead to the same place. */
static bool take_jump(struct reader *reader, uint8_t condition, size_t *target)
{
	struct x86_way way = x86_way_decode(reader->code + reader->at, reader->count - reader->at);

	if (way.kind != X86_JUMPS || way.condition != condition || way.distance <= 0)
		return false;
	size_t found = reader->at + (size_t)way.distance;
	if (*target && *target != found)
		return false;
	*target = found;
	reader->at += way.bytes;
	return true;
}

/* To what r12 holds then: less than the frame of a large function has below the stack pointer. */
static bool take_lowered(struct reader *reader, size_t *target)
{
	if (TAKE(reader, "\x4c\x8d\x64\x24") || TAKE(reader, "\x4c\x8d\xa4\x24")) /* lea */
		return true;
	return TAKE(reader, "\x49\x89\xe4") && /* mov %rsp, %r12 */
	       TAKE(reader, "\x49\x81\xec") && /* sub number, %r12 */
	       take_jump(reader, BELOW, target);
}

static bool take_check(struct reader *reader, size_t *target)
{
	/* mov %fs:-8, %r14: functions that take arguments on the stack have no goroutine there. */
	(void)TAKE(reader, "\x64\x4c\x8b\x34\x25\xf8\xff\xff\xff");
	/* cmp with the goroutine's end of stack, or with that of the system's. */
	bool is_small = TAKE(reader, "\x49\x3b\x66\x10") || TAKE(reader, "\x49\x3b\x66\x18");
	if (!is_small &&
		!(take_lowered(reader, target) &&
			(TAKE(reader, "\x4d\x3b\x66\x10") || TAKE(reader, "\x4d\x3b\x66\x18"))))
		return false;
	return take_jump(reader, NOT_ABOVE, target);
}

/* push %rbp; sub number, %rsp; add -128, which is shorter than sub 128 */
static bool makes_frame(struct reader reader)
{
	return TAKE(&reader, "\x55") || TAKE(&reader, "\x48\x83\xec") ||
	       TAKE(&reader, "\x48\x81\xec") || TAKE(&reader, "\x48\x83\xc4\x80");
}

/* One call, and then the jump; else only what goes on. */
static bool find_again(struct reader reader, size_t *ret)
{
	size_t first = reader.at, calls = 0;

	while (reader.at < reader.count && reader.at - first < MOST_AGAIN_BYTES) {
		const unsigned char *code = reader.code + reader.at;
		struct x86_way way = x86_way_decode(code, reader.count - reader.at);
		if (way.kind == X86_JUMPS) {
			*ret = reader.at;
			return calls == 1 && way.condition == JUMP_ALWAYS &&
			       (int64_t)reader.at + way.distance == 0;
		}
		if (!way.bytes || way.kind != X86_GOES_ON)
			return false;
		calls += *code == CALL;
		reader.at += way.bytes;
	}
	return false;
}

bool stack_check_find(const unsigned char *code, size_t count, struct stack_check *ret)
{
	struct reader reader = {.code = code, .count = count};
	struct stack_check found;
	size_t target = 0;

	if (!take_check(&reader, &target) || target < reader.at || !makes_frame(reader))
		return false;
	found.behind = reader.at;
	reader.at = target;
	if (!find_again(reader, &found.again))
		return false;
	*ret = found;
	return true;
}
