// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function that ends by a jump to another one of the file is left where that one returns; where
 * that is not known, at the jump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "contract/jump.h"
#include "elf/file.h"
#include "elf/probe_returns.h"
#include "util/mem.h"

/* Functions lie so many bytes apart. */
#define APART 32
#define MOST 16
/* Short jumps behind a nop, from one function to others. */
#define TO_NEXT "\x90\xeb\x1d"
#define TO_SECOND_NEXT "\x90\xeb\x3d"
#define TO_LAST "\x90\xeb\xdd"
#define TO_NEXT_IF_EQUAL "\x90\x74\x1d"
#define TO_MIDDLE_OF_NEXT "\x90\xeb\x1e" /* behind its first byte */
#define RETURN "\xc3"

enum { TEXT = 1, SYMTAB, STRTAB, SECTIONS };

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[MOST + 1];
	char strings[8];
	unsigned char code[MOST * APART];
};

struct code {
	const char *bytes;
	size_t count;
};

#define CODE(bytes) ((struct code){bytes, sizeof(bytes) - 1})
/* Places: the function's number, and bytes from its beginning on. */
#define AT(function, bytes) ((function)*APART + (bytes))

static void image_init(struct image *image, const struct code *functions, size_t count)
{
	*image = (struct image){.header = {.e_type = ET_DYN,
					.e_machine = EM_X86_64,
					.e_version = EV_CURRENT,
					.e_ehsize = sizeof(Elf64_Ehdr),
					.e_phoff = offsetof(struct image, segment),
					.e_phentsize = sizeof(Elf64_Phdr),
					.e_phnum = 1,
					.e_shoff = offsetof(struct image, sections),
					.e_shentsize = sizeof(Elf64_Shdr),
					.e_shnum = SECTIONS},
		.segment = {.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = offsetof(struct image, code),
			.p_vaddr = 0x1000,
			.p_filesz = MOST * APART,
			.p_memsz = MOST * APART},
		.strings = "\0f"};
	memcpy(image->header.e_ident, ELFMAG, SELFMAG);
	image->header.e_ident[EI_CLASS] = ELFCLASS64;
	image->header.e_ident[EI_DATA] = ELFDATA2LSB;
	image->header.e_ident[EI_VERSION] = EV_CURRENT;
	image->sections[TEXT] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = 0x1000,
		.sh_offset = offsetof(struct image, code),
		.sh_size = MOST * APART};
	image->sections[SYMTAB] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct image, symbols),
		.sh_size = (count + 1) * sizeof(Elf64_Sym),
		.sh_link = STRTAB,
		.sh_entsize = sizeof(Elf64_Sym)};
	image->sections[STRTAB] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct image, strings),
		.sh_size = sizeof(image->strings)};
	memset(image->code, 0xcc, sizeof(image->code));
	for (size_t i = 0; i < count; i++) {
		memcpy(image->code + i * APART, functions[i].bytes, functions[i].count);
		image->symbols[i + 1] = (Elf64_Sym){.st_name = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = TEXT,
			.st_value = 0x1000 + i * APART,
			.st_size = functions[i].count};
	}
}

/* Of the function of that number. */
static struct elf_returns returns_of(size_t number, const struct code *functions, size_t count)
{
	struct elf_span span = {
		offsetof(struct image, code) + number * APART, functions[number].count};
	struct elf_returns found;
	struct elf_file *file;
	struct image image;

	image_init(&image, functions, count);
	assert_int_equal(elf_file_from_memory(&image, sizeof(image), &file), 0);
	elf_returns_find(file, &span, 1, &found);
	elf_file_free(file);
	assert_true(elf_returns_are_sound(found.places, found.count));
	return found;
}

/* What is found must be this. */
static void check(struct elf_returns found, const struct elf_return *want, size_t count)
{
	assert_int_equal(found.error, 0);
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(
			found.places[i].offset - offsetof(struct image, code), want[i].offset);
		assert_int_equal(found.places[i].is_emulated, want[i].is_emulated);
		assert_int_equal(found.places[i].condition, want[i].condition);
		assert_int_equal(found.places[i].is_others, want[i].is_others);
	}
	elf_returns_clear(&found, 1);
}

#define CHECK(number, functions, ...)                                                              \
	do {                                                                                       \
		const struct elf_return want[] = {__VA_ARGS__};                                    \
		check(returns_of(number, functions, ARRAY_SIZE(functions)), want,                  \
			ARRAY_SIZE(want));                                                         \
	} while (0)
#define OWN_RETURN(at)                                                                             \
	{                                                                                          \
		.offset = at, .condition = JUMP_ALWAYS                                             \
	}
#define RETURN_THERE(at)                                                                           \
	{                                                                                          \
		.offset = at, .condition = JUMP_ALWAYS, .is_others = 1                             \
	}
#define OWN_JUMP(at)                                                                               \
	{                                                                                          \
		.offset = at, .condition = JUMP_ALWAYS, .is_emulated = 1                           \
	}
#define JUMP_THERE(at)                                                                             \
	{                                                                                          \
		.offset = at, .condition = JUMP_ALWAYS, .is_emulated = 1, .is_others = 1           \
	}

static void the_returns_of_what_is_jumped_to_end_it(void **state)
{
	const struct code two[] = {CODE(TO_NEXT), CODE("\x74\x01" RETURN "\x90" RETURN)};
	const struct code either[] = {CODE(TO_NEXT_IF_EQUAL RETURN), CODE(RETURN)};
	const struct code three[] = {CODE(TO_SECOND_NEXT), CODE(RETURN), CODE(TO_LAST)};
	const struct code middle[] = {CODE(TO_MIDDLE_OF_NEXT), CODE("\x90" RETURN)};

	(void)state;
	CHECK(0, two, RETURN_THERE(AT(1, 2)), RETURN_THERE(AT(1, 4)));
	CHECK(1, two, OWN_RETURN(AT(1, 2)), OWN_RETURN(AT(1, 4)));
	CHECK(0, either, OWN_RETURN(AT(0, 3)), RETURN_THERE(AT(1, 0)));
	CHECK(0, three, RETURN_THERE(AT(1, 0)));
	CHECK(0, middle, RETURN_THERE(AT(1, 1)));
}

