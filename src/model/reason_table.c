// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table from kernel function names to reasons. Names are compared without the compiler's suffix
 * (.isra.0, .constprop.0); a pattern that ends in '*' is a prefix, and among patterns that match
 * one frame the exact one, then the longest prefix, wins. Weak patterns name helpers that many
 * subsystems wait in: they decide only if no frame towards the root says more.
 */
#include "model/reason_table.h"

#include <stdint.h>
#include <string.h>

#include "util/mem.h"

struct pattern {
	const char *name;
	enum reason reason;
};

/* clang-format off */
static const struct pattern patterns[] = {
	/* Sleeps that the scheduler itself marks as waiting for I/O. */
	{"io_schedule*", REASON_DISK},
	{"bit_wait_io*", REASON_DISK},
	{"wait_for_completion_io*", REASON_DISK},
	/* Page cache: a folio is locked or under writeback until its I/O is done. */
	{"folio_wait_*", REASON_DISK},
	{"__folio_lock*", REASON_DISK},
	{"wait_on_page_*", REASON_DISK},
	{"filemap_fdatawait*", REASON_DISK},
	{"__filemap_fdatawait*", REASON_DISK},
	{"file_write_and_wait_range", REASON_DISK},
	{"wait_on_buffer", REASON_DISK},
	{"sync_dirty_buffer", REASON_DISK},
	{"__sync_dirty_buffer", REASON_DISK},
	{"fsync_buffers_list", REASON_DISK},
	{"ext4_wait_block_bitmap", REASON_DISK},
	{"__wait_on_buffer", REASON_DISK},
	{"balance_dirty_pages*", REASON_DISK},
	{"wb_wait_for_completion", REASON_DISK},
	{"inode_wait_for_writeback", REASON_DISK},
	{"__inode_wait_for_writeback", REASON_DISK},
	{"inode_sleep_on_writeback", REASON_DISK},
	{"sync_blockdev*", REASON_DISK},
	{"sync_bdevs", REASON_DISK},
	{"sync_inodes_sb", REASON_DISK},
	/* Block layer: waits for a tag, a queue, a throttle, a flush. */
	{"blk_*", REASON_DISK},
	{"__blk_*", REASON_DISK},
	{"blkdev_*", REASON_DISK},
	{"__blkdev_*", REASON_DISK},
	{"submit_bio*", REASON_DISK},
	{"bio_*", REASON_DISK},
	{"rq_qos_*", REASON_DISK},
	{"wbt_*", REASON_DISK},
	{"iomap_*", REASON_DISK},
	{"__iomap_*", REASON_DISK},
	{"dio_*", REASON_DISK},
	{"__blockdev_direct_IO", REASON_DISK},
	/* Drivers below it. */
	{"nvme_*", REASON_DISK},
	{"scsi_*", REASON_DISK},
	{"ata_*", REASON_DISK},
	{"mmc_*", REASON_DISK},
	{"dm_*", REASON_DISK},
	{"md_*", REASON_DISK},
	{"loop_*", REASON_DISK},
	{"nbd_*", REASON_DISK},
	{"virtblk_*", REASON_DISK},
	{"elevator_*", REASON_DISK},
	{"del_gendisk", REASON_DISK},
	{"__del_gendisk", REASON_DISK},
	{"swap_read*", REASON_DISK},
	{"swap_write*", REASON_DISK},
	/* Linux AIO: io_getevents(). */
	{"read_events", REASON_DISK},
	{"do_io_getevents", REASON_DISK},

	/* ext4's journal: a commit, or room in it. */
	{"jbd2_*", REASON_JOURNAL},
	{"__jbd2_*", REASON_JOURNAL},
	{"wait_transaction_locked", REASON_JOURNAL},
	{"wait_transaction_switching", REASON_JOURNAL},
	{"add_transaction_credits", REASON_JOURNAL},
	{"start_this_handle", REASON_JOURNAL},
	{"do_get_write_access", REASON_JOURNAL},
	{"ext4_fc_*", REASON_JOURNAL},
	/* XFS, btrfs, f2fs. */
	{"xlog_*", REASON_JOURNAL},
	{"xfs_log_*", REASON_JOURNAL},
	{"btrfs_commit_transaction*", REASON_JOURNAL},
	{"btrfs_wait_for_commit", REASON_JOURNAL},
	{"wait_for_commit", REASON_JOURNAL},
	{"wait_current_trans", REASON_JOURNAL},
	{"f2fs_issue_checkpoint", REASON_JOURNAL},

	/* Locks of the kernel: somebody holds them. */
	{"mutex_lock*", REASON_LOCK},
	{"__mutex_lock*", REASON_LOCK},
	{"ww_mutex_lock*", REASON_LOCK},
	{"__ww_mutex_lock*", REASON_LOCK},
	{"rwsem_*", REASON_LOCK},
	{"down", REASON_LOCK},
	{"down_*", REASON_LOCK},
	{"__down", REASON_LOCK},
	{"__down_*", REASON_LOCK},
	{"___down_common", REASON_LOCK},
	{"percpu_down_*", REASON_LOCK},
	{"__percpu_down_*", REASON_LOCK},
	{"percpu_rwsem_wait", REASON_LOCK},
	{"rt_mutex_*", REASON_LOCK},
	{"__rt_mutex_*", REASON_LOCK},
	{"rtlock_*", REASON_LOCK},
	{"rt_spin_lock*", REASON_LOCK},
	{"lock_sock_nested", REASON_LOCK},
	{"__lock_sock", REASON_LOCK},
	{"lock_mm_and_find_vma", REASON_LOCK},
	/* Priority-inheriting futexes are locks by definition. */
	{"futex_lock_pi*", REASON_LOCK},
	/* File locks and System V semaphores, which programs use as locks. */
	{"locks_lock_inode_wait", REASON_LOCK},
	{"posix_lock_inode*", REASON_LOCK},
	{"flock_lock_inode*", REASON_LOCK},
	{"fcntl_setlk*", REASON_LOCK},
	{"do_lock_file_wait", REASON_LOCK},
	{"__break_lease", REASON_LOCK},
	{"do_semtimedop", REASON_LOCK},
	{"__do_semtimedop", REASON_LOCK},
	/* Another thread looks the same name up, or takes the same inode away. */
	{"d_alloc_parallel", REASON_LOCK},
	{"__wait_on_freeing_inode", REASON_LOCK},

	/* A lock, a condition variable or a semaphore: only user space knows which. */
	{"futex_*", REASON_FUTEX},
	{"__futex_*", REASON_FUTEX},
	{"do_futex", REASON_FUTEX},

	/* Bytes, counters and messages handed from one process to another. */
	{"pipe_*", REASON_PIPE},
	{"anon_pipe_*", REASON_PIPE},
	{"fifo_*", REASON_PIPE},
	{"wait_for_partner", REASON_PIPE},
	{"splice_from_pipe*", REASON_PIPE},
	{"splice_to_pipe", REASON_PIPE},
	{"eventfd_*", REASON_PIPE},
	{"do_msgrcv", REASON_PIPE},
	{"do_msgsnd", REASON_PIPE},
	{"do_mq_timed*", REASON_PIPE},
	{"wq_sleep", REASON_PIPE},
	{"ring_buffer_wait", REASON_PIPE},
	{"tracing_*", REASON_PIPE},
	{"fuse_dev_*", REASON_PIPE},

	/* __skb_wait_for_more_packets() is left out: below unix_accept() it waits for a caller. */
	{"sk_wait_data", REASON_SOCKET},
	{"sk_stream_wait_*", REASON_SOCKET},
	{"sock_*", REASON_SOCKET},
	{"__sock_*", REASON_SOCKET},
	{"__sys_recv*", REASON_SOCKET},
	{"__sys_send*", REASON_SOCKET},
	{"__sys_connect*", REASON_SOCKET},
	{"tcp_*", REASON_SOCKET},
	{"udp_*", REASON_SOCKET},
	{"udpv6_*", REASON_SOCKET},
	{"__skb_recv_udp", REASON_SOCKET},
	{"inet_*", REASON_SOCKET},
	{"__inet_*", REASON_SOCKET},
	{"unix_*", REASON_SOCKET},
	{"__unix_*", REASON_SOCKET},
	{"netlink_*", REASON_SOCKET},
	{"packet_*", REASON_SOCKET},
	{"vsock_*", REASON_SOCKET},
	{"raw_recvmsg", REASON_SOCKET},
	{"tun_*", REASON_SOCKET},
	{"mptcp_*", REASON_SOCKET},
	{"sctp_*", REASON_SOCKET},
	{"tls_*", REASON_SOCKET},
	{"bt_sock_*", REASON_SOCKET},
	/* Files on a server: the wait is for its answer. */
	{"rpc_*", REASON_SOCKET},
	{"nfs_*", REASON_SOCKET},
	{"nfs4_*", REASON_SOCKET},
	{"smb2_*", REASON_SOCKET},
	{"SMB2_*", REASON_SOCKET},
	{"__rpc_*", REASON_SOCKET},
	{"p9_*", REASON_SOCKET},
	{"cifs_*", REASON_SOCKET},
	{"ceph_*", REASON_SOCKET},

	{"inet_csk_accept", REASON_ACCEPT},
	{"inet_csk_wait_for_connect", REASON_ACCEPT},
	{"inet_accept", REASON_ACCEPT},
	{"unix_accept", REASON_ACCEPT},
	{"vsock_accept", REASON_ACCEPT},
	{"do_accept", REASON_ACCEPT},
	{"__sys_accept4*", REASON_ACCEPT},

	/* Many things at once; inotify and fanotify hand out events like epoll. */
	{"poll_schedule_timeout*", REASON_POLL},
	{"do_poll", REASON_POLL},
	{"do_sys_poll", REASON_POLL},
	{"do_select", REASON_POLL},
	{"core_sys_select", REASON_POLL},
	{"ep_poll", REASON_POLL},
	{"do_epoll_*", REASON_POLL},
	{"inotify_read", REASON_POLL},
	{"fanotify_read", REASON_POLL},
	{"do_syslog", REASON_POLL},
	{"devkmsg_read", REASON_POLL},
	{"evdev_read", REASON_POLL},
	{"hidraw_read", REASON_POLL},
	{"uio_read", REASON_POLL},
	{"seccomp_notify_ioctl", REASON_POLL},
	{"perf_read", REASON_POLL},

	/* The thread asked to sleep. */
	{"do_nanosleep", REASON_SLEEP},
	{"hrtimer_nanosleep*", REASON_SLEEP},
	{"common_nsleep*", REASON_SLEEP},
	{"do_cpu_nanosleep", REASON_SLEEP},
	{"alarm_timer_nsleep", REASON_SLEEP},
	{"alarmtimer_do_nsleep", REASON_SLEEP},
	{"timerfd_read*", REASON_SLEEP},

	/* wait4(), waitid(). */
	{"do_wait", REASON_CHILD},
	{"__do_wait", REASON_CHILD},
	{"kernel_wait4", REASON_CHILD},
	{"kernel_waitid", REASON_CHILD},
	{"zap_pid_ns_processes", REASON_CHILD},

	/* A disk or lock wait inside a fault has matched before: the leaf knows better. */
	{"handle_userfault", REASON_FAULT},
	{"handle_mm_fault", REASON_FAULT},
	{"__handle_mm_fault", REASON_FAULT},
	{"do_user_addr_fault", REASON_FAULT},
	{"exc_page_fault", REASON_FAULT},
	{"asm_exc_page_fault", REASON_FAULT},
	{"do_page_fault", REASON_FAULT},
	{"do_mem_abort", REASON_FAULT},

	/* Waits for completions, and its worker and poller threads. */
	{"io_cqring_wait*", REASON_IO_URING},
	{"__io_cqring_wait*", REASON_IO_URING},
	{"io_wq_worker", REASON_IO_URING},
	{"io_wqe_worker", REASON_IO_URING},
	{"io_sq_thread", REASON_IO_URING},
	{"io_uring_*", REASON_IO_URING},

	/* Terminals; the leaf is wait_woken(), which sockets use as well. */
	{"n_tty_*", REASON_TTY},
	{"tty_*", REASON_TTY},
	{"vt_waitactive", REASON_TTY},

	{"do_sigtimedwait", REASON_SIGNAL},
	{"sigsuspend", REASON_SIGNAL},
	{"signalfd_*", REASON_SIGNAL},
	{"sys_pause", REASON_SIGNAL},

	/* The parent of a vfork() waits here; wait_for_vfork_done() itself is often inlined. */
	{"wait_for_vfork_done", REASON_VFORK},
	{"kernel_clone", REASON_VFORK},
	{"copy_process", REASON_KERNEL},

	/* Job control, debuggers, the cgroup freezer. */
	{"do_signal_stop", REASON_STOPPED},
	{"ptrace_stop", REASON_STOPPED},
	{"ptrace_notify", REASON_STOPPED},
	{"do_jobctl_trap", REASON_STOPPED},
	{"do_freezer_trap", REASON_STOPPED},
	{"__refrigerator", REASON_STOPPED},

	/* Main loops that sleep in a helper; the others are known by their shape (see below). */
	{"worker_thread", REASON_KTHREAD},
	{"rescuer_thread", REASON_KTHREAD},
	{"kthread_worker_fn", REASON_KTHREAD},
	{"smpboot_thread_fn", REASON_KTHREAD},
	{"kthreadd", REASON_KTHREAD},
	{"rcu_gp_kthread", REASON_KTHREAD},
	{"rcu_gp_fqs_loop", REASON_KTHREAD},
	{"rcu_tasks_*", REASON_KTHREAD},
	{"rcu_nocb_*", REASON_KTHREAD},
	{"rcu_boost_kthread", REASON_KTHREAD},
	{"kswapd*", REASON_KTHREAD},
	{"kcompactd*", REASON_KTHREAD},
	{"khugepaged*", REASON_KTHREAD},
	{"ksm_scan_thread", REASON_KTHREAD},
	{"kauditd_thread", REASON_KTHREAD},
	{"kjournald2", REASON_KTHREAD},
	{"xfsaild", REASON_KTHREAD},
	{"transaction_kthread", REASON_KTHREAD},
	{"cleaner_kthread", REASON_KTHREAD},
	{"oom_reaper", REASON_KTHREAD},
	{"irq_thread", REASON_KTHREAD},
	{"hwrng_fillfn", REASON_KTHREAD},
	{"devtmpfsd", REASON_KTHREAD},
	{"scsi_error_handler", REASON_KTHREAD},
	{"md_thread", REASON_KTHREAD},
	{"vhost_task_fn", REASON_KTHREAD},
	/* What a worker does is work, not its main loop. */
	{"process_one_work", REASON_KERNEL},

	/* FUSE waits for a process, of which the kernel says nothing. */
	{"request_wait_answer", REASON_KERNEL},
	{"fuse_*", REASON_KERNEL},
	{"synchronize_rcu*", REASON_KERNEL},
	{"__synchronize_srcu", REASON_KERNEL},
	{"__wait_rcu_gp", REASON_KERNEL},
	{"rcu_barrier*", REASON_KERNEL},
	{"do_exit", REASON_KERNEL},
	{"srcu_barrier", REASON_KERNEL},
	{"rcu_barrier_tasks_generic", REASON_KERNEL},
	{"synchronize_rcu_tasks*", REASON_KERNEL},
	/* Randomness, core dumps, modules and their helpers, devices, memory that is short. */
	{"rng_dev_read", REASON_KERNEL},
	{"wait_for_random_bytes", REASON_KERNEL},
	{"do_coredump", REASON_KERNEL},
	{"coredump_wait", REASON_KERNEL},
	{"wait_for_dump_helpers", REASON_KERNEL},
	{"seccomp_do_user_notification", REASON_KERNEL},
	{"__request_module", REASON_KERNEL},
	{"call_usermodehelper*", REASON_KERNEL},
	{"load_module", REASON_KERNEL},
	{"finit_module*", REASON_KERNEL},
	{"init_module*", REASON_KERNEL},
	{"do_init_module", REASON_KERNEL},
	{"wait_for_device_probe", REASON_KERNEL},
	{"async_synchronize*", REASON_KERNEL},
	{"wait_for_key_construction", REASON_KERNEL},
	{"autofs_wait", REASON_KERNEL},
	{"kvm_vcpu_*", REASON_KERNEL},
	{"dma_fence_*", REASON_KERNEL},
	{"snd_*", REASON_KERNEL},
	{"drm_*", REASON_KERNEL},
	{"usb_*", REASON_KERNEL},
	{"throttle_direct_reclaim", REASON_KERNEL},
	{"reclaim_throttle", REASON_KERNEL},
	{"try_to_free_*", REASON_KERNEL},
	{"mem_cgroup_*", REASON_KERNEL},
	{"__mem_cgroup_handle_over_high", REASON_KERNEL},
	{"cgroup_*", REASON_KERNEL},
};

