/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs keep: settings fixed at load time, the window, one state per thread in task
 * storage, and for each CPU counters, what it is in, and room for stacks.
 *
 * Invariant of the books: `state`, `since` and the totals of a thread are written by sched_switch
 * alone (after creation), but for the moment in which a thread that wakes another comes near;
 * of the thread that is woken a waker writes `wake` and nothing else.
 */
#ifndef DWELL_STATE_BPF_H
#define DWELL_STATE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "contract/contract.h"
#include "contract/walk.h"
#include "load.bpf.h"
#include "metal_stack.bpf.h"

/* Fixed before loading. User space sees these by the skeleton: only types that it has, too. */
const volatile __u32 cfg_target_kind = TARGET_ALL;
const volatile bool cfg_user_threads = true;
const volatile bool cfg_kernel_threads = true;
const volatile __u32 cfg_user_stacks = USER_STACKS_TABLE;
const volatile bool cfg_stacks = true;
/* False: events have stacks, waits have none. */
const volatile bool cfg_time_stacks = true;
const volatile bool cfg_skip_self = true;
const volatile __u32 cfg_self_pid;
const volatile __u32 cfg_command_pid; /* a child of ours that is no helper; 0: none */
/* dwell's own pid namespace; 0: the initial one. */
const volatile __u32 cfg_pid_namespace;
const volatile __u64 cfg_slice_ns = 1000000000;
const volatile __u64 cfg_min_wait_ns;
const volatile __u64 cfg_max_wait_ns = ~0ULL;
const volatile __u32 cfg_seen_mask;
const volatile __u32 cfg_event_seen_mask;
/* Bytes in the ring above which no stack is sent: births and ends must find room. */
const volatile __u64 cfg_ring_for_stacks = ~0ULL;
/* A comm glob as a bit-parallel automaton, see src/kernel/glob.h. */
const volatile __u32 cfg_glob_step[256];
const volatile __u32 cfg_glob_star;
const volatile __u32 cfg_glob_accept;
const volatile __u64 cfg_cgroup_id;
const volatile int cfg_cgroup_hierarchy;
/* Hops kept of each chain of wakers; 0: no chains. */
const volatile __u32 cfg_depth;
/* Wakers of shorter waits get no stack. */
const volatile __u64 cfg_waker_stacks_from;

/* Set by on_open and on_close. Outside [window_start, window_end) no time counts. */
volatile __u64 window_start = ~0ULL;
volatile __u64 window_end = ~0ULL;
/* Tables of rows have slots: two are filled in turn, the others are for larger ones. */
#define TABLE_SLOTS 4
volatile __u32 active_table;
/* The processes of the start have their unwind tables: one without tables is new from now on. */
volatile __u32 tables_are_ready;
/* Counts maps of mappings that were published or taken back. */
volatile __u32 map_time;
/* As many of a table's waits may have chains of several hops; set by user space. */
__u64 whole_waits[TABLE_SLOTS];

/*
 * What is above is read at every switch, what is below is written by all CPUs: on one cache line
 * each new row would take it away from every other CPU. What follows is on others again.
 */
#define OWN_LINE __attribute__((aligned(64)))
/* Rows used in each table; user space zeroes it after draining. */
__u64 rows_used[TABLE_SLOTS] OWN_LINE;
__u64 waits_used[TABLE_SLOTS];
/* Events whose number was below 0 or absurd: counted, with the value 0. */
__u64 odd_values;
/* Sampled blocks whose free will not be told, for want of room. */
__u64 untracked_blocks;
/* Counts switch-outs that lacked tables, so that user space need not look for them in vain. */
volatile __u32 stacks_lacking;

__u32 last_thread;
__u32 last_image;

/*
 * Images of which a thread has come near, by their low bits: a server may make a thread for each
 * request, whose only wake is its last deed. Where two share a place, one is forgotten.
 */
#define NEAR_IMAGES 1024
volatile __u32 near_images[NEAR_IMAGES] OWN_LINE;

/* thread.state beyond enum time_state. */
enum {
	THREAD_NEW = 100,  /* there at the start, no event seen yet */
	THREAD_DEAD = 101, /* closed */
};

/* The hop that a thread was when it woke somebody, and what it was made from. */
struct waker {
	u64 name[CONTRACT_COMM_WORDS];
	u64 kernel_stack;
	u64 user_stack;
	u64 who; /* record_hop.id; 0: none */
};

/*
 * The thing that a thread waited for last, which is mostly the one that it waits for now; known by
 * a number made of what tells it from others, see key_of_file() and thing_of_futex().
 */
struct await_memo {
	u64 key; /* 0: nothing */
	u64 id;
};

/*
 * What only some waits need to know of what they are for, see awaited.bpf.h: on a cache line of its
 * own, which a wait for an epoll set does not touch.
 */
struct await {
	u64 lock;  /* if has_lock: the kernel lock, with the low bits of `blocker` */
	u32 owner; /* if thread.awaited says so: who has it */
	struct await_memo memo;
	/* The last page fault on a file that had to wait: where, and of what. */
	u64 fault_ip;
	u64 fault_mapping;
	u64 fault_count; /* faults that had ended then */
};

