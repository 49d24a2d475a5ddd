// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of sums come in pairs: `active` is the one that the programs fill. Flipping makes another
 * one active, waits until nobody can still be writing to the old one, and empties it.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "kernel/private.h"
#include "dwell.skel.h"
#include "util/clock.h"

double kernel_fill(const struct kernel *kernel)
{
	const volatile uint64_t *used = (const volatile uint64_t *)kernel->skeleton->bss->rows_used;
	const volatile uint64_t *waits =
		(const volatile uint64_t *)kernel->skeleton->bss->waits_used;
	double rows_fill =
		(double)used[kernel->active] / (double)kernel_table_rows(kernel, TABLE_SUMS);
	double waits_fill = kernel->depth ? (double)waits[kernel->active] /
						    (double)kernel_table_rows(kernel, TABLE_WAITS)
					  : 0;
	double events_fill = kernel_events_fill(kernel);
	double fill = rows_fill > waits_fill ? rows_fill : waits_fill;

	return fill > events_fill ? fill : events_fill;
}

int kernel_empty_table(
	struct kernel *kernel, int fd, void *values, kernel_batch_fn each, void *context)
{
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
	int old = kernel->active, sums = kernel_table_fd(kernel, TABLE_SUMS);
	int coarse = kernel_table_fd(kernel, TABLE_COARSE);
	int with_chains = kernel_table_fd(kernel, TABLE_WAITS);

	kernel->active = kernel_next_slot(kernel);
	__atomic_store_n(&skeleton->bss->active_table, (uint32_t)kernel->active, __ATOMIC_SEQ_CST);
	*ret_ns = clock_monotonic_ns();
	int error = kernel_let_go(kernel, old);
	if (!error)
		error = kernel_empty_table(kernel, sums, kernel->sums, add_rows, rows);
	if (!error)
		error = kernel_empty_table(kernel, coarse, kernel->sums, add_rows, rows);
	if (!error && kernel->depth)
		error = kernel_empty_table(kernel, with_chains, kernel->waits, add_waits, waits);
	if (!error)
		kernel_consider_growth(kernel, old);
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
