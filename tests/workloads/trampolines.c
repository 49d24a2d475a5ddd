// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trampolines [MS]: calls functions the way `python3 -X perf` does: each call goes through its own
 * copy of a piece of code, which is named in /tmp/perf-PID.map and keeps no frame pointer. Naps of
 * MS ms, until its stdin is closed, in nap_main(); evaluate(); py::handle; evaluate(); py::query;
 * evaluate_lean(); py::fetch; evaluate(). The thread "aligned" has its copies where CPython 3.13
 * puts them, "packed" where 3.12 does. Prints {"pid"}.
 */
#include <sys/mman.h>

#include "workload.h"

#define ARENA_BYTES 65536
#define DEPTH 3

struct arena {
	const char *name;
	size_t stride;
	unsigned char *code;
};

typedef long evaluator(struct arena *arena, void *unused, int depth);
/* CPython's own arguments: thread state, frame, flag, and who evaluates. */
typedef long trampoline(struct arena *arena, void *unused, int depth, evaluator *evaluate);

static uint64_t nap_ns;
static const char *const names[DEPTH] = {"py::handle", "py::query", "py::fetch"};

static evaluator evaluate_lean;

static trampoline *copy_at(const struct arena *arena, int number)
{
	return (trampoline *)(void *)(arena->code + (size_t)number * arena->stride);
}

NAMED static long evaluate(struct arena *arena, void *unused, int depth)
{
	if (depth == DEPTH) {
		sleep_ns(nap_ns);
		return 1;
	}
	return copy_at(arena, depth)(
		       arena, unused, depth + 1, depth == 1 ? evaluate_lean : evaluate) +
	       1;
}

/* As programs are compiled by default. */
__attribute__((
	noinline, noclone, optimize("omit-frame-pointer,no-optimize-sibling-calls"))) static long
evaluate_lean(struct arena *arena, void *unused, int depth)
{
	return copy_at(arena, depth)(arena, unused, depth + 1, evaluate) + 1;
}

static void *nap_main(void *context)
{
	struct arena *arena = context;

	set_name(arena->name);
	for (;;)
		evaluate(arena, NULL, 0);
	return NULL;
}

/* All of it is written before it becomes executable. */
static void fill(struct arena *arena, FILE *map)
{
	static const unsigned char code[] = {
		0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3};

	arena->code =
		mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena->code == MAP_FAILED)
		die("mmap");
	for (size_t at = 0; at + sizeof(code) <= ARENA_BYTES; at += arena->stride)
		memcpy(arena->code + at, code, sizeof(code));
	if (mprotect(arena->code, ARENA_BYTES, PROT_READ | PROT_EXEC))
		die("mprotect");
	for (int i = 0; i < DEPTH; i++)
		fprintf(map, "%lx %zx %s\n", (unsigned long)(uintptr_t)copy_at(arena, i),
			sizeof(code), names[i]);
}

int main(int argc, char **argv)
{
	static struct arena arenas[] = {
		{.name = "aligned", .stride = 16}, {.name = "packed", .stride = 11}};
	char path[64];
	FILE *map;

	nap_ns = argument(argc, argv, 1, 2) * NS_PER_MS;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		die(path);
	fill(&arenas[0], map);
	fill(&arenas[1], map);
	fclose(map);
	start_thread(nap_main, &arenas[0]);
	start_thread(nap_main, &arenas[1]);
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
	wait_for_go();
	unlink(path);
	return 0;
}
