// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of kinds by things: weights first, then the parts that are large. */
#include "profile/summary/thing_parts.h"

#include "util/hash.h"

/* Hashes begin with the part's kind, so a thing is never taken for a kind of things. */
static uint64_t hash_thing(uint64_t kind, const struct thing *thing)
{
	return hash_text(hash_add(hash_add(kind, PART_THING), (uint64_t)thing->kind), thing->text);
}

static uint64_t hash_things_of(uint64_t kind, const struct thing *thing)
{
	return hash_add(hash_add(kind, PART_KIND), (uint64_t)thing->kind);
}

static uint64_t hash_rest(uint64_t kind)
{
	return hash_add(kind, PART_REST);
}

/*
 * Does a thing make a part by itself? Children come and go, and their pids say nothing: who they
 * were, the causes tell.
 */
static bool is_by_itself(const struct thing *thing)
{
	return !thing->is_folded && thing->kind != AWAITED_CHILD;
}

/* Small mutexes together are no more a thing than all others. */
static bool has_kind(const struct thing *thing)
{
	return thing->kind != AWAITED_FUTEX;
}

static bool is_large(const struct map64 *ns_by_part, uint64_t part, uint64_t least_ns)
{
	const uint64_t *ns = map64_find(ns_by_part, part);

	return ns && *ns && *ns >= least_ns;
}

static size_t count_large(const struct map64 *ns_by_part, uint64_t least_ns)
{
	size_t large = 0;

	for (size_t i = 0; i < ns_by_part->room; i++)
		large += ns_by_part->slots[i].is_used && ns_by_part->slots[i].value &&
			 ns_by_part->slots[i].value >= least_ns;
	return large;
}

static void keep_large(struct map64 *parts, const struct map64 *ns_by_part, uint64_t least_ns)
{
	for (size_t i = 0; i < ns_by_part->room; i++)
		if (ns_by_part->slots[i].is_used &&
			is_large(ns_by_part, ns_by_part->slots[i].key, least_ns))
			*map64_put(parts, ns_by_part->slots[i].key, NULL) = 1;
}

void thing_parts_choose(struct map64 *parts, uint64_t kind, const struct thing_weight *weights,
	size_t count, uint64_t least_ns)
{
	struct map64 by_thing = {0}, by_kind = {0};

	for (size_t i = 0; i < count; i++)
		if (weights[i].thing && is_by_itself(weights[i].thing))
			*map64_put(&by_thing, hash_thing(kind, weights[i].thing), NULL) +=
				weights[i].ns;
	for (size_t i = 0; i < count; i++) {
		const struct thing *thing = weights[i].thing;
		if (thing && has_kind(thing) &&
			!is_large(&by_thing, hash_thing(kind, thing), least_ns))
			*map64_put(&by_kind, hash_things_of(kind, thing), NULL) += weights[i].ns;
	}
	if (count_large(&by_thing, least_ns) + count_large(&by_kind, least_ns) > 1) {
		keep_large(parts, &by_thing, least_ns);
		keep_large(parts, &by_kind, least_ns);
		*map64_put(parts, hash_rest(kind), NULL) = 1;
	}
	map64_clear(&by_thing);
	map64_clear(&by_kind);
}

uint64_t thing_parts_find(const struct map64 *parts, uint64_t kind, const struct thing *thing,
	enum thing_part *ret_part)
{
	*ret_part = PART_ALL;
	if (!map64_find(parts, hash_rest(kind)))
		return kind;
	*ret_part = PART_THING;
	if (thing && is_by_itself(thing) && map64_find(parts, hash_thing(kind, thing)))
		return hash_thing(kind, thing);
	*ret_part = PART_KIND;
	if (thing && map64_find(parts, hash_things_of(kind, thing)))
		return hash_things_of(kind, thing);
	*ret_part = PART_REST;
	return hash_rest(kind);
}
