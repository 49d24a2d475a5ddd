// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel stacks without the tracer's own frames. Addresses stand for functions, 0x100 apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "kernel/own_code.h"
#include "util/mem.h"

#define CORE 0xffffffff81000000ULL
#define PROGRAMS 0xffffffffc0000000ULL
#define PROGRAM_BYTES 0x80

/* Somewhere inside the function of that number. */
#define F(number) (CORE + 0x100 * (number) + 0x10)
#define PROGRAM(number) (PROGRAMS + 0x100 * (number) + 0x10)

enum {
	SYSCALL,
	HITTER,
	ITERATOR,
	LISTENER,
	RUN,
	HELPER,
	LOCK,
	INTERRUPT,
	HANDLER,
	FTRACE,
	STATIC_CALL,
	FAULT,
	THUNK,
};

#define OWN PROGRAM(1)
#define OWN_PART PROGRAM(3)
#define FOREIGN PROGRAM(2)

static const char functions[] = "ffffffff81000000 T _text\n"
				"ffffffff81000000 T do_syscall_64\n"
				"ffffffff81000100 T bprm_execve\n"
				"ffffffff81000200 T __traceiter_sched_process_exec\n"
				"ffffffff81000300 T __bpf_trace_sched_process_exec\n"
				"ffffffff81000400 T bpf_trace_run3\n"
				"ffffffff81000500 T bpf_task_storage_get\n"
				"ffffffff81000600 T __rcu_read_lock\n"
				"ffffffff81000700 T asm_sysvec_apic_timer_interrupt\n"
				"ffffffff81000800 T handle_softirqs\n"
				"ffffffff81000900 T trace_event_raw_event_sched_process_exec\n"
				"ffffffff81000a00 T __SCT__tp_func_sched_process_exec\n"
				"ffffffff81000b00 T asm_exc_page_fault\n"
				"ffffffff81000c00 T __x86_indirect_thunk_rax\n"
				"ffffffff81000d00 T after\n"
				"ffffffff81001000 T _etext\n"
				"ffffffffc0000100 t bpf_prog_1111111111111111_on_exec\t[bpf]\n"
				"ffffffffc0000200 t bpf_prog_2222222222222222_other\t[bpf]\n";

struct fixture {
	struct own_code own;
	struct kernel_symbols *symbols;
};

static int set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	_cleanup_fclose_ FILE *in = fmemopen((char *)functions, strlen(functions), "r");

	assert_int_equal(kernel_symbols_parse(in, &fixture->symbols, NULL), 0);
	own_code_add(&fixture->own, PROGRAMS + 0x300, PROGRAM_BYTES);
	own_code_add(&fixture->own, PROGRAMS + 0x100, PROGRAM_BYTES);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	own_code_clear(&fixture->own);
	kernel_symbols_free(fixture->symbols);
	free(fixture);
	return 0;
}

/* Cuts a stack, leaf first, which ends with 0; what is left must be the wanted one. */
static void check_cut(const struct fixture *fixture, const __u64 *frames, const __u64 *wanted)
{
	uint32_t kept[32];
	size_t depth = 0, count;

	while (frames[depth])
		depth++;
	count = own_code_cut(&fixture->own, fixture->symbols, frames, 0, depth, kept);
	for (size_t i = 0; i < count; i++)
		assert_true(wanted[i] == frames[kept[i]]);
	assert_true(!wanted[count]);
}

#define STACK(...)                                                                                 \
	(const __u64[])                                                                            \
	{                                                                                          \
		__VA_ARGS__, 0                                                                     \
	}

static void a_stack_without_the_tracer_stays_as_it_is(void **state)
{
	check_cut(*state, STACK(F(HELPER), F(HITTER), F(SYSCALL)),
		STACK(F(HELPER), F(HITTER), F(SYSCALL)));
}

static void a_program_and_its_glue_are_the_time_of_who_hit_the_tracepoint(void **state)
{
	check_cut(*state, STACK(OWN, F(RUN), F(HITTER), F(SYSCALL)), STACK(F(HITTER), F(SYSCALL)));
	check_cut(
		*state, STACK(OWN, F(RUN), F(LISTENER), F(ITERATOR), F(HITTER)), STACK(F(HITTER)));
}

static void what_a_program_called_goes_with_it(void **state)
{
	check_cut(*state, STACK(F(LOCK), F(HELPER), OWN_PART, OWN, F(RUN), F(HITTER)),
		STACK(F(HITTER)));
	/* A read of memory that is not there is the program's doing. */
	check_cut(*state, STACK(F(FAULT), F(HELPER), OWN, F(RUN), F(HITTER)), STACK(F(HITTER)));
	/* So is another tool that listens to what it called. */
	check_cut(*state, STACK(FOREIGN, F(RUN), F(HELPER), OWN, F(RUN), F(HITTER)),
		STACK(F(HITTER)));
}

