// SPDX-License-Identifier: GPL-2.0-or-later
/* What writer and reader of chains agree on: ids, and that shares add up. */
#include "recording/recording.h"
#include "util/hash.h"

uint64_t recording_chain_id(const struct rec_chain *chain)
{
	uint64_t id = hash_add(chain->hop_count, (uint64_t)chain->end);

	for (uint32_t i = 0; i < chain->hop_count; i++) {
		const struct rec_hop *hop = &chain->hops[i];
		id = hash_add(id, (uint64_t)hop->kind);
		id = hash_text(id, hop->name);
		id = hash_add(id, hop->kernel_stack);
		id = hash_add(id, hop->user_stack);
		id = hash_add(id, hop->waited_stack);
		id = hash_add(id, hop->waited_user_stack);
		if (hop->waited_for)
			id = hash_add(id, hop->waited_for);
	}
	return id ? id : 1;
}

bool recording_chain_is_sound(const struct rec_chain *chain)
{
	bool ends_in_metal;

	if (chain->hop_count > CONTRACT_MAX_HOPS || (unsigned int)chain->end >= CHAIN_ENDS)
		return false;
	if (!chain->hop_count)
		return chain_end_has_rest(chain->end);
	for (uint32_t i = 0; i < chain->hop_count; i++) {
		bool is_last = i + 1 == chain->hop_count;
		if ((unsigned int)chain->hops[i].kind >= HOP_KINDS ||
			(!is_last && hop_kind_is_metal(chain->hops[i].kind)))
			return false;
	}
	ends_in_metal = hop_kind_is_metal(chain->hops[chain->hop_count - 1].kind);
	return ends_in_metal == (chain->end == CHAIN_METAL);
}

bool recording_shares_add_up(const struct rec_share *shares, size_t share_count, uint64_t ns)
{
	unsigned __int128 sum = 0;

	if (share_count &&
		(shares[share_count - 1].no_cpu_ns || shares[share_count - 1].earlier_ns))
		return false;
	for (size_t i = 0; i < share_count; i++) {
		sum += shares[i].ran_ns;
		sum += shares[i].no_cpu_ns;
		sum += shares[i].earlier_ns;
	}
	return sum == ns;
}
