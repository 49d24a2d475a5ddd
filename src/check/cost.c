// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of a recording: switches are counted by the programs themselves with stacks switched
 * off, then two threads of our own pass a byte to and fro, once with stacks and once without, and
 * the difference is the price of a pair of stacks on this machine. Real stacks may be deeper.
 */
#include "check/cost.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "kernel/kernel.h"
#include "util/clock.h"
#include "util/units.h"

#define CALIBRATION_NS (200 * NS_PER_MS)
/* Longer together than the kernel side remembers which stacks it has sent. */
#define LEARNING_NS (60 * NS_PER_MS)
#define LEARNING_ROUNDS 8
#define SMALL_MEMORY (16ULL << 20)

struct run {
	uint64_t counters[COUNTERS];
	uint64_t target_switches;
	uint64_t threads;
};

static void pause_for(uint64_t ns)
{
	struct timespec pause = {
		.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};

	nanosleep(&pause, NULL);
}

static int count_rows(struct kernel *kernel, struct run *run)
{
	kernel_rows rows = {0};
	kernel_waits waits = {0};
	kernel_threads threads = {0};
	uint64_t flipped_ns;
	int error = kernel_flip(kernel, &rows, &waits, &flipped_ns);

	vec_each (row, &rows)
		if (row->key.state == TIME_RUNNING)
			run->target_switches += row->sum.count;
	if (!error)
		error = kernel_read_threads(kernel, &threads);
	run->threads = threads.count;
	vec_clear(&rows);
	vec_clear(&waits);
	vec_clear(&threads);
	return error;
}

static void ignore_thread(void *context, const struct record_thread *thread)
{
	(void)context;
	(void)thread;
}

/* A recording knows its stacks after a moment, and that is what its switches cost from then on. */
static void learn_stacks(struct kernel *kernel, void (*load)(uint64_t until_ns))
{
	for (int i = 0; i < LEARNING_ROUNDS; i++) {
		load(clock_monotonic_ns() + LEARNING_NS);
		kernel_learn(kernel);
	}
}

/* One window with the programs attached; `load` runs in it, or it is just waited for. */
static int run_window(const struct capture_options *options, uint64_t window_ns,
	void (*load)(uint64_t until_ns), struct run *ret, struct why *why)
{
	struct kernel_symbols *symbols = NULL;
	struct kernel *kernel = NULL;
	uint64_t before[COUNTERS] = {0}, start;

	if (options->has_stacks)
		kernel_symbols_new(&symbols, why);
	memset(ret, 0, sizeof(*ret));
	int error = kernel_new(options, NULL, &kernel, why);
	if (!error)
		error = kernel_load(kernel, why);
	if (!error)
		error = kernel_set_symbols(kernel, symbols, why);
	if (!error)
		error = kernel_attach(kernel, why);
	if (!error)
		error = kernel_read_start(kernel, ignore_thread, NULL, why);
	if (!error && load && options->has_stacks)
		learn_stacks(kernel, load);
	if (!error)
		kernel_counters(kernel, before);
	if (!error)
		error = kernel_open_window(kernel, 0, window_ns, &start, why);
	if (!error) {
		if (load)
			load(start + window_ns);
		else
			pause_for(window_ns);
		kernel_counters(kernel, ret->counters);
		for (size_t i = 0; i < COUNTERS; i++)
			ret->counters[i] -= before[i];
		error = count_rows(kernel, ret);
		if (error)
			why_set(why, error, "cannot read the kernel's tables: %s",
				strerror(-error));
	}
	kernel_free(kernel);
	kernel_symbols_free(symbols);
	return error;
}

struct pair {
	int in[2], out[2];
};

static void *echo(void *context)
{
	struct pair *pair = context;
	char byte;

	while (read(pair->in[0], &byte, 1) == 1)
		if (write(pair->out[1], &byte, 1) != 1)
			break;
	return NULL;
}

/* Passes a byte between two threads until then: two switches a round. */
static void ping_pong(uint64_t until_ns)
{
	struct pair pair;
	pthread_t other;
	char byte = 0;

	if (pipe(pair.in))
		return;
	if (pipe(pair.out)) {
		close(pair.in[0]);
		close(pair.in[1]);
		return;
	}
	if (!pthread_create(&other, NULL, echo, &pair)) {
		while (clock_monotonic_ns() < until_ns)
			if (write(pair.in[1], &byte, 1) != 1 || read(pair.out[0], &byte, 1) != 1)
				break;
		close(pair.in[1]);
		pthread_join(other, NULL);
	} else {
		close(pair.in[1]);
	}
	close(pair.in[0]);
	close(pair.out[0]);
	close(pair.out[1]);
}

/* Mean time of a switch program and of the wake that goes with it. */
static double ns_per_switch(const struct run *run)
{
	const uint64_t *counters = run->counters;
	double ns = 0;

	if (counters[COUNTER_SWITCH_TIMED])
		ns += (double)counters[COUNTER_SWITCH_TIMED_NS] /
		      (double)counters[COUNTER_SWITCH_TIMED];
	if (counters[COUNTER_WAKE_TIMED] && counters[COUNTER_SWITCHES])
		ns += (double)counters[COUNTER_WAKE_TIMED_NS] /
		      (double)counters[COUNTER_WAKE_TIMED] * (double)counters[COUNTER_WAKES] /
		      (double)counters[COUNTER_SWITCHES];
	return ns;
}

int cost_measure(
	const struct capture_options *target, uint64_t window_ns, struct cost *ret, struct why *why)
{
	struct capture_options watch = *target, own = *target;
	struct run watched, with, without;
	uint32_t self = (uint32_t)getpid();

	watch.has_stacks = false;
	watch.sample_hz = 0;
	watch.memory_bytes = SMALL_MEMORY;
	own = watch;
	own.target = TARGET_PIDS;
	own.ids = &self;
	own.id_count = 1;
	own.has_self = true;
	own.has_user_threads = true;
	int error = run_window(&watch, window_ns, NULL, &watched, why);
	if (!error)
		error = run_window(&own, CALIBRATION_NS, ping_pong, &without, why);
	own.has_stacks = true;
	if (!error)
		error = run_window(&own, CALIBRATION_NS, ping_pong, &with, why);
	if (error)
		return error;

	struct cost cost = {.window_ns = window_ns,
		.switches = watched.counters[COUNTER_SWITCHES],
		.target_switches = watched.target_switches,
		.threads = watched.threads,
		.bare_ns =
			ns_per_switch(watched.counters[COUNTER_SWITCH_TIMED] ? &watched : &without),
		.stack_ns = ns_per_switch(&with) - ns_per_switch(&without)};
	if (cost.stack_ns < 0)
		cost.stack_ns = 0;
	/* Any thread may wake a target: with chains stacks are taken of all threads. */
	uint64_t with_stacks = target->depth ? cost.switches : cost.target_switches;
	cost.share = ((double)cost.switches * cost.bare_ns + (double)with_stacks * cost.stack_ns) /
		     (double)window_ns;
	*ret = cost;
	return 0;
}
