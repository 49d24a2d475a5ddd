// SPDX-License-Identifier: GPL-2.0-or-later
/* What bpf/unwind.bpf.h asks its includer for, on mapped arrays. */
#include "unwind/host_walk.h"

#include <stddef.h>
#include <string.h>

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline static __attribute__((noinline))

/* The walk is the first member: the functions below find the rest from it. */
struct host_walk {
	struct walk walk;
	const struct unwind_areas *areas;
	const struct unwind_memory *memory;
	const struct unwind_taken *taken;
	size_t taken_count;
};

static const struct host_walk *host_of(const struct walk *walk)
{
	return (const struct host_walk *)walk;
}

static const __u32 *table_row(const struct walk *walk, __u32 index)
{
	const struct unwind_areas *areas = host_of(walk)->areas;

	return index < areas->row_room ? &areas->rows[index] : NULL;
}

static const __u32 *table_page(const struct walk *walk, __u32 index)
{
	const struct unwind_areas *areas = host_of(walk)->areas;

	return index < areas->page_room ? &areas->pages[index] : NULL;
}

static const struct unwind_rule *table_rule(const struct walk *walk, __u32 index)
{
	const struct unwind_areas *areas = host_of(walk)->areas;

	return index < areas->rule_room ? &areas->rules[index] : NULL;
}

static const struct unwind_vma *table_vma(const struct walk *walk, __u32 index)
{
	const struct unwind_areas *areas = host_of(walk)->areas;

	return index < areas->vma_room ? &areas->vmas[index] : NULL;
}

static long read_user(const struct walk *walk, void *to, __u32 bytes, __u64 address)
{
	const struct unwind_memory *memory = host_of(walk)->memory;

	return memory->read(memory->context, address, to, bytes);
}

static int find_taken(struct walk *walk, __u64 first, __u64 last)
{
	const struct host_walk *host = host_of(walk);

	for (size_t i = 0; i < host->taken_count; i++) {
		const struct unwind_taken *taken = &host->taken[i];
		if (!taken->address || taken->slot < first || taken->slot > last)
			continue;
		walk->sp = taken->slot + sizeof(__u64);
		walk->pc = taken->address;
		return 1;
	}
	return 0;
}

/* Who sleeps is in no instruction. */
static int find_stepped(struct walk *walk)
{
	(void)walk;
	return 0;
}

static struct step_table *step_table_of(const struct walk *walk)
{
	return host_of(walk)->areas->steps;
}

/* There are no page tables here: pieces are copies. */
static const __u64 direct_base;
static const __u32 direct_shift;

static __u64 load_word(__u64 address)
{
	(void)address;
	return 0;
}

static __u64 piece_word(const struct walk *walk, __u64 to, __u64 offset)
{
	(void)to;
	return walk->copy[(offset / sizeof(__u64)) & (WALK_COPY_WORDS - 1)];
}

#include "bpf/unwind.bpf.h"

static uint32_t generation_of(const struct unwind_areas *areas, uint32_t base)
{
	return areas->generations ? areas->generations[base & (STEP_SLOTS - 1)] : 0;
}

void unwind_host_walk(const struct unwind_areas *areas, const struct unwind_process *map,
	uint32_t image, const struct unwind_registers *registers,
	const struct unwind_memory *memory, struct walk *ret)
{
	struct host_walk host = {.areas = areas,
		.memory = memory,
		.taken = registers->taken,
		.taken_count = registers->taken_count};

	host.walk.kind = RECORD_USER_STACK;
	host.walk.image = image;
	host.walk.is_packed = true;
	unwind_begin(&host.walk, registers->pc, registers->sp, registers->fp);
	host.walk.first_argument = registers->first_argument;
	host.walk.bx = registers->bx;
	if (map) {
		unwind_by_map(&host.walk, map, generation_of(areas, map->vma_base));
		if (!areas->steps)
			host.walk.steps_of = 0;
		host.walk.stop = (__u8)unwind_walk(&host.walk);
	} else {
		add_frame(&host.walk, UNWIND_FRAME_RAW | (registers->pc & (USER_END - 1)));
		host.walk.stop = UNWIND_STOP_NOPROC;
	}
	host.walk.id = unwind_id(&host.walk);
	*ret = host.walk;
}
