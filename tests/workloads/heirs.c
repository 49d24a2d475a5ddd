// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heirs [BLOCKS]: a process allocates BLOCKS of 1000 bytes in of_parent() and forks. Its child
 * frees half of what it has inherited, which are copies, allocates BLOCKS of 2000 in of_child() and
 * frees a quarter of these, and executes heirs anew, which allocates BLOCKS of 3000 in of_second()
 * and frees half. Then the parent frees a tenth of its own. A thread of each allocates BLOCKS of
 * 500 in of_thread() and leaves them to main, which frees all. What is not freed is kept until the
 * end. Prints {"parent": PID, "child": PID, "blocks": BLOCKS}; the child executes with its number.
 */
#include "workload.h"

#include <sys/wait.h>

struct heir {
	uint64_t blocks;
	char **made;
};

__attribute__((always_inline)) static inline char **make_all(uint64_t blocks, size_t size)
{
	char **made = calloc(blocks, sizeof(*made));

	for (uint64_t i = 0; made && i < blocks; i++) {
		made[i] = malloc(size);
		if (!made[i])
			die("malloc");
		*(volatile char *)made[i] = 1;
	}
	if (!made)
		die("calloc");
	return made;
}

#define SITE(name, size)                                                                           \
	NAMED static char **name(uint64_t blocks)                                                  \
	{                                                                                          \
		return make_all(blocks, size);                                                     \
	}

SITE(of_parent, 1000)
SITE(of_child, 2000)
SITE(of_second, 3000)
SITE(of_thread, 500)

static void free_some(char **made, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		free(made[i]);
}

static void *allocate_in_thread(void *context)
{
	struct heir *heir = context;

	set_name("heir's thread");
	heir->made = of_thread(heir->blocks);
	return NULL;
}

static void use_a_thread(uint64_t blocks)
{
	struct heir heir = {.blocks = blocks};

	pthread_join(start_thread(allocate_in_thread, &heir), NULL);
	free_some(heir.made, blocks);
	free(heir.made);
}

static void be_child(uint64_t blocks, char **inherited)
{
	char text[32], second[] = "second", name[] = "heirs";
	char *const argv[] = {name, text, second, NULL};

	free_some(inherited, blocks / 2);
	free_some(of_child(blocks), blocks / 4);
	use_a_thread(blocks);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)blocks);
	execv("/proc/self/exe", argv);
	die("execv");
}

int main(int argc, char **argv)
{
	uint64_t blocks = argument(argc, argv, 1, 1000);
	char **made;
	pid_t child;

	if (argc > 2) {
		free_some(of_second(blocks), blocks / 2);
		use_a_thread(blocks);
		return 0;
	}
	made = of_parent(blocks);
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		be_child(blocks, made);
	if (waitpid(child, NULL, 0) != child)
		die("waitpid");
	free_some(made, blocks / 10);
	use_a_thread(blocks);
	printf("{\"parent\":%d,\"child\":%d,\"blocks\":%llu}\n", (int)getpid(), (int)child,
		(unsigned long long)blocks);
	fflush(stdout);
	return 0;
}
