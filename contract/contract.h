/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel side (bpf/) and user space (src/kernel/) agree on: the rows of the sum tables,
 * the records of the ring buffer, the iterator's rows, counters and limits. Both sides compile this
 * file; tools/check-includes names the code that is built for both as well. Every struct has
 * explicit padding, because rows are hashed as bytes.
 */
#ifndef DWELL_CONTRACT_H
#define DWELL_CONTRACT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#include "contract/awaited.h"
#include "contract/chain.h"
#include "contract/event.h"
#include "contract/unwind.h"

#define CONTRACT_COMM_LEN 16
#define CONTRACT_COMM_WORDS (CONTRACT_COMM_LEN / 8)
/* Default of kernel.perf_event_max_stack, which bounds bpf_get_stack(). */
#define CONTRACT_MAX_FRAMES 127

/* Where a thread's time goes. Off-CPU is all but running; runnable is woken + preempted. */
enum time_state {
	TIME_RUNNING,
	TIME_WOKEN,     /* runnable since it was woken or born */
	TIME_PREEMPTED, /* runnable since it lost its CPU */
	TIME_BLOCKED,
	TIME_STATES,
	TIME_SAMPLE = TIME_STATES, /* rows of on-CPU samples: a count, no time */
};

/*
 * sum_key.state of rows that tell who had the CPU for which a thread was ready. Their time is in
 * other rows, too; they have no stacks, and are of the slice in which the thread got its CPU.
 */
#define ROW_OF_QUEUE (TIME_SAMPLE + 1)

/* Who had it. The numbers are part of the recording format: append only. */
enum queue_kind {
	QUEUE_UNTOLD = 0,   /* nobody remembers */
	QUEUE_THREAD = 1,   /* a thread, by its name */
	QUEUE_IDLE_CPU = 2, /* nobody: the CPU was idle, and had to be woken itself */
	QUEUE_QUOTA = 3,    /* whoever: the CPU quota of the thread's cgroup was used up */
	QUEUE_KINDS,
	QUEUE_FIRST_ID = 16, /* from here on a record_occupant.id */
};

/* Stack ids below STACK_FIRST_ID are not hashes but say why there is no stack. */
enum stack_none {
	STACK_NONE = 0,     /* there is none: no user side, or never ran */
	STACK_FAILED = 1,   /* the kernel could not walk it */
	STACK_OVERFLOW = 2, /* the table was full: time kept, stack not */
	STACK_SKIPPED = 3,  /* not asked for, or outside --min-wait/--max-wait */
	STACK_EARLIER = 4,  /* the thread fell asleep before the recording began, or its tables
			       were there */
	STACK_LOST = 5,     /* set by user space: its record never arrived */
	STACK_NO_WAKER_STACK = 6, /* of a waker: the wait was shorter than --waker-stacks-from */
	STACK_THINNED = 7,        /* left out to keep to --budget */
	STACK_MORE_WAITS = 8,     /* of a slow call: more waits than are kept of one */
	STACK_FIRST_ID = 16,
};

/* A wait's length by decade: < 10 us, < 100 us, ... , >= 1 s. */
#define CONTRACT_BANDS 7
#define CONTRACT_FIRST_BAND_NS 10000ULL

/* What is kept to tell few awaited things from many. */
#define CONTRACT_AWAITED_PAIRS_BYTES (16384 * 8 + 4096 * 8)

/*
 * One row of sums. Every interval of a thread adds to the row of its key. An interval that crosses
 * slice borders is one row with slice_first < slice_last: first_ns is the time in slice_first,
 * last_ns that in slice_last, and each slice between them holds count * slice length.
 */
struct sum_key {
	__u64 kernel_stack; /* stack id */
	__u64 user_stack;   /* stack id */
	__u64 chain;        /* blocked: chain id, see chain.h; ROW_OF_QUEUE: who had the CPU, by
			       enum queue_kind or record_occupant.id; else 0 */
	__u64 awaited;      /* blocked: record_awaited.id, or enum awaited_kind; else 0 */
	__u32 thread;       /* serial */
	__u32 slice_first;
	__u32 slice_last;
	__u8 state;         /* enum time_state, or ROW_OF_QUEUE */
	__u8 task_letter;   /* blocked: 'S', 'D', 'T', ... ; else 0 */
	__u8 band;          /* of the whole wait */
	__u8 is_part : 1;   /* the wait goes on, with another chain: its last part counts it */
	__u8 is_chosen : 1; /* by chance, with --budget: it stands for those whose stacks are left
			       out */
	__u8 pad : 6;
};

struct sum {
	__u64 count;
	__u64 ns;
	__u64 max_ns;
	__u64 first_ns;
	__u64 last_ns;
};

