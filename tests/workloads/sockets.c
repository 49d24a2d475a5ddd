// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sockets [FOLDER] [ADDRESS] [NAME]: threads wait for sockets, each for one, as things.h says.
 * FOLDER (.) gets those that have a path, ADDRESS (127.0.0.1) is where TCP and UDP are, NAME
 * (dwell-sockets) is that of the abstract one.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "loopback.h"
#include "things.h"

static char folder[PATH_MAX];
static const char *network_address = "127.0.0.1", *abstract_name = "dwell-sockets";

static void write_byte(struct thing *thing)
{
	give(thing->fds[1]);
}

/* The port is the kernel's choice. */
static struct sockaddr_in bind_network(int fd)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(network_address)};
	socklen_t length = sizeof(address);

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
		getsockname(fd, (struct sockaddr *)&address, &length))
		die("bind");
	return address;
}

static void connect_network(int fd, const struct sockaddr_in *address)
{
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		die("connect");
}

/* A connection: the side that asked for it, and the side that accepted it. */
static void make_tcp(struct thing *thing, int *client, int *server)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = bind_network(listener), own;

	*client = socket(AF_INET, SOCK_STREAM, 0);
	own = bind_network(*client);
	if (listen(listener, 1))
		die("listen");
	connect_network(*client, &address);
	*server = accept(listener, NULL, NULL);
	if (*server < 0 || !own.sin_port)
		die("accept");
	close(listener);
	thing_name(thing, network_address);
	thing->port = ntohs(address.sin_port);
}

static void prepare_tcp_to(struct thing *thing)
{
	make_tcp(thing, &thing->fds[0], &thing->fds[1]);
}

static void prepare_tcp_from(struct thing *thing)
{
	make_tcp(thing, &thing->fds[1], &thing->fds[0]);
}

static void prepare_tcp_listen(struct thing *thing)
{
	struct sockaddr_in address;

	thing->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	address = bind_network(thing->fds[0]);
	if (listen(thing->fds[0], 4))
		die("listen");
	thing->port = ntohs(address.sin_port);
}

static void wait_accept(struct thing *thing)
{
	int fd = accept(thing->fds[0], NULL, NULL);

	if (fd < 0)
		die("accept");
	close(fd);
}

static void end_connect_network(struct thing *thing)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (getsockname(thing->fds[0], (struct sockaddr *)&address, &length))
		die("getsockname");
	connect_network(fd, &address);
	close(fd);
}

static void make_udp(struct thing *thing, bool is_connected)
{
	struct sockaddr_in own, other;

	for (int i = 0; i < 2; i++)
		thing->fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
	own = bind_network(thing->fds[0]);
	other = bind_network(thing->fds[1]);
	connect_network(thing->fds[1], &own);
	if (is_connected)
		connect_network(thing->fds[0], &other);
	thing_name(thing, is_connected ? network_address : "");
	thing->port = ntohs(is_connected ? other.sin_port : own.sin_port);
}

static void prepare_udp(struct thing *thing)
{
	make_udp(thing, false);
}

static void prepare_udp_to(struct thing *thing)
{
	make_udp(thing, true);
}

static void wait_recv(struct thing *thing)
{
	char byte;

	if (recv(thing->fds[0], &byte, 1, 0) != 1)
		die("recv");
}

/* A name that begins with @ is abstract. */
static void unix_address(const char *name, struct sockaddr_un *address, socklen_t *length)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	if (strlen(name) >= sizeof(address->sun_path))
		die("the name of the socket is too long");
	memcpy(address->sun_path, name, strlen(name));
	if (*name == '@')
		address->sun_path[0] = '\0';
	else
		unlink(name);
	*length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
}

static int listen_unix(struct thing *thing)
{
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un address;
	socklen_t length;

	unix_address(thing->name, &address, &length);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4))
		die("bind");
	return listener;
}

static int connect_unix(int listener)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un address;
	socklen_t length = sizeof(address);

	if (getsockname(listener, (struct sockaddr *)&address, &length) ||
		connect(fd, (struct sockaddr *)&address, length))
		die("connect");
	return fd;
}

static void make_unix(struct thing *thing, int *client, int *server)
{
	int listener = listen_unix(thing);

	*client = connect_unix(listener);
	*server = accept(listener, NULL, NULL);
	if (*server < 0)
		die("accept");
	close(listener);
}

static void prepare_unix_to(struct thing *thing)
{
	thing_path(thing, folder, "socket-to");
	make_unix(thing, &thing->fds[0], &thing->fds[1]);
}

static void prepare_unix_abstract(struct thing *thing)
{
	thing_name(thing, "@");
	strncat(thing->name, abstract_name, sizeof(thing->name) - 2);
	make_unix(thing, &thing->fds[0], &thing->fds[1]);
}

static void prepare_unix_from(struct thing *thing)
{
	thing_path(thing, folder, "socket-from");
	make_unix(thing, &thing->fds[1], &thing->fds[0]);
}

static void prepare_unix_listen(struct thing *thing)
{
	thing_path(thing, folder, "socket-listen");
	thing->fds[0] = listen_unix(thing);
}

static void end_connect_unix(struct thing *thing)
{
	close(connect_unix(thing->fds[0]));
}

static void prepare_unix_pair(struct thing *thing)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, thing->fds))
		die("socketpair");
}

/* In an epoll set with something that never becomes ready. */
static void prepare_epoll_tcp(struct thing *thing)
{
	struct epoll_event event = {.events = EPOLLIN};
	int client, silent = eventfd(0, 0);

	make_tcp(thing, &client, &thing->fds[1]);
	thing->fds[0] = epoll_create1(0);
	for (int i = 0; i < 2; i++) {
		event.data.fd = i ? client : silent;
		if (epoll_ctl(thing->fds[0], EPOLL_CTL_ADD, event.data.fd, &event))
			die("epoll_ctl");
	}
}

static void wait_epoll(struct thing *thing)
{
	struct epoll_event event;

	if (epoll_wait(thing->fds[0], &event, 1, -1) != 1)
		die("epoll_wait");
	take(event.data.fd);
}

/* clang-format off */
static struct thing things[] = {
	{"tcp to", "tcp to", prepare_tcp_to, .wait = wait_recv, .end = write_byte},
	{"tcp from", "tcp from", prepare_tcp_from, .wait = wait_recv, .end = write_byte},
	{"tcp listen", "tcp listen", prepare_tcp_listen, .wait = wait_accept, .end = end_connect_network},
	{"udp", "udp", prepare_udp, .wait = wait_recv, .end = write_byte},
	{"udp to", "udp", prepare_udp_to, .wait = wait_recv, .end = write_byte},
	{"unix to", "unix to", prepare_unix_to, .wait = wait_recv, .end = write_byte},
	{"unix abstract", "unix to", prepare_unix_abstract, .wait = wait_recv, .end = write_byte},
	{"unix from", "unix from", prepare_unix_from, .wait = wait_recv, .end = write_byte},
	{"unix listen", "unix listen", prepare_unix_listen, .wait = wait_accept, .end = end_connect_unix},
	{"unix pair", "unix pair", prepare_unix_pair, .wait = wait_recv, .end = write_byte},
	{"epoll tcp", "tcp to", prepare_epoll_tcp, .wait = wait_epoll, .end = write_byte},
};
/* clang-format on */

int main(int argc, char **argv)
{
	if (!realpath(argc > 1 ? argv[1] : ".", folder))
		die("realpath");
	if (argc > 2)
		network_address = argv[2];
	if (argc > 3)
		abstract_name = argv[3];
	raise_loopback();
	things_run(things, sizeof(things) / sizeof(*things));
	return 0;
}
