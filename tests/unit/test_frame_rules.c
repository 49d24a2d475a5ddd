// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel stacks by learnt rules, on a made-up kernel whose functions keep their frames in every way
 * that is known, and whose stacks are full of old words: what is learnt from its unwinder, and what
 * the walk by rules makes of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/walk.h"
#include "kernel/frame_rules.h"

typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;
#define opaque(value) __asm__ volatile("" : "+r"(value))

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline static __attribute__((noinline))

#define TEXT_AT 0xffffffff81000000ULL
#define TEXT_END 0xffffffff82000000ULL
#define MODULE_AT 0xffffffffc0000000ULL
#define STACK_AT 0xffffc90000010000ULL
#define IRQ_STACK_AT 0xffffc90000080000ULL
#define STACK_SIZE 2048 /* words */
#define BOTTOM (STACK_AT + STACK_SIZE * 8ULL - 22 * 8)
#define MOST 40

/* What a function does with its stack. */
enum how { FIXED, RANDOM, ALIGNED_WITH_COPY, ALIGNED, EXCEPTION, HIT, FROM_IRQ_STACK, OUTERMOST };

struct call {
	enum how how;
	u64 address; /* where it returns to */
	u32 size;    /* words */
};

static struct {
	u64 task[STACK_SIZE];
	u64 irq[STACK_SIZE];
	struct frame_table table;
	volatile __u64 first[FRAME_ASKERS];
	bool module_is_gone;
	struct frame_rules *rules;
	struct lesson lesson;
	u64 from; /* of the stack that was made last */
	u64 truth[MOST];
	u32 depth;
} kernel;

static u64 *word_of(u64 address)
{
	static u64 outside;

	if (address - STACK_AT < sizeof(kernel.task) && !(address & 7))
		return &kernel.task[(address - STACK_AT) / 8];
	if (address - IRQ_STACK_AT < sizeof(kernel.irq) && !(address & 7))
		return &kernel.irq[(address - IRQ_STACK_AT) / 8];
	outside = 0;
	return &outside;
}

static u64 load_word(u64 address)
{
	return *word_of(address);
}

static u64 frame_word(const struct walk *walk, u64 address)
{
	(void)walk;
	return load_word(address);
}

static bool is_lasting(u64 address)
{
	return (address >= TEXT_AT && address < TEXT_END) || !kernel.module_is_gone;
}

static u32 most_frames_by_rule(void)
{
	return FRAMES_BY_RULE;
}

static const struct frame_table *frame_table_of(void)
{
	return &kernel.table;
}

static u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "bpf/frames.bpf.h"
#pragma GCC diagnostic pop

/* The program's caller and __schedule(), or try_to_wake_up(), are in every stack. */
#define CALLER (TEXT_AT + 0x100)
#define ITERATOR (TEXT_AT + 0x200)
#define SCHEDULE (TEXT_AT + 0x300)
#define WAKE (TEXT_AT + 0x400)
#define ENTRY_OF_FAULT (TEXT_AT + 0x500)
#define ENTRY_OF_INTERRUPT (TEXT_AT + 0x600)
#define ENTRY_OF_CALL (TEXT_AT + 0x700)
#define TRAMPOLINE (TEXT_AT + 0x800)
#define FUNCTION(number) (TEXT_AT + 0x10000 + (number)*0x100ULL)

static struct text_range range_at(u64 start)
{
	return (struct text_range){start - 0x10, start + 0x10};
}

