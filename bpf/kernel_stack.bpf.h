/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel stack of the current thread, as a switch or a wake asks for it: by rules where they
 * are known, else by the kernel's unwinder, and then it is a lesson for user space, which makes the
 * rules. Some of the stacks that the rules gave are walked by the unwinder as well: an audit. What
 * it gives counts; that it gave another is a loss that is reported.
 */
#ifndef DWELL_KERNEL_STACK_BPF_H
#define DWELL_KERNEL_STACK_BPF_H

#include "stack.bpf.h"

/* There are rules to be had, if kernel text turns out to be known. */
const volatile bool cfg_has_rules;
/* A walk by the unwinder that is as long as this may have been cut. */
const volatile __u32 cfg_max_frames = CONTRACT_MAX_FRAMES;

/* Of a copied stack: a kilobyte would take as long as twelve words. */
#define STACK_COPY_BYTES 768
/* What is farther from the thread's bottom is on another stack. */
#define STACK_MOST_BYTES (8 * PAGE_BYTES)

/* Written by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct frame_table);
} frame_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} lessons SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lesson);
} lesson_rooms SEC(".maps");

/* From a program's context to the return address of the kernel's function that called it; 0: not
 * known yet. */
volatile __u64 frame_first[FRAME_ASKERS] TEXT;
/* A module is gone: where it was, another one may be. */
volatile __u32 module_is_gone TEXT;
/* How often a stack was sent; user space forgets it from time to time. */
volatile __u8 lesson_counts[LESSON_SLOTS];

/* Is what was learnt of the address still what is there? */
static __always_inline bool is_lasting(u64 address)
{
	return !module_is_gone || address - text_core < text_core_bytes;
}

static __always_inline bool has_rules(void)
{
	return cfg_has_rules && text_core_bytes;
}

static __always_inline u32 most_frames_by_rule(void)
{
	u32 most = cfg_max_frames > FRAME_TRACER_MOST ? cfg_max_frames - FRAME_TRACER_MOST : 0;

	return most < FRAMES_BY_RULE ? most : FRAMES_BY_RULE;
}

static __always_inline const struct frame_table *frame_table_of(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&frame_rules, &zero);
}

/* A word of the stack that is walked. */
static __always_inline u64 frame_word(const struct walk *walk, u64 at)
{
	u64 offset = at - walk->piece_at;

	if (!has_loads() && offset < walk->piece_bytes)
		return walk->copy[offset / sizeof(u64) & (WALK_COPY_WORDS - 1)];
	return load_word(at);
}

/*
 * Where each word would be a call, the stack is copied in one: as much as most stacks have. The
 * interrupts' stack ends with a page, behind which nothing can be read. Words that were not copied
 * are read one by one.
 */
static __always_inline void copy_stack(struct walk *walk, u64 from, u64 bottom)
{
	u64 bytes = bottom + sizeof(u64) - from;

	walk->piece_bytes = 0;
	if (bytes > STACK_MOST_BYTES)
		bytes = PAGE_BYTES - (from & (PAGE_BYTES - 1));
	if (bytes > STACK_COPY_BYTES)
		bytes = STACK_COPY_BYTES;
	if (bpf_probe_read_kernel(walk->copy, bytes, (void *)from))
		return;
	walk->piece_at = from;
	walk->piece_bytes = bytes;
}

#include "frames.bpf.h"

/* Where the thread's own stack goes on, said by the last word of the interrupts' stack. */
static __always_inline u64 find_second_piece(u64 from, u64 low, u64 bottom, u64 *ret_last)
{
	/* The interrupts' stack has four pages. */
	for (u32 i = 0; i < 4; i++) {
		u64 last = (from | 4095) - 7 + i * 4096ULL, word = 0;

		bpf_probe_read_kernel(&word, sizeof(word), (void *)last);
		if (word >= low && word < bottom) {
			*ret_last = last;
			return word;
		}
	}
	return 0;
}

