/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A user stack by table: from one frame to its caller by the rule that the tables have for its pc.
 * Compiled for the kernel and for the host; who includes this provides table_row(), table_page(),
 * table_rule(), table_vma(), read_user(), step_table_of(), find_taken(), find_stepped(),
 * piece_word() and what pages.bpf.h asks for. The functions that are not static are verified once
 * each, so that a loop around them costs the verifier one call a round. The searches have no branch
 * that depends on data: the verifier would follow both ways of each.
 */
#ifndef DWELL_UNWIND_BPF_H
#define DWELL_UNWIND_BPF_H

#include "contract/walk.h"

/* Keeps the compiler from turning a mask back into a branch. */
#define opaque(value) __asm__ volatile("" : "+r"(value))

/* Above all user addresses, also with five levels of page tables. */
#define USER_END (1ULL << 56)

/* The walk goes on. Every other result of unwind_step() is an enum unwind_stop. */
#define UNWIND_GOES_ON (-1)

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 29);
}

/* Makes the mapping that holds `at` the walk's; 0 if there is none. */
__noinline int unwind_find_vma(struct walk *walk, __u64 at)
{
	const struct unwind_vma *vma;
	__u32 low, count;

	if (!walk)
		return 0;
	low = walk->vma_base;
	count = walk->vma_count;
	for (int i = 0; i < UNWIND_VMA_STEPS; i++) {
		__u64 is_right; /* all ones: the mapping in the middle begins at or before it */
		__u32 half = count >> 1;

		if (!count)
			break;
		vma = table_vma(walk, low + half);
		if (!vma)
			return 0;
		is_right = at - vma->start;
		opaque(is_right);
		is_right = ~(__u64)((__s64)is_right >> 63);
		opaque(is_right);
		low += (half + 1) & (__u32)is_right;
		count = (half & ~(__u32)is_right) | ((count - half - 1) & (__u32)is_right);
	}
	if (low == walk->vma_base)
		return 0;
	vma = table_vma(walk, low - 1);
	if (!vma || at - vma->start >= vma->end - vma->start)
		return 0;
	walk->vma_start = vma->start;
	walk->vma_bytes = vma->end - vma->start;
	walk->vma_bias = vma->bias;
	walk->vma_page0 = vma->page0;
	walk->vma_object_kind = vma->object_kind;
	return 1;
}

/* The number of the rule for an address in the walk's object, -1 if the tables have none. */
__noinline int unwind_find_rule(struct walk *walk, __u64 address)
{
	__u32 page, offset = address & (UNWIND_PAGE_BYTES - 1);
	const __u32 *word, *row;
	__u32 low, count;

	if (!walk)
		return -1;
	page = walk->vma_page0 + (__u32)(address >> UNWIND_PAGE_SHIFT);
	word = table_page(walk, page);
	if (!word)
		return -1;
	low = *word;
	word = table_page(walk, page + 1);
	if (!word)
		return -1;
	count = *word - low;
	for (int i = 0; i < UNWIND_ROW_STEPS; i++) {
		__u32 is_right, half = count >> 1;

		if (!count)
			break;
		row = table_row(walk, low + half);
		if (!row)
			return -1;
		is_right = offset - UNWIND_ROW_ADDRESS(*row);
		opaque(is_right);
		is_right = ~(__u32)((__s32)is_right >> 31);
		opaque(is_right);
		low += (half + 1) & is_right;
		count = (half & ~is_right) | ((count - half - 1) & is_right);
	}
	row = table_row(walk, low - 1);
	return row ? (int)UNWIND_ROW_RULE(*row) : -1;
}

static __always_inline void add_frame(struct walk *walk, __u64 frame)
{
	__u32 depth = walk->depth;

	if (depth >= UNWIND_MAX_FRAMES)
		return;
	if (walk->is_exact)
		frame |= UNWIND_FRAME_EXACT;
	if (frame & UNWIND_FRAME_RAW)
		walk->has_raw = 1;
	walk->frames[depth] = frame;
	walk->depth = depth + 1;
	walk->hash = mix(walk->hash, frame);
}

static __always_inline int cannot_read(struct walk *walk, __u64 address, enum unwind_stop stop)
{
	walk->missing = address;
	return stop;
}

/*
 * Frame pointer and return address side by side, as code with frame pointers keeps them; `stop` if
 * it does not.
 */
