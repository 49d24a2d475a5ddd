// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains by names: each chain of the recording is named once, and rows are added to the names. */
#include "profile/summary/causes.h"

#include <string.h>

#include "profile/shares.h"
#include "util/hash.h"

static uint64_t hash_hops(
	struct causes *causes, const struct cause_chain *chain, const struct cause_hop *hops)
{
	uint64_t hash = hash_add(chain->hop_count, (uint64_t)chain->end);

	for (uint32_t i = 0; i < chain->hop_count; i++) {
		uint64_t name = intern(&causes->texts, hops[i].name);
		uint64_t operation =
			intern(&causes->texts, hops[i].operation ? hops[i].operation : "");
		hash = hash_add(hash, name << 32 | operation);
		hash = hash_text(hash, hops[i].spot ? hops[i].spot : "");
		hash = hash_add(hash, hops[i].thing);
		hash = hash_add(hash, (uint64_t)hops[i].kind << 32 | (uint64_t)hops[i].reason << 2 |
					      (uint64_t)hops[i].is_lock << 1 | hops[i].has_waited);
	}
	return hash;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same(const struct causes *causes, const struct cause_chain *known,
	const struct cause_chain *chain, const struct cause_hop *hops)
{
	if (known->hop_count != chain->hop_count || known->end != chain->end)
		return false;
	for (uint32_t i = 0; i < chain->hop_count; i++) {
		const struct cause_hop *hop = &causes->hops.at[known->first_hop + i];
		if (hop->kind != hops[i].kind || hop->reason != hops[i].reason ||
			hop->is_lock != hops[i].is_lock || hop->has_waited != hops[i].has_waited ||
			hop->thing != hops[i].thing || !is_same_text(hop->name, hops[i].name) ||
			!is_same_text(hop->operation, hops[i].operation) ||
			!is_same_text(hop->spot, hops[i].spot))
			return false;
	}
	return true;
}

/* The number of the named chain that these hops make. */
static uint32_t put_named(
	struct causes *causes, struct cause_chain chain, const struct cause_hop *hops)
{
	for (uint64_t hash = hash_hops(causes, &chain, hops);; hash++) {
		uint64_t *number = map64_put(&causes->named_by_hash, hash, NULL);
		if (!*number) {
			chain.first_hop = causes->hops.count;
			chain.named = (uint32_t)causes->named.count;
			vec_append(&causes->hops, hops, chain.hop_count);
			vec_push(&causes->named, chain);
			*number = causes->named.count;
		}
		if (is_same(causes, &causes->named.at[*number - 1], &chain, hops))
			return (uint32_t)*number - 1;
	}
}

static uint32_t name_chain(struct causes *causes, const struct recording *recording,
	struct selection *selection, uint32_t index)
{
	size_t unused;
	const struct rec_linked_chain *from = &recording_chains(recording, &unused)[index];
	const struct rec_chain_hop *recorded = recording_hops(recording, &unused);
	struct cause_hop hops[CONTRACT_MAX_HOPS] = {0};
	struct cause_chain chain = {.hop_count = from->hop_count, .end = from->end};

	while (causes->by_recorded.count <= index)
		vec_push(&causes->by_recorded, 0);
	if (causes->by_recorded.at[index])
		return causes->by_recorded.at[index] - 1;
	for (uint32_t i = 0; i < from->hop_count; i++) {
		const struct rec_chain_hop *hop = &recorded[from->first_hop + i];
		hops[i].kind = hop->kind;
		hops[i].name = hop_kind_is_thread(hop->kind)
				       ? family_of(causes->families, hop->name)
				       : hop->name;
		hops[i].thing = REC_NONE;
		hops[i].has_waited = i && hop->waited_node != REC_NONE;
		if (hops[i].has_waited) {
			struct waited waited = selection_waited(selection, hop);
			hops[i].reason = waited.reason;
			hops[i].operation = waited.operation;
			hops[i].spot = waited.spot;
			hops[i].is_lock = waited.is_lock;
			hops[i].thing = waited.thing;
		}
	}
	uint32_t named = put_named(causes, chain, hops);
	causes->by_recorded.at[index] = named + 1;
	return named;
}

/* The chain of that owner and name, with room for its shares; made if need be. */
static struct cause_chain *chain_of(struct causes *causes, uint32_t owner, uint32_t named)
{
	uint64_t *number = map64_put(&causes->by_owner, (uint64_t)owner << 32 | named, NULL);

