// SPDX-License-Identifier: GPL-2.0-or-later
/* What a thread that runs is at, a number of times a second. */
#include "credit.bpf.h"
#include "stack.bpf.h"

SEC("perf_event")
int on_sample(void *ctx)
{
	struct cpu *cpu = this_cpu_for_samples();
	struct walk *walk = walk_in(WALK_SAMPLE);
	struct task_struct *task = bpf_get_current_task_btf();
	u64 now = bpf_ktime_get_ns();
	struct thread *thread;

	if (!cpu || !walk || now < window_start || now >= window_end || !task->pid)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->is_target || thread->state == THREAD_DEAD)
		return 0;
	u64 kernel_stack = kernel_stack_now(ctx, cpu, walk);
	u64 user_stack = user_stack_now(ctx, cpu, walk, thread);
	if (is_in_call(thread))
		note_call_sample(thread, kernel_stack, user_stack);
	count(cpu, COUNTER_SAMPLES, 1);
	credit_sample(cpu, thread, kernel_stack, user_stack, now);
	cost_note(cpu, now, COUNTER_SAMPLE_TIMED);
	return 0;
}