static int set_up(void **state)
{
	struct kernel_text text = {.core = {TEXT_AT, TEXT_END},
		.interrupts = range_at(ENTRY_OF_INTERRUPT),
		.exceptions = range_at(ENTRY_OF_FAULT),
		.schedule = range_at(SCHEDULE),
		.wakes = {range_at(WAKE)},
		.trampolines = {range_at(TRAMPOLINE)},
		.callers = {range_at(CALLER)}};
	text_ranges modules = {0};

	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	vec_push(&modules, ((struct text_range){MODULE_AT, MODULE_AT + 0x1000}));
	kernel.rules = frame_rules_new(&text, &modules, &kernel.table, kernel.first);
	srand(1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	frame_rules_free(kernel.rules);
	return 0;
}

/* Where a function keeps its return address, if its own caller's is at `above`. */
static u64 place_below(const struct call *call, u64 above, u64 above_address)
{
	u64 at = above - 8 * (call->size + 1), copy;

	switch (call->how) {
	case RANDOM: /* 16 bytes each, as the kernel's own offset */
		return above - 8 * (call->size + 1 + (u64)(rand() % 60) * 2);
	case ALIGNED: /* to 16 bytes; what is below the return address is a register */
		at = ((above - 8 * call->size) & ~15ULL) - 8;
		*word_of(above - 8) = (u64)rand();
		*word_of(above + 8) = 0x1234;
		return at;
	case ALIGNED_WITH_COPY:
		copy = ((above + 8) & ~15ULL) - 16;
		at = copy - 8 * (call->size + 1);
		*word_of(copy) = above_address;
		*word_of(copy - 8) = above + 8;
		return at;
	case FROM_IRQ_STACK:
		*word_of(IRQ_STACK_AT + 4 * 4096 - 8) = above - 8 * call->size;
		return IRQ_STACK_AT + 4 * 4096 - 16;
	default:
		return at;
	}
}

/* An exception that hit its caller's code: registers, and below them its return address. */
static u64 place_of_exception(u64 sp_then, u64 hit)
{
	u64 registers = sp_then - 8 * 21;

	*word_of(registers + 8 * FRAME_REGS_IP) = hit;
	*word_of(registers + 8 * FRAME_REGS_SP) = sp_then;
	return registers - 8;
}

/* Makes the stack of these calls, innermost first, as it is when a program is called. */
static void make_stack(const struct call *calls, u32 count)
{
	u64 at = BOTTOM;

	kernel.depth = 0;
	for (u32 i = 0; i < count; i++)
		kernel.truth[kernel.depth++] = calls[i].address;
	*word_of(at) = calls[count - 1].address;
	for (u32 i = count - 1; i-- > 0;) {
		if (calls[i].how == EXCEPTION) {
			at = place_of_exception(at - 8 * calls[i + 1].size, calls[i + 1].address);
			*word_of(at) = calls[i].address;
		} else if (calls[i].how != HIT) {
			at = place_below(&calls[i], at, calls[i + 1].address);
			*word_of(at) = calls[i].address;
		}
	}
	kernel.from = at - 72;
}

static void fill_lesson(enum frame_asker asker)
{
	struct lesson *lesson = &kernel.lesson;
	u64 end = BOTTOM;

	memset(lesson, 0, sizeof(*lesson));
	lesson->asker = asker;
	lesson->from = kernel.from;
	if (kernel.from >= IRQ_STACK_AT) {
		end = IRQ_STACK_AT + 4 * 4096 - 8;
		lesson->second = *word_of(end);
	}
	/* The unwinder sees the tracer, too. */
	lesson->frames[lesson->depth++] = MODULE_AT + 0x2000;
	lesson->frames[lesson->depth++] = CALLER;
	for (u32 i = 0; i < kernel.depth; i++)
		lesson->frames[lesson->depth++] = kernel.truth[i];
	for (u64 at = kernel.from; at <= end; at += 8)
		lesson->words[lesson->word_count++] = *word_of(at);
	for (u64 at = lesson->second; at && at <= BOTTOM; at += 8)
		lesson->words[lesson->word_count + lesson->second_count++] = *word_of(at);
}

static void send(enum frame_asker asker)
{
	fill_lesson(asker);
	frame_rules_learn(kernel.rules, &kernel.lesson, sizeof(kernel.lesson));
}

/* Walks by rules: 1 if they are known. Then it must be the truth, from the first frame on that is
 * not the tracer's to the first of an interrupt. */
static int walk_it(enum frame_asker asker)
{
	u32 begin = asker == FRAME_OF_SWITCH ? FRAME_SCHEDULE : FRAME_WAKE;
	u64 first = asker == FRAME_OF_SWITCH ? SCHEDULE : WAKE;
	struct walk walk = {0};
	u32 skip = 0, depth;

	if (!kernel.first[asker] || !frames_walk(&walk, kernel.from + kernel.first[asker], BOTTOM,
					    begin, asker == FRAME_OF_SWITCH ? 0 : FRAME_INTERRUPT))
		return 0;
	while (kernel.truth[skip] != first)
		skip++;
	for (depth = skip + 1; depth < kernel.depth && walk.depth > depth - skip; depth++)
		;
	assert_int_equal(walk.depth, depth - skip);
	for (u32 i = 0; i < walk.depth; i++)
		assert_int_equal(walk.frames[i], kernel.truth[skip + i]);
	assert_true(walk.depth == kernel.depth - skip ||
		    kernel.truth[skip + walk.depth - 1] == ENTRY_OF_INTERRUPT);
	return 1;
}

/* Learns until it is known, and then walks it often; the number of lessons that it took. */
static int learn(const struct call *calls, u32 count, enum frame_asker asker)
{
	int lessons = 0;

	for (int i = 0; i < 400; i++) {
		make_stack(calls, count);
		if (walk_it(asker))
			continue;
		send(asker);
		lessons++;
	}
	make_stack(calls, count);
	return walk_it(asker) ? lessons : -1;
}

#define SWITCH_FRAMES                                                                              \
	{FIXED, ITERATOR, 6},                                                                      \
	{                                                                                          \
		FIXED, SCHEDULE, 11                                                                \
	}
#define WAKE_FRAMES                                                                                \
	{FIXED, ITERATOR, 6},                                                                      \
	{                                                                                          \
		FIXED, WAKE, 14                                                                    \
	}
#define SYSTEM_CALL                                                                                \
	{RANDOM, FUNCTION(1), 3},                                                                  \
	{                                                                                          \
		OUTERMOST, ENTRY_OF_CALL, 0                                                        \
	}
#define LEARN(asker, ...)                                                                          \
	learn((const struct call[]){__VA_ARGS__},                                                  \
		sizeof((const struct call[]){__VA_ARGS__}) / sizeof(struct call), asker)

static void fixed_frames_and_a_random_one(void **state)
{
	(void)state;
	int lessons = LEARN(FRAME_OF_SWITCH, SWITCH_FRAMES, {FIXED, FUNCTION(2), 4},
		{FIXED, FUNCTION(3), 20}, SYSTEM_CALL);

	assert_in_range(lessons, 5, 60);
}

/* An address that is on the stack twice, and old copies of all of them. */
static void frames_that_repeat(void **state)
{
	(void)state;
	assert_true(
		LEARN(FRAME_OF_WAKE, WAKE_FRAMES, {FIXED, FUNCTION(4), 5}, {FIXED, FUNCTION(5), 3},
			{FIXED, FUNCTION(4), 5}, {FIXED, FUNCTION(6), 9}, SYSTEM_CALL) > 0);
}

/* The caller's parity changes with what is below it. */
static void aligned_frames(void **state)
{
	int known = 0;

	(void)state;
	for (int i = 0; i < 600; i++) {
		u32 odd = (u32)rand() % 2;
		struct call calls[] = {SWITCH_FRAMES, {ALIGNED_WITH_COPY, FUNCTION(7), 6},
			{FIXED, odd ? FUNCTION(8) : FUNCTION(18), 4 + odd},
			{ALIGNED, FUNCTION(9), 12},
			{FIXED, odd ? FUNCTION(10) : FUNCTION(20), 7 - odd}, SYSTEM_CALL};
		make_stack(calls, sizeof(calls) / sizeof(calls[0]));
		if (walk_it(FRAME_OF_SWITCH))
			known++;
		else
			send(FRAME_OF_SWITCH);
	}
	assert_true(known > 400);
}

static void through_an_exception(void **state)
{
	(void)state;
	assert_true(LEARN(FRAME_OF_SWITCH, SWITCH_FRAMES, {FIXED, FUNCTION(11), 4},
			    {EXCEPTION, ENTRY_OF_FAULT, 0}, {HIT, FUNCTION(12), 8},
			    {FIXED, FUNCTION(13), 2}, SYSTEM_CALL) > 0);
}

static void from_the_stack_of_interrupts(void **state)
{
	(void)state;
	assert_true(LEARN(FRAME_OF_WAKE, WAKE_FRAMES, {FIXED, FUNCTION(14), 4},
			    {FROM_IRQ_STACK, FUNCTION(15), 3}, {FIXED, FUNCTION(16), 6},
			    SYSTEM_CALL) > 0);
	/* Behind an interrupt's entry nothing counts, whatever it hit. */
	for (u64 i = 0; i < 50; i++)
		LEARN(FRAME_OF_WAKE, WAKE_FRAMES, {FIXED, FUNCTION(14), 4},
			{FROM_IRQ_STACK, FUNCTION(17), 2}, {FIXED, ENTRY_OF_INTERRUPT, 21},
			{FIXED, FUNCTION(100 + i), (u32)i}, SYSTEM_CALL);
	assert_true(LEARN(FRAME_OF_WAKE, WAKE_FRAMES, {FIXED, FUNCTION(14), 4},
			    {FROM_IRQ_STACK, FUNCTION(17), 2}, {FIXED, ENTRY_OF_INTERRUPT, 21},
			    {FIXED, FUNCTION(999), 1}, SYSTEM_CALL) == 0);
}

/* A trampoline is on the stack instead of the address that the unwinder gives. */
static void what_is_not_on_the_stack_is_not_learnt(void **state)
{
	struct call calls[] = {
		SWITCH_FRAMES, {FIXED, FUNCTION(2), 4}, {FIXED, FUNCTION(3), 20}, SYSTEM_CALL};
	struct frame_rules_counts counts;

	(void)state;
	assert_true(learn(calls, 6, FRAME_OF_SWITCH) > 0);
	for (int i = 0; i < 50; i++) {
		make_stack(calls, 6);
		/* function_graph has taken the return address of the third. */
		u64 place = kernel.from + kernel.first[FRAME_OF_SWITCH] + 8 * (1 + 6 + 1 + 11);
		assert_int_equal(*word_of(place), FUNCTION(2));
		*word_of(place) = TRAMPOLINE;
		assert_int_equal(walk_it(FRAME_OF_SWITCH), 0);
		/* An old copy, always at the same distance, must not take its place. */
		*word_of(place + 8) = FUNCTION(2);
		send(FRAME_OF_SWITCH);
	}
	frame_rules_counts(kernel.rules, &counts);
	assert_int_equal(counts.unusable, 50);
	make_stack(calls, 6);
	assert_int_equal(walk_it(FRAME_OF_SWITCH), 1);
}

/* The unwinder may give a tracer's trampoline itself, and at the same place the true address. */
static void a_tracers_trampoline_is_never_learnt(void **state)
{
	struct call calls[] = {
		SWITCH_FRAMES, {FIXED, TRAMPOLINE, 4}, {FIXED, FUNCTION(3), 20}, SYSTEM_CALL};

	(void)state;
	assert_int_equal(learn(calls, 6, FRAME_OF_SWITCH), -1);
}

static void a_module_that_is_gone_is_not_believed(void **state)
{
	(void)state;
	struct call calls[] = {
		SWITCH_FRAMES, {FIXED, MODULE_AT + 0x80, 4}, {FIXED, FUNCTION(3), 20}, SYSTEM_CALL};

	assert_true(learn(calls, 6, FRAME_OF_SWITCH) > 0);
	kernel.module_is_gone = true;
	frame_rules_forget_modules(kernel.rules);
	/* Another module is there now, with another frame. */
	calls[2].size = 9;
	assert_int_equal(learn(calls, 6, FRAME_OF_SWITCH), -1);
	/* Code that is neither the kernel's nor a module's is never believed. */
	kernel.module_is_gone = false;
	calls[2].address = MODULE_AT + 0x1234;
	assert_int_equal(learn(calls, 6, FRAME_OF_SWITCH), -1);
}

static void tell_of_mistake(void)
{
	kernel.lesson.is_wrong = true;
	frame_rules_learn(kernel.rules, &kernel.lesson, sizeof(kernel.lesson));
}

static void what_an_audit_found_wrong_is_taken_back(void **state)
{
	struct call calls[] = {SWITCH_FRAMES, {FIXED, FUNCTION(2), 4}, SYSTEM_CALL};
	struct call others[] = {SWITCH_FRAMES, {FIXED, FUNCTION(3), 7}, SYSTEM_CALL};
	struct frame_rules_counts counts;

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		assert_true(learn(calls, 5, FRAME_OF_SWITCH) > 0);
		assert_true(learn(others, 5, FRAME_OF_SWITCH) >= 0);
		/* The frame is another by now, and the audit was the first to see it. */
		calls[2].size++;
		memset(kernel.task, 0, sizeof(kernel.task));
		make_stack(calls, 5);
		fill_lesson(FRAME_OF_SWITCH);
		tell_of_mistake();
		make_stack(calls, 5);
		assert_int_equal(walk_it(FRAME_OF_SWITCH), 0);
		frame_rules_counts(kernel.rules, &counts);
		assert_int_equal(counts.given_up, i == 2);
	}
	/* For good: it was so three times. All others are learnt again. */
	assert_int_equal(learn(calls, 5, FRAME_OF_SWITCH), -1);
	assert_true(learn(others, 5, FRAME_OF_SWITCH) > 0);
}

