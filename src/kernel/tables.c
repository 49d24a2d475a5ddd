// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of sums come in pairs: `active` is the one that the programs fill. Flipping makes the
 * other one active, waits until nobody can still be writing to the old one, and empties it. The
 * unwind tables are mapped, so that user space writes them with plain stores.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/private.h"
#include "dwell.skel.h"
#include "util/clock.h"

static size_t map_bytes(const struct bpf_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);

	return (bytes + page - 1) / page * page;
}

static void *map_array(const struct bpf_map *map)
{
	void *at =
		mmap(NULL, map_bytes(map), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

void kernel_unmap_areas(struct kernel *kernel)
{
	struct unwind_areas *areas = &kernel->areas;

	if (areas->rows)
		munmap(areas->rows, map_bytes(kernel->skeleton->maps.unwind_rows));
	if (areas->pages)
		munmap(areas->pages, map_bytes(kernel->skeleton->maps.unwind_pages));
	if (areas->rules)
		munmap(areas->rules, map_bytes(kernel->skeleton->maps.unwind_rules));
	if (areas->vmas)
		munmap(areas->vmas, map_bytes(kernel->skeleton->maps.unwind_vmas));
}

int kernel_unwind_areas(struct kernel *kernel, struct unwind_areas *ret, struct why *why)
{
	struct dwell *skeleton = kernel->skeleton;
	struct unwind_areas *areas = &kernel->areas;

	if (!kernel->sizes.unwind_row_blocks)
		return -ENOTSUP;
	if (!areas->rows) {
		areas->rows = map_array(skeleton->maps.unwind_rows);
		areas->pages = map_array(skeleton->maps.unwind_pages);
		areas->rules = map_array(skeleton->maps.unwind_rules);
		areas->vmas = map_array(skeleton->maps.unwind_vmas);
		areas->row_room = kernel->sizes.unwind_row_blocks * UNWIND_BLOCK_WORDS;
		areas->page_room = kernel->sizes.unwind_page_blocks * UNWIND_BLOCK_WORDS;
		areas->rule_room = UNWIND_MAX_RULES;
		areas->vma_room = kernel->sizes.unwind_vma_blocks * UNWIND_BLOCK_VMAS;
		areas->map_time = (volatile uint32_t *)&skeleton->bss->map_time;
		areas->generations = (volatile uint32_t *)skeleton->bss->map_generations;
		areas->processes_fd = bpf_map__fd(skeleton->maps.unwind_processes);
	}
	if (!areas->rows || !areas->pages || !areas->rules || !areas->vmas)
		return why_set(why, -ENOMEM,
			"cannot map the tables of user stacks: %s; give them less: --memory 64M",
			strerror(errno));
	*ret = *areas;
	return 0;
}

double kernel_fill(const struct kernel *kernel)
{
	const volatile uint64_t *used = (const volatile uint64_t *)kernel->skeleton->bss->rows_used;
	const volatile uint64_t *waits =
		(const volatile uint64_t *)kernel->skeleton->bss->waits_used;
	double rows_fill = (double)used[kernel->active] / (double)kernel->sizes.rows;
	double waits_fill =
		kernel->depth ? (double)waits[kernel->active] / (double)kernel->sizes.wait_rows : 0;
	double events_fill = kernel_events_fill(kernel);
	double fill = rows_fill > waits_fill ? rows_fill : waits_fill;

	return fill > events_fill ? fill : events_fill;
}

int kernel_empty_table(struct kernel *kernel, struct bpf_map *table, void *values,
	kernel_batch_fn each, void *context)
{
	int fd = bpf_map__fd(table);
	uint32_t position = 0;
	void *from = NULL;
	int error;

	do {
		uint32_t count = KERNEL_BATCH_ROWS;
		error = bpf_map_lookup_and_delete_batch(
			fd, from, &position, kernel->keys, values, &count, NULL);
		if (error && error != -ENOENT)
			return error;
		each(kernel, count, context);
		from = &position;
	} while (!error);
	return 0;
}

static void add_rows(const struct kernel *kernel, uint32_t count, void *context)
{
	kernel_rows *rows = context;

	vec_reserve(rows, rows->count + count);
	for (uint32_t i = 0; i < count; i++) {
		struct kernel_row row = {.key = kernel->keys[i], .sum = kernel->sums[i]};
		vec_push(rows, row);
	}
}

/* Each as: length of the value, key, value. */
static void add_waits(const struct kernel *kernel, uint32_t count, void *context)
{
	kernel_waits *waits = context;
	uint64_t bytes = kernel->sizes.wait_bytes;

	for (uint32_t i = 0; i < count; i++) {
		vec_append(waits, (const char *)&bytes, sizeof(bytes));
		vec_append(waits, (const char *)&kernel->keys[i], sizeof(*kernel->keys));
		vec_append(waits, kernel->waits + i * bytes, bytes);
	}
}

static int drain(struct kernel *kernel, struct bpf_map *table, kernel_rows *rows)
{
	return kernel_empty_table(kernel, table, kernel->sums, add_rows, rows);
}

bool kernel_next_wait(const kernel_waits *waits, size_t *offset, struct kernel_wait *ret)
{
	uint64_t bytes;

	if (*offset + sizeof(bytes) + sizeof(ret->key) > waits->count)
		return false;
	memcpy(&bytes, waits->at + *offset, sizeof(bytes));
	*offset += sizeof(bytes);
	memcpy(&ret->key, waits->at + *offset, sizeof(ret->key));
	*offset += sizeof(ret->key);
	memset(&ret->row, 0, sizeof(ret->row));
	memcpy(&ret->row, waits->at + *offset, bytes);
	*offset += bytes;
	return true;
}

int kernel_flip(struct kernel *kernel, kernel_rows *rows, kernel_waits *waits, uint64_t *ret_ns)
{
	struct dwell *skeleton = kernel->skeleton;
	int old = kernel->active;

	kernel->active = !old;
	__atomic_store_n(&skeleton->bss->active_table, (uint32_t)!old, __ATOMIC_SEQ_CST);
	*ret_ns = clock_monotonic_ns();
	int error = kernel_let_go(kernel, old);
	if (!error)
		error = drain(kernel, old ? skeleton->maps.sums_1 : skeleton->maps.sums_0, rows);
	if (!error)
		error = drain(
			kernel, old ? skeleton->maps.coarse_1 : skeleton->maps.coarse_0, rows);
	if (!error && kernel->depth)
		error = kernel_empty_table(kernel,
			old ? skeleton->maps.waits_1 : skeleton->maps.waits_0, kernel->waits,
			add_waits, waits);
	skeleton->bss->rows_used[old] = 0;
	skeleton->bss->waits_used[old] = 0;
	return error;
}

void kernel_thin(struct kernel *kernel, uint32_t every)
{
	__atomic_store_n(&kernel->skeleton->data->burst_every, every, __ATOMIC_RELAXED);
}

void kernel_counters(const struct kernel *kernel, uint64_t ret[static COUNTERS])
{
	struct bpf_map *map = kernel->skeleton->maps.cpus;
	size_t each = (bpf_map__value_size(map) + 7) / 8;
	_cleanup_free_ uint64_t *values = xcalloc((size_t)kernel->cpus * each, sizeof(uint64_t));

	memset(ret, 0, COUNTERS * sizeof(*ret));
	for (uint32_t level = 0; level < bpf_map__max_entries(map); level++) {
		if (bpf_map__lookup_elem(map, &level, sizeof(level), values,
			    (size_t)kernel->cpus * each * sizeof(uint64_t), 0))
			return;
		/* The counters are the first thing in each CPU's block. */
		for (int cpu = 0; cpu < kernel->cpus; cpu++)
			for (size_t i = 0; i < COUNTERS; i++)
				ret[i] += values[(size_t)cpu * each + i];
	}
}
