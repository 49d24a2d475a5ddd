// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Those who go. Texts come back as copies in memory, so that nobody else ever reads from another
 * process's files in /proc; files come back as descriptors of what was found to be a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/outside/errand_private.h"
#include "util/io.h"
#include "util/mem.h"

#define MAX_MAPS_BYTES (512ULL << 20)
#define CHUNK_BYTES (256U << 10)

/* /proc/PID/pagemap: one word for each page. */
#define PAGEMAP_PRESENT (1ULL << 63)
#define PAGEMAP_SWAPPED (1ULL << 62)
#define PAGEMAP_SHARED (1ULL << 61) /* of a file, or of memory that others may share */

/* Copies into memory what can be read from there on; a file without an end is cut. */
static int copy_text(int from, bool is_stream, uint64_t offset, uint64_t limit, int to)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK_BYTES);

	for (uint64_t done = 0; done < limit;) {
		size_t room = limit - done < CHUNK_BYTES ? limit - done : CHUNK_BYTES;
		ssize_t got = is_stream ? read(from, chunk, room)
					: pread(from, chunk, room, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		if (io_write(to, chunk, (size_t)got, IO_HERE))
			return -ENOMEM;
		done += (uint64_t)got;
	}
	return 0;
}

/* An fd of memory that holds the text, at its beginning; -errno. */
static int text_in_memory(int from, bool is_stream, uint64_t offset, uint64_t limit)
{
	int to = memfd_create("dwell-text", MFD_CLOEXEC);
	int error = to < 0 ? -errno : copy_text(from, is_stream, offset, limit, to);

	if (!error && lseek(to, 0, SEEK_SET))
		error = -errno;
	if (error && to >= 0)
		close(to);
	return error ? error : to;
}

/* A short text goes with the answer, a long one into memory. */
static int read_maps(
	uint32_t pid, uint32_t tid, struct errand_answer *answer, char *room, int *ret_fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/maps", pid, tid);
	_cleanup_close_ int in = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = in < 0 ? -errno : io_read(in, room, ERRAND_TEXT_BYTES, IO_HERE);
	if (got < 0)
		return (int)got;
	if (got < ERRAND_TEXT_BYTES) {
		answer->text_bytes = (uint32_t)got;
		return 0;
	}
	if (lseek(in, 0, SEEK_SET))
		return -errno;
	*ret_fd = text_in_memory(in, true, 0, MAX_MAPS_BYTES);
	return *ret_fd < 0 ? *ret_fd : 0;
}

static int read_perf_map(
	const struct errand_question *question, struct errand_answer *answer, int *ret_fd)
{
	_cleanup_close_ int path_fd = -1;
	int result;

	answer->state = question->state;
	result = perf_map_find(question->pid, &answer->state, &answer->is_other, &path_fd);
	if (result <= 0)
		return result;
	_cleanup_close_ int fd = locate_open(path_fd, LOCATE_FOR_NAMES);
	if (fd < 0)
		return fd;
	*ret_fd = text_in_memory(
		fd, false, answer->is_other ? 0 : question->offset, ERRAND_PERF_MAP_BYTES);
	return *ret_fd < 0 ? *ret_fd : 1;
}

static bool is_own_memory(uint64_t word)
{
	return (word & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) && !(word & PAGEMAP_SHARED);
}

/* Bits of those that were read, at most ERRAND_PAGES. */
static uint32_t read_pages(uint32_t tid, uint64_t address, uint32_t count, char *pages)
{
	uint64_t words[ERRAND_PAGES] = {0};
	char path[32];
	uint32_t done = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", tid);
	_cleanup_close_ int memory = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/pagemap", tid);
	_cleanup_close_ int pagemap = open(path, O_RDONLY | O_CLOEXEC);
	if (memory < 0 || pagemap < 0)
		return 0;
	/* It may end before: then there is nothing behind. */
	if (pread(pagemap, words, count * sizeof(words[0]),
		    (off_t)(address / ERRAND_PAGE_BYTES * sizeof(words[0]))) <= 0)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = address + i * ERRAND_PAGE_BYTES;
		if (at < INT64_MAX && is_own_memory(words[i]) &&
			pread(memory, pages + i * ERRAND_PAGE_BYTES, ERRAND_PAGE_BYTES,
				(off_t)at) == ERRAND_PAGE_BYTES)
			done |= 1U << i;
	}
	return done;
}

