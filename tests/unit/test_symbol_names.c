// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where names come from when a program is stripped. A small program is built here and taken apart
 * with binutils, as distributions do it; the truth is the whole program's own symbol table. Each
 * case works in a folder of its own, which is gone afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/debug_link.h"
#include "elf/facts.h"
#include "elf/file.h"
#include "elf/ranges.h"
#include "elf/symbols.h"
#include "symbol/debug_file.h"
#include "symbol/names.h"
#include "symbol/object.h"
#include "symbol/outside/outside.h"
#include "util/mem.h"

/* No helpers: what is looked at is our own. */
static struct outside here = {.names = {OUTSIDE_NAMES_BYTES}};

static const char source[] =
	"static __attribute__((noinline)) int hidden(int x) { __asm__(\"\"); return x + 1; }\n"
	"__attribute__((noinline)) int visible(int x) { return hidden(x) * 3; }\n"
	"int main(int count, char **words) { (void)words; return visible(count); }\n";

/* Runs a shell command in the folder. */
__attribute__((format(printf, 2, 3))) static void sh(const char *folder, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list list;

	va_start(list, format);
	assert_true(vasprintf(&text, format, list) > 0);
	va_end(list);
	_cleanup_free_ char *command = xasprintf("cd '%s' && { %s; } >log 2>&1", folder, text);
	if (system(command))
		fail_msg("failed: %s", command);
}

static bool has_tool(const char *name)
{
	_cleanup_free_ char *command = xasprintf("command -v %s >/dev/null", name);

	return !system(command);
}

/* A folder with the program "whole" and its stripped copy "program". */
static char *make_folder(const char *options)
{
	char *folder = xstrdup("/tmp/dwell-test-XXXXXX");

	assert_non_null(mkdtemp(folder));
	_cleanup_free_ char *path = xasprintf("%s/source.c", folder);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs(source, out);
	fclose(out);
	sh(folder, "gcc -g -O1 %s source.c -o whole && strip -o program whole", options);
	return folder;
}

static void remove_folder(char *folder)
{
	_cleanup_free_ char *command = xasprintf("rm -rf '%s'", folder);

	assert_int_equal(system(command), 0);
	free(folder);
}

static struct elf_file *open_file(const char *folder, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	struct elf_file *file;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(fd, &file), 0);
	return file;
}

/* Where the whole program has a function. */
static struct elf_symbol find_symbol(const char *folder, const char *name)
{
	struct elf_file *file = open_file(folder, "whole");
	struct elf_symbol found = {0};
	struct elf_symbols *symbols;

	assert_int_equal(elf_symbols_read(file, &symbols), 0);
	for (size_t i = 0; i < elf_symbols_count(symbols); i++)
		if (!strcmp(elf_symbols_at(symbols, i).name, name))
			found = elf_symbols_at(symbols, i);
	elf_symbols_free(symbols);
	elf_file_free(file);
	assert_int_not_equal(found.start, 0);
	return found;
}

/* The separate debug file that is found for the stripped program. */
static int find_debug(const char *folder, uint32_t pid, const char *path)
{
	struct elf_file *file = open_file(folder, "program");
	struct elf_facts facts;

	elf_facts_take(file, &facts);
	int fd = debug_file_open(&here, pid, path, &facts);

	elf_file_free(file);
	return fd;
}

static int find_own_debug(const char *folder)
{
	_cleanup_free_ char *path = xasprintf("%s/program", folder);

	return find_debug(folder, (uint32_t)getpid(), path);
}

/* Asserts that "hidden" of the program has its name, with the given debug file. */
static void check_hidden(const char *folder, int debug_fd)
{
	struct elf_symbol hidden = find_symbol(folder, "hidden");
	struct elf_file *file = open_file(folder, "program"), *debug = NULL;
	uint64_t start = 0;

	if (debug_fd >= 0)
		assert_int_equal(elf_file_open(debug_fd, &debug), 0);
	struct object_names *names = object_names_read(file, debug);
	assert_true(object_names_any(names));
	const char *name = object_names_find(names, hidden.end - 1, &start);
	assert_non_null(name);
	assert_string_equal(name, "hidden");
	assert_int_equal(start, hidden.start);
	object_names_free(names);
	elf_file_free(file);
	elf_file_free(debug);
	if (debug_fd >= 0)
		close(debug_fd);
}

