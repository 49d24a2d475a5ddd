// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ways to what belongs to others: errands and parsers answer as this process itself would, what
 * is not to be touched is not, and a parser has no rights left to abuse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/facts.h"
#include "elf/pack.h"
#include "elf/symbols.h"
#include "symbol/outside/errand.h"
#include "symbol/jit.h"
#include "symbol/names.h"
#include "symbol/object.h"
#include "symbol/outside/outside.h"
#include "symbol/outside/parser.h"
#include "util/mem.h"

#define PAGES_BYTES (ERRAND_PAGES * ERRAND_PAGE_BYTES)

static struct outside start(void)
{
	struct outside outside = {0};
	struct why why;

	if (outside_init(&outside, &why))
		fail_msg("%s", why.text);
	return outside;
}

static int open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void parsers_answer_as_this_process_would(void **state)
{
	struct outside outside = start();
	_cleanup_close_ int fd = open_self();
	struct elf_facts facts, own_facts;
	struct cfi_table table, own_table;
	struct object_names *names, *own_names;
	uint64_t start_there, start_here, address = 0;

	(void)state;
	memset(&facts, 0, sizeof(facts));
	memset(&own_facts, 0, sizeof(own_facts));
	assert_int_equal(parser_facts(outside.parsers, fd, &facts), 0);
	assert_int_equal(parser_facts(NULL, fd, &own_facts), 0);
	assert_memory_equal(&facts, &own_facts, sizeof(facts));
	assert_true(facts.segment_count && facts.has_symbols);

	assert_int_equal(parser_table(outside.parsers, fd, &table), 0);
	assert_int_equal(parser_table(NULL, fd, &own_table), 0);
	assert_int_equal(table.row_count, own_table.row_count);
	assert_memory_equal(table.rows, own_table.rows, table.row_count * sizeof(*table.rows));
	cfi_table_clear(&table);
	cfi_table_clear(&own_table);

	assert_int_equal(parser_names(outside.parsers, fd, -1, &names), 0);
	assert_int_equal(parser_names(NULL, fd, -1, &own_names), 0);
	for (uint32_t i = 0; i < facts.segment_count; i++)
		for (address = facts.segments[i].vaddr;
			address < facts.segments[i].vaddr + facts.segments[i].bytes;
			address += 64) {
			const char *there = object_names_find(names, address, &start_there);
			const char *here = object_names_find(own_names, address, &start_here);
			assert_int_equal(!there, !here);
			if (there)
				assert_string_equal(there, here);
		}
	object_names_free(names);
	object_names_free(own_names);
	_cleanup_free_ char *text = parser_demangle(outside.parsers, "_ZN5space4nameEv");
	assert_string_equal(text, "space::name");
	assert_null(parser_demangle(outside.parsers, "_Zzz"));
	assert_null(parser_demangle(outside.parsers, "plain"));
	outside_clear(&outside);
}

static void parsers_find_variables_too(void **state)
{
	struct outside outside = start();
	_cleanup_close_ int fd = open_self();
	struct object_names *names, *own_names;
	struct elf_facts facts;
	size_t found = 0;

	(void)state;
	assert_int_equal(parser_facts(outside.parsers, fd, &facts), 0);
	assert_int_equal(parser_variables(outside.parsers, fd, -1, &names), 0);
	assert_int_equal(parser_variables(NULL, fd, -1, &own_names), 0);
	for (uint64_t at = facts.extent.start; at < facts.extent.end; at += 4) {
		struct elf_symbol there, here;
		bool is_there = object_names_symbol(names, at, &there);
		assert_int_equal(is_there, object_names_symbol(own_names, at, &here));
		if (is_there)
			assert_string_equal(there.name, here.name);
		found += is_there;
	}
	assert_true(found > 0);
	object_names_free(names);
	object_names_free(own_names);
	outside_clear(&outside);
}

