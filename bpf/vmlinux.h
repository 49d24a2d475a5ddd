/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few kernel types that the programs touch, with CO-RE marks, so that field offsets come from
 * the running kernel's BTF and building needs no kernel at hand. UAPI constants stand here by
 * value.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_F_USER_STACK = 1 << 8,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_AVAIL_DATA = 0,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	u64 id;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup_root *root;
	struct cgroup *ancestors[];
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	/* One for each controller; how many there are is a matter of configuration. */
	struct cgroup_subsys_state *subsys[8];
	struct cgroup *dfl_cgrp;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[];
};

struct bpf_arena {
};

/* x86-64. cs is narrower on new kernels; CO-RE reads what is there. */
struct pt_regs {
	unsigned long r15;
	unsigned long bp;
	unsigned long bx;
	unsigned long r10;
	unsigned long ax;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
};

typedef struct {
	s64 counter;
} atomic_long_t;

struct list_head {
	struct list_head *next;
};

struct rw_semaphore {
	atomic_long_t owner;
};

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	void *pgd;
	struct rw_semaphore mmap_lock;
	unsigned long start_stack;
	unsigned long brk;
	int mm_lock_seq; /* since 6.4 */
	struct file *exe_file;
	struct uprobes_state uprobes_state;
};

/* Since 6.13. */
struct seqcount {
	unsigned int sequence;
};

struct mm_struct___counted {
	struct seqcount mm_lock_seq;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct file *vm_file;
};

/* Of a thread that is inside functions with a uretprobe. */
struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe;

struct uprobe_task {
	struct return_instance *return_instances;
	unsigned long vaddr;
	struct uprobe *active_uprobe;
	unsigned long xol_vaddr;
};

struct thread_info {
	u32 status;
	u32 cpu;
};

/* The queue of a cgroup's threads on a CPU. */
struct cfs_rq {
	int throttle_count;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	void *stack;
	unsigned int flags;
	int on_cpu;
	int on_rq;
	struct sched_entity se;
	bool throttled; /* since 6.18 */
	int exit_state;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct mm_struct *mm;
	char comm[16];
	struct css_set *cgroups;
	struct uprobe_task *utask;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned long min_flt;
	unsigned long maj_flt;
	struct files_struct *files;
	struct fs_struct *fs;
	struct mutex *blocked_on; /* since 6.17 */
	unsigned long blocker;    /* since 6.16, with CONFIG_DETECT_HUNG_TASK_BLOCKER */
};

/* What files and sockets are known by. */
struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct qstr {
	u32 len;
	const char *name;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	union {
		struct hlist_node d_alias;
	} d_u;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

/* Until 6.16 mounts of a file system were in a list. */
struct mount___listed {
	struct list_head mnt_instance;
};

struct super_block___listed {
	struct list_head s_mounts;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
	struct mount *s_mounts;
	char s_id[32];
};

struct mutex {
	atomic_long_t owner;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
	struct rw_semaphore i_rwsem;
	struct hlist_head i_dentry;
};

struct address_space {
	struct inode *host;
};

struct file {
	const void *f_op;
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct fs_struct {
	struct path root;
};

struct in6_addr {
	int words[4]; /* only where it is matters */
};

struct sock_common {
	u32 skc_daddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	unsigned char skc_state;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
	u32 sk_max_ack_backlog;
	__u16 sk_type;
};

struct socket {
	struct sock *sk;
};

struct sockaddr_un {
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct eventpoll {
	struct list_head rdllist;
};

struct epoll_filefd {
	struct file *file;
};

struct epitem {
	struct list_head rdllink;
	struct epoll_filefd ffd;
};

struct irqaction {
	const char *name;
};

struct hrtimer {
	void *function;
	u8 is_soft;
};

struct timer_list {
	void *function;
};

struct gendisk {
	char disk_name[32];
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
};

struct work_struct;
struct pool_workqueue;
struct seq_file;
struct linux_binprm;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
	u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
