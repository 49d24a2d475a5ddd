// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables of whole ELF files, made by hand: good ones, compressed ones, those of other
 * machines, and damaged ones: cut anywhere, with sections that overlap or leave the file, with any
 * byte changed, cut or deleted while they are open. Images are heap blocks of exactly their size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cfi_sample.h"
#include "elf/cfi/cfi_pack.h"
#include "elf/file.h"

#define PLT 0x12000
#define MARK 24 /* the CFA offset that proves that the function was found */
#define NAMES "\0.text\0.eh_frame\0.debug_frame\0.shstrtab\0.plt\0.plt.got"
enum {
	NAME_TEXT = 1,
	NAME_EH = 7,
	NAME_DEBUG = 17,
	NAME_NAMES = 30,
	NAME_PLT = 40,
	NAME_PLT_GOT = 45
};
enum { SECTION_TEXT = 1, SECTION_FRAMES, SECTION_NAMES, SECTION_PLT, SECTION_PLT_GOT, SECTIONS };

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[SECTIONS];
	char names[sizeof(NAMES)];
	VEC(unsigned char) frames;
};

static void make_image(struct image *image, bool is_debug)
{
	struct sample sample = {0};

	*image = (struct image){
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct image, segment),
			.e_shoff = offsetof(struct image, sections),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = SECTIONS,
			.e_shstrndx = SECTION_NAMES},
		/* Its bytes are nobody's business: the whole file could be text. */
		.segment = {.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = TEXT,
			.p_filesz = TEXT_END - TEXT,
			.p_memsz = TEXT_END - TEXT},
		.sections = {[SECTION_TEXT] = {.sh_name = NAME_TEXT,
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				     .sh_addr = TEXT,
				     .sh_size = 0x1000},
			[SECTION_FRAMES] = {.sh_name = is_debug ? NAME_DEBUG : NAME_EH,
				.sh_type = SHT_PROGBITS,
				.sh_addr = is_debug ? 0 : SAMPLE_VADDR,
				.sh_offset = offsetof(struct image, frames)},
			[SECTION_NAMES] = {.sh_name = NAME_NAMES,
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct image, names),
				.sh_size = sizeof(NAMES)},
			[SECTION_PLT] = {.sh_name = NAME_PLT,
				.sh_type = SHT_PROGBITS,
				.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				.sh_addr = PLT,
				.sh_size = 0x1000},
			[SECTION_PLT_GOT] = {.sh_name = NAME_PLT_GOT,
				.sh_type = SHT_PROGBITS,
				.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				.sh_addr = PLT + 0x1000,
				.sh_size = 8}},
		.names = NAMES,
	};
	if (is_debug) {
		const unsigned char frames[] = {17, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0x78,
			16, 0x0c, 7, MARK, 0x90, 1, 0, 0, 0, /* the FDE: */ 24, 0, 0, 0, 0, 0, 0,
			0};
		const uint64_t bounds[2] = {TEXT, 0x1000};
		vec_append(&image->frames, frames, sizeof(frames));
		vec_append(&image->frames, (const unsigned char *)bounds, sizeof(bounds));
		vec_append(&image->frames, "\0\0\0\0", 4);
	} else {
		sample_cie(&sample, "zR", CIE_USUAL);
		sample_fde(&sample, TEXT, 0x1000, B(0x0e, MARK));
		vec_append(&image->frames, sample.bytes.at, sample.bytes.count);
		sample_clear(&sample);
	}
	image->sections[SECTION_FRAMES].sh_size = image->frames.count;
}

/* The image as bytes, which the caller frees; the frames are at its end. */
static unsigned char *image_bytes(const struct image *image, size_t *ret_count)
{
	size_t head = offsetof(struct image, frames);
	unsigned char *bytes = xmalloc(head + image->frames.count);

	memcpy(bytes, image, head);
	memcpy(bytes + head, image->frames.at, image->frames.count);
	*ret_count = head + image->frames.count;
	return bytes;
}

