// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * execer leader|thread [MS]: sleeps MS ms in before_exec(), then executes itself, from main or from
 * a second thread (which takes over the leader's tid), and sleeps MS ms in after_exec(). Prints
 * {"pid", "wall_ns"} at the very end.
 */
#include "workload.h"

struct image {
	char **argv;
	uint64_t nap_ns;
	char start[32]; /* the first image's start, for the second */
};

NAMED static void nap(uint64_t ns)
{
	sleep_ns(ns);
}

NAMED static void before_exec(uint64_t ns)
{
	nap(ns);
}

NAMED static void after_exec(uint64_t ns)
{
	nap(ns);
}

static void *exec_self(void *context)
{
	struct image *image = context;
	char ms[32];
	char second[] = "second";
	char *const argv[] = {image->argv[0], second, ms, image->start, NULL};

	snprintf(ms, sizeof(ms), "%llu", (unsigned long long)(image->nap_ns / NS_PER_MS));
	before_exec(image->nap_ns);
	execv("/proc/self/exe", argv);
	die("execv");
}

int main(int argc, char **argv)
{
	struct image image = {.argv = argv, .nap_ns = argument(argc, argv, 2, 300) * NS_PER_MS};

	if (argc > 3 && !strcmp(argv[1], "second")) {
		set_name("second-image");
		after_exec(image.nap_ns);
		printf("{\"pid\":%d,\"wall_ns\":%llu}\n", (int)getpid(),
			(unsigned long long)(wall_ns() - argument(argc, argv, 3, 0)));
		return 0;
	}
	set_name("first-image");
	snprintf(image.start, sizeof(image.start), "%llu", (unsigned long long)wall_ns());
	if (argc > 1 && !strcmp(argv[1], "thread")) {
		pthread_join(start_thread(exec_self, &image), NULL);
		return 1;
	}
	exec_self(&image);
}
