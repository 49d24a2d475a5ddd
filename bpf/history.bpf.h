/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread's waits add up to: how long it was blocked, and how long it had no CPU, since it is
 * known. Of the past the sums are kept as they were at two moments for each power of two of time,
 * so that one can say of any piece of it how much of each kind it had, though not what for. The
 * further back, the coarser: between two such moments time is taken to be spread evenly.
 *
 * Of a few kinds of waits the sums tell what for: a thread that naps, writes to a disk or waits for
 * the same lock in a loop soon forgets each time, but these times are all alike.
 *
 * Kept in the ring of past.bpf.h, and written and read as that is: a version says whether what was
 * read belongs together.
 */
#ifndef DWELL_HISTORY_BPF_H
#define DWELL_HISTORY_BPF_H

#include "segments.bpf.h"

/* The finest distance of two moments. */
#define HISTORY_NS 8000000ULL
/* All sums and more: a power of two. */
#define HISTORY_SUMS 32

/* A habit that is given up has lost its lead after this time of another. */
#define MOST_LEAD_NS (1ULL << 30)

/*
 * Adds the i-th segment of the wait in the scratch to the habit that it is of, or to the weight
 * against the weakest, until it takes that one's place. Global: verified once.
 */
__noinline int history_add_habit(struct wait_scratch *wait, u32 thread, u32 i)
{
	struct habit *habit, *weakest;
	struct segment *segment;
	struct past_ring *ring;
	u64 ns;

	if (!wait || i >= MAX_SEGMENTS)
		return 0;
	ring = past_ring_of(wait, thread);
	if (!ring || ring->thread != thread)
		return 0;
	segment = &wait->segments[i];
	if (segment->what != PAST_RAN || segment->chain < CONTRACT_FIRST_CHAIN)
		return 0;
	ns = segment->to - segment->from;
	weakest = &ring->history.habits[0];
#pragma clang loop unroll(full)
	for (u32 k = 0; k < HABITS; k++) {
		habit = &ring->history.habits[k];
		if (habit->chain == segment->chain && habit->waited == wait->waited &&
			habit->position == segment->position) {
			habit->ns += ns;
			habit->no_cpu_ns += segment->no_cpu_ns;
			habit->weight = smaller(habit->weight + ns, MOST_LEAD_NS);
			ring->history.now.habits[k] = habit->ns / HABIT_NS;
			return 0;
		}
		if (habit->weight < weakest->weight)
			weakest = habit;
	}
	if (weakest->weight >= ns) {
		weakest->weight -= ns;
		return 0;
	}
	weakest->chain = segment->chain;
	weakest->waited = wait->waited;
	weakest->weight = smaller(ns - weakest->weight, MOST_LEAD_NS);
	weakest->since = ring->history.now.at;
	weakest->ns = ns;
	weakest->no_cpu_ns = segment->no_cpu_ns;
	weakest->position = segment->position;
	weakest->hop_count = segment->hop_count;
#pragma clang loop unroll(full)
	for (u32 k = 0; k < HABITS; k++)
		if (weakest == &ring->history.habits[k])
			ring->history.now.habits[k] = ns / HABIT_NS;
	return 0;
}

/* Adds the wait in the scratch to the habits. */
static __always_inline void history_add_habits(struct wait_scratch *wait, u32 thread)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MAX_SEGMENTS; i++) {
		if (i >= wait->segment_count)
			break;
		history_add_habit(wait, thread, i);
	}
}

/*
 * Adds the wait in the scratch, and the time without a CPU before it. `since`: when the thread is
 * known to have been awake before. Global: verified once.
 */
__noinline int history_add(
	struct wait_scratch *wait, struct thread *thread, u64 since, u64 queued_ns)
{
	struct history *history;
	struct past_ring *ring;
	struct sums_at *now, *older;

	if (!wait || !thread)
		return 0;
	ring = past_ring_of(wait, thread->serial);
	if (!ring || ring->thread != thread->serial)
		return 0;
	history = &ring->history;
	now = &history->now;
	history->version++;
	barrier();
	/* Waits that were not remembered are in no sum. */
	if (!now->at || history->number != (u8)thread->past_number) {
#pragma clang loop unroll(full)
		for (u32 i = 0; i < 2 * HISTORY_LEVELS; i++)
			history->old[i].at = 0;
		now->at = since;
		now->blocked_ns = 0;
		now->queued_ns = 0;
		__builtin_memset(history->habits, 0, sizeof(history->habits));
	}
#pragma clang loop unroll(disable)
	for (u32 level = 0; level < HISTORY_LEVELS; level++) {
		older = &history->old[2 * level];
		if (older[1].at && now->at - older[1].at < HISTORY_NS << level)
			break;
		older[0] = older[1];
		older[1] = *now;
	}
	now->queued_ns += queued_ns;
	if (wait->to > wait->from) {
		now->blocked_ns += wait->to - wait->from;
		history_add_habits(wait, thread->serial);
		now->at = wait->to;
	}
	barrier();
	history->version++;
	return 0;
}