/*
 * In the order of use: the kernel's own words are before it in the first cache line, which has 56
 * bytes of it. The first two lines are all that most switches touch when a thread comes back: each
 * further one would be cold then. The kernel gives it 1 KiB.
 */
struct thread {
	u64 since;
	u64 wake; /* 0: no wake since the last switch-in */
	/* While it was ready, it was moved to another CPU's queue; 0: not. See queue.bpf.h. */
	u64 moved_at;
	u32 serial;
	u32 image;
	u8 state; /* enum time_state, THREAD_NEW, THREAD_DEAD */
	u8 task_letter;
	u8 open_calls; /* that it is in, see open_call.bpf.h; written by the thread itself */
	bool is_target;
	bool is_followed; /* its children are targets too */
	bool is_near;     /* no target, but it has woken one, or one that is near */
	bool is_announced;
	bool is_kernel_thread;
	bool was_on_cpu;    /* when the start iterator met it */
	bool is_introduced; /* no target, but user space knows its image */
	bool lacks_tables;  /* its user stack ends where tables were missing, as yet */
	bool is_ready;      /* it counts among those that wait for a CPU */
	bool is_thinned;    /* with --budget: its last switch-out has no stacks, see thin.bpf.h */
	bool has_lock;      /* it is about to wait for await.lock */
	/* One byte, that its own switches write, and the start iterator before the window. */
	bool is_chosen : 1;       /* with --budget: its last switch-out has stacks, by chance */
	bool was_short : 1;       /* its last wait was */
	bool has_stale_chain : 1; /* what it carries is of a wait before its last one */
	bool is_held_back : 1;    /* it left its CPU because its cgroup's quota was used up */
	u8 past_number;           /* of its last segment, see past.bpf.h */
	u64 kernel_stack;         /* of the last switch-out */
	u64 user_stack;
	u64 total_ns[TIME_STATES];
	/* What it waits for: the thing's number, with HAS_OWNER if that is known; of an epoll set
	 * where it is, struct eventpoll *; 0: nothing is known, or it does not wait. */
	u64 awaited;
	struct await_memo memo_of_epoll; /* what was ready, and at which stacks */
	u64 mm;                          /* at its last announcement */
	/* The map of its image as it was when so many had been published. */
	u32 map_image;
	u32 map_time;
	struct unwind_process map;
	struct waker last_waker;
	u32 stack_bytes; /* that the last walk of its user stack needed; 0: none yet */
	u32 tid;
	u32 pid;
	u32 moved_from;
	u64 birth;
	u64 css_set; /* whose cgroups were looked at last */
	/* Of its last switch-out and of its last wake. */
	struct memo memos[MEMO_KINDS - 1];
	u32 call_books;         /* number of those that it has, or had last: open_call.bpf.h */
	bool has_called;        /* it has begun a call that is watched */
	bool has_called_system; /* its first system call that is watched is over */
	u8 call_pad[2];
	u64 pad[5];
	struct await await;
};

_Static_assert(__builtin_offsetof(struct thread, user_stack) == 56, "the second cache line");
_Static_assert(__builtin_offsetof(struct thread, mm) == 56 + 64, "the third cache line");
_Static_assert(__builtin_offsetof(struct thread, await) % 64 == 56, "a cache line begins there");
_Static_assert(sizeof(struct await) <= 64, "all of it is in one cache line");
_Static_assert(sizeof(struct thread) <= 944, "with more each thread would take 2 KiB");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u8);
} target_ids SEC(".maps");

/* Process -> image while the start iterator runs: threads of a process must agree on one. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, u32);
} start_images SEC(".maps");

/* Names that are told together; a power of two. */
#define QUEUE_PARTS 2

struct queue_part {
	u64 name[CONTRACT_COMM_WORDS];
	u64 ns; /* 0: free */
};

/* Time in a queue that is being told of, see queue.bpf.h. */
struct queue {
	u64 name[CONTRACT_COMM_WORDS]; /* of who leaves this CPU; 0: it was idle */
	u64 to;                        /* told from here on */
	u64 slice;
	bool is_counted;
	bool is_known; /* name is */
	bool is_here;  /* the queue of this CPU is looked at */
	struct queue_part parts[QUEUE_PARTS];
};

/* That a CPU remembers; a power of two. */
#define STAYS 128

struct stay {
	u64 until;
	u64 name[CONTRACT_COMM_WORDS];
};

struct stays {
	u32 head; /* stays written */
	u64 task; /* struct task_struct * of who came last; 0: not known yet */
	struct stay at[STAYS];
};

/* A task whose wait is noted, see await_note(); pointers as numbers. */
struct call {
	u64 task;
	u64 regs; /* with which it came into the kernel; 0: there are none, or they do not count */
	u64 number; /* of its system call */
	u64 first;  /* argument */
	u64 since;  /* of the wait that this is of */
};

