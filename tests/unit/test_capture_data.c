// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of memory, of this process and of a child that is gone, which know best what they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/namer_data.h"
#include "util/mem.h"

#define PAGE 4096
#define IMAGE 7

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table_lock; /* in .bss */
static struct {
	char before[0x1b0];
	int lock;
} runtime = {.before = "x"};

/* Field 28 of /proc/PID/stat. */
static uint64_t start_stack_of(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/stat", pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	char line[2048] = "";
	unsigned long long start_stack = 0;

	assert_non_null(in);
	assert_non_null(fgets(line, sizeof(line), in));
	char *at = strrchr(line, ')');
	for (int field = 2; field < 28; field++)
		at = strchr(at + 1, ' ');
	assert_int_equal(sscanf(at, " %llu", &start_stack), 1);
	return start_stack;
}

static struct namer *namer_of(pid_t pid)
{
	struct namer *namer = namer_new(NULL, NULL, NULL, true);

	namer_add_image(namer, IMAGE, (uint32_t)pid, start_stack_of(pid));
	return namer;
}

static void check(struct namer *namer, const volatile void *address, enum data_kind kind,
	const char *symbol, const char *place)
{
	struct data_name name;

	namer_data(namer, IMAGE, (uintptr_t)address, &name);
	assert_string_equal(name.place, place);
	assert_string_equal(name.symbol, symbol);
	assert_int_equal(name.kind, kind);
	data_name_clear(&name);
}

static void a_variable_has_its_symbol_and_object(void **state)
{
	struct namer *namer = namer_of(getpid());

	(void)state;
	check(namer, &cache_lock, DATA_OBJECT, "cache_lock", "test_capture_data");
	check(namer, &table_lock, DATA_OBJECT, "table_lock", "test_capture_data");
	namer_free(namer);
}

static void any_word_of_a_lock_is_the_lock_and_a_large_variable_has_offsets(void **state)
{
	struct namer *namer = namer_of(getpid());

	(void)state;
	check(namer, (char *)&table_lock + 8, DATA_OBJECT, "table_lock", "test_capture_data");
	check(namer, (char *)&table_lock + 12, DATA_OBJECT, "table_lock", "test_capture_data");
	check(namer, &runtime, DATA_OBJECT, "runtime", "test_capture_data");
	check(namer, &runtime.lock, DATA_OBJECT, "runtime+0x1b0", "test_capture_data");
	namer_free(namer);
}

static void a_library_has_variables_too(void **state)
{
	struct namer *namer = namer_of(getpid());
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	(void)state;
	/* Its own, not the program's copy. */
	check(namer, dlsym(libc, "_IO_2_1_stdin_"), DATA_OBJECT, "_IO_2_1_stdin_", "libc.so.6");
	dlclose(libc);
	namer_free(namer);
}

static void memory_without_symbols_has_its_kind(void **state)
{
	struct namer *namer = namer_of(getpid());
	_cleanup_free_ char *path = xasprintf("/dev/shm/dwell-test-%d", getpid());
	_cleanup_close_ int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	int on_stack;

	(void)state;
	assert_int_equal(ftruncate(fd, PAGE), 0);
	char *file = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Sanitizers' malloc takes no memory from there. */
	assert_ptr_not_equal(sbrk(PAGE), (void *)-1);
	check(namer, &on_stack, DATA_STACK, "", "stack");
	check(namer, (char *)sbrk(0) - 1, DATA_HEAP, "", "heap");
	check(namer, file, DATA_SHARED, "", path);
	check(namer, shared, DATA_SHARED, "", "shared memory");
	check(namer, own, DATA_ANONYMOUS, "", "anonymous memory");
	check(namer, NULL, DATA_UNKNOWN, "", "");
	unlink(path);
	munmap(file, PAGE);
	munmap(shared, PAGE);
	munmap(own, PAGE);
	namer_free(namer);
}

static void a_library_that_nobody_told_of_is_looked_for(void **state)
{
	struct namer *namer = namer_of(getpid());
	char folder[] = "/tmp/dwell-test-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	_cleanup_free_ char *build = xasprintf("cd %s && echo 'int late_lock[10] = {1};' >late.c &&"
					       "gcc -shared -fPIC late.c -o late.so",
		folder);
	_cleanup_free_ char *path = xasprintf("%s/late.so", folder);
	_cleanup_free_ char *remove = xasprintf("rm -rf %s", folder);
	check(namer, &cache_lock, DATA_OBJECT, "cache_lock", "test_capture_data");
	assert_int_equal(system(build), 0);
	void *late = dlopen(path, RTLD_NOW);
	assert_non_null(late);
	check(namer, dlsym(late, "late_lock"), DATA_OBJECT, "late_lock", "late.so");
	dlclose(late);
	assert_int_equal(system(remove), 0);
	namer_free(namer);
}

static void of_a_process_that_is_gone_variables_are_known(void **state)
{
	char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();

	(void)state;
	if (!child) {
		pause();
		_exit(0);
	}
	struct namer *namer = namer_of(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check(namer, &cache_lock, DATA_OBJECT, "cache_lock", "test_capture_data");
	check(namer, own, DATA_UNKNOWN, "", "");
	check(namer, own, DATA_UNKNOWN, "", "");
	munmap(own, PAGE);
	namer_free(namer);
}

static void an_image_that_is_not_known_has_nothing(void **state)
{
	struct namer *namer = namer_of(getpid());

	(void)state;
	namer_drop_image(namer, IMAGE);
	check(namer, &cache_lock, DATA_UNKNOWN, "", "");
	namer_free(namer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_has_its_symbol_and_object),
		cmocka_unit_test(any_word_of_a_lock_is_the_lock_and_a_large_variable_has_offsets),
		cmocka_unit_test(a_library_has_variables_too),
		cmocka_unit_test(memory_without_symbols_has_its_kind),
		cmocka_unit_test(a_library_that_nobody_told_of_is_looked_for),
		cmocka_unit_test(of_a_process_that_is_gone_variables_are_known),
		cmocka_unit_test(an_image_that_is_not_known_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
