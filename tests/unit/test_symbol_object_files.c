// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files behind code: deleted, written anew, copied, in a memfd, out of sight. Those that are mapped
 * here are copies of the vdso's image, the smallest ELF at hand, each with a build-id of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code_places.h"
#include "elf/file.h"
#include "symbol/vdso.h"
#include "util/mem.h"

#define PAGE 4096

/* /proc/PID/map_files, the only way to a deleted file, is for the privileged. */
static bool may_use_map_files(void)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/self/maps", "re");
	struct map_lines maps = {0};
	int fd = -1;

	assert_int_equal(map_lines_read(in, &maps, NULL), 0);
	for (size_t i = 0; i < maps.lines.count && fd < 0; i++) {
		_cleanup_free_ char *link = xasprintf("/proc/self/map_files/%lx-%lx",
			maps.lines.at[i].start, maps.lines.at[i].end);
		fd = open(link, O_PATH | O_CLOEXEC);
	}
	map_lines_clear(&maps);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct image {
	unsigned char *bytes;
	size_t count;
	unsigned char *build_id; /* in bytes */
};

static struct image *image_new(void)
{
	struct image *image = xcalloc(1, sizeof(*image));
	const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_fclose_ FILE *in = fopen("/proc/self/maps", "re");
	struct map_lines maps = {0};
	struct elf_file *file;
	unsigned char id[64];
	size_t id_bytes;

	assert_int_equal(map_lines_read(in, &maps, NULL), 0);
	vec_each (line, &maps.lines)
		if (line->start == (uintptr_t)vdso)
			image->count = line->end - line->start;
	map_lines_clear(&maps);
	assert_int_equal(vdso_open(&file), 0);
	const char *hex = elf_file_build_id(file);
	for (id_bytes = 0; hex[2 * id_bytes]; id_bytes++)
		sscanf(hex + 2 * id_bytes, "%2hhx", &id[id_bytes]);
	elf_file_free(file);
	image->bytes = xmalloc(image->count);
	memcpy(image->bytes, vdso, image->count);
	image->build_id = memmem(image->bytes, image->count, id, id_bytes);
	assert_non_null(image->build_id);
	return image;
}

static void image_free(struct image *image)
{
	free(image->bytes);
	free(image);
}

/* Maps the file and closes it. */
static char *map_fd(const struct image *image, int fd)
{
	char *mapped;

	assert_int_equal(pwrite(fd, image->bytes, image->count, 0), image->count);
	mapped = mmap(NULL, image->count, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	return mapped;
}

/* Where the image has clock_gettime. */
static size_t clock_gettime_offset(void)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	size_t offset =
		(char *)dlsym(vdso, "__vdso_clock_gettime") - (char *)getauxval(AT_SYSINFO_EHDR);

	dlclose(vdso);
	return offset;
}

static void a_deleted_file_with_an_odd_path_is_still_named(void **state)
{
	_cleanup_free_ char *folder = xstrdup("/tmp/dwell test\nXXXXXX");
	struct object_table *table = object_table_new(NULL);
	struct image *image = image_new();

	(void)state;
	assert_non_null(mkdtemp(folder));
	_cleanup_free_ char *path = xasprintf("%s/a (deleted) b", folder);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	char *mapped = map_fd(image, fd);
	struct code_maps *maps = read_maps(table, getpid());
	struct code_place place = find(maps, mapped);
	assert_int_equal(place.object->kind, CODE_FILE);
	assert_string_equal(place.object->path, path);
	assert_true(place.object->is_readable);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	/* Seen before it was deleted, named after. */
	check_name(maps, mapped + clock_gettime_offset(), "clock_gettime");
	code_maps_free(maps);
	object_table_free(table);
	if (may_use_map_files()) {
		table = object_table_new(NULL);
		maps = read_maps(table, getpid());
		check_name(maps, mapped + clock_gettime_offset(), "clock_gettime");
		assert_string_equal(find(maps, mapped).object->path, path);
		code_maps_free(maps);
		object_table_free(table);
	}
	munmap(mapped, image->count);
	image_free(image);
}

static void a_program_in_a_memfd_is_a_file(void **state)
{
	(void)state;
	if (!may_use_map_files())
		skip();
	struct object_table *table = object_table_new(NULL);
	struct image *image = image_new();
	char *mapped = map_fd(image, memfd_create("program", MFD_CLOEXEC));
	struct code_maps *maps = read_maps(table, getpid());
	struct code_place place = find(maps, mapped);
	assert_int_equal(place.object->kind, CODE_FILE);
	assert_string_equal(place.object->path, "/memfd:program");
	check_name(maps, mapped + clock_gettime_offset(), "clock_gettime");
	munmap(mapped, image->count);
	code_maps_free(maps);
	object_table_free(table);
	image_free(image);
}

