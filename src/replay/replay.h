/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches and wakes, as another tool logged them, become what each thread did: running, runnable
 * (woken or preempted) and blocked intervals without gaps. The rules are those of bpf/switch.bpf.c,
 * so that the same events give the same books. A thread is blocked if it left its CPU in
 * another state than R and was not preempted; it is runnable from its last wake on; it ends with
 * its last switch (state X or Z). A thread that is first seen waking was blocked since the log's
 * first event; one that is never seen does not exist.
 *
 * Waits are explained by their chains of wakers, with the kernel side's own code (chain.h), if the
 * log has sched_waking, whose event is the waker's own; sched_wakeup often is not.
 *
 * Without any switch the log tells parts only: samples are running time, sched_stat_* are waits,
 * and a thread's life is the time that is known of it.
 */
#ifndef DWELL_REPLAY_H
#define DWELL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/state.h"
#include "replay/chain.h"
#include "util/vec.h"

enum replay_kind {
	REPLAY_SWITCH, /* from tid to other_tid */
	REPLAY_WAKING, /* tid is woken by other_tid: sched_waking */
	REPLAY_WAKEUP, /* sched_wakeup: counts only in a log without sched_waking */
	REPLAY_FORK,   /* other_tid is born, tid is its creator */
	REPLAY_NEW,    /* tid is born or was just now, by other_tid: sched_wakeup_new */
	REPLAY_EXIT,   /* tid will not be seen again after its next switch */
	REPLAY_NAME,   /* tid is called so: sched_process_exec */
	REPLAY_SAMPLE, /* tid was running; ns is what the sample stands for */
	REPLAY_EVENT,  /* tid made something happen that is counted, and tells no time */
	REPLAY_WAITED, /* tid had been blocked or runnable for ns, until now: sched_stat_* */
	REPLAY_KINDS,
};

#define REPLAY_NO_TIME UINT64_MAX
/* A tid with this bit was not told; the rest of it tells such threads apart. */
#define REPLAY_NO_TID 0x80000000u

/* Numbers of names and stacks are the caller's; 0 is none. */
struct replay_event {
	uint64_t time_ns;
	uint64_t ns;
	uint64_t value;   /* of a sample or an event: what it adds to its measure */
	uint32_t measure; /* likewise: the caller's number; 0: none */
	uint32_t tid;
	uint32_t pid; /* of tid; 0: not told */
	uint32_t other_tid;
	uint32_t comm; /* of tid */
	uint32_t other_comm;
	uint32_t stack;    /* of tid; waking: of the waker, of metal without what it interrupted */
	uint32_t hop_name; /* waking: of metal */
	uint16_t cpu;
	uint8_t kind;
	uint8_t state;     /* enum time_state, of REPLAY_WAITED */
	uint8_t hop_kind;  /* waking: enum hop_kind */
	char letter;       /* switch: 'S', 'D', ...; 'R' */
	bool is_preempted; /* switch: R+ */
	bool is_dead;      /* switch: it was the last */
	bool is_whole;     /* waited: it began inside of the log */
	bool is_iowait;    /* waited: sched_stat_blocked, if logged, tells the same time */
};

struct replay_interval {
	uint32_t thread; /* index into threads */
	enum time_state state;
	char letter;     /* blocked */
	bool is_open;    /* had not ended at the log's end */
	bool is_earlier; /* began before the log: its stack is unknown */
	bool is_event;   /* TIME_SAMPLE: of REPLAY_EVENT, so it tells nothing of running time */
	uint32_t stack;
	uint32_t measure; /* TIME_SAMPLE: as in the event */
	uint64_t value;
	uint64_t from_ns; /* from the first event on */
	uint64_t to_ns;
	/*
	 * Blocked, with chains. A wait that several chains explain, one after the other, is as many
	 * intervals; all but the last are parts of it that do not count.
	 */
	bool is_part;
	uint32_t chain;                 /* number in the result's table; 0: without chains */
	uint64_t wait_ns;               /* length of the whole wait */
	const struct rec_share *shares; /* hop_count + 1 of them, which add up to the interval */
	uint32_t share_count;
};

struct replay_thread {
	uint32_t tid;
	uint32_t pid; /* 0: unknown */
	uint32_t comm;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t total_ns[TIME_STATES];
};

struct replay_result {
	VEC(struct replay_thread) threads;
	struct chain_table chains;
	uint64_t start_ns; /* the log's own clock; REPLAY_NO_TIME: no event has a time */
	uint64_t window_ns;
	bool is_partial; /* no switches: lives are only what is known */
	uint32_t cpus;
	uint64_t switches;
	uint64_t wakes;
	uint64_t samples;
	uint64_t no_waker;         /* waits without a wake, in a log that has wakes */
	uint64_t missed_switches;  /* healed */
	uint32_t chain_depth;      /* 0: without chains */
	uint64_t chain_mismatches; /* waits whose shares do not add up: a bug */
	uint64_t chain_truncated;
	uint64_t chain_truncated_ns;
	uint64_t unplaced; /* samples without a tid on a CPU whose thread is not known */
};

typedef void (*replay_interval_fn)(const struct replay_interval *interval, void *context);

/*
 * Sorts the events by time (those of equal time stay in order) and calls `each` for every interval
 * as it ends (the result's table of chains is at hand then); samples and events are intervals of
 * state TIME_SAMPLE without length, also those of the idle thread (tid 0), which has no time. Clear
 * the result with replay_clear(). chain_depth: hops to keep of each chain, 0 to CONTRACT_MAX_HOPS.
 */
void replay_run(struct replay_event *events, size_t count, uint32_t chain_depth,
	replay_interval_fn each, void *context, struct replay_result *ret);
void replay_clear(struct replay_result *result);

#endif
