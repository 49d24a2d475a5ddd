// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk of user stacks, on made-up frames of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "walk_machine.h"

#define SP(offset)                                                                                 \
	{                                                                                          \
		.cfa_kind = UNWIND_CFA_SP, .cfa_offset = (offset)                                  \
	}
#define STOP                                                                                       \
	{                                                                                          \
		.cfa_kind = UNWIND_CFA_STOP                                                        \
	}

static void frames_lead_to_the_root(void **state)
{
	const struct unwind_rule rules[] = {SP(16),
		{.cfa_kind = UNWIND_CFA_FP,
			.cfa_offset = 16,
			.fp_kind = UNWIND_FP_AT_CFA,
			.fp_offset = -16},
		STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 3);
	machine.registers.fp = at(4);
	machine.stack[1] = pc_in(1);
	machine.stack[4] = 0x1234; /* the saved frame pointer */
	machine.stack[5] = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 3);
	for (unsigned int i = 0; i < 3; i++)
		expect_frame(&machine, i, pc_in(i));
	assert_true(machine.walk.frames[0] & UNWIND_FRAME_EXACT);
	assert_false(machine.walk.frames[1] & UNWIND_FRAME_EXACT);
	assert_int_equal(machine.walk.fp, 0x1234);
	assert_int_equal(machine.steps_missed, 0);
	machine_clear(&machine);
}

static void a_return_address_belongs_to_the_call_before_it(void **state)
{
	const struct unwind_rule rules[] = {SP(8), SP(24), STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 3);
	/* The call is the last instruction of function 1: it returns to where function 2 begins. */
	machine.stack[0] = CODE_AT + 2 * 16;
	machine.stack[3] = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 3);
	machine_clear(&machine);
}

static void after_a_signal_the_address_is_exact(void **state)
{
	const struct unwind_rule rules[] = {SP(8), {.cfa_kind = UNWIND_CFA_SIGNAL}, SP(8), STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 4);
	machine.stack[0] = pc_in(1);
	/* The ucontext begins at word 1; the interrupted code had just entered function 2. */
	machine.stack[1 + UNWIND_SIGNAL_FP / 8] = 0xf00;
	machine.stack[1 + UNWIND_SIGNAL_SP / 8] = at(100);
	machine.stack[1 + UNWIND_SIGNAL_PC / 8] = CODE_AT + 2 * 16;
	machine.stack[100] = pc_in(3);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 4);
	assert_true(machine.walk.frames[2] & UNWIND_FRAME_EXACT);
	assert_int_equal(machine.walk.fp, 0xf00);
	machine_clear(&machine);
}

static void every_kind_of_rule_is_followed(void **state)
{
	const struct unwind_rule rules[] = {{.cfa_kind = UNWIND_CFA_PLT, .cfa_offset = 6},
		{.cfa_kind = UNWIND_CFA_SP_DEREF, .cfa_offset = UNWIND_DEREF_OFFSET(16, 8)},
		{.cfa_kind = UNWIND_CFA_SP,
			.cfa_offset = 16,
			.fp_kind = UNWIND_FP_AT_CFA,
			.fp_offset = -24},
		{.cfa_kind = UNWIND_CFA_FP_DEREF, .cfa_offset = UNWIND_DEREF_OFFSET(-8, 0)},
		{.cfa_kind = UNWIND_CFA_FRAMEPTR}, STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 6);
	machine.stack[0] = pc_in(1); /* the entry has not pushed: (pc & 15) is 5 */
	/* sp is word 1: the CFA is 8 more than what word 3 says. */
	machine.stack[3] = at(9);
	machine.stack[9] = pc_in(2);
	/* sp is word 10, the CFA word 12, the frame pointer 24 below it. */
	machine.stack[9 + 2] = pc_in(3);
	/* Word 9 holds a return address, so the saved frame pointer is that: make it lead on. */
	machine.stack[9] = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_READ_CFA);
	assert_int_equal(machine.walk.depth, 4);
	assert_int_equal(machine.walk.fp, pc_in(2));
	machine_clear(&machine);

	machine_init(&machine, rules + 3, 3);
	machine.registers.fp = at(20);
	machine.stack[19] = at(13);
	machine.stack[12] = pc_in(1);
	/* The hole: frame pointer and return address are side by side at 20. */
	machine.stack[20] = at(40);
	machine.stack[21] = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 3);
	assert_int_equal(machine.walk.fp, at(40));
	machine_clear(&machine);
}

