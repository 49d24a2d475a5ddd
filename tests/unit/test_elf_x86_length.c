// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lengths of instructions: of each kind some, cut anywhere, and what may be probed within a
 * function by them. tests/cfi/compare_lengths.py compares with objdump, over all code of files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <string.h>

#include "elf/file.h"
#include "elf/probe_offset.h"
#include "elf/x86_length.h"
#include "util/mem.h"

struct instruction {
	const char *code;
	size_t bytes;
	const char *text;
};

#define CODE(code, text)                                                                           \
	{                                                                                          \
		code, sizeof(code) - 1, text                                                       \
	}

static const struct instruction instructions[] = {
	CODE("\x90", "nop"),
	CODE("\x55", "push rbp"),
	CODE("\x41\x57", "push r15"),
	CODE("\x48\x83\xec\x08", "sub rsp, 8"),
	CODE("\x48\x81\xec\x00\x01\x00\x00", "sub rsp, 256"),
	CODE("\x66\x81\xc1\x34\x12", "add cx, 0x1234"),
	CODE("\x48\x05\x34\x12\x00\x00", "add rax, 0x1234"),
	CODE("\x66\x05\x34\x12", "add ax, 0x1234"),
	CODE("\x66\x48\x05\x34\x12\x00\x00", "add rax, 0x1234, with an idle prefix"),
	CODE("\xb8\x01\x00\x00\x00", "mov eax, 1"),
	CODE("\x66\xb8\x01\x00", "mov ax, 1"),
	CODE("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", "movabs rax, x"),
	CODE("\xa1\x01\x02\x03\x04\x05\x06\x07\x08", "mov eax, [x]"),
	CODE("\x67\xa1\x01\x02\x03\x04", "addr32 mov eax, [x]"),
	CODE("\x8b\x04\x24", "mov eax, [rsp]"),
	CODE("\x8b\x04\x25\x01\x02\x03\x04", "mov eax, [x], without a base"),
	CODE("\x8b\x05\x01\x02\x03\x04", "mov eax, [rip + x]"),
	CODE("\x8b\x44\xf7\x08", "mov eax, [rdi + 8 rsi + 8]"),
	CODE("\x8b\x84\xf7\x08\x00\x00\x00", "mov eax, [rdi + 8 rsi + 8], wide"),
	CODE("\xc7\x05\x01\x02\x03\x04\x05\x06\x07\x08", "mov dword [rip + x], y"),
	CODE("\x66\xc7\x00\x05\x06", "mov word [rax], y"),
	CODE("\xc6\x00\x05", "mov byte [rax], 5"),
	CODE("\xf6\x00\x05", "test byte [rax], 5"),
	CODE("\xf6\x10", "not byte [rax]"),
	CODE("\xf7\xc1\x01\x02\x03\x04", "test ecx, x"),
	CODE("\x66\xf7\xc1\x01\x02", "test cx, x"),
	CODE("\xf7\xd9", "neg ecx"),
	CODE("\xc8\x10\x00\x01", "enter 16, 1"),
	CODE("\xc2\x10\x00", "ret 16"),
	CODE("\xe8\x01\x02\x03\x04", "call"),
	CODE("\x66\x66\x48\xe8\x01\x02\x03\x04", "call, as of a thread's variables"),
	CODE("\xeb\x05", "jmp, short"),
	CODE("\x0f\x84\x01\x02\x03\x04", "je"),
	CODE("\xff\x25\x01\x02\x03\x04", "jmp [rip + x]"),
	CODE("\x3e\xff\xe0", "notrack jmp rax"),
	CODE("\xf3\x0f\x1e\xfa", "endbr64"),
	CODE("\x0f\x1f\x44\x00\x00", "nop of 5"),
	CODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", "nop of 10"),
	CODE("\x0f\x05", "syscall"),
	CODE("\x0f\x20\xc0", "mov rax, cr0"),
	CODE("\x0f\x20\x04", "mov rsp, cr0: whatever mod says"),
	CODE("\x0f\xba\xe0\x03", "bt eax, 3"),
	CODE("\xf3\x48\x0f\xb8\xd8", "popcnt rbx, rax"),
	CODE("\x66\x0f\x3a\x0f\xc1\x08", "palignr"),
	CODE("\xf2\x48\x0f\x38\xf1\xd8", "crc32"),
	CODE("\x0f\x0f\xc1\x9e", "pfadd"),
	CODE("\xc5\xf8\x77", "vzeroupper"),
	CODE("\xc5\xfd\x6f\x44\x24\x08", "vmovdqa ymm0, [rsp + 8]"),
	CODE("\xc5\xfd\x70\xc1\x01", "vpshufd"),
	CODE("\xc4\xe2\x75\x40\xc2", "vpmulld"),
	CODE("\xc4\xe3\x75\x4a\xc2\x30", "vblendvps"),
	CODE("\x62\xf1\x7c\x48\x10\x40\x01", "vmovups zmm0, [rax + 64]"),
	CODE("\x62\xf3\x75\x48\x25\xc2\x05", "vpternlogd"),
	CODE("\x62\xf5\x6c\x48\x58\xd9", "vaddph"),
	CODE("\x8f\xe8\x78\xc2\xc1\x10", "vprotd, of AMD"),
	CODE("\x8f\x00", "pop [rax]"),
	CODE("\x8f\xea\x78\x10\xc1\x01\x02\x03\x04", "bextr, of AMD"),
	CODE("\xc7\xf8\x01\x02\x03\x04", "xbegin"),
	CODE("\x64\x48\x8b\x04\x25\x28\x00\x00\x00", "mov rax, fs:[0x28]"),
	CODE("\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x90", "of 15 bytes"),
	CODE("\x9b", "fwait"),
	CODE("\xdb\xe3", "fninit"),
};

