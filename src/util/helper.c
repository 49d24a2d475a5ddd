// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The outside of helper processes: a small pool, and the waiting for answers. A helper that has no
 * CPU is not late: time counts against it only while it sleeps, which it does in nothing but system
 * calls on what it was asked about. Ticks are counted, not clocks, so that a pause of the whole
 * machine is nobody's fault.
 */
#include "util/helper.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/helper_private.h"
#include "util/urgency.h"
#include "util/vec.h"

#define TICK_MS 20
/* After so many answers that never came, no answer is waited for longer than this. */
#define MAX_LATE 8
#define IMPATIENT_MS 100
#define IMPATIENT_WORKING_MS 2000
/* The same after a signal has told dwell to stop. */
#define HURRIED_MS 300
#define HURRIED_WORKING_MS 1000
/* More that cannot be killed are not started. */
#define MAX_KILLED 16
#define REAP_TRIES 50
#define REAP_PAUSE_NS 2000000

struct helper {
	pid_t pid;
	int fd;
	bool is_busy;
};

struct helpers {
	const struct helper_kind *kind;
	bool (*is_hurried)(void *context);
	void *context;
	pthread_mutex_t lock; /* all that follows */
	pthread_cond_t is_free;
	VEC(struct helper) running;
	VEC(pid_t) killed; /* and not waited for yet */
	struct helper_usage ended;
};

static int start(struct helpers *helpers, struct helper *ret)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid_t pid = fork();
	if (!pid)
		helper_serve(helpers->kind, ends[1]);
	int error = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return error;
	}
	urgency_share_with(pid);
	/* One that has ended is noticed when it is asked. */
	(void)!send(ends[0], "", 1, MSG_NOSIGNAL);
	*ret = (struct helper){.pid = pid, .fd = ends[0]};
	return 0;
}

int helpers_new(const struct helper_kind *kind, struct helpers **ret, struct why *why)
{
	struct helpers *helpers = xcalloc(1, sizeof(*helpers));
	struct helper helper;
	int error = 0;

	helpers->kind = kind;
	pthread_mutex_init(&helpers->lock, NULL);
	pthread_cond_init(&helpers->is_free, NULL);
	/* All of them now, while there is little memory for them to inherit. */
	while (!error && helpers->running.count < kind->most) {
		error = start(helpers, &helper);
		if (!error)
			vec_push(&helpers->running, helper);
	}
	if (error) {
		helpers_free(helpers);
		return why_set(why, error, "cannot start a helper process (%s): %s", kind->name,
			strerror(-error));
	}
	*ret = helpers;
	return 0;
}

/* Waits for those who were killed, but not for one whose file system does not let it go. */
static void reap(struct helpers *helpers, int tries)
{
	const struct timespec pause = {.tv_nsec = REAP_PAUSE_NS};

	for (;; tries--) {
		size_t left = 0;
		vec_each (pid, &helpers->killed)
			if (!waitpid(*pid, NULL, WNOHANG))
				helpers->killed.at[left++] = *pid;
		helpers->killed.count = left;
		if (!left || tries <= 0)
			return;
		nanosleep(&pause, NULL);
	}
}

static uint64_t cpu_ns_of(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : clock_ns(clock);
}

/* At its peak, without the program's and libraries' own pages, which it shares with us. */
static uint64_t memory_of(pid_t pid)
{
	char path[32], line[128];
	unsigned long long peak_kib = 0, file_kib = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in) && sscanf(line, "RssFile: %llu", &file_kib) != 1)
		sscanf(line, "VmHWM: %llu", &peak_kib);
	return peak_kib > file_kib ? (uint64_t)(peak_kib - file_kib) << 10 : 0;
}

static void end(struct helpers *helpers, const struct helper *helper)
{
	uint64_t memory = memory_of(helper->pid);

	helpers->ended.cpu_ns += cpu_ns_of(helper->pid);
	if (memory > helpers->ended.memory_bytes)
		helpers->ended.memory_bytes = memory;
	close(helper->fd);
	kill(helper->pid, SIGKILL);
	vec_push(&helpers->killed, helper->pid);
}

