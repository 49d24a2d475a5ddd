// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules of all objects share one dictionary, which only grows: 3,197 objects had 4,691 of them
 * together. Rule 0 is the gap, rule 1 stands for what found no room.
 */
#include "unwind/tables.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "util/clock.h"
#include "util/map64.h"

#define RULE_GAP 0
#define RULE_FULL 1

struct unwind_tables {
	struct unwind_areas areas;
	struct extents extents[UNWIND_AREAS];
	struct map64 rules; /* the rule's bytes -> number */
	uint32_t rule_count;
};

static uint64_t rule_key(const struct unwind_rule *rule)
{
	uint64_t key;

	_Static_assert(sizeof(*rule) == sizeof(key), "a rule is a word");
	memcpy(&key, rule, sizeof(key));
	return key;
}

static uint32_t rule_number(struct unwind_tables *tables, const struct unwind_rule *rule)
{
	const uint64_t *known = map64_find(&tables->rules, rule_key(rule));

	if (known)
		return (uint32_t)*known;
	if (tables->rule_count >= tables->areas.rule_room)
		return RULE_FULL;
	tables->areas.rules[tables->rule_count] = *rule;
	*map64_put(&tables->rules, rule_key(rule), NULL) = tables->rule_count;
	return tables->rule_count++;
}

struct unwind_tables *unwind_tables_new(const struct unwind_areas *areas)
{
	struct unwind_tables *tables = xcalloc(1, sizeof(*tables));
	struct unwind_rule gap = {.cfa_kind = UNWIND_CFA_GAP}, bad = {.cfa_kind = UNWIND_CFA_BAD};

	tables->areas = *areas;
	extents_init(&tables->extents[UNWIND_ROWS], areas->row_room);
	extents_init(&tables->extents[UNWIND_PAGES], areas->page_room);
	extents_init(&tables->extents[UNWIND_VMAS], areas->vma_room);
	rule_number(tables, &gap);
	rule_number(tables, &bad);
	return tables;
}

void unwind_tables_free(struct unwind_tables *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < UNWIND_AREAS; i++)
		extents_clear(&tables->extents[i]);
	map64_clear(&tables->rules);
	free(tables);
}

const struct unwind_areas *unwind_tables_areas(const struct unwind_tables *tables)
{
	return &tables->areas;
}

/* A piece of an array, there to be written; false: no room. */
static bool take(struct unwind_tables *tables, enum unwind_area area, uint32_t count,
	uint64_t now_ns, uint32_t *ret)
{
	const struct unwind_areas *areas = &tables->areas;
	uint32_t start;

	if (!extents_take(&tables->extents[area], count, now_ns, &start))
		return false;
	if (areas->reserve && areas->reserve(areas->reserve_context, area, start + count)) {
		extents_give(&tables->extents[area], start, count, 0);
		return false;
	}
	*ret = start;
	return true;
}

static void copy_rows(
	struct unwind_tables *tables, const struct cfi_table *table, uint32_t row_start)
{
	_cleanup_free_ uint32_t *numbers = xcalloc(table->rule_count + 1, sizeof(*numbers));
	uint32_t *to = tables->areas.rows + row_start;

	for (uint32_t i = 0; i < table->rule_count; i++)
		numbers[i] = rule_number(tables, &table->rules[i]);
	for (uint32_t i = 0; i < table->row_count; i++) {
		uint32_t row = table->rows[i];
		to[i] = UNWIND_ROW(UNWIND_ROW_ADDRESS(row), numbers[UNWIND_ROW_RULE(row)]);
	}
}

int unwind_tables_add(
	struct unwind_tables *tables, const struct cfi_table *table, struct unwind_place *ret)
{
	struct unwind_place place = {.row_count = table->row_count,
		.page_count = table->page_count,
		.first_page = table->first_page};
	uint64_t now = clock_monotonic_ns();

	if (!take(tables, UNWIND_ROWS, place.row_count, now, &place.row_start))
		return -ENOSPC;
	if (!take(tables, UNWIND_PAGES, place.page_count + 1, now, &place.page_start)) {
		extents_give(&tables->extents[UNWIND_ROWS], place.row_start, place.row_count, 0);
		return -ENOSPC;
	}
	copy_rows(tables, table, place.row_start);
	for (uint32_t i = 0; i <= table->page_count; i++)
		tables->areas.pages[place.page_start + i] = place.row_start + table->pages[i];
	*ret = place;
	return 0;
}