/* Reads a copy of exactly this size; a table that comes out must be sound. */
static int read_bytes(
	const unsigned char *bytes, size_t count, struct why *why, bool *ret_is_marked)
{
	unsigned char *copy = xmalloc(count ? count : 1);
	struct cfi_table table;
	struct elf_file *file;
	int err;

	memcpy(copy, bytes, count);
	err = elf_file_from_memory(copy, count, &file);
	if (!err) {
		err = cfi_table_read(file, &table, why);
		if (!err) {
			assert_true(cfi_table_is_sound(&table));
			*ret_is_marked = cfi_table_find(&table, TEXT + 0x123).cfa_offset == MARK;
			cfi_table_clear(&table);
		}
		elf_file_free(file);
	}
	free(copy);
	return err;
}

static int read_image(const struct image *image, struct why *why)
{
	bool is_marked = false;
	size_t count;
	unsigned char *bytes = image_bytes(image, &count);
	int err = read_bytes(bytes, count, why, &is_marked);

	free(bytes);
	assert_true(err || is_marked);
	return err;
}

static void either_section_makes_a_table(void **state)
{
	struct image image;

	(void)state;
	for (int is_debug = 0; is_debug < 2; is_debug++) {
		make_image(&image, is_debug);
		assert_int_equal(read_image(&image, NULL), 0);
		vec_clear(&image.frames);
	}
}

/* Packs the frames behind the header that says how. */
static void compress_frames(struct image *image, uint32_t type, uint64_t claimed_bytes)
{
	Elf64_Chdr header = {.ch_type = type, .ch_size = claimed_bytes, .ch_addralign = 8};
	unsigned char packed[512];
	uLongf zlib_count = sizeof(packed);
	size_t count;

	if (type == 2) {
		count = ZSTD_compress(
			packed, sizeof(packed), image->frames.at, image->frames.count, 3);
		assert_false(ZSTD_isError(count));
	} else {
		assert_int_equal(
			compress(packed, &zlib_count, image->frames.at, image->frames.count), Z_OK);
		count = zlib_count;
	}
	image->frames.count = 0;
	vec_append(&image->frames, (const unsigned char *)&header, sizeof(header));
	vec_append(&image->frames, packed, count);
	image->sections[SECTION_FRAMES].sh_size = image->frames.count;
	image->sections[SECTION_FRAMES].sh_flags = SHF_COMPRESSED;
}

static void a_compressed_section_is_unpacked(void **state)
{
	struct image image;

	(void)state;
	for (uint32_t type = 1; type <= 2; type++) {
		make_image(&image, true);
		compress_frames(&image, type, image.frames.count);
		assert_int_equal(read_image(&image, NULL), 0);
		vec_clear(&image.frames);
	}
}

static void a_compressed_section_that_lies_is_refused(void **state)
{
	const struct {
		uint32_t type;
		int64_t more;
		int err;
	} lies[] = {{1, 1, -EBADMSG}, {1, -1, -EBADMSG}, {2, 1, -EBADMSG}, {2, -1, -EBADMSG},
		{1, 1LL << 40, -E2BIG}, {2, INT64_MAX, -E2BIG}, {3, 0, -ENOTSUP}};
	struct image image;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		make_image(&image, true);
		compress_frames(&image, lies[i].type, image.frames.count + (uint64_t)lies[i].more);
		assert_int_equal(read_image(&image, NULL), lies[i].err);
		vec_clear(&image.frames);
	}
}

static void another_machine_is_a_clear_error(void **state)
{
	struct why why = {""};
	struct image image;

	(void)state;
	make_image(&image, false);
	image.header.e_machine = EM_AARCH64;
	assert_int_equal(read_image(&image, &why), -ENOTSUP);
	assert_non_null(strstr(why.text, "x86-64"));
	vec_clear(&image.frames);
}

static void what_is_missing_is_said(void **state)
{
	struct why why = {""};
	struct image image;

	(void)state;
	make_image(&image, false);
	image.sections[SECTION_FRAMES].sh_name = NAME_TEXT;
	assert_int_equal(read_image(&image, &why), -ENOENT);
	assert_non_null(strstr(why.text, "no call frame information"));
	/* Free Pascal's programs have an empty one. */
	image.sections[SECTION_FRAMES].sh_name = NAME_EH;
	image.sections[SECTION_FRAMES].sh_size = 0;
	assert_int_equal(read_image(&image, &why), -ENOENT);
	image.sections[SECTION_FRAMES].sh_size = image.frames.count;
	image.segment.p_flags = PF_R;
	assert_int_equal(read_image(&image, &why), -ENOENT);
	assert_non_null(strstr(why.text, "no code"));
	vec_clear(&image.frames);
}