static __always_inline int step_by_frame_pointer(struct walk *walk, enum unwind_stop stop)
{
	__u64 fp = walk->fp, pair[2];

	if (fp < walk->sp || fp & 7 || read_user(walk, pair, sizeof(pair), fp))
		return cannot_read(walk, fp, stop);
	walk->sp = fp + sizeof(pair);
	walk->fp = pair[0];
	walk->pc = pair[1];
	walk->is_exact = 0;
	return UNWIND_GOES_ON;
}

/* All registers of the interrupted code are in the frame that the kernel made. */
static __always_inline int step_over_signal(struct walk *walk)
{
	__u64 fp, pair[2], sp = walk->sp;

	if (read_user(walk, &fp, sizeof(fp), sp + UNWIND_SIGNAL_FP))
		return cannot_read(walk, sp + UNWIND_SIGNAL_FP, UNWIND_STOP_READ_FP);
	/* SP and PC are neighbours. */
	if (read_user(walk, pair, sizeof(pair), sp + UNWIND_SIGNAL_SP))
		return cannot_read(walk, sp + UNWIND_SIGNAL_SP, UNWIND_STOP_READ_RA);
	walk->fp = fp;
	walk->sp = pair[0];
	walk->pc = pair[1];
	walk->is_exact = 1;
	return UNWIND_GOES_ON;
}

static __always_inline int step_to_cfa(struct walk *walk, const struct unwind_rule *rule, __u64 cfa)
{
	__u64 pair[2], at, fp = walk->fp;

	if (cfa <= walk->sp)
		return UNWIND_STOP_SPBACK;
	if (rule->fp_kind == UNWIND_FP_AT_CFA && rule->fp_offset == -16) {
		/* The usual place, just below the return address: one reading for both. */
		if (read_user(walk, pair, sizeof(pair), cfa - sizeof(pair)))
			return cannot_read(walk, cfa - sizeof(pair), UNWIND_STOP_READ_RA);
		fp = pair[0];
	} else {
		at = (rule->fp_kind == UNWIND_FP_AT_FP ? fp : cfa) + (__u64)(__s64)rule->fp_offset;
		if (rule->fp_kind == UNWIND_FP_LOST)
			fp = 0;
		else if (rule->fp_kind != UNWIND_FP_SAME && read_user(walk, &fp, sizeof(fp), at))
			return cannot_read(walk, at, UNWIND_STOP_READ_FP);
		if (read_user(walk, &pair[1], sizeof(pair[1]), cfa - sizeof(__u64)))
			return cannot_read(walk, cfa - sizeof(__u64), UNWIND_STOP_READ_RA);
	}
	walk->fp = fp;
	walk->sp = cfa;
	walk->pc = pair[1];
	walk->is_exact = 0;
	return UNWIND_GOES_ON;
}

static __always_inline int step_by_dereference(
	struct walk *walk, const struct unwind_rule *rule, __u64 base)
{
	__u64 at = base + (__u64)(__s64)UNWIND_DEREF_LOW(rule->cfa_offset), cfa;

	if (read_user(walk, &cfa, sizeof(cfa), at))
		return cannot_read(walk, at, UNWIND_STOP_READ_CFA);
	return step_to_cfa(walk, rule, cfa + (__u64)(__s64)UNWIND_DEREF_HIGH(rule->cfa_offset));
}

/* The caller's rbx is where the rule says, or still where it was. */
static __always_inline int follow_bx(
	struct walk *walk, const struct unwind_rule *rule, __u64 cfa, bool has_bx)
{
	__s16 offset = UNWIND_DEREF_HIGH(rule->cfa_offset);

	walk->has_bx = has_bx || offset;
	return offset && read_user(walk, &walk->bx, sizeof(walk->bx), cfa + (__u64)(__s64)offset);
}

static __always_inline int step_by_rule(
	struct walk *walk, const struct unwind_rule *rule, __u64 address, bool has_bx)
{
	__u64 cfa = walk->sp + (__u64)(__s64)rule->cfa_offset;

