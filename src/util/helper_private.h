/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What both ends of a helper's socket share; util/helper.h is for others. */
#ifndef DWELL_UTIL_HELPER_PRIVATE_H
#define DWELL_UTIL_HELPER_PRIVATE_H

#include "util/helper.h"

#define HELPER_MAX_QUESTION_BYTES (64U << 10)

/* Goes before the bytes of each message, together with its fds. */
struct helper_header {
	uint64_t count;
	uint32_t fd_count;
	uint32_t pad;
};

/*
 * Sends all of it. The program does not wait for room (MSG_DONTWAIT): a helper that does not take a
 * question is no use. 0 or -errno.
 */
int helper_send(int fd, int flags, const struct helper_message *message);
/*
 * One call of recvmsg for a header, whose fds go to the message. 0; -EPIPE: less than a header
 * came; -errno.
 */
int helper_receive_header(
	int fd, int flags, struct helper_header *ret, struct helper_message *message);

/* The life of a helper process, which ends with its socket. */
_Noreturn void helper_serve(const struct helper_kind *kind, int fd);

#endif
