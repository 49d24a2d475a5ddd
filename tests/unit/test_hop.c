// SPDX-License-Identifier: GPL-2.0-or-later
/* The words for hops and chain ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/hop.h"

static void every_kind_has_a_word_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < HOP_KINDS; i++) {
		enum hop_kind kind = HOP_KINDS;
		assert_true(hop_kind_from_name(hop_kind_name((enum hop_kind)i), &kind));
		assert_int_equal(kind, i);
	}
	assert_string_equal(hop_kind_name(HOP_KINDS), "unknown");
	enum hop_kind kind;
	assert_false(hop_kind_from_name("nobody", &kind));
}

static void metal_is_shown_in_brackets_and_a_thread_by_its_name(void **state)
{
	static const struct {
		enum hop_kind kind;
		const char *name;
		const char *frame;
	} cases[] = {
		{HOP_TASK, "feeder", "feeder"},
		{HOP_SOFTIRQ_IN_TASK, "curl", "curl"},
		{HOP_UNKNOWN, "", "[unknown waker]"},
		{HOP_IRQ, "eth0", "[irq eth0]"},
		{HOP_SOFTIRQ, "NET_RX", "[softirq NET_RX]"},
		{HOP_TIMER, "hrtimer_wakeup", "[timer hrtimer_wakeup]"},
		{HOP_TIMER, "", "[timer]"},
		{HOP_IPI, "", "[ipi]"},
		{HOP_DISK, "vda", "[disk vda]"},
	};
	char frame[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hop_frame(cases[i].kind, cases[i].name, sizeof(frame), frame);
		assert_string_equal(frame, cases[i].frame);
		assert_int_equal(hop_kind_is_metal(cases[i].kind),
			cases[i].frame[0] == '[' && cases[i].kind != HOP_UNKNOWN);
	}
	hop_frame(HOP_TASK, "a_very_long_name", 6, frame);
	assert_string_equal(frame, "a_ver");
}

static void only_ends_that_leave_something_open_have_a_frame(void **state)
{
	(void)state;
	for (int i = 0; i < CHAIN_ENDS; i++) {
		const char *frame = chain_end_frame((enum chain_end)i);
		assert_int_equal(frame != NULL, chain_end_has_rest((enum chain_end)i));
		if (frame)
			assert_memory_equal(
				frame + 1, chain_end_name((enum chain_end)i), strlen(frame) - 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_a_word_of_its_own),
		cmocka_unit_test(metal_is_shown_in_brackets_and_a_thread_by_its_name),
		cmocka_unit_test(only_ends_that_leave_something_open_have_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