/* In a block of exactly that size, for the sanitizers. */
static size_t length_of(const char *code, size_t count)
{
	_cleanup_free_ unsigned char *bytes = xmalloc(count + 1);

	return x86_length(memcpy(bytes + 1, code, count), count);
}

static void an_instruction_is_as_long_as_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(instructions); i++) {
		const struct instruction *one = &instructions[i];
		for (size_t count = 0; count <= one->bytes; count++)
			if (length_of(one->code, count) != (count < one->bytes ? 0 : count))
				fail_msg("%s, of %zu bytes", one->text, count);
	}
}

static void what_is_none_has_no_length(void **state)
{
	static const struct instruction none[] = {
		CODE("\x06", "push es"),
		CODE("\x9a\x01\x02\x03\x04\x05\x06", "call far"),
		CODE("\xea\x01\x02\x03\x04\x05\x06", "jmp far"),
		CODE("\xff\xd8", "call far of a register"),
		CODE("\xff\xf8", "no member of the group"),
		CODE("\x8d\xc0", "lea of a register"),
		CODE("\x48\x66\x90", "REX that is not the last prefix"),
		CODE("\x66\xe8\x01\x02\x03\x04", "a call that is not the same for all processors"),
		CODE("\x0f\x04", "none"),
		CODE("\x0f\xb8\xc0", "popcnt without its prefix"),
		CODE("\x66\xc5\xf8\x77", "VEX with a prefix"),
		CODE("\xc4\xe4\x75\x40\xc2\x00", "VEX of no map"),
		CODE("\x62\xf0\x7c\x48\x10\x40\x01", "EVEX of no map"),
		CODE("\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x90",
			"of 16 bytes"),
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (length_of(none[i].code, none[i].bytes))
			fail_msg("%s", none[i].text);
}

/* Each beginning of three bytes: what is behind an instruction changes nothing. */
static void bytes_behind_it_do_not_matter(void **state)
{
	unsigned char bytes[X86_MAX_LENGTH + 1];
	(void)state;

	for (unsigned int first = 0; first < 1U << 24; first += 7) {
		memset(bytes, first & 1 ? 0x24 : 0x85, sizeof(bytes));
		bytes[0] = (unsigned char)(first >> 16);
		bytes[1] = (unsigned char)(first >> 8);
		bytes[2] = (unsigned char)first;
		size_t length = x86_length(bytes, sizeof(bytes));
		assert_true(length <= X86_MAX_LENGTH);
		assert_int_equal(x86_length(bytes, length), length);
		if (length)
			assert_int_equal(x86_length(bytes, length - 1), 0);
	}
}

static void nops_of_five_bytes_are_known(void **state)
{
	(void)state;
	assert_true(x86_is_nop5((const unsigned char *)"\x0f\x1f\x44\x00\x00", 5));
	assert_true(x86_is_nop5((const unsigned char *)"\x66\x66\x66\x66\x90", 5));
	assert_true(x86_is_nop5((const unsigned char *)"\x66\x0f\x1f\x40\x00", 5));
	assert_true(x86_is_nop5((const unsigned char *)"\xe9\x00\x00\x00\x00", 5));
	assert_false(x86_is_nop5((const unsigned char *)"\x0f\x1f\x44\x00\x00", 4));
	assert_false(x86_is_nop5((const unsigned char *)"\xe9\x01\x00\x00\x00", 5));
	assert_false(x86_is_nop5((const unsigned char *)"\x90\x90\x90\x90\x90", 5));
	assert_false(x86_is_nop5((const unsigned char *)"\x66\x0f\x1f\x44\x00\x00", 6));
	assert_false(x86_is_nop5((const unsigned char *)"\xb8\x01\x00\x00\x00", 5));
}

#define CODE_BYTES 64

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char code[CODE_BYTES];
};

