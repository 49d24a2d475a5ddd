// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of rows are maps in maps, and there is room for two sets of them. When a table was
 * half full as it was flipped, a thread makes the other set, larger ones, up to
 * their share of --memory; the flip that finds it ready goes on there, and the set before is given
 * back. A thread, because putting a map into another takes a grace period: 10 ms, or seconds on a
 * machine with thousands of busy threads, in which nobody would drain. Preallocated as they are,
 * large tables from the start would be memory, and time before the window, that few recordings
 * need.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/makers.h"
#include "kernel/private.h"
#include "dwell.skel.h"

/* What the other set is. */
enum { SET_NONE, SET_GROWING, SET_READY, SET_LEFT, SET_REFUSED };

/* Much at a time, because it may take a while. */
#define GROWTH 4

/* Slots of the map of sums, as in bpf/credit.bpf.h. */
#define COARSE_SLOTS KERNEL_SLOTS

static int table_fd(const struct kernel *kernel, enum table_kind kind, int slot)
{
	return kernel->sets[slot / 2].fds[kind][slot % 2];
}

int kernel_table_fd(const struct kernel *kernel, enum table_kind kind)
{
	return table_fd(kernel, kind, kernel->active);
}

uint32_t kernel_table_rows(const struct kernel *kernel, enum table_kind kind)
{
	return kernel->sets[kernel->active / 2].rows[kind];
}

static void close_set(struct table_set *set)
{
	for (int i = 0; i < 2 * TABLE_KINDS; i++) {
		mem_close_fd(&set->fds[i / 2][i % 2]);
		set->fds[i / 2][i % 2] = -1;
	}
	for (int kind = 0; kind < TABLE_KINDS; kind++)
		set->rows[kind] = 0;
}

/* Puts the tables of a set where the programs find those of set `place`: four and two at once. */
static int put_set(const struct kernel *kernel, int number, int place)
{
	const struct table_set *set = &kernel->sets[number];
	struct dwell *skeleton = kernel->skeleton;
	uint32_t first = 2 * (uint32_t)place, sums = 4, waits = 2;
	uint32_t slots[] = {first, first + 1, COARSE_SLOTS + first, COARSE_SLOTS + first + 1};
	int fds[] = {set->fds[TABLE_SUMS][0], set->fds[TABLE_SUMS][1], set->fds[TABLE_COARSE][0],
		set->fds[TABLE_COARSE][1]};
	int error = bpf_map_update_batch(bpf_map__fd(skeleton->maps.sums), slots, fds, &sums, NULL);

	if (!error && set->rows[TABLE_WAITS])
		error = bpf_map_update_batch(bpf_map__fd(skeleton->maps.waits), slots,
			set->fds[TABLE_WAITS], &waits, NULL);
	return error;
}

/* Nobody looks there: the tables that are in use push those out that are not. */
static void drop_other_set(struct kernel *kernel)
{
	int other = kernel->other_set;

	put_set(kernel, !other, other);
	close_set(&kernel->sets[other]);
}

/* A table that is not to grow is in both sets. */
static int fill_set(struct kernel *kernel, int number, const uint32_t rows[static TABLE_KINDS],
	struct helpers *makers)
{
	struct table_set *set = &kernel->sets[number], *other = &kernel->sets[!number];

	for (int i = 0; i < 2 * TABLE_KINDS; i++) {
		enum table_kind kind = i / 2;
		struct makers_order order = {.rows = rows[kind],
			.bytes = kind == TABLE_WAITS ? kernel->sizes.wait_bytes
						     : (uint32_t)sizeof(struct sum)};
		if (!rows[kind])
			continue;
		bool is_shared = rows[kind] == other->rows[kind];
		int fd = is_shared ? fcntl(other->fds[kind][i % 2], F_DUPFD_CLOEXEC, 0)
				   : makers_make(makers, &order);
		if (fd < 0)
			return is_shared ? -errno : fd;
		set->fds[kind][i % 2] = fd;
		set->rows[kind] = rows[kind];
		/* The last quarter is kept for chains of one hop. */
		if (kind == TABLE_WAITS)
			kernel->skeleton->bss->whole_waits[2 * number + i % 2] = rows[kind] / 4 * 3;
	}
	return 0;
}

static int put_first_set(void *context)
{
	return put_set(context, 0, 0);
}

static int start_growth(struct kernel *kernel, int (*run)(void *))
{
	background_end(&kernel->grower);
	return background_try(&kernel->grower, run, kernel);
}

