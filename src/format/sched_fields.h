/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of scheduler tracepoints as `perf script` prints them, with or without the plugins of
 * libtraceevent: "prev_comm=a prev_pid=1 ... ==> next_comm=b ..." and "a:1 [120] S ==> b:2 [120]".
 * Private to src/format/.
 */
#ifndef DWELL_FORMAT_SCHED_FIELDS_H
#define DWELL_FORMAT_SCHED_FIELDS_H

#include "format/perf_line.h"
#include "replay/replay.h"

enum sched_event {
	SCHED_NONE,  /* no event of the scheduler */
	SCHED_OTHER, /* one that tells nothing about states */
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP,
	SCHED_WAKEUP_NEW,
	SCHED_FORK,
	SCHED_EXIT,
	SCHED_EXEC,
	SCHED_STAT_SLEEP,
	SCHED_STAT_BLOCKED,
	SCHED_STAT_IOWAIT,
	SCHED_STAT_WAIT,
};

enum sched_event sched_event_of(struct span name);

struct sched_fields {
	struct span comm;
	struct span other_comm; /* switch: next; fork: child */
	uint32_t tid;
	uint32_t other_tid;
	char letter; /* switch: of prev; 'R' if it stays runnable */
	bool is_preempted;
	bool is_dead;
	uint64_t delay_ns; /* sched_stat_* */
};

/* False if the fields are not those of the event. */
bool sched_fields_parse(enum sched_event event, struct span fields, struct sched_fields *ret);

#endif
