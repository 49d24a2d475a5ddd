// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draining: a thread that fills `filling` and, under the lock, moves it to `ready`. Within a round
 * the open intervals are read first, then the tables are flipped, then the ring is read. A stack's
 * record is sent before the first row that uses it, so no row lacks its stack; and a thread whose
 * rows do not go beyond its totals in the first reading has had no switch since: its open interval
 * is still right.
 */
#include "kernel/drain.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "host/map_events.h"
#include "host/rights.h"
#include "kernel/budget.h"
#include "kernel/programs.h"
#include "util/clock.h"
#include "util/units.h"

#define ROUND_NS (50 * NS_PER_MS)
#define READ_EVERY_NS (250 * NS_PER_MS)
#define HALF_FULL 0.5
/* Handed over and not yet written: above this the thread waits. */
#define MAX_READY_BYTES (128u << 20)

struct drain {
	struct kernel *kernel;
	struct ring_buffer *ring;
	struct map_events *map_events; /* NULL: the kernel does not give them */
	struct batch *filling;
	uint64_t flip_every_ns;
	uint64_t next_flip_ns;
	uint64_t next_read_ns;
	const char *priority;
	struct budget budget; /* without a share there is none */
	int fd;
	bool is_running;
	pthread_t thread;
	pthread_cond_t is_ended; /* with is_stopping, by the monotonic clock */
	pthread_mutex_t lock;    /* the three below */
	struct batch *ready;
	bool is_stopping;
	int error;
};

#define add_framed(records, data, length)                                                          \
	do {                                                                                       \
		uint64_t framed_length_ = (length);                                                \
		vec_append(records, (const char *)&framed_length_, sizeof(framed_length_));        \
		vec_append(records, (const char *)(data), framed_length_);                         \
		vec_append(records, "\0\0\0\0\0\0\0", -framed_length_ & 7);                        \
	} while (0)

static int on_record(void *context, void *data, size_t length)
{
	struct drain *drain = context;

	add_framed(&drain->filling->records, data, length);
	return 0;
}

static void on_map_record(void *context, const void *data, size_t length)
{
	struct drain *drain = context;

	add_framed(&drain->filling->map_records, data, length);
}

/* The ring first: of what it tells, the records of mappings must not be missing. */
static void read_records(struct drain *drain)
{
	drain->filling->ring_read_ns = clock_monotonic_ns();
	ring_buffer__consume(drain->ring);
	kernel_learn(drain->kernel);
	if (!drain->map_events)
		return;
	map_events_read(drain->map_events, on_map_record, drain);
	drain->filling->map_records_lost = map_events_lost(drain->map_events);
}