/* The i-th sums of a thread; the last ones are those of now. NULL if they are another's. */
static __always_inline struct sums_at *history_sums(
	const struct wait_scratch *wait, u32 thread, u32 i)
{
	struct past_ring *ring = past_ring_of(wait, thread);

	if (!ring || ring->thread != thread)
		return NULL;
	i = bounded(i, HISTORY_SUMS);
	return i < 2 * HISTORY_LEVELS ? &ring->history.old[i] : &ring->history.now;
}

/* Is the i-th closer to the moment than those before? Global: verified once. */
__noinline int history_compare(struct wait_scratch *wait, u32 thread, u64 moment, u32 i)
{
	struct recall *recall;
	struct sums_at *sums;
	u64 at;

	if (!wait)
		return 0;
	recall = &wait->recall;
	sums = history_sums(wait, thread, i);
	if (!sums)
		return 0;
	at = sums->at;
	if (at > recall->before_at && at <= moment) {
		recall->before_at = at;
		recall->before = i;
	}
	if (at < recall->after_at && at > moment) {
		recall->after_at = at;
		recall->after = i;
	}
	return 0;
}

/* What a habit has in sums: nothing in those that were made before it was one. */
static __always_inline u32 habit_in(const struct sums_at *sums, const struct habit *habit, u32 k)
{
	return sums->at > habit->since ? sums->habits[k] : 0;
}

/*
 * The sums at the moment, from those before and after it. Where none are before it, those are taken
 * that are known first. Global: verified once.
 */
__noinline int history_between(struct wait_scratch *wait, u32 thread, u64 moment, u32 which)
{
	struct sums_at *before, *after, *to;
	struct recall *recall;
	u64 part, whole;

	if (!wait)
		return 0;
	recall = &wait->recall;
	to = &recall->sums[which & 1];
	before = history_sums(wait, thread, recall->before_at ? recall->before : recall->after);
	after = history_sums(wait, thread, recall->after);
	if (!before || !after || (!recall->before_at && recall->after_at == ~0ULL))
		return 0;
	to->at = recall->before_at ? moment : recall->after_at;
	to->blocked_ns = before->blocked_ns;
	to->queued_ns = before->queued_ns;
	if (!recall->before_at || recall->after_at == ~0ULL)
		return 1;
	part = moment - recall->before_at;
	whole = recall->after_at - recall->before_at;
	if (!whole)
		return 0;
	to->blocked_ns += scaled(after->blocked_ns - before->blocked_ns, part, whole);
	to->queued_ns += scaled(after->queued_ns - before->queued_ns, part, whole);
	return 1;
}

/* How much of the k-th habit is in these sums. Global: verified once. */
__noinline int habit_between(struct wait_scratch *wait, u32 thread, u32 which, u32 k)
{
	struct sums_at *before, *after, *to;
	struct recall *recall;
	u32 first, more;
	u64 begin;

	if (!wait || k >= HABITS)
		return 0;
	recall = &wait->recall;
	to = &recall->sums[which & 1];
	before = history_sums(wait, thread, recall->before_at ? recall->before : recall->after);
	after = history_sums(wait, thread, recall->after);
	if (!before || !after)
		return 0;
	first = habit_in(before, &recall->habits[k], k);
	to->habits[k] = first;
	if (!recall->before_at || recall->after_at == ~0ULL)
		return 0;
	/* It has nothing before it became one. */
	begin = recall->before_at;
	if (begin < recall->habits[k].since)
		begin = recall->habits[k].since;
	if (to->at <= begin || recall->after_at <= begin)
		return 0;
	more = habit_in(after, &recall->habits[k], k) - first;
	to->habits[k] = first + scaled(more, to->at - begin, recall->after_at - begin);
	return 0;
}

/*
 * The sums at a moment, or later, into recall.sums[which]; false if nobody knows. Global: verified
 * once.
 */
__noinline int history_look(struct wait_scratch *wait, u32 thread, u64 moment, u32 which)
{
	struct past_ring *ring;
	u32 version;

	if (!wait)
		return 0;
	ring = past_ring_of(wait, thread);
	if (!ring)
		return 0;
	version = ring->history.version;
	barrier();
	wait->recall.before_at = 0;
	wait->recall.after_at = ~0ULL;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i <= 2 * HISTORY_LEVELS; i++)
		history_compare(wait, thread, moment, i);
	if (!history_between(wait, thread, moment, which))
		return 0;
#pragma clang loop unroll(disable)
	for (u32 k = 0; k < HABITS; k++)
		habit_between(wait, thread, which, k);
	barrier();
	return !(version & 1) && ring->history.version == version && ring->thread == thread;
}

/* The sums at two moments into recall.sums, and the habits; false if nobody knows. */
static __always_inline bool history_recall(struct wait_scratch *wait, u32 thread, u64 from, u64 to)
{
	struct past_ring *ring = past_ring_of(wait, thread);
	struct recall *recall = &wait->recall;
	struct sums_at *sums = recall->sums;
	u32 version;

	if (!ring)
		return false;
	version = ring->history.version;
	barrier();
	__builtin_memcpy(recall->habits, ring->history.habits, sizeof(recall->habits));
	return history_look(wait, thread, from, 0) && history_look(wait, thread, to, 1) &&
	       ring->history.version == version && sums[0].at < to && sums[1].at == to &&
	       sums[1].blocked_ns >= sums[0].blocked_ns && sums[1].queued_ns >= sums[0].queued_ns;
}

#endif