static void a_stripped_function_is_known_by_its_start(void **state)
{
	char *folder = make_folder("");
	struct elf_symbol hidden = find_symbol(folder, "hidden");
	struct elf_file *file = open_file(folder, "program");
	struct object_names *names = object_names_read(file, NULL);
	uint64_t start;

	(void)state;
	for (uint64_t at = hidden.start; at < hidden.end; at++) {
		assert_null(object_names_find(names, at, &start));
		assert_true(object_names_start(names, at, &start));
		assert_int_equal(start, hidden.start);
	}
	assert_true(object_names_start(names, find_symbol(folder, "visible").start, &start));
	assert_int_equal(start, find_symbol(folder, "visible").start);
	assert_false(object_names_start(names, 0, &start));
	assert_false(object_names_start(names, UINT64_MAX, &start));
	object_names_free(names);
	elf_file_free(file);
	remove_folder(folder);
}

static void a_function_without_size_ends_where_unwind_information_says(void **state)
{
	static const char assembler[] =
		".text\n.globl sizeless\n.type sizeless, @function\nsizeless:\n.cfi_startproc\n"
		"nop\nret\n.cfi_endproc\n"
		".cfi_startproc\nnop\nnop\nret\n.cfi_endproc\n"
		".globl labelled\nlabelled:\nret\n.size labelled, 1\n";
	char *folder = make_folder("");
	uint64_t start;

	(void)state;
	sh(folder, "printf '%s' >code.s && gcc -shared code.s -o whole", assembler);
	struct elf_symbol sizeless = find_symbol(folder, "sizeless");
	struct elf_symbol labelled = find_symbol(folder, "labelled");
	struct elf_file *file = open_file(folder, "whole");
	struct object_names *names = object_names_read(file, NULL);
	assert_string_equal(object_names_find(names, sizeless.start + 1, &start), "sizeless");
	assert_null(object_names_find(names, sizeless.start + 2, &start));
	assert_true(object_names_start(names, sizeless.start + 4, &start));
	assert_int_equal(start, sizeless.start + 2);
	assert_int_equal(labelled.start, sizeless.start + 5);
	assert_int_equal(labelled.end, labelled.start + 1);
	object_names_free(names);
	elf_file_free(file);
	remove_folder(folder);
}

static void without_unwind_information_a_debug_frame_tells_the_start(void **state)
{
	char *folder = make_folder("-fno-asynchronous-unwind-tables -fno-unwind-tables -gz=none");
	struct elf_symbol hidden = find_symbol(folder, "hidden");
	struct elf_range range;

	(void)state;
	sh(folder, "objcopy --only-keep-debug whole program.debug");
	struct elf_file *file = open_file(folder, "program");
	struct elf_file *debug = open_file(folder, "program.debug");
	struct elf_ranges *ranges = elf_ranges_read(file, NULL);
	assert_false(elf_ranges_find(ranges, hidden.start, &range));
	elf_ranges_free(ranges);
	ranges = elf_ranges_read(file, debug);
	assert_true(elf_ranges_find(ranges, hidden.end - 1, &range));
	assert_int_equal(range.start, hidden.start);
	assert_int_equal(range.end, hidden.end);
	elf_ranges_free(ranges);
	elf_file_free(file);
	elf_file_free(debug);
	remove_folder(folder);
}

static void a_debug_link_is_followed_to_all_its_places(void **state)
{
	static const char *const places[] = {"program.debug", ".debug/program.debug"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *folder = make_folder("-Wl,--build-id=none");
		sh(folder,
			"mkdir .debug && objcopy --only-keep-debug whole '%s' && "
			"objcopy --add-gnu-debuglink='%s' program",
			places[i], places[i]);
		int fd = find_own_debug(folder);
		assert_true(fd >= 0);
		check_hidden(folder, fd);
		remove_folder(folder);
	}
}