static void a_plt_entry_that_has_pushed_has_one_word_more(void **state)
{
	const struct unwind_rule rules[] = {{.cfa_kind = UNWIND_CFA_PLT, .cfa_offset = 5}, STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 2);
	machine.stack[1] = pc_in(1);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 2);
	machine_clear(&machine);
}

static void a_return_address_in_a_register_counts_in_the_first_frame_only(void **state)
{
	const struct unwind_rule rules[] = {
		{.cfa_kind = UNWIND_CFA_RA_REG, .cfa_offset = 0}, SP(8), STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 3);
	machine.registers.first_argument = pc_in(1);
	machine.stack[0] = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	machine.registers.pc = pc_in(1);
	machine.stack[0] = pc_in(0);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_BADRULE);
	machine_clear(&machine);
}

static void a_frame_kept_in_rbx_is_found_if_all_say_where_that_is(void **state)
{
	const struct unwind_rule rules[] = {
		{.cfa_kind = UNWIND_CFA_SP_BX, .cfa_offset = UNWIND_DEREF_OFFSET(16, -16)},
		{.cfa_kind = UNWIND_CFA_SP_BX, .cfa_offset = UNWIND_DEREF_OFFSET(8, 0)},
		{.cfa_kind = UNWIND_CFA_BX, .cfa_offset = UNWIND_DEREF_OFFSET(32, -32)}, STOP,
		SP(8)};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 5);
	machine.registers.bx = 12345;
	machine.stack[0] = at(10);
	machine.stack[1] = pc_in(1);
	machine.stack[2] = pc_in(2);
	machine.stack[13] = pc_in(3);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 4);
	expect_frame(&machine, 2, pc_in(2));
	expect_frame(&machine, 3, pc_in(3));
	/* In the first frame it is the register itself. */
	machine.registers.pc = pc_in(2);
	machine.registers.bx = at(10);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 2);
	/* A frame that does not say may have changed it. */
	machine.registers.pc = pc_in(4);
	machine.stack[0] = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_BADRULE);
	assert_int_equal(machine.walk.depth, 2);
	machine_clear(&machine);
}

static void generated_calls_of_python_are_stepped_over_exactly(void **state)
{
	static const unsigned char call[] = {
		0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3};
	/* Of each instruction, with an endbr64 in front: words on the stack before it. */
	static const struct {
		unsigned int into, words;
	} places[] = {{0, 0}, {4, 0}, {8, 1}, {10, 1}, {14, 0}};
	const struct unwind_rule rules[] = {SP(8), STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 2);
	machine.areas.vmas[4].object_kind = UNWIND_VMA_PYTHON;
	memcpy(machine.generated + 16 + 4, call, sizeof(call));
	/* A frame pointer that leads past function 0. */
	machine.registers.fp = at(8);
	machine.stack[9] = pc_in(1);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		machine.registers.pc = GENERATED_AT + 16 + places[i].into;
		machine.stack[places[i].words] = pc_in(0);
		machine.stack[places[i].words + 1] = pc_in(1);
		walk(&machine);
		assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
		assert_int_equal(machine.walk.depth, 3);
		expect_frame(&machine, 1, pc_in(0));
		assert_int_equal(machine.walk.fp, at(8));
	}
	/* Other code is stepped over by frame pointer. */
	machine.registers.pc = GENERATED_AT + 50;
	walk(&machine);
	assert_int_equal(machine.walk.depth, 2);
	machine_clear(&machine);
}

