// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of variables: on an ELF image made here for the rules, on our own program and on libc
 * against readelf, for every variable there is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "symbol_image.h"

#define GLOBAL_OBJECT ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)
#define LOCAL_OBJECT ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)
#define GLOBAL_FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)

static struct elf_symbols *read_variables(const struct elf_file *file)
{
	struct elf_symbols *symbols = NULL;

	assert_int_equal(elf_symbols_merge_variables(&file, 1, &symbols), 0);
	return symbols;
}

static struct elf_symbols *image_variables(const struct image *image)
{
	struct elf_file *file;

	assert_int_equal(elf_file_from_memory(image, sizeof(*image), &file), 0);
	struct elf_symbols *symbols = read_variables(file);
	elf_file_free(file);
	return symbols;
}

static void a_variable_covers_its_size_and_no_hole(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5100, 40, "cache_lock");
	image_add(&image, DATA, LOCAL_OBJECT, 0x5000, 8, "counter");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5200, 8, "__environ");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5200, 8, "environ");
	struct elf_symbols *symbols = image_variables(&image);
	assert_int_equal(elf_symbols_count(symbols), 3);
	assert_string_equal(name_at(symbols, 0x5000), "counter");
	assert_string_equal(name_at(symbols, 0x5008), "none");
	assert_string_equal(name_at(symbols, 0x5127), "cache_lock");
	assert_string_equal(name_at(symbols, 0x5128), "none");
	assert_string_equal(name_at(symbols, 0x5200), "environ");
	elf_symbols_free(symbols);
}

static void what_is_no_variable_here_has_no_entry(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, DATA, GLOBAL_FUNC, 0x5000, 8, "function");
	image_add(&image, TEXT, GLOBAL_OBJECT, 0x1000, 8, "constant_in_code");
	image_add(&image, DATA, ELF64_ST_INFO(STB_GLOBAL, STT_TLS), 0x5010, 8, "of_a_thread");
	image_add(&image, DATA, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 0x5000, 8, "section");
	image_add(&image, SHN_UNDEF, GLOBAL_OBJECT, 0x5020, 8, "undefined");
	image_add(&image, SHN_ABS, GLOBAL_OBJECT, 0x5030, 8, "absolute");
	image_add(&image, DATA, ELF64_ST_INFO(STB_GLOBAL, STT_COMMON), 0x5040, 8, "common");
	image_add(&image, DATA, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0x5050, 8, "assembled");
	image_add(&image, DATA, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0x5060, 0, "_edata");
	struct elf_symbols *symbols = image_variables(&image);
	assert_int_equal(elf_symbols_count(symbols), 2);
	assert_string_equal(name_at(symbols, 0x5040), "common");
	assert_string_equal(name_at(symbols, 0x5050), "assembled");
	elf_symbols_free(symbols);
	image.sections[DATA].sh_flags = SHF_ALLOC;
	symbols = image_variables(&image);
	assert_int_equal(elf_symbols_count(symbols), 0);
	elf_symbols_free(symbols);
	image.sections[DATA].sh_flags = SHF_ALLOC | SHF_WRITE | SHF_TLS;
	symbols = image_variables(&image);
	assert_int_equal(elf_symbols_count(symbols), 0);
	elf_symbols_free(symbols);
}

static void a_mark_without_size_takes_nobodys_address(void **state)
{
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, DATA, LOCAL_OBJECT, 0x5000, 0, "__TMC_END__");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5000, 8, "__lock");
	image_add(&image, DATA, LOCAL_OBJECT, 0x5004, 0, "mark");
	struct elf_symbols *symbols = image_variables(&image);
	assert_int_equal(elf_symbols_count(symbols), 1);
	assert_string_equal(name_at(symbols, 0x5004), "__lock");
	assert_string_equal(name_at(symbols, 0x5008), "none");
	elf_symbols_free(symbols);
}

