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
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/preload_file.h"
#include "host/preload_image.h"
#include "host/preload_refusal.h"
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

/* A program with a dynamic section, whose one entry names something. */
struct linked {
	Elf64_Ehdr head;
	Elf64_Phdr segments[3];
	Elf64_Dyn entries[2];
	char names[32];
	char loader[32];
};

static struct linked linked_with(int64_t tag, const char *name)
{
	struct linked program = {.head = {.e_ident = ELFMAG,
					 .e_phoff = offsetof(struct linked, segments),
					 .e_phentsize = sizeof(Elf64_Phdr),
					 .e_phnum = 3},
		.segments = {{.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(program)},
			{.p_type = PT_INTERP,
				.p_offset = offsetof(struct linked, loader),
				.p_filesz = sizeof(USUAL_LOADER)},
			{.p_type = PT_DYNAMIC,
				.p_offset = offsetof(struct linked, entries),
				.p_filesz = sizeof(program.entries)}},
		.entries = {{.d_tag = tag, .d_un.d_val = 1},
			{.d_tag = DT_STRTAB,
				.d_un.d_ptr = 0x1000 + offsetof(struct linked, names)}},
		.loader = USUAL_LOADER};

	program.head.e_ident[EI_CLASS] = ELFCLASS64;
	strcpy(program.names + 1, name);
	return program;
}

static const char *linked_refusal(const struct linked *program)
{
	return refusal_of(program, sizeof(*program), 0755, getegid());
}

static void what_has_to_come_first_itself_is_refused(void **state)
{
	struct linked program = linked_with(DT_NEEDED, "libasan.so.8");

	(void)state;
	assert_non_null(strstr(linked_refusal(&program), "sanitizer"));
	program = linked_with(DT_NEEDED, "libc.so.6");
	assert_null(linked_refusal(&program));
	program.entries[1].d_un.d_ptr = UINT64_MAX - 4;
	assert_null(linked_refusal(&program));
	program = linked_with(DT_NEEDED, "libtsan.so.2");
	program.entries[0].d_un.d_val = UINT64_MAX;
	assert_null(linked_refusal(&program));
	/* The loader, as a command with a program behind it, is no static program. */
	program = linked_with(DT_SONAME, "ld-linux-x86-64.so.2");
	program.segments[1].p_type = PT_NULL;
	assert_null(linked_refusal(&program));
	program = linked_with(DT_SONAME, "libc.so.6");
	program.segments[1].p_type = PT_NULL;
	assert_string_equal(linked_refusal(&program), "is statically linked");
}

static char *in(const char *folder, const char *name)
{
	return xasprintf("%s/%s", folder, name);
}

static int make_in(const char *folder, char **ret)
{
	struct why why;

	*ret = NULL;
	return preload_file_make_in(&folder, 1, ret, &why);
}

static void the_file_is_the_library_for_all_to_read(void **state)
{
	char parent[] = "/tmp/dwell-test-XXXXXX";
	size_t size = (size_t)(preload_image_end - preload_image);
	struct stat status, again;
	char *path, *second;

	(void)state;
	assert_non_null(mkdtemp(parent));
	_cleanup_free_ char *folder = in(parent, "dwell");
	mode_t mask = umask(077);
	assert_int_equal(make_in(folder, &path), 0);
	umask(mask);
	assert_memory_equal(path, folder, strlen(folder));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0755);
	assert_int_equal(status.st_size, size);
	/* One that is right is taken as it is, one that is not is replaced, not written to. */
	assert_int_equal(make_in(folder, &second), 0);
	assert_string_equal(path, second);
	free(second);
	assert_int_equal(stat(path, &again), 0);
	assert_int_equal(status.st_ino, again.st_ino);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(make_in(folder, &second), 0);
	free(second);
	assert_int_equal(stat(path, &again), 0);
	assert_int_equal(again.st_size, size);
	assert_int_not_equal(status.st_ino, again.st_ino);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/bin/true", path), 0);
	assert_int_equal(make_in(folder, &second), 0);
	free(second);
	assert_int_equal(lstat(path, &again), 0);
	assert_true(S_ISREG(again.st_mode));
	unlink(path);
	free(path);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(parent), 0);
}

static void a_folder_that_others_can_write_to_will_not_do(void **state)
{
	char parent[] = "/tmp/dwell-test-XXXXXX";
	struct why why;
	char *path;

	(void)state;
	assert_non_null(mkdtemp(parent));
	_cleanup_free_ char *folder = in(parent, "dwell");
	_cleanup_free_ char *spaced = in(parent, "a b");
	_cleanup_free_ char *link = in(parent, "link");
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(chmod(folder, 0775), 0);
	assert_int_equal(make_in(folder, &path), -EACCES);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod(parent, 0777), 0);
	assert_int_equal(make_in(folder, &path), -EINVAL);
	assert_int_equal(chmod(parent, 0755), 0);
	assert_int_equal(make_in(spaced, &path), -EINVAL);
	assert_int_equal(make_in("", &path), -ENOENT);
	assert_int_equal(make_in("relative", &path), -EINVAL);
	assert_int_equal(symlink(folder, link), 0);
	assert_int_not_equal(make_in(link, &path), 0);
	unlink(link);
	if (!getuid()) {
		assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
		assert_int_equal(make_in(folder, &path), -EACCES);
		assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
	}
	/* The first that will do. */
	const char *const folders[] = {spaced, "/proc/dwell", folder};
	assert_int_equal(preload_file_make_in(folders, ARRAY_SIZE(folders), &path, &why), 0);
	assert_memory_equal(path, folder, strlen(folder));
	unlink(path);
	free(path);
	rmdir(folder);
	assert_int_equal(rmdir(parent), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_without_a_loader_is_static),
		cmocka_unit_test(what_is_no_program_is_left_to_the_kernel),
		cmocka_unit_test(only_a_change_of_rights_counts),
		cmocka_unit_test(the_file_is_the_library_for_all_to_read),
		cmocka_unit_test(a_folder_that_others_can_write_to_will_not_do),
		cmocka_unit_test(what_has_to_come_first_itself_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