static void code_of_java_is_believed_if_it_keeps_frame_pointers(void **state)
{
	const struct unwind_rule rules[] = {STOP, {.cfa_kind = UNWIND_CFA_GAP}};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 2);
	machine.areas.vmas[4].object_kind = UNWIND_VMA_JAVA;
	machine.areas.vmas[4].bias = GENERATED_AT + 7;
	machine.registers.pc = GENERATED_AT + 32;
	machine.registers.fp = at(8);
	machine.stack[9] = pc_in(0);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DOUBT);
	assert_int_equal(machine.walk.depth, 2);
	machine.generated[7] = 1;
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	/* Nobody knows where that is written. */
	machine.areas.vmas[4].bias = 0;
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DOUBT);
	/* Any other reason says more. */
	machine.stack[9] = pc_in(1);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_GAP);
	machine_clear(&machine);
}

static void another_stack_is_a_root_only_if_nobody_returns(void **state)
{
	const struct unwind_rule rules[] = {SP(8), {.cfa_kind = UNWIND_CFA_SWITCH},
		{.cfa_kind = UNWIND_CFA_SWITCH, .cfa_offset = UNWIND_SWITCH_FOR_EVER}};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 3);
	machine.stack[0] = pc_in(1);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_SWITCH);
	machine.stack[0] = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	/* It may not have switched yet. */
	machine.registers.pc = pc_in(2);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_SWITCH);
	machine_clear(&machine);
}

static void return_addresses_that_probes_took_are_found_by_their_place(void **state)
{
	const uint64_t probe = 0x7fffffffe000ULL;
	const struct unwind_rule rules[] = {SP(16), SP(8), STOP};
	/* The first was left behind by a longjmp(). */
	const struct unwind_taken taken[] = {
		{at(0), pc_in(2)}, {at(1), pc_in(1)}, {at(2), pc_in(2)}};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 3);
	machine.stack[1] = machine.stack[2] = probe;
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_NOVMA);
	machine.registers.taken = taken;
	machine.registers.taken_count = 3;
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 3);
	expect_frame(&machine, 1, pc_in(1));
	expect_frame(&machine, 2, pc_in(2));
	/* Returned into the probe's code already, which has pushed three words. */
	machine.areas.vmas[5] = (struct unwind_vma){
		.start = probe, .end = probe + 4096, .object_kind = UNWIND_VMA_PROBE};
	machine.registers.pc = probe + 9;
	machine.registers.sp = at(0);
	machine.registers.taken = taken + 2;
	machine.registers.taken_count = 1;
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 1);
	machine.registers.taken_count = 0;
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_PROBE);
	machine_clear(&machine);
}

static void code_without_a_file_is_stepped_over_by_frame_pointer(void **state)
{
	const struct unwind_rule rules[] = {STOP};
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 1);
	machine.registers.pc = 0x500123;
	machine.registers.fp = at(8);
	machine.stack[8] = at(30);
	machine.stack[9] = pc_in(0);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_DONE);
	assert_int_equal(machine.walk.depth, 2);
	assert_true(machine.walk.frames[0] & UNWIND_FRAME_RAW);
	expect_frame(&machine, 0, 0x500123);
	expect_frame(&machine, 1, pc_in(0));
	uint64_t id = machine.walk.id;
	machine.registers.fp = at(8) - 1024;
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_ANON);
	assert_int_not_equal(machine.walk.id, id);
	machine_clear(&machine);
}

/* One frame, then what the rule or the return address leads to. */
static enum unwind_stop stop_of(struct unwind_rule rule, uint64_t return_to, uint64_t absent)
{
	struct machine machine;
	enum unwind_stop stop;

	machine_init(&machine, &rule, 1);
	machine.stack[1] = return_to;
	machine.absent = absent;
	walk(&machine);
	stop = machine.walk.stop;
	assert_true(machine.walk.depth >= 1);
	machine_clear(&machine);
	return stop;
}

