// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where functions are probed: behind what may be skipped, never where a jump leads, never behind
 * what changes the stack or a needed argument; behind Go's check of the stack.
 * tests/cfi/compare_probes.py compares with objdump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <string.h>

#include "elf/file.h"
#include "elf/probe_code.h"
#include "elf/probe_place.h"
#include "util/mem.h"

#define CODE_BYTES 512
#define ENDBR "\xf3\x0f\x1e\xfa"
#define TEST_RDI "\x48\x85\xff"
#define PUSH "\x53"
#define SUB_RSP "\x48\x83\xec\x08"
#define NOP5 "\x0f\x1f\x44\x00\x00"

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char code[CODE_BYTES];
};

/* Of a place so many bytes behind the beginning that the kernel does not emulate. */
#define STEPPED(bytes) (-1 - (bytes))

/* The function begins at the code's 100th byte; behind it are int3s. `else_at` is in the code, too.
 */
static long place_beside(const char *code, size_t count, unsigned int needed, size_t else_at,
	const char *elsewhere, size_t else_count)
{
	struct image image = {.header = {.e_type = ET_DYN,
				      .e_version = EV_CURRENT,
				      .e_machine = EM_X86_64,
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
	struct elf_file *file;
	bool is_emulated;
	const uint64_t begin = offsetof(struct image, code) + 100;

	memcpy(image.header.e_ident, ELFMAG, SELFMAG);
	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	image.header.e_ident[EI_DATA] = ELFDATA2LSB;
	image.header.e_ident[EI_VERSION] = EV_CURRENT;
	memset(image.code, 0xcc, CODE_BYTES);
	memcpy(image.code + 100, code, count);
	memcpy(image.code + else_at, elsewhere, else_count);
	assert_int_equal(elf_file_from_memory(&image, sizeof(image), &file), 0);
	uint64_t place = elf_probe_place(file, begin, needed, &is_emulated);
	elf_file_free(file);
	return is_emulated ? (long)(place - begin) : STEPPED((long)(place - begin));
}

static long place_of(const char *code, size_t count, unsigned int needed)
{
	return place_beside(code, count, needed, 0, "", 0);
}

#define PLACE(code, needed) place_of(code, sizeof(code) - 1, needed)

static void a_cheap_beginning_is_the_place(void **state)
{
	(void)state;
	assert_int_equal(PLACE("\x55", 0), 0);                     /* push rbp */
	assert_int_equal(PLACE("\x41\x57", 0), 0);                 /* push r15 */
	assert_int_equal(PLACE("\x90", 0), 0);                     /* nop */
	assert_int_equal(PLACE("\x66\x0f\x1f\x44\x00\x00", 0), 0); /* nop of 6 */
	assert_int_equal(PLACE("\xe9\x00\x01\x00\x00", 0), 0);     /* jmp */
	assert_int_equal(PLACE("\xe8\x00\x01\x00\x00", 0), 0);     /* call */
	assert_int_equal(PLACE("\x0f\x84\x00\x01\x00\x00", 0), 0); /* je */
	assert_int_equal(PLACE("\x74\x40", 0), 0);                 /* je */
}

static void what_cannot_be_skipped_leaves_the_beginning(void **state)
{
	(void)state;
	assert_int_equal(PLACE("\x48\x83\xec\x08" PUSH, 0), -1);     /* sub rsp, 8 */
	assert_int_equal(PLACE("\x48\x89\xe5" PUSH, 0), -1);         /* mov rbp, rsp */
	assert_int_equal(PLACE("\x48\x89\xfd" PUSH, 0), -1);         /* mov rbp, rdi */
	assert_int_equal(PLACE("\x49\x89\xe2" PUSH, 0), -1);         /* mov r10, rsp */
	assert_int_equal(PLACE("\x4c\x8d\x54\x24\x08" PUSH, 0), -1); /* lea r10, [rsp + 8] */
	assert_int_equal(PLACE("\x48\x8b\x04\x24" PUSH, 0), -1);     /* mov rax, [rsp] */
	assert_int_equal(PLACE("\x48\x89\x07" PUSH, 0), -1);         /* mov [rdi], rax: a store */
	assert_int_equal(PLACE("\xc3" PUSH, 0), -1);                 /* ret */
	assert_int_equal(PLACE("\x0f\x05" PUSH, 0), -1);             /* syscall */
	assert_int_equal(PLACE("\x87\xdb" PUSH, 0), -1);             /* xchg */
	assert_int_equal(PLACE("\x42\x55", 0), -1); /* push with a prefix that is not emulated */
	assert_int_equal(PLACE("\x66\xe9\x00\x01", 0), -1);
}

static void harmless_instructions_are_skipped(void **state)
{
	(void)state;
	assert_int_equal(PLACE(ENDBR PUSH, 0x3f), 4);
	assert_int_equal(PLACE(TEST_RDI "\x74\x40", 0x3f), 3);              /* free() of glibc */
	assert_int_equal(PLACE("\x31\xc0" PUSH, 0x3f), 2);                  /* xor eax, eax */
	assert_int_equal(PLACE("\x48\x39\xf7" PUSH, 0x3f), 3);              /* cmp rdi, rsi */
	assert_int_equal(PLACE("\x48\x89\xf8" PUSH, 0x3f), 3);              /* mov rax, rdi */
	assert_int_equal(PLACE("\x48\x8b\x05\x01\x02\x03\x04" PUSH, 0), 7); /* mov rax, [rip + x] */
	assert_int_equal(PLACE("\x8b\x44\xf7\x08" PUSH, 0), 4);     /* mov eax, [rdi + 8 rsi + 8] */
	assert_int_equal(PLACE("\x48\x8d\x47\xff" PUSH, 0), 4);     /* lea rax, [rdi - 1] */
	assert_int_equal(PLACE("\xb8\x01\x00\x00\x00" PUSH, 0), 5); /* mov eax, 1 */
	assert_int_equal(PLACE("\x48\xb8\x01\x00\x00\x00\x00\x00\x00\x00" PUSH, 0), 10);
	assert_int_equal(PLACE("\x0f\xb6\xc1" PUSH, 0), 3);        /* movzx eax, cl */
	assert_int_equal(PLACE("\x66\x0f\xef\xc0" PUSH, 0x3f), 4); /* pxor xmm0, xmm0 */
	assert_int_equal(PLACE("\x83\xff\x05\x77\x40", 0x3f), 3);  /* cmp edi, 5; ja */
	assert_int_equal(PLACE(ENDBR TEST_RDI "\x48\x89\xf8\x31\xc9\x31\xd2" PUSH, 0), 14);
	assert_int_equal(
		PLACE(TEST_RDI TEST_RDI TEST_RDI TEST_RDI PUSH, 0), 12); /* four, not more */
	assert_int_equal(PLACE(TEST_RDI TEST_RDI TEST_RDI TEST_RDI TEST_RDI PUSH, 0), -1);
	/* A long nop behind others is padding, which old kernels refuse to probe. */
	assert_int_equal(PLACE("\x31\xc0\x66\x90" PUSH, 0), 4);
}

static void needed_arguments_are_still_there(void **state)
{
	static const struct {
		char code[8];
		unsigned int argument;
	} writes[] = {
		{"\x48\x89\xc7" PUSH, 0},                                   /* mov rdi, rax */
		{"\x31\xf6\x90" PUSH, 1},                                   /* xor esi, esi */
		{"\x48\x89\xc2" PUSH, 2},                                   /* mov rdx, rax */
		{"\xb9\x01\x00\x00\x00" PUSH, 3}, {"\x4d\x31\xc0" PUSH, 4}, /* xor r8, r8 */
		{"\x4c\x8b\x0f" PUSH, 5},                                   /* mov r9, [rdi] */
		{"\xb5\x01" PUSH, 3},                                       /* mov ch, 1 */
		{"\x40\xb7\x01" PUSH, 0},                                   /* mov dil, 1 */
		{"\x0f\xb6\xf8" PUSH, 0},                                   /* movzx edi, al */
		{"\x83\xef\x01" PUSH, 0},                                   /* sub edi, 1 */
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
		const char *code = writes[i].code;
		const size_t count = sizeof(writes[i].code);
		assert_true(place_of(code, count, 0) > 0);
		assert_int_equal(place_of(code, count, ELF_PROBE_ARGUMENT(writes[i].argument)), -1);
		assert_true(
			place_of(code, count, 0x3f & ~ELF_PROBE_ARGUMENT(writes[i].argument)) > 0);
	}
}

/* Children that a process forks die of it, see elf/x86_length.h. */
static void a_nop_of_five_bytes_is_never_probed(void **state)
{
	static const char *const nops[] = {"\x0f\x1f\x44\x00\x08", "\x66\x66\x66\x66\x90",
		"\x66\x0f\x1f\x40\x01", "\x0f\x1f\x44\x24\x01"};
	(void)state;

	assert_int_equal(PLACE(NOP5 PUSH, 0x3f), 5);
	assert_int_equal(PLACE(ENDBR NOP5 PUSH, 0x3f), 9);
	assert_int_equal(PLACE(TEST_RDI NOP5 PUSH, 0), 8);
	assert_int_equal(PLACE(NOP5, 0), STEPPED(5));
	assert_int_equal(PLACE(NOP5 SUB_RSP PUSH, 0), STEPPED(5));
	assert_int_equal(PLACE(NOP5 NOP5 SUB_RSP, 0), STEPPED(10));
	/* What is cheap behind others cannot be had: a jump leads there. */
	assert_int_equal(PLACE(NOP5 TEST_RDI PUSH "\x90\x90\xeb\xfb", 0), STEPPED(5));
	/* The mark is as good as a nop that is not there. */
	assert_int_equal(PLACE(ENDBR NOP5 SUB_RSP, 0), STEPPED(0));
	for (size_t i = 0; i < ARRAY_SIZE(nops); i++)
		assert_int_equal(place_of(nops[i], 5, 0), STEPPED(5));
	assert_int_equal(place_of("\xe9\0\0\0\0", 5, 0), STEPPED(5));
}

#define LOOP TEST_RDI PUSH "\x90\x90"

static void where_a_jump_leads_nothing_is_probed(void **state)
{
	(void)state;
	/* From the body back to the place (+3), and behind the beginning. */
	assert_int_equal(PLACE(LOOP "\xeb\xfb", 0), -1);                 /* +6: jmp +3 */
	assert_int_equal(PLACE(LOOP "\x75\xfb", 0), -1);                 /* +6: jne +3 */
	assert_int_equal(PLACE(LOOP "\xe9\xf8\xff\xff\xff", 0), -1);     /* +6: jmp +3 */
	assert_int_equal(PLACE(LOOP "\x0f\x85\xf7\xff\xff\xff", 0), -1); /* +6: jne +3 */
	assert_int_equal(PLACE(TEST_RDI TEST_RDI PUSH "\xeb\xfa", 0), -1);
	/* To the place itself from the place. */
	assert_int_equal(PLACE(TEST_RDI "\x74\xfe", 0), -1);
	/* To the beginning, or behind the place: that is no harm. */
	assert_int_equal(PLACE(LOOP "\xeb\xf8", 0), 3);
	assert_int_equal(PLACE(LOOP "\xeb\xfc", 0), 3);
	/* From a part of it that was moved elsewhere. */
	assert_int_equal(place_beside(LOOP, 6, 0, 400, "\xe9\xd2\xfe\xff\xff", 5), -1);
	assert_int_equal(place_beside(LOOP, 6, 0, 20, "\xe9\x4e\x00\x00\x00", 5), -1);
	assert_int_equal(place_beside(LOOP, 6, 0, 400, "\xe9\xd3\xfe\xff\xff", 5), 3);
	/* Nothing is skipped, so nothing is lost. */
	assert_int_equal(PLACE(PUSH "\xeb\xfd", 0), 0);
}

/* cmp, and jumps over a body of 5 bytes, of which the first 4 make the frame: to `again`. */
#define CMP_RSP "\x49\x3b\x66\x10"
#define CMP_R12 "\x4d\x3b\x66\x10"
#define BODY SUB_RSP "\xc3"
#define MORESTACK "\xe8\x40\x00\x00\x00"

/* Behind the check the goroutine comes by once, though its stack was moved. */
static void behind_a_check_of_the_stack_is_the_place(void **state)
{
	static const char restored[] = CMP_RSP "\x76\x05" BODY "\x48\x89\x44\x24\x08" MORESTACK
					       "\x48\x8b\x44\x24\x08\x66\x90\xeb\xe2";
	(void)state;

	assert_int_equal(PLACE(CMP_RSP "\x76\x05" BODY MORESTACK "\xeb\xee", 0x3f), STEPPED(6));
	assert_int_equal(PLACE(restored, 0x3f), STEPPED(6));
	/* A far jump there, and one back. */
	assert_int_equal(
		PLACE(CMP_RSP "\x0f\x86\x05\x00\x00\x00" BODY MORESTACK "\xe9\xe7\xff\xff\xff",
			0x3f),
		STEPPED(10));
	/* Newer ones keep the frame pointer first. */
	assert_int_equal(
		PLACE(CMP_RSP "\x76\x05\x55\x48\x89\xe5\xc3" MORESTACK "\xeb\xee", 0x3f), 6);
	/* add -128; the system's stack; a goroutine that is looked up first */
	assert_int_equal(
		PLACE(CMP_RSP "\x76\x05\x48\x83\xc4\x80\xc3" MORESTACK "\xeb\xee", 0), STEPPED(6));
	assert_int_equal(
		PLACE("\x49\x3b\x66\x18\x76\x05" BODY MORESTACK "\xeb\xee", 0), STEPPED(6));
	assert_int_equal(PLACE("\x64\x4c\x8b\x34\x25\xf8\xff\xff\xff" CMP_RSP
			       "\x76\x05" BODY MORESTACK "\xeb\xe5",
				 0),
		STEPPED(15));
	/* Larger frames, by lea; huge ones, where the stack may be below their size. */
	assert_int_equal(
		PLACE("\x4c\x8d\x64\x24\xf8" CMP_R12 "\x76\x05" BODY MORESTACK "\xeb\xe9", 0),
		STEPPED(11));
	assert_int_equal(PLACE("\x4c\x8d\xa4\x24\x80\xfe\xff\xff" CMP_R12 "\x76\x05" BODY MORESTACK
			       "\xeb\xe6",
				 0),
		STEPPED(14));
	assert_int_equal(PLACE("\x49\x89\xe4\x49\x81\xec\x00\x10\x00\x00\x72\x0b" CMP_R12
			       "\x76\x05" BODY MORESTACK "\xeb\xe2",
				 0),
		STEPPED(18));
}

/* Then where it begins is the place. */
static void what_only_resembles_such_a_check_is_none(void **state)
{
	(void)state;
	/* The jump back leads behind the beginning, or is none, or may be taken or not. */
	assert_int_equal(PLACE(CMP_RSP "\x76\x05" BODY MORESTACK "\xeb\xf2", 0), -1);
	assert_int_equal(PLACE(CMP_RSP "\x76\x05" BODY MORESTACK "\xc3", 0), -1);
	assert_int_equal(PLACE(CMP_RSP "\x76\x05" BODY MORESTACK "\x75\xee", 0), -1);
	/* Nobody is called, or twice. */
	assert_int_equal(PLACE(CMP_RSP "\x76\x05" BODY "\xeb\xf3", 0), -1);
	assert_int_equal(PLACE(CMP_RSP "\x76\x05" BODY MORESTACK MORESTACK "\xeb\xe9", 0), -1);
	/* Another condition, another field, no frame, two places to jump to. */
	assert_int_equal(PLACE(CMP_RSP "\x77\x05" BODY MORESTACK "\xeb\xee", 0), -1);
	assert_int_equal(PLACE("\x49\x3b\x66\x20\x76\x05" BODY MORESTACK "\xeb\xee", 0), -1);
	assert_int_equal(PLACE(CMP_RSP "\x76\x05\x90\x90\x90\x90\xc3" MORESTACK "\xeb\xee", 0), -1);
	assert_int_equal(PLACE("\x49\x89\xe4\x49\x81\xec\x00\x10\x00\x00\x72\x0a" CMP_R12
			       "\x76\x05" BODY MORESTACK "\xeb\xe2",
				 0),
		-1);
}

static void code_may_end_anywhere(void **state)
{
	static const char code[] = ENDBR "\x48\x8b\x84\xf7\x01\x02\x03\x04" PUSH;
	unsigned char bytes[15];
	int64_t distance;
	(void)state;

	for (size_t count = 0; count < sizeof(code) - 1; count++) {
		struct elf_file *file;
		struct image image = {0};
		bool is_emulated;
		image.header = (Elf64_Ehdr){.e_type = ET_DYN,
			.e_version = EV_CURRENT,
			.e_machine = EM_X86_64,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = offsetof(struct image, segment),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1};
		memcpy(image.header.e_ident, ELFMAG, SELFMAG);
		image.header.e_ident[EI_CLASS] = ELFCLASS64;
		image.header.e_ident[EI_DATA] = ELFDATA2LSB;
		image.header.e_ident[EI_VERSION] = EV_CURRENT;
		image.segment = (Elf64_Phdr){.p_type = PT_LOAD,
			.p_flags = PF_X,
			.p_offset = offsetof(struct image, code),
			.p_filesz = count};
		memcpy(image.code, code, count);
		_cleanup_free_ void *copy = xmalloc(offsetof(struct image, code) + count);
		memcpy(copy, &image, offsetof(struct image, code) + count);
		assert_int_equal(
			elf_file_from_memory(copy, offsetof(struct image, code) + count, &file), 0);
		assert_int_equal(
			elf_probe_place(file, offsetof(struct image, code), 0, &is_emulated),
			offsetof(struct image, code));
		assert_false(is_emulated);
		elf_file_free(file);
	}
	/* Every beginning of an instruction, cut anywhere. */
	for (unsigned int first = 0; first < 0x10000; first++)
		for (size_t count = 0; count <= sizeof(bytes); count++) {
			_cleanup_free_ unsigned char *cut = xmalloc(count + 1);
			memset(bytes, first & 1 ? 0x24 : 0xe4, sizeof(bytes));
			bytes[0] = (unsigned char)(first >> 8);
			bytes[1] = (unsigned char)first;
			unsigned char *end = memcpy(cut + 1, bytes, count);
			struct probe_code got = probe_code_decode(end, count);
			assert_true(
				got.kind == PROBE_CODE_OTHER || (got.bytes && got.bytes <= count));
			probe_code_jump(end, count, &distance);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cheap_beginning_is_the_place),
		cmocka_unit_test(what_cannot_be_skipped_leaves_the_beginning),
		cmocka_unit_test(harmless_instructions_are_skipped),
		cmocka_unit_test(needed_arguments_are_still_there),
		cmocka_unit_test(a_nop_of_five_bytes_is_never_probed),
		cmocka_unit_test(where_a_jump_leads_nothing_is_probed),
		cmocka_unit_test(behind_a_check_of_the_stack_is_the_place),
		cmocka_unit_test(what_only_resembles_such_a_check_is_none),
		cmocka_unit_test(code_may_end_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
