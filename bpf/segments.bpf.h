/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pieces of a wait, each with the hop that it was spent on: as a list while the wait is being
 * explained, in which they tile the wait in the order of time; as the thread remembers them
 * (past.bpf.h); and as sums, the shares of the hops.
 *
 * Built for the kernel and for the host, see chain.bpf.h. Who includes this has mix(), which hashes
 * a word into a hash, and barrier_var() for the sake of the verifier.
 */
#ifndef DWELL_SEGMENTS_BPF_H
#define DWELL_SEGMENTS_BPF_H

#include "chain.bpf.h"

#define PAST_ENTRIES CONTRACT_PAST_ENTRIES
/*
 * What is recalled may take this many segments, and habits one each; the hops themselves need four
 * each at most.
 */
#define RECALLED_SEGMENTS (64 - HABITS)
#define MAX_SEGMENTS 128

/* What a segment was. */
enum past_what {
	PAST_RAN,     /* the hop was awake, or is metal */
	PAST_EARLIER, /* it did something that nobody remembers */
	PAST_REST,    /* behind the last hop */
	PAST_CUT,     /* as above, because more hops are not kept */
};

struct segment {
	u64 from;
	u64 to;
	u64 chain;
	u64 no_cpu_ns;
	u8 position;
	u8 what; /* enum past_what */
	u8 hop_count;
	u8 pad[5];
};

/* A segment that a thread remembers. */
struct past {
	u64 from;
	u64 to;
	u64 chain;          /* id of the chain that explains it */
	u64 waited;         /* as hop.waited: in what the thread itself waited */
	coarse_time no_cpu; /* of PAST_RAN: how long the hop had no CPU */
	coarse_time after;  /* how long the thread itself had none before its next wait. Not
			       checked. */
	u32 check;
	u8 position; /* of the hop in the chain */
	u8 what;     /* enum past_what */
	u8 hop_count;
	u8 number; /* counts on from one to the next: where it does not, some are missing */
};

/* Waits that a thread has again and again: at one place, and explained in the same way. */
struct habit {
	u64 chain;     /* 0: none */
	u64 waited;    /* as hop.waited */
	u64 weight;    /* ns by which it is ahead of others */
	u64 since;     /* no sums of this moment, nor of those before it, tell of it */
	u64 ns;        /* in all */
	u64 no_cpu_ns; /* of it the hop had no CPU */
	u8 position;   /* as in a segment */
	u8 hop_count;
	u8 pad[6];
};

#define HABITS CONTRACT_HABITS
#define HABIT_NS 1024

/* Waits of a thread, added up until a moment; see history.bpf.h. */
struct sums_at {
	u64 at; /* 0: none */
	u64 blocked_ns;
	u64 queued_ns;
	u32 habits[HABITS]; /* of blocked_ns: what each habit has, in HABIT_NS */
};

#define HISTORY_LEVELS CONTRACT_HISTORY_LEVELS

struct history {
	u32 version; /* odd: it is being written */
	u32 number;  /* of the last segment that is in it */
	struct habit habits[HABITS];
	struct sums_at now;
	struct sums_at old[2 * HISTORY_LEVELS]; /* of each level an older and a newer one */
};

/* The time that a waker explains: from its own wake to where the hop before it begins. */
struct tail {
	u64 from;
	u64 to;
	u64 no_cpu_ns;
};

/* What recall.bpf.h keeps from one segment of the past to the next. */
struct recall {
	u64 at; /* told up to here */
	u64 off;
	u64 chain;   /* of the part before; 0: there is none */
	u64 prev_to; /* end of the wait before; 0: unknown */
	u64 newer;   /* where the segment behind begins */
	coarse_time prev_after;
	u32 head;
	u32 left;      /* segments to go */
	u32 hop_count; /* of the chain of the part before */
	u32 room;      /* for segments */
	u32 number;    /* of the next one back */
	u32 is_lost;   /* a segment has gone meanwhile */
	/* What history.bpf.h found: sums before and after a moment, and those of two moments. */
	u64 before_at;
	u64 after_at;
	u32 before;
	u32 after;
	struct sums_at sums[2];
	struct habit habits[HABITS];
	u64 habits_from; /* what they had is told up to here */
	u64 habits_to;
};