static void parsers_find_functions_by_name(void **state)
{
	struct outside outside = start();
	_cleanup_close_ int fd = open_self();
	uint64_t there = 0, here = 1;

	(void)state;
	assert_int_equal(parser_function(outside.parsers, fd, "main", &there), 0);
	assert_int_equal(parser_function(NULL, fd, "main", &here), 0);
	assert_int_equal(there, here);
	assert_true(there > 0);
	assert_int_equal(parser_function(outside.parsers, fd, "no_such_function", &there), -ENOENT);
	assert_int_equal(parser_function(outside.parsers, fd, "", &there), -ENOENT);
	_cleanup_close_ int none = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	assert_int_equal(parser_function(outside.parsers, none, "main", &there), -ENOEXEC);
	outside_clear(&outside);
}

static void parsers_find_places_to_probe(void **state)
{
	struct outside outside = start();
	_cleanup_close_ int fd = open_self();
	struct parser_function *there, *here;
	size_t there_count = 0, here_count = 0;
	(void)state;

	assert_int_equal(
		parser_functions(outside.parsers, fd, "elf_u*", 0, &there, &there_count), 0);
	assert_int_equal(parser_functions(NULL, fd, "elf_u*", 0, &here, &here_count), 0);
	assert_int_equal(there_count, here_count);
	assert_true(there_count > 1);
	for (size_t i = 0; i < there_count; i++) {
		assert_string_equal(there[i].name, here[i].name);
		assert_int_equal(there[i].offset, here[i].offset);
		assert_int_equal(there[i].place, here[i].place);
		assert_int_equal(there[i].is_emulated, here[i].is_emulated);
		assert_true(there[i].is_emulated || there[i].place == there[i].start);
		assert_true(there[i].start >= there[i].offset);
	}
	parser_functions_free(there, there_count);
	parser_functions_free(here, here_count);
	assert_int_equal(parser_functions(outside.parsers, fd, "no_such*", 0, &there, &there_count),
		-ENOENT);
	_cleanup_free_ char *near = parser_function_near(outside.parsers, fd, "elf_file_opem");
	assert_non_null(near);
	assert_int_equal(strncmp(near, "elf_file_open", 13), 0);
	assert_null(parser_function_near(outside.parsers, fd, "qqqqqqqqqqqqqqqqqqqqqqqq"));
	outside_clear(&outside);
}

static void parsers_say_what_may_be_probed_within(void **state)
{
	struct outside outside = start();
	_cleanup_close_ int fd = open_self();
	struct parser_function *main_function;
	struct elf_offset there, here;
	size_t count, fits = 0, within = 0;
	(void)state;

	assert_int_equal(
		parser_functions(outside.parsers, fd, "main", 0, &main_function, &count), 0);
	assert_int_equal(count, 1);
	assert_true(main_function->bytes > 16);
	for (uint64_t wanted = 1; wanted <= main_function->bytes; wanted++) {
		assert_int_equal(
			parser_offset(outside.parsers, fd, main_function, wanted, &there), 0);
		assert_int_equal(parser_offset(NULL, fd, main_function, wanted, &here), 0);
		assert_memory_equal(&there, &here, sizeof(there));
		fits += there.kind == ELF_OFFSET_FITS;
		within += there.kind == ELF_OFFSET_WITHIN;
	}
	assert_true(fits > 3 && within > fits);
	assert_int_equal(there.kind, ELF_OFFSET_BEHIND);
	assert_int_equal(there.bytes, main_function->bytes);
	parser_functions_free(main_function, count);
	outside_clear(&outside);
}

