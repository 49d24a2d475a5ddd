// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel stacks as they were seen on real kernels, and the one word for each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/reason.h"
#include "stack_names.h"
#include "util/mem.h"

static enum reason reason_of(const char *text, bool is_kernel_thread, char letter)
{
	struct stack stack;
	enum reason reason;

	split(text, &stack);
	reason = reason_of_stack(stack.names, stack.count, is_kernel_thread, letter);
	free(stack.copy);
	return reason;
}

#define ENTRY ";do_syscall_64;entry_SYSCALL_64_after_hwframe"

static void user_waits_have_their_reason(void **state)
{
	static const struct {
		const char *stack;
		enum reason reason;
	} known[] = {
		{"schedule;io_schedule;folio_wait_bit_common;filemap_read;vfs_read" ENTRY,
			REASON_DISK},
		{"schedule;blk_mq_get_tag;__blk_mq_alloc_requests;submit_bio" ENTRY, REASON_DISK},
		{"schedule;jbd2_log_wait_commit;ext4_sync_file;do_fsync" ENTRY, REASON_JOURNAL},
		{"schedule;wait_transaction_locked;add_transaction_credits" ENTRY, REASON_JOURNAL},
		{"schedule;schedule_preempt_disabled;__mutex_lock.constprop.0;pipe_read" ENTRY,
			REASON_LOCK},
		{"schedule;rwsem_down_read_slowpath;down_read;do_user_addr_fault" ENTRY,
			REASON_LOCK},
		{"schedule;futex_wait_queue;futex_wait;do_futex;__x64_sys_futex" ENTRY,
			REASON_FUTEX},
		{"schedule;__rt_mutex_slowlock;futex_lock_pi;do_futex" ENTRY, REASON_LOCK},
		{"schedule;pipe_read;vfs_read;ksys_read" ENTRY, REASON_PIPE},
		{"schedule;anon_pipe_read;vfs_read;ksys_read" ENTRY, REASON_PIPE},
		{"schedule;schedule_timeout;wait_woken;sk_wait_data;tcp_recvmsg_locked" ENTRY,
			REASON_SOCKET},
		{"schedule;schedule_timeout;unix_stream_read_generic;unix_stream_recvmsg" ENTRY,
			REASON_SOCKET},
		{"schedule;schedule_timeout;__skb_wait_for_more_packets;__skb_recv_datagram;"
		 "unix_accept;do_accept" ENTRY,
			REASON_ACCEPT},
		{"schedule;schedule_timeout;__skb_wait_for_more_packets;__skb_recv_datagram;"
		 "unix_dgram_recvmsg;sock_recvmsg" ENTRY,
			REASON_SOCKET},
		{"schedule;schedule_timeout;inet_csk_accept;inet_accept;do_accept" ENTRY,
			REASON_ACCEPT},
		{"schedule;schedule_hrtimeout_range;poll_schedule_timeout.constprop.0;do_sys_poll",
			REASON_POLL},
		{"schedule;schedule_hrtimeout_range_clock;ep_poll;do_epoll_wait" ENTRY,
			REASON_POLL},
		{"schedule;do_nanosleep;hrtimer_nanosleep;common_nsleep" ENTRY, REASON_SLEEP},
		{"schedule;do_wait;kernel_wait4;__do_sys_wait4" ENTRY, REASON_CHILD},
		{"schedule;handle_userfault;do_anonymous_page;handle_mm_fault", REASON_FAULT},
		{"schedule;io_cqring_wait;__do_sys_io_uring_enter" ENTRY, REASON_IO_URING},
		{"schedule;schedule_timeout;wait_woken;n_tty_read;tty_read" ENTRY, REASON_TTY},
		{"schedule;sigsuspend;__x64_sys_rt_sigsuspend" ENTRY, REASON_SIGNAL},
		{"schedule;__x64_sys_pause" ENTRY, REASON_SIGNAL},
		{"schedule;__arm64_sys_pause;invoke_syscall;el0_svc", REASON_SIGNAL},
		{"schedule;schedule_timeout;wait_for_completion_killable;kernel_clone" ENTRY,
			REASON_VFORK},
		{"schedule;schedule_timeout;wait_for_completion;synchronize_rcu" ENTRY,
			REASON_KERNEL},
		{"schedule;schedule_timeout;wait_for_completion;some_driver_ioctl" ENTRY,
			REASON_KERNEL},
		{"schedule;schedule_timeout;some_driver_read;vfs_read" ENTRY, REASON_UNKNOWN},
		{"schedule;bit_wait;__wait_on_bit;out_of_line_wait_on_bit;some_driver" ENTRY,
			REASON_KERNEL},
		{"schedule;bit_wait_io;__wait_on_bit;out_of_line_wait_on_bit;some_driver" ENTRY,
			REASON_DISK},
		{"schedule;schedule_timeout;rng_dev_read;vfs_read" ENTRY, REASON_KERNEL},
		{"schedule;wait_for_completion;idempotent_init_module;__do_sys_finit_module;"
		 "do_init_module" ENTRY,
			REASON_KERNEL},
		{"schedule;fuse_dev_do_read;fuse_dev_read;vfs_read" ENTRY, REASON_PIPE},
		{"schedule;d_alloc_parallel;__lookup_slow;walk_component" ENTRY, REASON_LOCK},
		{"schedule;tun_do_read;tun_chr_read_iter;vfs_read" ENTRY, REASON_SOCKET},
		{"?;?;pipe_read;?", REASON_PIPE},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		enum reason got = reason_of(known[i].stack, false, 'S');
		if (got != known[i].reason)
			fail_msg("%s: %s, not %s", known[i].stack, reason_name(got),
				reason_name(known[i].reason));
	}
}

