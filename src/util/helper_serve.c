// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The inside of a helper process: it shuts out all that it inherited but its socket, prepares, and
 * then answers one question after the other. It ignores what a terminal or a service manager sends
 * to the whole group: its end is that of the program that it helps.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/helper_private.h"
#include "util/mem.h"

void helper_message_clear(struct helper_message *message)
{
	for (size_t i = 0; i < message->fd_count; i++)
		if (message->fds[i] >= 0)
			close(message->fds[i]);
	free(message->bytes);
	*message = (struct helper_message){0};
}

static int send_bytes(int fd, int flags, const char *bytes, size_t count)
{
	while (count) {
		ssize_t sent = send(fd, bytes, count, flags | MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return -errno;
		bytes += sent;
		count -= (size_t)sent;
	}
	return 0;
}

int helper_send(int fd, int flags, const struct helper_message *message)
{
	struct helper_header header = {
		.count = message->count, .fd_count = (uint32_t)message->fd_count};
	struct iovec part = {.iov_base = &header, .iov_len = sizeof(header)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(message->fds))];
	} control = {0};
	struct msghdr wrapped = {.msg_iov = &part, .msg_iovlen = 1};

	if (message->fd_count) {
		size_t bytes = message->fd_count * sizeof(int);
		wrapped.msg_control = control.bytes;
		wrapped.msg_controllen = CMSG_SPACE(bytes);
		struct cmsghdr *rights = CMSG_FIRSTHDR(&wrapped);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(bytes);
		memcpy(CMSG_DATA(rights), message->fds, bytes);
	}
	/* A header is smaller than any socket's buffer: it goes as a whole. */
	ssize_t sent = sendmsg(fd, &wrapped, flags | MSG_NOSIGNAL);
	if (sent != sizeof(header))
		return sent < 0 ? -errno : -EIO;
	return send_bytes(fd, flags, message->bytes, message->count);
}

int helper_receive_header(
	int fd, int flags, struct helper_header *ret, struct helper_message *message)
{
	struct iovec part = {.iov_base = ret, .iov_len = sizeof(*ret)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(message->fds))];
	} control;
	struct msghdr wrapped = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	ssize_t got = recvmsg(fd, &wrapped, flags | MSG_CMSG_CLOEXEC);

	if (got < 0)
		return -errno;
	struct cmsghdr *rights = CMSG_FIRSTHDR(&wrapped);
	if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
		message->fd_count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(message->fds, CMSG_DATA(rights), message->fd_count * sizeof(int));
	}
	return got == sizeof(*ret) ? 0 : -EPIPE;
}

/* A descriptor more would keep a pipe or a lock of the program's alive. */
static void shut_out(int fd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < 3; i++)
		dup2(null_fd, i);
	if (fd != 3)
		dup3(fd, 3, O_CLOEXEC);
	close_range(4, ~0U, 0);
}

static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int receive_question(int fd, struct helper_message *ret)
{
	struct helper_header header;
	int error = helper_receive_header(fd, MSG_WAITALL, &header, ret);

	if (error || header.count > HELPER_MAX_QUESTION_BYTES)
		return error ? error : -EMSGSIZE;
	ret->bytes = xmalloc(header.count + 1);
	ret->count = header.count;
	((char *)ret->bytes)[ret->count] = '\0';
	if (!ret->count)
		return 0;
	return recv(fd, ret->bytes, ret->count, MSG_WAITALL) == (ssize_t)ret->count ? 0 : -EPIPE;
}

_Noreturn void helper_serve(const struct helper_kind *kind, int fd)
{
	char go;

	prctl(PR_SET_NAME, kind->name);
	ignore_signals();
	shut_out(fd);
	/* Its priority was given to it by then, so that it can choose another. */
	if (recv(3, &go, sizeof(go), MSG_WAITALL) != sizeof(go))
		_exit(0);
	if (kind->prepare && kind->prepare())
		_exit(1);
	for (;;) {
		struct helper_message question = {0}, answer = {0};

		if (receive_question(3, &question))
			_exit(0);
		kind->handle(&question, &answer);
		helper_message_clear(&question);
		if (helper_send(3, 0, &answer))
			_exit(0);
		helper_message_clear(&answer);
	}
}
