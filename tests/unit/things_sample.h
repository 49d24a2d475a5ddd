/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording, 10 s long, in which it is known what waits were for. Include after cmocka.
 *
 * 1 postgres: runs 1 s, has no CPU for 1 s, waits 4 s in 40 fdatasyncs of its log (jbd2 ended
 * them), 2 s for other files, 1 s for a file of a hostile name, and naps 1 s (a timer ended it),
 * where what is told, a socket, cannot be: no nap is for a socket.
 * 2 postgres: waits 10 s for a mutex, in 20 waits, which thread 1 let go and had at the longest.
 * 3 nginx: waits 6 s for its upstream and 4 s at eventfds, of which there are two.
 */
#ifndef DWELL_TESTS_THINGS_SAMPLE_H
#define DWELL_TESTS_THINGS_SAMPLE_H

#include "chain_sample.h"

#define HOSTILE_NAME "/tmp/\x1b[2Ja;b\n</script><b>&\xff"

/* Writes a thing, and returns its id. */
static inline uint64_t sample_thing(
	struct view_sample *sample, struct awaited thing, uint32_t process)
{
	struct rec_awaited awaited = {.thing = thing, .process = process};

	if (!thing.name)
		awaited.thing.name = "";
	if (!thing.place)
		awaited.thing.place = "";
	awaited.id = recording_awaited_id(&awaited);
	recording_writer_add_awaited(sample->writer, &awaited);
	return awaited.id;
}

/* Waits in slice 0 to 9, a tenth of the time and of the waits in each. */
static inline void sample_add_waits_for(struct view_sample *sample, struct rec_sum sum,
	uint64_t thing, uint64_t chain, bool has_hop)
{
	sum.awaited = thing;
	sum.ns /= 10;
	sum.count /= 10;
	for (uint32_t slice = 0; slice < 10; slice++) {
		const struct rec_share shares[2] = {{sum.ns, 0, 0}, {0, 0, 0}};
		sum.slice_first = sum.slice_last = slice;
		sample_add_wait(sample, sum, chain, has_hop ? shares : NULL, has_hop ? 2 : 0);
	}
}

static inline void sample_fill_things(struct view_sample *sample)
{
	uint64_t flush = sample_user(sample, "main;XLogFlush;fdatasync");
	uint64_t lock = sample_user(sample, "main;work;pthread_mutex_lock");
	uint64_t serve = sample_user(sample, "main;serve;epoll_wait");
	uint64_t sync = sample_kernel(sample, KERNEL_SYNC);
	uint64_t futex = sample_kernel(sample, KERNEL_FUTEX);
	uint64_t epoll = sample_kernel(sample, KERNEL_EPOLL);
	uint64_t nap = sample_kernel(sample, KERNEL_NAP);
	uint64_t woke = sample_kernel(sample, "ret_from_fork;kthread;kjournald2;try_to_wake_up");
	const struct rec_hop jbd2 = {
		HOP_TASK, "jbd2/vda1-8", woke, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop postgres = {
		HOP_TASK, "postgres", woke, flush, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop timer = {
		HOP_TIMER, "hrtimer_wakeup", woke, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	uint64_t by_jbd2 = sample_chain(sample, CHAIN_AWAKE, &jbd2, 1);
	uint64_t by_postgres = sample_chain(sample, CHAIN_AWAKE, &postgres, 1);
	uint64_t by_timer = sample_chain(sample, CHAIN_METAL, &timer, 1);
	uint64_t by_nobody = sample_chain(sample, CHAIN_NO_WAKER, NULL, 0);
	uint64_t log = sample_thing(sample,
		(struct awaited){AWAITED_FILE, false, "/var/lib/db/pg_wal/0001", "vda1", 0, 77}, 0);
	uint64_t files =
		sample_thing(sample, (struct awaited){.kind = AWAITED_FILE, .is_folded = true}, 0);
	uint64_t hostile = sample_thing(
		sample, (struct awaited){AWAITED_FILE, false, HOSTILE_NAME, "vda1", 0, 78}, 0);
	uint64_t mutex = sample_thing(sample,
		(struct awaited){AWAITED_FUTEX, false, "cache_lock", "postgres", 0, 0x4010}, 2);
	uint64_t upstream = sample_thing(
		sample, (struct awaited){AWAITED_TCP_TO, false, "10.0.0.5", "", 9000, 0}, 0);
	uint64_t events[2] = {
		sample_thing(sample, (struct awaited){.kind = AWAITED_EVENTFD, .address = 5}, 0),
		sample_thing(sample, (struct awaited){.kind = AWAITED_EVENTFD, .address = 6}, 0)};

	sample->meta.chain_depth = 8;
	sample_add_thread(sample, 1, "postgres", "postgres", false, 0, 10000 * MS,
		(uint64_t[]){1000 * MS, 1000 * MS, 0, 8000 * MS});
	sample_add_thread(sample, 2, "postgres", "postgres", false, 0, 10000 * MS,
		(uint64_t[]){0, 0, 0, 10000 * MS});
	sample_add_thread(sample, 3, "nginx", "nginx", false, 0, 10000 * MS,
		(uint64_t[]){0, 0, 0, 10000 * MS});
	for (uint32_t slice = 0; slice < 10; slice++) {
		sample_add_row(sample, 1, slice, TIME_RUNNING, 10, 100 * MS, 0, 0);
		sample_add_row(sample, 1, slice, TIME_WOKEN, 10, 100 * MS, flush, sync);
	}
	struct rec_sum disk = {.thread = 1,
		.user_stack = flush,
		.kernel_stack = sync,
		.task_letter = 'D',
		.count = 40,
		.ns = 4000 * MS};
	sample_add_waits_for(sample, disk, log, by_jbd2, true);
	disk.ns = 2000 * MS;
	sample_add_waits_for(sample, disk, files, by_jbd2, true);
	disk.ns = 1000 * MS;
	sample_add_waits_for(sample, disk, hostile, by_nobody, false);
	struct rec_sum own = {.thread = 1,
		.user_stack = flush,
		.kernel_stack = nap,
		.count = 10,
		.ns = 1000 * MS};
	sample_add_waits_for(sample, own, upstream, by_timer, true);
	struct rec_sum locked = {.thread = 2,
		.user_stack = lock,
		.kernel_stack = futex,
		.count = 20,
		.ns = 10000 * MS,
		.owner = 1};
	sample_add_waits_for(sample, locked, mutex, by_postgres, true);
	struct rec_sum polled = {.thread = 3,
		.user_stack = serve,
		.kernel_stack = epoll,
		.count = 60,
		.ns = 6000 * MS};
	sample_add_waits_for(sample, polled, upstream, by_postgres, true);
	polled.ns = 2000 * MS;
	for (size_t i = 0; i < 2; i++)
		sample_add_waits_for(sample, polled, events[i], by_postgres, true);
}

static inline void sample_open_things(struct view_sample *sample)
{
	sample_begin(sample, 10);
	sample_fill_things(sample);
	sample_finish(sample);
}

#endif
