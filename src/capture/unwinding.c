// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Says when the loader has to be waited for, and when to look for stacks to walk from outside. A
 * thread of its own does that in time, which the one that names stacks and writes rows might not on
 * a busy machine.
 */
#include "capture/unwinding.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "capture/capture.h"
#include "host/rights.h"
#include "kernel/sleepers.h"
#include "util/clock.h"
#include "util/units.h"
#include "util/urgency.h"

/*
 * The window is to be open a second after the start began: tables that are not there by then come
 * later. A start that was slow for other reasons still waits a moment for what nearly is there.
 */
#define TABLES_BY_NS (600 * NS_PER_MS)
#define SLEEPERS_BY_NS (800 * NS_PER_MS)
#define LEAST_WAIT_NS (100 * NS_PER_MS)
/* A COMMAND can wait, and nothing of it shall be missed; but not for thousands of files. */
#define COMMAND_WAIT_NS (20 * NS_PER_S)
#define REPAIR_EVERY_MS 250
#define STOP_CHECK_NS (50 * NS_PER_MS)
#define LAST_TABLES_NS (100 * NS_PER_MS)
/* Looking for sleepers costs a fiftieth of one CPU at most, and leaves tables time to come. */
#define REPAIR_PAUSE_NS (2 * NS_PER_MS)
#define REPAIR_PAUSE_TIMES 50

struct unwinding {
	struct outside *outside;
	const struct capture_options *options;
	struct kernel *kernel;
	struct loader *loader;
	struct unwind_areas areas;
	uint32_t lacking; /* stacks without tables, when they were last looked for */
	bool had_lack;    /* there were more of them than the time before */
	size_t left;      /* sleepers without a root, after the last repair */
	_Atomic uint64_t next_repair_ns;
	atomic_bool is_planned;
	int repair_fd; /* a timer: tables have come, and it is time for a repair */
	int stop_fd;
	bool has_thread;
	pthread_t thread;
	uint64_t begun_ns; /* the start */
	uint64_t took_ns;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t has_walked;
	bool is_first_done;       /* all sleepers of the start were looked at, */
	int first_error;          /* 0 if that worked */
	VEC(uint64_t *) sleepers; /* struct record_stack each, for the next batch */
};

/* Tables have come: sleepers whose stacks lacked them are walked as soon as the pause allows. */
static void plan_repair(void *context)
{
	struct unwinding *unwinding = context;
	uint64_t earliest = clock_monotonic_ns() + 1, at = unwinding->next_repair_ns;
	struct itimerspec timer = {0};

	if (atomic_exchange(&unwinding->is_planned, true))
		return;
	if (at < earliest)
		at = earliest;
	timer.it_value.tv_sec = (time_t)(at / NS_PER_S);
	timer.it_value.tv_nsec = (long)(at % NS_PER_S);
	timerfd_settime(unwinding->repair_fd, TFD_TIMER_ABSTIME, &timer, NULL);
}

int unwinding_new(struct kernel *kernel, const struct capture_options *options,
	struct outside *outside, uint64_t begun_ns, struct unwinding **ret, struct why *why)
{
	struct unwinding *unwinding = xcalloc(1, sizeof(*unwinding));
	struct loader_options loading = {.wants_fd = kernel_wants_fd(kernel),
		.outside = outside,
		.has_cache = options->has_cache,
		.on_news = plan_repair,
		.news_context = unwinding};
	int error = kernel_unwind_areas(kernel, &loading.areas, why);

	unwinding->outside = outside;
	unwinding->options = options;
	unwinding->kernel = kernel;
	unwinding->areas = loading.areas;
	unwinding->begun_ns = begun_ns;
	pthread_cond_init(&unwinding->has_walked, NULL);
	pthread_mutex_init(&unwinding->lock, NULL);
	unwinding->repair_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	unwinding->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (!error && (unwinding->repair_fd < 0 || unwinding->stop_fd < 0))
		error = why_set(why, -errno, "cannot make a timer: %s", strerror(errno));
	if (!error)
		error = loader_new(&loading, &unwinding->loader, why);
	if (error) {
		unwinding_free(unwinding);
		return error;
	}
	*ret = unwinding;
	return 0;
}

static void end_thread(struct unwinding *unwinding)
{
	uint64_t one = 1;

	if (!unwinding->has_thread)
		return;
	if (write(unwinding->stop_fd, &one, sizeof(one)) < 0)
		return; /* not with a counter of 1 */
	pthread_join(unwinding->thread, NULL);
	unwinding->has_thread = false;
}