static void sections_that_overlap_or_leave_the_file_do_no_harm(void **state)
{
	const uint64_t numbers[] = {
		0, 1, 63, 64, 4096, UINT32_MAX, INT64_MAX, UINT64_MAX - 8, UINT64_MAX};
	bool is_marked;

	(void)state;
	for (int section = SECTION_TEXT; section < SECTIONS; section++)
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
			for (size_t j = 0; j < ARRAY_SIZE(numbers); j++) {
				struct image image;
				size_t count;
				make_image(&image, false);
				image.sections[section].sh_offset = numbers[i];
				image.sections[section].sh_size = numbers[j];
				if (section == SECTION_TEXT)
					image.sections[section].sh_addr = numbers[i];
				unsigned char *bytes = image_bytes(&image, &count);
				read_bytes(bytes, count, NULL, &is_marked);
				free(bytes);
				vec_clear(&image.frames);
			}
}

static void segments_that_overlap_or_span_the_world_do_no_harm(void **state)
{
	const uint64_t numbers[] = {0, 1, 4095, TEXT, UINT32_MAX, INT64_MAX, UINT64_MAX - TEXT};
	bool is_marked;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		for (size_t j = 0; j < ARRAY_SIZE(numbers); j++) {
			struct image image;
			size_t count;
			make_image(&image, false);
			image.segment.p_vaddr = numbers[i];
			image.segment.p_filesz = numbers[j];
			unsigned char *bytes = image_bytes(&image, &count);
			read_bytes(bytes, count, NULL, &is_marked);
			free(bytes);
			vec_clear(&image.frames);
		}
}

static void a_file_cut_short_anywhere_does_no_harm(void **state)
{
	bool is_marked;

	(void)state;
	for (int is_debug = 0; is_debug < 2; is_debug++) {
		struct image image;
		size_t count;
		make_image(&image, is_debug);
		unsigned char *bytes = image_bytes(&image, &count);
		for (size_t i = 0; i < count; i++)
			read_bytes(bytes, i, NULL, &is_marked);
		free(bytes);
		vec_clear(&image.frames);
	}
}

static void any_byte_changed_does_no_harm(void **state)
{
	bool is_marked;

	(void)state;
	for (int is_debug = 0; is_debug < 2; is_debug++) {
		struct image image;
		size_t count;
		make_image(&image, is_debug);
		unsigned char *bytes = image_bytes(&image, &count);
		for (size_t i = 0; i < count; i++) {
			unsigned char was = bytes[i];
			for (unsigned int bit = 1; bit < 512; bit <<= 1) {
				bytes[i] = (unsigned char)(bit < 256 ? was ^ bit : 0xff);
				read_bytes(bytes, count, NULL, &is_marked);
			}
			bytes[i] = was;
		}
		free(bytes);
		vec_clear(&image.frames);
	}
}

static void a_file_cut_while_it_is_open_is_an_error_not_a_signal(void **state)
{
	int fd = memfd_create("cut", MFD_CLOEXEC);
	struct cfi_table table;
	struct elf_file *file;
	struct image image;
	size_t count;

	(void)state;
	make_image(&image, false);
	unsigned char *bytes = image_bytes(&image, &count);
	assert_int_equal(write(fd, bytes, count), count);
	assert_int_equal(elf_file_open(fd, &file), 0);
	assert_int_equal(ftruncate(fd, (off_t)count - 8), 0);
	assert_int_equal(cfi_table_read(file, &table, NULL), -EBADMSG);
	elf_file_free(file);
	/* Written anew while it is open: its first state, its second, or an error. */
	assert_int_equal(pwrite(fd, bytes, count, 0), count);
	assert_int_equal(elf_file_open(fd, &file), 0);
	memset(bytes + count - image.frames.count, 0xff, image.frames.count);
	assert_int_equal(pwrite(fd, bytes, count, 0), count);
	assert_int_not_equal(cfi_table_read(file, &table, NULL), 0);
	elf_file_free(file);
	free(bytes);
	vec_clear(&image.frames);
	close(fd);
}

