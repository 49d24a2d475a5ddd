// SPDX-License-Identifier: GPL-2.0-or-later
/* Where functions begin, by their names: in this test's own program, and in the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/file.h"
#include "elf/function.h"

__attribute__((noinline, noclone)) static void a_function_of_this_test(void)
{
	__asm__ volatile("" ::: "memory");
}

static int offset_in(const char *path, const char *name, uint64_t *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *file;

	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(fd, &file), 0);
	int error = elf_function_offset(file, name, ret);
	elf_file_free(file);
	close(fd);
	return error;
}

/* The bytes at the offset are those of the function in memory. */
static void check_code(const char *path, uint64_t offset, const void *function)
{
	unsigned char bytes[16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, bytes, sizeof(bytes), (off_t)offset), sizeof(bytes));
	close(fd);
	assert_memory_equal(bytes, function, sizeof(bytes));
}

static void a_function_is_found_where_it_is(void **state)
{
	uint64_t offset;
	(void)state;

	a_function_of_this_test();
	assert_int_equal(offset_in("/proc/self/exe", "a_function_of_this_test", &offset), 0);
	check_code("/proc/self/exe", offset, (const void *)(uintptr_t)a_function_of_this_test);
	assert_int_equal(offset_in("/proc/self/exe", "a_function_of_this", &offset), -ENOENT);
	assert_int_equal(offset_in("/proc/self/exe", "", &offset), -ENOENT);
}

/* pthread_cond_wait has two versions in glibc; programs are linked with the default. */
static void of_several_versions_the_default_is_meant(void **state)
{
	Dl_info info;
	uint64_t offset;
	void *function = dlvsym(RTLD_DEFAULT, "pthread_cond_wait", "GLIBC_2.3.2");
	(void)state;

	if (!function || !dladdr(function, &info))
		skip();
	assert_int_equal(offset_in(info.dli_fname, "pthread_cond_wait", &offset), 0);
	check_code(info.dli_fname, offset, function);
}

static void a_choice_at_the_start_is_told(void **state)
{
	Dl_info info;
	uint64_t offset;
	(void)state;

	if (!dladdr((const void *)(uintptr_t)getppid, &info))
		skip();
	assert_int_equal(offset_in(info.dli_fname, "strlen", &offset), -ENOTSUP);
}

static struct elf_file *open_elf(const char *path, int *ret_fd)
{
	struct elf_file *file;

	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(*ret_fd >= 0);
	assert_int_equal(elf_file_open(*ret_fd, &file), 0);
	return file;
}

/* Two more that the patterns below match, one of them by two names. */
void dwell_pattern_one(void);
void dwell_pattern_two(void);
void __dwell_pattern_two(void);
__attribute__((noinline, noclone)) void dwell_pattern_one(void)
{
	__asm__ volatile("nop" ::: "memory");
}
__attribute__((noinline, noclone)) void dwell_pattern_two(void)
{
	__asm__ volatile("nop; nop" ::: "memory");
}
void __dwell_pattern_two(void) __attribute__((alias("dwell_pattern_two")));

static void patterns_find_each_place_once(void **state)
{
	struct elf_function *found;
	size_t count;
	uint64_t offset;
	int fd;
	struct elf_file *file = open_elf("/proc/self/exe", &fd);
	(void)state;

	assert_int_equal(elf_function_find(file, "*dwell_pattern_*", &found, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(found[0].name, "dwell_pattern_one");
	assert_string_equal(found[1].name, "dwell_pattern_two");
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(elf_function_offset(file, found[i].name, &offset), 0);
		assert_int_equal(found[i].offset, offset);
		assert_true(found[i].bytes > 0);
	}
	elf_functions_free(found, count);
	assert_int_equal(elf_function_find(file, "__dwell_pattern_tw?", &found, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(found[0].name, "__dwell_pattern_two");
	elf_functions_free(found, count);
	assert_int_equal(elf_function_find(file, "no_such_*", &found, &count), -ENOENT);
	assert_int_equal(elf_function_find(file, "", &found, &count), -ENOENT);
	elf_file_free(file);
	close(fd);
}

static void of_the_c_library_patterns_take_what_programs_call(void **state)
{
	struct elf_function *found = NULL;
	size_t count = 0;
	uint64_t offset;
	Dl_info info;
	int fd;
	(void)state;

	if (!dladdr((const void *)(uintptr_t)getppid, &info))
		skip();
	struct elf_file *file = open_elf(info.dli_fname, &fd);
	assert_int_equal(elf_function_find(file, "pthread_cond_wait", &found, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(elf_function_offset(file, "pthread_cond_wait", &offset), 0);
	assert_int_equal(found[0].offset, offset);
	elf_functions_free(found, count);
	assert_int_equal(elf_function_find(file, "strlen", &found, &count), -ENOTSUP);
	count = 0;
	assert_int_equal(elf_function_find(file, "*", &found, &count), -E2BIG);
	assert_true(count > ELF_FUNCTION_MAX_FOUND);
	elf_file_free(file);
	close(fd);
}

static void near_names_are_told(void **state)
{
	int fd;
	struct elf_file *file = open_elf("/proc/self/exe", &fd);
	(void)state;

	char *near = elf_function_near(file, "dwel_patern_one");
	assert_non_null(near);
	assert_int_equal(strncmp(near, "dwell_pattern_one", 17), 0);
	free(near);
	assert_null(elf_function_near(file, "qqqqqqqqqqqqqqqqqqqq"));
	elf_file_free(file);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_where_it_is),
		cmocka_unit_test(of_several_versions_the_default_is_meant),
		cmocka_unit_test(a_choice_at_the_start_is_told),
		cmocka_unit_test(patterns_find_each_place_once),
		cmocka_unit_test(of_the_c_library_patterns_take_what_programs_call),
		cmocka_unit_test(near_names_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