static void every_end_has_its_reason(void **state)
{
	struct unwind_rule gap = {.cfa_kind = UNWIND_CFA_GAP}, bad = {.cfa_kind = UNWIND_CFA_BAD};
	struct unwind_rule plain = SP(16), back = SP(0);
	struct unwind_rule saves = {.cfa_kind = UNWIND_CFA_SP,
		.cfa_offset = 16,
		.fp_kind = UNWIND_FP_AT_CFA,
		.fp_offset = 80};

	(void)state;
	assert_int_equal(stop_of(gap, 0, 0), UNWIND_STOP_GAP);
	assert_int_equal(stop_of(bad, 0, 0), UNWIND_STOP_BADRULE);
	assert_int_equal(stop_of(back, 0, 0), UNWIND_STOP_SPBACK);
	assert_int_equal(stop_of(plain, 0, 0), UNWIND_STOP_ZEROPC);
	assert_int_equal(stop_of(plain, 0x700000, 0), UNWIND_STOP_NOVMA);
	assert_int_equal(stop_of(plain, UINT64_MAX - 5, 0), UNWIND_STOP_NOVMA);
	assert_int_equal(stop_of(plain, 0x600100, 0), UNWIND_STOP_NOTABLE);
	assert_int_equal(stop_of(plain, pc_in(0), at(1)), UNWIND_STOP_READ_RA);
	assert_int_equal(stop_of(saves, pc_in(0), at(12)), UNWIND_STOP_READ_FP);
}

static void a_stack_is_cut_at_the_limit(void **state)
{
	const struct unwind_rule rules[] = {
		{.cfa_kind = UNWIND_CFA_SIGNAL}}; /* the one rule that may turn in a circle */
	struct machine machine;

	(void)state;
	machine_init(&machine, rules, 1);
	machine.stack[UNWIND_SIGNAL_SP / 8] = STACK_AT;
	machine.stack[UNWIND_SIGNAL_PC / 8] = pc_in(0);
	walk(&machine);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_MAXF);
	assert_int_equal(machine.walk.depth, UNWIND_MAX_FRAMES);
	machine_clear(&machine);
}

static void a_process_without_mappings_has_its_first_frame(void **state)
{
	const struct unwind_rule rules[] = {STOP};
	struct machine machine;
	struct unwind_memory memory = {.read = read_stack, .context = &machine};

	(void)state;
	machine_init(&machine, rules, 1);
	unwind_host_walk(&machine.areas, NULL, 77, &machine.registers, &memory, &machine.walk);
	assert_int_equal(machine.walk.stop, UNWIND_STOP_NOPROC);
	assert_int_equal(machine.walk.depth, 1);
	machine_clear(&machine);
}

/* The object that the walk finds its first frame in. */
static uint32_t object_found(struct machine *machine, struct unwind_tables *tables)
{
	struct unwind_memory memory = {.read = read_stack, .context = machine};
	struct walk walk;

	unwind_host_walk(unwind_tables_areas(tables), &machine->slice, 77, &machine->registers,
		&memory, &walk);
	assert_int_equal(walk.stop, UNWIND_STOP_DONE);
	return UNWIND_FRAME_OBJECT(walk.frames[0]);
}

