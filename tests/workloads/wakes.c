// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wakes HOW [ROUNDS] [MS]: "waiter" waits, "waker" sleeps MS ms (1) and then ends that wait, in one
 * of many ways. What is known: who woke whom, by what means, and that a timer woke the waker.
 * Prints the number of waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "loopback.h"
#include "workload.h"

static uint64_t round_count, pause_ns;
static int waiter_fd, waker_fd;
static pthread_t waiter_thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile uint64_t turn, waits_done;

struct way {
	const char *name;
	void (*prepare)(void);
	void (*wait)(void);
	void (*wake)(void); /* NULL: there is no thread that wakes */
};

static void pause_waker(void)
{
	sleep_ns(pause_ns);
}

static void read_byte(void)
{
	char byte;

	if (read(waiter_fd, &byte, 1) != 1)
		die("read");
}

static void write_byte(void)
{
	if (write(waker_fd, "x", 1) != 1)
		die("write");
}

static void prepare_pipe(void)
{
	int fds[2];

	if (pipe(fds))
		die("pipe");
	waiter_fd = fds[0];
	waker_fd = fds[1];
}

static void prepare_tcp(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	raise_loopback();
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 1) ||
		getsockname(listener, (struct sockaddr *)&address, &length))
		die("listen");
	waker_fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(waker_fd, (struct sockaddr *)&address, sizeof(address)))
		die("connect");
	waiter_fd = accept(listener, NULL, NULL);
	if (waiter_fd < 0 || setsockopt(waker_fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("accept");
}

/* What is written to the one side is handed to the other by a kernel worker. */
static void prepare_pty(void)
{
	waker_fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (waker_fd < 0 || grantpt(waker_fd) || unlockpt(waker_fd))
		die("posix_openpt");
	waiter_fd = open(ptsname(waker_fd), O_RDWR | O_NOCTTY);
	if (waiter_fd < 0)
		die("open");
}

static void write_line(void)
{
	if (write(waker_fd, "\n", 1) != 1)
		die("write");
}

static void prepare_eventfd(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	waker_fd = eventfd(0, 0);
	waiter_fd = epoll_create1(0);
	if (waker_fd < 0 || epoll_ctl(waiter_fd, EPOLL_CTL_ADD, waker_fd, &event))
		die("eventfd");
}

static void wait_epoll(void)
{
	struct epoll_event event;
	uint64_t count;

	if (epoll_wait(waiter_fd, &event, 1, -1) != 1 ||
		read(waker_fd, &count, sizeof(count)) != sizeof(count))
		die("epoll_wait");
}

static void write_event(void)
{
	uint64_t one = 1;

	if (write(waker_fd, &one, sizeof(one)) != sizeof(one))
		die("write");
}

/* The waker holds the lock while it sleeps. */
static void wait_mutex(void)
{
	while (!turn)
		sched_yield();
	pthread_mutex_lock(&mutex);
	turn = 0;
	pthread_mutex_unlock(&mutex);
}

static void hold_mutex(void)
{
	pthread_mutex_lock(&mutex);
	turn = 1;
	sleep_ns(2 * pause_ns);
	pthread_mutex_unlock(&mutex);
	while (turn)
		sched_yield();
}

static void wait_condition(void)
{
	pthread_mutex_lock(&mutex);
	while (!turn)
		pthread_cond_wait(&condition, &mutex);
	turn--;
	pthread_mutex_unlock(&mutex);
}

static void signal_condition(void)
{
	pthread_mutex_lock(&mutex);
	turn++;
	pthread_mutex_unlock(&mutex);
	pthread_cond_signal(&condition);
}

static void block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void wait_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &number);
}

static void send_signal(void)
{
	pthread_kill(waiter_thread, SIGUSR1);
}

static void wait_child(void)
{
	pid_t child = fork();

	if (!child) {
		set_name("waker");
		pause_waker();
		_exit(0);
	}
	if (waitpid(child, NULL, 0) != child)
		die("waitpid");
}

static void wait_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		syscall(SYS_prctl, PR_SET_NAME, "waker", 0, 0, 0);
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0,
			&(struct timespec){0, (long)pause_ns}, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* A child that is born during the wait ends it. */
static void wake_by_child(void)
{
	pid_t child = fork();

	if (!child) {
		set_name("child");
		write_byte();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void prepare_file(void)
{
	waiter_fd = open("wakes.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (waiter_fd < 0)
		die("open");
}

static void sync_file(void)
{
	if (write(waiter_fd, "0123456789abcdef", 16) != 16 || fsync(waiter_fd))
		die("fsync");
}

static const struct way ways[] = {
	{"pipe", prepare_pipe, read_byte, write_byte},
	{"tcp", prepare_tcp, read_byte, write_byte},
	{"pty", prepare_pty, read_byte, write_line},
	{"eventfd", prepare_eventfd, wait_epoll, write_event},
	{"mutex", NULL, wait_mutex, hold_mutex},
	{"condition", NULL, wait_condition, signal_condition},
	{"signal", block_signal, wait_signal, send_signal},
	{"waitpid", NULL, wait_child, NULL},
	{"vfork", NULL, wait_vfork, NULL},
	{"fork", prepare_pipe, read_byte, wake_by_child},
	{"sleep", NULL, pause_waker, NULL},
	{"fsync", prepare_file, sync_file, NULL},
};

static void *waker_main(void *context)
{
	const struct way *way = context;

	set_name("waker");
	for (uint64_t i = 0; i < round_count; i++) {
		pause_waker();
		way->wake();
		/* Two signals, or two events, would be one. */
		while (waits_done <= i)
			sched_yield();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct way *way = NULL;
	pthread_t waker = 0;

	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			way = &ways[i];
	if (!way) {
		fprintf(stderr, "wakes: no such way\n");
		return 2;
	}
	round_count = argument(argc, argv, 2, 300);
	pause_ns = argument(argc, argv, 3, 1) * NS_PER_MS;
	if (way->prepare)
		way->prepare();
	set_name("waiter");
	waiter_thread = pthread_self();
	if (way->wake)
		waker = start_thread(waker_main, (void *)way);
	for (uint64_t i = 0; i < round_count; i++) {
		way->wait();
		waits_done = i + 1;
	}
	if (way->wake)
		pthread_join(waker, NULL);
	printf("{\"waits\":%llu}\n", (unsigned long long)round_count);
	return 0;
}