/* A wait that is being explained. */
struct wait_scratch {
	u64 from;
	u64 to;
	u64 left_from; /* what the hops so far have left unexplained */
	u64 left_to;
	u64 inner_no_cpu_ns; /* of the innermost hop */
	u64 cut_ns;          /* behind more hops than are kept */
	u64 waited;          /* as hop.waited, of the thread whose wait it is */
	u32 count;           /* hops at hand */
	u32 segment_count;
	/* Where the part begins that is looked at. Kept here, the verifier forgets its value. */
	u32 part_first;
	u32 share_count; /* shares of `row` beyond are 0 */
	struct recall recall;
	struct hop hops[CONTRACT_MAX_HOPS];
	struct tail tails[CONTRACT_MAX_HOPS];
	struct segment segments[MAX_SEGMENTS];
	struct wait_sum row;
	struct record_chain record;
	struct record_waited waited_record;
};

/*
 * An index below a power of two. The compiler takes away a mask that it finds needless, and 6.1
 * forgets the bounds of what it keeps on the stack.
 */
static __always_inline u32 bounded(u32 index, u32 power)
{
	barrier_var(index);
	return index & (power - 1);
}

static __always_inline u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
}

static __always_inline void add_segment(struct wait_scratch *wait, u64 from, u64 to, u64 chain,
	u64 no_cpu_ns, u32 position, u32 what, u32 hop_count)
{
	u32 at = wait->segment_count;
	struct segment *segment;

	if (from >= to || at >= MAX_SEGMENTS)
		return;
	segment = &wait->segments[bounded(at, MAX_SEGMENTS)];
	segment->from = from;
	segment->to = to;
	segment->chain = chain;
	segment->no_cpu_ns = smaller(no_cpu_ns, to - from);
	segment->position = position;
	segment->what = what;
	segment->hop_count = hop_count;
	wait->segment_count = at + 1;
	if (what == PAST_CUT)
		wait->cut_ns += to - from;
}

/* The id of the chain whose links so far have made `id`. */
static __always_inline u64 finish_chain_id(u64 id, u32 end, u32 hop_count)
{
	id = mix(mix(id, end), hop_count);
	return id < CONTRACT_FIRST_CHAIN ? id + CONTRACT_FIRST_CHAIN : id;
}

/* Do the segments tile the wait? */
__noinline int check_segments(struct wait_scratch *wait)
{
	u64 at;

	if (!wait)
		return 0;
	at = wait->from;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MAX_SEGMENTS; i++) {
		if (i >= wait->segment_count)
			break;
		if (wait->segments[i].from != at)
			return 0;
		at = wait->segments[i].to;
	}
	return at == wait->to;
}

static __always_inline void add_share(struct wait_scratch *wait, u32 i)
{
	struct segment *segment = &wait->segments[bounded(i, MAX_SEGMENTS)];
	struct share *share;
	u64 ns;

	if (segment->position > CONTRACT_MAX_HOPS)
		return;
	share = &wait->row.shares[segment->position];
	if (wait->share_count <= segment->position)
		wait->share_count = segment->position + 1;
	ns = segment->to - segment->from;
	if (segment->what == PAST_EARLIER) {
		share->earlier_ns += ns;
		return;
	}
	share->ran_ns += ns - segment->no_cpu_ns;
	share->no_cpu_ns += segment->no_cpu_ns;
}

/* Adds a segment to the shares. Global functions are verified once, whatever their callers know. */
__noinline int add_to_shares(struct wait_scratch *wait, u32 i)
{
	if (!wait || i >= MAX_SEGMENTS)
		return 0;
	add_share(wait, i);
	return 0;
}

/* The shares of a part: the segments [first, last), of which there is one at least. */
__noinline int sum_part(struct wait_scratch *wait, u32 first, u32 last)
{
	if (!wait)
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		if (i >= wait->share_count)
			break;
		wait->row.shares[i].ran_ns = 0;
		wait->row.shares[i].no_cpu_ns = 0;
		wait->row.shares[i].earlier_ns = 0;
	}
	wait->share_count = 0;
	/* Mostly there is no other one, and calls are dear. */
	add_share(wait, first);
#pragma clang loop unroll(disable)
	for (u32 i = 1; i < MAX_SEGMENTS; i++) {
		if (first + i >= last)
			break;
		add_to_shares(wait, first + i);
	}
	return 0;
}

#endif
