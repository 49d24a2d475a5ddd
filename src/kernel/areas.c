// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of user stacks, mapped, so that user space writes them with plain stores. Rows, page
 * words and mappings have address space for all that --memory allows; behind it are chunks, maps of
 * their own, that are added at the end when something is to be written there.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/makers.h"
#include "kernel/private.h"
#include "dwell.skel.h"

static const uint32_t entry_bytes[] = {[UNWIND_ROWS] = sizeof(uint32_t),
	[UNWIND_PAGES] = sizeof(uint32_t),
	[UNWIND_VMAS] = sizeof(struct unwind_vma)};

static size_t rules_bytes(const struct kernel *kernel)
{
	return bpf_map__max_entries(kernel->skeleton->maps.unwind_rules) *
	       sizeof(struct unwind_rule);
}

void kernel_unmap_areas(struct kernel *kernel)
{
	background_end(&kernel->chunk_putter);
	if (kernel->areas.rules)
		munmap(kernel->areas.rules, rules_bytes(kernel));
	for (size_t i = 0; i < UNWIND_AREAS; i++)
		if (kernel->chunked[i].at)
			munmap(kernel->chunked[i].at,
				(size_t)kernel->chunked[i].most * UNWIND_CHUNK_BYTES);
}

/* Makes a chunk and maps it in its place; the fd, which only the map of all chunks needs. */
static int make_chunk(struct helpers *makers, const struct chunked_area *area, uint32_t number)
{
	const struct makers_order order = {.rows = 1};
	int fd = makers_make(makers, &order);
	char *at = area->at + (size_t)number * UNWIND_CHUNK_BYTES;

	if (fd < 0)
		return fd;
	if (mmap(at, UNWIND_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		MAP_FAILED) {
		int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static int put_chunks(const struct kernel *kernel, struct new_chunks *chunks)
{
	uint32_t count = (uint32_t)chunks->fds.count;
	int error = count ? bpf_map_update_batch(bpf_map__fd(kernel->skeleton->maps.unwind_chunks),
				    chunks->numbers.at, chunks->fds.at, &count, NULL)
			  : 0;

	vec_each (fd, &chunks->fds)
		close(*fd);
	vec_clear(&chunks->fds);
	vec_clear(&chunks->numbers);
	return error;
}

/* Where few files may be open chunks are put in place before the next ones are made. */
static int add_chunk(struct kernel *kernel, struct helpers *makers, const struct chunked_area *area,
	uint32_t number, struct new_chunks *chunks)
{
	int fd = make_chunk(makers, area, number), error = 0;

	if (fd < 0 && chunks->fds.count) {
		error = put_chunks(kernel, chunks);
		fd = error ? error : make_chunk(makers, area, number);
	}
	if (fd < 0)
		return fd;
	vec_push(&chunks->numbers, area->first + number);
	vec_push(&chunks->fds, fd);
	return 0;
}

/* Makes up to that many chunks of each area. */
static int make_chunks(struct kernel *kernel, struct helpers *makers,
	const uint32_t wanted[static UNWIND_AREAS], struct new_chunks *ret)
{
	int error = 0;

	for (size_t i = 0; i < UNWIND_AREAS; i++)
		for (uint32_t number = kernel->chunked[i].count; number < wanted[i] && !error;
			number++)
			error = add_chunk(kernel, makers, &kernel->chunked[i], number, ret);
	return error;
}

static void count_chunks(struct kernel *kernel, const uint32_t wanted[static UNWIND_AREAS])
{
	for (size_t i = 0; i < UNWIND_AREAS; i++)
		if (kernel->chunked[i].count < wanted[i])
			kernel->chunked[i].count = wanted[i];
}

/* Makes them and puts them in place, if possible in one call, which takes some 10 ms. */
static int add_chunks(
	struct kernel *kernel, struct helpers *makers, const uint32_t wanted[static UNWIND_AREAS])
{
	struct new_chunks chunks = {0};
	int error = make_chunks(kernel, makers, wanted, &chunks);
	int put_error = put_chunks(kernel, &chunks);

	if (!error)
		error = put_error;
	if (!error)
		count_chunks(kernel, wanted);
	return error;
}

static int put_first_chunks(void *context)
{
	struct kernel *kernel = context;

	return put_chunks(kernel, &kernel->first_chunks);
}

int kernel_settle_areas(struct kernel *kernel)
{
	return background_end(&kernel->chunk_putter);
}

/* Half as much again, because that is to be done seldom; if there is no memory, what is needed. */
static int reserve(void *context, enum unwind_area which, uint32_t count)
{
	struct kernel *kernel = context;
	const struct chunked_area *area = &kernel->chunked[which];
	uint32_t in_chunk = (uint32_t)UNWIND_CHUNK_BYTES / entry_bytes[which];
	uint32_t needed = count / in_chunk + (count % in_chunk != 0);
	uint32_t ample = area->count + area->count / 2, wanted[UNWIND_AREAS] = {0};

	if (needed <= area->count)
		return 0;
	if (needed > area->most)
		return -ENOSPC;
	if (kernel->has_no_maker)
		return -EPERM;
	wanted[which] = ample > area->most ? area->most : ample > needed ? ample : needed;
	int error = add_chunks(kernel, kernel->makers, wanted);
	/* Whoever took its place was started without its right. */
	kernel->has_no_maker = error == -EPERM;
	if (!error || error == -EPERM)
		return error;
	wanted[which] = needed;
	return add_chunks(kernel, kernel->makers, wanted);
}

/* What is not there yet reads as zeros and takes no memory. */
static void *address_space(uint32_t chunks)
{
	void *at = mmap(NULL, (size_t)chunks * UNWIND_CHUNK_BYTES, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static int map_areas(struct kernel *kernel)
{
	const struct table_sizes *most = &kernel->most, *begin = &kernel->sizes;
	const uint32_t chunks[] = {[UNWIND_ROWS] = most->unwind_row_chunks,
		[UNWIND_PAGES] = most->unwind_page_chunks,
		[UNWIND_VMAS] = most->unwind_vma_chunks};
	const uint32_t wanted[] = {[UNWIND_ROWS] = begin->unwind_row_chunks,
		[UNWIND_PAGES] = begin->unwind_page_chunks,
		[UNWIND_VMAS] = begin->unwind_vma_chunks};
	uint32_t first = 0;

	for (size_t i = 0; i < UNWIND_AREAS; first += chunks[i++]) {
		struct chunked_area *area = &kernel->chunked[i];
		area->at = address_space(chunks[i]);
		if (!area->at)
			return -errno;
		area->most = chunks[i];
		area->first = first;
	}
	void *rules = mmap(NULL, rules_bytes(kernel), PROT_READ | PROT_WRITE, MAP_SHARED,
		bpf_map__fd(kernel->skeleton->maps.unwind_rules), 0);
	if (rules == MAP_FAILED)
		return -errno;
	kernel->areas.rules = rules;
	/* They can be written to at once; programs will look for them when they are attached. */
	int error = make_chunks(kernel, NULL, wanted, &kernel->first_chunks);
	if (!error)
		count_chunks(kernel, wanted);
	background_begin(&kernel->chunk_putter, put_first_chunks, kernel);
	return error;
}

static uint32_t room_of(const struct kernel *kernel, enum unwind_area area)
{
	return (uint32_t)(kernel->chunked[area].most * UNWIND_CHUNK_BYTES / entry_bytes[area]);
}

int kernel_unwind_areas(struct kernel *kernel, struct unwind_areas *ret, struct why *why)
{
	struct dwell *skeleton = kernel->skeleton;
	struct unwind_areas *areas = &kernel->areas;
	int error = 0;

	if (!kernel->sizes.unwind_row_chunks)
		return -ENOTSUP;
	if (!areas->rules)
		error = map_areas(kernel);
	if (error)
		return why_set(why, error,
			"cannot map the tables of user stacks: %s; give them less: --memory 64M",
			strerror(-error));
	areas->rows = (uint32_t *)(void *)kernel->chunked[UNWIND_ROWS].at;
	areas->pages = (uint32_t *)(void *)kernel->chunked[UNWIND_PAGES].at;
	areas->vmas = (struct unwind_vma *)(void *)kernel->chunked[UNWIND_VMAS].at;
	areas->row_room = room_of(kernel, UNWIND_ROWS);
	areas->page_room = room_of(kernel, UNWIND_PAGES);
	areas->rule_room = UNWIND_MAX_RULES;
	areas->vma_room = room_of(kernel, UNWIND_VMAS);
	areas->map_time = (volatile uint32_t *)&skeleton->bss->map_time;
	areas->generations = (volatile uint32_t *)skeleton->bss->map_generations;
	areas->processes_fd = bpf_map__fd(skeleton->maps.unwind_processes);
	areas->reserve = reserve;
	areas->reserve_context = kernel;
	*ret = *areas;
	return 0;
}