/* Of a function at the code's 8th byte, which is followed by int3s. */
static struct elf_offset check(
	unsigned int machine, const char *code, size_t count, uint64_t bytes, uint64_t wanted)
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
	struct elf_file *file;

	memcpy(image.header.e_ident, ELFMAG, SELFMAG);
	image.header.e_ident[EI_CLASS] = ELFCLASS64;
	image.header.e_ident[EI_DATA] = ELFDATA2LSB;
	image.header.e_ident[EI_VERSION] = EV_CURRENT;
	memset(image.code, 0xcc, CODE_BYTES);
	memcpy(image.code + 8, code, count);
	assert_int_equal(elf_file_from_memory(&image, sizeof(image), &file), 0);
	struct elf_offset offset =
		elf_offset_check(file, offsetof(struct image, code) + 8, bytes, wanted);
	elf_file_free(file);
	assert_true(elf_offset_is_sound(&offset, wanted));
	return offset;
}

/* push rbp; mov eax, 5; nop of 5; 06, which is no instruction; nop */
static const char function[] = "\x55\xb8\x05\x00\x00\x00\x0f\x1f\x44\x00\x00\x06\x90";
#define FUNCTION_BYTES (sizeof(function) - 1)
#define CHECK(wanted) check(EM_X86_64, function, FUNCTION_BYTES, FUNCTION_BYTES, wanted)

static void only_beginnings_of_instructions_are_places(void **state)
{
	(void)state;
	assert_int_equal(CHECK(0).kind, ELF_OFFSET_FITS);
	assert_int_equal(CHECK(1).kind, ELF_OFFSET_FITS);
	for (uint64_t wanted = 2; wanted < 6; wanted++) {
		assert_int_equal(CHECK(wanted).kind, ELF_OFFSET_WITHIN);
		assert_int_equal(CHECK(wanted).before, 1);
		assert_int_equal(CHECK(wanted).behind, 6);
	}
	assert_int_equal(CHECK(6).kind, ELF_OFFSET_NOP5);
	assert_int_equal(CHECK(7).kind, ELF_OFFSET_WITHIN);
	assert_int_equal(CHECK(11).kind, ELF_OFFSET_UNKNOWN);
	assert_int_equal(CHECK(12).kind, ELF_OFFSET_UNKNOWN);
	assert_int_equal(CHECK(12).before, 11);
}

static void a_place_is_in_its_function(void **state)
{
	(void)state;
	assert_int_equal(CHECK(FUNCTION_BYTES).kind, ELF_OFFSET_BEHIND);
	assert_int_equal(CHECK(FUNCTION_BYTES).bytes, FUNCTION_BYTES);
	assert_int_equal(CHECK(UINT64_MAX).kind, ELF_OFFSET_BEHIND);
	/* Without a size, the end of the code is the end. */
	assert_int_equal(check(EM_X86_64, "\x55", 1, 0, 1).kind, ELF_OFFSET_FITS);
	assert_int_equal(check(EM_X86_64, "\x55", 1, 0, 55).kind, ELF_OFFSET_FITS);
	assert_int_equal(check(EM_X86_64, "\x55", 1, 0, 56).kind, ELF_OFFSET_BEHIND);
	assert_int_equal(check(EM_X86_64, "\x55", 1, 0, UINT64_MAX).kind, ELF_OFFSET_UNKNOWN);
	/* Its last instruction ends behind it: the symbol's size is not to be believed. */
	assert_int_equal(check(EM_X86_64, "\x55\xb8\x05", 3, 2, 1).kind, ELF_OFFSET_UNKNOWN);
	assert_int_equal(check(EM_X86_64, "\xb8\x05\x00\x00\x00", 5, 5, 1).kind, ELF_OFFSET_WITHIN);
	assert_int_equal(check(EM_X86_64, "\xb8\x05\x00\x00\x00", 5, 5, 1).behind, 0);
	assert_int_equal(check(EM_AARCH64, function, FUNCTION_BYTES, FUNCTION_BYTES, 4).kind,
		ELF_OFFSET_MACHINE);
}

static void unsound_answers_are_known(void **state)
{
	static const struct elf_offset unsound[] = {
		{.kind = ELF_OFFSET_KINDS},
		{.kind = UINT64_MAX},
		{.kind = ELF_OFFSET_BEHIND},
		{.kind = ELF_OFFSET_BEHIND, .bytes = 21},
		{.kind = ELF_OFFSET_WITHIN, .before = 20},
		{.kind = ELF_OFFSET_WITHIN, .before = 5},
		{.kind = ELF_OFFSET_WITHIN, .before = 19, .behind = 20},
		{.kind = ELF_OFFSET_WITHIN, .before = 19, .behind = 36},
		{.kind = ELF_OFFSET_UNKNOWN, .before = 21},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(unsound); i++)
		assert_false(elf_offset_is_sound(&unsound[i], 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_is_as_long_as_it_is),
		cmocka_unit_test(what_is_none_has_no_length),
		cmocka_unit_test(bytes_behind_it_do_not_matter),
		cmocka_unit_test(nops_of_five_bytes_are_known),
		cmocka_unit_test(only_beginnings_of_instructions_are_places),
		cmocka_unit_test(a_place_is_in_its_function),
		cmocka_unit_test(unsound_answers_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
