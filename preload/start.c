// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The start of a process image. The library is marked to be initialised before all others, libc
 * included, so that their constructors' blocks are sampled; glibc hands constructors the
 * environment. What is allocated before that (by the dynamic linker) is not counted.
 */
#include <stdlib.h>
#include <string.h>

#include "preload/blocks.h"
#include "preload/operators.h"

#define PERIOD_VARIABLE "DWELL_ALLOC_PERIOD="
#define TRIAL_BYTES 1

/*
 * What pthread_atfork() is in glibc, with the object that calls. musl has none of that name, and
 * its constructors get no arguments: it can load the library, which then samples nothing and says
 * nothing.
 */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
	void *object) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static const char *find_variable(char **environment, const char *start)
{
	for (; environment && *environment; environment++)
		if (!strncmp(*environment, start, strlen(start)))
			return *environment + strlen(start);
	return NULL;
}

/*
 * Whether what the program calls malloc comes to us. Asking dlsym() for its address would not do:
 * that of a program at fixed addresses is its own, though it leads here.
 */
static bool comes_to_us(void)
{
	bool is_ours;

	sampler.left = TRIAL_BYTES + 1;
	free(malloc(TRIAL_BYTES));
	is_ours = sampler.left == 1;
	sampler.left = 0;
	return is_ours;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
	(void)argc;
	(void)argv;
	if (!__register_atfork)
		return;
	__register_atfork(NULL, NULL, sampler_restart, &__dso_handle);
	operators_start();
	dwell_alloc_process(comes_to_us() ? DWELL_ALLOC_WORKS : DWELL_ALLOC_OTHER_FIRST);
	sampler_start(find_variable(environment, PERIOD_VARIABLE));
}
