/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "The stack of this thread now", as a 64-bit id. A stack not seen before travels to user space
 * once; it is marked seen only when that worked, so a full ring costs a repetition and not a stack.
 * The table of seen ids is direct-mapped and lock-free: a clash merely sends a stack again.
 */
#ifndef DWELL_STACK_BPF_H
#define DWELL_STACK_BPF_H

#include "compat.bpf.h"
#include "contract/frames.h"
#include "probed.bpf.h"
#include "state.bpf.h"
#include "tables.bpf.h"
#include "text.bpf.h"
#include "unwind.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} seen SEC(".maps"), event_seen SEC(".maps");

/*
 * Stacks of events have a ring of their own: a program that is preempted amid its record keeps
 * readers from all that lies behind it, and the stacks of waits must not wait for that.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} event_records SEC(".maps");

static __always_inline u64 *seen_slot(const struct walk *walk, u64 id)
{
	u32 slot = (id ^ id >> 32) & (walk->is_of_event ? cfg_event_seen_mask : cfg_seen_mask);

	return walk->is_of_event ? bpf_map_lookup_elem(&event_seen, &slot)
				 : bpf_map_lookup_elem(&seen, &slot);
}

/* Sends a walk whose id was not seen; returns the id. Verified once, so not static. */
__noinline u64 walk_send_new(struct cpu *cpu, struct walk *walk, u64 id)
{
	u64 *known;

	if (!cpu || !walk)
		return STACK_FAILED;
	known = seen_slot(walk, id);
	if (!known)
		return id;
	if (!walk->is_of_event &&
		bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > cfg_ring_for_stacks) {
		count(cpu, COUNTER_LOST_STACKS, 1);
		return id;
	}
	walk->id = id;
	u64 bytes = walk->depth;
	if (bytes > UNWIND_MAX_FRAMES)
		bytes = UNWIND_MAX_FRAMES;
	bytes = bytes * sizeof(u64) + __builtin_offsetof(struct walk, frames);
	if (walk->is_of_event ? bpf_ringbuf_output(&event_records, walk, bytes, BPF_RB_NO_WAKEUP)
			      : bpf_ringbuf_output(&records, walk, bytes, BPF_RB_NO_WAKEUP))
		count(cpu, COUNTER_LOST_STACKS, 1);
	else
		*known = id;
	return id;
}

/* Sends the walk unless its id was seen; returns the id. */
static __always_inline u64 walk_send(struct cpu *cpu, struct walk *walk, u64 id)
{
	u64 *known;

	if (id < STACK_FIRST_ID)
		id += STACK_FIRST_ID;
	known = seen_slot(walk, id);
	return known && *known == id ? id : walk_send_new(cpu, walk, id);
}

#define MIXED_AT_ONCE 16

/* A part of walk_finish(). Global: verified once. */
__noinline u64 mix_frames(const struct walk *walk, u64 id, u32 first)
{
	if (!walk)
		return id;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MIXED_AT_ONCE; i++) {
		u32 at = first + i;
		if (at >= walk->depth)
			break;
		if (at >= walk->skip)
			id = mix(id, walk->frames[at & (UNWIND_MAX_FRAMES - 1)]);
	}
	return id;
}

/* A walk of plain addresses: its id is made from them, and it is sent. */
static __noinline u64 walk_finish(struct cpu *cpu, struct walk *walk)
{
	u64 id;

	if (!cpu || !walk)
		return STACK_FAILED;
	walk->stop = 0;
	walk->is_packed = false;
	id = mix(walk->kind, walk->image);
	for (u32 i = 0; i < CONTRACT_MAX_FRAMES && i < walk->depth; i += MIXED_AT_ONCE)
		id = mix_frames(walk, id, i);
	return walk_send(cpu, walk, id);
}

/* Where the scheduler's own frames begin: what lies before them is the tracer. */
static __always_inline u32 tracer_depth(const struct walk *walk)
{
	for (u32 i = 0; i < FRAME_TRACER_MOST; i++) {
		if (i >= walk->depth)
			break;
		if (is_within(walk->frames[i], text_schedule))
			return i;
	}
	return 0;
}

