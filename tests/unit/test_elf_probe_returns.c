// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where functions are left: each return and each jump out of them, at the beginning of an
 * instruction, or none at all. tests/cfi/compare_returns.py compares with objdump.
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

#define CODE_BYTES 1024
/* The function begins there in the code; behind it are int3s. */
#define BEGIN 100
/* Jumps of 5 and 6 bytes to places of the file that are outside. */
#define JUMP_OUT "\xe9\x40\x00\x00\x00"
#define JE_OUT "\x0f\x84\x40\x00\x00\x00"

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char code[CODE_BYTES];
};

static struct elf_returns returns_on(
	unsigned int machine, const char *code, size_t count, uint64_t bytes)
{
	struct image image = {.header = {.e_type = ET_DYN,
				      .e_version = EV_CURRENT,
				      .e_machine = (Elf64_Half)machine,
				      .e_ehsize = sizeof(Elf64_Ehdr),
				      .e_phoff = offsetof(struct image, segment),
				      .e_phentsize = sizeof(Elf64_Phdr),
				      .e_phnum = 1},
		.segment = {.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = offsetof(struct image, code),
			.p_vaddr = 0x1000,
			.p_filesz = CODE_BYTES,
			.p_memsz = CODE_BYTES}};
	struct elf_span span = {offsetof(struct image, code) + BEGIN, bytes};
	struct elf_returns found;
	struct elf_file *file;

	memcpy(image.header.e_ident, ELFMAG, SELFMAG);
	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	image.header.e_ident[EI_DATA] = ELFDATA2LSB;
	image.header.e_ident[EI_VERSION] = EV_CURRENT;
	memset(image.code, 0xcc, CODE_BYTES);
	memcpy(image.code + BEGIN, code, count);
	assert_int_equal(elf_file_from_memory(&image, sizeof(image), &file), 0);
	elf_returns_find(file, &span, 1, &found);
	elf_file_free(file);
	for (size_t i = 0; i < found.count; i++)
		found.places[i].offset -= span.offset;
	assert_true(elf_returns_are_sound(found.places, found.count));
	return found;
}

#define RETURNS(code) returns_on(EM_X86_64, code, sizeof(code) - 1, sizeof(code) - 1)

/* The only place is so many bytes behind the beginning. */
static void assert_only(struct elf_returns found, uint64_t offset, int is_emulated, int condition)
{
	assert_int_equal(found.error, 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.places[0].offset, offset);
	assert_int_equal(found.places[0].is_emulated, is_emulated);
	assert_int_equal(found.places[0].condition, condition);
	elf_returns_clear(&found, 1);
}

static void assert_none(struct elf_returns found, int error)
{
	assert_int_equal(found.error, error);
	assert_int_equal(found.count, 0);
	elf_returns_clear(&found, 1);
}

static void each_kind_of_return_is_found(void **state)
{
	(void)state;
	assert_only(RETURNS("\x90\xc3"), 1, 0, JUMP_ALWAYS);
	assert_only(RETURNS("\x90\xf3\xc3"), 1, 0, JUMP_ALWAYS);     /* rep ret */
	assert_only(RETURNS("\x90\xf2\xc3"), 1, 0, JUMP_ALWAYS);     /* bnd ret */
	assert_only(RETURNS("\x90\xc2\x08\x00"), 1, 0, JUMP_ALWAYS); /* ret 8 */
}

static void jumps_out_are_last_calls(void **state)
{
	(void)state;
	assert_only(RETURNS("\x90" JUMP_OUT), 1, 1, JUMP_ALWAYS);
	assert_only(RETURNS("\x90\xeb\x40"), 1, 1, JUMP_ALWAYS);
	assert_only(RETURNS("\x90\xf2" JUMP_OUT), 1, 0, JUMP_ALWAYS); /* bnd jmp */
	assert_only(RETURNS("\x90" JE_OUT), 1, 1, 4);
	assert_only(RETURNS("\x90\x7f\x40"), 1, 1, 15);                          /* jg */
	assert_only(RETURNS("\x90\xff\x25\x00\x00\x00\x00"), 1, 0, JUMP_ALWAYS); /* by its GOT */
	/* To the very beginning: whoever probes that sees a new call. */
	assert_only(RETURNS("\x90\xeb\xfd"), 1, 1, JUMP_ALWAYS);
}

