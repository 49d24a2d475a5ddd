// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for hops and chain ends. */
#include "model/hop.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	bool is_metal;
} kinds[HOP_KINDS] = {
	[HOP_TASK] = {"task", false},
	[HOP_IRQ] = {"irq", true},
	[HOP_SOFTIRQ] = {"softirq", true},
	[HOP_SOFTIRQ_IN_TASK] = {"softirq in task", false},
	[HOP_TIMER] = {"timer", true},
	[HOP_IPI] = {"ipi", true},
	[HOP_DISK] = {"disk", true},
	[HOP_FORK] = {"fork", false},
	[HOP_SIGNAL] = {"signal", false},
	[HOP_WORK] = {"work", false},
	[HOP_UNKNOWN] = {"unknown", false},
};

static const struct {
	const char *name;
	const char *frame;
	const char *plain;
} ends[CHAIN_ENDS] = {
	[CHAIN_METAL] = {"metal", NULL, "metal"},
	[CHAIN_AWAKE] = {"awake", NULL, "awake"},
	[CHAIN_DEPTH_LIMIT] = {"depth limit", "[depth limit]",
		"more wakers in a row than --depth keeps"},
	[CHAIN_NO_WAKER] = {"no waker", "[no waker]", "who ended it was not seen"},
	[CHAIN_NOT_WOKEN] = {"not woken", "[not woken]", "it had not ended"},
	[CHAIN_EARLIER] = {"earlier", "[earlier]", "its waker was not watched then"},
	[CHAIN_OVERFLOW] = {"overflow", "[overflow]", "a table was full"},
};

const char *hop_kind_name(enum hop_kind kind)
{
	return (unsigned int)kind < HOP_KINDS ? kinds[kind].name : "unknown";
}

bool hop_kind_from_name(const char *name, enum hop_kind *ret)
{
	for (unsigned int i = 0; i < HOP_KINDS; i++)
		if (!strcmp(kinds[i].name, name)) {
			*ret = (enum hop_kind)i;
			return true;
		}
	return false;
}

bool hop_kind_is_metal(enum hop_kind kind)
{
	return (unsigned int)kind < HOP_KINDS && kinds[kind].is_metal;
}

bool hop_kind_is_thread(enum hop_kind kind)
{
	return (unsigned int)kind < HOP_KINDS && !kinds[kind].is_metal;
}

bool hop_is_own_timer(enum hop_kind kind, const char *name)
{
	/* nanosleep, poll, futex... with a timeout; schedule_timeout() in the kernel; alarm()
	 * and timer_create(), whose signal ends a wait of the same process; timerfd. */
	return kind == HOP_TIMER &&
	       (!strcmp(name, "hrtimer_wakeup") || !strcmp(name, "process_timeout") ||
		       !strcmp(name, "posix_timer_fn") || !strcmp(name, "it_real_fn") ||
		       !strcmp(name, "timerfd_tmrproc"));
}

void hop_frame(enum hop_kind kind, const char *name, size_t size, char *ret)
{
	if (hop_kind_is_metal(kind))
		snprintf(ret, size, "[%s%s%s]", hop_kind_name(kind), *name ? " " : "", name);
	else
		snprintf(ret, size, "%s", *name ? name : "[unknown waker]");
}

const char *chain_end_name(enum chain_end end)
{
	return (unsigned int)end < CHAIN_ENDS ? ends[end].name : "unknown";
}

const char *chain_end_plain(enum chain_end end)
{
	return (unsigned int)end < CHAIN_ENDS ? ends[end].plain : "unknown";
}

const char *chain_end_frame(enum chain_end end)
{
	return (unsigned int)end < CHAIN_ENDS ? ends[end].frame : NULL;
}

bool chain_end_has_rest(enum chain_end end)
{
	return end != CHAIN_METAL && end != CHAIN_AWAKE;
}
