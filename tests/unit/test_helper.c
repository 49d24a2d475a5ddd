// SPDX-License-Identifier: GPL-2.0-or-later
/* Helper processes with jobs that hang, die, lie and run wild: each costs one answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/helper.h"
#include "util/mem.h"

#define LARGE_BYTES (3U << 20)

/* The first letter of a question says what becomes of it. */
static void handle(const struct helper_message *question, struct helper_message *answer)
{
	const char *text = question->bytes;

	switch (text[0]) {
	case 'h': /* hangs */
		for (;;)
			pause();
	case 'd': /* dies */
		raise(SIGKILL);
		break;
	case 'w': /* works without end */
		for (;;)
			;
	case 'l': /* lies about what follows, and follows it with nothing */
		answer->bytes = xcalloc(1, 8);
		answer->count = 8;
		uint64_t header[2] = {1ULL << 40, 0};
		if (send(3, header, sizeof(header), 0) < 0)
			abort();
		break;
	case 's': /* says less than a header */
		if (send(3, "x", 1, 0) < 0)
			abort();
		for (;;)
			pause();
	case 'b': /* a large answer */
		answer->bytes = xcalloc(1, LARGE_BYTES);
		answer->count = LARGE_BYTES;
		((char *)answer->bytes)[LARGE_BYTES - 1] = 'b';
		break;
	case 'f': /* the same file back */
		answer->fds[0] = dup(question->fds[0]);
		answer->fd_count = 1;
		break;
	default:
		answer->bytes = xstrndup(text, question->count);
		answer->count = question->count;
	}
}

static const struct helper_kind kind = {.name = "test-helper",
	.most = 2,
	.max_answer_bytes = LARGE_BYTES,
	.asleep_ms = 200,
	.working_ms = 2000,
	.handle = handle};

static struct helpers *start(void)
{
	struct helpers *helpers;
	struct why why;

	if (helpers_new(&kind, &helpers, &why))
		fail_msg("%s", why.text);
	return helpers;
}

static int ask(struct helpers *helpers, const char *text, struct helper_message *ret)
{
	struct helper_message question = {.bytes = (void *)text, .count = strlen(text)};

	return helpers_ask(helpers, &question, ret);
}

static void check_echo(struct helpers *helpers, const char *text)
{
	struct helper_message answer = {0};

	assert_int_equal(ask(helpers, text, &answer), 0);
	assert_int_equal(answer.count, strlen(text));
	assert_memory_equal(answer.bytes, text, answer.count);
	helper_message_clear(&answer);
}

static void a_question_that_goes_wrong_costs_one_answer(void **state)
{
	static const struct {
		const char *question;
		int error;
	} wrong[] = {{"hang", -ETIMEDOUT}, {"die", -EPIPE}, {"work for ever", -ETIMEDOUT},
		{"lie", -EPIPE}, {"say little", -EPIPE}};
	struct helpers *helpers = start();
	struct helper_usage usage = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct helper_message answer = {0};
		assert_int_equal(ask(helpers, wrong[i].question, &answer), wrong[i].error);
		check_echo(helpers, "and on it goes");
	}
	helpers_add_usage(helpers, &usage);
	assert_int_equal(usage.late, 2);
	assert_int_equal(usage.died, 3);
	assert_true(usage.cpu_ns > 0);
	helpers_free(helpers);
	/* Nobody is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void large_answers_and_files_come_through(void **state)
{
	struct helpers *helpers = start();
	struct helper_message answer = {0};
	int pipe_fds[2];

	(void)state;
	assert_int_equal(ask(helpers, "big", &answer), 0);
	assert_int_equal(answer.count, LARGE_BYTES);
	assert_int_equal(((char *)answer.bytes)[LARGE_BYTES - 1], 'b');
	helper_message_clear(&answer);

	assert_int_equal(pipe(pipe_fds), 0);
	struct helper_message question = {
		.bytes = (void *)"file", .count = 4, .fds = {pipe_fds[1]}, .fd_count = 1};
	assert_int_equal(helpers_ask(helpers, &question, &answer), 0);
	assert_int_equal(answer.fd_count, 1);
	assert_int_equal(write(answer.fds[0], "x", 1), 1);
	char byte;
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	helper_message_clear(&answer);
	/* Helpers keep nothing that would hold a pipe open. */
	close(pipe_fds[1]);
	check_echo(helpers, "once more");
	assert_int_equal(read(pipe_fds[0], &byte, 1), 0);
	close(pipe_fds[0]);
	helpers_free(helpers);
}

static void *ask_often(void *helpers)
{
	for (int i = 0; i < 200; i++)
		check_echo(helpers, "many at once");
	return NULL;
}

static void many_threads_may_ask(void **state)
{
	struct helpers *helpers = start();
	struct helper_message answer = {0};
	pthread_t threads[6];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often, helpers), 0);
	assert_int_equal(ask(helpers, "die", &answer), -EPIPE);
	assert_int_equal(ask(helpers, "hang", &answer), -ETIMEDOUT);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	helpers_free(helpers);
}

static bool is_hurried(void *context)
{
	return *(bool *)context;
}

static void who_is_in_a_hurry_does_not_wait_for_sleepers(void **state)
{
	struct helper_kind patient = kind;
	struct helpers *helpers;
	struct helper_message answer = {0};
	bool hurry = true;

	(void)state;
	/* Would be the test's whole time. */
	patient.asleep_ms = patient.working_ms = 3600 * 1000;
	assert_int_equal(helpers_new(&patient, &helpers, NULL), 0);
	helpers_set_hurry(helpers, is_hurried, &hurry);
	assert_int_equal(ask(helpers, "hang", &answer), -ETIMEDOUT);
	helpers_free(helpers);
}

static void a_helper_that_died_while_idle_is_replaced(void **state)
{
	struct helper_kind single = kind;
	struct helpers *helpers;
	pid_t child;

	(void)state;
	single.most = 1;
	assert_int_equal(helpers_new(&single, &helpers, NULL), 0);
	check_echo(helpers, "alive");
	/* The only child of this process. */
	char path[64], text[32] = "";
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		skip();
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	child = (pid_t)atoi(text);
	siginfo_t info;
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	check_echo(helpers, "alive again");
	helpers_free(helpers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_that_goes_wrong_costs_one_answer),
		cmocka_unit_test(large_answers_and_files_come_through),
		cmocka_unit_test(many_threads_may_ask),
		cmocka_unit_test(who_is_in_a_hurry_does_not_wait_for_sleepers),
		cmocka_unit_test(a_helper_that_died_while_idle_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