static void what_never_returns_has_no_end(void **state)
{
	const struct code functions[] = {CODE(TO_NEXT), CODE("\x0f\x0b")};

	(void)state;
	check(returns_of(0, functions, 2), NULL, 0);
}

static void jumps_in_a_circle_begin_it_anew(void **state)
{
	const struct code functions[] = {
		CODE(TO_NEXT_IF_EQUAL RETURN), CODE("\x74\x02\xeb\xdc" RETURN)};
	const struct code loop[] = {CODE(TO_NEXT), CODE("\x90\x74\xfd" RETURN)};

	(void)state;
	CHECK(0, functions, OWN_RETURN(AT(0, 3)), JUMP_THERE(AT(1, 2)), RETURN_THERE(AT(1, 4)));
	/* The other one to its own beginning: nothing ends. */
	CHECK(0, loop, RETURN_THERE(AT(1, 3)));
}

static void where_it_leads_unseen_the_jump_is_the_end(void **state)
{
	const struct code unknown[] = {CODE(TO_SECOND_NEXT), CODE(RETURN)};
	const struct code broken[] = {CODE(TO_NEXT), CODE("\x06" RETURN)};
	const struct code within[] = {CODE(TO_MIDDLE_OF_NEXT), CODE("\xb8\x01\x02\x03\x04" RETURN)};
	const struct code pointer[] = {CODE(TO_NEXT), CODE("\xff\x60\x18" RETURN)};
	const struct code by_register[] = {CODE(TO_NEXT), CODE("\x90\xff\xe0" RETURN)};
	const struct code unfit[] = {CODE(TO_NEXT), CODE("\xe3\x40" RETURN)};

	(void)state;
	CHECK(0, unknown, OWN_JUMP(AT(0, 1)));
	CHECK(0, broken, OWN_JUMP(AT(0, 1)));
	CHECK(0, within, OWN_JUMP(AT(0, 1)));
	CHECK(0, pointer, OWN_JUMP(AT(0, 1)));
	CHECK(0, by_register, OWN_JUMP(AT(0, 1)));
	CHECK(0, unfit, OWN_JUMP(AT(0, 1)));
}

static void switches_lead_nowhere_else(void **state)
{
	/* jmp *(,%rax,8); add %rdx, %rax, jmp *%rax; jmp *(%rdx,%r12,8) */
	const struct code table[] = {CODE(TO_NEXT), CODE("\xff\x24\xc5\0\0\0\0" RETURN)};
	const struct code sum[] = {CODE(TO_NEXT), CODE("\x48\x01\xd0\x3e\xff\xe0" RETURN)};
	const struct code high[] = {CODE(TO_NEXT), CODE("\x42\xff\x24\xe2" RETURN)};

	(void)state;
	CHECK(0, table, RETURN_THERE(AT(1, 7)));
	CHECK(0, sum, RETURN_THERE(AT(1, 6)));
	CHECK(0, high, RETURN_THERE(AT(1, 4)));
}

static void last_calls_through_pointers_are_ends_of_it(void **state)
{
	/* pop %rbp, jmp *%rax */
	const struct code functions[] = {CODE(TO_NEXT), CODE("\x5d\xff\xe0")};
	struct elf_returns found = returns_of(0, functions, 2);

	(void)state;
	assert_int_equal(found.count, 1);
	assert_true(found.places[0].may_stay);
	check(found, (const struct elf_return[]){RETURN_THERE(AT(1, 1))}, 1);
}

/* From the middle more is come to than from the beginning. */
static void where_a_part_is_for_others_the_jump_is_the_end(void **state)
{
	const struct code functions[] = {CODE(TO_MIDDLE_OF_NEXT), CODE(RETURN "\x90" RETURN)};

	(void)state;
	CHECK(0, functions, OWN_JUMP(AT(0, 1)));
	CHECK(1, functions, OWN_RETURN(AT(1, 0)));
}

static void a_jump_to_another_file_ends_it_there(void **state)
{
	const struct code functions[] = {CODE(TO_NEXT), CODE("\xff\x25\0\0\0\0")};

	(void)state;
	CHECK(0, functions, RETURN_THERE(AT(1, 0)));
}

static void jumps_are_followed_four_times(void **state)
{
	const struct code functions[] = {CODE(TO_NEXT), CODE(TO_NEXT), CODE(TO_NEXT), CODE(TO_NEXT),
		CODE(TO_NEXT), CODE(RETURN)};

	(void)state;
	CHECK(1, functions, RETURN_THERE(AT(5, 0)));
	CHECK(0, functions, JUMP_THERE(AT(4, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_returns_of_what_is_jumped_to_end_it),
		cmocka_unit_test(what_never_returns_has_no_end),
		cmocka_unit_test(jumps_in_a_circle_begin_it_anew),
		cmocka_unit_test(where_it_leads_unseen_the_jump_is_the_end),
		cmocka_unit_test(switches_lead_nowhere_else),
		cmocka_unit_test(last_calls_through_pointers_are_ends_of_it),
		cmocka_unit_test(where_a_part_is_for_others_the_jump_is_the_end),
		cmocka_unit_test(a_jump_to_another_file_ends_it_there),
		cmocka_unit_test(jumps_are_followed_four_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
