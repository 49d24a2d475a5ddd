/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording file: a SQLite database, written slice by slice while recording and read by every
 * view. This header is the nouns that both directions share; writer.h and reader.h are the verbs.
 *
 * Ids are content-derived 64-bit hashes (util/hash.h) for objects, frames and stacks, so that rows
 * of several recordings merge; threads and processes are numbered within a recording.
 *
 * A stack is a leaf-to-root linked list of nodes that share their outer part: node = (parent node
 * towards the root, frame). The id of a node is made from its parent's id and its frame's id.
 */
#ifndef DWELL_RECORDING_H
#define DWELL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/awaited.h"
#include "model/hop.h"
#include "model/loss.h"
#include "model/state.h"
#include "model/unwind.h"
#include "util/why.h"

/*
 * PRAGMA user_version of this format, and PRAGMA application_id: "dwel". Version 1 had no chains;
 * in version 2 each wait was in one row, and a count of 0 always was an interval that had not
 * ended; up to version 3 there was nothing but thread time and samples of it: no measures; up to
 * version 4 what a waker had waited in was known by its kernel stack alone; up to version 5 nobody
 * knew who had the CPU that a thread was ready for: no queues; up to version 6 not what a wait was
 * for; up to version 7 every event was looked at or stood for its value, on no thing, and measures
 * were all of one kind; there was no memory of processes; up to version 8 no calls were taken
 * apart.
 */
#define RECORDING_VERSION 9
#define RECORDING_VERSION_OF_MEASURES 4
#define RECORDING_VERSION_OF_WAITED_USER_STACKS 5
#define RECORDING_VERSION_OF_QUEUES 6
#define RECORDING_VERSION_OF_AWAITED 7
#define RECORDING_VERSION_OF_MEMORY 8
#define RECORDING_VERSION_OF_CALLS 9
#define RECORDING_APPLICATION_ID 0x6477656c

enum object_kind {
	OBJECT_KERNEL,    /* vmlinux: addresses are relative to _text */
	OBJECT_MODULE,    /* kernel module or BPF program */
	OBJECT_FILE,      /* ELF file: addresses are its own virtual addresses */
	OBJECT_VDSO,      /* */
	OBJECT_ANONYMOUS, /* code without a file: addresses are raw */
	OBJECT_UNKNOWN,   /* not mapped, or mappings unknown: addresses are raw */
	OBJECT_KINDS,
};

/* "kernel", "module", "file", "vdso", "anonymous", "unknown" */
const char *object_kind_name(enum object_kind kind);

struct rec_object {
	uint64_t id;
	enum object_kind kind;
	const char *path;     /* as mapped, in the process's own mount namespace; "[kernel]", ... */
	const char *build_id; /* hex, or "" */
};

struct rec_frame {
	uint64_t id;
	uint64_t object;
	uint64_t address; /* in the object */
	const char *name; /* function; "" if there is none, then reason says why */
	uint64_t offset;  /* of the address in the function */
	enum name_reason reason;
};

struct rec_stack {
	uint64_t id;
	uint64_t parent; /* node towards the root, 0: this is the root */
	uint64_t frame;
	enum unwind_end end; /* how the whole stack ended; part of the id */
};

struct rec_process {
	uint32_t id; /* number within the recording: one for each (process, exec) */
	uint32_t pid;
	const char *name;      /* comm of its first thread */
	const char *exe;       /* path of the program, "" if unknown or a kernel thread */
	const char *container; /* container id, "" if none known */
	bool is_kernel;
};

struct rec_thread {
	uint32_t id; /* number within the recording */
	uint32_t tid;
	uint32_t process;  /* its last one */
	const char *comm;  /* its last one */
	uint64_t start_ns; /* of its life inside the window, from the window's start */
	uint64_t end_ns;
	uint64_t total_ns[TIME_STATES]; /* exact, from outside the tables */
	bool is_closed;                 /* its end (or the window's) was seen */
	bool is_kernel;
};

/*
 * One hop of a chain: who woke the thread of the hop before it (of the wait itself at position 0).
 * A waker is known by its name and stacks, not by its tid; it need not be a recorded thread.
 */
struct rec_hop {
	enum hop_kind kind;
	const char *name;      /* the waker's comm; of metal: "vda", "hrtimer_wakeup", "NET_RX" */
	uint64_t kernel_stack; /* the waker's, at the wake: node id or enum stack_none */
	uint64_t user_stack;
	/* From position 1 on: the kernel stack in which the waker of the hop before had been
	 * blocked when this hop woke it, and the user stack. */
	uint64_t waited_stack;
	uint64_t waited_user_stack;
	uint64_t waited_for; /* rec_awaited.id, 0: not told */
};

