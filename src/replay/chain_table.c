// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains are runs of links in one vector, found by the hash of the run. */
#include "replay/chain_table.h"

#include "util/hash.h"

static uint64_t hash_chain(const struct replay_chain *chain)
{
	uint64_t hash = hash_add(chain->hop_count, (uint64_t)chain->end);

	for (uint32_t i = 0; i < chain->hop_count; i++) {
		const struct replay_link *link = &chain->links[i];
		hash = hash_add(hash, (uint64_t)link->waker.kind << 32 | link->waker.name);
		hash = hash_add(hash, (uint64_t)link->waker.stack << 32 | link->waited);
	}
	return hash;
}

static bool is_same(
	const struct chain_table *table, uint64_t number, const struct replay_chain *chain)
{
	const struct table_chain *known = &table->chains.at[number - 1];

	if (known->hop_count != chain->hop_count || known->end != chain->end)
		return false;
	for (uint32_t i = 0; i < known->hop_count; i++) {
		const struct replay_link *a = &table->links.at[known->first + i];
		const struct replay_link *b = &chain->links[i];
		if (a->waker.kind != b->waker.kind || a->waker.name != b->waker.name ||
			a->waker.stack != b->waker.stack || a->waited != b->waited)
			return false;
	}
	return true;
}

uint32_t chain_table_put(struct chain_table *table, const struct replay_chain *chain)
{
	for (uint64_t hash = hash_chain(chain);; hash++) {
		uint64_t *number = map64_put(&table->by_hash, hash, NULL);
		if (!*number) {
			struct table_chain added = {
				table->links.count, chain->hop_count, chain->end};
			vec_append(&table->links, chain->links, chain->hop_count);
			vec_push(&table->chains, added);
			*number = table->chains.count;
			return (uint32_t)*number;
		}
		if (is_same(table, *number, chain))
			return (uint32_t)*number;
	}
}

const struct table_chain *chain_table_get(const struct chain_table *table, uint32_t number)
{
	return &table->chains.at[number - 1];
}

void chain_table_clear(struct chain_table *table)
{
	vec_clear(&table->chains);
	vec_clear(&table->links);
	map64_clear(&table->by_hash);
}
