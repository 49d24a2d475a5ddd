/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that user stacks are walked by. User space maps them and writes them; an image's entry
 * in `unwind_processes` is what makes its mappings valid. Rows, page words and mappings are in
 * chunks that user space adds while programs read the others: a chunk is there before anything
 * refers to it, and stays. Sizes, of what has chunks the largest, are set before loading.
 */
#ifndef DWELL_TABLES_BPF_H
#define DWELL_TABLES_BPF_H

#include "load.bpf.h"
#include "state.bpf.h"

struct unwind_chunk {
	u32 words[UNWIND_CHUNK_WORDS];
};

/* Those of rows come first, then those of page words, then those of mappings. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_ARRAY);
			__uint(map_flags, BPF_F_MMAPABLE);
			__uint(max_entries, 1);
			__uint(key_size, sizeof(u32));
			__uint(value_size, sizeof(struct unwind_chunk));
		});
} unwind_chunks SEC(".maps");

const volatile __u32 cfg_page_chunks;
const volatile __u32 cfg_vma_chunks;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct unwind_rule);
} unwind_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct unwind_process);
} unwind_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_wants SEC(".maps");

/* When an image asked last; images that share a slot wait for each other. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_WANT_SLOTS);
	__type(key, u32);
	__type(value, u64);
} unwind_asked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct repair);
} repairs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct step_table);
} unwind_steps SEC(".maps");

/* Counted on by user space when a map of mappings is another; by the number of its first. */
volatile __u32 map_generations[STEP_SLOTS] OWN_LINE;

/* Old kernels verify global functions that nobody calls, too: without tables the map is not there.
 */
static __always_inline struct step_table *step_table_of(const struct walk *walk)
{
	u32 zero = 0;

	return cfg_user_stacks == USER_STACKS_TABLE ? bpf_map_lookup_elem(&unwind_steps, &zero)
						    : NULL;
}

static __always_inline const u32 *chunk_word(u32 number, u32 word)
{
	void *map = bpf_map_lookup_elem(&unwind_chunks, &number);
	struct unwind_chunk *chunk;
	u32 zero = 0;

	chunk = map ? bpf_map_lookup_elem(map, &zero) : NULL;
	return chunk ? &chunk->words[word & (UNWIND_CHUNK_WORDS - 1)] : NULL;
}

static __always_inline const u32 *table_row(const struct walk *walk, u32 index)
{
	return chunk_word(index / UNWIND_CHUNK_WORDS, index);
}

static __always_inline const u32 *table_page(const struct walk *walk, u32 index)
{
	return chunk_word(cfg_page_chunks + index / UNWIND_CHUNK_WORDS, index);
}

static __always_inline const struct unwind_rule *table_rule(const struct walk *walk, u32 index)
{
	return bpf_map_lookup_elem(&unwind_rules, &index);
}

static __always_inline const struct unwind_vma *table_vma(const struct walk *walk, u32 index)
{
	u32 words = sizeof(struct unwind_vma) / sizeof(u32);

	/* Masked by the number of mappings: so that the verifier sees a whole one in the chunk. */
	return (const void *)chunk_word(cfg_vma_chunks + index / UNWIND_CHUNK_VMAS,
		(index & (UNWIND_CHUNK_VMAS - 1)) * words);
}

/* Where the kernel has physical address 0; 0: not known. Set by user space when it is proven. */
volatile __u64 direct_base;
volatile __u32 direct_shift;

/* A word of the piece of a stack that is at hand. Without loads that is always the copy. */
static __always_inline u64 piece_word(const struct walk *walk, u64 to, u64 offset)
{
	if (has_loads())
		return load_word(to + offset);
	return walk->copy[(offset / sizeof(u64)) & (WALK_COPY_WORDS - 1)];
}

static __always_inline long read_user(struct walk *walk, void *to, u32 bytes, u64 address)
{
	return bpf_probe_read_user(to, bytes, (const void *)address);
}

/* Asks user space for an image's mappings, and wakes it: every moment without them is a stack less.
 */
static __noinline void want_tables(u32 image, u32 pid, u64 pc, bool is_new)
{
	u32 slot = image & (UNWIND_WANT_SLOTS - 1);
	u64 *asked = bpf_map_lookup_elem(&unwind_asked, &slot);
	u64 now = bpf_ktime_get_ns();
	struct unwind_want want = {.image = image, .pid = pid, .is_new = is_new, .pc = pc};

	/* Processes outside of dwell's pid namespace have no number that it could look at. */
	if (!pid || !asked || (!is_new && now - *asked < UNWIND_WANT_EVERY_NS))
		return;
	*asked = now;
	bpf_ringbuf_output(&unwind_wants, &want, sizeof(want), BPF_RB_FORCE_WAKEUP);
}

/* A child has its parent's mappings, at once. */
static __always_inline void inherit_tables(u32 parent, u32 child)
{
	struct unwind_process *known = bpf_map_lookup_elem(&unwind_processes, &parent), copy;

	if (!known)
		return;
	copy = *known;
	bpf_map_update_elem(&unwind_processes, &child, &copy, BPF_ANY);
}

#endif
