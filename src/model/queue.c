// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for who had a CPU. */
#include "model/queue.h"

static const char *const names[QUEUE_KINDS] = {
	[QUEUE_UNTOLD] = "untold",
	[QUEUE_THREAD] = "thread",
	[QUEUE_IDLE_CPU] = "idle cpu",
	[QUEUE_QUOTA] = "cpu quota",
};

const char *queue_kind_name(enum queue_kind kind)
{
	return (unsigned int)kind < QUEUE_KINDS ? names[kind] : "unknown";
}
