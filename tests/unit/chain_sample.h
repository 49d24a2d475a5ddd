/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording with wake chains, 10 s long, for the tests of views and reports. Include after
 * view_sample.h.
 *
 * 1 postgres: runs 2 s, has no CPU for 2 s, and waits 6 s in fdatasync, in 600 waits. jbd2 ended
 * them, and had been woken by the disk. 2 postgres: runs 2 s, waits 4 s in a futex for another
 * postgres, which was in fdatasync, and 4 s in epoll_wait that its own timer ended. 3 jbd2/vda1-8:
 * runs 1 s, waits 5 s for the disk and 4 s in its main loop. 4 pgbench: runs 1 s; waits 7.5 s on a
 * socket for postgres, 6 s of it in one wait over slices 2 to 7, 0.75 s with a chain longer than is
 * kept, and 0.75 s for nobody.
 */
#ifndef DWELL_TESTS_CHAIN_SAMPLE_H
#define DWELL_TESTS_CHAIN_SAMPLE_H

#include "view_sample.h"

#define KERNEL_EPOLL                                                                               \
	KERNEL_ENTRY "__x64_sys_epoll_wait;do_epoll_wait;ep_poll;schedule_hrtimeout_range;"        \
		     "schedule"
#define KERNEL_RECV                                                                                \
	KERNEL_ENTRY "__x64_sys_recvfrom;__sys_recvfrom;tcp_recvmsg;sk_wait_data;wait_woken;"      \
		     "schedule_timeout;schedule"
#define KERNEL_COMMIT                                                                              \
	"ret_from_fork;kthread;kjournald2;jbd2_journal_commit_transaction;"                        \
	"__wait_on_buffer;io_schedule;schedule"
#define KERNEL_JOURNAL "ret_from_fork;kthread;kjournald2;schedule"

/* A chain with its stacks written; returns its id. */
static inline uint64_t sample_chain(struct view_sample *sample, enum chain_end end,
	const struct rec_hop *hops, uint32_t hop_count)
{
	struct rec_chain chain = {.hop_count = hop_count, .end = end, .hops = hops};

	chain.id = recording_chain_id(&chain);
	recording_writer_add_chain(sample->writer, &chain);
	return chain.id;
}

/* Waits with a chain, in one slice or over several. share_count is 0 for a chain without hops. */
static inline void sample_add_wait(struct view_sample *sample, struct rec_sum sum, uint64_t chain,
	const struct rec_share *shares, uint32_t share_count)
{
	uint64_t each_ns;

	sum.state = TIME_BLOCKED;
	sum.task_letter = sum.task_letter ? sum.task_letter : 'S';
	if (sum.slice_first == sum.slice_last)
		sum.first_ns = sum.ns;
	each_ns = sum.count ? sum.ns / sum.count : sum.ns;
	sum.max_ns = each_ns;
	sum.band = band_of(each_ns);
	sum.chain = chain;
	sum.shares = shares;
	sum.share_count = share_count;
	recording_writer_add_sum(sample->writer, &sum);
}

