/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the replay share: replay_threads.c keeps the state of each thread and credits
 * its intervals, replay_events.c says what each event means, replay.c goes through the log. Private
 * to src/replay/.
 */
#ifndef DWELL_REPLAY_PRIVATE_H
#define DWELL_REPLAY_PRIVATE_H

#include "replay/replay.h"
#include "util/map64.h"

/* What replay_cpu.current may be beside the index of a thread: the CPU is idle; or nobody knows,
 * before its first switch and after the thread that ran there turned up elsewhere. */
#define CPU_NOBODY UINT32_MAX
#define CPU_UNKNOWN (UINT32_MAX - 1)

enum progress {
	PROGRESS_SEEN, /* named, but nothing is known of its state */
	PROGRESS_RUNNING,
	PROGRESS_WOKEN,
	PROGRESS_PREEMPTED,
	PROGRESS_BLOCKED,
	PROGRESS_DEAD,
};

/* Beside the thread of the same index in the result. */
struct replay_now {
	uint64_t since_ns;
	uint64_t wake_ns;
	uint32_t stack;
	uint16_t cpu;     /* running */
	uint8_t progress; /* enum progress */
	char letter;
	bool has_wake;
	bool is_earlier;
	bool is_exiting;
	bool has_run;
};

struct replay_cpu {
	uint64_t last_switch_ns;
	uint32_t current; /* index of the thread that was switched to; CPU_NOBODY: idle */
	bool has_switched;
};

struct replay {
	struct replay_result *result;
	replay_interval_fn each;
	void *context;
	VEC(struct replay_now) nows;
	VEC(struct replay_cpu) cpus;
	struct map64 by_tid;           /* the living one: tid -> index */
	struct replay_chains *chains;  /* NULL: waits are not explained */
	const struct chain_part *part; /* of the wait that is being closed; NULL: without chains */
	uint64_t wait_ns;              /* length of that wait */
	bool has_waking;
	bool has_wakes;   /* any */
	bool has_blocked; /* sched_stat_blocked, which holds sched_stat_iowait */
	bool has_idle;    /* idle is the index of the thread of idle CPUs */
	uint32_t idle;
};

/* Makes a living thread of that tid and returns its index; a former one is no longer found. */
uint32_t replay_add_thread(struct replay *replay, uint32_t tid, uint64_t start_ns);
/* The living thread of that tid; one that was never seen lives since the log's first event. */
uint32_t replay_thread_of(struct replay *replay, uint32_t tid, uint64_t at_ns);
/* Borrowed until the next call. */
struct replay_cpu *replay_cpu_of(struct replay *replay, uint16_t number);
/* What an event tells of a thread; 0: nothing. */
void replay_learn(struct replay *replay, uint32_t index, uint32_t pid, uint32_t comm);

/* Ends the open interval at to_ns and hands it to the caller of the replay. */
void replay_credit(
	struct replay *replay, uint32_t index, enum time_state state, uint64_t to_ns, bool is_open);
/* The thread has its CPU from at_ns on; closes what it did before. */
void replay_start_running(struct replay *replay, uint32_t index, uint64_t at_ns);
/* Closes what a thread does at at_ns, and its life; nothing if it is dead. */
void replay_close_thread(struct replay *replay, uint32_t index, uint64_t at_ns, bool is_open);
/* Its life ends with its last interval, which has been closed. */
void replay_end_thread(struct replay *replay, uint32_t index);
/* A moment in which the thread was running, as a sample or a counted event tells it. */
void replay_send_sample(
	struct replay *replay, uint32_t index, const struct replay_event *event, uint64_t at_ns);
/* The same of what hit an idle CPU: only its measure counts, for a thread without time. */
void replay_send_idle(struct replay *replay, const struct replay_event *event, uint64_t at_ns);

/* Of a log that has switches. */
void replay_on_event(struct replay *replay, const struct replay_event *event, uint64_t at_ns);

#endif
