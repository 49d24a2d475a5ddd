/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as one table that can be looked at from all sides without the recording: every view,
 * filter and range of time is a sum over its rows. The report page holds it.
 *
 * A key is (who, kind, band, stack, chain of wakers) with its exact time over the whole range: the
 * sum of all keys is the report's, to the nanosecond. A cell is a key's time in one bucket, a
 * bucket being a whole number of slices. What would make the table grow without end is folded, and
 * the fold is told: threads beyond CUBE_THREADS into one for each name, things beyond CUBE_THINGS
 * into one for each kind of them, small keys beyond CUBE_KEYS and small cells of a bucket into the
 * stack `[other]` of the same thread, kind and band. Folding loses detail, never time: the cells of
 * a key's thread, kind and band sum to its keys.
 *
 * Each measure of the recording has a table of its own with the same laws. Threads and stacks are
 * those of time; nothing else is shared, so no value of a measure can be added to time, or be
 * compared with it when the large ones are chosen.
 */
#ifndef DWELL_PROFILE_CUBE_H
#define DWELL_PROFILE_CUBE_H

#include "profile/placer.h"
#include "profile/selection.h"
#include "profile/tree.h"
#include "profile/view_types.h"

/* At most so many buckets as long as that makes few cells of time; else the second number. */
#define CUBE_BUCKETS 600
#define CUBE_COARSE_BUCKETS 120
#define CUBE_FINE_CELLS 150000
#define CUBE_THREADS 4000
#define CUBE_THINGS 500
/* Of time; all measures together may have as many again. */
#define CUBE_KEYS 300000
/* Likewise, of all buckets together; each gets its part. */
#define CUBE_CELLS 600000

/* A thread, or all small threads of one name. */
struct cube_thread {
	const char *comm;
	const struct rec_process *process; /* of folded threads: of the first of them */
	uint32_t tid;                      /* 0: folded */
	uint32_t threads;                  /* how many it stands for */
	uint64_t life_ns;
	uint64_t start_ns;
	uint64_t end_ns;
	bool is_kernel;
};

/* What waits were for. */
struct cube_thing {
	struct awaited awaited; /* its texts are the recording's */
	const char *primitive;  /* what a futex is for its program, or NULL */
};

/* What time was: all that a filter asks for except thread, band and stack. */
struct cube_kind {
	enum time_state state; /* TIME_SAMPLE: a count of on-CPU samples, no time */
	char task_letter;      /* of blocked time; else 0 */
	enum reason reason;
	enum reason called; /* as people call it */
	enum idle_kind idle;
	uint32_t operation; /* number in the tree's labels, 0: none */
	uint32_t line;      /* number of the report's line, from 1 on; 0: none */
	uint32_t thing;     /* number in things, from 1 on; 0: no wait, or not told what for */
	bool is_unsliced;   /* only in totals: has no cells */
};

/* Of a measure it has thread, node, weight, count and samples only. */
struct cube_key {
	uint32_t thread;
	uint32_t kind;
	uint32_t band;   /* cube.bands: its length is not known, tables were full */
	uint32_t node;   /* of the tree: where the stack ends; running time has the root */
	uint32_t chain;  /* number in chains, from 1 on; 0: none recorded, or folded */
	uint64_t weight; /* of time in ns, of a measure in its unit */
	uint64_t count;
	uint64_t samples; /* of a measure: how many of these were looked at */
	uint64_t unended; /* waits that go on beyond the range */
	uint64_t max_ns;
	/* With a chain: its shares, one for each hop and one for the rest; they add up to weight.
	 */
	size_t first_share;
};

/* One waker of a chain. */
struct cube_hop {
	enum hop_kind kind;
	uint32_t name;      /* of its family: number in the tree's labels */
	uint32_t node;      /* its name, and below it its frames root to leaf */
	bool has_waited;    /* from the second hop on: */
	enum reason reason; /* what the waker before it had slept in */
	uint32_t operation; /* number in the tree's labels, 0: none */
	uint32_t spot;      /* the function that wanted it; likewise */
	bool is_lock;       /* somebody held it */
};

struct cube_chain {
	uint32_t first_hop;
	uint32_t hop_count;
	enum chain_end end;
};

struct cube_cell {
	uint32_t bucket;
	uint32_t key;
	uint64_t weight; /* as the key's */
	uint64_t count;
	uint64_t samples;
};

/* Time, or what one measure counted. */
struct cube_table {
	VEC(struct cube_key) keys;   /* by thread, kind, node, chain, band */
	VEC(struct cube_cell) cells; /* by bucket, key */
	uint64_t folded_keys;        /* keys that became part of an `[other]` */
	uint64_t folded_keys_weight;
	uint64_t folded_cells;
	uint64_t folded_cells_weight;
};

struct cube_measure {
	struct view_choice view;
	struct cube_table events;
};

/* The file that a function is in; of one name in several files, one of them. */
struct cube_object {
	uint32_t label; /* number in the tree's labels, as is `object` */
	uint32_t object;
};

struct cube {
	/* Stacks without names; each node's label is its own among siblings. Below a node are
	 * those with the numbers that follow its own: cube_order.c. */
	struct tree tree;
	VEC(struct cube_object) objects;
	VEC(struct cube_thread) threads;
	VEC(struct cube_kind) kinds;
	VEC(struct cube_thing) things;
	struct cube_table time;
	VEC(struct cube_chain) chains;
	VEC(struct cube_hop) hops;
	VEC(struct rec_share) shares;
	bool has_chains;                   /* who woke whom was recorded */
	uint32_t bands;                    /* that have words: this dwell's, and the recording's */
	VEC(struct cube_measure) measures; /* none if the filter asks for what only time has */
	uint32_t buckets;
	uint32_t slices_per_bucket;
	uint64_t bucket_ns;
	uint64_t from_ns; /* of the first bucket */
	uint64_t to_ns;
	uint32_t folded_threads; /* threads that have no entry of their own */
	uint32_t folded_things;  /* likewise */
};

/* Sizes, so that tests need no million rows; all zero: the defaults above. */
struct cube_limits {
	uint32_t buckets;
	uint32_t threads;
	size_t keys;
	size_t cells;
	uint32_t things;         /* 0: the default */
	size_t fine_cells;       /* likewise */
	uint32_t coarse_buckets; /* likewise */
};

struct summary;

/*
 * Two walks over the rows of time, or three if it has many things, and two over those of all
 * measures. 0, or -errno with why.
 * Borrows texts from the recording. The summary, of the same recording, has the lines; it may be
 * NULL.
 */
int cube_new(struct recording *recording, const struct view_filter *filter,
	const struct stack_shape *shape, const struct cube_limits *limits,
	const struct summary *summary, struct cube **ret, struct why *why);
void cube_free(struct cube *cube);

#endif
