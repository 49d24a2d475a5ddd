// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF headers: the facts of our own program and of libc against what the loader knows, and copies
 * of a real file that are cut short or have a wrong byte, which must never do more than fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/file.h"
#include "elf/symbols.h"
#include "util/mem.h"

struct loaded {
	uint64_t offset;
	uint64_t vaddr;
	char build_id[129];
	const char *interpreter;
};

static void note_build_id(const ElfW(Nhdr) * note, struct loaded *loaded)
{
	const unsigned char *id = (const unsigned char *)(note + 1) + ((note->n_namesz + 3U) & ~3U);

	for (size_t i = 0; i < note->n_descsz && i < 64; i++)
		snprintf(loaded->build_id + 2 * i, 3, "%02x", id[i]);
}

/* The first object that the loader names is the program itself. */
static int note_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct loaded *loaded = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
			loaded->offset = header->p_offset;
			loaded->vaddr = header->p_vaddr;
		}
		if (header->p_type == PT_INTERP)
			loaded->interpreter = (const char *)(info->dlpi_addr + header->p_vaddr);
		if (header->p_type != PT_NOTE)
			continue;
		const ElfW(Nhdr) *note = (const void *)(info->dlpi_addr + header->p_vaddr);
		if (note->n_type == NT_GNU_BUILD_ID)
			note_build_id(note, loaded);
	}
	return 1;
}

static void a_program_has_the_build_id_and_code_that_the_loader_sees(void **state)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct elf_segment *segments;
	struct loaded loaded = {0};
	struct elf_file *file;

	(void)state;
	dl_iterate_phdr(note_program, &loaded);
	assert_int_equal(elf_file_open(fd, &file), 0);
	assert_string_equal(elf_file_build_id(file), loaded.build_id);
	assert_int_not_equal(strlen(loaded.build_id), 0);
	assert_int_equal(elf_file_segments(file, &segments), 1);
	assert_int_equal(segments[0].offset, loaded.offset);
	assert_int_equal(segments[0].vaddr, loaded.vaddr);
	elf_file_free(file);
}

static void a_file_that_is_no_elf_is_refused(void **state)
{
	static const char script[] =
		"#!/bin/sh\necho this is long enough to be an ELF header, isn't it?\n";
	_cleanup_close_ int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct elf_file *file = NULL;

	(void)state;
	assert_int_equal(elf_file_open(null_fd, &file), -ENOEXEC);
	assert_int_equal(elf_file_open(-1, &file), -EBADF);
	assert_int_equal(elf_file_from_memory(script, sizeof(script), &file), -ENOEXEC);
	assert_int_equal(elf_file_from_memory(ELFMAG, SELFMAG, &file), -ENOEXEC);
	assert_null(file);
}

static void a_32_bit_or_foreign_or_relocatable_file_is_refused(void **state)
{
	Elf64_Ehdr header = {.e_type = ET_DYN,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr)};
	struct elf_file *file;

	(void)state;
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	assert_int_equal(elf_file_from_memory(&header, sizeof(header), &file), 0);
	elf_file_free(file);
	header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(elf_file_from_memory(&header, sizeof(header), &file), -ENOEXEC);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2MSB;
	assert_int_equal(elf_file_from_memory(&header, sizeof(header), &file), -ENOEXEC);
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_type = ET_REL;
	assert_int_equal(elf_file_from_memory(&header, sizeof(header), &file), -ENOEXEC);
	header.e_type = ET_DYN;
	header.e_phnum = PN_XNUM;
	assert_int_equal(elf_file_from_memory(&header, sizeof(header), &file), -EBADMSG);
}

static void an_offset_becomes_the_address_of_its_segment(void **state)
{
	/* As lld lays files out: segments follow each other within a page of the file. */
	static const struct elf_segment segments[] = {
		{0x1250, 0x2000, 0x202250}, {0x43250, 0x100, 0x345250}};
	uint64_t address = 0;

	(void)state;
	assert_true(elf_segments_vaddr(segments, 2, 0x1250, &address));
	assert_int_equal(address, 0x202250);
	assert_true(elf_segments_vaddr(segments, 2, 0x324f, &address));
	assert_int_equal(address, 0x20424f);
	assert_true(elf_segments_vaddr(segments, 2, 0x43300, &address));
	assert_int_equal(address, 0x345300);
	/* The page around a segment is mapped with it. */
	assert_true(elf_segments_vaddr(segments, 2, 0x1000, &address));
	assert_int_equal(address, 0x202000);
	address = 7;
	assert_false(elf_segments_vaddr(segments, 2, 0x100000, &address));
	assert_false(elf_segments_vaddr(NULL, 0, 0x1250, &address));
	assert_int_equal(address, 7);
}

/* A private copy of a small real program or library. */
struct copy {
	unsigned char *bytes;
	size_t count;
};

