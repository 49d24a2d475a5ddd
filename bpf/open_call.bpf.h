/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that threads are in, and what a thread has waited for and run in while it was in one. Most
 * calls are fast, and nobody wants to know their waits: so these are kept in a ring of the
 * thread's, from which those of a slow call are told when it ends (slow.bpf.h).
 *
 * A thread has *call books* while it is in a call, from a pool. Calls are entered and left by the
 * thread itself (call.bpf.h), in programs that can be preempted; waits are noted by its switches,
 * with interrupts off, samples in interrupts: each part has one kind of writer.
 */
#ifndef DWELL_BPF_OPEN_CALL_H
#define DWELL_BPF_OPEN_CALL_H

#include "state.bpf.h"
#include "contract/call.h"

/* Functions, system calls or marks are watched. */
const volatile bool cfg_has_calls;
/* Call books that there are, less one: a power of two. */
const volatile __u32 cfg_call_books_mask;

/* What is kept of the last waits and samples of a thread; powers of two. */
#define CALL_WAITS 64
#define CALL_SAMPLES 64
#define CALL_SHARES 128

struct open_call {
	u64 sp;         /* where its return address lies; 0: of system calls and marks */
	u64 returns_to; /* what is there; 0: what the kernel puts there to see it return */
	u64 begun;      /* 0: before the window */
	u64 part_ns[TIME_STATES]; /* of its thread, when it began */
	u32 waits;                /* noted until then */
	u32 samples;
	u16 function; /* counted from 1; 0: there is no call here */
	bool is_inner;
	u8 kind;       /* enum call_matching */
	bool jumps_on; /* to functions whose returns end it */
	u8 pad[3];
};

/* By what the end of a call is known to be its end. */
enum call_matching {
	CALL_BY_PLACE,  /* of its return address, on a user stack */
	CALL_BY_STACK,  /* of the kernel: the last one that began */
	CALL_BY_MARKS,  /* there is one at a time in a thread */
	CALL_BY_NUMBER, /* of a system call: likewise, of all system calls */
};

/* Waits that are looked at for one that is the same. */
#define CALL_WAITS_ALIKE 8

/* Waits that ended and are alike, or parts of such; as in struct sum_key. */
struct call_wait {
	u64 kernel_stack;
	u64 user_stack;
	u64 chain;
	u64 awaited;
	u64 ns;
	u64 max_ns;
	u64 until; /* of the last one */
	u32 count; /* a part of a wait counts, too */
	u32 owner;
	u32 first_share; /* number of its first share; it has hop_count + 1 */
	u8 hop_count;
	u8 state;
	u8 task_letter;
	u8 band;
	u8 is_part;
	u8 pad[7];
};

struct call_sample {
	u64 kernel_stack;
	u64 user_stack;
};

struct call_books {
	u32 thread; /* serial of whose they are; 0: nobody's */
	u32 waits;  /* noted so far */
	u32 samples;
	u32 shares;
	u32 too_deep;   /* calls that are open and not in here; some may have been left */
	u32 alike_from; /* only from here on waits are in all calls that are open */
	u32 noted;      /* number of the last wait that was noted, or added to */
	bool was_alike; /* it was added to */
	u8 pad[3];
	u64 switches; /* of its thread, when it left its CPU last */
	u64 pad_2[3];
	struct open_call open[CONTRACT_CALL_DEPTH];
	struct call_wait wait[CALL_WAITS];
	struct call_sample sample[CALL_SAMPLES];
	struct share share[CALL_SHARES];
};

_Static_assert(sizeof(struct call_books) == CONTRACT_CALL_BOOKS_BYTES, "user space counts them");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct call_books);
} call_books SEC(".maps");

static __always_inline struct call_books *call_books_at(u32 number)
{
	u32 key = number & cfg_call_books_mask;

	return bpf_map_lookup_elem(&call_books, &key);
}

/* Those of a thread that is in a call. */
static __always_inline struct call_books *call_books_of(const struct thread *thread)
{
	struct call_books *books = call_books_at(thread->call_books);

	return books && books->thread == thread->serial ? books : NULL;
}

static __always_inline bool is_in_call(const struct thread *thread)
{
	return cfg_has_calls && thread->open_calls;
}

/* Places that are looked at for books that are free, from the last ones of the thread on. */
#define BOOKS_TRIES 16

/* Takes books for a thread that is in no call; false if there are none. Threads begin to look at
 * places of their own. */