void helpers_free(struct helpers *helpers)
{
	if (!helpers)
		return;
	vec_each (helper, &helpers->running)
		end(helpers, helper);
	reap(helpers, REAP_TRIES);
	vec_clear(&helpers->running);
	vec_clear(&helpers->killed);
	pthread_cond_destroy(&helpers->is_free);
	pthread_mutex_destroy(&helpers->lock);
	free(helpers);
}

void helpers_set_hurry(struct helpers *helpers, bool (*is_hurried)(void *context), void *context)
{
	helpers->is_hurried = is_hurried;
	helpers->context = context;
}

void helpers_calm(struct helpers *helpers)
{
	pthread_mutex_lock(&helpers->lock);
	vec_each (helper, &helpers->running)
		urgency_drop_of(helper->pid);
	pthread_mutex_unlock(&helpers->lock);
}

static struct helper *find_free(struct helpers *helpers)
{
	vec_each (helper, &helpers->running)
		if (!helper->is_busy)
			return helper;
	return NULL;
}

/* A free one, or a new one; the pid tells it apart from then on. */
static int take(struct helpers *helpers, struct helper *ret)
{
	struct helper *found, started;
	int error = 0;

	pthread_mutex_lock(&helpers->lock);
	reap(helpers, 0);
	while (!(found = find_free(helpers)) && helpers->running.count >= helpers->kind->most)
		pthread_cond_wait(&helpers->is_free, &helpers->lock);
	if (!found) {
		error = helpers->killed.count < MAX_KILLED ? start(helpers, &started) : -EAGAIN;
		if (!error) {
			vec_push(&helpers->running, started);
			found = &helpers->running.at[helpers->running.count - 1];
		}
	}
	/* Another one who waits may have more luck, and else must not wait for ever. */
	if (error)
		pthread_cond_signal(&helpers->is_free);
	if (found) {
		found->is_busy = true;
		*ret = *found;
	}
	pthread_mutex_unlock(&helpers->lock);
	return error ? -EAGAIN : 0;
}

static void give_back(struct helpers *helpers, pid_t pid, int error)
{
	pthread_mutex_lock(&helpers->lock);
	for (size_t i = 0; i < helpers->running.count; i++) {
		struct helper *helper = &helpers->running.at[i];
		if (helper->pid != pid)
			continue;
		helper->is_busy = false;
		if (error) {
			end(helpers, helper);
			*helper = helpers->running.at[--helpers->running.count];
		}
		break;
	}
	helpers->ended.late += error == -ETIMEDOUT;
	helpers->ended.died += error == -EPIPE;
	pthread_cond_signal(&helpers->is_free);
	pthread_mutex_unlock(&helpers->lock);
}

/* Does it sleep in a system call, or has somebody stopped it? The state follows the name, which may
 * hold anything. */
