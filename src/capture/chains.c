// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw hops and chains and what they are in the recording. A raw id is a hash that contains images,
 * so a machine that starts many processes makes new ones for ever; what has not been met for
 * KEEP_AGES is dropped when there are more than MAX_KEPT, a little at a time. The kernel will not
 * send it again: a later chain that has such a hop says that its stacks are lost. What no row has
 * is not written: the waits of threads outside the target are explained only because others may
 * wait for them.
 */
#include "capture/chains.h"

#include "capture/awaited.h"

#include <string.h>

#include "util/map64.h"
#include "util/vec.h"

#define MAX_KEPT (1 << 16)
#define KEEP_AGES 240
#define FORGET_EVERY_AGES (KEEP_AGES / 8)

static const char *const softirqs[] = {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
	"TASKLET", "SCHED", "HRTIMER", "RCU"};

struct known_hop {
	enum hop_kind kind;
	uint64_t kernel_stack;
	uint64_t user_stack;
	uint64_t raw_kernel_stack; /* for another try if it was lost: it may have come since */
	uint64_t raw_user_stack;
	uint64_t met; /* age */
	char name[64];
};

struct known_waited {
	uint64_t raw_kernel_stack;
	uint64_t raw_user_stack;
	uint64_t raw_awaited;
	uint64_t met;
};

/* As it came, because others may go on with it. */
struct known_chain {
	uint64_t id; /* the recording's; 0: no row has it yet, so it is not written */
	uint64_t met;
	uint64_t touched; /* age at which what it refers to was met last */
	uint64_t suffix;
	uint64_t suffix_waited;
	uint32_t end;
	uint32_t link_count;
	uint32_t hop_count; /* with those of the suffix */
	bool has_rest;
	bool is_whole; /* all its hops and stacks have come */
	struct chain_link links[];
};

/* A whole chain with the kernel's ids. */
struct raw_chain {
	uint32_t hop_count;
	enum chain_end end;
	struct chain_link links[CONTRACT_MAX_HOPS];
};

struct chains {
	struct recording_writer *writer;
	struct namer *namer;
	struct awaited_things *things;
	struct map64 hops;   /* raw id -> struct known_hop * */
	struct map64 waited; /* raw id -> struct known_waited * */
	struct map64 by_raw; /* raw id -> struct known_chain * */
	uint64_t of_end[CHAIN_ENDS];
	uint64_t age;
	uint32_t depth;
};

struct chains *chains_new(struct recording_writer *writer, struct namer *namer,
	struct awaited_things *things, uint32_t depth)
{
	struct chains *chains = xcalloc(1, sizeof(*chains));

	chains->writer = writer;
	chains->namer = namer;
	chains->things = things;
	chains->depth = depth < CONTRACT_MAX_HOPS ? depth : CONTRACT_MAX_HOPS;
	return chains;
}

static void free_hop(struct known_hop *hop)
{
	free(hop);
}

static void free_chain(struct known_chain *chain)
{
	free(chain);
}

static void free_waited(struct known_waited *waited)
{
	free(waited);
}

#define free_values(map, type, free_one)                                                           \
	do {                                                                                       \
		for (size_t i_ = 0; i_ < (map)->room; i_++)                                        \
			if ((map)->slots[i_].is_used)                                              \
				free_one((type *)(uintptr_t)(map)->slots[i_].value);               \
		map64_clear(map);                                                                  \
	} while (0)

void chains_free(struct chains *chains)
{
	if (!chains)
		return;
	free_values(&chains->hops, struct known_hop, free_hop);
	free_values(&chains->waited, struct known_waited, free_waited);
	free_values(&chains->by_raw, struct known_chain, free_chain);
	free(chains);
}