static void of_variables_that_overlap_the_innermost_counts(void **state)
{
	struct elf_symbol symbol;
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5000, UINT64_MAX, "all");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5100, 0x100, "inner");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5180, 0x100, "across");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5ff8, 0x7fffffffffffffff, "last");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x4fff, UINT64_MAX, "before_its_section");
	struct elf_symbols *symbols = image_variables(&image);
	assert_int_equal(elf_symbols_count(symbols), 4);
	assert_string_equal(name_at(symbols, 0x50ff), "all");
	assert_string_equal(name_at(symbols, 0x517f), "inner");
	assert_string_equal(name_at(symbols, 0x5180), "across");
	assert_string_equal(name_at(symbols, 0x527f), "across");
	assert_string_equal(name_at(symbols, 0x5280), "all");
	assert_string_equal(name_at(symbols, 0x5fff), "last");
	assert_string_equal(name_at(symbols, 0x6000), "none");
	assert_true(elf_symbols_find(symbols, 0x5000, &symbol));
	assert_int_equal(symbol.end, 0x6000);
	elf_symbols_free(symbols);
}

static void functions_and_variables_are_apart(void **state)
{
	struct elf_symbols *functions = NULL;
	struct elf_file *file;
	struct image image;

	(void)state;
	image_init(&image);
	image_add(&image, TEXT, GLOBAL_FUNC, 0x1000, 8, "function");
	image_add(&image, DATA, GLOBAL_OBJECT, 0x5000, 8, "variable");
	assert_int_equal(elf_file_from_memory(&image, sizeof(image), &file), 0);
	assert_int_equal(elf_symbols_read(file, &functions), 0);
	struct elf_symbols *variables = read_variables(file);
	assert_int_equal(elf_symbols_count(functions), 1);
	assert_int_equal(elf_symbols_count(variables), 1);
	assert_string_equal(name_at(functions, 0x1000), "function");
	assert_string_equal(name_at(variables, 0x5000), "variable");
	elf_symbols_free(functions);
	elf_symbols_free(variables);
	elf_file_free(file);
}

/* Checks one line of `readelf -sW`: true if it is a variable that has a name here. */
static bool check_line(const struct elf_symbols *symbols, uint64_t data_start, const char *line)
{
	char type[16], section[16], name[1024];
	unsigned long long start, size;
	struct elf_symbol symbol;

	if (sscanf(line, " %*d: %llx %lli %15s %*s %*s %15s %1023s", &start, &size, type, section,
		    name) != 5 ||
		strcmp(type, "OBJECT") || !strcmp(section, "UND") || !strcmp(section, "ABS") ||
		!size || start < data_start)
		return false;
	if (!elf_symbols_find(symbols, start, &symbol) || symbol.start != start)
		fail_msg("%s at %llx has no name", name, start);
	return true;
}

/* Every variable from that address of the file on has a name; returns how many there are. */
static size_t check_with_readelf(const char *path, uint64_t data_start)
{
	_cleanup_free_ char *command = xasprintf("readelf -sW '%s' 2>/dev/null", path);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *file;
	size_t count = 0;
	char line[2048];

	assert_int_equal(elf_file_open(fd, &file), 0);
	struct elf_symbols *symbols = read_variables(file);
	FILE *readelf = popen(command, "r");
	assert_non_null(readelf);
	while (fgets(line, sizeof(line), readelf))
		count += check_line(symbols, data_start, line);
	assert_int_equal(pclose(readelf), 0);
	struct elf_extent extent = elf_file_extent(file);
	for (size_t i = 0; i < elf_symbols_count(symbols); i++)
		assert_in_range(elf_symbols_at(symbols, i).end, extent.start, extent.end);
	elf_symbols_free(symbols);
	elf_file_free(file);
	return count;
}

static int a_variable = 1;

static void every_variable_of_this_program_and_of_libc_has_a_name(void **state)
{
	char path[4096] = "";
	Dl_info info;
	void *known;

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_not_equal(dladdr(&a_variable, &info), 0);
	assert_true(
		check_with_readelf(path, (uintptr_t)&a_variable - (uintptr_t)info.dli_fbase) > 0);
	known = dlsym(RTLD_NEXT, "stdout");
	assert_int_not_equal(dladdr(known, &info), 0);
	assert_true(check_with_readelf(
			    info.dli_fname, (uintptr_t)known - (uintptr_t)info.dli_fbase) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_covers_its_size_and_no_hole),
		cmocka_unit_test(what_is_no_variable_here_has_no_entry),
		cmocka_unit_test(a_mark_without_size_takes_nobodys_address),
		cmocka_unit_test(of_variables_that_overlap_the_innermost_counts),
		cmocka_unit_test(functions_and_variables_are_apart),
		cmocka_unit_test(every_variable_of_this_program_and_of_libc_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