/* Helpers that many subsystems wait in: REASON_KERNEL if no frame says more. */
static const char *const weak_patterns[] = {
	"wait_for_completion*",
	"__wait_on_bit*",
	"out_of_line_wait_on_bit*",
	"bit_wait*",
	"wait_on_bit*",
	"__wait_on_atomic*",
	"drain_workqueue",
	"flush_workqueue*",
	"__flush_workqueue",
	"percpu_ref_*",
	"wait_for_common*",
	"__wait_for_common",
	"flush_work*",
	"__flush_work*",
	"kthread_stop",
	"kthread_park*",
	"stop_one_cpu",
	"msleep*",
	"usleep_range*",
	"fsleep",
};

/* Frames of the scheduler and of waiting as such: they say nothing about the reason. */
static const char *const scheduling[] = {
	"__schedule", "schedule", "schedule_timeout*", "schedule_hrtimeout*", "schedule_preempt_disabled",
	"schedule_idle", "wait_woken", "__cond_resched", "preempt_schedule*", "schedule_debug", "io_schedule*",
};
/* clang-format on */

static size_t bare_length(const char *name)
{
	return name[0] == '.' ? strlen(name) : strcspn(name, ".");
}

/* How well pattern fits: 0 not at all, else more for a better fit. */
static size_t fit(const char *pattern, const char *name, size_t length)
{
	size_t wanted = strlen(pattern);

	if (wanted && pattern[wanted - 1] == '*')
		return wanted - 1 <= length && !memcmp(pattern, name, wanted - 1) ? wanted : 0;
	return wanted == length && !memcmp(pattern, name, length) ? SIZE_MAX : 0;
}

bool reason_table_fits(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (fit(list[i], name, bare_length(name)))
			return true;
	return false;
}

bool reason_table_find(const char *name, enum reason *ret)
{
	const struct pattern *best = NULL;
	size_t best_fit = 0;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		size_t how_well = fit(patterns[i].name, name, bare_length(name));
		if (how_well > best_fit) {
			best_fit = how_well;
			best = &patterns[i];
		}
	}
	if (best)
		*ret = best->reason;
	return best != NULL;
}

bool reason_table_is_weak(const char *name)
{
	return reason_table_fits(weak_patterns, ARRAY_SIZE(weak_patterns), name);
}

bool reason_is_scheduler(const char *name)
{
	return reason_table_fits(scheduling, ARRAY_SIZE(scheduling), name);
}
