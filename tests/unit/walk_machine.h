/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up machine for tests of the walk of user stacks: its tables, its memory, and the frames
 * that the walk finds there. Include after cmocka.
 */
#ifndef DWELL_TESTS_WALK_MACHINE_H
#define DWELL_TESTS_WALK_MACHINE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/host_walk.h"

#define ROOM 65536
#define STACK_AT 0x7fff00000000ULL
#define STACK_WORDS 256
#define CODE_AT 0x400000ULL
#define BIAS 0x3ff000ULL /* so the object's own addresses begin at 0x1000 */

/* Code without a file. */
#define GENERATED_AT 0x500000ULL

/* A machine: one object with one page of code, a rule for each 16 bytes of it, and a stack. */
struct machine {
	struct unwind_areas areas;
	struct unwind_process slice;
	uint64_t stack[STACK_WORDS];
	uint64_t absent;             /* an address that cannot be read */
	unsigned char generated[64]; /* the beginning of the code without a file */
	struct unwind_registers registers;
	struct walk walk;
	unsigned int steps_missed; /* by a walk of a stack that was walked before */
};

static inline int read_stack(void *context, uint64_t address, void *to, size_t bytes)
{
	struct machine *machine = context;

	if (address >= GENERATED_AT &&
		address + bytes <= GENERATED_AT + sizeof(machine->generated)) {
		memcpy(to, machine->generated + (address - GENERATED_AT), bytes);
		return 0;
	}
	if (address < STACK_AT || address + bytes > STACK_AT + sizeof(machine->stack) ||
		(machine->absent >= address && machine->absent < address + bytes))
		return -EFAULT;
	memcpy(to, (char *)machine->stack + (address - STACK_AT), bytes);
	return 0;
}

static inline uint64_t at(unsigned int word)
{
	return STACK_AT + word * 8ULL;
}

/* A pc inside the function number so-and-so; its return addresses are a bit further. */
static inline uint64_t pc_in(unsigned int function)
{
	return CODE_AT + function * 16ULL + 5;
}

static inline void machine_init(
	struct machine *machine, const struct unwind_rule *rules, uint32_t count)
{
	struct unwind_areas *areas = &machine->areas;

	memset(machine, 0, sizeof(*machine));
	areas->rows = calloc(ROOM, sizeof(*areas->rows));
	areas->pages = calloc(ROOM, sizeof(*areas->pages));
	areas->rules = calloc(ROOM, sizeof(*areas->rules));
	areas->vmas = calloc(ROOM, sizeof(*areas->vmas));
	areas->row_room = areas->page_room = areas->rule_room = areas->vma_room = ROOM;
	areas->processes_fd = -1;
	/* Rows 10 to 10 + count, page word 7; row 9 is the gap before the page's first row. */
	for (uint32_t i = 0; i < count; i++) {
		areas->rules[i + 1] = rules[i];
		areas->rows[10 + i] = UNWIND_ROW(i * 16, i + 1);
	}
	areas->pages[7] = 10;
	areas->pages[8] = 10 + count;
	areas->vmas[3] = (struct unwind_vma){.start = CODE_AT,
		.end = CODE_AT + 4096,
		.bias = BIAS,
		.page0 = 7 - 1,
		.object_kind = 5 << 8 | UNWIND_VMA_TABLE};
	areas->vmas[4] = (struct unwind_vma){
		.start = GENERATED_AT, .end = 0x501000, .object_kind = UNWIND_VMA_ANON};
	areas->vmas[5] = (struct unwind_vma){.start = 0x600000,
		.end = 0x601000,
		.bias = 0x600000,
		.object_kind = 6 << 8 | UNWIND_VMA_UNUSABLE};
	machine->slice = (struct unwind_process){.vma_base = 3, .vma_count = 3};
	machine->registers.sp = STACK_AT;
	machine->registers.pc = pc_in(0);
}

static inline void machine_clear(struct machine *machine)
{
	free(machine->areas.rows);
	free(machine->areas.pages);
	free(machine->areas.rules);
	free(machine->areas.vmas);
}

/* Walks; twice more with steps that are kept, which must make no difference. */
static inline void walk(struct machine *machine)
{
	struct unwind_memory memory = {.read = read_stack, .context = machine};
	struct step_table *steps = calloc(1, sizeof(*steps));

	unwind_host_walk(
		&machine->areas, &machine->slice, 77, &machine->registers, &memory, &machine->walk);
	machine->areas.steps = steps;
	for (int i = 0; i < 2; i++) {
		struct walk again;
		unwind_host_walk(
			&machine->areas, &machine->slice, 77, &machine->registers, &memory, &again);
		assert_int_equal(again.id, machine->walk.id);
		assert_int_equal(again.stop, machine->walk.stop);
		assert_int_equal(again.depth, machine->walk.depth);
		assert_int_equal(again.sp, machine->walk.sp);
		assert_int_equal(again.missing, machine->walk.missing);
		machine->steps_missed = again.steps_missed;
	}
	machine->areas.steps = NULL;
	free(steps);
}

static inline void expect_frame(const struct machine *machine, unsigned int number, uint64_t pc)
{
	uint64_t frame = machine->walk.frames[number];

	assert_true(number < machine->walk.depth);
	if (frame & UNWIND_FRAME_RAW) {
		assert_int_equal(UNWIND_FRAME_PC(frame), pc);
		return;
	}
	assert_int_equal(UNWIND_FRAME_ADDRESS(frame), pc - BIAS);
	assert_int_equal(UNWIND_FRAME_OBJECT(frame), 5);
}

#endif