static inline void sample_fill_chains(struct view_sample *sample)
{
	uint64_t flush = sample_user(sample, "main;PostgresMain;XLogFlush;fdatasync");
	uint64_t locked = sample_user(sample, "main;PostgresMain;LWLockAcquire;sem_wait");
	uint64_t poll = sample_user(sample, "main;PostgresMain;epoll_wait");
	uint64_t unlock = sample_user(sample, "main;PostgresMain;LWLockRelease;sem_post");
	uint64_t send = sample_user(sample, "main;PostgresMain;pq_flush;send");
	uint64_t receive = sample_user(sample, "main;threadRun;recv");
	uint64_t sync = sample_kernel(sample, KERNEL_SYNC);
	uint64_t futex = sample_kernel(sample, KERNEL_FUTEX);
	uint64_t epoll = sample_kernel(sample, KERNEL_EPOLL);
	uint64_t socket = sample_kernel(sample, KERNEL_RECV);
	uint64_t commit = sample_kernel(sample, KERNEL_COMMIT);
	uint64_t journal = sample_kernel(sample, KERNEL_JOURNAL);
	uint64_t wake_log = sample_kernel(sample,
		"ret_from_fork;kthread;kjournald2;jbd2_journal_commit_transaction;__wake_up;"
		"try_to_wake_up");
	uint64_t wake_futex = sample_kernel(
		sample, KERNEL_ENTRY "__x64_sys_futex;do_futex;futex_wake;try_to_wake_up");
	uint64_t wake_socket = sample_kernel(
		sample, KERNEL_ENTRY "__x64_sys_sendto;tcp_sendmsg;net_rx_action;try_to_wake_up");
	uint64_t complete = sample_kernel(sample,
		"asm_common_interrupt;vring_interrupt;blk_mq_end_request;end_buffer_read_sync;"
		"try_to_wake_up");
	uint64_t expire = sample_kernel(sample,
		"asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;hrtimer_wakeup;try_to_wake_up");
	const struct rec_hop disk_woke_jbd2 = {
		HOP_DISK, "vda", complete, STACK_NONE, commit, STACK_NONE, 0};
	const struct rec_hop jbd2 = {
		HOP_TASK, "jbd2/vda1-8", wake_log, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop jbd2_woke_postgres = {
		HOP_TASK, "jbd2/vda1-8", wake_log, STACK_NONE, sync, STACK_NONE, 0};
	const struct rec_hop postgres_unlocked = {
		HOP_TASK, "postgres", wake_futex, unlock, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop postgres_sent = {
		HOP_SOFTIRQ_IN_TASK, "postgres", wake_socket, send, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop timer = {
		HOP_TIMER, "hrtimer_wakeup", expire, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop disk = {
		HOP_DISK, "vda", complete, STACK_NONE, STACK_NONE, STACK_NONE, 0};
	const struct rec_hop skipped = {HOP_TASK, "postgres", STACK_NO_WAKER_STACK,
		STACK_NO_WAKER_STACK, STACK_NONE, STACK_NONE, 0};

	uint64_t for_sync =
		sample_chain(sample, CHAIN_METAL, (struct rec_hop[]){jbd2, disk_woke_jbd2}, 2);
	uint64_t for_lock = sample_chain(sample, CHAIN_METAL,
		(struct rec_hop[]){postgres_unlocked, jbd2_woke_postgres, disk_woke_jbd2}, 3);
	uint64_t for_answer = sample_chain(sample, CHAIN_METAL,
		(struct rec_hop[]){postgres_sent, jbd2_woke_postgres, disk_woke_jbd2}, 3);
	uint64_t for_timer = sample_chain(sample, CHAIN_METAL, &timer, 1);
	uint64_t for_disk = sample_chain(sample, CHAIN_METAL, &disk, 1);
	uint64_t for_work = sample_chain(sample, CHAIN_AWAKE, &postgres_unlocked, 1);
	uint64_t cut = sample_chain(sample, CHAIN_DEPTH_LIMIT, &skipped, 1);
	uint64_t nobody = sample_chain(sample, CHAIN_NOT_WOKEN, NULL, 0);

	sample->meta.chain_depth = 8;
	sample_add_thread(sample, 1, "postgres", "postgres", false, 0, 10000 * MS,
		(uint64_t[]){2000 * MS, 2000 * MS, 0, 6000 * MS});
	sample_add_thread(sample, 2, "postgres", "postgres", false, 0, 10000 * MS,
		(uint64_t[]){2000 * MS, 0, 0, 8000 * MS});
	sample_add_thread(sample, 3, "jbd2/vda1-8", "jbd2/vda1-8", true, 0, 10000 * MS,
		(uint64_t[]){1000 * MS, 0, 0, 9000 * MS});
	sample_add_thread(sample, 4, "pgbench", "pgbench", false, 0, 10000 * MS,
		(uint64_t[]){1000 * MS, 0, 0, 9000 * MS});
	for (uint32_t slice = 0; slice < 10; slice++) {
		struct rec_sum wait = {.slice_first = slice, .slice_last = slice};
		sample_add_row(sample, 1, slice, TIME_RUNNING, 60, 200 * MS, 0, 0);
		sample_add_row(sample, 1, slice, TIME_WOKEN, 60, 200 * MS, flush, sync);
		sample_add_queue(sample, 1, slice, "batch", 130 * MS);
		sample_add_queue(sample, 1, slice, "kworker/1:0", 20 * MS);
		sample_add_queue(sample, 1, slice, "", 50 * MS);
		wait.thread = 1;
		wait.count = 60;
		wait.ns = 600 * MS;
		wait.user_stack = flush;
		wait.kernel_stack = sync;
		sample_add_wait(sample, wait, for_sync,
			(struct rec_share[]){{120 * MS, 12 * MS, 12 * MS}, {456 * MS, 0, 0}, {0}},
			3);

		sample_add_row(sample, 2, slice, TIME_RUNNING, 60, 200 * MS, 0, 0);
		wait.thread = 2;
		wait.count = 40;
		wait.ns = 400 * MS;
		wait.user_stack = locked;
		wait.kernel_stack = futex;
		sample_add_wait(sample, wait, for_lock,
			(struct rec_share[]){
				{28 * MS, 36 * MS, 0}, {56 * MS, 0, 0}, {280 * MS, 0, 0}, {0}},
			4);
		wait.count = 4;
		wait.user_stack = poll;
		wait.kernel_stack = epoll;
		sample_add_wait(
			sample, wait, for_timer, (struct rec_share[]){{400 * MS, 0, 0}, {0}}, 2);

		sample_add_row(sample, 3, slice, TIME_RUNNING, 60, 100 * MS, 0, 0);
		wait.thread = 3;
		wait.count = 50;
		wait.ns = 500 * MS;
		wait.user_stack = STACK_NONE;
		wait.kernel_stack = commit;
		sample_add_wait(
			sample, wait, for_disk, (struct rec_share[]){{500 * MS, 0, 0}, {0}}, 2);
		wait.ns = 400 * MS;
		wait.kernel_stack = journal;
		sample_add_wait(
			sample, wait, for_work, (struct rec_share[]){{400 * MS, 0, 0}, {0}}, 2);
	}
	for (uint32_t slice = 0; slice < 10; slice += slice == 1 ? 7 : 1)
		sample_add_row(sample, 4, slice, TIME_RUNNING, 10, 250 * MS, 0, 0);
	struct rec_sum wait = {.thread = 4, .user_stack = receive, .kernel_stack = socket};
	const struct rec_share answered[] = {
		{200 * MS, 150 * MS, 50 * MS}, {100 * MS, 0, 0}, {250 * MS, 0, 0}, {0}};
	wait.count = 2;
	wait.ns = 750 * MS;
	sample_add_wait(sample, wait, for_answer, answered, 4);
	wait.slice_first = wait.slice_last = 1;
	sample_add_wait(sample, wait, for_answer, answered, 4);
	wait.slice_first = wait.slice_last = 8;
	sample_add_wait(
		sample, wait, cut, (struct rec_share[]){{50 * MS, 0, 0}, {700 * MS, 0, 0}}, 2);
	wait.slice_first = wait.slice_last = 9;
	wait.count = 0;
	sample_add_wait(sample, wait, nobody, NULL, 0);
	wait.slice_first = 2;
	wait.slice_last = 7;
	wait.count = 1;
	wait.ns = 6000 * MS;
	wait.first_ns = wait.last_ns = 1000 * MS;
	sample_add_wait(sample, wait, for_answer,
		(struct rec_share[]){{1000 * MS + 1, 500 * MS - 1, 500 * MS}, {1000 * MS, 0, 0},
			{3000 * MS, 0, 0}, {0}},
		4);
}

#endif
