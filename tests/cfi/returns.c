// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the functions of an ELF file are left, by the way that dwell asks for it. FILE [COUNT]: of
 * COUNT functions spread evenly over the file, 1024 by default, a line each: offset, bytes, error,
 * 1 if it has jumps that are not seen, name; behind each a line for each place, indented: offset,
 * 1 if the kernel emulates it, condition, 1 if it is of a function that is jumped to, 1 if only the
 * stack pointer tells whether it is left.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "elf/file.h"
#include "elf/function.h"
#include "elf/function_private.h"
#include "symbol/outside/parser.h"
#include "util/vec.h"

struct functions {
	const struct elf_file *file;
	VEC(struct parser_function) found;
};

static void add(void *context, const struct elf_function_symbol *symbol)
{
	struct functions *functions = context;
	struct parser_function function = {.name = (char *)symbol->name, .bytes = symbol->bytes};

	if (!symbol->is_choice && symbol->bytes &&
		!elf_function_place(functions->file, symbol->address, &function.offset))
		vec_push(&functions->found, function);
}

static void print(const struct parser_function *function, const struct elf_returns *returns)
{
	printf("%" PRIx64 " %" PRIx64 " %d %d %s\n", function->offset, function->bytes,
		returns->error, returns->has_unseen, function->name);
	for (size_t i = 0; i < returns->count; i++)
		printf(" %" PRIx64 " %d %d %d %d\n", returns->places[i].offset,
			returns->places[i].is_emulated, returns->places[i].condition,
			returns->places[i].is_others, returns->places[i].may_stay);
}

int main(int argc, char **argv)
{
	static struct elf_returns returns[ELF_FUNCTION_MAX_FOUND];
	static struct parser_function chosen[ELF_FUNCTION_MAX_FOUND];
	struct functions functions = {0};
	struct timespec begin, end;
	struct elf_file *file;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 0) : ELF_FUNCTION_MAX_FOUND;

	if (fd < 0 || elf_file_open(fd, &file)) {
		fprintf(stderr, "usage: returns FILE [COUNT]\n");
		return 2;
	}
	functions.file = file;
	if (elf_function_each(file, add, &functions))
		return 1;
	if (count > ELF_FUNCTION_MAX_FOUND)
		count = ELF_FUNCTION_MAX_FOUND;
	if (count > functions.found.count)
		count = functions.found.count;
	for (size_t i = 0; i < count; i++)
		chosen[i] = functions.found.at[i * functions.found.count / count];
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	int error = parser_returns(NULL, fd, chosen, count, returns);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	for (size_t i = 0; i < count && !error; i++)
		print(&chosen[i], &returns[i]);
	fprintf(stderr, "%.1f ms\n",
		(double)(end.tv_sec - begin.tv_sec) * 1e3 +
			(double)(end.tv_nsec - begin.tv_nsec) / 1e6);
	elf_returns_clear(returns, ELF_FUNCTION_MAX_FOUND);
	vec_clear(&functions.found);
	elf_file_free(file);
	close(fd);
	return error ? 1 : 0;
}
