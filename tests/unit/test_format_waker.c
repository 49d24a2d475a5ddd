// SPDX-License-Identifier: GPL-2.0-or-later
/* In which context a wake was made, on stacks as perf printed them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "format/waker.h"
#include "util/mem.h"

static const struct {
	const char *stack; /* leaf first; names behind "|" are the program's */
	bool is_idle;
	enum hop_kind kind;
	const char *name;
	size_t first;
	size_t end;
} cases[] = {
	{"perf_trace_sched_wakeup_template try_to_wake_up wake_up_q futex_wake do_futex "
	 "__x64_sys_futex do_syscall_64 entry_SYSCALL_64_after_hwframe | main",
		false, HOP_TASK, "", 1, 9},
	{"try_to_wake_up __hrtimer_run_queues", true, HOP_TIMER, "hrtimer_wakeup", 0, 2},
	{"try_to_wake_up hrtimer_wakeup __hrtimer_run_queues hrtimer_interrupt "
	 "__sysvec_apic_timer_interrupt sysvec_apic_timer_interrupt "
	 "asm_sysvec_apic_timer_interrupt | main",
		false, HOP_TIMER, "hrtimer_wakeup", 0, 7},
	/* A timer's softirq on the way out of an interrupt: the timer is innermost. */
	{"try_to_wake_up call_timer_fn __run_timers run_timer_softirq handle_softirqs "
	 "__irq_exit_rcu sysvec_apic_timer_interrupt asm_sysvec_apic_timer_interrupt do_idle",
		true, HOP_TIMER, "process_timeout", 0, 8},
	{"try_to_wake_up autoremove_wake_function __wake_up_common sock_def_readable "
	 "tcp_data_queue tcp_v4_rcv net_rx_action handle_softirqs irq_exit_rcu common_interrupt "
	 "asm_common_interrupt | main",
		false, HOP_SOFTIRQ, "NET_RX", 0, 10},
	/* Loopback: inside the sender's system call. */
	{"try_to_wake_up sock_def_readable tcp_v4_rcv net_rx_action handle_softirqs do_softirq "
	 "__local_bh_enable_ip __dev_queue_xmit tcp_sendmsg __x64_sys_sendto do_syscall_64 | main",
		false, HOP_SOFTIRQ_IN_TASK, "", 0, 12},
	{"try_to_wake_up wake_page_function folio_wake_bit ext4_end_bio blk_update_request "
	 "virtblk_request_done blk_mq_complete_request virtblk_done vring_interrupt "
	 "__handle_irq_event_percpu handle_irq_event common_interrupt asm_common_interrupt main",
		false, HOP_DISK, "", 0, 12},
	{"try_to_wake_up input_event vring_interrupt __handle_irq_event_percpu handle_irq_event "
	 "common_interrupt asm_common_interrupt do_idle",
		true, HOP_IRQ, "vring_interrupt", 0, 6},
	{"try_to_wake_up complete __flush_smp_call_function_queue "
	 "__sysvec_call_function_single asm_sysvec_call_function_single do_idle",
		true, HOP_IPI, "", 0, 5},
	/* An exception is the thread's own doing. */
	{"try_to_wake_up rwsem_wake up_write do_user_addr_fault exc_page_fault "
	 "asm_exc_page_fault | main",
		false, HOP_TASK, "", 0, 7},
	{"try_to_wake_up signal_wake_up_state complete_signal __send_signal_locked "
	 "do_send_sig_info __x64_sys_kill do_syscall_64 | main",
		false, HOP_SIGNAL, "", 0, 8},
	{"", true, HOP_IRQ, "", 0, 0},
	{"", false, HOP_TASK, "", 0, 0},
};

static size_t read_stack(struct stack_table *table, const char *text, uint32_t *frames)
{
	_cleanup_free_ char *copy = xstrdup(text);
	bool is_kernel = true, is_new;
	size_t count = 0;

	for (char *rest = copy, *name; (name = strsep(&rest, " "));) {
		if (!strcmp(name, "|")) {
			is_kernel = false;
			continue;
		}
		if (!*name)
			continue;
		frames[count] = stack_table_frame(table, name, strlen(name), &is_new);
		table->frames.at[frames[count]].name =
			intern_bytes(&table->texts, name, strlen(name));
		table->frames.at[frames[count++]].is_kernel = is_kernel;
	}
	return count;
}

static void a_wake_tells_its_context_by_its_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_table table = {0};
		uint32_t frames[32];
		size_t count = read_stack(&table, cases[i].stack, frames);
		struct waker waker = waker_of_stack(&table, frames, count, cases[i].is_idle);
		if (waker.kind != cases[i].kind || strcmp(waker.name, cases[i].name) ||
			waker.first != cases[i].first || waker.end != cases[i].end)
			fail_msg("%s: %s \"%s\" %zu-%zu", cases[i].stack, hop_kind_name(waker.kind),
				waker.name, waker.first, waker.end);
		stack_table_clear(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wake_tells_its_context_by_its_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