void unwinding_free(struct unwinding *unwinding)
{
	if (!unwinding)
		return;
	end_thread(unwinding);
	vec_each (record, &unwinding->sleepers)
		free(*record);
	vec_clear(&unwinding->sleepers);
	loader_free(unwinding->loader);
	if (unwinding->repair_fd >= 0)
		close(unwinding->repair_fd);
	if (unwinding->stop_fd >= 0)
		close(unwinding->stop_fd);
	pthread_cond_destroy(&unwinding->has_walked);
	pthread_mutex_destroy(&unwinding->lock);
	free(unwinding);
}

/* Until when something is waited for that is to be there so long after the start began. */
static uint64_t deadline(const struct unwinding *unwinding, uint64_t after_ns)
{
	uint64_t due = unwinding->begun_ns + after_ns;
	uint64_t least = clock_monotonic_ns() + LEAST_WAIT_NS;

	if (unwinding->options->command_pid)
		return clock_monotonic_ns() + COMMAND_WAIT_NS;
	return due > least ? due : least;
}

static void tell_progress(struct unwinding *unwinding)
{
	const struct capture_options *options = unwinding->options;
	size_t read, all;

	if (!options->on_stage)
		return;
	loader_progress(unwinding->loader, &read, &all);
	options->on_stage(options->stage_context, START_TABLES, read, all);
}

int unwinding_wait(struct unwinding *unwinding, struct why *why)
{
	uint64_t begun_ns = clock_monotonic_ns();
	uint64_t until_ns = deadline(unwinding, TABLES_BY_NS), now = begun_ns;

	while (now < until_ns) {
		uint64_t left = until_ns - now;
		if (loader_wait(unwinding->loader, left < STOP_CHECK_NS ? left : STOP_CHECK_NS))
			break;
		tell_progress(unwinding);
		int error = capture_go_on(unwinding->options, why);
		if (error)
			return error;
		now = clock_monotonic_ns();
	}
	unwinding->took_ns += clock_monotonic_ns() - begun_ns;
	return 0;
}

void unwinding_warm(struct unwinding *unwinding, bool everything)
{
	const struct capture_options *options = unwinding->options;

	if (everything)
		loader_warm_all(unwinding->loader);
	for (size_t i = 0; i < options->id_count; i++)
		loader_warm(unwinding->loader, options->ids[i]);
	/* A command most likely uses the libraries that its shell uses. */
	if (options->target == TARGET_COMMAND)
		loader_warm(unwinding->loader, (uint32_t)getppid());
}

static void take_sleeper(void *context, const struct walk *walk)
{
	struct unwinding *unwinding = context;

	_Static_assert(offsetof(struct walk, frames) == offsetof(struct record_stack, frames),
		"a walk begins like its record");
	size_t bytes = sizeof(struct record_stack) + walk->depth * sizeof(uint64_t);
	uint64_t *record = xmalloc(bytes);
	memcpy(record, walk, bytes);
	pthread_mutex_lock(&unwinding->lock);
	vec_push(&unwinding->sleepers, record);
	pthread_mutex_unlock(&unwinding->lock);
}

void unwinding_give(struct unwinding *unwinding, struct batch *batch)
{
	pthread_mutex_lock(&unwinding->lock);
	vec_each (slot, &unwinding->sleepers) {
		const struct record_stack *record = (const void *)*slot;
		batch_add_record(batch, record, sizeof(*record) + record->depth * sizeof(uint64_t));
		free(*slot);
	}
	vec_clear(&unwinding->sleepers);
	pthread_mutex_unlock(&unwinding->lock);
}

static bool has_new_lack(const struct unwinding *unwinding)
{
	return kernel_lacking(unwinding->kernel) != unwinding->lacking;
}

static void repair(struct unwinding *unwinding, bool is_last)
{
	uint64_t now = clock_monotonic_ns();
	uint32_t lacking = kernel_lacking(unwinding->kernel);

	unwinding->had_lack = lacking != unwinding->lacking;
	unwinding->lacking = lacking;
	/* A round that failed is worth another try. */
	if (sleepers_walk(unwinding->kernel, unwinding->outside, &unwinding->areas, is_last,
		    take_sleeper, unwinding, &unwinding->left))
		unwinding->left++;
	uint64_t done = clock_monotonic_ns();
	unwinding->next_repair_ns = done + REPAIR_PAUSE_NS + REPAIR_PAUSE_TIMES * (done - now);
}

