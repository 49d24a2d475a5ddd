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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_where_it_is),
		cmocka_unit_test(of_several_versions_the_default_is_meant),
		cmocka_unit_test(a_choice_at_the_start_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
