// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of programs, and what follows from it. */
#include "kernel/programs.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>

#include "kernel/event.h"
#include "util/mem.h"

#define WAKERS(function, tracepoint, what)                                                         \
	{                                                                                          \
		.name = function, .hook = tracepoint, .use = USE_WAKERS, .gives = what             \
	}
#define VECTOR(vector)                                                                             \
	{.name = "on_" vector "_entry", .hook = vector "_entry", .use = USE_BARE_VECTORS},         \
	{                                                                                          \
		.name = "on_" vector "_exit", .hook = vector "_exit", .use = USE_BARE_VECTORS      \
	}

static const struct program programs[] = {
	/* What names wakers, before there are wakes to name. */
	{.name = "on_irq_entry",
		.hook = "irq_handler_entry",
		.use = USE_WAKERS,
		.gives = "interrupts",
		.runs = COUNTER_METAL,
		.timed = COUNTER_METAL_TIMED},
	WAKERS("on_irq_exit", "irq_handler_exit", NULL),
	{.name = "on_softirq_entry", .hook = "softirq_entry", .use = USE_BARE_SOFTIRQS},
	{.name = "on_softirq_exit", .hook = "softirq_exit", .use = USE_BARE_SOFTIRQS},
	WAKERS("on_hrtimer_entry", "hrtimer_expire_entry", "timers"),
	WAKERS("on_hrtimer_exit", "hrtimer_expire_exit", NULL),
	WAKERS("on_timer_entry", "timer_expire_entry", "timeouts"),
	WAKERS("on_timer_exit", "timer_expire_exit", NULL),
	WAKERS("on_request_done", "block_rq_complete", "disks"),
	{.name = "on_work_queued",
		.hook = "workqueue_queue_work",
		.use = USE_WAKERS,
		.runs = COUNTER_QUEUES,
		.timed = COUNTER_QUEUE_TIMED},
	WAKERS("on_work_begin", "workqueue_execute_start", "work queues"),
	WAKERS("on_work_end", "workqueue_execute_end", NULL),
	WAKERS("on_first_wake", "sched_wakeup_new", "births"),
	VECTOR("reschedule"),
	VECTOR("call_function"),
	VECTOR("call_function_single"),
	VECTOR("irq_work"),
	VECTOR("local_timer"),
	{.name = "on_module_gone", .hook = "module_free", .use = USE_RULES},
	{.name = "on_switch",
		.hook = "sched_switch",
		.use = USE_BOOKS,
		.gives = "threads seen leaving and taking a CPU",
		.runs = COUNTER_SWITCHES,
		.timed = COUNTER_SWITCH_TIMED},
	{.name = "on_waking",
		.hook = "sched_waking",
		.use = USE_BOOKS,
		.gives = "wakes seen where they are made",
		.runs = COUNTER_WAKES,
		.timed = COUNTER_WAKE_TIMED},
	{.name = "on_migrate",
		.hook = "sched_migrate_task",
		.use = USE_QUEUES,
		.gives = "who had a CPU that a thread waited for"},
	{.name = "on_file_fault",
		.hook = "mm_filemap_fault",
		.use = USE_AWAITED,
		.gives = "files that page faults waited for"},
	{.name = "on_contention",
		.hook = "contention_begin",
		.use = USE_AWAITED,
		.gives = "kernel locks that threads waited for"},
	{.name = "on_contention_end", .hook = "contention_end", .use = USE_AWAITED},
	{.name = "on_rename",
		.hook = "task_rename",
		.use = USE_BOOKS,
		.gives = "new names of threads seen"},
	{.name = "on_exec",
		.hook = "sched_process_exec",
		.use = USE_BOOKS,
		.gives = "new programs followed"},
	/* Births last: a thread that is announced as new must not die unseen. */
	{.name = "on_new_thread",
		.hook = "task_newtask",
		.use = USE_BOOKS,
		.gives = "new threads followed"},
	{.name = "on_sample",
		.use = USE_SAMPLES,
		.runs = COUNTER_SAMPLES,
		.timed = COUNTER_SAMPLE_TIMED},
	/* The runs of all that follow and their time are in those of on_call: events have one
	 * count.
	 */
	{.name = "on_call",
		.use = USE_OF_EVENT(EVENT_CALL) | USE_OF_EVENT(EVENT_MARK),
		.runs = COUNTER_EVENTS,
		.timed = COUNTER_EVENT_TIMED},
	{.name = "on_kernel_call", .use = USE_OF_EVENT(EVENT_KERNEL_CALL)},
	{.name = "on_tracepoint", .use = USE_OF_EVENT(EVENT_TRACEPOINT)},
	{.name = "on_perf_event", .use = USE_OF_EVENT(EVENT_PERF)},
	{.name = "on_call_begin",
		.use = USE_USER_CALLS,
		.runs = COUNTER_CALLS,
		.timed = COUNTER_CALL_TIMED},
	{.name = "on_call_return", .use = USE_USER_CALLS},
	{.name = "on_call_leave", .use = USE_USER_CALLS},
	{.name = "on_kernel_begin", .use = USE_KERNEL_CALLS},
	{.name = "on_kernel_return", .use = USE_KERNEL_CALLS},
	{.name = "on_system_call", .use = USE_SYSTEM_CALLS},
	{.name = "on_system_return", .use = USE_SYSTEM_CALLS},
	{.name = "on_open_calls", .use = USE_CALLS},
	{.name = "on_open_waits", .use = USE_CALLS},
	{.name = "on_block", .use = USE_ALLOC_HOOKS},
	{.name = "on_block_freed", .use = USE_ALLOC_HOOKS},
	{.name = "on_block_untracked", .use = USE_ALLOC_HOOKS},
	{.name = "on_allocator", .use = USE_ALLOC_HOOKS},
	{.name = "on_allocate", .use = USE_ALLOC_CALLS},
	{.name = "on_allocated", .use = USE_ALLOC_CALLS},
	{.name = "on_allocate_only", .use = USE_ALLOC_CALLS},
	{.name = "on_free", .use = USE_ALLOC_CALLS},
	{.name = "on_allocator_call", .use = USE_ALLOC_CALLS | USE_USER_CALLS},
	{.name = "on_brk", .use = USE_GROWTH},
	{.name = "on_memory_call", .use = USE_GROWTH},
	{.name = "on_sleepers", .use = USE_SLEEPERS},
	{.name = "on_repair", .use = USE_SLEEPERS},
};