	switch (rule->cfa_kind) {
	case UNWIND_CFA_FRAMEPTR:
		return step_by_frame_pointer(walk, UNWIND_STOP_GAP);
	case UNWIND_CFA_SIGNAL:
		return step_over_signal(walk);
	case UNWIND_CFA_SP_DEREF:
		return step_by_dereference(walk, rule, walk->sp);
	case UNWIND_CFA_FP_DEREF:
		return step_by_dereference(walk, rule, walk->fp);
	case UNWIND_CFA_STOP:
		return UNWIND_STOP_DONE;
	case UNWIND_CFA_SWITCH:
		/* In the function itself: has it left its caller's stack yet? */
		if (walk->is_exact || rule->cfa_offset != UNWIND_SWITCH_FOR_EVER)
			return UNWIND_STOP_SWITCH;
		return UNWIND_STOP_DONE;
	case UNWIND_CFA_GAP:
		/*
		 * The compiler's own start and end code (crtstuff) is not described, but has a
		 * frame pointer that it has just pushed when it calls.
		 */
		if (!walk->is_exact && walk->fp == walk->sp)
			return step_by_frame_pointer(walk, UNWIND_STOP_GAP);
		return UNWIND_STOP_GAP;
	case UNWIND_CFA_RA_REG:
		if (walk->depth != 1)
			return UNWIND_STOP_BADRULE;
		walk->sp = cfa;
		walk->pc = walk->first_argument;
		walk->is_exact = 0;
		return UNWIND_GOES_ON;
	case UNWIND_CFA_SP:
		break;
	case UNWIND_CFA_FP:
		cfa = walk->fp + (__u64)(__s64)rule->cfa_offset;
		break;
	case UNWIND_CFA_BX:
		if (!has_bx)
			return UNWIND_STOP_BADRULE;
		cfa = walk->bx + (__u64)(__s64)UNWIND_DEREF_LOW(rule->cfa_offset);
		if (follow_bx(walk, rule, cfa, has_bx))
			return cannot_read(walk, cfa, UNWIND_STOP_READ_CFA);
		break;
	case UNWIND_CFA_SP_BX:
		cfa = walk->sp + (__u64)(__s64)UNWIND_DEREF_LOW(rule->cfa_offset);
		if (follow_bx(walk, rule, cfa, has_bx))
			return cannot_read(walk, cfa, UNWIND_STOP_READ_CFA);
		break;
	case UNWIND_CFA_PLT:
		cfa = walk->sp + 8 + ((address & 15) >= (__u64)rule->cfa_offset ? 8 : 0);
		break;
	default:
		return UNWIND_STOP_BADRULE;
	}
	return step_to_cfa(walk, rule, cfa);
}

#include "steps.bpf.h"

/*
 * HotSpot's compiled methods leave the frame pointer alone: in it still is the one of whoever set
 * it last, and a step by it goes to that one's caller. The stack leads to its root all the same.
 */
static __always_inline int step_in_java(struct walk *walk)
{
	__u64 flag = walk->vma_bias;
	__u8 keeps_frame_pointers = 0;

	if (!walk->is_doubtful && (!flag || read_user(walk, &keeps_frame_pointers, 1, flag) ||
					  keeps_frame_pointers != 1))
		walk->is_doubtful = 1;
	return step_by_frame_pointer(walk, UNWIND_STOP_ANON);
}

/*
 * A generated call of CPython that begins so many bytes before the pc. Global: five of these in
 * unwind_step() would take as much stack as that may have left where it is called from.
 */
__noinline int is_python_call(struct walk *walk, __u64 into)
{
	struct {
		__u64 code;
		__u16 end;
	} call = {};

	return walk && !read_user(walk, &call, UNWIND_PYTHON_CALL_BYTES, walk->pc - into) &&
	       call.code == UNWIND_PYTHON_CALL && call.end == UNWIND_PYTHON_CALL_END;
}

/*
 * Code without a file in a process with CPython: generated calls are known by their bytes and
 * stepped over exactly; the rest by frame pointer. Between sub and add 8 bytes more are on the
 * stack. Only the first frame, which is no return address, can be elsewhere in such a call.
 */
static __always_inline int step_in_python(struct walk *walk)
{
	const struct unwind_rule same = {.cfa_kind = UNWIND_CFA_SP};

	if (is_python_call(walk, UNWIND_PYTHON_CALLED) ||
		(walk->is_exact && is_python_call(walk, UNWIND_PYTHON_CALLED - 2)))
		return step_to_cfa(walk, &same, walk->sp + 16);
	if (walk->is_exact && (is_python_call(walk, 0) || is_python_call(walk, -4ULL) ||
				      is_python_call(walk, UNWIND_PYTHON_CALL_BYTES)))
		return step_to_cfa(walk, &same, walk->sp + 8);
	return step_by_frame_pointer(walk, UNWIND_STOP_ANON);
}

