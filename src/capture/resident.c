// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/PID/statm is a handful of counters: reading it takes no lock of the process's, so this
 * needs no helper. What is resident and no file's nor shared is called anonymous.
 */
#include "capture/resident.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "host/proc_text.h"
#include "recording/writer.h"
#include "util/mem.h"

struct looking {
	struct recording_writer *writer;
	uint32_t first_slice;
	uint32_t slice;
	size_t count;
	uint64_t page_bytes;
};

static void look_at(uint32_t image, uint32_t pid, void *context)
{
	struct looking *looking = context;
	_cleanup_free_ char *text = NULL;
	uint64_t size, resident, shared;
	char path[32];

	if (!pid || looking->count++ >= RESIDENT_MOST_PROCESSES)
		return;
	snprintf(path, sizeof(path), "/proc/%u/statm", pid);
	if (proc_text_read(path, &text) ||
		sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &size, &resident, &shared) != 3)
		return;
	/* A kernel thread has none, nor has a process that has ended. */
	if (!resident || resident > UINT64_MAX / looking->page_bytes / 2)
		return;
	struct rec_memory memory = {.process = image,
		.rss_bytes = resident * looking->page_bytes,
		.anonymous_bytes =
			(resident > shared ? resident - shared : 0) * looking->page_bytes};
	for (uint32_t slice = looking->first_slice; slice <= looking->slice; slice++) {
		memory.slice = slice;
		recording_writer_put_memory(looking->writer, &memory);
	}
}

void resident_write(
	struct books *books, struct recording_writer *writer, uint32_t first_slice, uint32_t slice)
{
	struct looking looking = {.writer = writer,
		.first_slice = first_slice,
		.slice = slice,
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};

	books_each_process(books, look_at, &looking);
}