/* A row of waits with a chain. Only --depth + 1 shares are there. */
struct wait_sum {
	struct sum sum;
	/* Who had the lock when the longest wait began: a tid as its own namespace has it, of a
	 * kernel lock as dwell's has it; 0: not known. It is not said that it is a lock. */
	__u32 owner;
	__u32 pad;
	struct share shares[CONTRACT_MAX_HOPS + 1];
};

/* Ring buffer records; each begins with the kind. */
enum record_kind {
	RECORD_THREAD = 1,   /* struct record_thread: a thread, or its new name or image */
	RECORD_KERNEL_STACK, /* struct record_stack */
	RECORD_USER_STACK,   /* struct record_stack */
	RECORD_THREAD_END,   /* struct thread_now of a thread that is gone */
	RECORD_WAKER,        /* struct record_thread: no target, but its user stacks will be seen */
	RECORD_HOP,          /* struct record_hop */
	RECORD_CHAIN,        /* struct record_chain */
	RECORD_WAITED,       /* struct record_waited */
	RECORD_OCCUPANT,     /* struct record_occupant */
	RECORD_AWAITED,      /* struct record_awaited */
};

/* A thread that had a CPU for which another was ready, by its name. */
struct record_occupant {
	__u32 kind;
	__u32 pad;
	__u64 id;
	char comm[CONTRACT_COMM_LEN];
};

struct record_thread {
	__u32 kind;
	__u32 thread;
	__u32 tid; /* as dwell's own pid namespace sees them */
	__u32 pid;
	__u32 image; /* serial of (process, exec): user addresses mean the same within one */
	__u32 is_kernel_thread;
	__u64 cgroup;    /* id in the v2 hierarchy; 0: its root */
	__u64 v1_cgroup; /* and in the first of the others where it is not the root's; 0: none */
	__u32 v1_hierarchy;
	__u32 own_tid;     /* as the thread itself sees it: in the innermost pid namespace */
	__u64 start_stack; /* as in /proc/PID/stat: tells an image from its successor */
	__u64 birth_ns;
	__u64 at_ns; /* when this was so */
	char comm[CONTRACT_COMM_LEN];
};

struct record_stack {
	__u32 kind;
	__u32 image;      /* user stacks */
	__u32 depth;      /* frames that follow */
	__u32 skip;       /* of them, the first ones that are the tracer's own */
	__u32 has_callee; /* the first frame is where the second one's call goes to */
	__u8 stop;        /* user stacks by table: enum unwind_stop */
	__u8 is_packed;   /* frames as in contract/unwind.h, not plain addresses */
	__u8 pad[2];
	__u64 id;
	__u64 frames[]; /* leaf first */
};

/* How user stacks are walked. */
enum user_stacks { USER_STACKS_NONE, USER_STACKS_FP, USER_STACKS_TABLE };

/* Return addresses that uretprobes took, of a sleeper. */
#define SLEEPER_TAKEN 8

/*
 * A thread off its CPU whose user stack could not be walked, because it left before the tables were
 * there: its registers as it left user space.
 */
struct record_sleeper {
	__u32 thread;
	__u32 tid;
	__u32 pid;
	__u32 image;
	__u64 since_ns;   /* with the serial: has it run since? */
	__u64 user_stack; /* id of what was found, or STACK_EARLIER */
	__u64 pc;
	__u64 sp;
	__u64 fp;
	__u64 first_argument;
	__u64 bx;
	struct unwind_taken taken[SLEEPER_TAKEN]; /* innermost first; the rest is 0 */
};

/* The stack that such a sleeper gets instead, if it has not run since; the key is its serial. */
struct repair {
	__u64 since_ns;
	__u64 old_stack;
	__u64 new_stack;
};

/* A thread's books: what the iterator writes for each living thread, and the last record of a dead
 * one. */
struct thread_now {
	__u32 kind;
	__u32 thread;
	__u64 kernel_stack; /* of the open interval */
	__u64 user_stack;
	__u64 birth_ns;
	__u64 since_ns; /* the open interval began here */
	__u64 wake_ns;  /* and the thread was woken here, 0: not */
	__u64 total_ns[TIME_STATES];
	__u64 awaited;                    /* of the open interval: as in struct sum_key */
	char occupant[CONTRACT_COMM_LEN]; /* QUEUE_THREAD: its comm */
	__u8 open_state;                  /* enum time_state of the open interval */
	__u8 task_letter;
	__u8 is_dead; /* no open interval: since_ns is its end */
	__u8 queue;   /* enum queue_kind: who had the CPU all the time that it has been ready */
	__u32 owner;  /* as in struct wait_sum */
};

/*
 * Who counts on a CPU. A sample may be taken in the middle of any other program (in an NMI, if
 * there is a PMU), even of an addition to a counter, so that it has counters of its own. So has
 * each slot of events (contract/event.h), behind these; they are there if events are asked for.
 */
enum cpu_level { CPU_USUAL, CPU_SAMPLE, CPU_LEVELS };

