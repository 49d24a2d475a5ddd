// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit FUNCTIONS ROUNDS [US]: makes FUNCTIONS functions at run time, in memory of its own, names
 * them in a perf map as runtimes do, and calls each of them in turn, ROUNDS times; each sleeps US
 * us. The map is removed at the end. Prints {"pid", "functions", "wall_ns"}.
 */
#include "workload.h"

#include <sys/mman.h>

enum { FUNCTION_BYTES = 32, MAX_FUNCTIONS = 1 << 16 };

typedef void (*made_function)(void (*callee)(void));

static uint64_t nap_ns;

NAMED static void nap(void)
{
	sleep_ns(nap_ns);
}

#if defined(__x86_64__)
/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
#elif defined(__aarch64__)
/* stp x29,x30,[sp,#-16]!; mov x29,sp; blr x0; ldp x29,x30,[sp],#16; ret */
static const unsigned char code[] = {0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x00, 0x00,
	0x3f, 0xd6, 0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6};
#endif

int main(int argc, char **argv)
{
	uint64_t functions = argument(argc, argv, 1, 100), rounds = argument(argc, argv, 2, 10);
	uint64_t start_ns = wall_ns();
	char path[64];

	if (!functions || functions > MAX_FUNCTIONS)
		return 2;
	nap_ns = argument(argc, argv, 3, 100) * 1000;
	unsigned char *area = mmap(NULL, functions * FUNCTION_BYTES,
		PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *names = fopen(path, "wx");
	if (area == MAP_FAILED || !names)
		die("jit");
	for (uint64_t i = 0; i < functions; i++) {
		memcpy(area + i * FUNCTION_BYTES, code, sizeof(code));
		fprintf(names, "%llx %x made_%llu\n",
			(unsigned long long)(uintptr_t)(area + i * FUNCTION_BYTES), FUNCTION_BYTES,
			(unsigned long long)i);
	}
	fclose(names);
	__builtin___clear_cache((char *)area, (char *)area + functions * FUNCTION_BYTES);
	for (uint64_t i = 0; i < rounds * functions; i++)
		((made_function)(void *)(area + i % functions * FUNCTION_BYTES))(nap);
	unlink(path);
	printf("{\"pid\":%d,\"functions\":%llu,\"wall_ns\":%llu}\n", (int)getpid(),
		(unsigned long long)functions, (unsigned long long)(wall_ns() - start_ns));
	return 0;
}
