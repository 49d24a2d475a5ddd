// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel_text.h"

#include "util/mem.h"

/* Names, and where their ranges are wanted. */
struct wanted {
	size_t count;
	const char *names[KERNEL_SYMBOLS_MAX_NAMED];
	struct text_range *ranges[KERNEL_SYMBOLS_MAX_NAMED];
};

static void want(struct wanted *wanted, const char *name, struct text_range *ret)
{
	if (wanted->count == ARRAY_SIZE(wanted->names))
		abort(); /* KERNEL_SYMBOLS_MAX_NAMED is too small */
	wanted->names[wanted->count] = name;
	wanted->ranges[wanted->count++] = ret;
}

/* Later ones win where two are wanted in one place. */
static void find(const struct kernel_symbols *symbols, const struct wanted *wanted)
{
	struct kernel_symbol found[KERNEL_SYMBOLS_MAX_NAMED];

	kernel_symbols_named(symbols, wanted->names, wanted->count, found);
	for (size_t i = 0; i < wanted->count; i++)
		if (found[i].name)
			*wanted->ranges[i] = (struct text_range){found[i].start, found[i].end};
}

/* From the start of one symbol to that of another, if both are known. */
static struct text_range between(struct text_range first, struct text_range behind)
{
	struct text_range range = {first.start, behind.start};

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

static void want_actions(struct wanted *wanted, struct kernel_text *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		want(wanted, actions[i].name, &text->actions[i]);
		text->action_vectors[i] = actions[i].vector;
	}
}

static bool has_own_actions(const struct kernel_text *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (actions[i].is_own && !text->actions[i].end)
			return false;
	return true;
}

void kernel_text_find(const struct kernel_symbols *symbols, struct kernel_text *ret)
{
	struct text_range entries = {0}, interrupts = {0}, entries_end = {0};
	struct wanted wanted = {0};
	char callers[TEXT_RANGES][32];

	*ret = (struct kernel_text){0};
	if (!symbols)
		return;
	kernel_symbols_core(symbols, &ret->core.start, &ret->core.end);
	want(&wanted, "__irqentry_text_start", &entries);
	want(&wanted, "asm_common_interrupt", &interrupts);
	want(&wanted, "__irqentry_text_end", &entries_end);
	/* Its name since 6.11; what is called __do_softirq from then on only calls it. */
	want(&wanted, "__do_softirq", &ret->softirqs);
	want(&wanted, "handle_softirqs", &ret->softirqs);
	want_actions(&wanted, ret);
	want(&wanted, "__schedule", &ret->schedule);
	/* Which of these have a frame of their own is the compiler's choice. */
	want(&wanted, "signal_wake_up_state", &ret->signals[0]);
	want(&wanted, "complete_signal", &ret->signals[1]);
	want(&wanted, "__send_signal_locked", &ret->signals[2]);
	want(&wanted, "try_to_wake_up", &ret->wakes[0]);
	want(&wanted, "wake_up_new_task", &ret->wakes[1]);
	want(&wanted, "__queue_work", &ret->wakes[2]);
	want(&wanted, "asm_sysvec_reschedule_ipi", &ret->ipis[0]);
	want(&wanted, "asm_sysvec_call_function", &ret->ipis[1]);
	want(&wanted, "asm_sysvec_call_function_single", &ret->ipis[2]);
	want(&wanted, "return_to_handler", &ret->trampolines[0]);
	want(&wanted, "arch_rethook_trampoline", &ret->trampolines[1]);
	want(&wanted, "__kretprobe_trampoline", &ret->trampolines[2]);
	for (int i = 0; i < TEXT_RANGES; i++) {
		snprintf(callers[i], sizeof(callers[i]), "bpf_trace_run%d", i + 1);
		want(&wanted, callers[i], &ret->callers[i]);
	}
	find(symbols, &wanted);
	ret->interrupts = between(interrupts, entries_end);
	/* Before it lie the entries of exceptions, which are the thread's own doing. */
	ret->exceptions = between(entries, interrupts);
	ret->has_own_actions = has_own_actions(ret);
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
