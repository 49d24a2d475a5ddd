// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads perf's side-band records: one ring for each CPU, mapped, with a head that the kernel moves
 * and a tail that we move. Every record ends with the process, thread and time that sample_id_all
 * adds.
 */
#include "host/map_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "util/vec.h"

/* A storm of a thousand programs a second makes some 30 KiB in the 50 ms between two readings. */
#define RING_PAGES 128
/* A reader that is woken by each record needs less room. */
#define WOKEN_RING_PAGES 32

/* Kernels without a fine clock count time in steps of up to 10 ms. */
#define CLOCK_STEP_NS 20000000

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct map_events {
	VEC(struct ring) rings;
	size_t page_bytes;
	size_t ring_pages;
	uint64_t lost;
	VEC(char) whole; /* a record that wraps around the ring's end, put together */
};

/*
 * A reader that is not woken looks for itself. Not with build-ids: Linux 6.18 and those before mark
 * the records of all who listen as if they held some, when only one of them has asked for it, and
 * perf 6.1 dies of that.
 */
static int open_dummy(int cpu, bool wakes)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = wakes ? 1 : UINT32_MAX,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int add_ring(struct map_events *events, int cpu, bool wakes)
{
	struct ring ring = {.fd = open_dummy(cpu, wakes)};

	if (ring.fd < 0)
		return errno == ENODEV || errno == ENXIO ? 0 : -errno;
	ring.page = mmap(NULL, (events->ring_pages + 1) * events->page_bytes,
		PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	if (ring.page == MAP_FAILED) {
		int error = -errno;
		close(ring.fd);
		return error;
	}
	vec_push(&events->rings, ring);
	return 0;
}

int map_events_new(bool wakes, struct map_events **ret, struct why *why)
{
	struct map_events *events = xcalloc(1, sizeof(*events));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int error = 0;

	events->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	events->ring_pages = wakes ? WOKEN_RING_PAGES : RING_PAGES;
	for (int cpu = 0; cpu < cpus && !error; cpu++)
		error = add_ring(events, cpu, wakes);
	if (!error && !events->rings.count)
		error = -ENODEV;
	if (error) {
		map_events_free(events);
		return why_set(why, error, "no records of new mappings: %s", strerror(-error));
	}
	*ret = events;
	return 0;
}

void map_events_free(struct map_events *events)
{
	if (!events)
		return;
	vec_each (ring, &events->rings) {
		munmap(ring->page, (events->ring_pages + 1) * events->page_bytes);
		close(ring->fd);
	}
	vec_clear(&events->rings);
	vec_clear(&events->whole);
	free(events);
}

/* Copies from the ring at a position that counts on for ever. */
static void copy_out(const char *data, size_t room, uint64_t position, char *to, size_t bytes)
{
	size_t at = position % room, first = bytes < room - at ? bytes : room - at;

	memcpy(to, data + at, first);
	memcpy(to + first, data, bytes - first);
}

static void note_lost(struct map_events *events, const char *record, size_t length)
{
	uint64_t id_and_count[2];

	if (length < sizeof(struct perf_event_header) + sizeof(id_and_count))
		return;
	memcpy(id_and_count, record + sizeof(struct perf_event_header), sizeof(id_and_count));
	events->lost += id_and_count[1];
}

static void read_ring(struct map_events *events, const struct ring *ring,
	void (*each)(void *context, const void *record, size_t length), void *context)
{
	const char *data = (const char *)ring->page + events->page_bytes;
	size_t room = events->ring_pages * events->page_bytes;
	uint64_t tail = ring->page->data_tail;
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	while (tail < head) {
		struct perf_event_header header;

		copy_out(data, room, tail, (char *)&header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		vec_reserve(&events->whole, header.size);
		copy_out(data, room, tail, events->whole.at, header.size);
		if (header.type == PERF_RECORD_LOST)
			note_lost(events, events->whole.at, header.size);
		else
			each(context, events->whole.at, header.size);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

void map_events_read(struct map_events *events,
	void (*each)(void *context, const void *record, size_t length), void *context)
{
	vec_each (ring, &events->rings)
		read_ring(events, ring, each, context);
}

size_t map_events_count(const struct map_events *events)
{
	return events->rings.count;
}

int map_events_fd(const struct map_events *events, size_t number)
{
	return events->rings.at[number].fd;
}

/* For how long the event has been listening. */
static uint64_t enabled_ns(const struct ring *ring)
{
	struct {
		uint64_t value, enabled_ns;
	} now;

	return read(ring->fd, &now, sizeof(now)) == sizeof(now) ? now.enabled_ns : 0;
}

/* The time of an event goes on as long as it listens; with its CPU it ends for ever. */
static bool is_listening(const struct ring *ring)
{
	struct timespec pause = {.tv_nsec = CLOCK_STEP_NS};
	uint64_t first = enabled_ns(ring);

	if (enabled_ns(ring) > first)
		return true;
	nanosleep(&pause, NULL);
	return enabled_ns(ring) > first;
}

size_t map_events_deaf_cpus(const struct map_events *events)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	size_t listening = 0;

	vec_each (ring, &events->rings)
		listening += is_listening(ring);
	return online > 0 && (size_t)online > listening ? (size_t)online - listening : 0;
}

uint64_t map_events_lost(const struct map_events *events)
{
	return events->lost;
}

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct task_record {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

/* What sample_id_all adds to each record. */
struct record_tail {
	uint32_t pid, tid;
	uint64_t time;
};

static bool parse_map(const char *record, size_t length, struct map_event *ret)
{
	const struct mmap2_record *map = (const void *)record;
	size_t room = length - sizeof(struct record_tail);

	if (room <= sizeof(*map) || !memchr(map->path, 0, room - sizeof(*map)) ||
		map->start + map->length < map->start)
		return false;
	ret->kind = MAP_EVENT_MAP;
	ret->pid = map->pid;
	ret->start = map->start;
	ret->end = map->start + map->length;
	ret->offset = map->offset;
	ret->path = map->path;
	/* Whether it is marked as one with a build-id says nothing: see open_dummy(). */
	ret->dev_major = map->major;
	ret->dev_minor = map->minor;
	ret->inode = map->inode;
	return true;
}

static bool parse_task(const char *record, size_t length, bool is_fork, struct map_event *ret)
{
	const struct task_record *task = (const void *)record;

	if (length < sizeof(*task) + sizeof(struct record_tail))
		return false;
	ret->pid = task->pid;
	ret->parent = task->parent_pid;
	ret->kind = is_fork ? MAP_EVENT_FORK : MAP_EVENT_EXIT;
	/* A new thread is no new process; neither is the end of one its process's. */
	return is_fork ? task->pid != task->parent_pid : task->pid == task->tid;
}

bool map_event_parse(const void *record, size_t length, struct map_event *ret)
{
	struct map_event event = {.path = ""};
	struct perf_event_header header;
	struct record_tail tail;
	bool is_whole;

	if (length < sizeof(header) + sizeof(tail))
		return false;
	memcpy(&header, record, sizeof(header));
	memcpy(&tail, (const char *)record + length - sizeof(tail), sizeof(tail));
	event.time_ns = tail.time;
	switch (header.type) {
	case PERF_RECORD_MMAP2:
		is_whole = parse_map(record, length, &event);
		break;
	case PERF_RECORD_COMM:
		event.kind = MAP_EVENT_EXEC;
		event.pid = tail.pid;
		is_whole = header.misc & PERF_RECORD_MISC_COMM_EXEC;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		is_whole = parse_task(record, length, header.type == PERF_RECORD_FORK, &event);
		break;
	default:
		is_whole = false;
	}
	if (!is_whole || !event.pid)
		return false;
	*ret = event;
	return true;
}