/* Those who sleep when the window is about to open. */
static void walk_first(struct unwinding *unwinding)
{
	int error = sleepers_walk(unwinding->kernel, unwinding->outside, &unwinding->areas, false,
		take_sleeper, unwinding, &unwinding->left);

	pthread_mutex_lock(&unwinding->lock);
	unwinding->is_first_done = true;
	unwinding->first_error = error;
	/* Perhaps nobody waits for it any more: then it is worth another try. */
	if (error)
		unwinding->left++;
	pthread_cond_signal(&unwinding->has_walked);
	pthread_mutex_unlock(&unwinding->lock);
}

static void *repair_in_time(void *context)
{
	struct unwinding *unwinding = context;
	struct pollfd fds[] = {{.fd = unwinding->repair_fd, .events = POLLIN},
		{.fd = unwinding->stop_fd, .events = POLLIN}};
	uint64_t times;

	rights_settle();
	walk_first(unwinding);
	/* On a busy machine a thread of normal priority would come after the sleepers have run. */
	urgency_keep();
	while (poll(fds, ARRAY_SIZE(fds), REPAIR_EVERY_MS) >= 0 || errno == EINTR) {
		if (fds[1].revents)
			break;
		bool has_news = read(unwinding->repair_fd, &times, sizeof(times)) == sizeof(times);
		/* News from now on may be too late for this round: they plan the next. */
		if (has_news)
			unwinding->is_planned = false;
		if (clock_monotonic_ns() < unwinding->next_repair_ns) {
			if (has_news)
				plan_repair(unwinding);
			continue;
		}
		/*
		 * Threads that lacked tables the last time are helped by new tables only. A thread
		 * that was just about to leave its CPU then was not among them.
		 */
		if (has_new_lack(unwinding) ||
			(has_news && (unwinding->left || unwinding->had_lack)))
			repair(unwinding, false);
	}
	return NULL;
}

static int start_thread(struct unwinding *unwinding, struct why *why)
{
	/* It cannot end its first walk, and choose a priority of its own, before it has this one.
	 */
	pthread_mutex_lock(&unwinding->lock);
	int error = pthread_create(&unwinding->thread, NULL, repair_in_time, unwinding);
	unwinding->has_thread = !error;
	/* All sleepers at once are much work, and part of the start: no longer than that hurries.
	 */
	if (!error)
		urgency_share(unwinding->thread);
	pthread_mutex_unlock(&unwinding->lock);
	if (error)
		return why_set(why, -error, "cannot start a thread: %s", strerror(error));
	return 0;
}

/* A sleeper whose memory does not answer keeps that thread, but not the window. */
static int wait_for_first(struct unwinding *unwinding)
{
	uint64_t until_ns = deadline(unwinding, SLEEPERS_BY_NS);
	struct timespec until = {
		.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};

	pthread_mutex_lock(&unwinding->lock);
	while (!unwinding->is_first_done && !pthread_cond_clockwait(&unwinding->has_walked,
						    &unwinding->lock, CLOCK_MONOTONIC, &until))
		;
	int error = unwinding->first_error;
	pthread_mutex_unlock(&unwinding->lock);
	return error;
}

int unwinding_start(struct unwinding *unwinding, struct namer *namer, struct why *why)
{
	int error = unwinding_wait(unwinding, why);

	if (error)
		return error;
	if (unwinding->options->on_stage)
		unwinding->options->on_stage(
			unwinding->options->stage_context, START_SLEEPERS, 0, 0);
	kernel_set_tables_ready(unwinding->kernel);
	namer_set_started(namer);
	unwinding->lacking = kernel_lacking(unwinding->kernel);
	error = start_thread(unwinding, why);
	if (error)
		return error;
	error = wait_for_first(unwinding);
	loader_set_started(unwinding->loader);
	return error ? why_set(why, error, "cannot read the stacks of sleeping threads: %s",
			       strerror(-error))
		     : 0;
}

void unwinding_stop(struct unwinding *unwinding)
{
	end_thread(unwinding);
	if (!has_new_lack(unwinding) && !unwinding->left && !unwinding->had_lack)
		return;
	loader_wait(unwinding->loader, LAST_TABLES_NS);
	repair(unwinding, true);
}

struct loader *unwinding_loader(struct unwinding *unwinding)
{
	return unwinding->loader;
}

uint64_t unwinding_took_ns(const struct unwinding *unwinding)
{
	return unwinding->took_ns;
}