static void a_file_with_another_checksum_is_refused(void **state)
{
	char *folder = make_folder("-Wl,--build-id=none");

	(void)state;
	assert_int_equal(find_own_debug(folder), -1);
	sh(folder, "objcopy --only-keep-debug whole program.debug && "
		   "objcopy --add-gnu-debuglink=program.debug program && printf x >>program.debug");
	assert_int_equal(find_own_debug(folder), -1);
	sh(folder, "rm program.debug && mkfifo program.debug");
	assert_int_equal(find_own_debug(folder), -1);
	sh(folder, "rm program.debug && mkdir program.debug");
	assert_int_equal(find_own_debug(folder), -1);
	remove_folder(folder);
}

static void a_file_with_another_build_id_is_refused(void **state)
{
	char *folder = make_folder("-Wl,--build-id=0x0123456789");

	(void)state;
	sh(folder, "gcc -g -O1 -Wl,--build-id=0x9876543210 source.c -o other && "
		   "objcopy --only-keep-debug other program.debug && "
		   "objcopy --add-gnu-debuglink=program.debug program");
	assert_int_equal(find_own_debug(folder), -1);
	remove_folder(folder);
}

static void a_link_with_a_folder_in_its_name_is_refused(void **state)
{
	static const char *const names[] = {"../x", "/etc/passwd", "..", ".", ""};
	struct debug_link link;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *folder = make_folder("");
		sh(folder,
			"printf '%%s\\0\\0\\0\\0\\0\\0\\0\\0' '%s' >link && objcopy "
			"--add-section .gnu_debuglink=link program",
			names[i]);
		struct elf_file *file = open_file(folder, "program");
		assert_false(debug_link_read(file, &link));
		elf_file_free(file);
		remove_folder(folder);
	}
}