/* The kernel leaves its scheduler's inner functions out of stacks of threads that do not run: what
 * is left of them is the outermost. */
static void waits_from_before_the_recording_have_their_reason(void **state)
{
	static const struct {
		const char *stack;
		enum reason reason;
	} known[] = {
		{"schedule;anon_pipe_read;vfs_read;ksys_read" ENTRY, REASON_PIPE},
		{"mutex_lock;pipe_write;vfs_write;ksys_write" ENTRY, REASON_LOCK},
		{"down_write;do_rmdir;__x64_sys_rmdir" ENTRY, REASON_LOCK},
		{"io_schedule;folio_wait_bit_common;filemap_read" ENTRY, REASON_DISK},
		{"out_of_line_wait_on_bit;__sync_dirty_buffer;ext4_commit_super" ENTRY,
			REASON_DISK},
		{"do_nanosleep;hrtimer_nanosleep;common_nsleep" ENTRY, REASON_SLEEP},
		{"wait_for_completion;kernel_clone;__do_sys_vfork" ENTRY, REASON_VFORK},
		{"wait_for_completion;some_driver_ioctl" ENTRY, REASON_KERNEL},
		{"schedule_timeout;unix_stream_read_generic;sock_recvmsg" ENTRY, REASON_SOCKET},
		{"schedule_hrtimeout_range;ep_poll;do_epoll_wait" ENTRY, REASON_POLL},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		enum reason got = reason_of(known[i].stack, false, 'S');
		if (got != known[i].reason)
			fail_msg("%s: %s, not %s", known[i].stack, reason_name(got),
				reason_name(known[i].reason));
	}
}

static void a_disk_wait_inside_a_page_fault_is_a_disk_wait(void **state)
{
	const char *fault = "schedule;io_schedule;folio_wait_bit_common;filemap_fault;__do_fault;"
			    "handle_mm_fault;do_user_addr_fault;exc_page_fault;asm_exc_page_fault";
	struct stack stack;
	(void)state;

	assert_int_equal(reason_of(fault, false, 'D'), REASON_DISK);
	split(fault, &stack);
	assert_string_equal(reason_operation(stack.names, stack.count), "page fault");
	free(stack.copy);
}

static void a_weak_frame_gives_way_to_a_frame_that_says_more(void **state)
{
	(void)state;
	assert_int_equal(reason_of("schedule;wait_for_completion;blk_execute_rq;nvme_submit_sync",
				 false, 'D'),
		REASON_DISK);
}

static void kernel_threads_in_their_main_loops_are_told_from_those_at_work(void **state)
{
	(void)state;
	assert_int_equal(reason_of("schedule;worker_thread;kthread;ret_from_fork", true, 'I'),
		REASON_KTHREAD);
	assert_int_equal(reason_of("schedule;schedule_timeout;some_driver_main;kthread", true, 'S'),
		REASON_KTHREAD);
	assert_int_equal(reason_of("schedule;schedule_timeout;___down_common;__down_interruptible;"
				   "down_interruptible;some_driver_main;kthread",
				 true, 'S'),
		REASON_KTHREAD);
	/* Who wants a lock does not let itself be interrupted, and work is not the main loop. */
	assert_int_equal(
		reason_of("schedule;___down_common;down;some_driver_main;kthread", true, 'D'),
		REASON_LOCK);
	assert_int_equal(reason_of("schedule;___down_common;down_interruptible;do_the_work;"
				   "some_driver_main;kthread",
				 true, 'S'),
		REASON_LOCK);
	assert_int_equal(
		reason_of("schedule;kjournald2;kthread;ret_from_fork", true, 'S'), REASON_KTHREAD);
	assert_int_equal(
		reason_of("schedule;jbd2_journal_commit_transaction;kjournald2;kthread", true, 'D'),
		REASON_JOURNAL);
	assert_int_equal(reason_of("schedule;io_schedule;blk_mq_get_tag;wb_workfn;process_one_work;"
				   "worker_thread;kthread",
				 true, 'D'),
		REASON_DISK);
	assert_int_equal(
		reason_of("schedule;msleep;slow_work;process_one_work;worker_thread;kthread", true,
			'D'),
		REASON_KERNEL);
}

