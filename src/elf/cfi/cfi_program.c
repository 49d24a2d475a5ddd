// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine: a state, a location, and a small stack of states. DWARF 5 section 6.4.2, with GNU's
 * additions. Each instruction is at least a byte and adds at most one row, so time and rows are
 * bounded by the bytes. A location beyond the FDE's end ends the run: what follows describes
 * nothing.
 */
#include "elf/cfi/cfi_program.h"

#include "elf/cursor.h"

enum {
	OP_HIGH = 0xc0,
	OP_ADVANCE = 0x40,
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_NOP = 0x00,
	OP_SET_LOC = 0x01,
	OP_ADVANCE1 = 0x02,
	OP_ADVANCE2 = 0x03,
	OP_ADVANCE4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_EXTENDED_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPRESSION = 0x16,
	OP_ADVANCE8 = 0x1d,
	OP_GNU_ARGS_SIZE = 0x2e,
	OP_GNU_NEGATIVE_OFFSET = 0x2f,
};

/* Compilers nest two or three. */
#define MAX_REMEMBERED 32

struct machine {
	const struct cfi_program *program;
	struct cursor cursor;
	struct cfi_state state;
	bool is_changed; /* since its rule was made */
	struct unwind_rule rule;
	uint64_t location;
	uint64_t end;
	cfi_row_add *add; /* NULL: a CIE, which has no rows */
	void *context;
	unsigned int remembered;
	struct cfi_state memory[MAX_REMEMBERED];
};

/* NULL: a register that is not followed. */
static struct cfi_place *place_of(struct machine *machine, uint64_t number)
{
	if (number == CFI_REGISTER_FP)
		return &machine->state.fp;
	if (number == CFI_REGISTER_BX)
		return &machine->state.bx;
	return number == machine->program->return_register ? &machine->state.ra : NULL;
}

static void set_place(
	struct machine *machine, uint64_t number, enum cfi_place_kind kind, int64_t value)
{
	struct cfi_place *place = place_of(machine, number);

	if (place)
		*place = (struct cfi_place){.kind = (uint8_t)kind, .value = value};
}

static void restore_place(struct machine *machine, uint64_t number)
{
	const struct cfi_state *initial = &machine->program->initial;
	struct cfi_place *place = place_of(machine, number);

	if (place)
		*place = number == CFI_REGISTER_FP   ? initial->fp
			 : number == CFI_REGISTER_BX ? initial->bx
						     : initial->ra;
}

static struct cfi_expression take_expression(struct machine *machine)
{
	uint64_t count = cursor_uleb(&machine->cursor);
	const unsigned char *at = cursor_take(&machine->cursor, count);

	return at ? cfi_expression_read(at, count) : (struct cfi_expression){0};
}

static int64_t scale(struct machine *machine, int64_t number)
{
	int64_t scaled = 0;

	if (__builtin_mul_overflow(number, machine->program->data_factor, &scaled))
		machine->cursor.is_bad = true;
	return scaled;
}

static void set_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
	machine->state.is_expression = false;
	machine->state.cfa_register = number;
	machine->state.cfa_offset = offset;
}

static void add_row(struct machine *machine)
{
	if (machine->is_changed) {
		machine->rule = cfi_state_rule(&machine->state, machine->program->is_signal_frame,
			machine->program->follows_bx);
		machine->is_changed = false;
	}
	machine->add(machine->context, machine->location, &machine->rule);
}

/* A row holds from the location to the next one: it is added when that is known. */
static void move_to(struct machine *machine, uint64_t location)
{
	if (!machine->add || location < machine->location) {
		machine->cursor.is_bad = true;
		return;
	}
	if (location == machine->location)
		return;
	add_row(machine);
	machine->location = location;
	if (location >= machine->end)
		machine->cursor.at = machine->cursor.end;
}

static void advance(struct machine *machine, uint64_t delta)
{
	uint64_t location = 0;

	if (__builtin_mul_overflow(delta, machine->program->code_factor, &location) ||
		__builtin_add_overflow(location, machine->location, &location))
		machine->cursor.is_bad = true;
	else
		move_to(machine, location);
}

static void remember(struct machine *machine)
{
	if (machine->remembered == MAX_REMEMBERED)
		machine->cursor.is_bad = true;
	else
		machine->memory[machine->remembered++] = machine->state;
}

static void restore_state(struct machine *machine)
{
	if (!machine->remembered)
		machine->cursor.is_bad = true;
	else
		machine->state = machine->memory[--machine->remembered];
}

/* The instructions that move the location; false: it is another. */
static bool run_move(struct machine *machine, uint8_t op)
{
	const struct cfi_program *program = machine->program;
	struct cursor *cursor = &machine->cursor;

	switch (op) {
	case OP_SET_LOC:
		move_to(machine, cursor_address(cursor, program->address_encoding, program->section,
					 program->section_vaddr));
		return true;
	case OP_ADVANCE1:
		advance(machine, cursor_u8(cursor));
		return true;
	case OP_ADVANCE2:
		advance(machine, cursor_u16(cursor));
		return true;
	case OP_ADVANCE4:
		advance(machine, cursor_u32(cursor));
		return true;
	case OP_ADVANCE8:
		advance(machine, cursor_u64(cursor));
		return true;
	default:
		return false;
	}
}

