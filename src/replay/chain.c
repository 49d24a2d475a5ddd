// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel side does around the shared code: threads carry hops in two buffers, a wake fills
 * the spare one, a wait that ends is explained and remembered.
 */
#include "replay/chain.h"

#include <stddef.h>
#include <stdlib.h>

#include "replay/explain_host.h"

/* As in the kernel no moment is 0. */
static u64 clock_at(uint64_t at_ns)
{
	return at_ns + 1;
}

struct replay_chains *replay_chains_new(struct chain_table *table, uint32_t depth)
{
	struct replay_chains *chains = xcalloc(1, sizeof(*chains));

	chains->table = table;
	chains->depth = depth;
	return chains;
}

void replay_chains_free(struct replay_chains *chains)
{
	if (!chains)
		return;
	vec_each (thread, &chains->threads) {
		free(thread->chain);
		free(thread->past.at);
	}
	vec_clear(&chains->threads);
	vec_clear(&chains->wakers);
	map64_clear(&chains->by_waker);
	map64_clear(&chains->by_id);
	free(chains);
}

uint64_t replay_chains_count(const struct replay_chains *chains, enum counter counter)
{
	return chains->cpu.counters[counter];
}

void replay_chains_meet(struct replay_chains *chains, uint64_t at_ns)
{
	struct chain_thread thread = {.self.serial = (u32)chains->threads.count + 1};

	thread.chain = xcalloc(1, offsetof(struct chain, hops[2 * chains->depth]));
	thread.chain->off = clock_at(at_ns);
	vec_push(&chains->threads, thread);
}

static u64 who_of(struct replay_chains *chains, struct replay_waker how)
{
	uint64_t key = (uint64_t)how.name << 32 | how.stack;
	bool is_new;
	uint64_t *index = map64_put(&chains->by_waker, key, &is_new);

	if (is_new) {
		*index = chains->wakers.count;
		vec_push(&chains->wakers, how);
	}
	return *index << CONTRACT_HOP_KIND_BITS | how.kind;
}

/* What the waker carries at the moment of its wake, as a hop. */
static struct hop hop_of(const struct chain_thread *waker)
{
	const struct chain *chain = waker->chain;

	return (struct hop){.woken = chain->woken,
		.off = chain->off,
		.waited = chain->waited,
		.queued_ns = chain->queued_ns,
		.queue_from = chain->queue_from,
		.queue = chain->queue,
		.thread = waker->self.serial};
}

void replay_chains_wake(struct replay_chains *chains, uint32_t index, uint32_t waker,
	struct replay_waker how, uint64_t at_ns)
{
	struct chain_thread *thread = &chains->threads.at[index];
	struct chain *chain = thread->chain;
	struct hop *spare = &chain->hops[chain->buffer ? 0 : chains->depth], hop = {0};
	u8 copied = 0;

	if (waker != CHAIN_NOBODY && !is_metal(how.kind) && how.kind != HOP_UNKNOWN) {
		const struct chain *from = chains->threads.at[waker].chain;
		hop = hop_of(&chains->threads.at[waker]);
		copied = (u8)smaller(from->counts[from->buffer], chains->depth - 1);
		copy_hops(spare + 1, copied, &from->hops[from->buffer ? chains->depth : 0]);
	}
	hop.who = who_of(chains, how);
	spare[0] = hop;
	chain->counts[!chain->buffer] = copied + 1;
	chain->pending = mark_of(clock_at(at_ns));
	thread->self.wake = clock_at(at_ns);
}

void replay_chains_birth(struct replay_chains *chains, uint32_t index, uint32_t creator,
	struct replay_waker how, uint64_t at_ns)
{
	struct chain_thread *thread = &chains->threads.at[index];

	how.kind = HOP_FORK;
	replay_chains_wake(chains, index, creator, how, at_ns);
	chain_commit(thread->chain, &thread->self, thread->self.kernel_stack, 0, clock_at(at_ns),
		clock_at(at_ns));
	thread->self.wake = 0;
}