	if (!*number) {
		struct cause_chain chain = causes->named.at[named];
		chain.owner = owner;
		chain.first_share = causes->shares.count;
		for (uint32_t i = 0; i <= chain.hop_count; i++)
			vec_push(&causes->shares, (struct rec_share){0});
		vec_push(&causes->chains, chain);
		*number = causes->chains.count;
	}
	return &causes->chains.at[*number - 1];
}

static void add_shares(struct causes *causes, struct cause_chain *chain,
	const struct rec_share *shares, uint64_t ns, uint64_t count)
{
	chain->total_ns += ns;
	chain->count += count;
	for (uint32_t i = 0; i <= chain->hop_count; i++) {
		struct rec_share *into = &causes->shares.at[chain->first_share + i];
		into->ran_ns += shares[i].ran_ns;
		into->no_cpu_ns += shares[i].no_cpu_ns;
		into->earlier_ns += shares[i].earlier_ns;
	}
}

void causes_add(struct causes *causes, const struct recording *recording,
	struct selection *selection, const struct selection_row *row, uint32_t owner)
{
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];

	if (row->row->chain == REC_NONE)
		return;
	uint32_t named = name_chain(causes, recording, selection, row->row->chain);
	shares_in_range(row, shares);
	add_shares(
		causes, chain_of(causes, owner, named), shares, row->ns, row->count + row->unended);
}

static int compare_chains(const void *left, const void *right)
{
	const struct cause_chain *a = left, *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->first_hop < b->first_hop ? -1 : a->first_hop > b->first_hop;
}

/* Families of which two things or more are in the hops take their place there. */
static void put_families(struct causes *causes, struct selection *selection)
{
	struct map64 only = {0}; /* family -> its one thing + 1; UINT64_MAX: several */

	vec_each (hop, &causes->hops) {
		if (hop->thing == REC_NONE)
			continue;
		uint64_t *one =
			map64_put(&only, selection_thing_family(selection, hop->thing), NULL);
		*one = !*one || *one == hop->thing + 1ULL ? hop->thing + 1ULL : UINT64_MAX;
	}
	vec_each (hop, &causes->hops) {
		if (hop->thing == REC_NONE)
			continue;
		uint32_t family = selection_thing_family(selection, hop->thing);
		if (*map64_find(&only, family) == UINT64_MAX)
			hop->thing = family;
	}
	map64_clear(&only);
}

/* Gives chains that read the same after that the same number. */
static void join_families(struct causes *causes, struct selection *selection)
{
	_cleanup_free_ uint32_t *joined = xcalloc(causes->named.count + 1, sizeof(*joined));
	struct map64 by_hash = {0}; /* -> number + 1; clashes go on at hash + 1 */

	put_families(causes, selection);
	vec_each (chain, &causes->named) {
		const struct cause_hop *hops = causes->hops.at + chain->first_hop;
		uint64_t hash = hash_hops(causes, chain, hops), *number;
		for (;; hash++) {
			number = map64_put(&by_hash, hash, NULL);
			if (!*number)
				*number = chain->named + 1ULL;
			if (is_same(causes, &causes->named.at[*number - 1], chain, hops))
				break;
		}
		joined[chain->named] = (uint32_t)*number - 1;
	}
	vec_each (chain, &causes->chains)
		chain->named = joined[chain->named];
	map64_clear(&by_hash);
}

void causes_settle(struct causes *causes, struct selection *selection, const uint32_t *owners)
{
	struct map64 by_owner = {0};
	size_t kept = 0;

	join_families(causes, selection);
	for (size_t i = 0; i < causes->chains.count; i++) {
		struct cause_chain chain = causes->chains.at[i];
		chain.owner = owners[chain.owner];
		if (chain.owner == UINT32_MAX)
			continue;
		uint64_t *number =
			map64_put(&by_owner, (uint64_t)chain.owner << 32 | chain.named, NULL);
		if (*number) {
			add_shares(causes, &causes->chains.at[*number - 1],
				causes->shares.at + chain.first_share, chain.total_ns, chain.count);
			continue;
		}
		causes->chains.at[kept++] = chain;
		*number = kept;
	}
	causes->chains.count = kept;
	map64_clear(&by_owner);
	vec_sort(&causes->chains, compare_chains);
}

const struct cause_chain *causes_of(const struct causes *causes, uint32_t owner, size_t *ret_count)
{
	const struct cause_chain *chains = causes->chains.at;
	size_t first = 0, last = causes->chains.count, count = 0;

	while (first < last) {
		size_t middle = first + (last - first) / 2;
		if (chains[middle].owner < owner)
			first = middle + 1;
		else
			last = middle;
	}
	while (first + count < causes->chains.count && chains[first + count].owner == owner)
		count++;
	*ret_count = count;
	return count ? chains + first : NULL;
}

void causes_clear(struct causes *causes)
{
	vec_clear(&causes->chains);
	vec_clear(&causes->hops);
	vec_clear(&causes->shares);
	intern_clear(&causes->texts);
	vec_clear(&causes->by_recorded);
	vec_clear(&causes->named);
	map64_clear(&causes->named_by_hash);
	map64_clear(&causes->by_owner);
}
