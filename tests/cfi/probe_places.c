// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the functions of an ELF file would be probed, a line each: offset of the beginning, offset
 * of the place, 1 if the kernel emulates what is there, bytes of the function, name. FILE [MASK]:
 * which arguments are needed, 0x3f by default.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf/file.h"
#include "elf/function_private.h"
#include "elf/probe_place.h"
#include "util/vec.h"

struct functions {
	const struct elf_file *file;
	VEC(struct elf_probe) probes;
	VEC(struct elf_function_symbol) symbols;
};

static void add(void *context, const struct elf_function_symbol *symbol)
{
	struct functions *functions = context;
	struct elf_probe probe = {0};

	if (symbol->is_choice ||
		elf_function_place(functions->file, symbol->address, &probe.offset))
		return;
	vec_push(&functions->probes, probe);
	vec_push(&functions->symbols, *symbol);
}

int main(int argc, char **argv)
{
	struct functions functions = {0};
	struct timespec begin, end;
	struct elf_file *file;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || elf_file_open(fd, &file)) {
		fprintf(stderr, "usage: probe_places FILE [MASK]\n");
		return 2;
	}
	functions.file = file;
	if (elf_function_each(file, add, &functions))
		return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	elf_probe_places(file, argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 0) : 0x3f,
		functions.probes.at, functions.probes.count);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	for (size_t i = 0; i < functions.probes.count; i++)
		printf("%" PRIx64 " %" PRIx64 " %d %" PRIu64 " %s\n", functions.probes.at[i].offset,
			functions.probes.at[i].place, functions.probes.at[i].is_emulated,
			functions.symbols.at[i].bytes, functions.symbols.at[i].name);
	fprintf(stderr, "%.1f ms\n",
		(double)(end.tv_sec - begin.tv_sec) * 1e3 +
			(double)(end.tv_nsec - begin.tv_nsec) / 1e6);
	vec_clear(&functions.probes);
	vec_clear(&functions.symbols);
	elf_file_free(file);
	close(fd);
	return 0;
}