const struct program *programs_at(size_t index)
{
	return index < ARRAY_SIZE(programs) ? &programs[index] : NULL;
}

int programs_find_hook(const struct btf *btf, const char *hook)
{
	char type[80];

	snprintf(type, sizeof(type), "btf_trace_%s", hook);
	return btf ? btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) : -ENOENT;
}

/*
 * Without a tracepoint that only names wakers those names are missing; without one of the books
 * loading says what is wrong.
 */
void programs_choose(struct bpf_object *object, unsigned int uses, const struct btf *btf)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const struct program *program = &programs[i];
		bool is_needed =
			!(program->use & (USE_WAKERS | USE_BARE_VECTORS | USE_BARE_SOFTIRQS |
						 USE_RULES | USE_QUEUES | USE_AWAITED));

		bpf_program__set_autoload(bpf_object__find_program_by_name(object, program->name),
			uses & program->use &&
				(is_needed || programs_find_hook(btf, program->hook) > 0));
	}
}

void programs_keep(const struct bpf_object *object, unsigned int uses)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!(programs[i].use & uses))
			bpf_program__unload(
				bpf_object__find_program_by_name(object, programs[i].name));
}

struct bpf_program *programs_next(const struct bpf_object *object, size_t *index)
{
	while (*index < ARRAY_SIZE(programs)) {
		const struct program *program = &programs[(*index)++];
		struct bpf_program *found = bpf_object__find_program_by_name(object, program->name);
		if (program->hook && bpf_program__fd(found) >= 0)
			return found;
	}
	return NULL;
}

uint64_t programs_ns(const uint64_t counters[static COUNTERS], bool of_events)
{
	double total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const struct program *program = &programs[i];
		bool is_of_events = program->use & (USE_OF_EVENTS | USE_CALLS);
		if (is_of_events == of_events && program->timed && counters[program->timed])
			total += (double)counters[program->runs] *
				 (double)counters[program->timed + 1] /
				 (double)counters[program->timed];
	}
	return (uint64_t)total;
}
