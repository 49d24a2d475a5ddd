// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * epoll_many [MS] [SEED]: "waiter" waits in one epoll set for 16 TCP connections, each to a port of
 * its own, for so long. "writer" writes to some of them, by chance to one, two or three at once,
 * after pauses of chance. Of each epoll_wait that blocked, by the thread's count of switches, the
 * waiter notes the first event: what is printed is how many waits each port ended, and their time.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "loopback.h"
#include "workload.h"

#define CONNECTIONS 16

static struct connection {
	int client, server, port;
	uint64_t waits, wall_ns; /* that ended with it as the first event */
} connections[CONNECTIONS];

static int epoll, waiter_tid;
static uint64_t end_ns, unblocked;
static unsigned int seed;
static volatile bool is_over;

static void prepare(unsigned int index)
{
	struct connection *connection = &connections[index];
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 1) ||
		getsockname(listener, (struct sockaddr *)&address, &length))
		die("listen");
	connection->port = ntohs(address.sin_port);
	connection->client = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(connection->client, (struct sockaddr *)&address, sizeof(address)))
		die("connect");
	connection->server = accept(listener, NULL, NULL);
	if (connection->server < 0 ||
		setsockopt(connection->server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
		epoll_ctl(epoll, EPOLL_CTL_ADD, connection->client, &event))
		die("accept");
	close(listener);
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static void *waiter(void *unused)
{
	struct epoll_event events[CONNECTIONS];

	set_name("waiter");
	waiter_tid = own_tid();
	while (!is_over) {
		long before = switches();
		uint64_t start_ns = wall_ns(), waited_ns;
		int count = epoll_wait(epoll, events, CONNECTIONS, -1);
		waited_ns = wall_ns() - start_ns;
		if (count < 1)
			die("epoll_wait");
		if (switches() != before) {
			connections[events[0].data.u32].waits++;
			connections[events[0].data.u32].wall_ns += waited_ns;
		} else {
			unblocked++;
		}
		for (int i = 0; i < count; i++) {
			char bytes[16];
			if (recv(connections[events[i].data.u32].client, bytes, sizeof(bytes),
				    MSG_DONTWAIT) <= 0)
				die("recv");
		}
	}
	return unused;
}

static void *writer(void *unused)
{
	set_name("writer");
	while (!is_over) {
		int count = 1 + rand_r(&seed) % 3;
		sleep_ns(NS_PER_MS / 2 + (uint64_t)(rand_r(&seed) % 16000) * 1000);
		is_over = wall_ns() >= end_ns;
		while (count--)
			give(connections[rand_r(&seed) % CONNECTIONS].server);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	epoll = epoll_create1(0);
	seed = (unsigned int)argument(argc, argv, 2, 1);
	raise_loopback();
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		prepare(i);
	end_ns = wall_ns() + argument(argc, argv, 1, 3000) * NS_PER_MS;
	threads[0] = start_thread(waiter, NULL);
	threads[1] = start_thread(writer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("{\"pid\":%d,\"tid\":%d,\"unblocked\":%llu,\"ports\":[", (int)getpid(), waiter_tid,
		(unsigned long long)unblocked);
	for (int i = 0; i < CONNECTIONS; i++)
		printf("%s{\"port\":%d,\"waits\":%llu,\"wall_ns\":%llu}", i ? "," : "",
			connections[i].port, (unsigned long long)connections[i].waits,
			(unsigned long long)connections[i].wall_ns);
	printf("]}\n");
	return 0;
}
