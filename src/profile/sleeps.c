// SPDX-License-Identifier: GPL-2.0-or-later
/* One walk over the rows, for what each of them says of its own wait and of its wakers'. */
#include "profile/sleeps.h"

#include "util/hash.h"

static uint64_t key_of(const char *comm, uint32_t kernel_node, uint32_t user_node)
{
	return hash_text((uint64_t)kernel_node << 32 | user_node, comm);
}

static struct sleep_facts *facts_of(
	struct sleeps *sleeps, const char *comm, uint32_t kernel_node, uint32_t user_node)
{
	bool is_new;
	uint64_t *index =
		map64_put(&sleeps->by_place, key_of(comm, kernel_node, user_node), &is_new);

	if (is_new) {
		*index = sleeps->at.count;
		vec_push(&sleeps->at, (struct sleep_facts){0});
	}
	return &sleeps->at.at[*index];
}

struct gathering {
	struct sleeps *sleeps;
	struct things *things;
	const struct rec_thread *threads;
	const struct rec_linked_chain *chains;
	const struct rec_chain_hop *hops;
	sleeps_waiter_fn waiter_of;
	void *context;
};

/* Each waker's own wait in the chain explains the shares behind it. */
static void add_wakers(struct gathering *gathering, const struct rec_row *row)
{
	const struct rec_linked_chain *chain = &gathering->chains[row->chain];
	const struct rec_chain_hop *hops = gathering->hops + chain->first_hop;
	enum sleep_waiter waiter = gathering->waiter_of(gathering->context, &row->stacks);
	uint64_t behind_ns = 0;

	if (waiter == WAITER_WANTS_END)
		return;
	for (uint32_t i = row->sum.share_count; i-- > 1;) {
		const struct rec_share *share = &row->sum.shares[i];
		behind_ns += share->ran_ns + share->no_cpu_ns + share->earlier_ns;
		if (i >= chain->hop_count || !behind_ns)
			continue;
		struct sleep_facts *facts = facts_of(gathering->sleeps, hops[i - 1].name,
			hops[i].waited_node, hops[i].waited_user_node);
		facts->awaited_ns += behind_ns;
		facts->loop_ns += waiter == WAITER_IS_LOOP ? behind_ns : 0;
	}
}

static int on_row(const struct rec_row *row, void *context)
{
	struct gathering *gathering = context;
	struct sleep_facts *facts;

	if (row->sum.state != TIME_BLOCKED)
		return 0;
	facts = facts_of(gathering->sleeps, gathering->threads[row->thread_index].comm,
		row->stacks.kernel_node, row->stacks.user_node);
	facts->ns += row->sum.ns;
	things_note(gathering->things, row);
	if (row->chain == REC_NONE || !gathering->chains[row->chain].hop_count)
		return 0;
	const struct rec_chain_hop *waker =
		&gathering->hops[gathering->chains[row->chain].first_hop];
	if (hop_is_own_timer(waker->kind, waker->name))
		facts->timer_ns += row->sum.ns;
	else if (hop_kind_is_thread(waker->kind))
		facts->thread_ns += row->sum.ns;
	add_wakers(gathering, row);
	return 0;
}

int sleeps_gather(struct sleeps *sleeps, struct things *things, struct recording *recording,
	sleeps_waiter_fn waiter_of, void *context, struct why *why)
{
	size_t unused;
	struct gathering gathering = {.sleeps = sleeps,
		.things = things,
		.threads = recording_threads(recording, &unused),
		.chains = recording_chains(recording, &unused),
		.hops = recording_hops(recording, &unused),
		.waiter_of = waiter_of,
		.context = context};

	return recording_each_row(recording, on_row, &gathering, why);
}

struct sleep_facts sleeps_find(
	const struct sleeps *sleeps, const char *comm, uint32_t kernel_node, uint32_t user_node)
{
	const uint64_t *index = map64_find(&sleeps->by_place, key_of(comm, kernel_node, user_node));

	return index ? sleeps->at.at[*index] : (struct sleep_facts){0};
}

void sleeps_clear(struct sleeps *sleeps)
{
	vec_clear(&sleeps->at);
	map64_clear(&sleeps->by_place);
}