static void what_stays_inside_is_none(void **state)
{
	(void)state;
	assert_only(RETURNS("\x90\x90\x74\xfd\xc3"), 4, 0, JUMP_ALWAYS); /* a loop */
	assert_only(RETURNS("\x74\x01\x90\xc3"), 3, 0, JUMP_ALWAYS);
	assert_only(RETURNS("\xe8\x40\x00\x00\x00\xc3"), 5, 0, JUMP_ALWAYS); /* a call */
	assert_only(RETURNS("\xb8\xc3\xc3\xc3\xc3\xc3"), 5, 0, JUMP_ALWAYS); /* mov eax, .. */
	assert_none(RETURNS("\x90\x0f\x0b"), 0);                             /* ud2 */
}

/* Behind morestack() the function begins anew, before the place that is probed. */
static void a_stack_that_grew_is_no_end(void **state)
{
	(void)state;
	/* cmp, jbe; sub, add, ret; call, jmp */
	assert_only(RETURNS("\x49\x3b\x66\x10\x76\x09\x48\x83\xec\x08\x48\x83\xc4\x08\xc3"
			    "\xe8\x40\x00\x00\x00\xeb\xea"),
		14, 0, JUMP_ALWAYS);
	/* Here the body has a jump to the beginning, too, which is a new call. */
	struct elf_returns found = RETURNS("\x49\x3b\x66\x10\x76\x0a\x48\x83\xec\x08"
					   "\x48\x83\xc4\x08\xeb\xf0"
					   "\xe8\x40\x00\x00\x00\xeb\xe9");
	assert_only(found, 14, 1, JUMP_ALWAYS);
}

/* The only place is a jump so many bytes behind the beginning of which it is not sure that it is
 * the end. */
static void assert_last_jump(struct elf_returns found, uint64_t offset)
{
	assert_int_equal(found.count, 1);
	assert_true(found.places[0].may_stay);
	assert_false(found.has_unseen);
	assert_only(found, offset, 0, JUMP_ALWAYS);
}

static void assert_not_seen(struct elf_returns found, uint64_t offset)
{
	assert_true(found.has_unseen);
	assert_only(found, offset, 0, JUMP_ALWAYS);
}

static void assert_switch(struct elf_returns found, uint64_t offset)
{
	assert_false(found.has_unseen);
	assert_only(found, offset, 0, JUMP_ALWAYS);
}

static void a_jump_behind_the_frame_is_a_last_call(void **state)
{
	struct elf_returns found = RETURNS("\x74\x03\x5d\xff\xe0\xc3");

	(void)state;
	assert_int_equal(found.count, 2);
	assert_true(found.places[0].may_stay);
	assert_int_equal(found.places[0].offset, 3);
	assert_false(found.places[1].may_stay);
	elf_returns_clear(&found, 1);
	assert_last_jump(RETURNS("\x5d\x89\xd6\xff\xe0\x0f\x0b"), 3);     /* pop, mov */
	assert_last_jump(RETURNS("\xc9\xff\x60\x18\x0f\x0b"), 1);         /* leave */
	assert_last_jump(RETURNS("\x41\x5f\x41\xff\xe3\x0f\x0b"), 2);     /* pop %r15 */
	assert_last_jump(RETURNS("\x48\x83\xc4\x08\xff\xe0\x0f\x0b"), 4); /* add */
	assert_last_jump(RETURNS("\x49\x8d\x62\xf8\xff\xe0\x0f\x0b"), 4); /* lea (r10) */
	assert_last_jump(RETURNS("\x5b\xff\x24\xc5\0\0\0\0\x0f\x0b"), 1); /* of a table */
	/* A number by way of the stack; arguments taken off it, and a table. */
	assert_not_seen(RETURNS("\x6a\x05\x5b\xff\xe0\xc3"), 5);
	assert_switch(RETURNS("\x48\x83\xc4\x10\xff\x24\xc5\0\0\0\0\xc3"), 11);
	/* A call between: what was popped before it is not the frame. */
	assert_not_seen(RETURNS("\x5d\xe8\x40\0\0\0\xff\xe0\xc3"), 8);
}

