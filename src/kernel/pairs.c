// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of rows come in pairs, and are maps in a map: one that was half full when it was
 * flipped is replaced by one of twice its size once it is empty, up to its share of --memory. The
 * programs find it by one more look, at an array. Preallocated as they are, larger tables from the
 * start would be memory, and time before the window, that few recordings need.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "kernel/makers.h"
#include "kernel/private.h"
#include "dwell.skel.h"

static struct makers_order order_of(
	const struct kernel *kernel, enum kernel_pair pair, uint32_t rows)
{
	return (struct makers_order){.rows = rows,
		.bytes = pair == PAIR_WAITS ? kernel->sizes.wait_bytes
					    : (uint32_t)sizeof(struct sum)};
}

/* The map that the pair is in, and the number of its first table there. */
static int map_of(const struct kernel *kernel, enum kernel_pair pair, uint32_t *ret_first)
{
	*ret_first = pair == PAIR_COARSE ? 2 : 0;
	return bpf_map__fd(
		pair == PAIR_WAITS ? kernel->skeleton->maps.waits : kernel->skeleton->maps.sums);
}

/* Rows that may have chains of several hops: the last quarter is kept for those of one. */
static void set_rows(struct kernel *kernel, enum kernel_pair pair, int table, uint32_t rows)
{
	kernel->pairs[pair].rows[table] = rows;
	if (pair == PAIR_WAITS)
		kernel->skeleton->bss->whole_waits[table] = rows / 4 * 3;
}

/* Tables of several pairs that are in one map are put there at once: a call takes some 10 ms. */
static int put_tables(const struct kernel *kernel, enum kernel_pair from, uint32_t pairs)
{
	uint32_t numbers[2 * KERNEL_PAIRS], count = 2 * pairs, first;
	int fds[2 * KERNEL_PAIRS], map = map_of(kernel, from, &first);

	for (uint32_t i = 0; i < count; i++) {
		numbers[i] = first + i;
		fds[i] = kernel->pairs[from + i / 2].fds[i % 2];
	}
	return bpf_map_update_batch(map, numbers, fds, &count, NULL);
}

int kernel_make_pairs(struct kernel *kernel)
{
	const struct table_sizes *sizes = &kernel->sizes;
	const uint32_t rows[] = {[PAIR_SUMS] = sizes->rows,
		[PAIR_COARSE] = sizes->coarse_rows,
		[PAIR_WAITS] = sizes->wait_rows};
	int error = 0;

	for (int i = 0; i < 2 * KERNEL_PAIRS && !error; i++) {
		enum kernel_pair pair = i / 2;
		if (!rows[pair])
			continue;
		struct makers_order order = order_of(kernel, pair, rows[pair]);
		int fd = makers_make(NULL, &order);
		kernel->pairs[pair].fds[i % 2] = fd;
		set_rows(kernel, pair, i % 2, rows[pair]);
		error = fd < 0 ? fd : 0;
	}
	if (!error)
		error = put_tables(kernel, PAIR_SUMS, 2);
	if (!error && sizes->wait_rows)
		error = put_tables(kernel, PAIR_WAITS, 1);
	return error;
}

void kernel_free_pairs(struct kernel *kernel)
{
	for (int i = 0; i < 2 * KERNEL_PAIRS; i++)
		mem_close_fd(&kernel->pairs[i / 2].fds[i % 2]);
}

/* If there is no memory for it the table stays as it is: what finds no room there is counted. */
static void grow(struct kernel *kernel, enum kernel_pair pair, int table, uint32_t most)
{
	uint32_t rows = kernel->pairs[pair].rows[table], first;
	uint32_t wanted = rows > most / 2 ? most : 2 * rows;
	int map = map_of(kernel, pair, &first);

	if (wanted <= rows)
		return;
	first += (uint32_t)table;
	struct makers_order order = order_of(kernel, pair, wanted);
	int fd = makers_make(kernel->makers, &order);
	if (fd < 0 || bpf_map_update_elem(map, &first, &fd, BPF_ANY)) {
		mem_close_fd(&fd);
		return;
	}
	close(kernel->pairs[pair].fds[table]);
	kernel->pairs[pair].fds[table] = fd;
	set_rows(kernel, pair, table, wanted);
}

void kernel_grow_pairs(struct kernel *kernel, int table)
{
	const struct dwell *skeleton = kernel->skeleton;

	if (skeleton->bss->rows_used[table] >= kernel->pairs[PAIR_SUMS].rows[table] / 2) {
		grow(kernel, PAIR_SUMS, table, kernel->most.rows);
		grow(kernel, PAIR_COARSE, table, kernel->most.coarse_rows);
	}
	if (kernel->depth &&
		skeleton->bss->waits_used[table] >= kernel->pairs[PAIR_WAITS].rows[table] / 2)
		grow(kernel, PAIR_WAITS, table, kernel->most.wait_rows);
}
