// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The function table: on an ELF image made here, symbol by symbol, for the rules of choice and
 * reach; on our own program and on libc against readelf, for every function there is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "symbol_image.h"
#include "util/map64.h"

static struct elf_symbols *image_symbols(const struct image *image)
{
	struct elf_symbols *symbols = NULL;
	struct elf_file *file;

	assert_int_equal(elf_file_from_memory(image, sizeof(*image), &file), 0);
	assert_int_equal(elf_symbols_read(file, &symbols), 0);
	elf_file_free(file);
	return symbols;
}

#define GLOBAL_FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNC ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define GLOBAL_LABEL ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)
#define WEAK_FUNC ELF64_ST_INFO(STB_WEAK, STT_FUNC)

static void a_sized_function_covers_its_size_and_no_hole(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1100, 0x20, "second");
	image_add(&image, TEXT, LOCAL_FUNC, 0x1000, 0x10, "first");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1ff0, 0x1000, "beyond_the_section");
	struct elf_symbols *symbols = image_symbols(&image);
	assert_int_equal(elf_symbols_count(symbols), 3);
	assert_string_equal(name_at(symbols, 0xfff), "none");
	assert_string_equal(name_at(symbols, 0x1000), "first");
	assert_string_equal(name_at(symbols, 0x100f), "first");
	assert_string_equal(name_at(symbols, 0x1010), "none");
	assert_string_equal(name_at(symbols, 0x111f), "second");
	assert_string_equal(name_at(symbols, 0x1120), "none");
	assert_string_equal(name_at(symbols, 0x1fff), "beyond_the_section");
	assert_string_equal(name_at(symbols, 0x2000), "none");
	elf_symbols_free(symbols);
}

static void a_function_without_size_ends_at_the_next_one_of_its_section(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1000, 0, "first");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1800, 0, "last");
	image_add(&image, MORE_TEXT, GLOBAL_FUNC, 0x3800, 8, "elsewhere");
	struct elf_symbols *symbols = image_symbols(&image);
	assert_string_equal(name_at(symbols, 0x17ff), "first");
	assert_string_equal(name_at(symbols, 0x1800), "last");
	assert_string_equal(name_at(symbols, 0x1fff), "last");
	assert_string_equal(name_at(symbols, 0x2000), "none");
	assert_string_equal(name_at(symbols, 0x37ff), "none");
	assert_string_equal(name_at(symbols, 0x3800), "elsewhere");
	elf_symbols_free(symbols);
}

static void of_several_names_the_best_is_kept(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1000, 0, "sizeless");
	image_add(&image, TEXT, WEAK_FUNC, 0x1000, 8, "__sized");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1100, 8, "__poll");
	image_add(&image, TEXT, WEAK_FUNC, 0x1100, 8, "poll");
	image_add(&image, TEXT, WEAK_FUNC, 0x1200, 8, "bcmp");
	image_add(&image, TEXT, LOCAL_FUNC, 0x1200, 8, "cmp");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1200, 8, "memcmp");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1300, 8, "open64");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1300, 8, "open");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1400, 8, "bb");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1400, 8, "aa");
	struct elf_symbols *symbols = image_symbols(&image);
	assert_int_equal(elf_symbols_count(symbols), 5);
	assert_string_equal(name_at(symbols, 0x1000), "__sized");
	assert_string_equal(name_at(symbols, 0x1100), "poll");
	assert_string_equal(name_at(symbols, 0x1200), "memcmp");
	assert_string_equal(name_at(symbols, 0x1300), "open");
	assert_string_equal(name_at(symbols, 0x1400), "aa");
	elf_symbols_free(symbols);
}

static void an_entry_inside_a_function_does_not_end_it(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1000, 0x100, "outer");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1010, 0x10, "inner");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1018, 0x20, "across");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1080, 0x10, "late");
	struct elf_symbols *symbols = image_symbols(&image);
	assert_string_equal(name_at(symbols, 0x100f), "outer");
	assert_string_equal(name_at(symbols, 0x1010), "inner");
	assert_string_equal(name_at(symbols, 0x101f), "across");
	assert_string_equal(name_at(symbols, 0x1037), "across");
	assert_string_equal(name_at(symbols, 0x1038), "outer");
	assert_string_equal(name_at(symbols, 0x1080), "late");
	assert_string_equal(name_at(symbols, 0x1090), "outer");
	assert_string_equal(name_at(symbols, 0x1100), "none");
	elf_symbols_free(symbols);
}