static void a_jump_that_has_no_place_inside_is_a_last_call(void **state)
{
	struct elf_returns found = RETURNS("\x74\x02\xff\xe0\xc3");

	(void)state;
	assert_int_equal(found.count, 2);
	assert_true(found.places[0].may_stay);
	assert_int_equal(found.places[0].offset, 2);
	elf_returns_clear(&found, 1);
	assert_last_jump(RETURNS("\x48\x8b\x07\xff\x60\x18"), 3);
	/* lea .(%rip), %rax; jmp *32(%rax) */
	assert_last_jump(RETURNS("\x48\x8d\x05\0\0\0\0\xff\x60\x20"), 7);
	assert_last_jump(RETURNS("\xff\xe7\x66\x90\x0f\x1f\x00\xcc"), 0); /* and nops */
	/* What is behind it may be where it leads. */
	assert_not_seen(RETURNS("\xff\xe0\xc3"), 2);
	assert_not_seen(RETURNS("\xff\x20\xff\xd0\xc3"), 4);
}

static void switches_are_no_ends(void **state)
{
	(void)state;
	assert_switch(RETURNS("\xff\x24\xc5\0\0\0\0\xc3"), 7);         /* *(,%rax,8) */
	assert_switch(RETURNS("\x48\x01\xd0\xff\xe0\xc3"), 5);         /* add */
	assert_switch(RETURNS("\x48\x01\xd0\x89\xfe\xff\xe0\xc3"), 7); /* add, mov */
	assert_switch(RETURNS("\x4a\x8b\x04\xe2\xff\xe0\xc3"), 6);     /* mov (%rdx,%r12,8) */
	assert_switch(RETURNS("\x49\x63\x0c\x93\xff\xe1\xc3"), 6);     /* movslq */
	assert_switch(RETURNS("\x48\x8d\x04\xc2\xff\x20\xc3"), 6);     /* lea */
	assert_switch(RETURNS("\x3e\xff\xe0\xc3"), 3);                 /* notrack */
	/* Even where it could not lead to anywhere else. */
	assert_none(RETURNS("\xff\x24\xc5\0\0\0\0"), 0);
}

static void numbers_behind_code_are_none(void **state)
{
	(void)state;
	assert_only(RETURNS("\xc3\x90\xc3\xc3"), 0, 0, JUMP_ALWAYS);
	assert_only(RETURNS("\xeb\x02\xc3\xc3\x90\xc3"), 5, 0, JUMP_ALWAYS);
	/* A call, a loop and what is jumped back to are code. */
	struct elf_returns found = RETURNS("\xe8\x01\x00\x00\x00\xc3\xc3");
	assert_int_equal(found.count, 2);
	elf_returns_clear(&found, 1);
	assert_only(RETURNS("\xeb\x01\xc3\xe2\xfd\xeb\xfe"), 2, 0, JUMP_ALWAYS);
	/* A switch may lead there. */
	found = RETURNS("\xff\x24\xc5\0\0\0\0\xc3\xc3");
	assert_int_equal(found.count, 2);
	elf_returns_clear(&found, 1);
}

static void what_is_not_understood_is_refused(void **state)
{
	(void)state;
	assert_none(RETURNS("\x06\xc3"), -EBADMSG);                         /* no instruction */
	assert_none(RETURNS("\xc3\xb8\x00"), -EBADMSG);                     /* cut */
	assert_none(RETURNS("\x74\x01\xb8\xc3\x00\x00\x00\xc3"), -EBADMSG); /* jumps within one */
	assert_none(RETURNS("\xe9\x00\x00\x00\x70\xc3"), -EBADMSG); /* to where no code is */
	assert_none(RETURNS("\xe9\x00\x00\x00\x00"), -EBADMSG);     /* a nop for kernels */
	assert_none(RETURNS("\xe3\x40\xc3"), -EBADMSG);             /* jrcxz out */
	assert_none(RETURNS("\x2e\xc3"), -EBADMSG);                 /* a prefix of segments */
	assert_none(returns_on(EM_X86_64, "\xc3", 1, 0), -EBADMSG);
	assert_none(returns_on(EM_X86_64, "\xc3", 1, CODE_BYTES), -EBADMSG);
	assert_none(returns_on(EM_AARCH64, "\xc3", 1, 1), -ENOTSUP);
}