/*
 * The kernel leaves out all scheduler functions (mutex_lock, io_schedule, do_nanosleep, ...) when
 * it walks another thread's stack. The outermost of them is not lost: the return address of its
 * caller, now the first frame, lies behind the call to it. User space drops it unless it starts a
 * function.
 */
static __always_inline void add_callee(struct walk *walk)
{
#ifdef __TARGET_ARCH_x86
	struct {
		u8 opcode;
		int distance;
	} __attribute__((packed)) call = {};
	u64 returns_to = walk->frames[1];

	if (bpf_probe_read_kernel(&call, sizeof(call), (void *)(returns_to - sizeof(call))) ||
		call.opcode != 0xe8)
		return;
	walk->frames[0] = returns_to + call.distance;
	walk->has_callee = true;
#endif
}

/*
 * The kernel stack of a sample or an event; ctx is the program's own. It was taken of code that did
 * not know of it, so that all frames are its own, those that __schedule called included.
 */
static __always_inline u64 kernel_stack_now(void *ctx, struct cpu *cpu, struct walk *walk)
{
	long bytes;

	if (!cfg_stacks)
		return STACK_SKIPPED;
	bytes = bpf_get_stack(ctx, walk->frames, CONTRACT_MAX_FRAMES * sizeof(u64), 0);
	if (bytes <= 0) {
		if (bytes < 0)
			count(cpu, COUNTER_KERNEL_STACK_FAILED, 1);
		return bytes < 0 ? STACK_FAILED : STACK_NONE;
	}
	walk->kind = RECORD_KERNEL_STACK;
	walk->image = 0;
	walk->depth = bytes / sizeof(u64);
	walk->skip = 0;
	walk->has_callee = false;
	return walk_finish(cpu, walk);
}

/* The kernel stack of a thread that is not on a CPU. */
static __always_inline u64 kernel_stack_of(
	struct task_struct *task, struct cpu *cpu, struct walk *walk)
{
	if (!cfg_stacks)
		return STACK_SKIPPED;
	/* The first place is kept for the callee; if there is none it is skipped. */
	long bytes = bpf_get_task_stack(
		task, walk->frames + 1, (CONTRACT_MAX_FRAMES - 1) * sizeof(u64), 0);
	if (bytes <= 0) {
		count(cpu, COUNTER_KERNEL_STACK_FAILED, 1);
		return STACK_FAILED;
	}
	walk->kind = RECORD_KERNEL_STACK;
	walk->image = 0;
	walk->depth = bytes / sizeof(u64) + 1;
	walk->has_callee = false;
	add_callee(walk);
	walk->skip = !walk->has_callee;
	return walk_finish(cpu, walk);
}

/* By frame pointers. Addresses mean something within one image only, so it is part of the id. */
static __always_inline u64 user_stack_by_fp(
	void *ctx, struct cpu *cpu, struct walk *walk, const struct thread *thread)
{
	long bytes = bpf_get_stack(
		ctx, walk->frames, CONTRACT_MAX_FRAMES * sizeof(u64), BPF_F_USER_STACK);

	if (bytes <= 0) {
		count(cpu, COUNTER_USER_STACK_FAILED, 1);
		return STACK_FAILED;
	}
	walk->kind = RECORD_USER_STACK;
	walk->image = thread->image;
	walk->depth = bytes / sizeof(u64);
	walk->skip = 0;
	walk->has_callee = false;
	return walk_finish(cpu, walk);
}

/* The walk's mappings are those of the thread's image; false if none are known. */
static __always_inline bool find_tables(struct walk *walk, struct thread *thread)
{
	u32 image = thread->image, now = map_time;

	if (thread->map_image != image || thread->map_time != now) {
		struct unwind_process *map = bpf_map_lookup_elem(&unwind_processes, &image);
		if (!map)
			return false;
		thread->map = *map;
		thread->map_image = image;
		thread->map_time = now;
	}
	unwind_by_map(walk, &thread->map, map_generations[thread->map.vma_base & (STEP_SLOTS - 1)]);
	return true;
}

