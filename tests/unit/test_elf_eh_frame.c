// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk over call frame information: on records made here, byte by byte; on libc against
 * readelf, for every FDE there is; and on damaged copies, each in a heap block of exactly its size,
 * so that the sanitizers see every step outside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/eh_frame.h"
#include "elf/file.h"
#include "elf/ranges.h"
#include "elf/section.h"
#include "util/vec.h"

#define VADDR 0x10000

struct bytes {
	VEC(unsigned char) all;
};

static void add(struct bytes *bytes, uint64_t value, size_t count)
{
	vec_append(&bytes->all, (const unsigned char *)&value, count);
}

/* Begins a record; its length is set by end_record(). */
static size_t begin_record(struct bytes *bytes, uint32_t id)
{
	size_t at = bytes->all.count;

	add(bytes, 0, 4);
	add(bytes, id, 4);
	return at;
}

static void end_record(struct bytes *bytes, size_t at)
{
	uint32_t length = (uint32_t)(bytes->all.count - at - 4);

	memcpy(bytes->all.at + at, &length, 4);
}

/* Version 1, code factor 1, data factor -8, return register 16. */
static size_t add_cie(struct bytes *bytes, const char *letters, const char *data, size_t count)
{
	size_t at = begin_record(bytes, 0);

	add(bytes, 1, 1);
	vec_append(&bytes->all, (const unsigned char *)letters, strlen(letters) + 1);
	add(bytes, 1, 1);
	add(bytes, 0x78, 1);
	add(bytes, 16, 1);
	if (letters[0] == 'z')
		add(bytes, count, 1);
	vec_append(&bytes->all, (const unsigned char *)data, count);
	add(bytes, 0x0c, 1); /* an instruction */
	end_record(bytes, at);
	return at;
}

/* With pc-relative 4-byte addresses and empty augmentation data. */
static void add_fde(struct bytes *bytes, size_t cie, uint64_t start, uint32_t count)
{
	size_t at = begin_record(bytes, (uint32_t)(bytes->all.count + 4 - cie));

	add(bytes, start - (VADDR + bytes->all.count), 4);
	add(bytes, count, 4);
	add(bytes, 0, 1);
	add(bytes, 0x41, 1); /* two instructions */
	add(bytes, 0x0e, 1);
	end_record(bytes, at);
}

static struct eh_frame walk(const struct bytes *bytes)
{
	struct eh_frame frames;

	eh_frame_init(&frames, EH_FRAME_RUNTIME, bytes->all.at, bytes->all.count, VADDR);
	return frames;
}

static void an_fde_has_its_bounds_and_the_facts_of_its_cie(void **state)
{
	struct bytes bytes = {0};
	struct eh_fde fde;

	(void)state;
	size_t cie = add_cie(&bytes, "zR", "\x1b", 1);
	add_fde(&bytes, cie, 0x1000, 0x20);
	struct eh_frame frames = walk(&bytes);
	assert_true(eh_frame_next(&frames, &fde));
	assert_int_equal(fde.start, 0x1000);
	assert_int_equal(fde.end, 0x1020);
	assert_int_equal(fde.cie.offset, cie);
	assert_int_equal(fde.cie.version, 1);
	assert_int_equal(fde.cie.code_factor, 1);
	assert_int_equal(fde.cie.data_factor, -8);
	assert_int_equal(fde.cie.return_register, 16);
	assert_true(fde.cie.has_augmentation);
	assert_false(fde.cie.is_signal_frame);
	assert_int_equal(fde.cie.program_bytes, 1);
	assert_int_equal(fde.cie.program[0], 0x0c);
	assert_int_equal(fde.program_bytes, 2);
	assert_int_equal(fde.program[0], 0x41);
	assert_false(eh_frame_next(&frames, &fde));
	assert_int_equal(frames.skipped, 0);
	assert_false(frames.is_cut);
	vec_clear(&bytes.all);
}

static void each_fde_finds_its_own_cie(void **state)
{
	struct bytes bytes = {0};
	struct eh_fde fde;

	(void)state;
	size_t plain = add_cie(&bytes, "zR", "\x1b", 1);
	size_t personal = add_cie(&bytes, "zPLRS", "\x9b\1\2\3\4\x1b\x1b", 7);
	add_fde(&bytes, plain, 0x1000, 1);
	add_fde(&bytes, personal, 0x2000, 2);
	add_fde(&bytes, plain, 0x3000, 3);
	struct eh_frame frames = walk(&bytes);
	for (uint64_t i = 1; i <= 3; i++) {
		assert_true(eh_frame_next(&frames, &fde));
		assert_int_equal(fde.start, 0x1000 * i);
		assert_int_equal(fde.end, 0x1000 * i + i);
		assert_int_equal(fde.cie.offset, i == 2 ? personal : plain);
		assert_int_equal(fde.cie.is_signal_frame, i == 2);
		assert_int_equal(fde.cie.has_personality, i == 2);
		/* Where its address is: counted from the number itself, behind 16 bytes of the CIE.
		 */
		assert_int_equal(
			fde.cie.personality, i == 2 ? VADDR + personal + 20 + 0x04030201 : 0);
	}
	assert_false(eh_frame_next(&frames, &fde));
	vec_clear(&bytes.all);
}

