// SPDX-License-Identifier: GPL-2.0-or-later
/* Which programs cannot be started with a library, told from their files alone; and the file that
 * others are started with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/preload_file.h"
#include "host/preload_image.h"
#include "util/io.h"
#include "util/mem.h"

#define USUAL_LOADER "/lib64/ld-linux-x86-64.so.2"

struct program {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	char loader[64];
};

/* Its second segment names its loader. */
static struct program program_with(const char *loader)
{
	struct program program = {.head = {.e_ident = ELFMAG,
					  .e_phoff = offsetof(struct program, segments),
					  .e_phentsize = sizeof(Elf64_Phdr),
					  .e_phnum = 2},
		.segments = {
			{.p_type = PT_LOAD}, {.p_type = PT_INTERP,
						     .p_offset = offsetof(struct program, loader),
						     .p_filesz = strlen(loader) + 1}}};

	program.head.e_ident[EI_CLASS] = ELFCLASS64;
	strcpy(program.loader, loader);
	return program;
}

static const char *refusal_of(const void *bytes, size_t size, mode_t mode, gid_t group)
{
	char path[] = "/tmp/dwell-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	assert_int_equal(fchown(fd, (uid_t)-1, group), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	const char *refusal = preload_refusal(path);
	unlink(path);
	return refusal;
}

static const char *refusal(const struct program *program)
{
	return refusal_of(program, sizeof(*program), 0755, getegid());
}

static void a_program_without_a_loader_is_static(void **state)
{
	struct program program = program_with(USUAL_LOADER);

	(void)state;
	assert_null(refusal(&program));
	program.head.e_phnum = 1;
	assert_string_equal(refusal(&program), "is statically linked");
	program = program_with("/lib/ld-musl-x86_64.so.1");
	assert_string_equal(refusal(&program), "is linked to musl");
	program.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_string_equal(refusal(&program), "is a 32-bit program");
}

/* The kernel says why it cannot be started, or starts an interpreter that can. */
static void what_is_no_program_is_left_to_the_kernel(void **state)
{
	struct program program = program_with(USUAL_LOADER);

	(void)state;
	assert_null(preload_refusal("/no/such/file"));
	assert_null(preload_refusal("/tmp"));
	assert_null(refusal_of("#!/bin/sh\n", 10, 0755, getegid()));
	assert_null(refusal_of(&program, sizeof(program.head) - 1, 0755, getegid()));
	program.head.e_phoff = UINT64_MAX - 8;
	assert_null(refusal(&program));
	program = program_with(USUAL_LOADER);
	program.segments[1].p_offset = sizeof(program);
	assert_null(refusal(&program));
	program.segments[1].p_filesz = UINT64_MAX;
	assert_null(refusal(&program));
	program = program_with(USUAL_LOADER);
	program.head.e_phentsize = 1;
	assert_null(refusal(&program));
}

/* Such a program's loader heeds nobody's environment. Where the rights are those that it has
 * anyway, nothing changes. */
static void only_a_change_of_rights_counts(void **state)
{
	struct program program = program_with(USUAL_LOADER);
	size_t size = sizeof(program);

	(void)state;
	assert_null(refusal_of(&program, size, 06755, getegid()));
	if (getuid())
		skip();
	assert_string_equal(refusal_of(&program, size, 02755, 12345),
		"changes its group when it starts (set-gid)");
	/* A bit that nobody may execute by once meant that locks are mandatory. */
	assert_null(refusal_of(&program, size, 02745, 12345));
	assert_null(refusal_of(&program, size, 04755, 12345));
}

static void the_file_is_the_library_and_goes_with_its_folder(void **state)
{
	char parent[] = "/tmp/dwell-test-XXXXXX";
	struct preload_file file = {0};
	struct stat status;
	struct why why;
	size_t size = (size_t)(preload_image_end - preload_image);

	(void)state;
	assert_non_null(mkdtemp(parent));
	setenv("TMPDIR", parent, 1);
	mode_t mask = umask(077);
	assert_int_equal(preload_file_make(&file, &why), 0);
	umask(mask);
	assert_memory_equal(file.path, parent, strlen(parent));
	assert_int_equal(stat(file.path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0755);
	assert_int_equal(status.st_size, size);
	assert_int_equal(stat(file.folder, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0755);
	preload_file_remove(&file);
	preload_file_remove(&file);
	assert_int_equal(rmdir(parent), 0);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_without_a_loader_is_static),
		cmocka_unit_test(what_is_no_program_is_left_to_the_kernel),
		cmocka_unit_test(only_a_change_of_rights_counts),
		cmocka_unit_test(the_file_is_the_library_and_goes_with_its_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