/*
 * A thing that threads waited for. Ids below AWAITED_FIRST_ID are kinds: all things of that kind
 * that were not told apart.
 */
struct rec_awaited {
	uint64_t id; /* recording_awaited_id() */
	struct awaited thing;
	uint32_t process; /* whose futex, child or address space it is; 0: no process's own */
};

struct rec_chain {
	uint64_t id; /* recording_chain_id() */
	uint32_t hop_count;
	enum chain_end end;
	const struct rec_hop *hops;
};

/*
 * What one hop's waker did in the windows of a row's waits: ran (metal: was pending), had no CPU,
 * and what it did earlier than anybody remembers. Behind the last hop
 * stands the rest, which is in ran_ns and means what the chain's end says.
 */
struct rec_share {
	uint64_t ran_ns;
	uint64_t no_cpu_ns;
	uint64_t earlier_ns;
};

/*
 * One row of sums: struct sum_key and struct sum with recording ids. With slice_first < slice_last,
 * ns = first_ns + last_ns + max(count, 1) * slice_ns * (slice_last - slice_first - 1); with equal
 * slices first_ns = ns and last_ns = 0. Writer and reader refuse a row that breaks this.
 *
 * A wait that several chains explain, one after the other, is in as many rows, of the same band:
 * each has the time that its chain explains. The last one counts the wait, and its max_ns is that
 * of the whole wait, so it may be more than ns; the others have count 0 and their own length.
 */
struct rec_sum {
	uint32_t thread;
	uint32_t slice_first;
	uint32_t slice_last;
	enum time_state state;
	char task_letter; /* blocked: 'S', 'D', ...; else 0 */
	unsigned int band;
	uint64_t kernel_stack; /* node id; below STACK_FIRST_ID: enum stack_none */
	uint64_t user_stack;
	/*
	 * Intervals (or samples) that ended. 0: parts of waits that another row counts; or, without
	 * a chain or with one that ends in CHAIN_NOT_WOKEN, one that had not ended at the window's
	 * end.
	 */
	uint64_t count;
	uint64_t ns;
	uint64_t max_ns;
	uint64_t first_ns;
	uint64_t last_ns;
	/* Blocked rows: rec_chain.id; 0: no chain recorded. Part of the key. */
	uint64_t chain;
	/*
	 * hop_count + 1 of them, the last being the rest, which add up to ns; of the whole waits,
	 * whatever their slices. NULL and 0 without hops: all of ns is the rest.
	 */
	const struct rec_share *shares;
	uint32_t share_count;
	/* Blocked rows: rec_awaited.id of what was waited for; 0: not told. Part of the key. */
	uint64_t awaited;
	/* Who had it when the longest wait began: rec_thread.id, 0: not told. Of locks only. */
	uint32_t owner;
};

/*
 * What is counted beside thread time: an event, with a unit of its own. Time of threads is
 * conserved, events are not: they have tables of their own, and no law of thread time knows them.
 */
struct rec_measure {
	uint32_t id;
	const char *name;  /* "page-faults"; what --view is given */
	const char *unit;  /* of its values: "count", "bytes", "ns" (model/measure.h) */
	const char *event; /* what one is called: "page fault" */
	const char *about; /* what a picture of it shows, in a sentence without a full stop */
	const char *kind;  /* measure_kind_name(); NULL, written only: an event like others */
};

/*
 * Events of one thread in one slice with the same stacks, on the same thing: one row of counts.
 * Where only some are looked at, these stand for the others: of `count` samples the relative
 * standard error is 1/sqrt(count).
 */
struct rec_count {
	uint32_t measure;
	uint32_t thread;
	uint32_t slice;
	uint64_t kernel_stack; /* node id; below STACK_FIRST_ID: enum stack_none */
	uint64_t user_stack;
	uint64_t count;     /* events that were looked at; never 0 */
	uint64_t value;     /* what all of them add up to, in the measure's unit */
	uint64_t max_value; /* of one that was looked at */
	uint64_t events;    /* that those looked at stand for; equal to count: each was */
	uint64_t awaited;   /* rec_awaited.id of what they were on, as the file that was faulted in;
			       0: none */
};

/* What memory of a process was resident at the end of a slice: one row of memory. */
struct rec_memory {
	uint32_t process; /* rec_process.id */
	uint32_t slice;
	uint64_t rss_bytes;
	uint64_t anonymous_bytes; /* of it, what is no file's */
};

