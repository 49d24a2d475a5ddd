// SPDX-License-Identifier: GPL-2.0-or-later
/* What each thread carries: hops in two buffers, and its past. chain_explain.c makes use of it. */
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
	vec_each (thread, &chains->threads) {
		free(thread->hops);
		past_clear(&thread->past);
	}
	vec_clear(&chains->threads);
}

void chains_meet(struct chains *chains, uint32_t index, uint64_t at_ns)
{
	past_add(&thread_at(chains, index)->past,
		&(struct past_segment){.from_ns = at_ns, .to_ns = at_ns});
}

void chains_wake(struct chains *chains, uint32_t index, uint32_t waker, struct replay_waker how)
{
	struct chain_thread *thread = thread_at(chains, index);
	struct chain_hop hop = {.waker = how, .thread = CHAIN_NOBODY};
	uint32_t copied = 0;

	if (!thread->hops)
		thread->hops = xcalloc(2 * chains->depth, sizeof(*thread->hops));
	struct chain_hop *spare = buffer_of(chains, thread, !thread->buffer);
	if (waker != CHAIN_NOBODY && waker < chains->threads.count &&
		!hop_kind_is_metal(how.kind) && how.kind != HOP_UNKNOWN) {
		const struct chain_thread *from = &chains->threads.at[waker];
		hop = from->self;
		hop.waker = how;
		hop.thread = waker;
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

/* The wait that was explained last is the thread's own; it had no CPU for queued_ns then. */
static void remember(
	struct chains *chains, struct chain_thread *thread, uint32_t stack, uint64_t queued_ns)
{
	bool is_in = true;

	for (uint32_t i = 0; i < chains->list_count; i++) {
		struct past_segment segment = chains->list[i];
		segment.waited = stack;
		is_in &= past_add(&thread->past, &segment);
	}
	chains->mismatches += !is_in;
	struct past_segment *last = past_last(&thread->past);
	if (last)
		last->after_ns += queued_ns;
}

void chains_run_woken(struct chains *chains, uint32_t index, uint32_t stack, uint64_t from_ns,
	uint64_t wake_ns, uint64_t at_ns)
{
	struct chain_thread *thread = thread_at(chains, index);

	if (wake_ns <= from_ns)
		chains->list_count = 0;
	remember(chains, thread, stack, at_ns - wake_ns);
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

	struct past_segment *last = past_last(&thread->past);

	thread->has_pending = false;
	if (last)
		last->after_ns += at_ns - from_ns;
	thread->self.queued_ns += at_ns - from_ns;
	thread->self.queue_from_ns = from_ns;
	thread->self.queue_to_ns = at_ns;
}
