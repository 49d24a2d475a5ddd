// SPDX-License-Identifier: GPL-2.0-or-later
/* Iterators: programs that the kernel runs for one thread after the other while we read a file. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "kernel/private.h"
#include "dwell.skel.h"

/* Opens a task iterator; a negative errno if that fails. */
static int open_iterator(struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);

	if (!link)
		return -errno;
	int fd = bpf_iter_create(bpf_link__fd(link));
	int error = -errno;
	bpf_link__destroy(link);
	return fd < 0 ? error : fd;
}

/* Reads rows of `size` bytes to the end of the file; reads may end within a row. */
static int read_rows(
	int fd, size_t size, void (*each)(void *context, const void *row), void *context)
{
	char bytes[64 * sizeof(struct thread_now)];
	size_t held = 0;

	for (;;) {
		ssize_t got = read(fd, bytes + held, sizeof(bytes) - held);

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		held += (size_t)got;
		size_t whole = held / size * size;
		for (size_t at = 0; at < whole; at += size)
			each(context, bytes + at);
		held -= whole;
		memmove(bytes, bytes + whole, held);
	}
}

static int iterate(struct bpf_program *program, size_t size,
	void (*each)(void *context, const void *row), void *context)
{
	_cleanup_close_ int fd = open_iterator(program);

	return fd < 0 ? fd : read_rows(fd, size, each, context);
}

struct start_reader {
	void (*each)(void *context, const struct record_thread *thread);
	void *context;
};

static void give_thread(void *context, const void *row)
{
	const struct start_reader *reader = context;
	struct record_thread thread;

	memcpy(&thread, row, sizeof(thread));
	reader->each(reader->context, &thread);
}

int kernel_read_start(struct kernel *kernel,
	void (*each)(void *context, const struct record_thread *thread), void *context,
	struct why *why)
{
	_cleanup_close_ int fd = open_iterator(kernel->skeleton->progs.on_start);
	struct start_reader reader = {.each = each, .context = context};
	int error = fd < 0 ? fd : read_rows(fd, sizeof(struct record_thread), give_thread, &reader);

	if (error)
		return why_set(why, fd < 0 ? -ENOTSUP : error,
			"cannot iterate over threads: %s; see dwell check", strerror(-error));
	return 0;
}

static void keep_thread(void *context, const void *row)
{
	kernel_threads *threads = context;
	struct thread_now now;

	memcpy(&now, row, sizeof(now));
	vec_push(threads, now);
}

int kernel_read_threads(struct kernel *kernel, kernel_threads *ret)
{
	return iterate(
		kernel->skeleton->progs.on_read, sizeof(struct thread_now), keep_thread, ret);
}

static void keep_open_call(void *context, const void *row)
{
	kernel_open_calls *calls = context;
	struct call_open call;

	memcpy(&call, row, sizeof(call));
	vec_push(calls, call);
}

int kernel_read_open_calls(struct kernel *kernel, kernel_open_calls *ret)
{
	if (!kernel->calls.functions.count)
		return 0;
	return iterate(kernel->skeleton->progs.on_open_calls, sizeof(struct call_open),
		keep_open_call, ret);
}

static void keep_open_wait(void *context, const void *row)
{
	kernel_slow_rows *waits = context;
	struct call_entry wait;

	memcpy(&wait, row, sizeof(wait));
	vec_push(waits, wait);
}

int kernel_read_open_waits(struct kernel *kernel, kernel_slow_rows *ret)
{
	if (!kernel->calls.functions.count)
		return 0;
	return iterate(kernel->skeleton->progs.on_open_waits, sizeof(struct call_entry),
		keep_open_wait, ret);
}

static void keep_sleeper(void *context, const void *row)
{
	kernel_sleepers *sleepers = context;
	struct record_sleeper sleeper;

	memcpy(&sleeper, row, sizeof(sleeper));
	vec_push(sleepers, sleeper);
}

int kernel_read_sleepers(struct kernel *kernel, kernel_sleepers *ret)
{
	return iterate(kernel->skeleton->progs.on_sleepers, sizeof(struct record_sleeper),
		keep_sleeper, ret);
}

int kernel_repair(struct kernel *kernel, const struct repair *repairs, const uint32_t *threads,
	size_t count, void (*each)(void *context, const void *serial), void *context)
{
	int map = bpf_map__fd(kernel->skeleton->maps.repairs);

	LIBBPF_OPTS(bpf_map_batch_opts, options);
	uint32_t done = (uint32_t)count;

	/* One that finds no room is not repaired. */
	if (bpf_map_update_batch(map, threads, repairs, &done, &options))
		for (size_t i = 0; i < count; i++)
			bpf_map_update_elem(map, &threads[i], &repairs[i], BPF_ANY);
	int error = iterate(kernel->skeleton->progs.on_repair, sizeof(uint32_t), each, context);
	done = (uint32_t)count;
	if (bpf_map_delete_batch(map, threads, &done, &options))
		for (size_t i = 0; i < count; i++)
			bpf_map_delete_elem(map, &threads[i]);
	return error;
}