int kernel_make_set(struct kernel *kernel)
{
	const uint32_t rows[] = {[TABLE_SUMS] = kernel->sizes.rows,
		[TABLE_COARSE] = kernel->sizes.coarse_rows,
		[TABLE_WAITS] = kernel->sizes.wait_rows};
	const struct table_set *set = &kernel->sets[0];
	const struct dwell *skeleton = kernel->skeleton;
	int error = fill_set(kernel, 0, rows, NULL);

	if (!error)
		error = kernel_make_map(skeleton->maps.sums, set->fds[TABLE_SUMS][0]);
	if (!error && set->rows[TABLE_WAITS])
		error = kernel_make_map(skeleton->maps.waits, set->fds[TABLE_WAITS][0]);
	if (!error)
		background_begin(&kernel->grower, put_first_set, kernel);
	return error;
}

int kernel_settle_set(struct kernel *kernel)
{
	return background_end(&kernel->grower);
}

void kernel_free_sets(struct kernel *kernel)
{
	background_end(&kernel->grower);
	close_set(&kernel->sets[0]);
	close_set(&kernel->sets[1]);
}

/* Few are as much in a hurry; without the right to be it takes longer. */
static void hurry(void)
{
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -20);
}

/* If there is no memory tables stay as they are: what finds no room there is counted. */
static int grow(void *context)
{
	struct kernel *kernel = context;
	int number = kernel->other_set;

	hurry();
	int error = fill_set(kernel, number, kernel->wanted_rows, kernel->makers);
	if (!error)
		error = put_set(kernel, number, number);
	if (error)
		drop_other_set(kernel);
	kernel->other_state = error ? SET_REFUSED : SET_READY;
	return error;
}

static int leave(void *context)
{
	struct kernel *kernel = context;

	hurry();
	drop_other_set(kernel);
	kernel->other_state = SET_NONE;
	return 0;
}

/* True if one of that kind is to be larger. */
static bool want(struct kernel *kernel, enum table_kind kind, bool is_small, uint32_t most)
{
	uint32_t rows = kernel->sets[!kernel->other_set].rows[kind];

	kernel->wanted_rows[kind] = !is_small ? rows : rows > most / GROWTH ? most : GROWTH * rows;
	return kernel->wanted_rows[kind] > rows;
}

/* For a moment there are both sets, and together they may not be more than all tables may have. */
static bool has_memory(const struct kernel *kernel)
{
	const struct table_sizes more = {.rows = kernel->wanted_rows[TABLE_SUMS],
		.coarse_rows = kernel->wanted_rows[TABLE_COARSE],
		.wait_rows = kernel->wanted_rows[TABLE_WAITS],
		.wait_bytes = kernel->sizes.wait_bytes};

	return kernel_table_bytes(kernel) + sizes_bytes(&more) <= kernel->options->memory_bytes;
}

void kernel_end_growth(struct kernel *kernel)
{
	kernel->is_ending = true;
}

int kernel_next_slot(struct kernel *kernel)
{
	int other_half = !(kernel->active % 2);

	if (kernel->other_state != SET_READY)
		return kernel->active / 2 * 2 + other_half;
	/* Tables that did not grow are in both sets: never on to one that is to be emptied. */
	int next = 2 * kernel->other_set + other_half;
	kernel->other_set = !kernel->other_set;
	kernel->other_state = SET_LEFT;
	return next;
}

void kernel_consider_growth(struct kernel *kernel, int slot)
{
	const struct dwell *skeleton = kernel->skeleton;
	const struct table_set *set = &kernel->sets[slot / 2];
	const struct table_sizes *most = &kernel->most;
	bool has_few_rows = skeleton->bss->rows_used[slot] >= set->rows[TABLE_SUMS] / 2;
	bool has_few_waits =
		kernel->depth && skeleton->bss->waits_used[slot] >= set->rows[TABLE_WAITS] / 2;

	if (kernel->other_state == SET_LEFT) {
		if (start_growth(kernel, leave))
			kernel->other_state = SET_REFUSED;
		return;
	}
	if (kernel->other_state != SET_NONE || !kernel->makers || kernel->is_ending)
		return;
	bool is_wanted = want(kernel, TABLE_SUMS, has_few_rows, most->rows);
	is_wanted |= want(kernel, TABLE_COARSE, has_few_rows, most->coarse_rows);
	is_wanted |= want(kernel, TABLE_WAITS, has_few_waits, most->wait_rows);
	if (!is_wanted || !has_memory(kernel))
		return;
	kernel->other_state = SET_GROWING;
	if (start_growth(kernel, grow))
		kernel->other_state = SET_REFUSED;
}
