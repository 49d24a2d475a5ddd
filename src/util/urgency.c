// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SCHED_RR is urgency and nothing else: threads that keep a real-time priority are SCHED_FIFO. So
 * whoever is to be calmed is found by looking at all threads there are, and nobody is forgotten.
 */
#include "util/urgency.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/rights.h"

#define POLICY (SCHED_RR | SCHED_RESET_ON_FORK)

static const struct sched_param lowest = {.sched_priority = 1}, none = {0};
/* Who gives urgency still has it then, and who takes it leaves no moment to give it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_urgent(pid_t pid)
{
	return sched_getscheduler(pid) == POLICY;
}

bool urgency_take(void)
{
	int policy = sched_getscheduler(0);

	/* A limit (RLIMIT_RTPRIO) may allow it, too, but not to take it from one of another user.
	 */
	return policy >= 0 && (policy & ~SCHED_RESET_ON_FORK) == SCHED_OTHER &&
	       rights_has(CAP_SYS_NICE) && !sched_setscheduler(0, POLICY, &lowest);
}

void urgency_share(pthread_t thread)
{
	pthread_mutex_lock(&lock);
	if (is_urgent(0))
		pthread_setschedparam(thread, POLICY, &lowest);
	pthread_mutex_unlock(&lock);
}

void urgency_share_with(pid_t pid)
{
	pthread_mutex_lock(&lock);
	if (is_urgent(0))
		sched_setscheduler(pid, POLICY, &lowest);
	pthread_mutex_unlock(&lock);
}

void urgency_keep(void)
{
	pthread_mutex_lock(&lock);
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
	pthread_mutex_unlock(&lock);
}

bool urgency_drop_of(pid_t pid)
{
	if (!is_urgent(pid))
		return false;
	if (!sched_setscheduler(pid, SCHED_OTHER, &none))
		return true;
	/* Children of normal priority are a right of its own, which may be gone. */
	return errno == EPERM && !sched_setscheduler(pid, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}

void urgency_drop(void)
{
	urgency_drop_of(0);
}

static bool calm_some(DIR *threads)
{
	bool has_calmed = false;

	rewinddir(threads);
	for (struct dirent *entry; (entry = readdir(threads));) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (tid > 0 && tid != gettid())
			has_calmed |= urgency_drop_of(tid);
	}
	return has_calmed;
}

void urgency_drop_others(DIR *threads)
{
	pthread_mutex_lock(&lock);
	/* A list that is read while threads end may leave one out. */
	while (calm_some(threads))
		;
	pthread_mutex_unlock(&lock);
}
