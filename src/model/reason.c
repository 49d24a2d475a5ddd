// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table from kernel function names to reasons. Names are compared without the compiler's suffix
 * (.isra.0, .constprop.0); a pattern that ends in '*' is a prefix, and among patterns that match
 * one frame the exact one, then the longest prefix, wins. Weak patterns name helpers that many
 * subsystems wait in: they decide only if no frame towards the root says more.
 */
#include "model/reason.h"

#include <stdint.h>
#include <string.h>

#include "util/mem.h"

static const struct {
	const char *name;
	char letter;
} words[REASONS] = {
	[REASON_UNKNOWN] = {"other", 'X'},
	[REASON_DISK] = {"disk", 'D'},
	[REASON_JOURNAL] = {"journal", 'J'},
	[REASON_LOCK] = {"lock", 'L'},
	[REASON_FUTEX] = {"futex", 'F'},
	[REASON_PIPE] = {"pipe", 'P'},
	[REASON_SOCKET] = {"socket", 'S'},
	[REASON_ACCEPT] = {"accept", 'A'},
	[REASON_POLL] = {"poll", 'O'},
	[REASON_SLEEP] = {"sleep", 'Z'},
	[REASON_CHILD] = {"child", 'C'},
	[REASON_FAULT] = {"page fault", 'G'},
	[REASON_IO_URING] = {"io_uring", 'U'},
	[REASON_TTY] = {"tty", 'Y'},
	[REASON_SIGNAL] = {"signal", 'I'},
	[REASON_VFORK] = {"vfork", 'V'},
	[REASON_STOPPED] = {"stopped", 'T'},
	[REASON_KERNEL] = {"kernel", 'K'},
	[REASON_KTHREAD] = {"kernel thread", 'M'},
};

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
	{"__wait_on_buffer", REASON_DISK},
	{"balance_dirty_pages*", REASON_DISK},
	{"wb_wait_for_completion", REASON_DISK},
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
	/* Files on a server: the wait is for its answer. */
	{"rpc_*", REASON_SOCKET},
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
	{"__refrigerator", REASON_KERNEL},
	{"do_exit", REASON_KERNEL},
};

/* Helpers that many subsystems wait in: REASON_KERNEL if no frame says more. */
static const char *const weak_patterns[] = {
	"wait_for_completion*",
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

/* Syscall entries, the outermost first; "sys_" alone is how some architectures spell them. */
static const char *const entries[] = {
	"__x64_sys_", "__arm64_sys_", "__riscv_sys_", "__s390x_sys_", "__ia32_sys_",
	"__ia32_compat_sys_", "__arm64_compat_sys_", "__do_sys_", "__se_sys_", "sys_",
};

/* What is left of an entry that the compiler made part of the dispatcher. */
static const char *const inner_entries[] = {"ksys_", "__sys_", "do_sys_", "kernel_"};
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

/* The name of the syscall whose entry this is, NULL if it is none. */
static const char *syscall_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		size_t length = strlen(entries[i]);
		if (!strncmp(name, entries[i], length) && name[length])
			return name + length;
	}
	return NULL;
}

static const struct pattern *find_pattern(const char *name)
{
	const char *syscall = syscall_of(name);
	const struct pattern *best = NULL;
	size_t best_fit = 0;

	/* Every architecture's entry is looked up as sys_NAME. */
	if (syscall)
		name = !strcmp(syscall, "pause") ? "sys_pause" : "";
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		size_t how_well = fit(patterns[i].name, name, bare_length(name));
		if (how_well > best_fit) {
			best_fit = how_well;
			best = &patterns[i];
		}
	}
	return best;
}

static bool is_one_of(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (fit(list[i], name, bare_length(name)))
			return true;
	return false;
}

bool reason_is_scheduler(const char *name)
{
	return is_one_of(scheduling, ARRAY_SIZE(scheduling), name);
}

/*
 * A kernel thread's main loop is the function that kthread() called; if nothing but the scheduler
 * lies below it, the thread waits for its next task, whatever driver it belongs to.
 */
static bool has_main_loop_shape(const char *const *names, size_t count)
{
	size_t i = 0;

	while (i < count && names[i] && reason_is_scheduler(names[i]))
		i++;
	return i + 1 < count && names[i + 1] && !strcmp(names[i + 1], "kthread");
}

enum reason reason_of_stack(
	const char *const *names, size_t count, bool is_kernel_thread, char letter)
{
	enum reason weak = REASON_UNKNOWN;

	if (letter == 'T' || letter == 't')
		return REASON_STOPPED;
	for (size_t i = 0; i < count; i++) {
		const struct pattern *pattern = names[i] ? find_pattern(names[i]) : NULL;
		if (pattern && (pattern->reason != REASON_KTHREAD || is_kernel_thread))
			return pattern->reason;
		if (names[i] && is_one_of(weak_patterns, ARRAY_SIZE(weak_patterns), names[i]))
			weak = REASON_KERNEL;
	}
	/* TASK_IDLE exists for kernel threads that wait for something to do. */
	if (is_kernel_thread && (letter == 'I' || has_main_loop_shape(names, count)))
		return REASON_KTHREAD;
	return weak;
}

bool reason_is_own_timer(const char *const *names, size_t count)
{
	static const char *const family[] = {"do_nanosleep", "hrtimer_nanosleep*", "common_nsleep*",
		"do_cpu_nanosleep", "alarm_timer_nsleep", "alarmtimer_do_nsleep"};

	for (size_t i = 0; i < count; i++)
		if (names[i] && is_one_of(family, ARRAY_SIZE(family), names[i]))
			return true;
	return false;
}

/* Is frame i the one that calls system calls by number? Then its callee is one. */
static bool is_dispatcher(const char *const *names, size_t count, size_t i)
{
	static const char *const dispatchers[] = {"do_syscall_64", "x64_sys_call",
		"do_fast_syscall_32", "invoke_syscall*", "el0_svc*"};

	return i < count && names[i] && is_one_of(dispatchers, ARRAY_SIZE(dispatchers), names[i]);
}

const char *reason_operation(const char *const *names, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		const char *syscall = names[i] ? syscall_of(names[i]) : NULL;
		if (syscall)
			return syscall;
	}
	for (size_t i = count; i-- > 0;)
		for (size_t j = 0; names[i] && j < ARRAY_SIZE(inner_entries); j++)
			if (!strncmp(names[i], inner_entries[j], strlen(inner_entries[j])) &&
				is_dispatcher(names, count, i + 1))
				return names[i] + strlen(inner_entries[j]);
	for (size_t i = 0; i < count; i++)
		if (names[i] && (!strcmp(names[i], "asm_exc_page_fault") ||
					!strcmp(names[i], "exc_page_fault") ||
					!strcmp(names[i], "do_mem_abort")))
			return "page fault";
	return NULL;
}

const char *reason_name(enum reason reason)
{
	return (unsigned int)reason < REASONS ? words[reason].name : words[0].name;
}

char reason_letter(enum reason reason)
{
	return (unsigned int)reason < REASONS ? words[reason].letter : words[0].letter;
}

bool reason_from_name(const char *name, enum reason *ret)
{
	for (unsigned int i = 0; i < REASONS; i++)
		if (!strcmp(words[i].name, name)) {
			*ret = (enum reason)i;
			return true;
		}
	return false;
}
