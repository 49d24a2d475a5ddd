// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Variables by their addresses in a running process. A small program is built here, in ways that
 * linkers and distributions have, and says itself where its variables are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/object.h"
#include "util/mem.h"

static const char source[] =
	"#include <stdio.h>\n"
	"#include <unistd.h>\n"
	"int in_data[10] = {1};\n"
	"static int hidden[10] = {1};\n"
	"static int in_bss[10];\n"
	"static char large[0x400];\n"
	"static __thread int of_thread;\n"
	"#ifdef __cplusplus\n"
	"namespace cache { int lock; struct shelf { static int lock[2]; }; int shelf::lock[2]; }\n"
	"#define MORE &cache::lock, &cache::shelf::lock\n"
	"#else\n"
	"#define MORE NULL, NULL\n"
	"#endif\n"
	"int main(void)\n"
	"{\n"
	"	static int in_function[10];\n"
	"	printf(\"%p %p %p %p %p %p %p %p\\n\", (void *)in_data, (void *)hidden,\n"
	"		(void *)in_bss, (void *)(large + 0x1b0), (void *)in_function,\n"
	"		(void *)&of_thread, MORE);\n"
	"	fflush(stdout);\n"
	"	pause();\n"
	"	return 0;\n"
	"}\n";

enum { IN_DATA, HIDDEN, IN_BSS, LARGE, IN_FUNCTION, OF_THREAD, IN_NAMESPACE, IN_CLASS, ADDRESSES };

struct program {
	char folder[32];
	FILE *out;
	uint32_t pid;
	uint64_t at[ADDRESSES];
	struct object_table *table;
	struct code_maps *maps;
};

static void sh(const char *folder, const char *text)
{
	_cleanup_free_ char *command = xasprintf("cd '%s' && { %s; } >log 2>&1", folder, text);

	if (system(command))
		fail_msg("failed: %s", command);
}

/* Builds "program" from source.c by that command, and runs it. */
static void program_run(struct program *program, const char *build)
{
	char line[256];
	int ends[2];

	*program = (struct program){.folder = "/tmp/dwell-test-XXXXXX"};
	assert_non_null(mkdtemp(program->folder));
	_cleanup_free_ char *text = xasprintf("%s/source.c", program->folder);
	_cleanup_free_ char *path = xasprintf("%s/program", program->folder);
	FILE *file = fopen(text, "we");
	assert_non_null(file);
	fputs(source, file);
	fclose(file);
	sh(program->folder, build);
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (!child) {
		dup2(ends[1], 1);
		execl(path, path, NULL);
		_exit(1);
	}
	close(ends[1]);
	program->pid = (uint32_t)child;
	program->out = fdopen(ends[0], "re");
	assert_non_null(fgets(line, sizeof(line), program->out));
	char *at = line;
	for (size_t i = 0; i < ADDRESSES; i++) {
		at += strspn(at, " ");
		program->at[i] = strncmp(at, "(nil)", 5) ? strtoull(at, &at, 16) : 0;
		at += strcspn(at, " \n");
	}
	program->table = object_table_new(NULL);
	assert_int_equal(code_maps_read(program->table, program->pid, &program->maps), 0);
}

static void program_kill(struct program *program)
{
	if (program->pid) {
		kill((pid_t)program->pid, SIGKILL);
		waitpid((pid_t)program->pid, NULL, 0);
	}
	program->pid = 0;
}

static void program_clear(struct program *program)
{
	_cleanup_free_ char *command = xasprintf("rm -rf '%s'", program->folder);

	program_kill(program);
	fclose(program->out);
	code_maps_free(program->maps);
	object_table_free(program->table);
	assert_int_equal(system(command), 0);
}

static const char *variable_at(
	const struct program *program, uint64_t address, uint64_t *ret_offset)
{
	struct data_place place;
	uint64_t bytes;

	if (!code_maps_find_data(program->maps, address, &place))
		return "no data";
	assert_non_null(strstr(place.object->path, "/program"));
	const char *name = code_object_variable(&place, program->pid, ret_offset, &bytes);
	return name ? name : "no name";
}

static void check(const struct program *program, int number, const char *name, uint64_t offset)
{
	uint64_t found_offset = 0;

	assert_string_equal(variable_at(program, program->at[number], &found_offset), name);
	assert_int_equal(found_offset, offset);
}

