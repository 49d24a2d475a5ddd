// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events on the kernel side: their programs attached, their two tables emptied in turn. A table is
 * empty for good only when no claim names it (bpf/event.bpf.h): until then it waits for the next
 * round, and the other one goes on being filled.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "kernel/private.h"
#include "dwell.skel.h"
#include "symbol/outside/errand.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/clock.h"
#include "util/units.h"

#define LOOK_AGAIN_NS (1 * NS_PER_MS)

/* Whatever the path leads to: it is opened by who may wait for it, and only if it is a file. */
static int open_file(const char *path, struct outside *outside, struct why *why)
{
	_cleanup_close_ int path_fd = errand_file(outside->errands, LOCATE_OWN_ROOT, path);

	if (path_fd < 0)
		return why_set(why, -EINVAL, "there is no file %s that can be opened", path);
	int fd = errand_open(outside->errands, LOCATE_OWN_ROOT, path_fd, LOCATE_FOR_NAMES);
	if (fd == -ENOTSUP)
		return why_set(why, -EINVAL,
			"%s is on a file system that may keep its readers waiting", path);
	return fd < 0 ? why_set(why, -EINVAL, "cannot read %s: %s", path, strerror(-fd)) : fd;
}

static int find_function(
	const struct event *event, struct outside *outside, int fd, uint64_t *ret, struct why *why)
{
	int error = parser_function(outside->parsers, fd, event->function, ret);

	switch (error) {
	case 0:
		return 0;
	case -ENOENT:
		return why_set(why, -EINVAL,
			"there is no function %s in %s; its symbols may be stripped",
			event->function, event->path);
	case -ENOTUNIQ:
		return why_set(why, -EINVAL,
			"there are several functions %s in %s: give one whose name is its own",
			event->function, event->path);
	case -ENOTSUP:
		return why_set(why, -EINVAL,
			"%s in %s is chosen among several functions when a program starts (IFUNC): "
			"give one of these, if the file names them, or one that calls it",
			event->function, event->path);
	case -ENOEXEC:
		return why_set(why, -EINVAL, "%s is no program or library", event->path);
	default:
		return why_set(why, -EINVAL, "cannot look for functions in %s: %s", event->path,
			strerror(-error));
	}
}

/*
 * Wherever the file is mapped: processes that are not recorded pay for the trap, too. A probe of
 * one process would end with its first thread, and count a call for each time it is named. The
 * kernel is given the file that was read, not its path, which may lead elsewhere by now.
 */
static int attach_call(struct kernel *kernel, const struct event *event, uint64_t measure,
	struct outside *outside, struct why *why)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = CONTRACT_EVENT_COOKIE(measure, 1));
	char path[sizeof("/proc/self/fd/") + 11];
	uint64_t offset = 0;
	_cleanup_close_ int fd = open_file(event->path, outside, why);
	int error = fd < 0 ? fd : find_function(event, outside, fd, &offset, why);

	if (error)
		return error;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(
		kernel->skeleton->progs.on_call, -1, path, offset, &options);
	if (!link)
		return why_set(why, -ENOTSUP,
			"cannot watch calls of %s in %s: %s; see dwell check, or record without it",
			event->function, event->path, strerror(errno));
	vec_push(&kernel->links, link);
	return 0;
}

static int attach_perf(
	struct kernel *kernel, const struct event *event, uint64_t measure, struct why *why)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
		.type = event->perf_type,
		.config = event->perf_config,
		.sample_period = event->period,
		.sample_type = PERF_SAMPLE_IP};
	struct perf_failure failure;
	int error = kernel_attach_perf(kernel, kernel->skeleton->progs.on_perf_event, &attr,
		CONTRACT_EVENT_COOKIE(measure, event->period), &failure);

	return error ? why_set(why, error,
			       "cannot count %s on CPU %d: %s; see dwell check, or record without "
			       "it",
			       event->name, failure.cpu, strerror(failure.error))
		     : 0;
}

int kernel_attach_events(struct kernel *kernel, struct outside *outside, struct why *why)
{
	int error = 0;

	for (size_t i = 0; i < kernel->options->event_count && !error; i++) {
		const struct event *event = &kernel->options->events[i];
		error = event->kind == EVENT_CALL ? attach_call(kernel, event, i + 1, outside, why)
						  : attach_perf(kernel, event, i + 1, why);
	}
	return error;
}

double kernel_events_fill(const struct kernel *kernel)
{
	const volatile uint64_t *used =
		(const volatile uint64_t *)kernel->skeleton->bss->event_rows_used;

	return kernel->options->event_count
		       ? (double)used[kernel->active_events] / (double)kernel->sizes.event_rows
		       : 0;
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

static int empty_table(struct kernel *kernel, uint32_t table, kernel_events *rows)
{
	const struct dwell *skeleton = kernel->skeleton;
	int error = kernel_empty_table(kernel,
		bpf_map__fd(table ? skeleton->maps.events_1 : skeleton->maps.events_0),
		kernel->sums, add_events, rows);

	if (!error)
		kernel->skeleton->bss->event_rows_used[table] = 0;
	return error;
}

/* Empties the table that is not active, if nobody writes it any more. */
static int empty_resting(struct kernel *kernel, kernel_events *rows, uint64_t patience_ns)
{
	uint32_t resting = !kernel->active_events;

	if (!kernel->has_resting)
		return 0;
	/* Patience is for the end, when no row is made any more: what comes later is missed. */
	if (!wait_for_claims(kernel, resting, patience_ns) && !patience_ns)
		return 0;
	kernel->has_resting = false;
	return empty_table(kernel, resting, rows);
}

int kernel_flip_events(
	struct kernel *kernel, kernel_events *rows, uint64_t patience_ns, bool *ret_has_rest)
{
	int error;

	*ret_has_rest = false;
	if (!kernel->options->event_count)
		return 0;
	error = empty_resting(kernel, rows, patience_ns);
	*ret_has_rest = kernel->has_resting;
	if (!error && !kernel->has_resting) {
		kernel->active_events = !kernel->active_events;
		kernel->has_resting = true;
		__atomic_store_n(&kernel->skeleton->bss->active_events,
			(uint32_t)kernel->active_events, __ATOMIC_SEQ_CST);
		error = empty_resting(kernel, rows, patience_ns);
	}
	return error;
}
