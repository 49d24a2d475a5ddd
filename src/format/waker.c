// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames are read from the leaf towards the root. What is met first is innermost and decides; an
 * interrupt's entry ends the search, since behind it is only what happened to run there.
 */
#include "format/waker.h"

#include <string.h>

#include "util/mem.h"

enum sign {
	SIGN_NONE,
	SIGN_WAKE,    /* the wake itself: frames before it are the tracer's */
	SIGN_ENTRY,   /* an interrupt came in */
	SIGN_SOFTIRQ, /* softirqs are being run */
	SIGN_VECTOR,  /* one of them: named by the table */
	SIGN_TIMER,   /* calls a timer's function, which is the frame before... */
	SIGN_HRTIMER, /* ...of a high-resolution one */
	SIGN_DISK,
	SIGN_IPI,
	SIGN_HANDLER, /* calls a device's handler, which is the frame before */
	SIGN_SIGNAL,
};

/* A name that ends in '*' is a prefix. Names are those of 6.1 to 6.18, x86 and arm64. */
static const struct {
	const char *name;
	enum sign sign;
	const char *vector;
} signs[] = {
	{"try_to_wake_up", SIGN_WAKE, NULL},
	{"wake_up_new_task", SIGN_WAKE, NULL},
	{"handle_softirqs", SIGN_SOFTIRQ, NULL},
	{"__do_softirq", SIGN_SOFTIRQ, NULL},
	{"net_rx_action", SIGN_VECTOR, "NET_RX"},
	{"net_tx_action", SIGN_VECTOR, "NET_TX"},
	{"tasklet_action*", SIGN_VECTOR, "TASKLET"},
	{"tasklet_hi_action", SIGN_VECTOR, "HI"},
	{"rcu_core*", SIGN_VECTOR, "RCU"},
	{"sched_balance_softirq", SIGN_VECTOR, "SCHED"},
	{"run_rebalance_domains", SIGN_VECTOR, "SCHED"},
	{"irq_poll_softirq", SIGN_VECTOR, "IRQ_POLL"},
	{"__hrtimer_run_queues", SIGN_HRTIMER, NULL},
	{"call_timer_fn", SIGN_TIMER, NULL},
	{"expire_timers", SIGN_TIMER, NULL},
	{"__run_timers*", SIGN_TIMER, NULL},
	{"blk_update_request", SIGN_DISK, NULL},
	{"blk_mq_end_request*", SIGN_DISK, NULL},
	{"blk_mq_complete_request*", SIGN_DISK, NULL},
	{"blk_done_softirq", SIGN_DISK, NULL},
	{"__flush_smp_call_function_queue", SIGN_IPI, NULL},
	{"flush_smp_call_function_queue", SIGN_IPI, NULL},
	{"generic_smp_call_function_*", SIGN_IPI, NULL},
	{"__handle_irq_event_percpu", SIGN_HANDLER, NULL},
	{"signal_wake_up_state", SIGN_SIGNAL, NULL},
	{"complete_signal", SIGN_SIGNAL, NULL},
	{"__send_signal*", SIGN_SIGNAL, NULL},
	{"asm_sysvec_*", SIGN_ENTRY, NULL},
	{"sysvec_*", SIGN_NONE, NULL},
	{"asm_common_interrupt", SIGN_ENTRY, NULL},
	{"asm_exc_nmi", SIGN_ENTRY, NULL},
	{"ret_from_intr", SIGN_ENTRY, NULL},
	{"common_interrupt", SIGN_ENTRY, NULL},
	{"apic_timer_interrupt", SIGN_ENTRY, NULL},
	{"el1h_64_irq", SIGN_ENTRY, NULL},
	{"el0t_64_irq", SIGN_ENTRY, NULL},
	{"el1_irq", SIGN_ENTRY, NULL},
	{"el0_irq", SIGN_ENTRY, NULL},
};

static enum sign sign_of(const char *name, const char **ret_vector)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		size_t length = strlen(signs[i].name);
		bool is_prefix = signs[i].name[length - 1] == '*';
		if (is_prefix ? strncmp(name, signs[i].name, length - 1)
			      : strcmp(name, signs[i].name))
			continue;
		*ret_vector = signs[i].vector;
		return signs[i].sign;
	}
	return SIGN_NONE;
}

static const char *name_at(const struct stack_table *table, const uint32_t *frames, size_t index)
{
	return intern_text(&table->texts, table->frames.at[frames[index]].name);
}

struct search {
	struct waker waker;
	const char *vector;
	bool is_named; /* the innermost context is known */
	bool is_soft;
	bool is_signal;
	bool has_entry;
};

static void settle(struct search *search, enum hop_kind kind, const char *name)
{
	if (search->is_named)
		return;
	search->waker.kind = kind;
	search->waker.name = name;
	search->is_named = true;
}

/* Frame `i`, whose name means `sign`; true if the search is over. */
static bool note(
	struct search *search, enum sign sign, const char *before, const char *vector, size_t i)
{
	switch (sign) {
	case SIGN_WAKE:
		if (!search->is_named && !search->is_soft)
			search->waker.first = i;
		break;
	case SIGN_SOFTIRQ:
		search->is_soft = true;
		break;
	case SIGN_VECTOR:
		search->vector = search->vector ? search->vector : vector;
		break;
	case SIGN_TIMER:
	case SIGN_HRTIMER:
		/* Functions of sleepers' own timers end in the wake and may have left no frame. */
		if (search->waker.first + 1 == i)
			before = sign == SIGN_TIMER ? "process_timeout" : "hrtimer_wakeup";
		settle(search, HOP_TIMER, before);
		break;
	case SIGN_DISK:
		settle(search, HOP_DISK, "");
		break;
	case SIGN_IPI:
		settle(search, HOP_IPI, "");
		break;
	case SIGN_HANDLER:
		if (!search->is_soft && !search->vector)
			settle(search, HOP_IRQ, before);
		break;
	case SIGN_SIGNAL:
		search->is_signal = true;
		break;
	case SIGN_ENTRY:
		search->has_entry = true;
		search->waker.end = i + 1;
		return true;
	default:
		break;
	}
	return false;
}

struct waker waker_of_stack(
	const struct stack_table *table, const uint32_t *frames, size_t count, bool is_idle)
{
	struct search search = {.waker = {.name = "", .end = count}};

	for (size_t i = 0; i < count; i++) {
		const char *vector = NULL;
		if (!table->frames.at[frames[i]].is_kernel)
			break;
		enum sign sign = sign_of(name_at(table, frames, i), &vector);
		if (note(&search, sign, i ? name_at(table, frames, i - 1) : "", vector, i))
			break;
	}
	struct waker waker = search.waker;
	if (!search.has_entry && !is_idle) {
		/* Timers and completions can also be worked off inside a thread's own softirq. */
		waker.kind = search.is_soft     ? HOP_SOFTIRQ_IN_TASK
			     : search.is_signal ? HOP_SIGNAL
						: HOP_TASK;
		waker.name = "";
		return waker;
	}
	if (!search.is_named || (search.vector && waker.kind == HOP_IRQ)) {
		waker.kind = search.is_soft || search.vector ? HOP_SOFTIRQ : HOP_IRQ;
		waker.name = search.vector ? search.vector : "";
	}
	return waker;
}