static void only_kernel_threads_have_main_loops(void **state)
{
	(void)state;
	assert_int_equal(reason_of("schedule;worker_thread;kthread", false, 'S'), REASON_UNKNOWN);
}

static void a_stopped_thread_is_stopped_wherever_it_is(void **state)
{
	(void)state;
	assert_int_equal(reason_of("schedule;pipe_read", false, 'T'), REASON_STOPPED);
	assert_int_equal(reason_of("schedule;ptrace_stop;get_signal", false, 't'), REASON_STOPPED);
	/* Frozen by cgroup v2, as on 6.18; what a signal's core dump waits for is something else.
	 */
	assert_int_equal(
		reason_of("__schedule;schedule;get_signal;arch_do_signal_or_restart", false, 'S'),
		REASON_STOPPED);
	assert_int_equal(reason_of("schedule;coredump_wait;do_coredump;get_signal", false, 'S'),
		REASON_KERNEL);
}

static void only_the_nanosleep_family_is_an_own_timer(void **state)
{
	const char *nap[] = {"schedule", "do_nanosleep", "hrtimer_nanosleep"};
	const char *poll[] = {"schedule", "schedule_hrtimeout_range", "do_sys_poll"};
	(void)state;

	assert_true(reason_is_own_timer(nap, 3));
	assert_false(reason_is_own_timer(poll, 3));
	assert_false(reason_is_own_timer(NULL, 0));
}

static void the_operation_is_the_system_call(void **state)
{
	const char *sync[] = {"schedule", NULL, "do_fsync", "__x64_sys_fdatasync", "do_syscall_64"};
	const char *arm[] = {"schedule", "__arm64_sys_ppoll", "invoke_syscall"};
	const char *inlined[] = {"anon_pipe_read", "ksys_read", "do_syscall_64"};
	const char *child[] = {"do_wait", "kernel_wait4", "do_syscall_64"};
	const char *none[] = {"schedule", "kernel_thing", "worker_thread"};
	(void)state;

	assert_string_equal(reason_operation(sync, 5), "fdatasync");
	assert_string_equal(reason_operation(arm, 3), "ppoll");
	assert_string_equal(reason_operation(inlined, 3), "read");
	assert_string_equal(reason_operation(child, 3), "wait4");
	assert_null(reason_operation(none, 3));
}

static void every_reason_has_a_word_and_a_letter_of_its_own(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < REASONS; i++) {
		enum reason found;
		assert_true(reason_from_name(reason_name((enum reason)i), &found));
		assert_int_equal(found, i);
		/* R and q are taken by running and runnable time. */
		assert_int_not_equal(reason_letter((enum reason)i), 'R');
		for (unsigned int j = 0; j < i; j++)
			assert_int_not_equal(
				reason_letter((enum reason)i), reason_letter((enum reason)j));
	}
}

static void a_reason_of_two_words_can_be_typed_as_one(void **state)
{
	enum reason found;

	(void)state;
	assert_true(reason_from_name("page-fault", &found));
	assert_int_equal(found, REASON_FAULT);
	assert_false(reason_from_name("page", &found));
	assert_false(reason_from_name("page-faults", &found));
	assert_false(reason_from_name("io-uring", &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_waits_have_their_reason),
		cmocka_unit_test(waits_from_before_the_recording_have_their_reason),
		cmocka_unit_test(a_disk_wait_inside_a_page_fault_is_a_disk_wait),
		cmocka_unit_test(a_weak_frame_gives_way_to_a_frame_that_says_more),
		cmocka_unit_test(kernel_threads_in_their_main_loops_are_told_from_those_at_work),
		cmocka_unit_test(only_kernel_threads_have_main_loops),
		cmocka_unit_test(a_stopped_thread_is_stopped_wherever_it_is),
		cmocka_unit_test(only_the_nanosleep_family_is_an_own_timer),
		cmocka_unit_test(the_operation_is_the_system_call),
		cmocka_unit_test(every_reason_has_a_word_and_a_letter_of_its_own),
		cmocka_unit_test(a_reason_of_two_words_can_be_typed_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