static void wait_in_root(const char *root, int tell_fd)
{
	if (chroot(root) || write(tell_fd, "x", 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

static void debug_files_are_found_in_the_process_root(void **state)
{
	static const char *const places[] = {
		"usr/lib/debug/.build-id/01/23456789.debug", "usr/lib/debug/bin/program.debug"};
	int pipe_fds[2];
	char letter;

	(void)state;
	if (getuid())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *folder = make_folder("-Wl,--build-id=0x0123456789");
		sh(folder,
			"objcopy --only-keep-debug whole program.debug && "
			"objcopy --add-gnu-debuglink=program.debug program && "
			"mkdir -p \"$(dirname root/'%s')\" && mv program.debug root/'%s'",
			places[i], places[i]);
		assert_int_equal(find_debug(folder, (uint32_t)getpid(), "/bin/program"), -1);
		_cleanup_free_ char *root = xasprintf("%s/root", folder);
		assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
		pid_t child = fork();
		if (!child)
			wait_in_root(root, pipe_fds[1]);
		assert_int_equal(read(pipe_fds[0], &letter, 1), 1);
		_cleanup_free_ char *seen_by_us = xasprintf("%s/bin/program", root);
		int fd = find_debug(folder, (uint32_t)child, "/bin/program");
		int same_fd = find_debug(folder, (uint32_t)child, seen_by_us);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		assert_true(fd >= 0);
		check_hidden(folder, fd);
		assert_true(same_fd >= 0);
		close(same_fd);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		remove_folder(folder);
	}
}

static void packed_symbols_inside_the_program_are_unpacked(void **state)
{
	(void)state;
	if (!has_tool("xz"))
		skip();
	char *folder = make_folder("");
	sh(folder, "objcopy --only-keep-debug whole mini && strip --strip-debug mini && xz mini && "
		   "objcopy --add-section .gnu_debugdata=mini.xz program");
	check_hidden(folder, -1);
	remove_folder(folder);
}

static int unpack_error(const char *folder)
{
	struct elf_file *file = open_file(folder, "program");
	size_t bytes;
	void *image;
	int err = debug_data_unpack(file, &image, &bytes);

	elf_file_free(file);
	return err;
}

static void packed_symbols_that_are_damaged_or_endless_are_refused(void **state)
{
	(void)state;
	if (!has_tool("xz"))
		skip();
	char *folder = make_folder("");
	assert_int_equal(unpack_error(folder), -ENOENT);
	sh(folder, "echo garbage >packed && objcopy --add-section .gnu_debugdata=packed program");
	assert_int_equal(unpack_error(folder), -EBADMSG);
	sh(folder, "xz -c whole | head -c 500 >packed && "
		   "objcopy --update-section .gnu_debugdata=packed program");
	assert_int_equal(unpack_error(folder), -EBADMSG);
	sh(folder, "head -c 200M /dev/zero | xz -0 >packed && "
		   "objcopy --update-section .gnu_debugdata=packed program");
	assert_int_equal(unpack_error(folder), -E2BIG);
	remove_folder(folder);
}

static void a_mapped_program_gets_names_from_its_debug_file(void **state)
{
	char *folder = make_folder("");
	struct elf_symbol hidden = find_symbol(folder, "hidden");
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps;
	struct code_place place;
	uint64_t offset, start;

	(void)state;
	sh(folder, "objcopy --only-keep-debug whole program.debug && "
		   "objcopy --add-gnu-debuglink=program.debug program");
	_cleanup_free_ char *path = xasprintf("%s/program", folder);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *mapped = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	assert_int_equal(code_maps_read(table, (uint32_t)getpid(), &maps), 0);
	/* Found when it was mapped, read when it is gone. */
	remove_folder(folder);
	assert_true(code_maps_find(maps, (uintptr_t)mapped + hidden.start, &place));
	assert_int_equal(place.address, hidden.start);
	const char *name = code_object_name(place.object, place.address + 1, &offset);
	assert_non_null(name);
	assert_string_equal(name, "hidden");
	assert_int_equal(offset, 1);
	assert_true(code_object_function(place.object, hidden.end - 1, &start));
	assert_int_equal(start, hidden.start);
	assert_true(place.object->has_symbols);
	munmap(mapped, 65536);
	code_maps_free(maps);
	object_table_free(table);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Reads a damaged image as far as it goes and asks for names all over it. */
static void read_damaged(const unsigned char *image, size_t count)
{
	struct elf_file *file;
	struct debug_link link;
	uint64_t start;

	if (elf_file_from_memory(image, count, &file))
		return;
	struct object_names *names = object_names_read(file, NULL);
	for (uint64_t address = 0; address < 2 * count; address += 64) {
		object_names_find(names, address, &start);
		object_names_start(names, address, &start);
	}
	debug_link_read(file, &link);
	object_names_free(names);
	elf_file_free(file);
}

static void a_file_changed_anywhere_is_read_safely(void **state)
{
	enum { ROUNDS = 1500 };
	char *folder = make_folder("");
	uint32_t seed = 5;

	(void)state;
	sh(folder, "objcopy --only-keep-debug whole mini && strip --strip-debug mini && "
		   "objcopy --add-gnu-debuglink=mini whole && "
		   "if command -v xz; then xz mini && objcopy --add-section .gnu_debugdata=mini.xz "
		   "whole; fi");
	_cleanup_free_ char *path = xasprintf("%s/whole", folder);
	_cleanup_fclose_ FILE *in = fopen(path, "r");
	_cleanup_free_ unsigned char *bytes = xmalloc(1 << 20);
	size_t count = fread(bytes, 1, 1 << 20, in);
	assert_true(count > 10000 && count < 1 << 20);
	remove_folder(folder);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_free_ unsigned char *damaged = xmalloc(count);
		memcpy(damaged, bytes, count);
		for (uint32_t i = next_random(&seed) % 30 + 1; i; i--) {
			/* Often in the section headers, which are last. */
			size_t reach = i % 3 ? count : 3000;
			damaged[count - 1 - next_random(&seed) % reach] =
				(unsigned char)next_random(&seed);
		}
		read_damaged(damaged, count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stripped_function_is_known_by_its_start),
		cmocka_unit_test(a_function_without_size_ends_where_unwind_information_says),
		cmocka_unit_test(without_unwind_information_a_debug_frame_tells_the_start),
		cmocka_unit_test(a_debug_link_is_followed_to_all_its_places),
		cmocka_unit_test(a_file_with_another_checksum_is_refused),
		cmocka_unit_test(a_file_with_another_build_id_is_refused),
		cmocka_unit_test(a_link_with_a_folder_in_its_name_is_refused),
		cmocka_unit_test(debug_files_are_found_in_the_process_root),
		cmocka_unit_test(packed_symbols_inside_the_program_are_unpacked),
		cmocka_unit_test(packed_symbols_that_are_damaged_or_endless_are_refused),
		cmocka_unit_test(a_file_changed_anywhere_is_read_safely),
		cmocka_unit_test(a_mapped_program_gets_names_from_its_debug_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
