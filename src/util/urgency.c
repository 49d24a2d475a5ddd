// SPDX-License-Identifier: GPL-2.0-or-later
/* SCHED_RR is urgency and nothing else: threads that keep a real-time priority are SCHED_FIFO. */
#include "util/urgency.h"

#include <sched.h>
#include <stdbool.h>

#define POLICY (SCHED_RR | SCHED_RESET_ON_FORK)

static const struct sched_param lowest = {.sched_priority = 1}, none = {0};

static bool is_urgent(void)
{
	return sched_getscheduler(0) == POLICY;
}

bool urgency_take(void)
{
	if (sched_getscheduler(0) == SCHED_OTHER)
		sched_setscheduler(0, POLICY, &lowest);
	return is_urgent();
}

void urgency_share(pthread_t thread)
{
	if (is_urgent())
		pthread_setschedparam(thread, POLICY, &lowest);
}

void urgency_share_with(pid_t pid)
{
	if (is_urgent())
		sched_setscheduler(pid, POLICY, &lowest);
}

void urgency_drop(pthread_t thread)
{
	pthread_setschedparam(thread, SCHED_OTHER, &none);
}

void urgency_drop_of(pid_t pid)
{
	sched_setscheduler(pid, SCHED_OTHER, &none);
}
