// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places and names in real processes: this one and its children, with code of every kind mapped on
 * purpose. The truth is the loader's (dlsym, dladdr) or our own knowledge of what we mapped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code_places.h"
#include "util/mem.h"

#define PAGE 4096

static __attribute__((noinline)) int a_static_function(int number)
{
	__asm__ volatile("");
	return number + 1;
}

static void a_static_function_of_the_program_has_its_name(void **state)
{
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps = read_maps(table, getpid());
	struct code_place place = find(maps, (const void *)(uintptr_t)a_static_function);
	char path[4096] = "";
	uint64_t offset;

	(void)state;
	assert_int_equal(a_static_function(1), 2);
	check_name(maps, (const void *)(uintptr_t)a_static_function, "a_static_function");
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(place.object->kind, CODE_FILE);
	assert_string_equal(place.object->path, path);
	assert_true(place.object->is_readable);
	assert_true(place.object->has_symbols);
	assert_int_not_equal(strlen(place.object->build_id), 0);
	assert_string_equal(
		code_object_name(place.object, place.address + 1, &offset), "a_static_function");
	assert_int_equal(offset, 1);
	code_maps_free(maps);
	object_table_free(table);
}

static void a_libc_function_has_the_name_and_address_that_the_loader_knows(void **state)
{
	static const char *const names[] = {"getpid", "poll", "select", "nanosleep", "fdatasync",
		"sem_wait", "clock_nanosleep", "epoll_wait", "wait4", "write", "fork"};
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps = read_maps(table, getpid());
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	Dl_info info;

	(void)state;
	assert_non_null(libc);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *address = dlsym(libc, names[i]);
		assert_int_not_equal(dladdr(address, &info), 0);
		assert_int_equal(find(maps, address).address, address - (char *)info.dli_fbase);
		check_name(maps, address, names[i]);
	}
	dlclose(libc);
	code_maps_free(maps);
	object_table_free(table);
}

static void the_vdso_is_named_from_memory(void **state)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);

	(void)state;
	if (!vdso)
		skip();
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps = read_maps(table, getpid());
	const char *address = dlsym(vdso, "__vdso_clock_gettime");
	struct code_place place = find(maps, address);
	assert_int_equal(place.object->kind, CODE_VDSO);
	assert_string_equal(place.object->path, "[vdso]");
	assert_int_equal(place.address, address - (char *)getauxval(AT_SYSINFO_EHDR));
	check_name(maps, address, "clock_gettime");
	dlclose(vdso);
	code_maps_free(maps);
	object_table_free(table);
}

static void code_without_a_file_keeps_its_raw_address(void **state)
{
	struct object_table *table = object_table_new(NULL);
	int fd = memfd_create("jit", MFD_CLOEXEC);
	char *anonymous =
		mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t offset;

	(void)state;
	assert_int_equal(ftruncate(fd, PAGE), 0);
	char *memfd = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	close(fd);
	assert_ptr_not_equal(anonymous, MAP_FAILED);
	assert_ptr_not_equal(memfd, MAP_FAILED);
	struct code_maps *maps = read_maps(table, getpid());
	char *const regions[] = {anonymous, shared, memfd};
	for (size_t i = 0; i < ARRAY_SIZE(regions); i++) {
		struct code_place place = find(maps, regions[i] + 5);
		assert_int_equal(place.object->kind, CODE_ANONYMOUS);
		assert_int_equal(place.address, (uintptr_t)regions[i] + 5);
		assert_ptr_equal(place.object, find(maps, anonymous).object);
		assert_null(code_object_name(place.object, place.address, &offset));
		munmap(regions[i], PAGE);
	}
	code_maps_free(maps);
	object_table_free(table);
}

static void memory_that_is_not_code_is_no_place(void **state)
{
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps = read_maps(table, getpid());
	struct code_place place;
	int on_stack = 0;

	(void)state;
	assert_false(code_maps_find(maps, (uintptr_t)&on_stack, &place));
	assert_false(code_maps_find(maps, 0, &place));
	assert_false(code_maps_find(maps, 0x800000000000, &place));
	code_maps_free(maps);
	object_table_free(table);
}

static void names_outlive_their_process_and_objects_are_shared(void **state)
{
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps = NULL, *own;
	pid_t child = fork();

	(void)state;
	if (!child) {
		pause();
		_exit(0);
	}
	maps = read_maps(table, child);
	kill(child, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	/* Dead, but not waited for. */
	assert_int_equal(code_maps_read(table, (uint32_t)child, &own), -ESRCH);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(code_maps_read(table, (uint32_t)child, &own), -ESRCH);
	check_name(maps, (const void *)(uintptr_t)a_static_function, "a_static_function");
	own = read_maps(table, getpid());
	assert_ptr_equal(find(own, (const void *)(uintptr_t)a_static_function).object,
		find(maps, (const void *)(uintptr_t)a_static_function).object);
	code_maps_free(own);
	code_maps_free(maps);
	object_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_static_function_of_the_program_has_its_name),
		cmocka_unit_test(a_libc_function_has_the_name_and_address_that_the_loader_knows),
		cmocka_unit_test(the_vdso_is_named_from_memory),
		cmocka_unit_test(code_without_a_file_keeps_its_raw_address),
		cmocka_unit_test(memory_that_is_not_code_is_no_place),
		cmocka_unit_test(names_outlive_their_process_and_objects_are_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
