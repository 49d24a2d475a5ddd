// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command to be recorded. It is forked before the kernel side looks for threads, so that it is
 * known from its first moment, and held by a pipe until the window is open.
 */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/mem.h"

#define PATIENCE_MS 2000

static void run_child(int wait_fd, int failure_fd, char *const *command, const sigset_t *mask,
	char *const *variables)
{
	char go;
	int error;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (read(wait_fd, &go, 1) != 1)
		_exit(125);
	for (; variables && *variables; variables++)
		putenv(*variables);
	execvp(command[0], command);
	error = errno;
	if (write(failure_fd, &error, sizeof(error)) < 0)
		_exit(125);
	_exit(127);
}

/* 0, or why this file cannot be executed. */
static int try_file(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return errno == ENOTDIR ? ENOENT : errno;
	return S_ISREG(status.st_mode) && !access(path, X_OK) ? 0 : EACCES;
}

int child_find(const char *command, char **ret_path)
{
	const char *path = getenv("PATH");
	int best = ENOENT;

	if (ret_path)
		*ret_path = NULL;
	if (strchr(command, '/')) {
		if (ret_path)
			*ret_path = xstrdup(command);
		return try_file(command);
	}
	if (!path)
		return 0; /* execvp has a default of its own */
	while (*command) {
		size_t length = strcspn(path, ":");
		_cleanup_free_ char *file =
			xasprintf("%.*s%s%s", (int)length, path, length ? "/" : "", command);
		int error = try_file(file);
		if (!error && ret_path)
			*ret_path = xstrdup(file);
		if (!error)
			return 0;
		if (error == EACCES)
			best = EACCES;
		if (!path[length])
			break;
		path += length + 1;
	}
	return best;
}

int child_prepare(
	struct child *child, char *const *command, const sigset_t *mask, char *const *variables)
{
	int go[2], failure[2];

	*child = (struct child){.release_fd = -1, .failure_fd = -1, .pidfd = -1};
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		int error = -errno;
		close(go[0]);
		close(go[1]);
		return error;
	}
	pid_t pid = fork();
	if (!pid) {
		close(go[1]);
		close(failure[0]);
		run_child(go[0], failure[1], command, mask, variables);
	}
	int error = pid < 0 ? -errno : 0;
	close(go[0]);
	close(failure[1]);
	child->release_fd = go[1];
	child->failure_fd = failure[0];
	child->pid = pid > 0 ? pid : 0;
	if (!error)
		child->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (!error && child->pidfd < 0)
		error = -errno;
	if (error)
		child_clear(child);
	return error;
}

int child_release(struct child *child)
{
	int error = 0;

	if (write(child->release_fd, "g", 1) != 1)
		error = errno;
	close(child->release_fd);
	child->release_fd = -1;
	/* Ends without a word when the exec worked, because the pipe closes on it. */
	if (read(child->failure_fd, &error, sizeof(error)) > 0) {
		waitpid(child->pid, NULL, 0);
		child->pid = 0;
	}
	return error;
}

int child_status(struct child *child)
{
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return 125;
	child->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool child_end(struct child *child)
{
	struct pollfd end = {.fd = child->pidfd, .events = POLLIN};

	kill(child->pid, SIGTERM);
	return poll(&end, 1, PATIENCE_MS) > 0;
}

void child_clear(struct child *child)
{
	int fds[] = {child->release_fd, child->failure_fd, child->pidfd};
	bool is_waiting = child->pid && child->release_fd >= 0;

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	/* Its pipe closed, so a child that still waits ends by itself. */
	if (is_waiting)
		waitpid(child->pid, NULL, 0);
	*child = (struct child){.release_fd = -1, .failure_fd = -1, .pidfd = -1};
}
