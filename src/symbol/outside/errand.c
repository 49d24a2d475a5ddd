// SPDX-License-Identifier: GPL-2.0-or-later
/* Those who ask: questions as bytes, and the processes of which nothing more is asked. */
#include "symbol/outside/errand.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "symbol/outside/errand_private.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/rights.h"
#include "util/vec.h"

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
	return rights_keep(
		RIGHT(CAP_SYS_PTRACE) | RIGHT(CAP_DAC_READ_SEARCH) | RIGHT(CAP_CHECKPOINT_RESTORE));
}

static const struct helper_kind errand_helpers = {.name = "dwell-errands",
	.most = MOST_PROCESSES,
	.max_answer_bytes = sizeof(struct errand_answer) + ERRAND_TEXT_BYTES,
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

void errands_forget(struct errands *errands, uint32_t pid)
{
	if (!errands)
		return;
	pthread_mutex_lock(&errands->lock);
	map64_remove(&errands->silent, pid);
	pthread_mutex_unlock(&errands->lock);
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

/* What goes with a question, and what comes with the answer. */
struct parcel {
	const char *paths; /* NULL: none */
	size_t path_bytes;
	int fd;     /* -1: none */
	int got_fd; /* the caller's, or -1 */
	char *room; /* for what stands behind the answer, NULL: it is not wanted */
	size_t room_bytes;
};

#define NOTHING ((struct parcel){.fd = -1, .got_fd = -1})

static int run(struct errands *errands, struct errand_question *question, struct parcel *parcel,
	struct errand_answer *ret)
{
	const char *paths = parcel->paths ? parcel->paths : "";
	size_t path_bytes = parcel->paths ? parcel->path_bytes : 1;
	size_t count = sizeof(*question) + path_bytes;
	_cleanup_free_ char *bytes = xmalloc(count);
	struct helper_message asked = {
		.bytes = bytes, .count = count, .fds = {parcel->fd}, .fd_count = parcel->fd >= 0};
	struct helper_message told = {0};

	question->line.path = NULL;
	memcpy(bytes, question, sizeof(*question));
	memcpy(bytes + sizeof(*question), paths, path_bytes);
	int error = ask(errands, question->pid, &asked, &told);
	if (!error && told.count < sizeof(*ret)) {
		helper_message_clear(&told);
		error = -EIO;
	}
	if (error)
		return error;
	memcpy(ret, told.bytes, sizeof(*ret));
	if (parcel->room && told.count - sizeof(*ret) <= parcel->room_bytes)
		memcpy(parcel->room, (char *)told.bytes + sizeof(*ret), told.count - sizeof(*ret));
	if (told.fd_count) {
		parcel->got_fd = told.fds[0];
		told.fds[0] = -1;
	}
	helper_message_clear(&told);
	return ret->result;
}

static int find_mapped(struct errands *errands, enum errand_kind kind, uint32_t pid,
	const struct map_line *line, struct file_stamp *ret)
{
	struct errand_question question = {.kind = kind, .pid = pid, .line = *line};
	struct parcel parcel = NOTHING;
	struct errand_answer answer;

	parcel.paths = line->path;
	parcel.path_bytes = strlen(line->path) + 1;
	if (run(errands, &question, &parcel, &answer) || parcel.got_fd < 0)
		return -1;
	*ret = answer.stamp;
	return parcel.got_fd;
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

int errand_any_file(
	struct errands *errands, uint32_t pid, const char *const *paths, size_t count, size_t *at)
{
	struct errand_question question = {.kind = ERRAND_FILE, .pid = pid};
	struct parcel parcel = NOTHING;
	struct errand_answer answer;
	VEC(char) joined = {0};

	for (size_t i = *at; i < count; i++)
		vec_append(&joined, paths[i], strlen(paths[i]) + 1);
	parcel.paths = joined.at;
	parcel.path_bytes = joined.count;
	int error = joined.count ? run(errands, &question, &parcel, &answer) : -ENOENT;
	vec_clear(&joined);
	if (error)
		return -1;
	*at += answer.position + 1;
	return parcel.got_fd;
}

int errand_file(struct errands *errands, uint32_t pid, const char *path)
{
	size_t at = 0;

	return errand_any_file(errands, pid, &path, 1, &at);
}

int errand_open(struct errands *errands, uint32_t pid, int path_fd, enum locate_use use)
{
	struct errand_question question = {.kind = ERRAND_OPEN, .pid = pid, .use = use};
	struct parcel parcel = NOTHING;
	struct errand_answer answer;

	parcel.fd = path_fd;
	int error = run(errands, &question, &parcel, &answer);
	return error ? error : parcel.got_fd < 0 ? -EIO : parcel.got_fd;
}

/* A text that came with the answer, as a file of its own. */
static int file_of_text(const char *text, size_t count, FILE **ret)
{
	FILE *file = fmemopen(NULL, count + 1, "w+e");

	if (!file)
		return -errno;
	if (fwrite(text, 1, count, file) != count || fflush(file)) {
		fclose(file);
		return -ENOMEM;
	}
	rewind(file);
	*ret = file;
	return 0;
}

int errand_maps(struct errands *errands, uint32_t pid, uint32_t tid, FILE **ret)
{
	struct errand_question question = {.kind = ERRAND_MAPS, .pid = pid, .tid = tid};
	struct parcel parcel = NOTHING;
	struct errand_answer answer;
	_cleanup_free_ char *text = xmalloc(ERRAND_TEXT_BYTES);

	parcel.room = text;
	parcel.room_bytes = ERRAND_TEXT_BYTES;
	int error = run(errands, &question, &parcel, &answer);
	if (error)
		return error;
	if (answer.text_bytes > ERRAND_TEXT_BYTES)
		return -EIO;
	if (parcel.got_fd < 0)
		return file_of_text(text, answer.text_bytes, ret);
	FILE *file = fdopen(parcel.got_fd, "re");
	if (!file) {
		error = -errno;
		close(parcel.got_fd);
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
	struct parcel parcel = NOTHING;
	struct errand_answer answer;
	int result = run(errands, &question, &parcel, &answer);

	if (result <= 0)
		return result;
	if (parcel.got_fd < 0)
		return -EIO;
	*state = answer.state;
	*ret_is_other = answer.is_other;
	*ret_fd = parcel.got_fd;
	return result;
}

uint32_t errand_memory(struct errands *errands, uint32_t pid, uint32_t tid, uint64_t address,
	char pages[static ERRAND_PAGES * ERRAND_PAGE_BYTES])
{
	struct errand_question question = {
		.kind = ERRAND_MEMORY, .pid = pid, .tid = tid, .address = address};
	struct parcel parcel = NOTHING;
	struct errand_answer answer;

	parcel.room = pages;
	parcel.room_bytes = ERRAND_PAGES * ERRAND_PAGE_BYTES;
	return run(errands, &question, &parcel, &answer) ? 0 : answer.pages;
}

bool errand_stacks(struct errands *errands, const struct errand_stack *stacks, size_t count,
	uint32_t ret_read[static ERRAND_STACKS], char *pages)
{
	struct errand_question question = {.kind = ERRAND_FIRST_PAGES};
	struct parcel parcel = NOTHING;
	struct errand_answer answer;
	char places[ERRAND_STACKS * sizeof(*stacks) + 1] = {0};

	_Static_assert(ERRAND_STACKS * ERRAND_STACK_PAGES <= 32, "a bit for each page");
	for (size_t i = 0; errands && i < count; i++)
		if (is_silent(errands, stacks[i].pid))
			return false;
	memcpy(places, stacks, count * sizeof(*stacks));
	parcel.paths = places;
	parcel.path_bytes = count * sizeof(*stacks) + 1;
	parcel.room = pages;
	parcel.room_bytes = count * ERRAND_STACK_PAGES * ERRAND_PAGE_BYTES;
	if (run(errands, &question, &parcel, &answer))
		return false;
	for (size_t i = 0; i < count; i++)
		ret_read[i] =
			answer.pages >> (i * ERRAND_STACK_PAGES) & ((1U << ERRAND_STACK_PAGES) - 1);
	return true;
}