static void a_file_written_anew_is_a_new_object(void **state)
{
	_cleanup_free_ char *path = xstrdup("/tmp/dwell-test-XXXXXX");
	struct object_table *table = object_table_new(NULL);
	struct image *image = image_new();
	char *first_map = map_fd(image, mkstemp(path));
	struct code_maps *maps = read_maps(table, getpid());
	struct code_object *first = find(maps, first_map).object;

	(void)state;
	assert_string_equal(first->path, path);
	code_maps_free(maps);
	munmap(first_map, image->count);
	image->build_id[0] ^= 1;
	char *second_map = map_fd(image, open(path, O_RDWR | O_CLOEXEC));
	maps = read_maps(table, getpid());
	struct code_object *second = find(maps, second_map).object;
	assert_string_equal(second->path, path);
	assert_ptr_not_equal(first, second);
	assert_int_not_equal(first->id, second->id);
	assert_string_not_equal(first->build_id, second->build_id);
	code_maps_free(maps);
	munmap(second_map, image->count);
	unlink(path);
	object_table_free(table);
	image_free(image);
}

static void copies_of_one_file_share_an_object(void **state)
{
	struct object_table *table = object_table_new(NULL);
	struct image *image = image_new();
	char first_path[] = "/tmp/dwell-test-XXXXXX", second_path[] = "/tmp/dwell-test-XXXXXX";
	char *first = map_fd(image, mkstemp(first_path));
	char *second = map_fd(image, mkstemp(second_path));
	struct code_maps *maps = read_maps(table, getpid());

	(void)state;
	assert_ptr_equal(find(maps, first).object, find(maps, second).object);
	check_name(maps, second + clock_gettime_offset(), "clock_gettime");
	code_maps_free(maps);
	munmap(first, image->count);
	munmap(second, image->count);
	unlink(first_path);
	unlink(second_path);
	object_table_free(table);
	image_free(image);
}

static void a_file_that_is_no_elf_has_file_offsets_and_no_names(void **state)
{
	struct object_table *table = object_table_new(NULL);
	char path[] = "/tmp/dwell-test-XXXXXX";
	int fd = mkstemp(path);
	uint64_t offset;

	(void)state;
	assert_int_equal(ftruncate(fd, 3 * PAGE), 0);
	char *mapped = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 2 * PAGE);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	struct code_maps *maps = read_maps(table, getpid());
	struct code_place place = find(maps, mapped + 9);
	assert_int_equal(place.object->kind, CODE_FILE);
	assert_string_equal(place.object->path, path);
	assert_false(place.object->is_readable);
	assert_int_equal(place.address, 2 * PAGE + 9);
	assert_null(code_object_name(place.object, place.address, &offset));
	assert_false(place.object->has_symbols);
	code_maps_free(maps);
	munmap(mapped, PAGE);
	unlink(path);
	object_table_free(table);
}

static size_t count_open_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void many_objects_do_not_hold_many_files_open(void **state)
{
	enum { FILES = 260 };
	char *mapped[FILES];

	(void)state;
	if (!may_use_map_files())
		skip();
	struct object_table *table = object_table_new(NULL);
	struct image *image = image_new();
	size_t before = count_open_fds();
	for (int i = 0; i < FILES; i++) {
		char path[] = "/tmp/dwell-test-XXXXXX";
		memcpy(image->build_id, &i, sizeof(i));
		mapped[i] = map_fd(image, mkstemp(path));
		unlink(path);
	}
	struct code_maps *maps = read_maps(table, getpid());
	assert_true(count_open_fds() - before <= 200);
	for (int i = 0; i < FILES; i++) {
		assert_int_equal(find(maps, mapped[i]).object->kind, CODE_FILE);
		check_name(maps, mapped[i] + clock_gettime_offset(), "clock_gettime");
		munmap(mapped[i], image->count);
	}
	code_maps_free(maps);
	object_table_free(table);
	assert_int_equal(count_open_fds(), before);
	image_free(image);
}

/* Maps a file of a file system that only this process has, and tells where. */
static void map_in_own_namespace(int tell_fd)
{
	char *mapped;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("tmpfs", "/tmp", "tmpfs", 0, NULL))
		_exit(1);
	mapped = map_fd(
		image_new(), open("/tmp/hidden program", O_RDWR | O_CREAT | O_CLOEXEC, 0700));
	if (write(tell_fd, &mapped, sizeof(mapped)) == sizeof(mapped))
		pause();
	_exit(1);
}

static void a_file_of_another_mount_namespace_is_named(void **state)
{
	int ends[2];
	char *mapped;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t child = fork();
	if (!child)
		map_in_own_namespace(ends[1]);
	close(ends[1]);
	bool is_mapped = read(ends[0], &mapped, sizeof(mapped)) == sizeof(mapped);
	close(ends[0]);
	if (is_mapped) {
		struct object_table *table = object_table_new(NULL);
		struct code_maps *maps = read_maps(table, child);
		assert_string_equal(find(maps, mapped).object->path, "/tmp/hidden program");
		check_name(maps, mapped + clock_gettime_offset(), "clock_gettime");
		code_maps_free(maps);
		object_table_free(table);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	if (!is_mapped)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deleted_file_with_an_odd_path_is_still_named),
		cmocka_unit_test(a_program_in_a_memfd_is_a_file),
		cmocka_unit_test(a_file_written_anew_is_a_new_object),
		cmocka_unit_test(copies_of_one_file_share_an_object),
		cmocka_unit_test(a_file_that_is_no_elf_has_file_offsets_and_no_names),
		cmocka_unit_test(many_objects_do_not_hold_many_files_open),
		cmocka_unit_test(a_file_of_another_mount_namespace_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
