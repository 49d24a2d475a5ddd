/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinct chains, each once, known by small numbers from 1 on. All zero is a valid empty table. */
#ifndef DWELL_REPLAY_CHAIN_TABLE_H
#define DWELL_REPLAY_CHAIN_TABLE_H

#include <stdint.h>

#include "recording/recording.h"
#include "util/map64.h"
#include "util/vec.h"

/* Numbers of names and stacks are the caller's. */
struct replay_waker {
	enum hop_kind kind;
	uint32_t name;
	uint32_t stack;
};

struct replay_link {
	struct replay_waker waker;
	uint32_t waited; /* stack in which the waker of the link before had been blocked */
};

struct replay_chain {
	uint32_t hop_count;
	enum chain_end end;
	struct replay_link links[CONTRACT_MAX_HOPS];
};

struct table_chain {
	size_t first; /* in links */
	uint32_t hop_count;
	enum chain_end end;
};

struct chain_table {
	VEC(struct table_chain) chains;
	VEC(struct replay_link) links;
	struct map64 by_hash; /* -> number; clashes go on at hash + 1 */
};

/* The number of a chain with these hops and this end. */
uint32_t chain_table_put(struct chain_table *table, const struct replay_chain *chain);
/* Borrowed until the next put. */
const struct table_chain *chain_table_get(const struct chain_table *table, uint32_t number);
void chain_table_clear(struct chain_table *table);

#endif
