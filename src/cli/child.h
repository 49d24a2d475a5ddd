/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMMAND: started so that it does nothing before it is released, and waited for. */
#ifndef DWELL_CLI_CHILD_H
#define DWELL_CLI_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: none */
	int release_fd;
	int failure_fd; /* errno of a failed exec arrives here */
	int pidfd;
};

/* 0 if the command can be found and executed, else ENOENT or EACCES. Its file, the caller frees it;
 * NULL: not known, or not asked for (ret_path NULL). */
int child_find(const char *command, char **ret_path);
/*
 * Forks; the child waits. It starts with `mask` as its signal mask, and with these variables in its
 * environment, each NAME=VALUE (NULL: none further), which are the child's from then on. 0 or
 * -errno.
 */
int child_prepare(
	struct child *child, char *const *command, const sigset_t *mask, char *const *variables);
/* Lets it go. 0, or the errno of the exec that failed, positive; then the child is gone. */
int child_release(struct child *child);
/* Becomes readable when the child has ended. */
static inline int child_fd(const struct child *child)
{
	return child->pid ? child->pidfd : -1;
}
/* Its exit status as a shell would give it. */
int child_status(struct child *child);
/* Asks it to end and waits a little; false if it went on. */
bool child_end(struct child *child);
/* Ends a child that was never released; closes everything. */
void child_clear(struct child *child);

#endif