/* Losses and other counts, one array for each level of each CPU. model/loss.h has their words. */
enum counter {
	COUNTER_SWITCHES,     /* switches seen in the window */
	COUNTER_WAKES,        /* */
	COUNTER_SAMPLES,      /* */
	COUNTER_ROWS,         /* intervals credited to rows: must equal the drained counts */
	COUNTER_ROWS_NS,      /* their time: must equal the drained time */
	COUNTER_OVERFLOW,     /* intervals whose stacks did not fit */
	COUNTER_OVERFLOW_NS,  /* */
	COUNTER_UNSLICED,     /* intervals that did not fit anywhere but in the thread's totals */
	COUNTER_UNSLICED_NS,  /* */
	COUNTER_LOST_SAMPLES, /* samples that found no room */
	COUNTER_BARE_SAMPLES, /* samples that found room, but without their stacks */
	COUNTER_LOST_STACKS,  /* stack records that found the ring full (sent again next time) */
	COUNTER_LOST_THREADS, /* thread records, likewise */
	COUNTER_LOST_ENDS,    /* thread ends that found the ring full */
	COUNTER_LOST_ENDS_NS, /* life of those threads */
	COUNTER_NO_WAKER,     /* waits that ended without a wake seen */
	COUNTER_MISSED_SWITCHES,     /* switch-ins not seen, healed at the next event */
	COUNTER_NO_STORAGE,          /* threads that could not be given storage */
	COUNTER_KERNEL_STACK_FAILED, /* */
	COUNTER_USER_STACK_FAILED,   /* */
	COUNTER_STACKS_BY_RULE,      /* kernel stacks by learnt rules */
	COUNTER_STACKS_UNWOUND,      /* and those of which a rule was not known */
	COUNTER_STACKS_AUDITED,      /* stacks by rules that were unwound as well */
	COUNTER_STACKS_WRONG,        /* and were not the same */
	COUNTER_MEMOS,               /* user stacks that were as remembered */
	COUNTER_MEMOS_MISSED,        /* and those that were not */
	COUNTER_MEMOS_AUDITED,       /* remembered ones that were walked as well */
	COUNTER_MEMOS_WRONG,         /* and were not the same */
	COUNTER_CHAIN_MISMATCH,      /* waits whose shares did not add up */
	COUNTER_CHAIN_MISMATCH_NS,   /* */
	COUNTER_CHAIN_TRUNCATED,     /* waits with more hops than are kept */
	COUNTER_CHAIN_TRUNCATED_NS,  /* what was left of them */
	COUNTER_CHAIN_OVERFLOW,      /* waits whose chain was shortened: table full */
	COUNTER_CHAIN_OVERFLOW_NS,   /* */
	COUNTER_WAKER_STACKS,        /* stacks of wakers left out: --waker-stacks-from */
	COUNTER_LOST_CHAINS,         /* hop and chain records that found the ring full */
	COUNTER_AWAITED_FOLDED,      /* waits whose thing is told by its kind alone: too many */
	COUNTER_AWAITED_FOLDED_NS,   /* */
	COUNTER_LOST_AWAITED,        /* things that found the ring full, or no room to be noted */
	COUNTER_THINNED,             /* switch-outs whose stacks were left out: --budget */
	COUNTER_CHOSEN,              /* and those that were kept by chance */
	COUNTER_BURSTS,              /* pieces of time in which a CPU kept all stacks */
	COUNTER_SWITCH_TIMED,        /* runs of the switch program that timed themselves */
	COUNTER_SWITCH_TIMED_NS,     /* */
	COUNTER_WAKE_TIMED,          /* */
	COUNTER_WAKE_TIMED_NS,       /* */
	COUNTER_SAMPLE_TIMED,        /* */
	COUNTER_SAMPLE_TIMED_NS,     /* */
	COUNTER_QUEUES,              /* works queued and threads born */
	COUNTER_QUEUE_TIMED,         /* */
	COUNTER_QUEUE_TIMED_NS,      /* */
	COUNTER_METAL,               /* entries and exits of interrupts and timers */
	COUNTER_METAL_TIMED,         /* */
	COUNTER_METAL_TIMED_NS,      /* */
	COUNTER_EVENTS,              /* events seen, each in a row unless there was no room */
	COUNTER_BARE_EVENTS,         /* events whose stacks found no room */
	COUNTER_EVENT_TIMED,         /* */
	COUNTER_EVENT_TIMED_NS,      /* */
	COUNTERS,
};

/* Targets: which threads are recorded. A list entry is a pid or tid as dwell sees it. */
enum target_kind {
	TARGET_ALL,
	TARGET_PIDS,    /* threads of the listed processes */
	TARGET_TIDS,    /* the listed threads */
	TARGET_COMM,    /* threads whose comm matches the glob */
	TARGET_CGROUP,  /* threads below the cgroup */
	TARGET_COMMAND, /* the listed process and all its descendants */
};

#endif
