// SPDX-License-Identifier: GPL-2.0-or-later
/* Vectors of hops in two buffers per thread, and the walk through nested windows. */
#include "replay/chain.h"

#include <string.h>

#include "util/mem.h"

static struct chain_thread *thread_at(struct chains *chains, uint32_t index)
{
	while (chains->threads.count <= index)
		vec_push(&chains->threads, ((struct chain_thread){0}));
	return &chains->threads.at[index];
}

static struct chain_hop *buffer_of(
	const struct chains *chains, const struct chain_thread *thread, uint32_t buffer)
{
	return thread->hops + buffer * chains->depth;
}

void chains_clear(struct chains *chains)
{
	vec_each (thread, &chains->threads)
		free(thread->hops);
	vec_clear(&chains->threads);
}

void chains_wake(struct chains *chains, uint32_t index, uint32_t waker, struct replay_waker how)
{
	struct chain_thread *thread = thread_at(chains, index);
	struct chain_hop hop = {.waker = how};
	uint32_t copied = 0;

	if (!thread->hops)
		thread->hops = xcalloc(2 * chains->depth, sizeof(*thread->hops));
	struct chain_hop *spare = buffer_of(chains, thread, !thread->buffer);
	if (waker != CHAIN_NOBODY && waker < chains->threads.count &&
		!hop_kind_is_metal(how.kind) && how.kind != HOP_UNKNOWN) {
		const struct chain_thread *from = &chains->threads.at[waker];
		hop = from->self;
		hop.waker = how;
		copied = from->counts[from->buffer];
		if (copied > chains->depth - 1)
			copied = chains->depth - 1;
		if (copied)
			memmove(spare + 1, buffer_of(chains, from, from->buffer),
				copied * sizeof(hop));
	}
	spare[0] = hop;
	thread->counts[!thread->buffer] = copied + 1;
	thread->has_pending = true;
}

static void take_pending(struct chain_thread *thread)
{
	if (thread->has_pending)
		thread->buffer = !thread->buffer;
	else
		thread->counts[thread->buffer] = 0;
	thread->has_pending = false;
}

void chains_birth(struct chains *chains, uint32_t index, uint32_t creator, struct replay_waker how,
	uint64_t at_ns)
{
	how.kind = HOP_FORK;
	chains_wake(chains, index, creator, how);
	struct chain_thread *thread = &chains->threads.at[index];
	take_pending(thread);
	thread->self = (struct chain_hop){.woken_ns = at_ns};
}

void chains_run_woken(struct chains *chains, uint32_t index, uint32_t stack, uint64_t from_ns,
	uint64_t wake_ns, uint64_t at_ns)
{
	struct chain_thread *thread = thread_at(chains, index);

	take_pending(thread);
	thread->self = (struct chain_hop){
		.waited = stack,
		.woken_ns = wake_ns,
		.off_ns = from_ns,
		.queued_ns = at_ns - wake_ns,
		.queue_from_ns = wake_ns,
		.queue_to_ns = at_ns,
	};
}

void chains_run_queued(struct chains *chains, uint32_t index, uint64_t from_ns, uint64_t at_ns)
{
	struct chain_thread *thread = thread_at(chains, index);

	thread->has_pending = false;
	thread->self.queued_ns += at_ns - from_ns;
	thread->self.queue_from_ns = from_ns;
	thread->self.queue_to_ns = at_ns;
}

static uint64_t overlap(uint64_t from, uint64_t to, uint64_t lo, uint64_t hi)
{
	uint64_t start = from > lo ? from : lo, end = to < hi ? to : hi;

	return end > start ? end - start : 0;
}

static void finish(struct replay_chain *chain, enum chain_end end, uint64_t rest_ns)
{
	chain->end = end;
	chain->shares[chain->hop_count].ran_ns = rest_ns;
}

/*
 * How long a waker that was awake through all of [lo, hi) had no CPU, as bpf/explain.bpf.h has it:
 * the last time is known by its place; of those before only their sum since it was woken, which is
 * taken to be spread evenly.
 */
