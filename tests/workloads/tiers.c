// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tiers [MS]: "client" asks "front" over a socket, which asks "backend" over another and passes on
 * what that one answers; the backend sleeps 10 ms in slow_answer() and computes 1 ms for each.
 */
#include <sys/socket.h>

#include "workload.h"

static int client_to_front[2], front_to_backend[2];
static uint64_t end_ns;

/* One byte there, and one back. */
NAMED static void ask(int fd)
{
	char byte = 'x';

	if (send(fd, &byte, 1, 0) != 1 || recv(fd, &byte, 1, 0) != 1)
		die("ask");
}

NAMED static void slow_answer(void)
{
	sleep_ns(10 * NS_PER_MS);
	burn_ns(NS_PER_MS);
}

static void *client(void *unused)
{
	set_name("client");
	while (wall_ns() < end_ns)
		ask(client_to_front[0]);
	shutdown(client_to_front[0], SHUT_RDWR);
	return unused;
}

static void *front(void *unused)
{
	char byte;

	set_name("front");
	while (recv(client_to_front[1], &byte, 1, 0) == 1) {
		ask(front_to_backend[0]);
		if (send(client_to_front[1], &byte, 1, 0) != 1)
			die("send");
	}
	shutdown(front_to_backend[0], SHUT_RDWR);
	return unused;
}

static void *backend(void *unused)
{
	char byte;

	set_name("backend");
	while (recv(front_to_backend[1], &byte, 1, 0) == 1) {
		slow_answer();
		if (send(front_to_backend[1], &byte, 1, 0) != 1)
			die("send");
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	end_ns = wall_ns() + argument(argc, argv, 1, 1000) * NS_PER_MS;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, client_to_front) ||
		socketpair(AF_UNIX, SOCK_STREAM, 0, front_to_backend))
		die("socketpair");
	threads[0] = start_thread(backend, NULL);
	threads[1] = start_thread(front, NULL);
	threads[2] = start_thread(client, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