/*
 * The pc is in no mapping or in the kernel's code for probes. If a uretprobe took the return
 * address that was read last, the true one is gone on with. A thread that has just returned into
 * the probe's code is in it itself, and has pushed up to three words there; one that runs a copy of
 * a probed instruction is where that instruction is.
 */
static __always_inline int step_over_probe(struct walk *walk, bool has_bx, enum unwind_stop stop)
{
	__u64 slot = walk->sp - sizeof(__u64), pc = walk->pc;

	if (find_taken(walk, slot, slot + (walk->is_exact ? UNWIND_PROBE_PUSHES : 0))) {
		walk->is_exact = 0;
		walk->has_bx = has_bx;
		return UNWIND_GOES_ON;
	}
	if (walk->is_exact && find_stepped(walk)) {
		walk->has_bx = has_bx;
		return UNWIND_GOES_ON;
	}
	walk->missing = pc;
	add_frame(walk, UNWIND_FRAME_RAW | (pc & (USER_END - 1)));
	return stop;
}

/* Notes the frame at the walk's pc and goes to its caller; UNWIND_GOES_ON or why not. */
__noinline int unwind_step(struct walk *walk)
{
	const struct unwind_rule *rule;
	__u64 pc, at, address;
	bool has_bx;
	int number;

	if (!walk)
		return UNWIND_STOP_NOPROC;
	/* A frame whose rule does not tell where rbx was saved may have changed it. */
	has_bx = walk->has_bx;
	walk->has_bx = 0;
	pc = walk->pc;
	if (!pc)
		return UNWIND_STOP_ZEROPC;
	if (walk->depth >= UNWIND_MAX_FRAMES)
		return UNWIND_STOP_MAXF;
	/* A call may be a function's last instruction: its return address belongs to the next one.
	 */
	at = pc - !walk->is_exact;
	if (at - walk->vma_start >= walk->vma_bytes &&
		(at >= USER_END || !unwind_find_vma(walk, at)))
		return step_over_probe(walk, has_bx, UNWIND_STOP_NOVMA);
	address = at - walk->vma_bias;
	switch (walk->vma_object_kind & 0xff) {
	case UNWIND_VMA_ANON:
		keep_step(walk, pc, UNWIND_FRAME_RAW | pc,
			&(struct unwind_rule){.cfa_kind = UNWIND_CFA_FRAMEPTR});
		add_frame(walk, UNWIND_FRAME_RAW | pc);
		return step_by_frame_pointer(walk, UNWIND_STOP_ANON);
	case UNWIND_VMA_JAVA:
		add_frame(walk, UNWIND_FRAME_RAW | pc);
		return step_in_java(walk);
	case UNWIND_VMA_PYTHON:
		add_frame(walk, UNWIND_FRAME_RAW | pc);
		return step_in_python(walk);
	case UNWIND_VMA_PROBE:
		return step_over_probe(walk, has_bx, UNWIND_STOP_PROBE);
	case UNWIND_VMA_PENDING:
		add_frame(walk, UNWIND_FRAME_RAW | pc);
		return UNWIND_STOP_PENDING;
	case UNWIND_VMA_CLOSED:
		add_frame(walk, UNWIND_FRAME_RAW | pc);
		return UNWIND_STOP_NOTABLE;
	case UNWIND_VMA_NOROOM:
		add_frame(walk, UNWIND_FRAME_RAW | pc);
		return UNWIND_STOP_NOROOM;
	case UNWIND_VMA_UNOPENED:
		add_frame(walk, UNWIND_FRAME_RAW | pc);
		return UNWIND_STOP_NOOPEN;
	}
	add_frame(walk, UNWIND_FRAME(walk->vma_object_kind >> 8, pc - walk->vma_bias));
	switch (walk->vma_object_kind & 0xff) {
	case UNWIND_VMA_FRAMEPTR:
		return step_by_frame_pointer(walk, UNWIND_STOP_GAP);
	case UNWIND_VMA_TABLE:
		break;
	case UNWIND_VMA_EVICTED:
		walk->missing = pc;
		return UNWIND_STOP_NOROOM;
	default:
		walk->missing = pc;
		return UNWIND_STOP_NOTABLE;
	}
	number = unwind_find_rule(walk, address);
	rule = number < 0 ? 0 : table_rule(walk, (__u32)number);
	if (!rule)
		return UNWIND_STOP_GAP;
	keep_step(walk, pc, UNWIND_FRAME(walk->vma_object_kind >> 8, pc - walk->vma_bias), rule);
	return step_by_rule(walk, rule, address, has_bx);
}

