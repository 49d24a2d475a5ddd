// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One argument of a probe: its size, negative if it is signed, and an operand as the x86 assembler
 * takes it. What is not a number, a register or a simple address (symbols, segments, vectors) is
 * not understood: a wrong value would be worse than none.
 */
#include <stddef.h>
#include <string.h>

#include "elf/usdt.h"
#include "util/mem.h"

/* struct pt_regs of the kernel on x86-64. */
enum {
	AT_R15 = 0,
	AT_R14 = 8,
	AT_R13 = 16,
	AT_R12 = 24,
	AT_RBP = 32,
	AT_RBX = 40,
	AT_R11 = 48,
	AT_R10 = 56,
	AT_R9 = 64,
	AT_R8 = 72,
	AT_RAX = 80,
	AT_RCX = 88,
	AT_RDX = 96,
	AT_RSI = 104,
	AT_RDI = 112,
	AT_RSP = 152,
};

/* The names by their bytes: 8, 4, 2, 1. Those of the second lowest byte (%ah) are left out. */
static const struct {
	char names[4][6];
	uint8_t at;
} registers[] = {
	{{"rax", "eax", "ax", "al"}, AT_RAX},
	{{"rbx", "ebx", "bx", "bl"}, AT_RBX},
	{{"rcx", "ecx", "cx", "cl"}, AT_RCX},
	{{"rdx", "edx", "dx", "dl"}, AT_RDX},
	{{"rsi", "esi", "si", "sil"}, AT_RSI},
	{{"rdi", "edi", "di", "dil"}, AT_RDI},
	{{"rbp", "ebp", "bp", "bpl"}, AT_RBP},
	{{"rsp", "esp", "sp", "spl"}, AT_RSP},
	{{"r8", "r8d", "r8w", "r8b"}, AT_R8},
	{{"r9", "r9d", "r9w", "r9b"}, AT_R9},
	{{"r10", "r10d", "r10w", "r10b"}, AT_R10},
	{{"r11", "r11d", "r11w", "r11b"}, AT_R11},
	{{"r12", "r12d", "r12w", "r12b"}, AT_R12},
	{{"r13", "r13d", "r13w", "r13b"}, AT_R13},
	{{"r14", "r14d", "r14w", "r14b"}, AT_R14},
	{{"r15", "r15d", "r15w", "r15b"}, AT_R15},
};

/* What is left of the text. */
struct text {
	const char *at;
	const char *end;
};

static bool take_letter(struct text *text, char letter)
{
	if (text->at == text->end || *text->at != letter)
		return false;
	text->at++;
	return true;
}

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

static int digit_of(char letter, int base)
{
	int digit = is_digit(letter)                                 ? letter - '0'
		    : (letter | ' ') >= 'a' && (letter | ' ') <= 'f' ? (letter | ' ') - 'a' + 10
								     : 16;

	return digit < base ? digit : -1;
}

/* Digits, of base 16 behind 0x. Numbers of more than 64 bits are refused. */
static bool take_digits(struct text *text, uint64_t *ret)
{
	int base = 10, digit;
	uint64_t number = 0;

	if (text->end - text->at > 2 && text->at[0] == '0' && (text->at[1] | ' ') == 'x') {
		base = 16;
		text->at += 2;
	}
	const char *begin = text->at;
	for (; text->at < text->end && (digit = digit_of(*text->at, base)) >= 0; text->at++)
		if (__builtin_mul_overflow(number, (uint64_t)base, &number) ||
			__builtin_add_overflow(number, (uint64_t)digit, &number))
			return false;
	*ret = number;
	return text->at > begin;
}

/* "16", "-20", "-8+4": compilers leave it to the assembler to add. */
static bool take_sum(struct text *text, int64_t *ret)
{
	uint64_t sum = 0, number;
	bool is_first = true;

	while (is_first || (text->at < text->end && (*text->at == '+' || *text->at == '-'))) {
		bool is_negative = take_letter(text, '-');
		if (!is_negative)
			take_letter(text, '+');
		if (!take_digits(text, &number))
			return false;
		sum = is_negative ? sum - number : sum + number;
		is_first = false;
	}
	*ret = (int64_t)sum;
	return true;
}