/* Those that say how the CFA is found. */
static bool run_cfa(struct machine *machine, uint8_t op)
{
	struct cursor *cursor = &machine->cursor;
	struct cfi_state *state = &machine->state;
	uint64_t number;

	switch (op) {
	case OP_DEF_CFA:
		number = cursor_uleb(cursor);
		set_cfa(machine, number, (int64_t)cursor_uleb(cursor));
		return true;
	case OP_DEF_CFA_SF:
		number = cursor_uleb(cursor);
		set_cfa(machine, number, scale(machine, cursor_sleb(cursor)));
		return true;
	case OP_DEF_CFA_REGISTER:
		set_cfa(machine, cursor_uleb(cursor), state->cfa_offset);
		return true;
	case OP_DEF_CFA_OFFSET:
		set_cfa(machine, state->cfa_register, (int64_t)cursor_uleb(cursor));
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		set_cfa(machine, state->cfa_register, scale(machine, cursor_sleb(cursor)));
		return true;
	case OP_DEF_CFA_EXPRESSION:
		state->is_expression = true;
		state->cfa_expression = take_expression(machine);
		return true;
	default:
		return false;
	}
}

static void run_expression(struct machine *machine, uint64_t number)
{
	struct cfi_expression expression = take_expression(machine);
	struct cfi_place *place = place_of(machine, number);

	if (place)
		*place = (struct cfi_place){.kind = CFI_PLACE_EXPRESSION, .expression = expression};
}

/* Those that say where a register is; all begin with its number. */
static bool run_place(struct machine *machine, uint8_t op)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t number = cursor_uleb(cursor);

	switch (op) {
	case OP_OFFSET_EXTENDED:
		set_place(machine, number, CFI_PLACE_OFFSET,
			scale(machine, (int64_t)cursor_uleb(cursor)));
		return true;
	case OP_OFFSET_EXTENDED_SF:
		set_place(machine, number, CFI_PLACE_OFFSET, scale(machine, cursor_sleb(cursor)));
		return true;
	case OP_GNU_NEGATIVE_OFFSET:
		set_place(machine, number, CFI_PLACE_OFFSET,
			scale(machine, -(int64_t)(cursor_uleb(cursor) & INT32_MAX)));
		return true;
	case OP_RESTORE_EXTENDED:
		restore_place(machine, number);
		return true;
	case OP_UNDEFINED:
		set_place(machine, number, CFI_PLACE_UNDEFINED, 0);
		return true;
	case OP_SAME_VALUE:
		set_place(machine, number, CFI_PLACE_SAME, 0);
		return true;
	case OP_REGISTER:
		set_place(machine, number, CFI_PLACE_REGISTER, (int64_t)cursor_uleb(cursor));
		return true;
	case OP_EXPRESSION:
		run_expression(machine, number);
		return true;
	case OP_VAL_OFFSET:
		cursor_uleb(cursor);
		set_place(machine, number, CFI_PLACE_VALUE, 0);
		return true;
	case OP_VAL_OFFSET_SF:
		cursor_sleb(cursor);
		set_place(machine, number, CFI_PLACE_VALUE, 0);
		return true;
	case OP_VAL_EXPRESSION:
		take_expression(machine);
		set_place(machine, number, CFI_PLACE_VALUE, 0);
		return true;
	default:
		return false;
	}
}

static void run_low(struct machine *machine, uint8_t op)
{
	switch (op) {
	case OP_NOP:
		return;
	case OP_REMEMBER:
		remember(machine);
		return;
	case OP_RESTORE_STATE:
		restore_state(machine);
		machine->is_changed = true;
		return;
	case OP_GNU_ARGS_SIZE:
		cursor_uleb(&machine->cursor);
		return;
	}
	if (run_move(machine, op))
		return;
	machine->is_changed = true;
	if (!run_cfa(machine, op) && !run_place(machine, op))
		machine->cursor.is_bad = true;
}

static void run(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;

	while (cursor->at < cursor->end && !cursor->is_bad) {
		uint8_t op = *cursor->at++;
		uint8_t low = op & (uint8_t)~OP_HIGH;
		switch (op & OP_HIGH) {
		case OP_ADVANCE:
			advance(machine, low);
			break;
		case OP_OFFSET:
			set_place(machine, low, CFI_PLACE_OFFSET,
				scale(machine, (int64_t)cursor_uleb(cursor)));
			machine->is_changed = true;
			break;
		case OP_RESTORE:
			restore_place(machine, low);
			machine->is_changed = true;
			break;
		default:
			run_low(machine, op);
		}
	}
}

bool cfi_program_init(
	struct cfi_program *program, const struct eh_cie *cie, const struct eh_frame *frames)
{
	struct machine machine;

	*program = (struct cfi_program){
		.section = frames->bytes,
		.section_vaddr = frames->vaddr,
		.code_factor = cie->code_factor,
		.data_factor = cie->data_factor,
		.return_register = cie->return_register,
		.address_encoding = cie->address_encoding,
		.is_signal_frame = cie->is_signal_frame,
		.initial = {.cfa_register = UINT64_MAX},
	};
	/* Only a part of it: the memory of states is large, and written before it is read. */
	machine.program = program;
	machine.cursor = (struct cursor){cie->program, cie->program + cie->program_bytes, false};
	machine.state = program->initial;
	machine.add = NULL;
	machine.location = machine.end = 0;
	machine.remembered = 0;
	run(&machine);
	program->initial = machine.state;
	return !machine.cursor.is_bad && cie->return_register == CFI_REGISTER_PC;
}

bool cfi_program_run(const struct cfi_program *program, const unsigned char *bytes, size_t count,
	uint64_t start, uint64_t end, cfi_row_add *add, void *context)
{
	struct machine machine;

	machine.program = program;
	machine.cursor = (struct cursor){bytes, bytes + count, false};
	machine.state = program->initial;
	machine.is_changed = true;
	machine.location = start;
	machine.end = end;
	machine.add = add;
	machine.context = context;
	machine.remembered = 0;
	run(&machine);
	if (machine.cursor.is_bad)
		return false;
	if (machine.location < end)
		add_row(&machine);
	return true;
}
