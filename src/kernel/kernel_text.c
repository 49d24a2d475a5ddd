// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel_text.h"

#include "util/mem.h"

static void find(const struct kernel_symbols *symbols, const char *name, struct text_range *ret)
{
	struct kernel_symbol symbol;

	if (kernel_symbols_named(symbols, name, &symbol))
		*ret = (struct text_range){symbol.start, symbol.end};
}

static uint64_t start_of(const struct kernel_symbols *symbols, const char *name)
{
	struct text_range range = {0};

	find(symbols, name, &range);
	return range.start;
}

/* From the start of one symbol to that of another, if both are known. */
static struct text_range between(
	const struct kernel_symbols *symbols, const char *first, const char *behind)
{
	struct text_range range = {start_of(symbols, first), start_of(symbols, behind)};

	return range.start && range.start < range.end ? range : (struct text_range){0};
}

/*
 * Functions that softirqs run, by vector (include/linux/interrupt.h), and those that they may end
 * in a jump to.
 */
static const struct {
	unsigned char vector;
	bool is_own; /* threads raise it for themselves */
	const char *name;
} actions[] = {
	{0, true, "tasklet_hi_action"},
	{1, false, "run_timer_softirq"},
	{1, false, "run_timer_base"},
	{1, false, "__run_timers"},
	{2, true, "net_tx_action"},
	{3, true, "net_rx_action"},
	{4, false, "blk_done_softirq"},
	{4, false, "blk_complete_reqs"},
	{5, false, "irq_poll_softirq"},
	{6, true, "tasklet_action"},
	{6, false, "tasklet_action_common"},
	{7, false, "sched_balance_softirq"},
	{7, false, "run_rebalance_domains"},
	{8, false, "hrtimer_run_softirq"},
	{9, false, "rcu_core_si"},
	{9, false, "rcu_core"},
};

_Static_assert(ARRAY_SIZE(actions) == TEXT_ACTIONS, "each has its place");

static void find_actions(const struct kernel_symbols *symbols, struct kernel_text *text)
{
	text->has_own_actions = true;
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		find(symbols, actions[i].name, &text->actions[i]);
		text->action_vectors[i] = actions[i].vector;
		if (actions[i].is_own && !text->actions[i].end)
			text->has_own_actions = false;
	}
}

void kernel_text_find(const struct kernel_symbols *symbols, struct kernel_text *ret)
{
	char caller[32];

	*ret = (struct kernel_text){0};
	if (!symbols)
		return;
	kernel_symbols_core(symbols, &ret->core.start, &ret->core.end);
	ret->interrupts = between(symbols, "asm_common_interrupt", "__irqentry_text_end");
	/* Before it lie the entries of exceptions, which are the thread's own doing. */
	ret->exceptions = between(symbols, "__irqentry_text_start", "asm_common_interrupt");
	/* Its name since 6.11; what is called __do_softirq from then on only calls it. */
	find(symbols, "__do_softirq", &ret->softirqs);
	find(symbols, "handle_softirqs", &ret->softirqs);
	find_actions(symbols, ret);
	find(symbols, "__schedule", &ret->schedule);
	/* Which of these have a frame of their own is the compiler's choice. */
	find(symbols, "signal_wake_up_state", &ret->signals[0]);
	find(symbols, "complete_signal", &ret->signals[1]);
	find(symbols, "__send_signal_locked", &ret->signals[2]);
	find(symbols, "try_to_wake_up", &ret->wakes[0]);
	find(symbols, "wake_up_new_task", &ret->wakes[1]);
	find(symbols, "__queue_work", &ret->wakes[2]);
	find(symbols, "asm_sysvec_reschedule_ipi", &ret->ipis[0]);
	find(symbols, "asm_sysvec_call_function", &ret->ipis[1]);
	find(symbols, "asm_sysvec_call_function_single", &ret->ipis[2]);
	find(symbols, "return_to_handler", &ret->trampolines[0]);
	find(symbols, "arch_rethook_trampoline", &ret->trampolines[1]);
	find(symbols, "__kretprobe_trampoline", &ret->trampolines[2]);
	for (int i = 0; i < TEXT_RANGES; i++) {
		snprintf(caller, sizeof(caller), "bpf_trace_run%d", i + 1);
		find(symbols, caller, &ret->callers[i]);
	}
}

bool kernel_text_is_within(const struct text_range *ranges, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= ranges[i].start && address < ranges[i].end)
			return true;
	return false;
}

bool kernel_text_is_trampoline(const struct kernel_text *text, uint64_t address)
{
	return kernel_text_is_within(text->trampolines, ARRAY_SIZE(text->trampolines), address);
}

unsigned int kernel_text_kinds(const struct kernel_text *text, uint64_t address)
{
	unsigned int kinds = 0;

	/* As kind_of_frame() of the kernel side: these four are told apart in this order. */
	if (kernel_text_is_within(&text->interrupts, 1, address))
		kinds = FRAME_INTERRUPT;
	else if (kernel_text_is_within(&text->softirqs, 1, address))
		kinds = FRAME_SOFTIRQ;
	else if (kernel_text_is_within(text->signals, ARRAY_SIZE(text->signals), address))
		kinds = FRAME_SIGNAL;
	else if (kernel_text_is_within(text->wakes, ARRAY_SIZE(text->wakes), address))
		kinds = FRAME_WAKE;
	if (kernel_text_is_within(&text->schedule, 1, address))
		kinds |= FRAME_SCHEDULE;
	return kinds;
}