static uint64_t queued_within(const struct chain_hop *hop, uint64_t lo, uint64_t hi)
{
	uint64_t ns = overlap(hop->queue_from_ns, hop->queue_to_ns, lo, hi);
	uint64_t before_ns = hop->queued_ns - (hop->queue_to_ns - hop->queue_from_ns);

	if (hop->queue_to_ns > lo && hop->queue_from_ns > lo && before_ns &&
		hop->queue_from_ns > hop->woken_ns) {
		uint64_t part =
			(hop->queue_from_ns - lo) * 1024 / (hop->queue_from_ns - hop->woken_ns);
		ns += part < 1024 ? before_ns * part / 1024 : before_ns;
	}
	return ns < hi - lo ? ns : hi - lo;
}

static void share_awake(
	struct rec_share *share, const struct chain_hop *hop, uint64_t lo, uint64_t hi)
{
	share->no_cpu_ns = queued_within(hop, lo, hi);
	share->ran_ns = hi - lo - share->no_cpu_ns;
}

/*
 * One hop's part of the window [*lo, *hi). True if the walk ends here, with the chain's end told.
 */
static bool explain_hop(
	struct replay_chain *chain, const struct chain_hop *hop, uint64_t *lo, uint64_t *hi)
{
	struct rec_share *share = &chain->shares[chain->hop_count++];
	uint64_t woken = hop->woken_ns < *hi ? hop->woken_ns : *hi;

	if (hop_kind_is_metal(hop->waker.kind)) {
		share->ran_ns = *hi - *lo;
		finish(chain, CHAIN_METAL, 0);
		return true;
	}
	if (hop->waker.kind == HOP_UNKNOWN) {
		finish(chain, CHAIN_NO_WAKER, *hi - *lo);
		return true;
	}
	if (woken <= *lo) {
		share_awake(share, hop, *lo, *hi);
		finish(chain, CHAIN_AWAKE, 0);
		return true;
	}
	share->no_cpu_ns = hop->queued_ns < *hi - woken ? hop->queued_ns : *hi - woken;
	share->ran_ns = *hi - woken - share->no_cpu_ns;
	if (hop->off_ns > *lo) {
		uint64_t off = hop->off_ns < woken ? hop->off_ns : woken;
		share->earlier_ns = off - *lo;
		*lo = off;
	}
	*hi = woken;
	if (*hi > *lo)
		return false;
	finish(chain, CHAIN_AWAKE, 0);
	return true;
}

static void walk_hops(struct chains *chains, const struct chain_hop *hops, uint32_t count,
	uint64_t lo, uint64_t hi)
{
	struct replay_chain *chain = &chains->explained;
	uint32_t waited = 0;

	for (uint32_t i = 0; i < count; i++) {
		chain->links[i] = (struct replay_link){hops[i].waker, waited};
		waited = hops[i].waited;
		if (explain_hop(chain, &hops[i], &lo, &hi))
			return;
	}
	if (count < chains->depth) {
		finish(chain, CHAIN_NO_WAKER, hi - lo);
		return;
	}
	finish(chain, CHAIN_DEPTH_LIMIT, hi - lo);
	chains->truncated++;
	chains->truncated_ns += hi - lo;
}

const struct replay_chain *chains_explain(
	struct chains *chains, uint32_t index, uint64_t from_ns, uint64_t to_ns, bool has_waker)
{
	struct chain_thread *thread = thread_at(chains, index);
	struct replay_chain *chain = &chains->explained;

	*chain = (struct replay_chain){0};
	if (!has_waker || !thread->has_pending)
		finish(chain, CHAIN_NO_WAKER, to_ns - from_ns);
	else
		walk_hops(chains, buffer_of(chains, thread, !thread->buffer),
			thread->counts[!thread->buffer], from_ns, to_ns);
	chains->mismatches +=
		!recording_shares_add_up(chain->shares, chain->hop_count + 1, to_ns - from_ns);
	return chain;
}

const struct replay_chain *chains_not_woken(struct chains *chains, uint64_t ns)
{
	chains->explained = (struct replay_chain){0};
	finish(&chains->explained, CHAIN_NOT_WOKEN, ns);
	return &chains->explained;
}