/*
 * What calls were watched of: a function, a system call, a pair of marks. Counts are of calls that
 * are in no row of calls.
 */
struct rec_function {
	uint32_t id;       /* from 1 on */
	const char *name;  /* "libssl:SSL_read", "syscall:fsync": what --view slow:NAME is given */
	const char *kind;  /* call_kind_name() of model/call.h */
	const char *place; /* the file it is in, "" if it is in none */
	const char *rule;  /* which calls are slow, as it was asked for: "p99", "10ms" */
	uint64_t slow_from_ns; /* calls from here on were slow, when it was looked at last */
	uint64_t price_ns;     /* that watching adds to a call; 0: not known */
	uint64_t begun_before; /* they ended, and had begun before the window */
	uint64_t left;         /* by longjmp() or an exception */
	uint64_t died_inside;  /* with their thread, or by exec */
	uint64_t too_deep;     /* too many calls were open in the thread */
	uint64_t unmatched;    /* they ended in a thread that had not begun them */
	uint64_t in_interrupt;
	/* Calls that are in rows, and ended by a jump to another function, whose time is not
	 * theirs. */
	uint64_t jumped_on;
};

/* Calls of one function by one thread that ended in one slice: one row of calls. */
struct rec_call {
	uint32_t function; /* rec_function.id */
	uint32_t thread;   /* 0: of several, which are not told apart (table full) */
	uint32_t slice;    /* in which they ended */
	uint32_t band;     /* of their length: contract/call.h */
	bool is_error;     /* what they returned says so: system calls only */
	bool is_slow;      /* what they waited in is in rows of slow calls */
	/* Within another call of the same function, in whose time theirs is, too: totals of time
	 * leave them out. Such calls are not slow. */
	bool is_inner;
	uint64_t count;                /* never 0 */
	uint64_t wall_ns;              /* the sum of the parts */
	uint64_t part_ns[TIME_STATES]; /* exact */
	uint64_t max_ns;               /* wall time of the longest */
};

/* A call that had not ended when the recording did. */
struct rec_open_call {
	uint32_t function;
	uint32_t thread;
	bool is_slow; /* what it waited in is in rows of slow calls, too */
	bool is_inner;
	uint64_t wall_ns; /* its age */
	uint64_t part_ns[TIME_STATES];
	enum time_state state; /* what its thread is in at the end */
	uint64_t kernel_stack; /* and where; STACK_NONE if it runs */
	uint64_t user_stack;
	uint64_t awaited; /* and for what; 0: not told */
};

/*
 * Who had the CPU that a thread was ready for: one row of queues. A thread that several had to
 * leave the CPU for, one after the other, has a row for each.
 */
struct rec_queue {
	uint32_t thread;
	uint32_t slice; /* in which the thread got its CPU */
	enum queue_kind kind;
	const char *name; /* of QUEUE_THREAD: its comm; else "" */
	uint64_t count;   /* times without a CPU that it was the last of; 0: of none */
	uint64_t ns;
	uint64_t max_ns; /* of one such time */
};

/* One row of losses: what, for which share of time. */
struct rec_loss {
	enum loss loss; /* read: LOSSES or LOSS_NOTED if this dwell does not know it */
	uint64_t count;
	uint64_t ns;      /* time concerned, 0 where time has no meaning */
	const char *name; /* read: as stored, or of rows with unknown numbers a sentence; written:
			     not looked at */
};

