// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is urgent, and that it is so for a while only, whoever gave it to whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/capability.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/hurry.h"
#include "util/background.h"
#include "util/rights.h"
#include "util/urgency.h"

#define URGENT (SCHED_RR | SCHED_RESET_ON_FORK)
#define LASTING (SCHED_FIFO | SCHED_RESET_ON_FORK)
#define NORMAL SCHED_OTHER
#define A_WHILE_US 1000
#define NOBODY 65534

static void wait_for(pid_t tid, int policy)
{
	while (sched_getscheduler(tid) != policy)
		usleep(A_WHILE_US);
}

/* Machines without real time for us, and users without the right. */
static bool may_be_urgent(void)
{
	bool is_urgent = urgency_take();

	urgency_drop();
	return is_urgent;
}

struct worker {
	struct background background;
	atomic_int tid;
	atomic_bool is_done;
	struct worker *starts;
	bool is_lasting;
};

static int work(void *context)
{
	struct worker *worker = context;

	worker->tid = gettid();
	if (worker->starts) {
		/* It is urgent when it starts another. */
		wait_for(gettid(), URGENT);
		background_begin(&worker->starts->background, work, worker->starts);
	}
	if (worker->is_lasting) {
		wait_for(gettid(), URGENT);
		urgency_keep();
	}
	while (!worker->is_done)
		usleep(A_WHILE_US);
	return 0;
}

static void wait_for_worker(struct worker *worker, int policy)
{
	while (!worker->tid)
		usleep(A_WHILE_US);
	wait_for(worker->tid, policy);
}

static void end(struct worker *worker)
{
	worker->is_done = true;
	background_end(&worker->background);
}

/* Threads of threads, too; those that are real-time for good stay so. */
static void an_end_is_one_for_all(void **state)
{
	struct worker grandchild = {0}, child = {.starts = &grandchild},
		      lasting = {.is_lasting = true}, late = {0};
	struct hurry hurry;

	(void)state;
	if (!may_be_urgent())
		skip();
	/* Long enough never to be over by itself. */
	hurry_begin(&hurry, 3600 * NS_PER_S, NULL);
	background_begin(&child.background, work, &child);
	background_begin(&lasting.background, work, &lasting);
	wait_for_worker(&child, URGENT);
	wait_for_worker(&grandchild, URGENT);
	wait_for_worker(&lasting, LASTING);
	hurry_end(&hurry);
	background_begin(&late.background, work, &late);
	wait_for_worker(&late, NORMAL);
	assert_int_equal(sched_getscheduler(0), NORMAL);
	assert_int_equal(sched_getscheduler(child.tid), NORMAL);
	assert_int_equal(sched_getscheduler(grandchild.tid), NORMAL);
	assert_int_equal(sched_getscheduler(lasting.tid), LASTING);
	end(&child);
	end(&grandchild);
	end(&lasting);
	end(&late);
}

/* The watch ends it, while they are still at work. */
static void a_hurry_that_lasts_is_ended(void **state)
{
	struct worker child = {0};
	struct hurry hurry;

	(void)state;
	if (!may_be_urgent())
		skip();
	hurry_begin(&hurry, HURRY_LONGEST_NS / 10, NULL);
	background_begin(&child.background, work, &child);
	wait_for(0, NORMAL);
	wait_for_worker(&child, NORMAL);
	hurry_end(&hurry);
	end(&child);
}

/* In a process of its own: 0 if it is as it should be. */
static int without_the_right(void)
{
	struct rlimit limit = {1, 1};
	struct sched_param lowest = {.sched_priority = 1};

	if (setrlimit(RLIMIT_RTPRIO, &limit) || setresuid(NOBODY, NOBODY, NOBODY) || rights_keep(0))
		return 0;
	if (rights_has(CAP_SYS_NICE) || urgency_take() || sched_getscheduler(0) != NORMAL)
		return 1;
	/* As if the right had been lost since. */
	if (sched_setscheduler(0, URGENT, &lowest))
		return 0;
	urgency_drop();
	return sched_getscheduler(0) == (NORMAL | SCHED_RESET_ON_FORK) ? 0 : 2;
}

static void what_a_limit_allows_can_be_dropped(void **state)
{
	int status;

	(void)state;
	if (!may_be_urgent())
		skip();
	pid_t pid = fork();
	if (!pid)
		_exit(without_the_right());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void another_priority_is_left_alone(void **state)
{
	struct sched_param lowest = {.sched_priority = 1}, none = {0};

	(void)state;
	if (!may_be_urgent())
		skip();
	assert_int_equal(sched_setscheduler(0, SCHED_RR, &lowest), 0);
	assert_false(urgency_take());
	urgency_drop();
	assert_int_equal(sched_getscheduler(0), SCHED_RR);
	assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &none), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_is_one_for_all),
		cmocka_unit_test(a_hurry_that_lasts_is_ended),
		cmocka_unit_test(what_a_limit_allows_can_be_dropped),
		cmocka_unit_test(another_priority_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
