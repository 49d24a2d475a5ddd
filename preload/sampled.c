// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The set behind sampled.h. Which two buckets an address can be in follows from its hash, and it
 * goes to the one with more room: with two to choose from, buckets overflow only when nearly all
 * are full. Both are always looked through, so that a slot that becomes free needs no mark.
 *
 * A byte of the filter is raised before the address is in the set and lowered when it is not any
 * more. One that has reached its highest value stays there.
 */
#include <stddef.h>

#include "preload/sampled.h"

#define STUCK UINT8_MAX

struct bucket {
	uintptr_t slots[SAMPLED_BUCKET_SLOTS];
} __attribute__((aligned(64)));

uint8_t sampled_filter[SAMPLED_FILTER_BYTES] __attribute__((aligned(64)));
static struct bucket buckets[SAMPLED_BUCKETS];

struct choice {
	struct bucket *one;
	struct bucket *other;
};

static struct choice choose(uintptr_t address)
{
	uint64_t hash = (uint64_t)address * 0x9e3779b97f4a7c15;
	uint32_t one = (uint32_t)(hash >> 32) % SAMPLED_BUCKETS;
	/* Never the same one. */
	uint32_t step = (uint32_t)(hash >> 48) % (SAMPLED_BUCKETS - 1) + 1;

	return (struct choice){&buckets[one], &buckets[(one + step) % SAMPLED_BUCKETS]};
}

static bool replace(uintptr_t *slot, uintptr_t old, uintptr_t value)
{
	return __atomic_compare_exchange_n(
		slot, &old, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* The slot that has the address, or NULL. */
static uintptr_t *find_slot(struct bucket *bucket, uintptr_t address)
{
	for (size_t i = 0; i < SAMPLED_BUCKET_SLOTS; i++)
		if (__atomic_load_n(&bucket->slots[i], __ATOMIC_RELAXED) == address)
			return &bucket->slots[i];
	return NULL;
}

static unsigned int room(const struct bucket *bucket)
{
	unsigned int count = 0;

	for (size_t i = 0; i < SAMPLED_BUCKET_SLOTS; i++)
		count += !__atomic_load_n(&bucket->slots[i], __ATOMIC_RELAXED);
	return count;
}

static bool put(struct bucket *bucket, uintptr_t address)
{
	for (size_t i = 0; i < SAMPLED_BUCKET_SLOTS; i++)
		if (replace(&bucket->slots[i], 0, address))
			return true;
	return false;
}

static void filter_add(uint8_t *byte, int change)
{
	uint8_t old = __atomic_load_n(byte, __ATOMIC_RELAXED);

	while (old != STUCK && !__atomic_compare_exchange_n(byte, &old, (uint8_t)(old + change),
				       true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void sampled_mark(void *address)
{
	__atomic_store_n(sampled_byte(address), STUCK, __ATOMIC_RELAXED);
}

enum sampled_add sampled_add(void *address)
{
	uintptr_t bits = (uintptr_t)address;
	struct choice choice = choose(bits);

	if (find_slot(choice.one, bits) || find_slot(choice.other, bits))
		return SAMPLED_KNOWN;
	filter_add(sampled_byte(address), 1);
	if (room(choice.one) < room(choice.other))
		choice = (struct choice){choice.other, choice.one};
	if (put(choice.one, bits) || put(choice.other, bits))
		return SAMPLED_ADDED;
	filter_add(sampled_byte(address), -1);
	return SAMPLED_FULL;
}

bool sampled_take(void *address)
{
	uintptr_t bits = (uintptr_t)address;
	struct choice choice = choose(bits);
	uintptr_t *slot;

	if (!bits)
		return false;
	slot = find_slot(choice.one, bits);
	if (!slot)
		slot = find_slot(choice.other, bits);
	if (!slot || !replace(slot, bits, 0))
		return false;
	filter_add(sampled_byte(address), -1);
	return true;
}