/* Interrupts without a handler are named after their entry: asm_sysvec_apic_timer_interrupt. */
static const char *without_prefix(const char *name)
{
	static const char *const prefixes[] = {"asm_sysvec_", "asm_"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return name;
}

static const char *name_of_value(const struct chains *chains, const struct record_hop *record)
{
	switch (record->hop_kind) {
	case HOP_SOFTIRQ:
		return record->value < ARRAY_SIZE(softirqs) ? softirqs[record->value] : "";
	case HOP_TIMER:
		return namer_kernel_function(chains->namer, record->value);
	case HOP_IRQ:
		return record->value
			       ? without_prefix(namer_kernel_function(chains->namer, record->value))
			       : "";
	default:
		return "";
	}
}

void chains_add_hop(struct chains *chains, const void *data, size_t length)
{
	const struct record_hop *record = data;
	bool is_new;

	if (length < sizeof(*record) || record->hop_kind >= HOP_KINDS)
		return;
	uint64_t *slot = map64_put(&chains->hops, record->id, &is_new);
	if (!is_new)
		return;
	struct known_hop *hop = xcalloc(1, sizeof(*hop));
	hop->kind = (enum hop_kind)record->hop_kind;
	hop->raw_kernel_stack = record->kernel_stack;
	hop->raw_user_stack = record->user_stack;
	hop->kernel_stack = hop->user_stack = STACK_LOST;
	hop->met = chains->age;
	if (record->name[0])
		snprintf(hop->name, sizeof(hop->name), "%.*s", CONTRACT_NAME_LEN, record->name);
	else
		snprintf(hop->name, sizeof(hop->name), "%s", name_of_value(chains, record));
	*slot = (uintptr_t)hop;
}

static uint64_t stack_of(const struct chains *chains, uint64_t id, uint64_t raw_id)
{
	return id == STACK_LOST ? namer_stack(chains->namer, raw_id) : id;
}

static struct rec_hop hop_of(struct chains *chains, uint64_t raw_id)
{
	uint64_t *slot = map64_find(&chains->hops, raw_id);
	struct known_hop *known = slot ? (struct known_hop *)(uintptr_t)*slot : NULL;
	uint64_t kind = raw_id & ((1 << CONTRACT_HOP_KIND_BITS) - 1);

	if (!known)
		return (struct rec_hop){
			.kind = kind < HOP_KINDS ? (enum hop_kind)kind : HOP_UNKNOWN,
			.name = "",
			.kernel_stack = STACK_LOST,
			.user_stack = STACK_LOST};
	known->met = chains->age;
	known->kernel_stack = stack_of(chains, known->kernel_stack, known->raw_kernel_stack);
	known->user_stack = stack_of(chains, known->user_stack, known->raw_user_stack);
	return (struct rec_hop){.kind = known->kind,
		.name = known->name,
		.kernel_stack = known->kernel_stack,
		.user_stack = known->user_stack};
}

void chains_add_waited(struct chains *chains, const void *data, size_t length)
{
	const struct record_waited *record = data;
	bool is_new;

	if (length < sizeof(*record))
		return;
	uint64_t *slot = map64_put(&chains->waited, record->id, &is_new);
	if (!is_new)
		return;
	struct known_waited *waited = xcalloc(1, sizeof(*waited));
	waited->raw_kernel_stack = record->kernel_stack;
	waited->raw_user_stack = record->user_stack;
	waited->raw_awaited = record->awaited;
	waited->met = chains->age;
	*slot = (uintptr_t)waited;
}

/* Where the waker of the hop before had been blocked; what has no record is a kernel stack. */
static void resolve_waited(struct chains *chains, uint64_t raw_id, struct rec_hop *hop)
{
	uint64_t *slot = map64_find(&chains->waited, raw_id);

	if (!slot) {
		hop->waited_stack = namer_stack(chains->namer, raw_id);
		hop->waited_user_stack = STACK_NONE;
		hop->waited_for = 0;
		return;
	}
	struct known_waited *waited = (struct known_waited *)(uintptr_t)*slot;
	waited->met = chains->age;
	hop->waited_stack = namer_stack(chains->namer, waited->raw_kernel_stack);
	hop->waited_user_stack = namer_stack(chains->namer, waited->raw_user_stack);
	hop->waited_for = awaited_id(chains->things, waited->raw_awaited);
}

static struct known_chain *known_chain(struct chains *chains, uint64_t raw_id)
{
	uint64_t *slot = map64_find(&chains->by_raw, raw_id);

	if (!slot)
		return NULL;
	struct known_chain *known = (struct known_chain *)(uintptr_t)*slot;
	known->met = chains->age;
	return known;
}

/* Puts a chain and those that it goes on with into one; false if one of these has not come. */
static bool join(struct chains *chains, const struct known_chain *known, struct raw_chain *ret)
{
	uint64_t waited = 0;

	ret->hop_count = 0;
	for (;;) {
		for (uint32_t i = 0; i < known->link_count; i++) {
			if (ret->hop_count >= chains->depth) {
				ret->end = CHAIN_DEPTH_LIMIT;
				return true;
			}
			struct chain_link *link = &ret->links[ret->hop_count++];
			*link = known->links[i];
			if (!i && waited)
				link->waited = waited;
		}
		ret->end = (enum chain_end)known->end;
		if (!known->suffix)
			return true;
		if (known->suffix < CONTRACT_CHAIN_OF_END(CHAIN_ENDS)) {
			ret->end = (enum chain_end)(known->suffix - CONTRACT_CHAIN_OF_END(0));
			return true;
		}
		waited = known->suffix_waited;
		known = known_chain(chains, known->suffix);
		if (!known)
			return false;
	}
}

/* Writes the chain as far as it is known by now; false if one that it goes on with has not come. */
static bool settle(struct chains *chains, struct known_chain *known)
{
	struct rec_hop hops[CONTRACT_MAX_HOPS];
	struct raw_chain raw;

	if (!join(chains, known, &raw))
		return false;
	struct rec_chain chain = {.hop_count = raw.hop_count, .end = raw.end, .hops = hops};
	known->hop_count = raw.hop_count;
	known->has_rest = chain_end_has_rest(raw.end);
	known->is_whole = true;
	for (uint32_t i = 0; i < raw.hop_count; i++) {
		hops[i] = hop_of(chains, raw.links[i].hop);
		resolve_waited(chains, raw.links[i].waited, &hops[i]);
		known->is_whole &= hops[i].kernel_stack != STACK_LOST &&
				   hops[i].user_stack != STACK_LOST &&
				   hops[i].waited_stack != STACK_LOST &&
				   hops[i].waited_user_stack != STACK_LOST;
	}
	chain.id = recording_chain_id(&chain);
	if (chain.id != known->id)
		recording_writer_add_chain(chains->writer, &chain);
	known->id = chain.id;
	return true;
}

void chains_add(struct chains *chains, const void *data, size_t length)
{
	struct record_chain record = {0};
	bool is_new;

	if (length < offsetof(struct record_chain, links))
		return;
	memcpy(&record, data, length < sizeof(record) ? length : sizeof(record));
	size_t bytes = record.hop_count * sizeof(struct chain_link);
	if (record.hop_count > CONTRACT_MAX_HOPS || record.end >= CHAIN_ENDS ||
		(record.suffix && !record.hop_count) ||
		length < offsetof(struct record_chain, links) + bytes)
		return;
	uint64_t *slot = map64_put(&chains->by_raw, record.id, &is_new);
	if (!is_new)
		return;
	struct known_chain *known = xcalloc(1, sizeof(*known) + bytes);
	known->met = chains->age;
	known->suffix = record.suffix;
	known->suffix_waited = record.suffix_waited;
	known->end = record.end;
	known->link_count = record.hop_count;
	if (bytes)
		memcpy(known->links, record.links, bytes);
	*slot = (uintptr_t)known;
}

/* What a chain refers to is not to be forgotten as long as the chain is met. */
static void touch_waited(struct chains *chains, struct known_chain *known)
{
	if (known->touched == chains->age)
		return;
	known->touched = chains->age;
	for (uint32_t i = 0; i <= known->link_count; i++) {
		uint64_t raw_id =
			i < known->link_count ? known->links[i].waited : known->suffix_waited;
		uint64_t *slot = map64_find(&chains->waited, raw_id);
		if (slot)
			((struct known_waited *)(uintptr_t)*slot)->met = chains->age;
	}
}

bool chains_find(struct chains *chains, uint64_t raw_id, struct chain_found *ret)
{
	struct known_chain *known = known_chain(chains, raw_id);

	if (!known || (!known->is_whole && !settle(chains, known)))
		return false;
	*ret = (struct chain_found){.id = known->id,
		.hop_count = known->hop_count,
		.has_rest = known->has_rest,
		.has_lost = !known->is_whole};
	/* Looking a chain up also keeps the chains that it goes on with from being forgotten. */
	touch_waited(chains, known);
	for (uint32_t i = 0; known && known->suffix && i < CONTRACT_MAX_HOPS; i++) {
		known = known_chain(chains, known->suffix);
		if (known)
			touch_waited(chains, known);
	}
	return true;
}

uint64_t chains_of_end(struct chains *chains, enum chain_end end)
{
	struct rec_chain chain = {.end = end};

	if (!chains->of_end[end]) {
		chains->of_end[end] = chain.id = recording_chain_id(&chain);
		recording_writer_add_chain(chains->writer, &chain);
	}
	return chains->of_end[end];
}

/* Both kinds of values know when they were met. */
#define forget(chains, map, type, free_one)                                                        \
	do {                                                                                       \
		VEC(uint64_t) old_ = {0};                                                          \
		for (size_t i_ = 0; i_ < (map)->room; i_++) {                                      \
			type *value_ = (type *)(uintptr_t)(map)->slots[i_].value;                  \
			if ((map)->slots[i_].is_used && value_->met + KEEP_AGES < (chains)->age) { \
				vec_push(&old_, (map)->slots[i_].key);                             \
				free_one(value_);                                                  \
			}                                                                          \
		}                                                                                  \
		vec_each (key_, &old_)                                                             \
			map64_remove(map, *key_);                                                  \
		vec_clear(&old_);                                                                  \
	} while (0)

void chains_age(struct chains *chains)
{
	chains->age++;
	if (chains->age % FORGET_EVERY_AGES)
		return;
	if (chains->hops.count > MAX_KEPT)
		forget(chains, &chains->hops, struct known_hop, free_hop);
	if (chains->waited.count > MAX_KEPT)
		forget(chains, &chains->waited, struct known_waited, free_waited);
	if (chains->by_raw.count > MAX_KEPT)
		forget(chains, &chains->by_raw, struct known_chain, free_chain);
}
