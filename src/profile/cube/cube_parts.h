/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the cube share; nobody else includes it. */
#ifndef DWELL_PROFILE_CUBE_PARTS_H
#define DWELL_PROFILE_CUBE_PARTS_H

#include "profile/cube/cube.h"
#include "profile/family.h"
#include "profile/placer.h"
#include "profile/things.h"

/* A table while rows go into it. All zero but the table is valid. */
struct cube_making {
	struct cube_table *table;
	struct map64 places;  /* thread << 32 | node -> small number */
	struct map64 links;   /* place << 32 | chain -> small number */
	struct map64 keys;    /* link, kind, band -> index */
	struct map64 cells;   /* key << 16 | bucket -> index */
	VEC(uint32_t) chosen; /* by key: itself, or the `[other]` it is part of */
};

struct cube_building {
	struct cube *cube;
	struct cube_making *making; /* what keys and cells are found in and added to */
	const struct recording *recording;
	const struct summary *summary; /* or NULL */
	struct families families;
	struct selection *selection;
	struct placer *placer;
	uint32_t *thread_of; /* by thread index of the recording */
	uint32_t other_node;
	uint32_t slice_from;
	uint32_t slice_to;
	uint32_t slices;   /* of the range */
	size_t fine_cells; /* with more cells there are only so many buckets: */
	uint32_t coarse_buckets;
	struct map64 kinds;        /* what the kind is made of -> index */
	struct map64 chains;       /* chain of the recording -> number */
	VEC(uint32_t) thing_of;    /* by the selection's thing: number in the cube's, 0: none yet */
	struct map64 other_things; /* kind -> number of the thing that stands for all others */
};

/* Forgets how keys and cells are found; the table stays. */
void cube_making_clear(struct cube_making *making);
/* The key of that thread, kind, band and node, made if need be with the figures given. */
uint32_t cube_key_index(struct cube_building *building, const struct cube_key *key);
/* The key of `[other]` beside a key. */
uint32_t cube_other_key(struct cube_building *building, uint32_t key_index);
/* The bucket that a slice is in. */
uint32_t cube_bucket_of(const struct cube_building *building, uint32_t slice);
/* The cell, until the next one is added. */
struct cube_cell *cube_add_cell(struct cube_building *building, uint32_t bucket, uint32_t key,
	uint64_t weight, uint64_t count);

/* Tables of all measures; 0, or -errno with why: cube_events.c. */
int cube_add_measures(
	struct cube_building *building, const struct cube_limits *limits, struct why *why);

/* A key that has no shares yet. */
#define CUBE_NO_SHARES SIZE_MAX

/* The number of the row's chain, and its shares added to a key's: cube_chain.c. */
uint32_t cube_chain_of(struct cube_building *building, const struct rec_row *row);
void cube_add_shares(
	struct cube_building *building, uint32_t key_index, const struct selection_row *row);

/* The number of the row's kind: cube_kinds.c. */
uint32_t cube_kind_of(struct cube_building *building, const struct selection_row *row);
/* The number of what a row was for, 0 if it is not told: cube_things.c. */
uint32_t cube_thing_of(struct cube_building *building, const struct selection_row *row);
/* Before the first row: which things are kept, if there are more. 0, or -errno with why. */
int cube_choose_things(struct cube_building *building, uint32_t most, struct why *why);

/* Which threads get entries, which keys and cells are kept: cube_choose.c. */
void cube_choose_threads(struct cube_building *building, struct recording *recording,
	const struct selection *selection, uint32_t most);
void cube_choose_keys(struct cube_building *building, size_t most);
void cube_choose_cells(struct cube_building *building, size_t most);
/* Joins buckets, so that there are at most coarse_buckets, and their cells. */
void cube_coarsen(struct cube_building *building);
/* Puts the shares in the order of the keys. */
void cube_order_shares(struct cube *cube);
/* Forgets the keys that gave their weight away. */
void cube_drop_empty(struct cube_table *table);
/* Puts keys and cells in order. */
void cube_sort_keys(struct cube_table *table);
/* When all tables are full: their last numbers and order: cube_order.c. */
void cube_order(struct cube *cube);

/* Cells of one bucket and key become one. */
void cube_merge_cells(struct cube_table *table);

static inline uint64_t cube_cell_id(uint32_t key, uint32_t bucket)
{
	return (uint64_t)key << 16 | bucket;
}

static inline uint32_t cube_label(struct cube_building *building, const char *text)
{
	return intern(&building->cube->tree.labels, text);
}

#endif