/* About the recording as a whole; all texts "" if unknown. */
struct rec_meta {
	const char *dwell_version;
	const char *host;
	const char *kernel_release;
	const char *target; /* in words: "all threads", "process 123" */
	const char *command_line;
	uint32_t cpus;
	uint64_t start_unix_ns; /* wall clock at the window's start */
	uint64_t window_ns;     /* length; while recording: so far */
	uint64_t slice_ns;
	uint32_t sample_hz;       /* 0: no sampling */
	const char *sample_event; /* "cpu-clock" or "cycles" */
	const char *user_stacks;  /* "table", "fp", "none" */
	uint32_t chain_depth;     /* hops kept of each chain; 0: no chains */
	bool is_finished;         /* ended in order, not by a crash */
	uint32_t cpu_busy_ppm;    /* of all CPUs, whoever used them, in millionths; 0: not known */
	uint64_t held_back_ns;    /* by the CPU quota of the target's cgroup, over all CPUs */
	/* What dwell cost. */
	uint64_t own_cpu_ns;
	uint64_t program_ns; /* estimated time inside the BPF programs, but those of events */
	uint64_t event_ns;   /* inside those */
	uint64_t events;     /* counted */
	uint64_t switches;
	uint64_t wakes;
	uint64_t samples;
	uint64_t table_bytes;
	uint64_t own_memory_bytes; /* of dwell itself, at its peak */
	/* Before the window opened: all of it, and the part that unwind tables took. */
	uint64_t start_took_ns;
	uint64_t tables_took_ns;
	/* Stacks of switches and wakes: kernel stacks by learnt rules, user stacks by memory; those
	 * that had to be walked; and of the first those that were walked to compare. */
	uint64_t kernel_stacks_known;
	uint64_t kernel_stacks_walked;
	uint64_t kernel_stacks_audited;
	uint64_t user_stacks_known;
	uint64_t user_stacks_walked;
	uint64_t user_stacks_audited;
	/* With --budget: the share of the machine's CPU time that it was held to, in millionths (0:
	 * none), intervals off CPU without their stacks, those that were chosen by chance to stand
	 * for them, in so many pieces of time. */
	uint32_t budget_ppm;
	uint64_t thinned;
	uint64_t chosen;
	uint64_t bursts;
	/* Checked at the end: drained rows against the kernel's own counters; 0 is exact. */
	int64_t rows_missing;
	int64_t rows_missing_ns;
	/* Sum of lives and of accounted time over all threads. */
	uint64_t expected_ns;
	uint64_t accounted_ns;
	/* The worst thread and the worst thread-and-slice: |accounted - life|. */
	uint64_t worst_thread_ns;
	uint64_t worst_slice_ns;
};

/* A recording counts at most so many kinds of events. */
#define REC_MOST_MEASURES 64
/* All values and counts of all measures together, and all events: sums stay exact in all that is
 * made of them. */
#define REC_MOST_COUNTED (1ULL << 62)

/* Is it one that can be? A row has an event, which stands for itself at least, and none is larger
 * than all together. */
static inline bool rec_count_is_sound(const struct rec_count *count)
{
	return count->count && count->events >= count->count && count->max_value <= count->value;
}

static inline bool rec_memory_is_sound(const struct rec_memory *memory)
{
	return memory->anonymous_bytes <= memory->rss_bytes;
}

/* Parts that are a call's wall time, and no more calls than can be. */
static inline bool rec_parts_are_sound(const uint64_t part_ns[static TIME_STATES], uint64_t wall_ns)
{
	uint64_t sum = 0;

	for (int i = 0; i < TIME_STATES; i++)
		if (__builtin_add_overflow(sum, part_ns[i], &sum))
			return false;
	return sum == wall_ns;
}

static inline bool rec_call_is_sound(const struct rec_call *call)
{
	return call->count && call->max_ns <= call->wall_ns && !(call->is_slow && call->is_inner) &&
	       rec_parts_are_sound(call->part_ns, call->wall_ns);
}

static inline bool rec_open_call_is_sound(const struct rec_open_call *call)
{
	return call->state < TIME_STATES && rec_parts_are_sound(call->part_ns, call->wall_ns);
}

static inline bool rec_queue_is_sound(const struct rec_queue *queue)
{
	return queue->max_ns <= queue->ns;
}

/* CPU time that a recording took. */
static inline double rec_meta_cost_ns(const struct rec_meta *meta)
{
	return (double)meta->own_cpu_ns + (double)meta->program_ns + (double)meta->event_ns;
}

/* Of the CPU time of the whole machine, 0 to 1. */
static inline double rec_meta_cost_share(const struct rec_meta *meta)
{
	double all_ns = (double)meta->window_ns * (double)meta->cpus;

	return all_ns > 0 ? rec_meta_cost_ns(meta) / all_ns : 0;
}

/* The id of a thing, from all that is known of it; its own id is not looked at. */
uint64_t recording_awaited_id(const struct rec_awaited *awaited);
/* The id of a chain, from its hops and its end; its own id is not looked at. Never 0. */
uint64_t recording_chain_id(const struct rec_chain *chain);
/*
 * Is it one that can be? At most CONTRACT_MAX_HOPS hops; metal only as the last hop, and then the
 * chain ends in metal; a chain that ends in metal or in one who was awake has a hop.
 */
bool recording_chain_is_sound(const struct rec_chain *chain);
/* Do the hops' shares and the rest add up to ns? The rest is one figure, in ran_ns. */
bool recording_shares_add_up(const struct rec_share *shares, size_t share_count, uint64_t ns);

#endif