static void functions_of_cxx_are_found_by_what_people_call_them(void **state)
{
	struct outside outside = start();
	_cleanup_close_ int fd =
		open("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", O_RDONLY | O_CLOEXEC);
	struct parser_function *found;
	size_t count;
	(void)state;

	if (fd >= 0) {
		assert_int_equal(
			parser_functions(outside.parsers, fd, "*", 0, &found, &count), -E2BIG);
		assert_true(count > 1024);
		assert_int_equal(parser_functions(outside.parsers, fd, "std::logic_error::what", 1,
					 &found, &count),
			0);
		assert_int_equal(count, 1);
		assert_string_equal(found[0].name, "std::logic_error::what");
		assert_string_equal(found[0].symbol, "_ZNKSt11logic_error4whatEv");
		parser_functions_free(found, count);
		assert_int_equal(parser_functions(outside.parsers, fd, "_ZNKSt11logic_error4whatEv",
					 1, &found, &count),
			0);
		parser_functions_free(found, count);
		assert_int_equal(parser_functions(outside.parsers, fd, "std::no_such_name", 1,
					 &found, &count),
			-ENOENT);
	}
	outside_clear(&outside);
}

static void parsers_find_probes_of_authors(void **state)
{
	static const char *const files[] = {
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/python3"};
	struct outside outside = start();
	struct elf_usdt_place *there, *here;
	struct elf_usdt_name *names;
	size_t there_count, here_count, count;
	_cleanup_close_ int self = open_self();
	(void)state;

	assert_int_equal(parser_usdt_names(outside.parsers, self, &names, &count), 0);
	assert_int_equal(count, 0);
	elf_usdt_names_free(names, count);
	assert_int_equal(parser_usdt(outside.parsers, self, "libc", "setjmp", &there, &there_count),
		-ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_close_ int fd = open(files[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0 || parser_usdt_names(outside.parsers, fd, &names, &count))
			continue;
		for (size_t j = 0; j < count; j++) {
			_cleanup_free_ char *provider =
				xstrndup(names[j].text, strcspn(names[j].text, ":"));
			const char *name = names[j].text + strlen(provider) + 1;
			assert_int_equal(parser_usdt(outside.parsers, fd, provider, name, &there,
						 &there_count),
				0);
			assert_int_equal(
				parser_usdt(NULL, fd, provider, name, &here, &here_count), 0);
			assert_int_equal(there_count, here_count);
			assert_int_equal(there_count, names[j].place_count);
			assert_memory_equal(there, here, here_count * sizeof(*here));
			free(there);
			free(here);
		}
		elf_usdt_names_free(names, count);
	}
	outside_clear(&outside);
}

static void what_is_no_program_is_told_as_such(void **state)
{
	struct outside outside = start();
	struct elf_facts facts;
	char path[] = "/tmp/dwell-outside-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);

	(void)state;
	unlink(path);
	assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
	assert_int_equal(parser_facts(outside.parsers, fd, &facts), -ENOEXEC);
	outside_clear(&outside);
}

static void files_that_are_no_files_are_not_opened(void **state)
{
	static const char *const made_up[] = {"/proc/self/maps", "/proc/kallsyms"};
	struct outside outside = start();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(made_up); i++) {
		_cleanup_close_ int path_fd = open(made_up[i], O_PATH | O_CLOEXEC);
		assert_int_equal(
			errand_open(outside.errands, 0, path_fd, LOCATE_FOR_TABLES), -ENOTSUP);
	}
	_cleanup_close_ int good = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	_cleanup_close_ int fd = errand_open(outside.errands, 0, good, LOCATE_FOR_NAMES);
	assert_true(fd >= 0);
	outside_clear(&outside);
}

static void a_leased_file_is_not_waited_for(void **state)
{
	struct outside outside = start();
	char path[] = "/tmp/dwell-outside-XXXXXX";
	int made = mkstemp(path);

	(void)state;
	signal(SIGIO, SIG_IGN);
	close(made);
	_cleanup_close_ int leased = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int path_fd = open(path, O_PATH | O_CLOEXEC);
	unlink(path);
	if (fcntl(leased, F_SETLEASE, F_WRLCK))
		skip();
	assert_int_equal(errand_open(outside.errands, 0, path_fd, LOCATE_FOR_TABLES), -EWOULDBLOCK);
	outside_clear(&outside);
}

static void only_own_written_memory_is_read(void **state)
{
	struct outside outside = start();
	char *memory =
		mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared =
		mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	_cleanup_close_ int fd = open_self();
	char *file = mmap(NULL, PAGES_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	_cleanup_free_ char *pages = xcalloc(1, PAGES_BYTES);
	uint32_t tid = (uint32_t)getpid();

	(void)state;
	assert_true(memory != MAP_FAILED && shared != MAP_FAILED && file != MAP_FAILED);
	madvise(memory, PAGES_BYTES, MADV_NOHUGEPAGE);
	strcpy(memory + ERRAND_PAGE_BYTES, "written");
	strcpy(shared, "shared");
	assert_int_equal(file[1], 'E');
	/* Of four pages the second was written. */
	assert_int_equal(errand_memory(outside.errands, tid, tid, (uintptr_t)memory, pages), 2);
	assert_string_equal(pages + ERRAND_PAGE_BYTES, "written");
	assert_int_equal(errand_memory(outside.errands, tid, tid, (uintptr_t)shared, pages), 0);
	assert_int_equal(errand_memory(outside.errands, tid, tid, (uintptr_t)file, pages), 0);
	assert_int_equal(errand_memory(outside.errands, tid, tid, 0, pages), 0);
	munmap(memory, PAGES_BYTES);
	munmap(shared, PAGES_BYTES);
	munmap(file, PAGES_BYTES);
	outside_clear(&outside);
}

static void first_pages_of_several_stacks_come_by_one_question(void **state)
{
	struct outside outside = start();
	char *memory =
		mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	_cleanup_free_ char *pages = xcalloc(ERRAND_STACKS, ERRAND_STACK_PAGES * ERRAND_PAGE_BYTES);
	uint32_t pid = (uint32_t)getpid(), read[ERRAND_STACKS];

	(void)state;
	assert_true(memory != MAP_FAILED);
	madvise(memory, PAGES_BYTES, MADV_NOHUGEPAGE);
	strcpy(memory, "first");
	strcpy(memory + 3 * ERRAND_PAGE_BYTES, "fourth");
	const struct errand_stack stacks[] = {{pid, pid, (uintptr_t)memory}, {pid, pid, 0},
		{pid, pid, (uintptr_t)memory + 2 * ERRAND_PAGE_BYTES}};
	assert_true(errand_stacks(outside.errands, stacks, ARRAY_SIZE(stacks), read, pages));
	assert_int_equal(read[0], 1);
	assert_int_equal(read[1], 0);
	assert_int_equal(read[2], 2);
	assert_string_equal(pages, "first");
	assert_string_equal(pages + (2 * ERRAND_STACK_PAGES + 1) * ERRAND_PAGE_BYTES, "fourth");
	munmap(memory, PAGES_BYTES);
	outside_clear(&outside);
}

static void mappings_come_as_text(void **state)
{
	struct outside outside = start();
	uint32_t pid = (uint32_t)getpid();
	_cleanup_fclose_ FILE *in = NULL;
	struct map_lines lines = {0};
	FILE *none;

	(void)state;
	assert_int_equal(errand_maps(outside.errands, pid, pid, &in), 0);
	assert_int_equal(map_lines_read(in, &lines, NULL), 0);
	assert_true(lines.lines.count > 2);
	map_lines_clear(&lines);
	assert_int_equal(errand_maps(outside.errands, INT32_MAX, INT32_MAX, &none), -ENOENT);
	outside_clear(&outside);
}

static void signal_children(int number)
{
	char path[64];
	int child;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	if (!in)
		skip();
	while (fscanf(in, "%d", &child) == 1)
		kill(child, number);
}

static void silence_ends_with_its_process(void **state)
{
	struct outside outside = start();
	uint32_t pid = (uint32_t)getpid();
	FILE *in = NULL;

	(void)state;
	assert_int_equal(errand_maps(outside.errands, pid, pid, &in), 0);
	fclose(in);
	signal_children(SIGSTOP);
	assert_int_equal(errand_maps(outside.errands, pid, pid, &in), -ETIMEDOUT);
	signal_children(SIGCONT);
	/* Nobody is asked. */
	assert_int_equal(errand_maps(outside.errands, pid, pid, &in), -ETIMEDOUT);
	errands_forget(outside.errands, pid);
	assert_int_equal(errand_maps(outside.errands, pid, pid, &in), 0);
	fclose(in);
	outside_clear(&outside);
}

/* In a parser's process, before its first job. */
static int try_to_break_out(volatile int *shared)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	(void)shared;
	if (parser_helpers.prepare())
		return 1;
	if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EPERM)
		return 2;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
		return 3;
	if (syscall(SYS_capget, &header, data) != -1)
		return 4;
	if (fork() >= 0)
		return 5;
	if (kill(getppid(), 0) != -1)
		return 6;
	/* Memory is bounded. */
	if (mmap(NULL, 8ULL << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		MAP_FAILED)
		return 7;
	/* Last: the memory that was shared is gone. */
	*shared = 1;
	return 8;
}

static void a_parser_cannot_break_out(void **state)
{
	int *shared = mmap(
		NULL, ERRAND_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_true(shared != MAP_FAILED);
	pid_t child = fork();
	if (!child) {
		signal(SIGSEGV, SIG_DFL);
		_exit(try_to_break_out(shared));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFSIGNALED(status))
		fail_msg("step %d went wrong", WEXITSTATUS(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_int_equal(*shared, 0);
	munmap(shared, ERRAND_PAGE_BYTES);
}

static void a_parser_that_lies_is_not_believed(void **state)
{
	_cleanup_close_ int fd = open_self();
	struct elf_facts facts;
	struct elf_bytes bytes = {0};
	struct object_names *names, *back;
	uint64_t refused = 0, accepted = 0;

	(void)state;
	assert_int_equal(parser_facts(NULL, fd, &facts), 0);
	struct elf_facts wrong = facts;
	wrong.segment_count = ELF_MAX_SEGMENTS + 1;
	assert_false(elf_facts_are_sound(&wrong));
	wrong = facts;
	wrong.segments[0].bytes = UINT64_MAX;
	assert_false(elf_facts_are_sound(&wrong));
	wrong = facts;
	wrong.extent.start = wrong.extent.end + 1;
	assert_false(elf_facts_are_sound(&wrong));
	wrong = facts;
	memset(wrong.build_id, 'a', sizeof(wrong.build_id));
	assert_false(elf_facts_are_sound(&wrong));
	wrong = facts;
	wrong.has_link = true;
	strcpy(wrong.link.name, "../../etc/shadow");
	assert_false(elf_facts_are_sound(&wrong));

	/* Each byte changed, each length: refused, or all look-ups stay inside. */
	assert_int_equal(parser_names(NULL, fd, -1, &names), 0);
	object_names_pack(names, &bytes);
	object_names_free(names);
	for (size_t i = 0; i < bytes.bytes.count; i += 1 + i / 16) {
		char was = bytes.bytes.at[i];
		uint64_t found;
		bytes.bytes.at[i] = (char)(was ^ 0x81);
		struct elf_cursor at = {bytes.bytes.at, bytes.bytes.count};
		if (!object_names_unpack(&at, NULL, &back)) {
			accepted++;
			for (uint64_t j = 0; j < 1 << 20; j += 997)
				object_names_find(back, j, &found);
			object_names_free(back);
		} else {
			refused++;
		}
		bytes.bytes.at[i] = was;
		at = (struct elf_cursor){bytes.bytes.at, i};
		assert_int_equal(object_names_unpack(&at, NULL, &back), -EBADMSG);
	}
	assert_true(refused > 0 && accepted > 0);
	vec_clear(&bytes.bytes);
}

static void names_have_one_budget(void **state)
{
	struct outside small = {.names = {.left_bytes = 1000}};
	struct object_table *table = object_table_new(&small);
	struct code_maps *maps;
	struct code_place place;
	uint64_t offset;

	(void)state;
	assert_int_equal(code_maps_read(table, (uint32_t)getpid(), &maps), 0);
	assert_true(code_maps_find(maps, (uintptr_t)names_have_one_budget, &place));
	assert_null(code_object_name(place.object, place.address, &offset));
	assert_int_equal(place.object->lack, CODE_LACK_ROOM);
	/* The vdso may have had room. */
	assert_true(small.names.left_bytes <= 1000);
	code_maps_free(maps);
	object_table_free(table);
}

static void perf_maps_share_the_budget(void **state)
{
	struct outside small = {.names = {.left_bytes = 100000}};
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%d.map", (int)getpid());
	_cleanup_fclose_ FILE *out = fopen(path, "we");
	struct jit_map *first, *second;
	uint64_t offset;

	(void)state;
	assert_non_null(out);
	for (int i = 0; i < 100000; i++)
		fprintf(out, "%x 10 function_number_%d\n", 0x1000 + i * 16, i);
	fflush(out);
	assert_int_equal(jit_map_read(&small, (uint32_t)getpid(), &first), 0);
	assert_true(small.names.left_bytes < 1000);
	assert_int_equal(jit_map_read(&small, (uint32_t)getpid(), &second), 0);
	assert_string_equal(jit_map_name(first, 0x1000, &offset), "function_number_0");
	assert_null(jit_map_name(first, 0x1000 + 99999 * 16, &offset));
	jit_map_free(first);
	jit_map_free(second);
	assert_int_equal(small.names.left_bytes, 100000);
	unlink(path);
}

/* Lines of 32 bytes: a piece ends with a line, which must not be taken for the end. */
static void perf_maps_longer_than_a_piece_are_read_whole(void **state)
{
	enum { LINES = 600000 };
	_Static_assert(LINES * 32ULL > ERRAND_PERF_MAP_BYTES, "more than a piece");
	struct outside here = OUTSIDE_HERE;
	_cleanup_free_ char *path = xasprintf("/tmp/perf-%d.map", (int)getpid());
	_cleanup_fclose_ FILE *out = fopen(path, "we");
	struct jit_map *map;
	uint64_t offset;

	(void)state;
	assert_non_null(out);
	for (int i = 0; i < LINES; i++)
		fprintf(out, "%08x 10 a_function_%08d\n", 0x1000 + i * 16, i);
	fflush(out);
	assert_int_equal(ftell(out), LINES * 32L);
	assert_int_equal(jit_map_read(&here, (uint32_t)getpid(), &map), 0);
	assert_string_equal(jit_map_name(map, 0x1000, &offset), "a_function_00000000");
	assert_string_equal(
		jit_map_name(map, 0x1000 + (LINES - 1) * 16, &offset), "a_function_00599999");
	assert_int_equal(jit_map_refresh(map), 0);
	jit_map_free(map);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsers_answer_as_this_process_would),
		cmocka_unit_test(parsers_find_variables_too),
		cmocka_unit_test(parsers_find_functions_by_name),
		cmocka_unit_test(parsers_find_places_to_probe),
		cmocka_unit_test(parsers_say_what_may_be_probed_within),
		cmocka_unit_test(functions_of_cxx_are_found_by_what_people_call_them),
		cmocka_unit_test(parsers_find_probes_of_authors),
		cmocka_unit_test(what_is_no_program_is_told_as_such),
		cmocka_unit_test(files_that_are_no_files_are_not_opened),
		cmocka_unit_test(a_leased_file_is_not_waited_for),
		cmocka_unit_test(only_own_written_memory_is_read),
		cmocka_unit_test(first_pages_of_several_stacks_come_by_one_question),
		cmocka_unit_test(mappings_come_as_text),
		cmocka_unit_test(silence_ends_with_its_process),
		cmocka_unit_test(a_parser_cannot_break_out),
		cmocka_unit_test(a_parser_that_lies_is_not_believed),
		cmocka_unit_test(names_have_one_budget),
		cmocka_unit_test(perf_maps_share_the_budget),
		cmocka_unit_test(perf_maps_longer_than_a_piece_are_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