static void an_interrupt_upon_a_program_stays(void **state)
{
	check_cut(*state, STACK(F(HANDLER), F(INTERRUPT), F(HELPER), OWN, F(RUN), F(HITTER)),
		STACK(F(HANDLER), F(INTERRUPT), F(HITTER)));
	check_cut(*state, STACK(F(HANDLER), F(INTERRUPT), F(RUN), F(HITTER)),
		STACK(F(HANDLER), F(INTERRUPT), F(HITTER)));
	/* With a program of its own. */
	check_cut(*state, STACK(OWN_PART, F(RUN), F(HANDLER), F(INTERRUPT), OWN, F(RUN), F(HITTER)),
		STACK(F(HANDLER), F(INTERRUPT), F(HITTER)));
}

static void programs_of_other_tools_stay_visible(void **state)
{
	const __u64 *stacks[] = {STACK(FOREIGN, F(RUN), F(HITTER)),
		STACK(F(HELPER), FOREIGN, F(RUN), F(ITERATOR), F(HITTER)),
		/* Loaded after the symbols were read. */
		STACK(F(HELPER), PROGRAM(9), F(RUN), F(HITTER)),
		/* Not by BPF at all. */
		STACK(F(FTRACE), F(ITERATOR), F(HITTER))};

	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		check_cut(*state, stacks[i], stacks[i]);
	/* Nor are they hidden by a program of ours that they made run. */
	check_cut(*state, STACK(OWN, F(RUN), F(HELPER), FOREIGN, F(RUN), F(HITTER)),
		STACK(F(HELPER), FOREIGN, F(RUN), F(HITTER)));
}

static void glue_alone_is_taken_for_ours(void **state)
{
	check_cut(*state, STACK(F(RUN), F(HITTER)), STACK(F(HITTER)));
	check_cut(*state, STACK(F(LOCK), F(RUN), F(ITERATOR), F(HITTER)), STACK(F(HITTER)));
	check_cut(*state, STACK(F(STATIC_CALL), F(HITTER)), STACK(F(HITTER)));
}

static void a_walk_that_ends_in_a_program_leaves_nothing(void **state)
{
	check_cut(*state, STACK(OWN), (const __u64[]){0});
}

static void a_return_address_behind_a_program_is_still_its_own(void **state)
{
	check_cut(*state, STACK(F(LOCK), PROGRAMS + 0x100 + PROGRAM_BYTES, F(RUN), F(HITTER)),
		STACK(F(HITTER)));
}

/* In a thunk the place to jump to lies where a return address would be. */
static void a_listener_that_is_about_to_be_called_is_cut(void **state)
{
	const uint64_t listener = CORE + 0x100 * LISTENER, hitter = CORE + 0x100 * HITTER;

	check_cut(*state, STACK(F(THUNK), PROGRAMS + 0x100, F(RUN), F(HITTER)), STACK(F(HITTER)));
	check_cut(*state, STACK(F(THUNK), listener, F(ITERATOR), F(HITTER)), STACK(F(HITTER)));
	/* Where none is called the function keeps its own name. */
	const struct fixture *fixture = *state;
	assert_true(kernel_frame_place(fixture->symbols, STACK(F(THUNK), hitter), 1) == hitter);
	assert_true(
		kernel_frame_place(fixture->symbols, STACK(F(HELPER), hitter), 1) == hitter - 1);
	assert_true(kernel_frame_place(NULL, STACK(F(THUNK), hitter), 1) == hitter - 1);
}

static void frames_before_the_first_are_not_looked_at(void **state)
{
	const struct fixture *fixture = *state;
	const __u64 frames[] = {OWN, F(RUN), F(HITTER), F(SYSCALL)};
	uint32_t kept[ARRAY_SIZE(frames)];

	assert_int_equal(own_code_cut(&fixture->own, fixture->symbols, frames, 2, 4, kept), 2);
	assert_int_equal(kept[0], 2);
	assert_int_equal(kept[1], 3);
}

static void without_addresses_nothing_is_cut(void **state)
{
	const __u64 frames[] = {OWN, F(RUN), F(HITTER)};
	uint32_t kept[ARRAY_SIZE(frames)];

	(void)state;
	assert_int_equal(own_code_cut(NULL, NULL, frames, 0, 3, kept), 3);
}

static void a_range_without_bytes_is_none(void **state)
{
	struct own_code own = {0};

	(void)state;
	own_code_add(&own, 0, 16);
	own_code_add(&own, 4096, 0);
	own_code_add(&own, UINT64_MAX, 2);
	assert_int_equal(own.ranges.count, 0);
	assert_false(own_code_has(&own, 4096));
	own_code_clear(&own);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stack_without_the_tracer_stays_as_it_is),
		TEST(a_program_and_its_glue_are_the_time_of_who_hit_the_tracepoint),
		TEST(what_a_program_called_goes_with_it),
		TEST(an_interrupt_upon_a_program_stays),
		TEST(programs_of_other_tools_stay_visible),
		TEST(glue_alone_is_taken_for_ours),
		TEST(a_walk_that_ends_in_a_program_leaves_nothing),
		TEST(a_return_address_behind_a_program_is_still_its_own),
		TEST(a_listener_that_is_about_to_be_called_is_cut),
		TEST(frames_before_the_first_are_not_looked_at),
		TEST(without_addresses_nothing_is_cut),
		TEST(a_range_without_bytes_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
