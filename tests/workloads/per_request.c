// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * per_request [ROUNDS]: process "asker" asks process "listener", which makes a thread "server" for
 * each request; that one sleeps 10 ms in serve(), answers and ends.
 */
#include <sys/wait.h>

#include "workload.h"

static int to_listener[2], to_asker[2];

NAMED static void serve(void)
{
	sleep_ns(10 * NS_PER_MS);
}

static void *server(void *unused)
{
	set_name("server");
	serve();
	give(to_asker[1]);
	return unused;
}

static void listen_for_requests(void)
{
	char byte;

	set_name("listener");
	close(to_listener[1]);
	while (read(to_listener[0], &byte, 1) == 1)
		pthread_join(start_thread(server, NULL), NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 100);
	pid_t child;

	if (pipe(to_listener) || pipe(to_asker))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		listen_for_requests();
	set_name("asker");
	for (uint64_t i = 0; i < rounds; i++) {
		give(to_listener[1]);
		take(to_asker[0]);
	}
	close(to_listener[1]);
	waitpid(child, NULL, 0);
	return 0;
}