static bool is_asleep(pid_t pid)
{
	char path[32], line[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	size_t length = in ? fread(line, 1, sizeof(line) - 1, in) : 0;
	line[length] = '\0';
	const char *at = strrchr(line, ')');
	return at && at[1] == ' ' && strchr("SDTt", at[2]);
}

/* How much longer than a tick it was waited for one answer. */
struct patience {
	uint32_t asleep_ms;
	uint32_t all_ms;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static bool is_out(struct helpers *helpers, const struct patience *patience)
{
	uint32_t asleep_ms = helpers->kind->asleep_ms, working_ms = helpers->kind->working_ms;

	if (helpers->is_hurried && helpers->is_hurried(helpers->context)) {
		asleep_ms = least(asleep_ms, HURRIED_MS);
		working_ms = least(working_ms, HURRIED_WORKING_MS);
	}
	if (helpers->ended.late >= MAX_LATE) {
		asleep_ms = least(asleep_ms, IMPATIENT_MS);
		working_ms = least(working_ms, IMPATIENT_WORKING_MS);
	}
	return patience->asleep_ms >= asleep_ms || patience->all_ms >= working_ms;
}

static int wait_readable(
	struct helpers *helpers, const struct helper *helper, struct patience *patience)
{
	struct pollfd answer = {.fd = helper->fd, .events = POLLIN};

	for (;;) {
		int ready = poll(&answer, 1, TICK_MS);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
		patience->all_ms += TICK_MS;
		patience->asleep_ms += is_asleep(helper->pid) ? TICK_MS : 0;
		if (is_out(helpers, patience))
			return -ETIMEDOUT;
	}
}

static int receive_bytes(struct helpers *helpers, const struct helper *helper,
	struct patience *patience, struct helper_message *message)
{
	uint64_t until_ns =
		clock_monotonic_ns() + (uint64_t)helpers->kind->working_ms * 1000 * 1000;

	for (size_t done = 0; done < message->count;) {
		int error = wait_readable(helpers, helper, patience);
		/* A helper that sends byte by byte is never late, and never done. */
		if (!error && clock_monotonic_ns() > until_ns)
			error = -ETIMEDOUT;
		if (error)
			return error;
		ssize_t got = recv(helper->fd, (char *)message->bytes + done, message->count - done,
			MSG_DONTWAIT);
		if (got > 0)
			done += (size_t)got;
		else if (!got || (errno != EAGAIN && errno != EINTR))
			return -EPIPE;
	}
	return 0;
}

static int receive_answer(
	struct helpers *helpers, const struct helper *helper, struct helper_message *ret)
{
	struct helper_header header;
	struct patience patience = {0};
	int error = wait_readable(helpers, helper, &patience);

	/* A header comes as a whole; one that does not is not worth waiting for. */
	if (!error && helper_receive_header(helper->fd, MSG_DONTWAIT, &header, ret))
		error = -EPIPE;
	if (error)
		return error;
	if (header.count > helpers->kind->max_answer_bytes || header.fd_count != ret->fd_count)
		return -EPIPE;
	ret->bytes = xmalloc(header.count + 1);
	ret->count = header.count;
	return receive_bytes(helpers, helper, &patience, ret);
}

/* One that died while it was idle, for want of memory perhaps, is replaced once. */
static int take_and_send(
	struct helpers *helpers, const struct helper_message *question, struct helper *ret)
{
	int error = take(helpers, ret);

	if (error || !helper_send(ret->fd, MSG_DONTWAIT, question))
		return error;
	give_back(helpers, ret->pid, -EAGAIN);
	error = take(helpers, ret);
	if (error || !helper_send(ret->fd, MSG_DONTWAIT, question))
		return error;
	give_back(helpers, ret->pid, -EPIPE);
	return -EPIPE;
}

int helpers_ask(
	struct helpers *helpers, const struct helper_message *question, struct helper_message *ret)
{
	struct helper_message answer = {0};
	struct helper helper;
	int error = take_and_send(helpers, question, &helper);

	if (error)
		return error;
	error = receive_answer(helpers, &helper, &answer);
	give_back(helpers, helper.pid, error);
	if (error)
		helper_message_clear(&answer);
	else
		*ret = answer;
	return error;
}

void helpers_add_usage(struct helpers *helpers, struct helper_usage *usage)
{
	pthread_mutex_lock(&helpers->lock);
	usage->cpu_ns += helpers->ended.cpu_ns;
	usage->memory_bytes += helpers->ended.memory_bytes;
	usage->late += helpers->ended.late;
	usage->died += helpers->ended.died;
	vec_each (helper, &helpers->running) {
		usage->cpu_ns += cpu_ns_of(helper->pid);
		usage->memory_bytes += memory_of(helper->pid);
	}
	pthread_mutex_unlock(&helpers->lock);
}
