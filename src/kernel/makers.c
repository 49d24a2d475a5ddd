// SPDX-License-Identifier: GPL-2.0-or-later
/* One process: tables are seldom made, and by one thread after the other. */
#include "kernel/makers.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "contract/contract.h"
#include "contract/unwind.h"
#include "util/mem.h"
#include "util/rights.h"

/* Tables of 100 MiB take a third of a second; what sleeps longer waits for memory. */
#define ASLEEP_MS 1000
#define WORKING_MS 5000

static int make(const struct makers_order *order)
{
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	int fd;

	if (!order->rows || order->rows > MAKERS_MAX_ROWS || order->bytes > MAKERS_MAX_BYTES)
		return -EINVAL;
	fd = order->bytes ? bpf_map_create(BPF_MAP_TYPE_HASH, "rows", sizeof(struct sum_key),
				    order->bytes, order->rows, NULL)
			  : bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_chunk", sizeof(uint32_t),
				    UNWIND_CHUNK_BYTES, 1, &mapped);
	return fd < 0 ? -errno : fd;
}

/* Whoever asks drains the tables, and must not be kept waiting. */
static int prepare(void)
{
	struct sched_param low = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO, &low))
		setpriority(PRIO_PROCESS, 0, -20);
	return rights_keep(RIGHT(CAP_BPF));
}

static void handle(const struct helper_message *question, struct helper_message *answer)
{
	struct makers_order order;
	int *made = xmalloc(sizeof(*made));

	*made = -EINVAL;
	if (question->count == sizeof(order)) {
		memcpy(&order, question->bytes, sizeof(order));
		*made = make(&order);
	}
	answer->bytes = made;
	answer->count = sizeof(*made);
	if (*made >= 0) {
		answer->fds[0] = *made;
		answer->fd_count = 1;
	}
}

static const struct helper_kind makers_helpers = {.name = "dwell-tables",
	.most = 1,
	.max_answer_bytes = sizeof(int),
	.asleep_ms = ASLEEP_MS,
	.working_ms = WORKING_MS,
	.prepare = prepare,
	.handle = handle};

int makers_new(struct helpers **ret, struct why *why)
{
	return helpers_new(&makers_helpers, ret, why);
}

int makers_make(struct helpers *makers, const struct makers_order *order)
{
	struct makers_order copy = *order;
	struct helper_message question = {.bytes = &copy, .count = sizeof(copy)}, answer = {0};
	int made = -EIO;

	if (!makers)
		return make(order);
	int error = helpers_ask(makers, &question, &answer);
	if (error)
		return error;
	if (answer.count == sizeof(made))
		memcpy(&made, answer.bytes, sizeof(made));
	if (made >= 0 && answer.fd_count != 1)
		made = -EIO;
	if (made >= 0) {
		made = answer.fds[0];
		answer.fds[0] = -1;
	}
	helper_message_clear(&answer);
	return made;
}
