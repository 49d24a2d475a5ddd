/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The service of thing_sample.h with calls. Include after it.
 *
 * shop:ask_price, of thread 2 ask: 11,900 calls of 100 us to 200 us, of which 4 ms blocked in all;
 * 100 of 25 ms, slow, that waited 2.0 s for the mutex cache_lock, held by refresher in fsync, had
 * no CPU for 250 ms and ran 250 ms, in parse by their samples; 100 more within others. One call has
 * not ended after 4 s, in the same wait. Half of them are in slice 1, the rest in slice 6.
 * syscall:fsync, of thread 3 refresher: 60 calls of 100 ms, two of them in error. 3 have not ended.
 * shop:never was not called. shop:ask_stock, of many threads, was called 10 times.
 */
#ifndef DWELL_TESTS_CALL_SAMPLE_H
#define DWELL_TESTS_CALL_SAMPLE_H

#include "contract/call.h"
#include "thing_sample.h"

enum { CALLS_ASK = 1, CALLS_FSYNC, CALLS_NEVER, CALLS_STOCK };

#define CALL_LOCK_STACK "main;serve;ask_price;pthread_mutex_lock;__lll_lock_wait"

static const struct rec_function call_functions[] = {
	{.id = CALLS_ASK,
		.name = "shop:ask_price",
		.kind = "function",
		.place = "/opt/shop/bin/shop",
		.rule = "p99",
		.slow_from_ns = 12582912,
		.price_ns = 900,
		.begun_before = 2,
		.left = 3,
		.unmatched = 1},
	{.id = CALLS_FSYNC,
		.name = "syscall:fsync",
		.kind = "syscall",
		.place = "",
		.rule = "1s",
		.slow_from_ns = 1000 * MS},
	{.id = CALLS_NEVER,
		.name = "shop:never",
		.kind = "function",
		.place = "/opt/shop/bin/shop",
		.rule = "p99"},
	{.id = CALLS_STOCK,
		.name = "shop:ask_stock",
		.kind = "function",
		.place = "/opt/shop/bin/shop",
		.rule = "p99",
		.slow_from_ns = 1000 * MS,
		.unmatched = 17},
};

/* So many calls of one length; their parts are running, woken, preempted and blocked time. */
static inline void sample_add_call(struct view_sample *sample, uint32_t function, uint32_t thread,
	uint32_t slice, uint64_t count, const uint64_t part_ns[TIME_STATES], unsigned int flags)
{
	struct rec_call call = {.function = function,
		.thread = thread,
		.slice = slice,
		.is_error = flags & CALL_IS_ERROR,
		.is_slow = flags & CALL_IS_SLOW,
		.is_inner = flags & CALL_IS_INNER,
		.count = count};

	for (int i = 0; i < TIME_STATES; i++) {
		call.part_ns[i] = part_ns[i];
		call.wall_ns += part_ns[i];
	}
	call.max_ns = call.wall_ns / count;
	call.band = call_band_of(call.max_ns);
	recording_writer_add_call(sample->writer, &call);
}

static inline void sample_add_slow(
	struct view_sample *sample, uint32_t function, struct rec_sum sum)
{
	uint64_t each_ns = sum.count ? sum.ns / sum.count : sum.ns;

	sum.slice_last = sum.slice_first;
	sum.first_ns = sum.state == TIME_SAMPLE ? 0 : sum.ns;
	sum.max_ns = sum.state == TIME_SAMPLE ? 0 : each_ns;
	sum.band = sum.state == TIME_SAMPLE ? 0 : band_of(each_ns);
	sum.task_letter = sum.state == TIME_BLOCKED ? 'S' : 0;
	recording_writer_add_slow(sample->writer, function, &sum);
}

