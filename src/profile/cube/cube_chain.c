// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains of wakers in a cube: each chain and each hop of the recording that a row has, once. */
#include <string.h>

#include "profile/cube/cube_parts.h"
#include "profile/shares.h"

static struct cube_hop make_hop(
	struct cube_building *building, const struct rec_chain_hop *hop, uint32_t number)
{
	struct cube_hop made = {.kind = hop->kind,
		.name = cube_label(building, hop_kind_is_thread(hop->kind)
						     ? family_of(&building->families, hop->name)
						     : hop->name),
		.node = placer_waker(building->placer, number),
		.has_waited = hop->waited_node != REC_NONE};
	struct waited waited = {0};

	if (made.has_waited)
		waited = selection_waited(building->selection, hop);
	made.reason = waited.reason;
	made.operation = waited.operation ? cube_label(building, waited.operation) : 0;
	made.is_lock = waited.is_lock;
	made.spot = waited.spot ? cube_label(building, waited.spot) : 0;
	return made;
}

uint32_t cube_chain_of(struct cube_building *building, const struct rec_row *row)
{
	struct cube *cube = building->cube;
	size_t unused;
	const struct rec_linked_chain *chain;
	struct cube_chain made;
	bool is_new;
	uint64_t *number;

	if (row->chain == REC_NONE || row->sum.state != TIME_BLOCKED)
		return 0;
	number = map64_put(&building->chains, row->chain, &is_new);
	if (!is_new)
		return (uint32_t)*number;
	chain = &recording_chains(building->recording, &unused)[row->chain];
	made = (struct cube_chain){(uint32_t)cube->hops.count, chain->hop_count, chain->end};
	for (uint32_t i = 0; i < chain->hop_count; i++) {
		uint32_t hop = chain->first_hop + i;
		vec_push(&cube->hops,
			make_hop(
				building, &recording_hops(building->recording, &unused)[hop], hop));
	}
	vec_push(&cube->chains, made);
	*number = cube->chains.count;
	return (uint32_t)*number;
}

void cube_add_shares(
	struct cube_building *building, uint32_t key_index, const struct selection_row *row)
{
	struct cube *cube = building->cube;
	struct cube_key *key = &cube->time.keys.at[key_index];
	uint32_t count = cube->chains.at[key->chain - 1].hop_count + 1;
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];

	if (key->first_share == CUBE_NO_SHARES) {
		key->first_share = cube->shares.count;
		for (uint32_t i = 0; i < count; i++)
			vec_push(&cube->shares, (struct rec_share){0});
	}
	memset(shares, 0, sizeof(shares));
	shares_in_range(row, shares);
	/* Without hops all of it is the rest. */
	if (!row->row->sum.share_count)
		shares[0].ran_ns = row->ns;
	for (uint32_t i = 0; i < count; i++) {
		struct rec_share *into = &cube->shares.at[key->first_share + i];
		into->ran_ns += shares[i].ran_ns;
		into->no_cpu_ns += shares[i].no_cpu_ns;
		into->earlier_ns += shares[i].earlier_ns;
	}
}

void cube_order_shares(struct cube *cube)
{
	__typeof__(cube->shares) ordered = {0};

	vec_each (key, &cube->time.keys) {
		size_t first = ordered.count;
		if (!key->chain)
			continue;
		vec_append(&ordered, cube->shares.at + key->first_share,
			cube->chains.at[key->chain - 1].hop_count + 1);
		key->first_share = first;
	}
	vec_clear(&cube->shares);
	cube->shares = ordered;
}
