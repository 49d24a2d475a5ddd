// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes that authors left in a program: in this test's own one, whose notes are written below as
 * sdt.h writes them, and in images whose notes are moved, doubled or damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "elf/file.h"
#include "elf/usdt.h"
#include "util/mem.h"

uint16_t dwell_usdt_test_counter __attribute__((section(".probes"), used));

#define PROBE_AT(nop, name, counter, arguments)                                                    \
	__asm__ volatile("990:	" nop "\n"                                                         \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"                             \
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                             \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"                               \
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " counter "\n"           \
			 ".asciz \"dwell_test\"\n.asciz \"" name "\"\n.asciz \"" arguments "\"\n"  \
			 "994: .balign 4\n.popsection\n"                                           \
			 ".ifndef _.stapsdt.base\n"                                                \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
			 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                          \
			 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n"        \
			 ".endif\n")

#define PROBE(name, counter, arguments) PROBE_AT("nop", name, counter, arguments)

__attribute__((noinline, noclone)) static void probed(void)
{
	PROBE("once", "dwell_usdt_test_counter", "-4@%edi 8@$5 -4@-20(%rbp) 8@16(%rax,%rcx,8)");
	PROBE("twice", "0", "8@%rax");
	PROBE("twice", "0", "");
	PROBE_AT("nopl 0(%rax,%rax,1)", "wide", "0", "");
	PROBE_AT(".byte 0x0f, 0x1f, 0x44, 0, 0", "widest", "0", "");
}

static struct elf_file *open_self(int *ret_fd)
{
	struct elf_file *file;

	*ret_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(*ret_fd >= 0);
	assert_int_equal(elf_file_open(*ret_fd, &file), 0);
	return file;
}

static void places_are_those_of_the_nops(void **state)
{
	_cleanup_free_ struct elf_usdt_place *places = NULL, *once = NULL;
	unsigned char byte = 0;
	size_t count;
	int fd;
	struct elf_file *file = open_self(&fd);
	(void)state;

	probed();
	assert_int_equal(elf_usdt_places(file, "dwell_test", "twice", &places, &count), 0);
	assert_int_equal(count, 2);
	assert_true(places[0].offset < places[1].offset);
	assert_int_equal(places[0].semaphore, 0);
	assert_int_equal(places[0].argument_count, 1);
	assert_int_equal(places[1].argument_count, 0);
	assert_int_equal(elf_usdt_places(file, "dwell_test", "once", &once, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(pread(fd, &byte, 1, (off_t)once[0].offset), 1);
	assert_int_equal(byte, 0x90);
	assert_true(once[0].semaphore != 0);
	assert_int_equal(once[0].argument_count, 4);
	assert_int_equal(once[0].arguments[0].kind, ELF_USDT_REGISTER);
	assert_int_equal(once[0].arguments[1].kind, ELF_USDT_CONSTANT);
	assert_int_equal(once[0].arguments[2].kind, ELF_USDT_MEMORY);
	assert_int_equal(once[0].arguments[3].scale, 8);
	for (size_t i = 0; i < count; i++)
		assert_true(elf_usdt_place_is_sound(&once[i]));
	/* What must not be probed is said: nops of five bytes, not of four. */
	assert_int_equal(once[0].is_nop5, 0);
	free(once);
	assert_int_equal(elf_usdt_places(file, "dwell_test", "wide", &once, &count), 0);
	assert_int_equal(once[0].is_nop5, 0);
	free(once);
	assert_int_equal(elf_usdt_places(file, "dwell_test", "widest", &once, &count), 0);
	assert_int_equal(once[0].is_nop5, 1);
	assert_true(elf_usdt_place_is_sound(&once[0]));
	assert_int_equal(elf_usdt_places(file, "dwell_test", "never", &places, &count), -ENOENT);
	assert_int_equal(elf_usdt_places(file, "dwell", "once", &places, &count), -ENOENT);
	elf_file_free(file);
	close(fd);
}

static void names_are_listed_once(void **state)
{
	struct elf_usdt_name *names;
	size_t count;
	int fd;
	struct elf_file *file = open_self(&fd);
	(void)state;

	assert_int_equal(elf_usdt_names(file, &names, &count), 0);
	assert_int_equal(count, 4);
	assert_string_equal(names[0].text, "dwell_test:once");
	assert_int_equal(names[0].argument_count, 4);
	assert_string_equal(names[1].text, "dwell_test:twice");
	assert_int_equal(names[1].place_count, 2);
	elf_usdt_names_free(names, count);
	elf_file_free(file);
	close(fd);
}

static void arguments_are_read_as_the_assembler_means_them(void **state)
{
	static const struct {
		const char *text;
		struct elf_usdt_argument is;
	} cases[] = {
		{"8@%rax", {ELF_USDT_REGISTER, 8, false, 80, 255, 1, 0}},
		{"-4@%eax", {ELF_USDT_REGISTER, 4, true, 80, 255, 1, 0}},
		{"2@%ax", {ELF_USDT_REGISTER, 2, false, 80, 255, 1, 0}},
		{"-1@%al", {ELF_USDT_REGISTER, 1, true, 80, 255, 1, 0}},
		{"-4@%r8d", {ELF_USDT_REGISTER, 4, true, 72, 255, 1, 0}},
		{"1@%r15b", {ELF_USDT_REGISTER, 1, false, 0, 255, 1, 0}},
		{"1@%dil", {ELF_USDT_REGISTER, 1, false, 112, 255, 1, 0}},
		{"-4@$5", {ELF_USDT_CONSTANT, 4, true, 0, 255, 1, 5}},
		{"-8@$-5", {ELF_USDT_CONSTANT, 8, true, 0, 255, 1, -5}},
		{"8@$0x10", {ELF_USDT_CONSTANT, 8, false, 0, 255, 1, 16}},
		{"4@-20(%rbp)", {ELF_USDT_MEMORY, 4, false, 32, 255, 1, -20}},
		{"8@(%rsp)", {ELF_USDT_MEMORY, 8, false, 152, 255, 1, 0}},
		{"8@-8+4(%rsp)", {ELF_USDT_MEMORY, 8, false, 152, 255, 1, -4}},
		{"8@16(%rax,%rcx,8)", {ELF_USDT_MEMORY, 8, false, 80, 88, 8, 16}},
		{"8@(%rax,%rcx)", {ELF_USDT_MEMORY, 8, false, 80, 88, 1, 0}},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct elf_usdt_argument got =
			elf_usdt_argument(cases[i].text, strlen(cases[i].text));
		if (got.kind != cases[i].is.kind || got.bytes != cases[i].is.bytes ||
			got.is_signed != cases[i].is.is_signed || got.reg != cases[i].is.reg ||
			got.index != cases[i].is.index || got.scale != cases[i].is.scale ||
			got.value != cases[i].is.value)
			fail_msg("%s: kind %d bytes %d signed %d reg %d index %d scale %d value "
				 "%lld",
				cases[i].text, got.kind, got.bytes, got.is_signed, got.reg,
				got.index, got.scale, (long long)got.value);
	}
}

static void what_is_not_understood_is_no_argument(void **state)
{
	static const char *const texts[] = {"", "8", "8@", "@%rax", "3@%rax", "16@%rax", "8@%rip",
		"8@symbol(%rip)", "8@8(%rip)", "8@%xmm0", "8f@%xmm0", "8@$symbol", "8@$5x",
		"8@(%eax)", "8@(,%rcx,8)", "8@(%rax,%rsp,1)", "8@(%rax,%rcx,3)", "8@(%rax",
		"8@%rax ", "8@%ah", "8@%fs:0", "8@$99999999999999999999", "8@%", "8@-", "8@$",
		"--8@%rax", "8@16(", "8@16", "18446744073709551617@%rax", "8@$0x", "8@%rax8"};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (elf_usdt_argument(texts[i], strlen(texts[i])).kind != ELF_USDT_NONE)
			fail_msg("%s was understood", texts[i]);
}

/* Files made here: code of 0x1000 bytes at 0x401000, data at 0x403000. */

enum { NOTES = 1, BASE, NAMES, SECTIONS };

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[SECTIONS];
	char names[64];
	unsigned char base;
	unsigned char notes[4096];
};

static void image_init(struct image *image)
{
	static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab";

	memset(image, 0, sizeof(*image));
	image->header = (Elf64_Ehdr){.e_type = ET_EXEC,
		.e_version = EV_CURRENT,
		.e_machine = EM_X86_64,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = offsetof(struct image, segments),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shoff = offsetof(struct image, sections),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES};
	memcpy(image->header.e_ident, ELFMAG, SELFMAG);
	image->header.e_ident[EI_CLASS] = ELFCLASS64;
	image->header.e_ident[EI_DATA] = ELFDATA2LSB;
	image->header.e_ident[EI_VERSION] = EV_CURRENT;
	image->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = 0x1000,
		.p_vaddr = 0x401000,
		.p_filesz = 0x1000,
		.p_memsz = 0x1000};
	image->segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_offset = 0x2000,
		.p_vaddr = 0x403000,
		.p_filesz = 0x100,
		.p_memsz = 0x1000};
	image->sections[NOTES] = (Elf64_Shdr){.sh_name = 1,
		.sh_type = SHT_NOTE,
		.sh_offset = offsetof(struct image, notes),
		.sh_addralign = 4};
	image->sections[BASE] = (Elf64_Shdr){.sh_name = 15,
		.sh_type = SHT_PROGBITS,
		.sh_offset = offsetof(struct image, base),
		.sh_addr = 0x400500,
		.sh_size = 1};
	image->sections[NAMES] = (Elf64_Shdr){.sh_name = 29,
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct image, names),
		.sh_size = sizeof(names)};
	memcpy(image->names, names, sizeof(names));
}