static void a_file_deleted_while_it_is_open_is_read(void **state)
{
	char path[] = "/tmp/dwell-cfi.XXXXXX";
	int fd = mkstemp(path);
	struct cfi_table table;
	struct elf_file *file;
	struct image image;
	size_t count;

	(void)state;
	make_image(&image, false);
	unsigned char *bytes = image_bytes(&image, &count);
	assert_int_equal(write(fd, bytes, count), count);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(elf_file_open(fd, &file), 0);
	assert_int_equal(cfi_table_read(file, &table, NULL), 0);
	assert_int_equal(cfi_table_find(&table, TEXT).cfa_offset, MARK);
	cfi_table_clear(&table);
	elf_file_free(file);
	free(bytes);
	vec_clear(&image.frames);
	close(fd);
}

static void check_plt(const struct image *image, int32_t first)
{
	struct cfi_table table;
	struct elf_file *file;
	size_t count;
	unsigned char *bytes = image_bytes(image, &count);

	assert_int_equal(elf_file_from_memory(bytes, count, &file), 0);
	assert_int_equal(cfi_table_read(file, &table, NULL), 0);
	assert_int_equal(cfi_table_find(&table, PLT).cfa_kind, UNWIND_CFA_SP);
	assert_int_equal(cfi_table_find(&table, PLT).cfa_offset, first);
	if (first == 16) {
		assert_int_equal(cfi_table_find(&table, PLT + 6).cfa_offset, 24);
		assert_int_equal(cfi_table_find(&table, PLT + 16).cfa_kind, UNWIND_CFA_PLT);
		assert_int_equal(cfi_table_find(&table, PLT + 0xfff).cfa_offset, 11);
	}
	assert_int_equal(cfi_table_find(&table, PLT + 0x1007).cfa_kind, UNWIND_CFA_SP);
	assert_int_equal(cfi_table_find(&table, PLT + 0x1007).cfa_offset, 8);
	assert_int_equal(cfi_table_find(&table, PLT + 0x1008).cfa_kind, UNWIND_CFA_GAP);
	cfi_table_clear(&table);
	elf_file_free(file);
	free(bytes);
}

static void a_plt_that_nobody_describes_is_known_all_the_same(void **state)
{
	struct image image;
	struct sample sample = {0};

	(void)state;
	make_image(&image, false);
	check_plt(&image, 16);
	/* It is described, from its start or from before it. */
	image.sections[SECTION_TEXT].sh_size = PLT - TEXT;
	for (uint32_t before = 0; before <= 4; before += 4) {
		sample_cie(&sample, "zR", CIE_USUAL);
		sample_fde(&sample, TEXT, 0x1000, B(0x0e, MARK));
		sample_fde(&sample, PLT - before, 0x1000 + before, B(0x0e, 40));
		image.frames.count = 0;
		vec_append(&image.frames, sample.bytes.at, sample.bytes.count);
		image.sections[SECTION_FRAMES].sh_size = image.frames.count;
		check_plt(&image, 40);
		sample_clear(&sample);
	}
	vec_clear(&image.frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(either_section_makes_a_table),
		cmocka_unit_test(a_plt_that_nobody_describes_is_known_all_the_same),
		cmocka_unit_test(a_compressed_section_is_unpacked),
		cmocka_unit_test(a_compressed_section_that_lies_is_refused),
		cmocka_unit_test(another_machine_is_a_clear_error),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(sections_that_overlap_or_leave_the_file_do_no_harm),
		cmocka_unit_test(segments_that_overlap_or_span_the_world_do_no_harm),
		cmocka_unit_test(a_file_cut_short_anywhere_does_no_harm),
		cmocka_unit_test(any_byte_changed_does_no_harm),
		cmocka_unit_test(a_file_cut_while_it_is_open_is_an_error_not_a_signal),
		cmocka_unit_test(a_file_deleted_while_it_is_open_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