/* Steps that one call of unwind_some() takes. */
#define SLOW_STEPS 32

__noinline int unwind_some(struct walk *walk)
{
	int stop = UNWIND_GOES_ON;

	for (int i = 0; i < SLOW_STEPS && stop == UNWIND_GOES_ON; i++)
		stop = unwind_step(walk);
	return stop;
}

/* Step by step from where the walk is. Inline: old kernels count the stack of each call. */
static __always_inline int unwind_slowly(struct walk *walk)
{
	int stop = UNWIND_GOES_ON;

	for (int i = 0; i <= UNWIND_MAX_FRAMES && stop == UNWIND_GOES_ON; i += SLOW_STEPS)
		stop = unwind_some(walk);
	if (walk->is_doubtful && (stop == UNWIND_STOP_DONE || stop == UNWIND_STOP_ZEROPC))
		return UNWIND_STOP_DOUBT;
	/* Steps over probes bring no frame. */
	return stop == UNWIND_GOES_ON ? UNWIND_STOP_MAXF : stop;
}

/* Frames that are not known, or not of a usual kind, between those that are. */
#define MOST_MISSED 6

/*
 * The whole stack from the registers and mappings that the walk was given: by steps that are known,
 * and by the tables where one is not.
 */
__noinline int unwind_walk(struct walk *walk)
{
	int stop;

	if (!walk)
		return UNWIND_STOP_NOPROC;
	if (!walk->steps_of)
		return unwind_slowly(walk);
	for (int i = 0; i < MOST_MISSED; i++) {
		stop = take_steps(walk);
		if (stop != UNWIND_GOES_ON)
			return walk->is_doubtful ? UNWIND_STOP_DOUBT : stop;
		walk->steps_missed++;
		stop = unwind_step(walk);
		if (stop != UNWIND_GOES_ON)
			break;
	}
	if (stop == UNWIND_GOES_ON)
		return unwind_slowly(walk);
	if (walk->is_doubtful && (stop == UNWIND_STOP_DONE || stop == UNWIND_STOP_ZEROPC))
		return UNWIND_STOP_DOUBT;
	return stop;
}

/* Gets the walk ready; the mappings are the caller's to fill in. */
static __always_inline void unwind_begin(struct walk *walk, __u64 pc, __u64 sp, __u64 fp)
{
	walk->pc = pc;
	walk->sp = sp;
	walk->fp = fp;
	walk->first_sp = sp;
	walk->depth = 0;
	walk->hash = walk->kind;
	walk->missing = 0;
	walk->is_exact = 1;
	walk->has_bx = 1;
	walk->has_raw = 0;
	walk->is_doubtful = 0;
	walk->is_recalled = 0;
	walk->vma_start = 0;
	walk->vma_bytes = 0;
	walk->vma_base = 0;
	walk->vma_count = 0;
	walk->steps_of = 0;
	walk->steps_missed = 0;
	walk->piece_bytes = 0;
	walk->copy_wanted = sizeof(walk->copy);
	walk->pages.root = 0;
	walk->pages.to = 0;
	walk->pages.table = 0;
	walk->pages.has_moved = 0;
	memo_begin(walk);
}

/*
 * Gives the walk its mappings, which are of that generation. What is mixed with is no such pair, so
 * that steps_of is never 0, which means that there are none.
 */
static __always_inline void unwind_by_map(
	struct walk *walk, const struct unwind_process *map, __u32 generation)
{
	walk->vma_base = map->vma_base;
	walk->vma_count = map->vma_count;
	walk->steps_of = mix(~0ULL, (__u64)map->vma_base << 32 | generation);
}

/* The stack's id: frames, how it ended, and the image where plain addresses need it. */
static __always_inline __u64 unwind_id(const struct walk *walk)
{
	__u64 id = mix(mix(walk->hash, walk->stop), walk->has_raw ? walk->image : 0);

	return id < STACK_FIRST_ID ? id + STACK_FIRST_ID : id;
}

#endif