static int add_event_ring(struct drain *drain)
{
	int fd = kernel_event_records_fd(drain->kernel);

	return fd < 0 ? 0 : ring_buffer__add(drain->ring, fd, on_record, drain);
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

int drain_new(struct kernel *kernel, uint64_t flip_every_ns, struct drain **ret, struct why *why)
{
	struct drain *drain = xcalloc(1, sizeof(*drain));

	drain->kernel = kernel;
	drain->flip_every_ns = flip_every_ns;
	drain->filling = xcalloc(1, sizeof(*drain->filling));
	drain->priority = "normal";
	pthread_mutex_init(&drain->lock, NULL);
	init_condition(&drain->is_ended);
	drain->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	drain->ring = ring_buffer__new(kernel_records_fd(kernel), on_record, drain, NULL);
	if (drain->fd < 0 || !drain->ring || add_event_ring(drain)) {
		why_set(why, -errno, "cannot read the ring buffer: %s", strerror(errno));
		drain_free(drain);
		return -EIO;
	}
	/* Without them the mappings of processes that are gone too soon stay unknown. */
	if (map_events_new(false, &drain->map_events, NULL))
		drain->map_events = NULL;
	*ret = drain;
	return 0;
}

static size_t batch_bytes(const struct batch *batch)
{
	return batch ? batch->records.count + batch->map_records.count + batch->waits.count +
			       batch->rows.count * sizeof(*batch->rows.at) +
			       batch->events.count * sizeof(*batch->events.at) +
			       batch->calls.calls.count * sizeof(*batch->calls.calls.at) +
			       batch->calls.slow.count * sizeof(*batch->calls.slow.at)
		     : 0;
}

/* How long the last rounds wait for events that are under way; the thread waits for none. */
#define EVENT_PATIENCE_NS (1 * NS_PER_S)

static int flip(struct drain *drain, uint64_t patience_ns)
{
	drain->filling->is_flipped = true;
	int error = kernel_flip(drain->kernel, &drain->filling->rows, &drain->filling->waits,
		&drain->filling->drained_ns);
	drain->next_flip_ns = drain->filling->drained_ns + drain->flip_every_ns;
	if (!error)
		error = kernel_flip_events(drain->kernel, &drain->filling->events,
			&drain->filling->calls, patience_ns, &drain->filling->has_more_events);
	return error;
}

/* Reads the books of living threads; not more often than costs a hundredth of the time. */
static int read_open(struct drain *drain)
{
	struct batch *batch = drain->filling;
	uint64_t begun = clock_monotonic_ns(), took;

	batch->open.count = 0;
	batch->has_open = true;
	int error = kernel_read_threads(drain->kernel, &batch->open);
	batch->open_calls.count = 0;
	if (!error)
		error = kernel_read_open_calls(drain->kernel, &batch->open_calls);
	took = clock_monotonic_ns() - begun;
	drain->next_read_ns =
		begun + (took * 100 > READ_EVERY_NS ? took * 100 : (uint64_t)READ_EVERY_NS);
	return error;
}

static int round_of(struct drain *drain, bool with_flip, bool with_open, uint64_t patience_ns)
{
	int error = 0;

	if (with_open)
		error = read_open(drain);
	if (with_flip && !error)
		error = flip(drain, patience_ns);
	read_records(drain);
	return error;
}

void drain_add_thread(struct drain *drain, const struct record_thread *thread)
{
	add_framed(&drain->filling->records, thread, sizeof(*thread));
	read_records(drain);
}

/* Puts a batch behind another one, whose open threads it replaces. */
static struct batch *join(struct batch *first, struct batch *second)
{
	if (!first)
		return second;
	vec_append(&first->records, second->records.at, second->records.count);
	vec_append(&first->map_records, second->map_records.at, second->map_records.count);
	first->ring_read_ns = second->ring_read_ns;
	first->map_records_lost = second->map_records_lost;
	vec_append(&first->rows, second->rows.at, second->rows.count);
	vec_append(&first->waits, second->waits.at, second->waits.count);
	vec_append(&first->events, second->events.at, second->events.count);
	vec_append(&first->calls.calls, second->calls.calls.at, second->calls.calls.count);
	vec_append(&first->calls.slow, second->calls.slow.at, second->calls.slow.count);
	/* Rows that were drained after the open intervals were read make those out of date. */
	if (second->is_flipped) {
		first->open.count = 0;
		vec_append(&first->open, second->open.at, second->open.count);
		first->open_calls.count = 0;
		vec_append(&first->open_calls, second->open_calls.at, second->open_calls.count);
		first->has_open = second->has_open;
		first->is_flipped = true;
		first->has_more_events = second->has_more_events;
		first->drained_ns = second->drained_ns;
	}
	batch_free(second);
	return first;
}

static void hand_over(struct drain *drain)
{
	uint64_t one = 1;

	drain->ready = join(drain->ready, drain->filling);
	drain->filling = xcalloc(1, sizeof(*drain->filling));
	if (write(drain->fd, &one, sizeof(one)) < 0)
		return; /* the counter is at its limit: the reader is awake anyway */
}

/* Reading the books of threads opens a file: what cannot be had now may be had in the next round.
 */
static bool is_short_of_files(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

static uint64_t cost_ns(const struct drain *drain)
{
	uint64_t counters[COUNTERS];

	kernel_counters(drain->kernel, counters);
	return programs_ns(counters, false) + programs_ns(counters, true) +
	       clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void drain_set_budget(struct drain *drain, double share)
{
	budget_begin(&drain->budget, share, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		clock_monotonic_ns(), cost_ns(drain));
	kernel_thin(drain->kernel, budget_every(&drain->budget));
}

static void keep_to_budget(struct drain *drain, uint64_t now)
{
	if (drain->budget.share > 0 && now >= drain->budget.last_ns + BUDGET_EVERY_NS)
		kernel_thin(drain->kernel, budget_step(&drain->budget, now, cost_ns(drain)));
}

/* One round if the other side keeps up. False when it is time to end. */
static bool work(struct drain *drain)
{
	uint64_t now = clock_monotonic_ns();
	bool is_due = now >= drain->next_flip_ns || kernel_fill(drain->kernel) > HALF_FULL;
	bool is_stopping, is_behind;
	int error = 0;

	keep_to_budget(drain, now);
	pthread_mutex_lock(&drain->lock);
	is_stopping = drain->is_stopping;
	is_behind = batch_bytes(drain->ready) > MAX_READY_BYTES;
	pthread_mutex_unlock(&drain->lock);
	if (is_stopping)
		return false;
	if (is_behind)
		return true;
	error = round_of(drain, is_due, is_due && now + ROUND_NS >= drain->next_read_ns, 0);
	if (is_short_of_files(error)) {
		drain->filling->has_open = false;
		drain->filling->open.count = 0;
		error = round_of(drain, is_due, false, 0);
	}
	pthread_mutex_lock(&drain->lock);
	if (error && !drain->error)
		drain->error = error;
	if (is_due || drain->filling->records.count || drain->filling->map_records.count)
		hand_over(drain);
	pthread_mutex_unlock(&drain->lock);
	return true;
}

/* Whoever stops the recording need not wait for the next round. */
static void pause_round(struct drain *drain)
{
	uint64_t until_ns = clock_monotonic_ns() + ROUND_NS;
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};

	pthread_mutex_lock(&drain->lock);
	while (!drain->is_stopping &&
		!pthread_cond_timedwait(&drain->is_ended, &drain->lock, &until))
		;
	pthread_mutex_unlock(&drain->lock);
}

static void *run(void *context)
{
	struct drain *drain = context;

	while (work(drain))
		pause_round(drain);
	return NULL;
}

/* A starved recorder loses detail: with 800 busy threads nice 0 made 60 of 500 flips, FIFO all. */
static void raise_priority(struct drain *drain)
{
	struct sched_param low = {.sched_priority = 1};

	if (!pthread_setschedparam(drain->thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &low))
		drain->priority = "real-time";
}

static void *run_nice(void *context)
{
	struct drain *drain = context;

	if (!strcmp(drain->priority, "normal") && !setpriority(PRIO_PROCESS, 0, -20))
		drain->priority = "nice -20";
	rights_settle();
	return run(context);
}

int drain_start(struct drain *drain, struct why *why)
{
	drain->next_flip_ns = clock_monotonic_ns() + drain->flip_every_ns;
	drain->next_read_ns = clock_monotonic_ns() + READ_EVERY_NS;
	int error = pthread_create(&drain->thread, NULL, run_nice, drain);
	if (error)
		return why_set(why, -error, "cannot start a thread: %s", strerror(error));
	drain->is_running = true;
	raise_priority(drain);
	return 0;
}

const char *drain_priority(const struct drain *drain)
{
	return drain->priority;
}

int drain_fd(const struct drain *drain)
{
	return drain->fd;
}

struct batch *drain_take(struct drain *drain)
{
	struct batch *batch;
	uint64_t times;

	if (read(drain->fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		return NULL;
	pthread_mutex_lock(&drain->lock);
	batch = drain->ready;
	drain->ready = NULL;
	pthread_mutex_unlock(&drain->lock);
	return batch;
}

int drain_error(struct drain *drain)
{
	int error;

	pthread_mutex_lock(&drain->lock);
	error = drain->error;
	pthread_mutex_unlock(&drain->lock);
	return error;
}

void drain_stop(struct drain *drain)
{
	if (!drain->is_running)
		return;
	pthread_mutex_lock(&drain->lock);
	drain->is_stopping = true;
	pthread_cond_signal(&drain->is_ended);
	pthread_mutex_unlock(&drain->lock);
	pthread_join(drain->thread, NULL);
	drain->is_running = false;
}

struct batch *drain_now(struct drain *drain, bool with_open)
{
	struct batch *batch;
	int error = round_of(drain, true, with_open, EVENT_PATIENCE_NS);

	if (error && !drain->error)
		drain->error = error;
	batch = drain->filling;
	drain->filling = xcalloc(1, sizeof(*drain->filling));
	return batch;
}

uint64_t drain_deaf_cpus(const struct drain *drain)
{
	return drain->map_events ? map_events_deaf_cpus(drain->map_events) : 0;
}

void drain_free(struct drain *drain)
{
	if (!drain)
		return;
	drain_stop(drain);
	ring_buffer__free(drain->ring);
	map_events_free(drain->map_events);
	batch_free(drain->filling);
	batch_free(drain->ready);
	if (drain->fd >= 0)
		close(drain->fd);
	pthread_cond_destroy(&drain->is_ended);
	pthread_mutex_destroy(&drain->lock);
	free(drain);
}

void batch_add_record(struct batch *batch, const void *record, size_t length)
{
	add_framed(&batch->records, record, length);
}

const void *batch_next_record(const char *records, size_t count, size_t *offset, size_t *ret_length)
{
	uint64_t length;

	if (*offset + sizeof(length) > count)
		return NULL;
	memcpy(&length, records + *offset, sizeof(length));
	const void *record = records + *offset + sizeof(length);
	*offset += sizeof(length) + ((length + 7) & ~(uint64_t)7);
	*ret_length = length;
	return record;
}

void batch_free(struct batch *batch)
{
	if (!batch)
		return;
	vec_clear(&batch->records);
	vec_clear(&batch->map_records);
	vec_clear(&batch->rows);
	vec_clear(&batch->waits);
	vec_clear(&batch->events);
	vec_clear(&batch->calls.calls);
	vec_clear(&batch->calls.slow);
	vec_clear(&batch->open_calls);
	vec_clear(&batch->open);
	free(batch);
}
