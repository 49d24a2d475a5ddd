// SPDX-License-Identifier: GPL-2.0-or-later
/* Where arguments are: registers of x86-64, as the kernel stores them (struct pt_regs). */
#include "kernel/event_number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/usdt.h"
#include "host/tracepoint.h"

/* rdi, rsi, rdx, rcx, r8, r9: of the calling convention of C. */
static const uint32_t argument_registers[] = {112, 104, 96, 88, 72, 64};
/* The fourth of a system call is in r10, as the instruction takes rcx. */
#define FOURTH_OF_SYSTEM 56
#define RESULT_REGISTER 80 /* rax */
#define ARGUMENTS (sizeof(argument_registers) / sizeof(argument_registers[0]))

/* 1 of "arg1"; 0: it is none. */
static unsigned int argument_number(const char *word)
{
	return word && !strncmp(word, "arg", 3) && word[3] >= '1' && word[3] <= '9' && !word[4]
		       ? (unsigned int)(word[3] - '0')
		       : 0;
}

unsigned int event_argument_bit(const char *word)
{
	unsigned int number = argument_number(word);

	return number ? 1u << (number - 1) : 0;
}

bool event_argument_offset(const char *word, bool is_of_system, uint32_t *ret)
{
	unsigned int number = argument_number(word);

	if (!number || number > ARGUMENTS)
		return false;
	*ret = is_of_system && number == 4 ? FOURTH_OF_SYSTEM : argument_registers[number - 1];
	return true;
}

unsigned int event_arguments_needed(const struct event *event)
{
	return event_argument_bit(event->sum) | event_argument_bit(event->tested);
}

int event_number_of_call(
	const struct event *event, const char *word, struct event_number *ret, struct why *why)
{
	unsigned int number = argument_number(word);

	*ret = (struct event_number){.source = NUMBER_OF_CONTEXT, .bytes = 8, .is_signed = 1};
	if (!word) {
		ret->source = NUMBER_NONE;
		return 0;
	}
	if (event->is_return && (!strcmp(word, "ret") || !strcmp(word, "retval"))) {
		ret->offset = RESULT_REGISTER;
		return 0;
	}
	if (!event->is_return && number && number <= ARGUMENTS) {
		ret->offset = argument_registers[number - 1];
		return 0;
	}
	if (event->is_return)
		return why_set(why, -EINVAL,
			"-e %s: a return brings one number, ret; arguments are there at the call",
			event->text);
	return why_set(why, -EINVAL, "-e %s: a call brings arg1 to arg6%s", event->text,
		!strcmp(word, "ret")
			? "; what it returns is there at its return: uretprobe:, kretprobe:"
			: "");
}

int event_number_of_mark(const struct event *event, const char *word,
	const struct elf_usdt_place *place, struct event_number *ret, struct why *why)
{
	unsigned int number = argument_number(word);
	const struct elf_usdt_argument *argument;

	*ret = (struct event_number){.source = NUMBER_NONE};
	if (!word)
		return 0;
	if (!number || number > place->argument_count || number > ELF_USDT_MAX_ARGUMENTS)
		return why_set(why, -EINVAL, "-e %s: the mark has %u argument%s%s%s", event->text,
			place->argument_count, place->argument_count == 1 ? "" : "s",
			place->argument_count ? ", arg1 and so on: not " : ": not ", word);
	argument = &place->arguments[number - 1];
	*ret = (struct event_number){.bytes = argument->bytes,
		.is_signed = argument->is_signed,
		.offset = argument->reg,
		.plus = argument->value};
	if (argument->kind == ELF_USDT_CONSTANT)
		ret->source = NUMBER_CONSTANT;
	else if (argument->kind == ELF_USDT_REGISTER)
		ret->source = NUMBER_OF_CONTEXT;
	else if (argument->kind == ELF_USDT_MEMORY && argument->index == ELF_USDT_NO_REGISTER)
		ret->source = NUMBER_OF_MEMORY;
	else
		return why_set(why, -EINVAL,
			"-e %s: where the program has %s is told in a way that is not understood",
			event->text, word);
	return 0;
}

int event_number_of_field(const struct tracepoint *tracepoint, const char *word,
	struct event_number *ret, struct why *why)
{
	const struct tracepoint_field *field;

	*ret = (struct event_number){.source = NUMBER_NONE};
	if (!word)
		return 0;
	int error = tracepoint_number_field(tracepoint, word, &field, why);
	if (error && !strcmp(word, "ret") && !strncmp(tracepoint->name, "sys_enter_", 10))
		return why_set(why, -ENOENT,
			"what %s returns is there at its end: -e syscall:%s:return",
			tracepoint->name + 10, tracepoint->name + 10);
	if (error)
		return error;
	*ret = (struct event_number){.source = NUMBER_OF_CONTEXT,
		.bytes = (uint8_t)field->bytes,
		.is_signed = field->is_signed,
		.offset = field->offset};
	/* Arguments of system calls have a register's size and no sign, whatever their type is. */
	if (field->bytes == 8 && !strcmp(field->type, "int")) {
		ret->bytes = 4;
		ret->is_signed = 1;
	} else if (field->bytes == 8 && !strcmp(field->type, "unsigned int")) {
		ret->bytes = 4;
	} else if (!strcmp(field->type, "long")) {
		ret->is_signed = 1;
	}
	return 0;
}