static void add(struct image *image, const void *bytes, size_t count)
{
	Elf64_Shdr *notes = &image->sections[NOTES];

	assert_true(notes->sh_size + count <= sizeof(image->notes));
	memcpy(image->notes + notes->sh_size, bytes, count);
	notes->sh_size += count;
}

static void add_note(struct image *image, uint64_t address, uint64_t base, uint64_t counter,
	const char *texts, size_t text_bytes)
{
	uint64_t numbers[] = {address, base, counter};
	uint32_t head[] = {8, (uint32_t)(sizeof(numbers) + text_bytes), 3};

	add(image, head, sizeof(head));
	add(image, "stapsdt", 8);
	add(image, numbers, sizeof(numbers));
	add(image, texts, text_bytes);
	add(image, "\0\0\0", -text_bytes & 3);
}

#define TEXTS                                                                                      \
	"p\0n\0"                                                                                   \
	"8@%rax"

static int places_in(struct image *image, struct elf_usdt_place **ret, size_t *ret_count)
{
	struct elf_file *file;

	assert_int_equal(elf_file_from_memory(image, sizeof(*image), &file), 0);
	int error = elf_usdt_places(file, "p", "n", ret, ret_count);
	elf_file_free(file);
	return error;
}

static void a_moved_file_is_read_by_its_base(void **state)
{
	_cleanup_free_ struct elf_usdt_place *places = NULL;
	struct image image;
	size_t count;
	(void)state;

	image_init(&image);
	/* Linked 0x1000 lower than it is. */
	add_note(&image, 0x400010, 0x3ff500, 0x402020, TEXTS, sizeof(TEXTS));
	add_note(&image, 0x401020, 0x400500, 0x403020, TEXTS, sizeof(TEXTS));
	assert_int_equal(places_in(&image, &places, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(places[0].offset, 0x1010);
	assert_int_equal(places[0].semaphore, 0x2020);
	assert_int_equal(places[1].offset, 0x1020);
	assert_int_equal(places[1].semaphore, 0x2020);
}

static void a_place_is_given_once(void **state)
{
	_cleanup_free_ struct elf_usdt_place *places = NULL;
	struct image image;
	size_t count;
	(void)state;

	image_init(&image);
	for (size_t i = 0; i < 3; i++)
		add_note(&image, 0x401010, 0x400500, 0, TEXTS, sizeof(TEXTS));
	assert_int_equal(places_in(&image, &places, &count), 0);
	assert_int_equal(count, 1);
}

static void places_that_are_nowhere_are_damage(void **state)
{
	struct elf_usdt_place *places;
	struct image image;
	size_t count;
	(void)state;

	image_init(&image);
	add_note(&image, 0x403010, 0x400500, 0, TEXTS, sizeof(TEXTS));
	add_note(&image, UINT64_MAX, 0x400500, 0, TEXTS, sizeof(TEXTS));
	/* A counter in .bss is nowhere in the file. */
	add_note(&image, 0x401010, 0x400500, 0x403200, TEXTS, sizeof(TEXTS));
	assert_int_equal(places_in(&image, &places, &count), -EBADMSG);
}

static void more_arguments_than_there_can_be_are_left_out(void **state)
{
	_cleanup_free_ struct elf_usdt_place *places = NULL;
	static const char texts[] = "p\0n\0"
				    "1@$1 1@$2 1@$3 1@$4  1@$5 1@$6 1@$7 8@s(%rip) 1@$9 1@$10 "
				    "1@$11 1@$12 1@$13 1@$14";
	struct image image;
	size_t count;
	(void)state;

	image_init(&image);
	add_note(&image, 0x401010, 0x400500, 0, texts, sizeof(texts));
	assert_int_equal(places_in(&image, &places, &count), 0);
	assert_int_equal(places[0].argument_count, ELF_USDT_MAX_ARGUMENTS);
	assert_int_equal(places[0].arguments[7].kind, ELF_USDT_NONE);
	assert_int_equal(places[0].arguments[11].value, 12);
}

/* Whatever one byte of the notes is, and wherever they end, reading ends, within them. */
static void damaged_notes_are_harmless(void **state)
{
	struct elf_usdt_place *places;
	struct elf_usdt_name *names;
	struct image good, image;
	struct elf_file *file;
	size_t count;
	(void)state;

	image_init(&good);
	add_note(&good, 0x401010, 0x400500, 0x403020, TEXTS, sizeof(TEXTS));
	add_note(&good, 0x401020, 0x400500, 0, TEXTS, sizeof(TEXTS));
	size_t bytes = good.sections[NOTES].sh_size;
	for (size_t at = 0; at < bytes; at++)
		for (unsigned int value = 0; value < 256; value += value < 16 ? 1 : 61) {
			image = good;
			image.notes[at] = (unsigned char)value;
			image.sections[NOTES].sh_size = value & 1 ? at + 1 : bytes;
			_cleanup_free_ unsigned char *copy =
				xmalloc(offsetof(struct image, notes) + bytes);
			memcpy(copy, &image, offsetof(struct image, notes) + bytes);
			assert_int_equal(elf_file_from_memory(copy,
						 offsetof(struct image, notes) + bytes, &file),
				0);
			if (!elf_usdt_places(file, "p", "n", &places, &count)) {
				assert_true(count == 1 || count == 2);
				assert_true(elf_usdt_place_is_sound(places));
				free(places);
			}
			if (!elf_usdt_names(file, &names, &count))
				elf_usdt_names_free(names, count);
			elf_file_free(file);
		}
}

static void unsound_places_are_known(void **state)
{
	struct elf_usdt_place place = {.argument_count = 1};
	struct elf_usdt_argument good = elf_usdt_argument("8@16(%rax,%rcx,8)", 17);
	(void)state;

	place.arguments[0] = good;
	assert_true(elf_usdt_place_is_sound(&place));
	place.argument_count = ELF_USDT_MAX_ARGUMENTS + 1;
	assert_false(elf_usdt_place_is_sound(&place));
	place.argument_count = 1;
	place.arguments[0].reg = 81;
	assert_false(elf_usdt_place_is_sound(&place));
	place.arguments[0] = good;
	place.arguments[0].scale = 3;
	assert_false(elf_usdt_place_is_sound(&place));
	place.arguments[0] = good;
	place.arguments[0].bytes = 0;
	assert_false(elf_usdt_place_is_sound(&place));
	place.arguments[0] = good;
	place.arguments[0].kind = 9;
	assert_false(elf_usdt_place_is_sound(&place));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_those_of_the_nops),
		cmocka_unit_test(names_are_listed_once),
		cmocka_unit_test(arguments_are_read_as_the_assembler_means_them),
		cmocka_unit_test(what_is_not_understood_is_no_argument),
		cmocka_unit_test(a_moved_file_is_read_by_its_base),
		cmocka_unit_test(a_place_is_given_once),
		cmocka_unit_test(places_that_are_nowhere_are_damage),
		cmocka_unit_test(more_arguments_than_there_can_be_are_left_out),
		cmocka_unit_test(damaged_notes_are_harmless),
		cmocka_unit_test(unsound_places_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