static void what_is_no_function_here_has_no_entry(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0x1000, 8, "object");
	image_add(&image, SHN_UNDEF, GLOBAL_FUNC, 0x1100, 8, "undefined");
	image_add(&image, SHN_ABS, GLOBAL_FUNC, 0x1200, 8, "absolute");
	image_add(&image, DATA, GLOBAL_FUNC, 0x5000, 8, "in_data");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x3000, 8, "outside_its_section");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1300, 8, "");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1400, 8, "@only_a_version");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1500, 8, "name@@VERSION");
	image_add(&image, TEXT, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 0x1600, 8, "chooser");
	struct elf_symbols *symbols = image_symbols(&image);
	assert_int_equal(elf_symbols_count(symbols), 2);
	assert_string_equal(name_at(symbols, 0x1500), "name");
	assert_string_equal(name_at(symbols, 0x1600), "chooser");
	elf_symbols_free(symbols);
}

static int read_error(const struct image *image)
{
	struct elf_symbols *symbols = NULL;
	struct elf_file *file;
	int err;

	assert_int_equal(elf_file_from_memory(image, sizeof(*image), &file), 0);
	err = elf_symbols_read(file, &symbols);
	elf_file_free(file);
	if (err)
		assert_null(symbols);
	elf_symbols_free(symbols);
	return err;
}

static void a_damaged_table_is_an_error(void **state)
{
	struct image image, good;

	(void)state;
	image_init(&good);
	image_add(&good, TEXT, GLOBAL_FUNC, 0x1000, 8, "function");
	assert_int_equal(read_error(&good), 0);
	image = good;
	image.sections[SYMTAB].sh_size = 1 << 20;
	assert_int_equal(read_error(&image), -EBADMSG);
	image.sections[SYMTAB].sh_size = UINT64_MAX;
	assert_int_equal(read_error(&image), -E2BIG);
	image = good;
	image.sections[SYMTAB].sh_entsize = 1;
	assert_int_equal(read_error(&image), -EBADMSG);
	image = good;
	image.sections[SYMTAB].sh_link = TEXT;
	assert_int_equal(read_error(&image), -EBADMSG);
	image.sections[SYMTAB].sh_link = 999;
	assert_int_equal(read_error(&image), -EBADMSG);
	image = good;
	image.sections[STRTAB].sh_offset = UINT64_MAX - 8;
	assert_int_equal(read_error(&image), -EBADMSG);
	image = good;
	image.header.e_shnum = 60000;
	assert_int_equal(read_error(&image), -EBADMSG);
}

static void a_name_that_runs_out_of_its_table_is_cut(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1000, 8, "function");
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1100, 8, "outside");
	image.symbols[2].st_name = 4000;
	image.sections[STRTAB].sh_size = 5;
	struct elf_symbols *symbols = image_symbols(&image);
	assert_int_equal(elf_symbols_count(symbols), 1);
	assert_string_equal(name_at(symbols, 0x1000), "func");
	elf_symbols_free(symbols);
}

static void a_file_without_symbols_has_an_empty_table(void **state)
{
	struct elf_symbol symbol;
	struct image image;

	(void)state;
	image_init(&image);
	image.header.e_shnum = 0;
	image.header.e_shoff = 0;
	struct elf_symbols *symbols = image_symbols(&image);
	assert_int_equal(elf_symbols_count(symbols), 0);
	assert_false(elf_symbols_find(symbols, 0x1000, &symbol));
	elf_symbols_free(symbols);
}

static void functions_of_several_files_are_one_table(void **state)
{
	struct image stripped, debug, damaged;
	const struct elf_file *files[3];
	struct elf_symbols *symbols = NULL;
	struct image *const images[] = {&damaged, &stripped, &debug};

	(void)state;
	image_init(&stripped);
	image_add(&stripped, TEXT, GLOBAL_FUNC, 0x1000, 0x10, "exported");
	image_init(&debug);
	image_add(&debug, TEXT, LOCAL_FUNC, 0x1000, 0x10, "exported_too");
	image_add(&debug, TEXT, LOCAL_FUNC, 0x1010, 0x10, "hidden");
	damaged = debug;
	damaged.sections[SYMTAB].sh_size = 1 << 20;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		struct elf_file *file;
		assert_int_equal(elf_file_from_memory(images[i], sizeof(*images[i]), &file), 0);
		files[i] = file;
	}
	assert_int_equal(elf_symbols_merge(files, 1, NULL, &symbols), -EBADMSG);
	assert_int_equal(elf_symbols_merge(files, 3, NULL, &symbols), 0);
	assert_int_equal(elf_symbols_count(symbols), 2);
	assert_string_equal(name_at(symbols, 0x1000), "exported");
	assert_string_equal(name_at(symbols, 0x1010), "hidden");
	elf_symbols_free(symbols);
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		elf_file_free((struct elf_file *)files[i]);
}

