// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a row of blocked time goes: by its waker, or below its own stack with one hop or all of
 * them behind it. By causes each hop's own share ends at that hop, and the lines of a wait add up
 * to it.
 */
#include "profile/chain_view.h"

#include "model/words.h"
#include "profile/shares.h"

/* Why there is nobody to show: time of full tables has no chain, but it has a reason. */
static const char *missing_waker(const struct chain_view *chains, const struct rec_row *row,
	const struct rec_linked_chain *chain)
{
	if (chain)
		return words_frame(recording_words(chains->recording), WORD_CHAIN_END, chain->end);
	return chain_end_frame(
		row->stacks.kernel_end == UNWIND_OVERFLOW ? CHAIN_OVERFLOW : CHAIN_NO_WAKER);
}

/* A part of the row's time, which ends in that node. */
static void add(struct chain_view *chains, const struct selection_row *row, uint32_t node,
	uint64_t ns, uint64_t count)
{
	tree_add(chains->tree, node, ns, count);
	if (chains->parts)
		reason_parts_add(chains->parts, node, row->called, ns, count);
}

static uint32_t place_end(struct chain_view *chains, uint32_t at, const char *mark)
{
	at = tree_child(chains->tree, at, "--", FRAME_MARK);
	return tree_child(chains->tree, at, mark, FRAME_MARK);
}

static void add_wakeup(struct chain_view *chains, const struct selection_row *row,
	const struct rec_linked_chain *chain, const char *thing)
{
	uint32_t at = chain && chain->hop_count
			      ? placer_waker(chains->placer, chain->first_hop)
			      : tree_child(chains->tree, TREE_ROOT,
					missing_waker(chains, row->row, chain), FRAME_MARK);

	at = placer_names(chains->placer, at, row->thread, thing);
	add(chains, row, at, row->ns, row->count);
}

static void add_hops(struct chain_view *chains, const struct selection_row *row,
	const struct rec_linked_chain *chain, const char *thing)
{
	uint32_t at =
		placer_place_wait(chains->placer, row->row->thread_index, &row->row->stacks, thing);
	uint32_t hops = chain ? chain->hop_count : 0;
	bool is_whole = chains->view == VIEW_CHAIN || !hops;

	if (chains->view == VIEW_OFFWAKE && hops > 1)
		hops = 1;
	for (uint32_t i = 0; i < hops; i++)
		at = placer_hop(chains->placer, at, chain->first_hop + i);
	if (is_whole && (!chain || chain_end_has_rest(chain->end)))
		at = place_end(chains, at, missing_waker(chains, row->row, chain));
	add(chains, row, at, row->ns, row->count);
}

static void add_marked(struct chain_view *chains, const struct selection_row *row, uint32_t at,
	const char *mark, uint64_t ns)
{
	if (ns)
		add(chains, row, tree_child(chains->tree, at, mark, FRAME_MARK), ns, 0);
}

/* The count goes to where the chain ends, so that it is that of the waits. */
static void add_causes(struct chain_view *chains, const struct selection_row *row,
	const struct rec_linked_chain *chain, const char *thing)
{
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];
	size_t unused;
	const struct rec_chain_hop *hops = recording_hops(chains->recording, &unused);
	uint32_t at =
		placer_place_wait(chains->placer, row->row->thread_index, &row->row->stacks, thing);

	shares_in_range(row, shares);
	for (uint32_t i = 0; i < chain->hop_count; i++) {
		at = placer_hop(chains->placer, at, chain->first_hop + i);
		/* Metal neither runs nor waits for a CPU. */
		if (hop_kind_is_metal(hops[chain->first_hop + i].kind))
			add(chains, row, at, share_ns(&shares[i]), 0);
		else
			add_marked(chains, row, at, "[ran]", shares[i].ran_ns);
		if (hop_kind_is_metal(hops[chain->first_hop + i].kind))
			continue;
		add_marked(chains, row, at, "[no CPU]", shares[i].no_cpu_ns);
		add_marked(chains, row, at, "[earlier]", shares[i].earlier_ns);
	}
	if (chain_end_has_rest(chain->end))
		at = place_end(chains, at, missing_waker(chains, row->row, chain));
	add(chains, row, at, shares[chain->hop_count].ran_ns, row->count);
}

void chain_view_add(struct chain_view *chains, const struct selection_row *row, const char *thing)
{
	size_t unused;
	const struct rec_linked_chain *all = recording_chains(chains->recording, &unused);
	const struct rec_linked_chain *chain =
		row->row->chain == REC_NONE ? NULL : &all[row->row->chain];

	if (chains->view == VIEW_WAKEUP)
		add_wakeup(chains, row, chain, thing);
	else if (chains->weighs_causes && chain)
		add_causes(chains, row, chain, thing);
	else
		add_hops(chains, row, chain, thing);
}