static void the_end_mark_of_one_table_does_not_hide_the_next(void **state)
{
	struct bytes bytes = {0};
	struct eh_fde fde;

	(void)state;
	size_t cie = add_cie(&bytes, "zR", "\x1b", 1);
	add(&bytes, 0, 4);
	add_fde(&bytes, cie, 0x1000, 0x20);
	add(&bytes, 0, 4);
	struct eh_frame frames = walk(&bytes);
	assert_true(eh_frame_next(&frames, &fde));
	assert_int_equal(fde.start, 0x1000);
	assert_false(eh_frame_next(&frames, &fde));
	assert_int_equal(frames.skipped, 0);
	vec_clear(&bytes.all);
}

static void a_record_that_makes_no_sense_is_skipped(void **state)
{
	static const struct {
		const char *letters, *data;
		size_t count;
	} bad[] = {
		{"eh", "", 0},             /* of GCC 2 */
		{"zR", "\x9b", 1},         /* the address of the address */
		{"zR", "\x3b", 1},         /* relative to what only the program knows */
		{"zR", "\x0f", 1},         /* no form at all */
		{"zP", "\x00\1\2\3\4", 5}, /* cut short */
	};
	struct eh_fde fde;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct bytes bytes = {0};
		size_t good = add_cie(&bytes, "zR", "\x1b", 1);
		size_t cie = add_cie(&bytes, bad[i].letters, bad[i].data, bad[i].count);
		add_fde(&bytes, cie, 0x1000, 1);
		add_fde(&bytes, cie + 1, 0x1000, 1); /* no record there */
		add_fde(&bytes, good, 0x1000, 0);    /* empty */
		add_fde(&bytes, good, 0x2000, 1);
		add_fde(&bytes, 0 - (size_t)9, 0x2000, 1); /* before the section */
		struct eh_frame frames = walk(&bytes);
		assert_true(eh_frame_next(&frames, &fde));
		assert_int_equal(fde.start, 0x2000);
		assert_false(eh_frame_next(&frames, &fde));
		assert_int_equal(frames.skipped, 4);
		assert_false(frames.is_cut);
		vec_clear(&bytes.all);
	}
}

static void a_debug_frame_has_absolute_addresses_and_offsets(void **state)
{
	struct bytes bytes = {0};
	struct eh_frame frames;
	struct eh_fde fde;

	(void)state;
	add(&bytes, 99, 4); /* something else, skipped: an FDE of a CIE that is none */
	bytes.all.at[0] = 4;
	add(&bytes, 0, 4);
	size_t cie = begin_record(&bytes, UINT32_MAX);
	add(&bytes, 4, 1);      /* version */
	add(&bytes, 0, 1);      /* no augmentation */
	add(&bytes, 8, 1);      /* bytes of an address */
	add(&bytes, 0, 1);      /* bytes of a segment */
	add(&bytes, 4, 1);      /* code factor */
	add(&bytes, 0x7c, 1);   /* data factor */
	add(&bytes, 0x018e, 2); /* return register 142 */
	end_record(&bytes, cie);
	size_t at = begin_record(&bytes, (uint32_t)cie);
	add(&bytes, 0x401000, 8);
	add(&bytes, 0x30, 8);
	end_record(&bytes, at);
	eh_frame_init(&frames, EH_FRAME_DEBUG, bytes.all.at, bytes.all.count, 0);
	assert_true(eh_frame_next(&frames, &fde));
	assert_int_equal(fde.start, 0x401000);
	assert_int_equal(fde.end, 0x401030);
	assert_int_equal(fde.cie.code_factor, 4);
	assert_int_equal(fde.cie.data_factor, -4);
	assert_int_equal(fde.cie.return_register, 142);
	assert_false(fde.cie.has_augmentation);
	assert_int_equal(fde.program_bytes, 0);
	assert_false(eh_frame_next(&frames, &fde));
	assert_int_equal(frames.skipped, 1);
	vec_clear(&bytes.all);
}

static void a_length_beyond_the_end_ends_the_walk(void **state)
{
	struct bytes bytes = {0};
	struct eh_fde fde;

	(void)state;
	size_t cie = add_cie(&bytes, "zR", "\x1b", 1);
	add_fde(&bytes, cie, 0x1000, 0x20);
	add(&bytes, 0x7fffffff, 4);
	add(&bytes, 0, 8);
	struct eh_frame frames = walk(&bytes);
	assert_true(eh_frame_next(&frames, &fde));
	assert_false(eh_frame_next(&frames, &fde));
	assert_true(frames.is_cut);
	assert_false(eh_frame_next(&frames, &fde));
	vec_clear(&bytes.all);
}

static const char *libc_path(void)
{
	static Dl_info info;

	assert_int_not_equal(dladdr(dlsym(RTLD_NEXT, "gnu_get_libc_version"), &info), 0);
	return info.dli_fname;
}

