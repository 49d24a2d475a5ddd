// SPDX-License-Identifier: GPL-2.0-or-later
/* Ranges of kernel text that stacks are read by, from made-up symbols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel_text.h"

static struct kernel_text text_of(const char *lines)
{
	FILE *in = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r");
	struct kernel_symbols *symbols = NULL;
	struct kernel_text text;

	assert_non_null(in);
	assert_int_equal(kernel_symbols_parse(in, &symbols, NULL), 0);
	kernel_text_find(symbols, &text);
	kernel_symbols_free(symbols);
	fclose(in);
	return text;
}

/* The vector of the function at that address; -1: none. */
static int vector_at(const struct kernel_text *text, uint64_t address)
{
	for (size_t i = 0; i < TEXT_ACTIONS; i++)
		if (kernel_text_is_within(&text->actions[i], 1, address))
			return text->action_vectors[i];
	return -1;
}

#define OTHERS                                                                                     \
	"ffffffff81000000 T _text\n"                                                               \
	"ffffffff81001000 t net_tx_action\n"                                                       \
	"ffffffff81002000 t tasklet_action\n"                                                      \
	"ffffffff81003000 t tasklet_hi_action\n"                                                   \
	"ffffffff81004000 t blk_done_softirq\n"                                                    \
	"ffffffff81005000 t rcu_core_si\n"                                                         \
	"ffffffff81006000 t something_else\n"

static void softirqs_are_known_by_what_they_run(void **state)
{
	struct kernel_text text = text_of(OTHERS "ffffffff81007000 t net_rx_action\n"
						 "ffffffff81008000 T _etext\n");

	(void)state;
	assert_true(text.has_own_actions);
	assert_int_equal(vector_at(&text, 0xffffffff81001010), 2);
	assert_int_equal(vector_at(&text, 0xffffffff81002fff), 6);
	assert_int_equal(vector_at(&text, 0xffffffff81003000), 0);
	assert_int_equal(vector_at(&text, 0xffffffff81004001), 4);
	assert_int_equal(vector_at(&text, 0xffffffff81005001), 9);
	assert_int_equal(vector_at(&text, 0xffffffff81006001), -1);
	assert_int_equal(vector_at(&text, 0xffffffff81007001), 3);
}

/* Or a wake of a thread's own doing would be taken for an interrupt's. */
static void stacks_do_not_tell_softirqs_if_one_has_no_name(void **state)
{
	(void)state;
	assert_false(text_of(OTHERS "ffffffff81008000 T _etext\n").has_own_actions);
	struct kernel_text none;
	kernel_text_find(NULL, &none);
	assert_false(none.has_own_actions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softirqs_are_known_by_what_they_run),
		cmocka_unit_test(stacks_do_not_tell_softirqs_if_one_has_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
