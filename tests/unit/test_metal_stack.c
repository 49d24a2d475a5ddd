// SPDX-License-Identifier: GPL-2.0-or-later
/* The stack of interrupts that a CPU is in, with interrupts at the worst of moments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define barrier_var(variable) __asm__ volatile("" : "+r"(variable))

/* What comes between the two halves of a push; it may be interrupted itself. */
static void (*interrupt)(void);
#define barrier()                                                                                  \
	do {                                                                                       \
		if (interrupt)                                                                     \
			interrupt();                                                               \
	} while (0)

#include "bpf/metal_stack.bpf.h"

static struct metal metal;
static u64 seen_by_interrupt;

static void one_interrupt(void)
{
	interrupt = NULL;
	metal_push(&metal, 1, false, 77);
	seen_by_interrupt = metal_top(&metal)->value;
	metal_pop(&metal);
}

static void an_interrupt_amid_a_push_leaves_the_entry_whole(void **state)
{
	(void)state;
	metal = (struct metal){0};
	interrupt = one_interrupt;
	metal_push(&metal, 2, true, 5);
	assert_int_equal(seen_by_interrupt, 77);
	assert_int_equal(metal.depth, 1);
	assert_int_equal(metal_top(&metal)->value, 5);
	assert_int_equal(metal_top(&metal)->kind, 2);
	assert_true(metal_top(&metal)->is_soft);
	metal_pop(&metal);
	assert_null(metal_top(&metal));
}

static void a_disk_of_before_is_not_of_the_next(void **state)
{
	(void)state;
	metal = (struct metal){0};
	metal_push(&metal, 1, false, 1);
	metal_top(&metal)->disk = 9;
	metal_pop(&metal);
	metal_push(&metal, 1, false, 2);
	assert_int_equal(metal_top(&metal)->disk, 0);
}

static void more_than_fit_are_counted_and_come_off_again(void **state)
{
	(void)state;
	metal = (struct metal){0};
	for (u64 i = 1; i <= MAX_CONTEXTS + 3; i++)
		metal_push(&metal, 1, false, i);
	assert_null(metal_top(&metal));
	for (int i = 0; i < 3; i++)
		metal_pop(&metal);
	for (u64 i = MAX_CONTEXTS; i; i--) {
		assert_int_equal(metal_top(&metal)->value, i);
		metal_pop(&metal);
	}
	metal_pop(&metal);
	assert_int_equal(metal.depth, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interrupt_amid_a_push_leaves_the_entry_whole),
		cmocka_unit_test(a_disk_of_before_is_not_of_the_next),
		cmocka_unit_test(more_than_fit_are_counted_and_come_off_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