/* The file stays open: its bytes are read through it. */
static struct elf_file *open_libc(struct elf_section *ret)
{
	struct elf_file *file;
	int fd = open(libc_path(), O_RDONLY | O_CLOEXEC);

	assert_int_equal(elf_file_open(fd, &file), 0);
	assert_int_equal(elf_section_read(file, ".eh_frame", 1 << 30, ret), 0);
	return file;
}

static void every_fde_of_libc_is_found_as_readelf_finds_it(void **state)
{
	char command[4200], line[1024];
	struct elf_section section;
	struct elf_file *file = open_libc(&section);
	struct elf_ranges *ranges = elf_ranges_read(file, NULL);
	struct eh_frame frames;
	struct elf_range range;
	struct eh_fde fde;
	size_t count = 0;

	(void)state;
	eh_frame_init(&frames, EH_FRAME_RUNTIME, section.bytes, section.count, section.vaddr);
	snprintf(command, sizeof(command), "readelf --debug-dump=frames '%s' 2>/dev/null",
		libc_path());
	FILE *readelf = popen(command, "r");
	assert_non_null(readelf);
	while (fgets(line, sizeof(line), readelf)) {
		unsigned long long start, end;
		const char *at = strstr(line, " FDE ");
		if (!at || !strstr(at, "pc=") ||
			sscanf(strstr(at, "pc="), "pc=%llx..%llx", &start, &end) != 2)
			continue;
		count++;
		assert_true(eh_frame_next(&frames, &fde));
		assert_int_equal(fde.start, start);
		assert_int_equal(fde.end, end);
		assert_true(elf_ranges_find(ranges, end - 1, &range));
		assert_int_equal(range.start, start);
		assert_int_equal(range.end, end);
	}
	/* Its status is about the other tables of the file. */
	pclose(readelf);
	assert_false(eh_frame_next(&frames, &fde));
	assert_int_equal(frames.skipped, 0);
	assert_true(count > 1000);
	assert_int_equal(elf_ranges_count(ranges), count);
	elf_ranges_free(ranges);
	elf_file_free(file);
}

/* Walks a copy and asserts that nothing in it lies outside. */
static void check_walk(const unsigned char *from, size_t count, enum eh_frame_kind kind)
{
	unsigned char *copy = xmalloc(count ? count : 1);
	struct eh_frame frames;
	struct eh_fde fde;
	size_t found = 0;

	memcpy(copy, from, count);
	eh_frame_init(&frames, kind, copy, count, VADDR);
	while (eh_frame_next(&frames, &fde)) {
		assert_true(fde.end > fde.start);
		assert_true(fde.program >= copy && fde.program_bytes <= count &&
			    fde.program + fde.program_bytes <= copy + count);
		assert_true(fde.cie.program >= copy && fde.cie.program_bytes <= count &&
			    fde.cie.program + fde.cie.program_bytes <= copy + count);
		found++;
	}
	/* A record takes four bytes at least. */
	assert_true(found + frames.skipped <= count / 4);
	free(copy);
}

static void bytes_cut_short_anywhere_are_walked_safely(void **state)
{
	struct elf_section section;
	struct elf_file *file = open_libc(&section);
	size_t most = section.count < 2000 ? section.count : 2000;

	(void)state;
	for (size_t count = 0; count <= most; count++) {
		check_walk(section.bytes, count, EH_FRAME_RUNTIME);
		check_walk(section.bytes, count, EH_FRAME_DEBUG);
	}
	elf_file_free(file);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void bytes_changed_anywhere_are_walked_safely(void **state)
{
	enum { BYTES = 1500, ROUNDS = 30000 };
	struct elf_section section;
	struct elf_file *file = open_libc(&section);
	unsigned char damaged[BYTES];
	uint32_t seed = 1;

	(void)state;
	assert_true(section.count > BYTES);
	for (int round = 0; round < ROUNDS; round++) {
		memcpy(damaged, section.bytes, BYTES);
		for (uint32_t i = next_random(&seed) % 8 + 1; i; i--)
			damaged[next_random(&seed) % BYTES] = (unsigned char)next_random(&seed);
		check_walk(damaged, BYTES - next_random(&seed) % 4,
			round % 4 ? EH_FRAME_RUNTIME : EH_FRAME_DEBUG);
	}
	elf_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_fde_has_its_bounds_and_the_facts_of_its_cie),
		cmocka_unit_test(each_fde_finds_its_own_cie),
		cmocka_unit_test(the_end_mark_of_one_table_does_not_hide_the_next),
		cmocka_unit_test(a_record_that_makes_no_sense_is_skipped),
		cmocka_unit_test(a_debug_frame_has_absolute_addresses_and_offsets),
		cmocka_unit_test(a_length_beyond_the_end_ends_the_walk),
		cmocka_unit_test(every_fde_of_libc_is_found_as_readelf_finds_it),
		cmocka_unit_test(bytes_cut_short_anywhere_are_walked_safely),
		cmocka_unit_test(bytes_changed_anywhere_are_walked_safely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