void replay_chains_explain(struct replay_chains *chains, uint32_t index, uint64_t from_ns,
	uint64_t to_ns, bool has_waker)
{
	struct chain_thread *thread = &chains->threads.at[index];
	struct wait_scratch *wait = &chains->wait;

	if (!has_waker)
		thread->self.wake = 0;
	explain_begin(wait, thread->chain, &thread->self);
	explain(&chains->cpu, wait, clock_at(from_ns), clock_at(to_ns));
	count(&chains->cpu, COUNTER_CHAIN_TRUNCATED, wait->cut_ns > 0);
	count(&chains->cpu, COUNTER_CHAIN_TRUNCATED_NS, wait->cut_ns);
}

void replay_chains_not_woken(struct replay_chains *chains, uint64_t from_ns, uint64_t to_ns)
{
	chains->wait.from = clock_at(from_ns);
	chains->wait.to = clock_at(to_ns);
	explain_by_end(&chains->wait, CHAIN_NOT_WOKEN);
}

bool replay_chains_next_part(struct replay_chains *chains, uint32_t *at, struct chain_part *ret)
{
	struct wait_scratch *wait = &chains->wait;
	u32 first = *at;

	if (first >= wait->segment_count)
		return false;
	ret->chain = number_of(chains, wait->segments[first].chain);
	while (++*at < wait->segment_count)
		if (number_of(chains, wait->segments[*at].chain) != ret->chain)
			break;
	sum_part(wait, first, *at);
	ret->from_ns = wait->segments[first].from - clock_at(0);
	ret->to_ns = wait->segments[*at - 1].to - clock_at(0);
	ret->is_last = *at == wait->segment_count;
	ret->share_count = chain_table_get(chains->table, ret->chain)->hop_count + 1;
	for (u32 i = 0; i < ret->share_count; i++) {
		const struct share *share = &wait->row.shares[i];
		ret->shares[i] =
			(struct rec_share){share->ran_ns, share->no_cpu_ns, share->earlier_ns};
	}
	return true;
}

/* Makes room for an empty segment and those of the wait that was explained last. */
static void reserve_past(struct past_ring *ring, u32 segments)
{
	u32 wanted = (u32)smaller((u64)ring->head + 1 + segments, PAST_ENTRIES);

	if (wanted <= ring->room)
		return;
	ring->room = ring->room ? ring->room : 4;
	while (ring->room < wanted)
		ring->room *= 2;
	ring->at = xreallocarray(ring->at, ring->room, sizeof(*ring->at));
}

/* The wait that was explained last is the thread's own. */
static void remember_wait(struct replay_chains *chains, struct chain_thread *thread)
{
	struct wait_scratch *wait = &chains->wait;
	const struct past_ring *ring = &thread->past;

	reserve_past(&thread->past, wait->segment_count);
	wait->waited = thread->self.kernel_stack;
	past_open(wait, &thread->self, thread->chain);
	/* A thread's past ascends. */
	if (wait->segment_count && ring->head &&
		wait->segments[0].from < ring->at[(ring->head - 1) % PAST_ENTRIES].to)
		count(&chains->cpu, COUNTER_CHAIN_MISMATCH, 1);
	remember(wait, &thread->self);
}

void replay_chains_run_woken(struct replay_chains *chains, uint32_t index, uint32_t stack,
	uint64_t from_ns, uint64_t wake_ns, uint64_t at_ns)
{
	struct chain_thread *thread = &chains->threads.at[index];

	if (wake_ns <= from_ns)
		chains->wait.segment_count = 0;
	thread->self.kernel_stack = stack;
	remember_wait(chains, thread);
	chain_commit(thread->chain, &thread->self, thread->self.kernel_stack, clock_at(from_ns),
		clock_at(wake_ns), clock_at(at_ns));
	thread->self.wake = 0;
}

void replay_chains_run_queued(
	struct replay_chains *chains, uint32_t index, uint64_t from_ns, uint64_t at_ns)
{
	struct chain_thread *thread = &chains->threads.at[index];

	chain_queued(thread->chain, clock_at(from_ns), clock_at(at_ns));
	thread->self.wake = 0;
}