static int read_stacks(const char *places, size_t bytes, struct errand_answer *answer, char *room)
{
	struct errand_stack stack;
	size_t count = bytes / sizeof(stack);

	if (count > ERRAND_STACKS)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		memcpy(&stack, places + i * sizeof(stack), sizeof(stack));
		answer->pages |= read_pages(stack.tid, stack.address, ERRAND_STACK_PAGES,
					 room + i * ERRAND_STACK_PAGES * ERRAND_PAGE_BYTES)
				 << (i * ERRAND_STACK_PAGES);
	}
	answer->text_bytes = (uint32_t)(count * ERRAND_STACK_PAGES * ERRAND_PAGE_BYTES);
	return 0;
}

static int find_mapped(const struct errand_question *question, const char *path,
	struct errand_answer *answer, int *ret_fd)
{
	struct map_line line = question->line;

	line.path = (char *)path;
	*ret_fd = question->kind == ERRAND_MAPPED_FILE
			  ? locate_mapped_file(question->pid, &line, &answer->stamp)
			  : locate_told_file(question->pid, &line, &answer->stamp);
	return *ret_fd < 0 ? -ENOENT : 0;
}

static int find_any(
	uint32_t pid, const char *paths, size_t bytes, struct errand_answer *answer, int *ret_fd)
{
	for (const char *path = paths; path < paths + bytes; path += strlen(path) + 1) {
		*ret_fd = locate_file(pid, path);
		if (*ret_fd >= 0)
			return 0;
		answer->position++;
	}
	return -ENOENT;
}

static int go(
	const struct helper_message *asked, struct errand_answer *answer, int *ret_fd, char *room)
{
	struct errand_question question;
	const char *path = (const char *)asked->bytes + sizeof(question);

	if (asked->count <= sizeof(question) || path[asked->count - sizeof(question) - 1])
		return -EINVAL;
	memcpy(&question, asked->bytes, sizeof(question));
	switch (question.kind) {
	case ERRAND_OPEN:
		*ret_fd = asked->fd_count ? locate_open(asked->fds[0], question.use) : -EINVAL;
		return *ret_fd < 0 ? *ret_fd : 0;
	case ERRAND_MAPS:
		return read_maps(question.pid, question.tid, answer, room, ret_fd);
	case ERRAND_PERF_MAP:
		return read_perf_map(&question, answer, ret_fd);
	case ERRAND_MEMORY:
		answer->pages = read_pages(question.tid, question.address, ERRAND_PAGES, room);
		answer->text_bytes = answer->pages ? ERRAND_PAGES * ERRAND_PAGE_BYTES : 0;
		return 0;
	case ERRAND_FIRST_PAGES:
		return read_stacks(path, asked->count - sizeof(question), answer, room);
	case ERRAND_FILE:
		return find_any(
			question.pid, path, asked->count - sizeof(question), answer, ret_fd);
	default:
		return find_mapped(&question, path, answer, ret_fd);
	}
}

void errand_go(const struct helper_message *question, struct helper_message *answer)
{
	struct errand_answer *told = xmalloc(sizeof(*told) + ERRAND_TEXT_BYTES);
	int fd = -1;

	_Static_assert(
		ERRAND_PAGES * ERRAND_PAGE_BYTES <= ERRAND_TEXT_BYTES &&
			ERRAND_STACKS * ERRAND_STACK_PAGES * ERRAND_PAGE_BYTES <= ERRAND_TEXT_BYTES,
		"one room for all");
	*told = (struct errand_answer){0};
	told->result = go(question, told, &fd, (char *)(told + 1));
	answer->bytes = told;
	answer->count = sizeof(*told) + told->text_bytes;
	answer->fds[0] = fd;
	answer->fd_count = fd >= 0;
}