static void check_all(const struct program *program)
{
	uint64_t offset;

	check(program, IN_DATA, "in_data", 0);
	check(program, HIDDEN, "hidden", 0);
	check(program, IN_BSS, "in_bss", 0);
	check(program, LARGE, "large", 0x1b0);
	assert_string_equal(variable_at(program, program->at[IN_BSS] + 39, &offset), "in_bss");
	assert_int_equal(offset, 39);
	assert_string_equal(variable_at(program, program->at[OF_THREAD], &offset), "no data");
	assert_string_equal(variable_at(program, 0, &offset), "no data");
	assert_string_equal(variable_at(program, UINT64_MAX, &offset), "no data");
}

static void variables_have_names_however_a_program_is_linked(void **state)
{
	static const char *const builds[] = {"gcc -O1 -fpie -pie source.c -o program",
		"gcc -O1 -no-pie source.c -o program", "gcc -O1 -static source.c -o program",
		"gcc -O1 -static-pie source.c -o program",
		"gcc -O1 -no-pie -Wl,-Ttext-segment=0x10000000 -Wl,-Tdata=0x8000000 "
		"source.c -o program",
		"gcc -O1 -Wl,--build-id=none source.c -o program",
		"gcc -g -O1 source.c -o whole && objcopy --only-keep-debug whole whole.debug && "
		"strip -o program whole && objcopy --add-gnu-debuglink=whole.debug program"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(builds); i++) {
		struct program program;

		print_message("%s\n", builds[i]);
		program_run(&program, builds[i]);
		check_all(&program);
		program_clear(&program);
	}
}

static void names_of_cpp_are_as_people_wrote_them(void **state)
{
	struct program program;

	(void)state;
	program_run(&program, "g++ -O1 -x c++ source.c -o program");
	check_all(&program);
	check(&program, IN_NAMESPACE, "cache::lock", 0);
	check(&program, IN_CLASS, "cache::shelf::lock", 0);
	check(&program, IN_FUNCTION, "main::in_function", 0);
	program_clear(&program);
}

static void a_stripped_program_has_data_without_names(void **state)
{
	struct program program;
	struct data_place place;

	(void)state;
	program_run(&program, "gcc -O1 -s source.c -o program");
	check(&program, HIDDEN, "no name", 0);
	check(&program, IN_BSS, "no name", 0);
	assert_true(code_maps_find_data(program.maps, program.at[IN_BSS], &place));
	program_clear(&program);
}

/* Any code of the program. */
static struct code_place code_of(const struct program *program)
{
	struct data_place data;
	struct code_place code;

	assert_true(code_maps_find_data(program->maps, program->at[IN_DATA], &data));
	assert_true(code_maps_find(program->maps, data.code_start, &code));
	return code;
}

static void variables_can_be_asked_for_when_functions_were_read(void **state)
{
	struct program program;
	uint64_t offset;

	(void)state;
	program_run(&program, "gcc -O1 source.c -o program");
	struct code_place code = code_of(&program);
	code_object_name(code.object, code.address, &offset);
	assert_true(code.object->has_symbols);
	check_all(&program);
	assert_null(code_object_name(code.object, program.at[IN_DATA], &offset));
	program_clear(&program);
}

static void variables_outlive_their_process(void **state)
{
	struct program program;
	uint64_t offset;

	(void)state;
	program_run(&program, "gcc -O1 source.c -o program");
	struct code_place code = code_of(&program);
	code_object_name(code.object, code.address, &offset);
	program_kill(&program);
	check(&program, HIDDEN, "hidden", 0);
	program_clear(&program);
}

static void another_version_of_the_file_gives_no_names(void **state)
{
	struct program program;
	uint64_t offset;

	(void)state;
	program_run(&program, "gcc -O1 source.c -o program");
	struct code_place code = code_of(&program);
	code_object_name(code.object, code.address, &offset);
	program_kill(&program);
	/* Into the same inode, as careless installers do. */
	sh(program.folder, "gcc -O2 -Dhidden=shown source.c -o other && cat other >program");
	check(&program, HIDDEN, "no name", 0);
	program_clear(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_have_names_however_a_program_is_linked),
		cmocka_unit_test(names_of_cpp_are_as_people_wrote_them),
		cmocka_unit_test(a_stripped_program_has_data_without_names),
		cmocka_unit_test(variables_can_be_asked_for_when_functions_were_read),
		cmocka_unit_test(variables_outlive_their_process),
		cmocka_unit_test(another_version_of_the_file_gives_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