/* Sends the stack that the unwinder has found, and its words. Global: verified once. */
__noinline int send_lesson(struct walk *walk, u32 asker, u32 is_wrong)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 zero = 0, slot;
	struct lesson *lesson = bpf_map_lookup_elem(&lesson_rooms, &zero);
	u64 from, bottom, low = (u64)BPF_CORE_READ(task, stack), last, count, seconds = 0;

	if (!walk || !lesson || walk->whole_depth >= cfg_max_frames)
		return 0;
	from = walk->place[0];
	bottom = walk->place[1];
	slot = (walk->hash ^ walk->hash >> 32) & (LESSON_SLOTS - 1);
	if (!is_wrong && lesson_counts[slot] >= LESSONS_EACH)
		return 0;
	lesson_counts[slot]++;
	lesson->asker = asker;
	lesson->is_wrong = is_wrong;
	lesson->depth = walk->whole_depth;
	lesson->from = from;
	lesson->second = 0;
	last = bottom;
	if (from < low || from > bottom)
		lesson->second = find_second_piece(from, low, bottom, &last);
	count = (last - from) / sizeof(u64) + 1;
	if (lesson->second)
		seconds = (bottom - lesson->second) / sizeof(u64) + 1;
	if (count >= LESSON_WORDS || seconds >= LESSON_WORDS)
		return 0;
	lesson->word_count = count;
	lesson->second_count = seconds;
	bpf_probe_read_kernel(lesson->frames, CONTRACT_MAX_FRAMES * sizeof(u64), walk->frames);
	bpf_probe_read_kernel(
		lesson->words, (count & (LESSON_WORDS - 1)) * sizeof(u64), (void *)from);
	bpf_probe_read_kernel(&lesson->words[count & (LESSON_WORDS - 1)],
		(seconds & (LESSON_WORDS - 1)) * sizeof(u64), (void *)lesson->second);
	bpf_ringbuf_output(&lessons, lesson,
		__builtin_offsetof(struct lesson, words) +
			((count + seconds) & (2 * LESSON_WORDS - 1)) * sizeof(u64),
		BPF_RB_NO_WAKEUP);
	return 0;
}

_Static_assert(!(FRAME_ASKERS & (FRAME_ASKERS - 1)), "an asker is bounded by a mask");

/* Walks by rules; false if the unwinder has to be asked. `foreseen` is left for an audit. */
static __always_inline bool walk_by_rules(void *ctx, struct cpu *cpu, struct walk *walk, u32 asker)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool is_switch = asker == FRAME_OF_SWITCH;
	volatile __u64 *place = walk->place;
	u64 first = frame_first[asker & (FRAME_ASKERS - 1)];

	walk->foreseen = 0;
	/* Stored and loaded again they are numbers. */
	place[0] = (u64)ctx;
	place[1] = (u64)bpf_task_pt_regs(task);
	place[1] -= sizeof(u64);
	if (!has_loads() && first)
		copy_stack(walk, place[0] + first, place[1]);
	walk->is_by_rule = first && frames_walk(walk, place[0] + first, place[1],
					    is_switch ? FRAME_SCHEDULE : FRAME_WAKE,
					    is_switch ? 0 : FRAME_INTERRUPT);
	count(cpu, walk->is_by_rule ? COUNTER_STACKS_BY_RULE : COUNTER_STACKS_UNWOUND, 1);
	if (!walk->is_by_rule || !is_audit_due(&cpu->kernel_left))
		return walk->is_by_rule;
	walk->foreseen = walk->hash < STACK_FIRST_ID ? walk->hash + STACK_FIRST_ID : walk->hash;
	walk->is_by_rule = 0;
	return false;
}

/*
 * The kernel stack of the current thread into the walk, by rules or by the unwinder, in which case
 * the tracer's own frames come first. walk->depth is 0 if there is none.
 */
static __always_inline void walk_kernel(void *ctx, struct cpu *cpu, struct walk *walk, u32 asker)
{
	long bytes;

	walk->is_by_rule = 0;
	walk->foreseen = 0;
	if (has_rules() && walk_by_rules(ctx, cpu, walk, asker))
		return;
	bytes = bpf_get_stack(ctx, walk->frames, CONTRACT_MAX_FRAMES * sizeof(u64), 0);
	walk->depth = bytes > 0 ? bytes / sizeof(u64) : 0;
	walk->whole_depth = walk->depth;
	if (bytes < 0)
		count(cpu, COUNTER_KERNEL_STACK_FAILED, 1);
}

/* The id of the stack that walk_kernel() has found; `skip` frames of it are the tracer's. */
static __always_inline u64 finish_kernel(struct cpu *cpu, struct walk *walk, u32 skip, u32 asker)
{
	u64 id;

	walk->kind = RECORD_KERNEL_STACK;
	walk->image = 0;
	walk->has_callee = false;
	walk->skip = skip;
	if (walk->is_by_rule) {
		walk->stop = 0;
		walk->is_packed = false;
		return walk_send(cpu, walk, walk->hash);
	}
	id = walk_finish(cpu, walk);
	if (!has_rules())
		return id;
	walk->hash = id;
	if (!walk->foreseen) {
		send_lesson(walk, asker, false);
		return id;
	}
	count(cpu, COUNTER_STACKS_AUDITED, 1);
	if (id != walk->foreseen) {
		count(cpu, COUNTER_STACKS_WRONG, 1);
		send_lesson(walk, asker, true);
	}
	return id;
}

/* The kernel stack of a thread that leaves its CPU. */
static __always_inline u64 kernel_stack_at_switch(void *ctx, struct cpu *cpu, struct walk *walk)
{
	if (!cfg_stacks)
		return STACK_SKIPPED;
	walk_kernel(ctx, cpu, walk, FRAME_OF_SWITCH);
	if (!walk->depth)
		return STACK_FAILED;
	return finish_kernel(cpu, walk, walk->is_by_rule ? 0 : tracer_depth(walk), FRAME_OF_SWITCH);
}

#endif