struct cpu {
	u64 counters[COUNTERS]; /* first: user space reads no more of it */
	u64 last_switch;
	struct queue queue;
	struct record_occupant occupant;
	u64 place;            /* see forgotten() */
	struct call calls[4]; /* by enum awaited_slot */
	/* Of the wait that is being credited, see settle_await(). */
	u64 awaited;
	u32 owner;
	u64 runs;
	u32 kernel_left; /* stacks until the next audit */
	u32 user_left;
	/* The slice that time was last credited in, and when it begins; see slice_at(). */
	u64 slice_start;
	u64 slice;
	u64 burst; /* the piece of time that it is in, see thin.bpf.h */
	bool is_in_burst;
	bool is_birth; /* the wake that is being made is a thread's first */
	u64 last_disk; /* struct gendisk * whose request completed outside of all contexts */
	struct context softirq; /* the one that the waker's stack shows */
	struct metal metal;
	struct stays stays;
};

_Static_assert(__builtin_offsetof(struct cpu, counters) == 0, "user space takes them from there");

/* cpu.last_switch after a switch between threads that are not tracked. */
#define SOME_TIME (~0ULL)

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CPU_LEVELS);
	__type(key, u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* A sample can hit inside the switch program, a switch inside an iterator: each has its own room.
 */
enum walk_slot { WALK_SWITCH, WALK_SAMPLE, WALK_ITERATOR, WALK_WAKER, WALK_SLOTS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WALK_SLOTS);
	__type(key, u32);
	__type(value, struct walk);
} walks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} records SEC(".maps");

static __always_inline struct cpu *this_cpu(void)
{
	u32 level = CPU_USUAL;

	return bpf_map_lookup_elem(&cpus, &level);
}

/* For samples: only counters and runs of it mean something. */
static __always_inline struct cpu *this_cpu_for_samples(void)
{
	u32 level = CPU_SAMPLE;

	return bpf_map_lookup_elem(&cpus, &level);
}

static __always_inline struct walk *walk_in(enum walk_slot slot)
{
	u32 key = slot;

	return bpf_map_lookup_elem(&walks, &key);
}

/*
 * A task's memory, as a number. Each time the verifier comes to a load of a pointer from one that
 * it trusts, it looks through all types of the kernel four times by name
 * (btf_nested_type_is_trusted(), since 6.3), which takes a millisecond. So the task is made a
 * number first: by `place`, where it is stored and loaded again.
 */
static __always_inline u64 mm_of(struct task_struct *task, volatile __u64 *place)
{
	*place = (u64)(has_loads() ? (void *)task : task->mm);
	if (!has_loads())
		return *place;
	return load_word(*place + bpf_core_field_offset(struct task_struct, mm));
}

/* A task's name, as two words; the task as a number, for the same reason. */
static __always_inline void load_comm(u64 task, u64 name[CONTRACT_COMM_WORDS])
{
	u64 at = task + bpf_core_field_offset(struct task_struct, comm);

	if (has_loads()) {
		name[0] = load_word(at);
		name[1] = load_word(at + sizeof(u64));
	} else {
		bpf_probe_read_kernel(name, CONTRACT_COMM_LEN, (void *)at);
	}
}

/* An exec has taken the old memory and is not through: it will be announced with its new image. */
static __always_inline bool is_in_exec(const struct thread *thread, u64 mm)
{
	return thread->mm && thread->mm != mm;
}

/* Every so many stacks that are known without a walk, one is walked to compare; 0: none. */
const volatile __u32 cfg_audit_every;

/* At distances that are random, or an even number would always meet the same one of two. */
static __always_inline bool is_audit_due(u32 *left)
{
	if (!cfg_audit_every || (*left && --*left))
		return false;
	*left = 1 + (cfg_audit_every > 1 ? bpf_get_prandom_u32() % (2 * cfg_audit_every - 1) : 0);
	return true;
}

static __always_inline void count(struct cpu *cpu, enum counter counter, u64 amount)
{
	cpu->counters[counter] += amount;
}

/*
 * Whose time is kept: targets, and whoever ends waits in their chains. Others are met at every
 * switch of the machine, and cost as little as can be.
 */
static __always_inline bool is_tracked(const struct thread *thread)
{
	return thread->is_target || (cfg_depth && thread->is_near);
}

/* Every 64th run of a program times itself; `now` was read when it began. */
#define COST_EVERY 64

/* Does a run count, of which the time may not be known? Then it may be a few ms off the window. */
static __always_inline bool is_in_window(u64 now)
{
	u64 start = window_start;

	return now ? now >= start && now < window_end : start != ~0ULL;
}

/* The time, if this run of a program times itself: others may need none. */
static __always_inline u64 cost_begin(const struct cpu *cpu)
{
	return cpu->runs % COST_EVERY ? 0 : bpf_ktime_get_ns();
}

static __always_inline void cost_note(struct cpu *cpu, u64 now, enum counter timed)
{
	if (cpu->runs++ % COST_EVERY || !now)
		return;
	count(cpu, timed, 1);
	count(cpu, timed + 1, bpf_ktime_get_ns() - now);
}

#endif
