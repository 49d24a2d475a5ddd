// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains are runs of links in one vector, found by the hash of the run, or by what they were joined
 * from. */
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

static uint32_t make_joined(struct chain_table *table, const struct table_join *join)
{
	const struct table_chain *prefix = chain_table_get(table, join->prefix);
	const struct table_chain *suffix = chain_table_get(table, join->suffix);
	const struct replay_link *links = table->links.at;
	struct replay_chain chain = {
		.hop_count = prefix->hop_count + suffix->hop_count, .end = suffix->end};

	if (chain.hop_count > join->depth) {
		chain.hop_count = join->depth;
		chain.end = CHAIN_DEPTH_LIMIT;
	}
	for (uint32_t i = 0; i < chain.hop_count; i++)
		chain.links[i] = i < prefix->hop_count
					 ? links[prefix->first + i]
					 : links[suffix->first + i - prefix->hop_count];
	if (chain.hop_count > prefix->hop_count)
		chain.links[prefix->hop_count].waited = join->waited;
	return chain_table_put(table, &chain);
}

uint32_t chain_table_join(struct chain_table *table, uint32_t prefix, uint32_t suffix,
	uint32_t waited, uint32_t depth)
{
	struct table_join join = {prefix, suffix, waited, depth, 0};
	uint64_t hash = hash_add((uint64_t)prefix << 32 | suffix, (uint64_t)waited << 32 | depth);

	for (;; hash++) {
		uint64_t *index = map64_put(&table->join_by_hash, hash, NULL);
		if (!*index) {
			join.number = make_joined(table, &join);
			vec_push(&table->joins, join);
			*index = table->joins.count;
			return join.number;
		}
		const struct table_join *known = &table->joins.at[*index - 1];
		if (known->prefix == prefix && known->suffix == suffix && known->waited == waited &&
			known->depth == depth)
			return known->number;
	}
}

void chain_table_clear(struct chain_table *table)
{
	vec_clear(&table->chains);
	vec_clear(&table->links);
	vec_clear(&table->joins);
	map64_clear(&table->by_hash);
	map64_clear(&table->join_by_hash);
}