static inline void sample_add_ask_calls(struct view_sample *sample, uint32_t slice)
{
	static const struct {
		uint64_t count, ran_us, blocked_us;
	} typical[] = {{3000, 100, 0}, {2500, 150, 0}, {450, 198, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(typical); i++)
		sample_add_call(sample, CALLS_ASK, 2, slice, typical[i].count,
			(uint64_t[]){typical[i].count * typical[i].ran_us * NS_PER_US, 0, 0,
				typical[i].count * typical[i].blocked_us * NS_PER_US},
			0);
	sample_add_call(sample, CALLS_ASK, 2, slice, 50,
		(uint64_t[]){125 * MS, 100 * MS, 25 * MS, 1000 * MS}, CALL_IS_SLOW);
	sample_add_call(
		sample, CALLS_ASK, 2, slice, 50, (uint64_t[]){5 * MS, 0, 0, 0}, CALL_IS_INNER);
}

/* What the slow ones of one slice waited and ran in. */
static inline void sample_add_slow_ask(
	struct view_sample *sample, uint32_t slice, uint64_t lock_ns, uint64_t cache)
{
	uint64_t index = sample_file(sample, INDEX_PATH);
	uint64_t store = sample_user(sample, "main;refresh;store;fsync");
	uint64_t fsync = sample_kernel(sample, KERNEL_FSYNC);
	const struct rec_hop hops[] = {
		{HOP_TASK, "refresher", STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE, 0},
		{HOP_DISK, "vda", STACK_NONE, STACK_NONE, fsync, store, index}};
	const struct rec_share shares[] = {{.ran_ns = 10 * MS}, {.ran_ns = lock_ns - 10 * MS}, {0}};
	struct rec_sum lock = {.thread = 2,
		.slice_first = slice,
		.state = TIME_BLOCKED,
		.kernel_stack = sample_kernel(sample, KERNEL_FUTEX),
		.user_stack = sample_user(sample, CALL_LOCK_STACK),
		.count = 50,
		.ns = lock_ns,
		.awaited = cache,
		.owner = 3,
		.chain = sample_chain(sample, CHAIN_METAL, hops, 2),
		.shares = shares,
		.share_count = 3};
	struct rec_sum ran = {.thread = 2,
		.slice_first = slice,
		.state = TIME_RUNNING,
		.count = 100,
		.ns = 125 * MS};
	struct rec_sum ready = {.thread = 2,
		.slice_first = slice,
		.state = TIME_WOKEN,
		.user_stack = lock.user_stack,
		.kernel_stack = lock.kernel_stack,
		.count = 50,
		.ns = 100 * MS};
	struct rec_sum sampled = {.thread = 2,
		.slice_first = slice,
		.state = TIME_SAMPLE,
		.user_stack = sample_user(sample, "main;serve;ask_price;parse"),
		.count = 20};

	sample_add_slow(sample, CALLS_ASK, lock);
	sample_add_slow(sample, CALLS_ASK, ran);
	sample_add_slow(sample, CALLS_ASK, ready);
	ready.state = TIME_PREEMPTED;
	ready.ns = 25 * MS;
	sample_add_slow(sample, CALLS_ASK, ready);
	sample_add_slow(sample, CALLS_ASK, sampled);
}

/* One that hangs in the same lock, with what it waited in. */
static inline void sample_add_stuck_ask(struct view_sample *sample, uint64_t cache)
{
	struct rec_open_call open = {.function = CALLS_ASK,
		.thread = 2,
		.is_slow = true,
		.wall_ns = 4000 * MS,
		.part_ns = {100 * MS, 0, 0, 3900 * MS},
		.state = TIME_BLOCKED,
		.kernel_stack = sample_kernel(sample, KERNEL_FUTEX),
		.user_stack = sample_user(sample, CALL_LOCK_STACK),
		.awaited = cache};
	struct rec_sum lock = {.thread = 2,
		.slice_first = 9,
		.state = TIME_BLOCKED,
		.kernel_stack = open.kernel_stack,
		.user_stack = open.user_stack,
		.ns = 3900 * MS,
		.awaited = cache,
		.owner = 3,
		.chain = sample_chain(sample, CHAIN_NOT_WOKEN, NULL, 0)};
	struct rec_sum ran = {
		.thread = 2, .slice_first = 9, .state = TIME_RUNNING, .count = 1, .ns = 100 * MS};

	recording_writer_add_open_call(sample->writer, &open);
	sample_add_slow(sample, CALLS_ASK, lock);
	sample_add_slow(sample, CALLS_ASK, ran);
}

static inline void sample_fill_calls(struct view_sample *sample)
{
	uint64_t cache = sample_futex(sample, "cache_lock", 0x4010);

	sample_fill_service(sample);
	for (size_t i = 0; i < ARRAY_SIZE(call_functions); i++)
		recording_writer_put_function(sample->writer, &call_functions[i]);
	for (uint32_t slice = 1; slice <= 6; slice += 5) {
		sample_add_ask_calls(sample, slice);
		sample_add_slow_ask(sample, slice, 1000 * MS, cache);
		sample_add_call(sample, CALLS_FSYNC, 3, slice, 29,
			(uint64_t[]){29 * MS, 0, 0, 29 * 99 * MS}, 0);
		sample_add_call(sample, CALLS_FSYNC, 3, slice, 1, (uint64_t[]){MS, 0, 0, 99 * MS},
			CALL_IS_ERROR);
		sample_add_call(
			sample, CALLS_STOCK, 0, slice, 5, (uint64_t[]){50 * NS_PER_US, 0, 0, 0}, 0);
	}
	recording_writer_begin_open_calls(sample->writer);
	sample_add_stuck_ask(sample, cache);
	for (uint64_t i = 1; i <= 3; i++)
		recording_writer_add_open_call(
			sample->writer, &(struct rec_open_call){.function = CALLS_FSYNC,
						.thread = 3,
						.wall_ns = i * 10 * MS,
						.part_ns = {i * 10 * MS},
						.state = TIME_RUNNING,
						.kernel_stack = STACK_NONE,
						.user_stack = STACK_NONE});
}

#endif