void unwind_tables_drop(struct unwind_tables *tables, const struct unwind_place *place)
{
	uint64_t now = clock_monotonic_ns();

	extents_give(&tables->extents[UNWIND_ROWS], place->row_start, place->row_count, now);
	extents_give(&tables->extents[UNWIND_PAGES], place->page_start, place->page_count + 1, now);
}

uint32_t unwind_place_page0(const struct unwind_place *place)
{
	return place->page_start - (uint32_t)(place->first_page >> UNWIND_PAGE_SHIFT);
}

/* Steps that were made by what was there before are no more to be taken. */
static void begin_generation(struct unwind_tables *tables, uint32_t base)
{
	volatile uint32_t *generations = tables->areas.generations;

	if (generations)
		__atomic_add_fetch(&generations[base & (STEP_SLOTS - 1)], 1, __ATOMIC_SEQ_CST);
}

int unwind_tables_add_vmas(struct unwind_tables *tables, const struct unwind_vma *vmas,
	uint32_t count, uint32_t *ret_base)
{
	uint32_t base;

	if (!take(tables, UNWIND_VMAS, count ? count : 1, clock_monotonic_ns(), &base))
		return -ENOSPC;
	memcpy(tables->areas.vmas + base, vmas, count * sizeof(*vmas));
	begin_generation(tables, base);
	*ret_base = base;
	return 0;
}

void unwind_tables_drop_vmas(struct unwind_tables *tables, uint32_t base, uint32_t count)
{
	extents_give(&tables->extents[UNWIND_VMAS], base, count ? count : 1, clock_monotonic_ns());
}

void unwind_tables_set_vma(
	struct unwind_tables *tables, uint32_t base, uint32_t index, const struct unwind_vma *vma)
{
	struct unwind_vma *to = &tables->areas.vmas[base + index];

	/* What a reader must not use too early comes last; what it must not use any more, first. */
	if ((vma->object_kind & 0xff) != UNWIND_VMA_TABLE)
		__atomic_store_n(&to->object_kind, vma->object_kind, __ATOMIC_RELEASE);
	__atomic_store_n(&to->bias, vma->bias, __ATOMIC_RELEASE);
	__atomic_store_n(&to->page0, vma->page0, __ATOMIC_RELEASE);
	__atomic_store_n(&to->end, vma->end, __ATOMIC_RELEASE);
	__atomic_store_n(&to->object_kind, vma->object_kind, __ATOMIC_RELEASE);
	begin_generation(tables, base);
}

/* Threads keep the map of their image: they have to look again. */
static void note_change(struct unwind_tables *tables)
{
	if (tables->areas.map_time)
		__atomic_add_fetch(tables->areas.map_time, 1, __ATOMIC_SEQ_CST);
}

int unwind_tables_publish(
	struct unwind_tables *tables, uint32_t image, uint32_t base, uint32_t count)
{
	struct unwind_process process = {.vma_base = base, .vma_count = count};

	if (tables->areas.processes_fd < 0)
		return 0;
	/* The arrays' contents must be there for every CPU before the entry is. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	int error = bpf_map_update_elem(tables->areas.processes_fd, &image, &process, BPF_ANY);
	note_change(tables);
	return error;
}

void unwind_tables_forget(struct unwind_tables *tables, uint32_t image)
{
	if (tables->areas.processes_fd >= 0)
		bpf_map_delete_elem(tables->areas.processes_fd, &image);
	note_change(tables);
}

void unwind_tables_each_process(struct unwind_tables *tables,
	void (*each)(void *context, uint32_t image, uint32_t base), void *context)
{
	enum { BATCH = 1024 };
	_cleanup_free_ uint32_t *images = xcalloc(BATCH, sizeof(*images));
	_cleanup_free_ struct unwind_process *maps = xcalloc(BATCH, sizeof(*maps));
	uint32_t position = 0;
	void *from = NULL;
	int error;

	if (tables->areas.processes_fd < 0)
		return;
	do {
		uint32_t count = BATCH;
		error = bpf_map_lookup_batch(
			tables->areas.processes_fd, from, &position, images, maps, &count, NULL);
		if (error && error != -ENOENT)
			return;
		for (uint32_t i = 0; i < count; i++)
			each(context, images[i], maps[i].vma_base);
		from = &position;
	} while (!error);
}

void unwind_tables_fill(const struct unwind_tables *tables, uint32_t *ret_used, uint32_t *ret_room)
{
	*ret_used = tables->extents[UNWIND_ROWS].used;
	*ret_room = tables->extents[UNWIND_ROWS].room;
}