static __always_inline u64 start_stack_of(struct task_struct *task, u64 mm)
{
	return !has_loads() ? task->mm->start_stack
			    : load_word(mm + bpf_core_field_offset(struct mm_struct, start_stack));
}

/* Lets the walk find its pages by itself, where that is known to work. */
static __always_inline void find_pages(struct walk *walk, u64 mm)
{
	if (has_loads() && walk->memo_kind && direct_base)
		walk->pages.root = load_word(mm + bpf_core_field_offset(struct mm_struct, pgd));
}

/* The thread's memo that may be of this stack, or that is to become it. */
static __always_inline struct memo *find_memo(const struct walk *walk, struct thread *thread)
{
	struct memo *memo = &thread->memos[0], *other = &thread->memos[1];

	if (walk->memo_kind == MEMO_OF_WAKE) {
		memo = &thread->memos[1];
		other = &thread->memos[0];
	}
	/* Who loses its CPU to the thread that it wakes is where it was at the wake. */
	return memo->pc != walk->pc && other->pc == walk->pc ? other : memo;
}

/* The id of the stack, if it is the memo's and user space has that; 0: it is to be walked. */
static __always_inline u64 recall_stack(struct walk *walk, const struct memo *memo)
{
	u64 *known;

	if (!walk->pages.root || !memo_is_of(walk, memo))
		return 0;
	known = seen_slot(walk, memo->id);
	if (!known || *known != memo->id)
		return 0;
	walk->stop = memo->stop;
	walk->is_recalled = 1;
	return memo->id;
}

static __always_inline void begin_walk(struct walk *walk, struct pt_regs *regs)
{
	unwind_begin(walk, regs->ip, regs->sp, regs->bp);
	walk->first_argument = regs->di;
	walk->bx = regs->bx;
}

/*
 * Could the second walk of a stack not read what the first one had, if that had a page? The kernel
 * may take it away between them; that is nobody's mistake.
 */
static __always_inline bool was_disturbed(const struct walk *walk, bool had_page)
{
	if (walk->stop == UNWIND_STOP_READ_RA || walk->stop == UNWIND_STOP_READ_FP ||
		walk->stop == UNWIND_STOP_READ_CFA)
		return true;
	/* The second walk goes by copies, and leaves what is known of the page alone. */
	return had_page && is_other_page(load_word(walk->pages.entry_at), walk->pages.entry);
}

/* Walks by what was kept; now and then once more by the tables alone, to compare. */
static __always_inline u64 walk_by_table(
	struct cpu *cpu, struct walk *walk, u64 mm, struct pt_regs *regs, struct thread *thread)
{
	struct memo *memo = find_memo(walk, thread);
	bool has_moved, had_page;
	u64 id;

	find_pages(walk, mm);
	id = recall_stack(walk, memo);
	if (!id) {
		/* A thread's stacks are mostly as deep as the last one was. */
		if (thread->stack_bytes)
			walk->copy_wanted = thread->stack_bytes;
		walk->stop = unwind_walk(walk);
		thread->stack_bytes = copy_needed(walk);
		id = unwind_id(walk);
		check_page(&walk->pages);
		if (memo_is_whole(walk))
			memo_keep(memo, walk, regs->ip, regs->bp, id);
	}
	count(cpu, walk->steps_missed ? COUNTER_MEMOS_MISSED : COUNTER_MEMOS, 1);
	has_moved = walk->pages.has_moved;
	if (!has_moved && !is_audit_due(&cpu->user_left))
		return id;
	had_page = walk->pages.to;
	/* Not in variables: old kernels have too little stack here. */
	walk->place[0] = walk->vma_base;
	walk->place[1] = walk->vma_count;
	begin_walk(walk, regs);
	walk->vma_base = walk->place[0];
	walk->vma_count = walk->place[1];
	walk->stop = unwind_walk(walk);
	if (has_moved || (unwind_id(walk) != id && was_disturbed(walk, had_page)))
		return unwind_id(walk);
	count(cpu, COUNTER_MEMOS_AUDITED, 1);
	if (unwind_id(walk) != id) {
		count(cpu, COUNTER_MEMOS_WRONG, 1);
		/* All steps and memos of the map are to be found anew, and by copies from now on.
		 */
		__sync_fetch_and_add(&map_generations[walk->vma_base & (STEP_SLOTS - 1)], 1);
		direct_base = 0;
	}
	return unwind_id(walk);
}

