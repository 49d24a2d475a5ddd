// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of events on the kernel side: their two tables are emptied in turn. A table is empty for
 * good only when no claim names it (bpf/event.bpf.h): until then it waits for the next round, and
 * the other one goes on being filled.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "kernel/private.h"
#include "dwell.skel.h"
#include "util/clock.h"
#include "util/units.h"

#define LOOK_AGAIN_NS (1 * NS_PER_MS)

bool kernel_has_claims(const struct kernel *kernel)
{
	return kernel->options->event_count || kernel->calls.functions.count;
}

double kernel_events_fill(const struct kernel *kernel)
{
	const volatile uint64_t *used =
		(const volatile uint64_t *)kernel->skeleton->bss->event_rows_used;

	double of_calls = kernel_calls_fill(kernel);
	double of_events = kernel->options->event_count ? (double)used[kernel->active_events] /
								  (double)kernel->sizes.event_rows
							: 0;

	return of_calls > of_events ? of_calls : of_events;
}

/* Of all CPUs; NULL if they cannot be read. */
static struct event_claims *read_claims(const struct kernel *kernel)
{
	struct event_claims *claims = xcalloc((size_t)kernel->cpus, sizeof(*claims));
	uint32_t zero = 0;

	_Static_assert(sizeof(*claims) % 8 == 0, "the kernel rounds values of a CPU up to that");
	if (!bpf_map__lookup_elem(kernel->skeleton->maps.event_claims, &zero, sizeof(zero), claims,
		    (size_t)kernel->cpus * sizeof(*claims), 0))
		return claims;
	free(claims);
	return NULL;
}

void kernel_slotless_events(const struct kernel *kernel, uint64_t *ret_bare, uint64_t *ret_refused)
{
	_cleanup_free_ struct event_claims *claims =
		kernel->options->event_count ? read_claims(kernel) : NULL;

	*ret_bare = *ret_refused = 0;
	for (int cpu = 0; claims && cpu < kernel->cpus; cpu++) {
		*ret_bare += claims[cpu].bare;
		*ret_refused += claims[cpu].refused;
	}
}

static bool has_claim(const struct event_claims *claims, uint32_t table)
{
	for (size_t slot = 0; slot < CONTRACT_EVENT_SLOTS; slot++)
		if (claims->by_slot[slot] == 1 + table)
			return true;
	return claims->bare_writers[table];
}

static bool is_claimed(const struct kernel *kernel, uint32_t table)
{
	_cleanup_free_ struct event_claims *claims = read_claims(kernel);

	for (int cpu = 0; claims && cpu < kernel->cpus; cpu++)
		if (has_claim(&claims[cpu], table))
			return true;
	return !claims;
}

/* Whoever holds a claim is preempted at worst, and gets a CPU again. */
static bool wait_for_claims(const struct kernel *kernel, uint32_t table, uint64_t patience_ns)
{
	uint64_t until = clock_monotonic_ns() + patience_ns;
	struct timespec moment = {.tv_nsec = LOOK_AGAIN_NS};

	while (is_claimed(kernel, table)) {
		if (clock_monotonic_ns() >= until)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

static void add_events(const struct kernel *kernel, uint32_t count, void *context)
{
	const struct event_key *keys = (const struct event_key *)kernel->keys;
	const struct event_sum *sums = (const struct event_sum *)kernel->sums;
	kernel_events *rows = context;

	_Static_assert(
		sizeof(*keys) <= sizeof(*kernel->keys) && sizeof(*sums) <= sizeof(*kernel->sums),
		"a batch fits the room for rows of time");
	for (uint32_t i = 0; i < count; i++)
		vec_push(rows, ((struct kernel_event){keys[i], sums[i]}));
}

static int empty_table(
	struct kernel *kernel, uint32_t table, kernel_events *rows, struct kernel_call_rows *calls)
{
	const struct dwell *skeleton = kernel->skeleton;
	int error = kernel_empty_calls(kernel, table, calls);

	if (error || !kernel->options->event_count)
		return error;
	error = kernel_empty_table(kernel,
		bpf_map__fd(table ? skeleton->maps.events_1 : skeleton->maps.events_0),
		kernel->sums, add_events, rows);

	if (!error)
		kernel->skeleton->bss->event_rows_used[table] = 0;
	return error;
}

/* Empties the table that is not active, if nobody writes it any more. */
static int empty_resting(struct kernel *kernel, kernel_events *rows, struct kernel_call_rows *calls,
	uint64_t patience_ns)
{
	uint32_t resting = !kernel->active_events;

	if (!kernel->has_resting)
		return 0;
	/* Patience is for the end, when no row is made any more: what comes later is missed. */
	if (!wait_for_claims(kernel, resting, patience_ns) && !patience_ns)
		return 0;
	kernel->has_resting = false;
	return empty_table(kernel, resting, rows, calls);
}

int kernel_flip_events(struct kernel *kernel, kernel_events *rows, struct kernel_call_rows *calls,
	uint64_t patience_ns, bool *ret_has_rest)
{
	int error;

	*ret_has_rest = false;
	if (!kernel_has_claims(kernel))
		return 0;
	error = empty_resting(kernel, rows, calls, patience_ns);
	*ret_has_rest = kernel->has_resting;
	if (!error && !kernel->has_resting) {
		kernel->active_events = !kernel->active_events;
		kernel->has_resting = true;
		__atomic_store_n(&kernel->skeleton->bss->active_events,
			(uint32_t)kernel->active_events, __ATOMIC_SEQ_CST);
		error = empty_resting(kernel, rows, calls, patience_ns);
	}
	return error;
}