static struct copy copy_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct copy copy;
	struct stat stat;

	assert_int_equal(fstat(fd, &stat), 0);
	copy.count = (size_t)stat.st_size;
	copy.bytes = xmalloc(copy.count);
	assert_int_equal(pread(fd, copy.bytes, copy.count, 0), copy.count);
	return copy;
}

/* Reads everything there is to read; true if the file was accepted. */
static bool read_all(struct elf_file *file)
{
	struct elf_symbols *symbols = NULL;
	struct elf_symbol symbol;

	if (elf_symbols_read(file, &symbols))
		return false;
	for (size_t i = 0; i < elf_symbols_count(symbols); i++) {
		symbol = elf_symbols_at(symbols, i);
		assert_true(symbol.start < symbol.end);
		assert_int_not_equal(strlen(symbol.name), 0);
		assert_true(elf_symbols_find(symbols, symbol.start, &symbol));
	}
	elf_symbols_free(symbols);
	return true;
}

static bool read_memory(const void *bytes, size_t count)
{
	struct elf_file *file;
	bool is_good;

	if (elf_file_from_memory(bytes, count, &file))
		return false;
	is_good = read_all(file);
	elf_file_free(file);
	return is_good;
}

static bool read_fd(int fd)
{
	struct elf_file *file;
	bool is_good;

	if (elf_file_open(fd, &file))
		return false;
	is_good = read_all(file);
	elf_file_free(file);
	return is_good;
}

static void a_file_cut_short_anywhere_is_an_error(void **state)
{
	struct copy copy = copy_file("/proc/self/exe");
	_cleanup_close_ int fd = memfd_create("cut", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(write(fd, copy.bytes, copy.count), copy.count);
	assert_true(read_memory(copy.bytes, copy.count));
	assert_true(read_fd(fd));
	for (size_t count = copy.count - 1, step = 1; count > step;
		count -= step, step += step / 3 + 1) {
		/* A copy of the very size, so that the sanitizer sees a read beyond it. */
		_cleanup_free_ unsigned char *cut = xmalloc(count);
		memcpy(cut, copy.bytes, count);
		read_memory(cut, count);
		assert_int_equal(ftruncate(fd, (off_t)count), 0);
		/* The section headers are the last thing in a file. */
		assert_false(read_fd(fd));
	}
	for (size_t count = 0; count < 1024; count++) {
		_cleanup_free_ unsigned char *cut = xmalloc(count + 1);
		memcpy(cut, copy.bytes, count);
		assert_false(read_memory(cut, count));
	}
	free(copy.bytes);
}

static void flip_and_read(struct copy *copy, int fd, size_t at)
{
	static const unsigned char flips[] = {0x01, 0x10, 0x80, 0xff};

	for (size_t i = 0; i < ARRAY_SIZE(flips); i++) {
		unsigned char byte = copy->bytes[at] ^ flips[i];
		copy->bytes[at] ^= flips[i];
		read_memory(copy->bytes, copy->count);
		copy->bytes[at] ^= flips[i];
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
		read_fd(fd);
		assert_int_equal(pwrite(fd, &copy->bytes[at], 1, (off_t)at), 1);
	}
}

/* Every byte of the headers, and some of everything else, of the loader: a small library. */
static void a_wrong_byte_anywhere_never_does_more_than_fail(void **state)
{
	struct loaded loaded = {0};
	_cleanup_close_ int fd = memfd_create("flipped", MFD_CLOEXEC);

	(void)state;
	dl_iterate_phdr(note_program, &loaded);
	assert_non_null(loaded.interpreter);
	struct copy copy = copy_file(loaded.interpreter);
	const Elf64_Ehdr *header = (const void *)copy.bytes;
	size_t headers = sizeof(Elf64_Ehdr) + header->e_phnum * sizeof(Elf64_Phdr);
	size_t sections = header->e_shoff;
	assert_int_equal(write(fd, copy.bytes, copy.count), copy.count);
	assert_true(read_fd(fd));
	for (size_t at = 0; at < headers; at++)
		flip_and_read(&copy, fd, at);
	for (size_t at = sections; at < copy.count; at++)
		flip_and_read(&copy, fd, at);
	for (size_t at = headers; at < sections; at += 97)
		flip_and_read(&copy, fd, at);
	assert_true(read_fd(fd));
	free(copy.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_has_the_build_id_and_code_that_the_loader_sees),
		cmocka_unit_test(a_file_that_is_no_elf_is_refused),
		cmocka_unit_test(a_32_bit_or_foreign_or_relocatable_file_is_refused),
		cmocka_unit_test(an_offset_becomes_the_address_of_its_segment),
		cmocka_unit_test(a_file_cut_short_anywhere_is_an_error),
		cmocka_unit_test(a_wrong_byte_anywhere_never_does_more_than_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