/*
 * By table, from the registers with which the thread came into the kernel: for a blocked thread and
 * for one that was interrupted they are the same kind of thing. A sample that hit user code made
 * that frame itself. Global: verified once.
 */
__noinline u64 user_stack_by_table(
	struct cpu *cpu, struct walk *walk, struct thread *thread, u64 mm)
{
#ifdef __TARGET_ARCH_x86
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 segment = regs->cs, id;

	/* Without loads it is not needed, and the compiler would leave an argument out that the
	 * verifier asks for. */
	opaque(mm);
	if (!cpu || !walk || !thread)
		return STACK_FAILED;
	/* Workers that the kernel makes in a process's name were never in user space. */
	if ((segment & 3) != 3)
		return STACK_NONE;
	walk->kind = RECORD_USER_STACK;
	walk->image = thread->image;
	walk->skip = 0;
	walk->has_callee = false;
	walk->is_packed = true;
	begin_walk(walk, regs);
	if (segment == COMPAT_CODE_SEGMENT) {
		add_frame(walk, UNWIND_FRAME_RAW | (regs->ip & (USER_END - 1)));
		walk->stop = UNWIND_STOP_COMPAT;
	} else if (regs->sp == start_stack_of(task, mm)) {
		/* At the program's entry: nothing has been called yet. */
		add_frame(walk, UNWIND_FRAME_RAW | (regs->ip & (USER_END - 1)));
		walk->stop = UNWIND_STOP_DONE;
	} else if (!find_tables(walk, thread)) {
		if (!tables_are_ready)
			return STACK_EARLIER;
		add_frame(walk, UNWIND_FRAME_RAW | (regs->ip & (USER_END - 1)));
		walk->stop = UNWIND_STOP_NOPROC;
		if (!walk->is_of_event)
			want_tables(thread->image, thread->pid, 0, false);
	} else {
		id = walk_by_table(cpu, walk, mm, regs, thread);
		if (walk->is_recalled)
			return id;
		/* Its ring is not for who may be preempted; the next switch asks. */
		if (!walk->is_of_event && (walk->missing || walk->stop == UNWIND_STOP_NOTABLE))
			want_tables(thread->image, thread->pid, walk->missing, false);
		return walk_send(cpu, walk, id);
	}
	return walk_send(cpu, walk, unwind_id(walk));
#else
	return STACK_SKIPPED;
#endif
}

/* Did the walk that gave this id end for want of tables? */
static __always_inline bool lacks_tables(const struct walk *walk, u64 id)
{
	if (id < STACK_FIRST_ID)
		return id == STACK_EARLIER;
	return walk->stop == UNWIND_STOP_NOPROC || walk->stop == UNWIND_STOP_NOVMA ||
	       walk->stop == UNWIND_STOP_NOTABLE || walk->stop == UNWIND_STOP_PENDING ||
	       walk->stop == UNWIND_STOP_NOROOM;
}

/* The user stack of the current thread. */
static __always_inline u64 user_stack_now(
	void *ctx, struct cpu *cpu, struct walk *walk, struct thread *thread)
{
	u64 mm;

	/* Kernel threads have no user side; one that exits, or is amid an exec, has given it back.
	 */
	if (thread->is_kernel_thread)
		return STACK_NONE;
	mm = mm_of(bpf_get_current_task_btf(), &walk->pages.root);
	if (!mm || is_in_exec(thread, mm))
		return STACK_NONE;
	if (!cfg_stacks)
		return STACK_SKIPPED;
	if (cfg_user_stacks == USER_STACKS_TABLE)
		return user_stack_by_table(cpu, walk, thread, mm);
	if (cfg_user_stacks == USER_STACKS_FP)
		return user_stack_by_fp(ctx, cpu, walk, thread);
	return STACK_SKIPPED;
}

#endif
