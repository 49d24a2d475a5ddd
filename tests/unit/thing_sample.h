/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings whose waits have things, for the tests of reports. Include after chain_sample.h.
 *
 * The service, 10 s: 1 postgres waits 5 s in epoll_wait, 3 s of it for clients on :5432 from two
 * hosts and 2 s for a signal, and 3 s in fdatasync of a file of the log; it runs 2 s. 2 ask waits 6
 * s for the mutex cache_lock, which refresher held, in fsync of index.db but for the last 1 s, and
 * had when the longest wait began; it waits 1 s for another mutex, and runs 3 s. 3 refresher runs 4
 * s, and waits 6 s in that fsync.
 */
#ifndef DWELL_TESTS_THING_SAMPLE_H
#define DWELL_TESTS_THING_SAMPLE_H

#include "chain_sample.h"

#define KERNEL_FSYNC                                                                               \
	KERNEL_ENTRY "__x64_sys_fsync;do_fsync;ext4_sync_file;folio_wait_bit_common;"              \
		     "io_schedule;schedule"
#define WAL_PATH "/var/lib/postgresql/15/main/pg_wal/000000010000000000000006"
#define INDEX_PATH "/srv/shop/index.db"

/* Writes a thing; returns its id. */
static inline uint64_t sample_thing(struct view_sample *sample, struct awaited thing)
{
	struct rec_awaited made = {.thing = thing};

	made.thing.name = thing.name ? thing.name : "";
	made.thing.place = thing.place ? thing.place : "";
	made.process = thing.kind == AWAITED_FUTEX ? 1 : 0;
	made.id = thing.is_folded ? (uint64_t)thing.kind : recording_awaited_id(&made);
	recording_writer_add_awaited(sample->writer, &made);
	return made.id;
}

static inline uint64_t sample_file(struct view_sample *sample, const char *path)
{
	return sample_thing(
		sample, (struct awaited){
				.kind = AWAITED_FILE, .name = path, .place = "vda1", .address = 7});
}

static inline uint64_t sample_futex(struct view_sample *sample, const char *name, uint64_t address)
{
	return sample_thing(sample,
		(struct awaited){
			.kind = AWAITED_FUTEX, .name = name, .place = "shop", .address = address});
}

/* Waits for a thing in slice 0, with a chain of which the waker has all the time, or without. */
static inline void sample_wait_for(struct view_sample *sample, uint32_t thread, uint64_t count,
	uint64_t ns, uint64_t user, uint64_t kernel, uint64_t thing, uint64_t chain)
{
	struct rec_sum sum = {.thread = thread,
		.count = count,
		.ns = ns,
		.user_stack = user,
		.kernel_stack = kernel,
		.awaited = thing};
	const struct rec_share shares[] = {{.ran_ns = ns}, {0}};

	sample_add_wait(sample, sum, chain, chain ? shares : NULL, chain ? 2 : 0);
}

/* One wait that has not ended after all of the window of one slice or more. */
static inline void sample_stick(struct view_sample *sample, uint32_t thread, const char *user,
	const char *kernel, uint64_t thing, uint32_t owner)
{
	struct rec_sum sum = {.thread = thread,
		.ns = 2000 * MS,
		.slice_last = 1,
		.first_ns = 1000 * MS,
		.last_ns = 1000 * MS,
		.user_stack = sample_user(sample, user),
		.kernel_stack = sample_kernel(sample, kernel),
		.awaited = thing,
		.owner = owner};
	uint64_t nobody = sample_chain(sample, CHAIN_NOT_WOKEN, NULL, 0);

	sample_add_wait(sample, sum, nobody, NULL, 0);
}

static inline void sample_fill_service(struct view_sample *sample)
{
	uint64_t epoll = sample_kernel(sample, KERNEL_EPOLL);
	uint64_t serve = sample_user(sample, "main;PostgresMain;epoll_wait");
	uint64_t lock = sample_user(sample, "main;ask;pthread_mutex_lock;__lll_lock_wait");
	uint64_t futex = sample_kernel(sample, KERNEL_FUTEX);
	uint64_t store = sample_user(sample, "main;refresh;store;fsync");
	uint64_t fsync = sample_kernel(sample, KERNEL_FSYNC);
	uint64_t cache = sample_futex(sample, "cache_lock", 0x4010);
	uint64_t index = sample_file(sample, INDEX_PATH);
	const struct rec_hop pgbench = {
		HOP_SOFTIRQ_IN_TASK, "pgbench", STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop peer = {
		HOP_TASK, "postgres", STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop refresher = {
		HOP_TASK, "refresher", STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop disk_woke = {
		HOP_DISK, "vda", STACK_NONE, STACK_NONE, fsync, store, index};
	const struct rec_hop disk = {
		HOP_DISK, "vda", STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	uint64_t for_client = sample_chain(sample, CHAIN_AWAKE, &pgbench, 1);
	uint64_t for_peer = sample_chain(sample, CHAIN_AWAKE, &peer, 1);
	uint64_t for_disk = sample_chain(sample, CHAIN_METAL, &disk, 1);
	uint64_t for_holder =
		sample_chain(sample, CHAIN_METAL, (struct rec_hop[]){refresher, disk_woke}, 2);
	const struct awaited client = {.kind = AWAITED_TCP_FROM, .name = "10.0.0.7", .port = 5432};
	struct awaited other = client;

	other.name = "10.0.0.8";
	sample->meta.chain_depth = 8;
	sample_add_thread(sample, 1, "postgres", "postgres", false, 0, 10000 * MS,
		(uint64_t[]){2000 * MS, 0, 0, 8000 * MS});
	sample_add_thread(sample, 2, "shop", "ask", false, 0, 10000 * MS,
		(uint64_t[]){3000 * MS, 0, 0, 7000 * MS});
	sample_add_thread(sample, 3, "shop", "refresher", false, 0, 10000 * MS,
		(uint64_t[]){4000 * MS, 0, 0, 6000 * MS});
	sample_add_row(sample, 1, 0, TIME_RUNNING, 100, 2000 * MS, 0, 0);
	sample_wait_for(
		sample, 1, 100, 2000 * MS, serve, epoll, sample_thing(sample, client), for_client);
	sample_wait_for(
		sample, 1, 50, 1000 * MS, serve, epoll, sample_thing(sample, other), for_client);
	sample_wait_for(sample, 1, 80, 2000 * MS, serve, epoll,
		sample_thing(sample, (struct awaited){.kind = AWAITED_SIGNALFD}), for_peer);
	sample_wait_for(sample, 1, 300, 3000 * MS, sample_user(sample, "main;XLogFlush;fdatasync"),
		sample_kernel(sample, KERNEL_SYNC), sample_file(sample, WAL_PATH), for_disk);
	sample_add_row(sample, 2, 0, TIME_RUNNING, 100, 3000 * MS, 0, 0);
	struct rec_sum sum = {.thread = 2,
		.count = 6,
		.ns = 6000 * MS,
		.user_stack = lock,
		.kernel_stack = futex,
		.awaited = cache,
		.owner = 3};
	sample_add_wait(sample, sum, for_holder,
		(struct rec_share[]){{.ran_ns = 1000 * MS}, {.ran_ns = 5000 * MS}, {0}}, 3);
	sample_wait_for(sample, 2, 10, 1000 * MS, lock, futex, sample_futex(sample, "", 0x5555), 0);
	sample_add_row(sample, 3, 0, TIME_RUNNING, 100, 4000 * MS, 0, 0);
	sample_wait_for(sample, 3, 60, 6000 * MS, store, fsync, index, for_disk);
}

#endif
