// SPDX-License-Identifier: GPL-2.0-or-later
/* Those who ask: questions as bytes, and the processes of which nothing more is asked. */
#include "symbol/errand.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "symbol/errand_private.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/rights.h"

#define MOST_PROCESSES 2
#define ASLEEP_MS 800
/* A process with a million mappings takes seconds to list them. */
#define WORKING_MS 20000

struct errands {
	struct helpers *helpers;
	pthread_mutex_t lock;
	struct map64 silent; /* pids */
};

/*
 * Whose stacks wait for tables waits for errands first, so that they go before others. What they
 * need is to look into other processes, and to find files that those have deleted.
 */
static int prepare(void)
{
	struct sched_param low = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO, &low))
		setpriority(PRIO_PROCESS, 0, -20);
	return rights_keep(RIGHT(CAP_SYS_PTRACE) | RIGHT(CAP_DAC_READ_SEARCH) |
			   RIGHT(CAP_CHECKPOINT_RESTORE));
}

static const struct helper_kind errand_helpers = {.name = "dwell-errands",
	.most = MOST_PROCESSES,
	.max_answer_bytes = sizeof(struct errand_answer) + ERRAND_PAGES * ERRAND_PAGE_BYTES,
	.asleep_ms = ASLEEP_MS,
	.working_ms = WORKING_MS,
	.prepare = prepare,
	.handle = errand_go};

int errands_new(struct errands **ret, struct why *why)
{
	struct errands *errands = xcalloc(1, sizeof(*errands));
	int error = helpers_new(&errand_helpers, &errands->helpers, why);

	pthread_mutex_init(&errands->lock, NULL);
	if (error)
		errands_free(errands);
	else
		*ret = errands;
	return error;
}

void errands_free(struct errands *errands)
{
	if (!errands)
		return;
	helpers_free(errands->helpers);
	map64_clear(&errands->silent);
	pthread_mutex_destroy(&errands->lock);
	free(errands);
}

struct helpers *errands_helpers(struct errands *errands)
{
	return errands->helpers;
}

static bool is_silent(struct errands *errands, uint32_t pid)
{
	pthread_mutex_lock(&errands->lock);
	bool is = pid && map64_find(&errands->silent, pid);
	pthread_mutex_unlock(&errands->lock);
	return is;
}

static int ask(struct errands *errands, uint32_t pid, const struct helper_message *question,
	struct helper_message *ret)
{
	if (!errands) {
		errand_go(question, ret);
		return 0;
	}
	if (is_silent(errands, pid))
		return -ETIMEDOUT;
	int error = helpers_ask(errands->helpers, question, ret);
	if (error == -ETIMEDOUT && pid) {
		pthread_mutex_lock(&errands->lock);
		map64_put(&errands->silent, pid, NULL);
		pthread_mutex_unlock(&errands->lock);
	}
	return error;
}

/* fd goes with the question, -1: none. The fd of the answer is the caller's, or -1. */
static int run(struct errands *errands, struct errand_question *question, const char *path, int fd,
	struct errand_answer *ret, int *ret_fd, char *pages)
{
	size_t path_bytes = strlen(path) + 1, count = sizeof(*question) + path_bytes;
	_cleanup_free_ char *bytes = xmalloc(count);
	struct helper_message asked = {
		.bytes = bytes, .count = count, .fds = {fd}, .fd_count = fd >= 0};
	struct helper_message told = {0};

	question->line.path = NULL;
	memcpy(bytes, question, sizeof(*question));
	memcpy(bytes + sizeof(*question), path, path_bytes);
	int error = ask(errands, question->pid ? question->pid : question->tid, &asked, &told);
	if (!error && told.count < sizeof(*ret))
		error = -EIO;
	if (error)
		return error;
	memcpy(ret, told.bytes, sizeof(*ret));
	if (pages && told.count == sizeof(*ret) + ERRAND_PAGES * ERRAND_PAGE_BYTES)
		memcpy(pages, (char *)told.bytes + sizeof(*ret), told.count - sizeof(*ret));
	if (ret_fd && told.fd_count) {
		*ret_fd = told.fds[0];
		told.fds[0] = -1;
	}
	helper_message_clear(&told);
	return ret->result;
}

static int find_mapped(struct errands *errands, enum errand_kind kind, uint32_t pid,
	const struct map_line *line, struct file_stamp *ret)
{
	struct errand_question question = {.kind = kind, .pid = pid, .line = *line};
	struct errand_answer answer;
	int fd = -1;

	if (run(errands, &question, line->path, -1, &answer, &fd, NULL) || fd < 0)
		return -1;
	*ret = answer.stamp;
	return fd;
}

int errand_mapped_file(
	struct errands *errands, uint32_t pid, const struct map_line *line, struct file_stamp *ret)
{
	return find_mapped(errands, ERRAND_MAPPED_FILE, pid, line, ret);
}

int errand_told_file(
	struct errands *errands, uint32_t pid, const struct map_line *line, struct file_stamp *ret)
{
	return find_mapped(errands, ERRAND_TOLD_FILE, pid, line, ret);
}

int errand_file(struct errands *errands, uint32_t pid, const char *path)
{
	struct errand_question question = {.kind = ERRAND_FILE, .pid = pid};
	struct errand_answer answer;
	int fd = -1;

	return run(errands, &question, path, -1, &answer, &fd, NULL) ? -1 : fd;
}

int errand_open(struct errands *errands, uint32_t pid, int path_fd, enum locate_use use)
{
	struct errand_question question = {.kind = ERRAND_OPEN, .pid = pid, .use = use};
	struct errand_answer answer;
	int fd = -1;
	int error = run(errands, &question, "", path_fd, &answer, &fd, NULL);

	return error ? error : fd < 0 ? -EIO : fd;
}

int errand_maps(struct errands *errands, uint32_t pid, uint32_t tid, FILE **ret)
{
	struct errand_question question = {.kind = ERRAND_MAPS, .pid = pid, .tid = tid};
	struct errand_answer answer;
	int fd = -1;
	int error = run(errands, &question, "", -1, &answer, &fd, NULL);

	if (error || fd < 0)
		return error ? error : -EIO;
	FILE *file = fdopen(fd, "re");
	if (!file) {
		error = -errno;
		close(fd);
		return error;
	}
	*ret = file;
	return 0;
}

int errand_perf_map(struct errands *errands, uint32_t pid, struct perf_map_state *state,
	uint64_t offset, int *ret_fd, bool *ret_is_other)
{
	struct errand_question question = {
		.kind = ERRAND_PERF_MAP, .pid = pid, .state = *state, .offset = offset};
	struct errand_answer answer;
	int fd = -1;
	int result = run(errands, &question, "", -1, &answer, &fd, NULL);

	if (result <= 0)
		return result;
	if (fd < 0)
		return -EIO;
	*state = answer.state;
	*ret_is_other = answer.is_other;
	*ret_fd = fd;
	return result;
}

uint32_t errand_memory(struct errands *errands, uint32_t tid, uint64_t address,
	char pages[static ERRAND_PAGES * ERRAND_PAGE_BYTES])
{
	struct errand_question question = {.kind = ERRAND_MEMORY, .tid = tid, .address = address};
	struct errand_answer answer;

	return run(errands, &question, "", -1, &answer, NULL, pages) ? 0 : answer.pages;
}
