// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk of user stacks, on our own stack: it is what the C library says it is. */
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/outside/outside.h"
#include "unwind/loader.h"
#include "util/units.h"
#include "walk_machine.h"

/* No helpers: what is looked at is our own. */
static struct outside here = {.names = {OUTSIDE_NAMES_BYTES}};

static int read_own(void *context, uint64_t address, void *to, size_t bytes)
{
	(void)context;
	memcpy(to, (const void *)(uintptr_t)address, bytes);
	return 0;
}

/* What a test of our own stack found out. */
struct own_stack {
	struct loader *loader;
	struct unwind_areas *areas;
	struct walk walk;
	void *expected[64];
	int depth;
};

#ifdef __x86_64__
__attribute__((noinline)) static void walk_own_stack(struct own_stack *own)
{
	struct unwind_memory memory = {.read = read_own};
	struct unwind_registers registers;
	struct unwind_process slice;

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(registers.pc), "=r"(registers.sp), "=r"(registers.fp));
	registers.first_argument = 0;
	own->depth = backtrace(own->expected, 64);
	loader_place(own->loader, 1, &slice);
	unwind_host_walk(own->areas, &slice, 1, &registers, &memory, &own->walk);
}

static int compare(const void *a, const void *b, void *context)
{
	struct own_stack *own = context;

	if (!own->depth)
		walk_own_stack(own);
	return *(const int *)a - *(const int *)b;
}

static struct own_stack *handled;

static void on_signal(int number)
{
	int some[] = {2, 1, number};

	qsort_r(some, 3, sizeof(int), compare, handled);
}

/* The files that this program has mapped, with their real unwind information. */
static void our_own_stack_is_that_of_the_c_library(void **state)
{
	struct machine machine;
	struct own_stack *own = calloc(1, sizeof(*own));
	struct loader_options options = {.outside = &here, .wants_fd = -1};
	const struct unwind_rule none = {0};

	(void)state;
	machine_init(&machine, &none, 0);
	free(machine.areas.rows);
	machine.areas.row_room = 4 << 20;
	machine.areas.rows = calloc(machine.areas.row_room, sizeof(uint32_t));
	options.areas = machine.areas;
	own->areas = &machine.areas;
	assert_int_equal(loader_new(&options, &own->loader, NULL), 0);
	loader_know(own->loader, 1, (uint32_t)getpid(), true);
	loader_wait(own->loader, 60 * NS_PER_S);
	handled = own;
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(own->walk.stop, UNWIND_STOP_DONE);
	assert_true(own->depth > 8);
	/* A sanitizer's backtrace() has a frame of its own first. */
	int first = own->depth - (int)own->walk.depth;
	assert_true(first == 0 || first == 1);
	for (int i = first + 1; i < own->depth; i++) {
		uint64_t frame = own->walk.frames[i - first];
		struct unwind_vma *vma = NULL;
		struct unwind_process slice;
		loader_place(own->loader, 1, &slice);
		for (uint32_t j = 0; j < slice.vma_count; j++) {
			struct unwind_vma *one = &machine.areas.vmas[slice.vma_base + j];
			if ((uint64_t)(uintptr_t)own->expected[i] >= one->start &&
				(uint64_t)(uintptr_t)own->expected[i] < one->end)
				vma = one;
		}
		assert_non_null(vma);
		assert_int_equal(UNWIND_FRAME_OBJECT(frame), vma->object_kind >> 8);
		assert_int_equal(UNWIND_FRAME_ADDRESS(frame) + vma->bias,
			(uint64_t)(uintptr_t)own->expected[i]);
	}
	loader_free(own->loader);
	machine_clear(&machine);
	free(own);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(our_own_stack_is_that_of_the_c_library),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
