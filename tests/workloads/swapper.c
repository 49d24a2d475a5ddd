// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * swapper ROUNDS NAPS FIRST SECOND: loads the two libraries in turns, ROUNDS times, calls
 * wait_here(NAPS) of each and unloads it. Prints {"pid", "same"}: how often a library was where the
 * one before it had been.
 */
#include "workload.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 10), naps = argument(argc, argv, 2, 10);
	uint64_t same = 0;
	void *before = NULL;

	if (argc < 5)
		die("swapper needs two libraries");
	for (uint64_t i = 0; i < rounds; i++) {
		void *library = dlopen(argv[3 + i % 2], RTLD_NOW | RTLD_LOCAL);
		void (*wait_here)(int naps) = NULL;

		if (library)
			*(void **)&wait_here = dlsym(library, "wait_here");
		if (!wait_here)
			die(dlerror());
		same += (void *)wait_here == before;
		before = (void *)wait_here;
		wait_here((int)naps);
		dlclose(library);
	}
	printf("{\"pid\":%d,\"same\":%llu}\n", (int)getpid(), (unsigned long long)same);
	return 0;
}