static __always_inline bool take_call_books(struct thread *thread)
{
	u32 serial = thread->serial;

	if (!thread->call_books)
		thread->call_books = serial * 0x9e3779b1U;

#pragma clang loop unroll(disable)
	for (u32 i = 0; i < BOOKS_TRIES; i++) {
		struct call_books *books = call_books_at(thread->call_books + i);

		if (!books)
			return false;
		if (books->thread || __sync_val_compare_and_swap(&books->thread, 0, serial))
			continue;
		thread->call_books += i;
		return true;
	}
	/* Elsewhere the next time. */
	thread->call_books = serial * 0x9e3779b1U;
	return false;
}

static __always_inline bool is_alike(
	const struct call_wait *wait, const struct sum_key *key, u32 owner, u32 hop_count)
{
	return wait->kernel_stack == key->kernel_stack && wait->user_stack == key->user_stack &&
	       wait->chain == key->chain && wait->awaited == key->awaited &&
	       wait->state == key->state && wait->task_letter == key->task_letter &&
	       wait->band == key->band && wait->is_part == key->is_part && wait->owner == owner &&
	       wait->hop_count == hop_count;
}

/* The number of a wait that is like that one, of the last few; else that of the next. */
static __always_inline u32 number_of_wait(
	struct call_books *books, const struct sum_key *key, u32 owner, u32 hop_count)
{
	u32 end = books->waits, there = end - books->alike_from;

#pragma clang loop unroll(disable)
	for (u32 i = 1; i <= CALL_WAITS_ALIKE; i++) {
		if (i > there)
			break;
		if (is_alike(&books->wait[(end - i) & (CALL_WAITS - 1)], key, owner, hop_count))
			return end - i;
	}
	return end;
}

#define NOTED_OWNER(owner, hop_count) ((u64)(hop_count) << 32 | (owner))

/*
 * Notes the wait that a row was just made of; of one that was explained, note_call_shares() notes
 * its shares. Global: old kernels have no more stack for its callers, and verify it once.
 */
__noinline int note_call_wait(struct thread *thread, const struct sum_key *key,
	const struct sum *add, u64 until, u64 noted_owner)
{
	struct call_books *books = thread ? call_books_of(thread) : NULL;
	u32 owner = noted_owner, hop_count = noted_owner >> 32;
	struct call_wait *wait;
	u32 number;

	if (!books || !key || !add)
		return 0;
	number = number_of_wait(books, key, owner, hop_count);
	wait = &books->wait[number & (CALL_WAITS - 1)];
	books->noted = number;
	books->was_alike = number != books->waits;
	if (books->was_alike) {
		wait->count++;
		wait->ns += add->ns;
		if (add->max_ns > wait->max_ns)
			wait->max_ns = add->max_ns;
		wait->until = until;
		return 0;
	}
	wait->kernel_stack = key->kernel_stack;
	wait->user_stack = key->user_stack;
	wait->chain = key->chain;
	wait->awaited = key->awaited;
	wait->ns = add->ns;
	wait->max_ns = add->max_ns;
	wait->until = until;
	wait->count = 1;
	wait->owner = owner;
	wait->state = key->state;
	wait->task_letter = key->task_letter;
	wait->band = key->band;
	wait->is_part = key->is_part;
	wait->hop_count = hop_count;
	wait->first_share = books->shares;
	barrier();
	books->waits++;
	return 0;
}

/* A thread in a call leaves its CPU: if it has left it as often when somebody looks, it has not run
 * since. */
static __always_inline void note_call_switch(struct task_struct *task, struct thread *thread)
{
	struct call_books *books = call_books_of(thread);

	if (books)
		books->switches = task->nvcsw + task->nivcsw;
}

/* In an interrupt, maybe one that came upon a switch. */
static __always_inline void note_call_sample(
	struct thread *thread, u64 kernel_stack, u64 user_stack)
{
	struct call_books *books = call_books_of(thread);
	u32 number;

	if (!books)
		return;
	number = books->samples;
	books->sample[number & (CALL_SAMPLES - 1)] = (struct call_sample){kernel_stack, user_stack};
	barrier();
	books->samples = number + 1;
}

/* What became of calls that are in no row, by function. */
struct call_counts call_counts[CONTRACT_CALL_FUNCTIONS] OWN_LINE;

static __always_inline struct call_counts *counts_of(u32 function)
{
	return &call_counts[function & (CONTRACT_CALL_FUNCTIONS - 1)];
}

/* A thread ends, or becomes another program, with calls that will not come back. */
static __noinline int calls_die(struct thread *thread)
{
	struct call_books *books;

	if (!thread)
		return 0;
	books = call_books_of(thread);
	thread->open_calls = 0;
	if (!books)
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_CALL_DEPTH; i++) {
		u32 function = books->open[i].function;

		if (!function)
			continue;
		books->open[i].function = 0;
		__sync_fetch_and_add(&counts_of(function - 1)->died_inside, 1);
	}
	books->too_deep = 0;
	barrier();
	books->thread = 0;
	return 0;
}

#endif