static void steps_are_forgotten_when_a_map_changes(void **state)
{
	const struct unwind_rule rules[] = {SP(8), STOP};
	uint32_t *generations = calloc(STEP_SLOTS, sizeof(*generations));
	struct unwind_tables *tables;
	struct machine machine;
	uint32_t base;

	(void)state;
	machine_init(&machine, rules, 2);
	machine.stack[0] = pc_in(1);
	machine.areas.steps = calloc(1, sizeof(*machine.areas.steps));
	machine.areas.generations = generations;
	struct unwind_vma vma = machine.areas.vmas[3];
	tables = unwind_tables_new(&machine.areas);
	/* It has rules of its own. */
	for (int i = 0; i < 2; i++)
		machine.areas.rules[i + 1] = rules[i];
	assert_int_equal(unwind_tables_add_vmas(tables, &vma, 1, &base), 0);
	machine.slice = (struct unwind_process){.vma_base = base, .vma_count = 1};
	for (int i = 0; i < 3; i++)
		assert_int_equal(object_found(&machine, tables), 5);
	/* Another file at the same place: changed in place, and after the map was given back. */
	vma.object_kind = 6 << 8 | UNWIND_VMA_TABLE;
	unwind_tables_set_vma(tables, base, 0, &vma);
	assert_int_equal(object_found(&machine, tables), 6);
	uint32_t before = generations[base & (STEP_SLOTS - 1)];
	unwind_tables_drop_vmas(tables, base, 1);
	vma.object_kind = 7 << 8 | UNWIND_VMA_TABLE;
	assert_int_equal(unwind_tables_add_vmas(tables, &vma, 1, &base), 0);
	machine.slice.vma_base = base;
	assert_int_not_equal(generations[base & (STEP_SLOTS - 1)], 0);
	assert_true(before > 0);
	assert_int_equal(object_found(&machine, tables), 7);
	unwind_tables_free(tables);
	free(machine.areas.steps);
	free(generations);
	machine_clear(&machine);
}

/* Of the first map too, whose number is 0. */
static void steps_are_kept_for_every_map_at_every_time(void **state)
{
	const struct unwind_rule rules[] = {STOP};
	struct machine machine;
	struct unwind_memory memory = {.read = read_stack, .context = &machine};
	uint32_t *generations = calloc(STEP_SLOTS, sizeof(*generations));
	struct step_table *steps = calloc(1, sizeof(*steps));

	(void)state;
	machine_init(&machine, rules, 1);
	machine.areas.steps = steps;
	machine.areas.generations = generations;
	for (uint32_t base = 0; base < 4; base++) {
		machine.areas.vmas[base] = machine.areas.vmas[machine.slice.vma_base];
		machine.slice.vma_base = base;
		for (generations[base] = 0; generations[base] < 4; generations[base]++) {
			unwind_host_walk(&machine.areas, &machine.slice, 77, &machine.registers,
				&memory, &machine.walk);
			assert_int_not_equal(machine.walk.steps_of, 0);
			assert_int_equal(machine.walk.steps_missed, 1);
		}
	}
	free(steps);
	free(generations);
	machine_clear(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_lead_to_the_root),
		cmocka_unit_test(a_return_address_belongs_to_the_call_before_it),
		cmocka_unit_test(after_a_signal_the_address_is_exact),
		cmocka_unit_test(every_kind_of_rule_is_followed),
		cmocka_unit_test(a_plt_entry_that_has_pushed_has_one_word_more),
		cmocka_unit_test(a_return_address_in_a_register_counts_in_the_first_frame_only),
		cmocka_unit_test(a_frame_kept_in_rbx_is_found_if_all_say_where_that_is),
		cmocka_unit_test(code_without_a_file_is_stepped_over_by_frame_pointer),
		cmocka_unit_test(generated_calls_of_python_are_stepped_over_exactly),
		cmocka_unit_test(code_of_java_is_believed_if_it_keeps_frame_pointers),
		cmocka_unit_test(another_stack_is_a_root_only_if_nobody_returns),
		cmocka_unit_test(return_addresses_that_probes_took_are_found_by_their_place),
		cmocka_unit_test(every_end_has_its_reason),
		cmocka_unit_test(a_stack_is_cut_at_the_limit),
		cmocka_unit_test(a_process_without_mappings_has_its_first_frame),
		cmocka_unit_test(steps_are_forgotten_when_a_map_changes),
		cmocka_unit_test(steps_are_kept_for_every_map_at_every_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