static void a_label_is_a_function_only_if_it_has_a_size(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, GLOBAL_LABEL, 0x1000, 8, "code");
	image_add(&image, TEXT, GLOBAL_LABEL, 0x1004, 0, "mark");
	image_add(&image, TEXT, GLOBAL_LABEL, 0x1100, 8, "la");
	image_add(&image, TEXT, WEAK_FUNC, 0x1100, 8, "__function");
	struct elf_symbols *symbols = image_symbols(&image);
	assert_int_equal(elf_symbols_count(symbols), 2);
	assert_string_equal(name_at(symbols, 0x1007), "code");
	assert_string_equal(name_at(symbols, 0x1100), "__function");
	elf_symbols_free(symbols);
}

struct truth {
	const struct elf_symbols *symbols;
	struct map64 confirmed; /* starts whose name readelf has, too */
	size_t functions;
};

/* Checks one line of `readelf -sW` if it is a function of the file. */
static void check_line(struct truth *truth, const char *line)
{
	char type[16], binding[16], section[16], name[1024];
	unsigned long long start, size;
	struct elf_symbol symbol;

	if (sscanf(line, " %*d: %llx %lli %15s %15s %*s %15s %1023s", &start, &size, type, binding,
		    section, name) != 6 ||
		(strcmp(type, "FUNC") && strcmp(type, "IFUNC")) || !strcmp(section, "UND"))
		return;
	truth->functions++;
	name[strcspn(name, "@")] = '\0';
	if (!elf_symbols_find(truth->symbols, start, &symbol) || symbol.start != start)
		fail_msg("%s at %llx has no name", name, start);
	if (!strcmp(symbol.name, name))
		map64_put(&truth->confirmed, start, NULL);
	if (size && !elf_symbols_find(truth->symbols, start + size - 1, &symbol))
		fail_msg("%s at %llx does not reach its end", name, start);
}

/* Compares with readelf, function by function; returns how many there were. */
static size_t check_with_readelf(const char *path)
{
	_cleanup_free_ char *command = xasprintf("readelf -sW '%s' 2>/dev/null", path);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_symbols *symbols = NULL;
	struct truth truth = {0};
	struct elf_file *file;
	char line[2048];

	assert_int_equal(elf_file_open(fd, &file), 0);
	assert_int_equal(elf_symbols_read(file, &symbols), 0);
	truth.symbols = symbols;
	FILE *readelf = popen(command, "r");
	assert_non_null(readelf);
	while (fgets(line, sizeof(line), readelf))
		check_line(&truth, line);
	assert_int_equal(pclose(readelf), 0);
	assert_int_equal(truth.confirmed.count, elf_symbols_count(symbols));
	map64_clear(&truth.confirmed);
	elf_symbols_free(symbols);
	elf_file_free(file);
	return truth.functions;
}

static void every_function_of_libc_is_named_as_readelf_names_it(void **state)
{
	Dl_info info;

	(void)state;
	assert_int_not_equal(dladdr(dlsym(RTLD_NEXT, "gnu_get_libc_version"), &info), 0);
	assert_true(check_with_readelf(info.dli_fname) > 1500);
}

static void every_function_of_this_program_is_named_as_readelf_names_it(void **state)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	assert_true(length > 0);
	path[length] = '\0';
	assert_true(check_with_readelf(path) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sized_function_covers_its_size_and_no_hole),
		cmocka_unit_test(a_function_without_size_ends_at_the_next_one_of_its_section),
		cmocka_unit_test(of_several_names_the_best_is_kept),
		cmocka_unit_test(an_entry_inside_a_function_does_not_end_it),
		cmocka_unit_test(what_is_no_function_here_has_no_entry),
		cmocka_unit_test(a_damaged_table_is_an_error),
		cmocka_unit_test(a_name_that_runs_out_of_its_table_is_cut),
		cmocka_unit_test(a_file_without_symbols_has_an_empty_table),
		cmocka_unit_test(functions_of_several_files_are_one_table),
		cmocka_unit_test(a_label_is_a_function_only_if_it_has_a_size),
		cmocka_unit_test(every_function_of_libc_is_named_as_readelf_names_it),
		cmocka_unit_test(every_function_of_this_program_is_named_as_readelf_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
