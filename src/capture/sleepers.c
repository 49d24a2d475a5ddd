// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two readings of the sleeping threads with the walks in between: the kernel side shows a thread
 * only as long as its last switch-out is the one before the tables were there, so one that is in
 * both has not run. Memory is read by pages, as a walk reads dozens of words close together.
 */
#include "capture/sleepers.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <string.h>

#include "capture/unwind_host.h"
#include "util/map64.h"

#define PAGE 4096
#define PAGES 4

struct page {
	uint64_t address;
	bool is_there;
	char bytes[PAGE];
};

/* The memory of one process, with the pages that were read last. */
struct reader {
	uint32_t tid;
	int fd;
	size_t next;
	struct page pages[PAGES];
};

static void reader_open(struct reader *reader, uint32_t tid)
{
	char path[32];

	if (reader->fd >= 0)
		close(reader->fd);
	snprintf(path, sizeof(path), "/proc/%u/mem", tid);
	reader->tid = tid;
	reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < PAGES; i++)
		reader->pages[i].is_there = false;
}

static const struct page *page_at(struct reader *reader, uint64_t address)
{
	struct page *page;

	for (size_t i = 0; i < PAGES; i++)
		if (reader->pages[i].is_there && reader->pages[i].address == address)
			return &reader->pages[i];
	page = &reader->pages[reader->next++ % PAGES];
	page->address = address;
	page->is_there = address <= INT64_MAX &&
			 pread(reader->fd, page->bytes, PAGE, (off_t)address) == PAGE;
	return page->is_there ? page : NULL;
}

static int read_memory(void *context, uint64_t address, void *to, size_t bytes)
{
	while (bytes) {
		size_t at = address % PAGE, count = PAGE - at < bytes ? PAGE - at : bytes;
		const struct page *page = page_at(context, address - at);

		if (!page)
			return -1;
		memcpy(to, page->bytes + at, count);
		to = (char *)to + count;
		address += count;
		bytes -= count;
	}
	return 0;
}

static struct walk *walk_one(const struct record_sleeper *sleeper, const struct unwind_areas *areas,
	struct reader *reader)
{
	struct unwind_registers registers = {.pc = sleeper->pc,
		.sp = sleeper->sp,
		.fp = sleeper->fp,
		.first_argument = sleeper->first_argument};
	struct unwind_memory memory = {.read = read_memory, .context = reader};
	struct unwind_process slice;
	struct walk *walk = xmalloc(sizeof(*walk));
	bool is_known = !bpf_map_lookup_elem(areas->processes_fd, &sleeper->image, &slice);

	reader_open(reader, sleeper->tid);
	unwind_host_walk(
		areas, is_known ? &slice : NULL, sleeper->image, &registers, &memory, walk);
	return walk;
}

int sleepers_walk(struct kernel *kernel, const struct unwind_areas *areas,
	void (*each)(void *context, uint32_t thread, const struct walk *walk), void *context)
{
	kernel_sleepers before = {0}, after = {0};
	struct map64 walks = {0}; /* serial -> struct walk * */
	struct reader reader = {.fd = -1};
	int error = kernel_read_sleepers(kernel, &before);

	if (!error) {
		vec_each (sleeper, &before)
			*map64_put(&walks, sleeper->thread, NULL) =
				(uintptr_t)walk_one(sleeper, areas, &reader);
		error = kernel_read_sleepers(kernel, &after);
	}
	vec_each (sleeper, &after) {
		const uint64_t *walk = map64_find(&walks, sleeper->thread);
		if (walk)
			each(context, sleeper->thread, (const struct walk *)(uintptr_t)*walk);
	}
	vec_each (sleeper, &before) {
		const uint64_t *walk = map64_find(&walks, sleeper->thread);
		free(walk ? (void *)(uintptr_t)*walk : NULL);
		map64_remove(&walks, sleeper->thread);
	}
	if (reader.fd >= 0)
		close(reader.fd);
	map64_clear(&walks);
	vec_clear(&before);
	vec_clear(&after);
	return error;
}