static void a_lock_may_be_jumped_over(void **state)
{
	(void)state;
	/* je +1; lock cmpxchg [rdx], rax; ret */
	assert_only(RETURNS("\x74\x01\xf0\x48\x0f\xb1\x02\xc3"), 7, 0, JUMP_ALWAYS);
}

/* Each return but the last one is jumped over. */
static struct elf_returns so_many_returns(size_t count)
{
	static const char jump_and_return[3] = {0x74, 0x01, (char)0xc3};
	char code[sizeof(jump_and_return) * (ELF_RETURNS_MOST + 1)];
	size_t bytes = sizeof(jump_and_return) * (count - 1) + 1;

	for (size_t i = 0; i < count; i++)
		memcpy(code + i * sizeof(jump_and_return), jump_and_return,
			sizeof(jump_and_return));
	code[bytes - 1] = (char)0xc3;
	return returns_on(EM_X86_64, code, bytes, bytes);
}

static void places_are_bounded(void **state)
{
	struct elf_returns found = so_many_returns(ELF_RETURNS_MOST);

	(void)state;
	assert_int_equal(found.count, ELF_RETURNS_MOST);
	elf_returns_clear(&found, 1);
	assert_none(so_many_returns(ELF_RETURNS_MOST + 1), -E2BIG);
}

/* What the processor itself says of flags, by setcc behind popf. */
static void conditions_are_as_the_processor_has_them(void **state)
{
	(void)state;
#ifdef __x86_64__
#define CHECK(number, word)                                                                        \
	for (uint64_t flags = 0; flags < 0x1000; flags += 1) {                                     \
		uint8_t is_set;                                                                    \
		if (flags & ~(uint64_t)(FLAG_CARRY | FLAG_PARITY | FLAG_ZERO | FLAG_SIGN |         \
					FLAG_OVERFLOW))                                            \
			continue;                                                                  \
		__asm__ volatile("sub $128, %%rsp; push %1; popf; set" word                        \
				 " %0; lea 128(%%rsp), %%rsp"                                      \
				 : "=q"(is_set)                                                    \
				 : "r"(flags)                                                      \
				 : "cc", "memory");                                                \
		assert_int_equal(jump_is_taken(number, flags), is_set);                            \
	}
	CHECK(0, "o")
	CHECK(1, "no")
	CHECK(2, "b")
	CHECK(3, "ae")
	CHECK(4, "e")
	CHECK(5, "ne")
	CHECK(6, "be")
	CHECK(7, "a")
	CHECK(8, "s")
	CHECK(9, "ns")
	CHECK(10, "p")
	CHECK(11, "np")
	CHECK(12, "l")
	CHECK(13, "ge")
	CHECK(14, "le")
	CHECK(15, "g")
#undef CHECK
#endif
	assert_int_equal(jump_is_taken(JUMP_ALWAYS, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_return_is_found),
		cmocka_unit_test(jumps_out_are_last_calls),
		cmocka_unit_test(what_stays_inside_is_none),
		cmocka_unit_test(a_stack_that_grew_is_no_end),
		cmocka_unit_test(a_jump_behind_the_frame_is_a_last_call),
		cmocka_unit_test(a_jump_that_has_no_place_inside_is_a_last_call),
		cmocka_unit_test(switches_are_no_ends),
		cmocka_unit_test(numbers_behind_code_are_none),
		cmocka_unit_test(what_is_not_understood_is_refused),
		cmocka_unit_test(a_lock_may_be_jumped_over),
		cmocka_unit_test(places_are_bounded),
		cmocka_unit_test(conditions_are_as_the_processor_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