/* "%rax", of so many bytes or (0) of any size. */
static bool take_register(struct text *text, size_t bytes, uint8_t *ret)
{
	if (!take_letter(text, '%'))
		return false;
	const char *begin = text->at;
	while (text->at < text->end &&
		(is_digit(*text->at) || (*text->at >= 'a' && *text->at <= 'z')))
		text->at++;
	size_t length = (size_t)(text->at - begin);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		for (size_t size = 0; size < 4; size++)
			if ((!bytes || bytes == 8U >> size) &&
				length == strlen(registers[i].names[size]) &&
				!memcmp(begin, registers[i].names[size], length)) {
				*ret = registers[i].at;
				return true;
			}
	return false;
}

/* "20(%rbp)", "(%rax,%rcx,8)". */
static bool take_memory(struct text *text, struct elf_usdt_argument *argument)
{
	uint64_t scale = 1;

	argument->kind = ELF_USDT_MEMORY;
	if (text->at < text->end && *text->at != '(' && !take_sum(text, &argument->value))
		return false;
	if (!take_letter(text, '(') || !take_register(text, 8, &argument->reg))
		return false;
	if (take_letter(text, ',')) {
		if (!take_register(text, 8, &argument->index) || argument->index == AT_RSP)
			return false;
		if (take_letter(text, ',') && !take_digits(text, &scale))
			return false;
		if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
			return false;
		argument->scale = (uint8_t)scale;
	}
	return take_letter(text, ')');
}

static bool take_operand(struct text *text, struct elf_usdt_argument *argument)
{
	if (text->at == text->end)
		return false;
	if (take_letter(text, '$')) {
		argument->kind = ELF_USDT_CONSTANT;
		return take_sum(text, &argument->value);
	}
	if (*text->at == '%') {
		argument->kind = ELF_USDT_REGISTER;
		return take_register(text, 0, &argument->reg);
	}
	return take_memory(text, argument);
}

struct elf_usdt_argument elf_usdt_argument(const char *string, size_t length)
{
	struct text text = {string, string + length};
	struct elf_usdt_argument argument = {.scale = 1, .index = ELF_USDT_NO_REGISTER};
	uint64_t bytes;

	argument.is_signed = take_letter(&text, '-');
	if (take_digits(&text, &bytes) && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) &&
		take_letter(&text, '@') && take_operand(&text, &argument) && text.at == text.end) {
		argument.bytes = (uint8_t)bytes;
		return argument;
	}
	return (struct elf_usdt_argument){.kind = ELF_USDT_NONE};
}

static bool is_register(uint8_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (registers[i].at == at)
			return true;
	return false;
}

static bool is_power(uint8_t number)
{
	return number == 1 || number == 2 || number == 4 || number == 8;
}

static bool is_sound(const struct elf_usdt_argument *argument)
{
	switch (argument->kind) {
	case ELF_USDT_NONE:
		return true;
	case ELF_USDT_CONSTANT:
		return is_power(argument->bytes);
	case ELF_USDT_REGISTER:
		return is_power(argument->bytes) && is_register(argument->reg);
	case ELF_USDT_MEMORY:
		return is_power(argument->bytes) && is_register(argument->reg) &&
		       is_power(argument->scale) &&
		       (argument->index == ELF_USDT_NO_REGISTER || is_register(argument->index));
	default:
		return false;
	}
}

bool elf_usdt_place_is_sound(const struct elf_usdt_place *place)
{
	if (place->argument_count > ELF_USDT_MAX_ARGUMENTS || place->is_nop5 > 1)
		return false;
	for (size_t i = 0; i < ELF_USDT_MAX_ARGUMENTS; i++)
		if (!is_sound(&place->arguments[i]))
			return false;
	return true;
}