static void a_lesson_that_is_cut_is_ignored(void **state)
{
	struct call calls[] = {SWITCH_FRAMES, {FIXED, FUNCTION(2), 4}, SYSTEM_CALL};
	struct frame_rules_counts counts;

	(void)state;
	make_stack(calls, 5);
	send(FRAME_OF_SWITCH);
	frame_rules_learn(kernel.rules, &kernel.lesson, 100);
	kernel.lesson.depth = 1000;
	frame_rules_learn(kernel.rules, &kernel.lesson, sizeof(kernel.lesson));
	kernel.lesson.depth = 3;
	kernel.lesson.word_count = 100000;
	frame_rules_learn(kernel.rules, &kernel.lesson, sizeof(kernel.lesson));
	frame_rules_counts(kernel.rules, &counts);
	assert_int_equal(counts.lessons, 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fixed_frames_and_a_random_one),
		TEST(frames_that_repeat),
		TEST(aligned_frames),
		TEST(through_an_exception),
		TEST(from_the_stack_of_interrupts),
		TEST(what_is_not_on_the_stack_is_not_learnt),
		TEST(a_tracers_trampoline_is_never_learnt),
		TEST(a_module_that_is_gone_is_not_believed),
		TEST(what_an_audit_found_wrong_is_taken_back),
		TEST(a_lesson_that_is_cut_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
