// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * things [FOLDER]: threads wait for things that have a file descriptor and are no sockets, each for
 * one, as things.h says. FOLDER (.) gets a fifo and files.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

#include "things.h"

static char folder[PATH_MAX];

static void inode_of_fd(struct thing *thing)
{
	struct stat info;

	if (fstat(thing->fds[0], &info))
		die("fstat");
	thing->address = info.st_ino;
}

/* One byte, or eight of an eventfd or timerfd, is one wait. */
static void read_some(struct thing *thing)
{
	char bytes[256];

	if (read(thing->fds[0], bytes, sizeof(bytes)) <= 0)
		die("read");
}

static void write_byte(struct thing *thing)
{
	give(thing->fds[1]);
}

static void write_number(struct thing *thing)
{
	if (eventfd_write(thing->fds[1], 1))
		die("eventfd_write");
}

/* Pipes, files and terminals. */

static void prepare_pipe(struct thing *thing)
{
	if (pipe(thing->fds))
		die("pipe");
	inode_of_fd(thing);
}

static void prepare_fifo(struct thing *thing)
{
	thing_path(thing, folder, "fifo");
	unlink(thing->name);
	if (mkfifo(thing->name, 0600))
		die("mkfifo");
	thing->fds[0] = thing->fds[1] = open(thing->name, O_RDWR);
	inode_of_fd(thing);
}

static void prepare_flock(struct thing *thing)
{
	thing_path(thing, folder, "locked");
	for (int i = 0; i < 2; i++)
		thing->fds[i] = open(thing->name, O_RDWR | O_CREAT, 0600);
	inode_of_fd(thing);
}

static void begin_flock(struct thing *thing)
{
	if (flock(thing->fds[1], LOCK_EX))
		die("flock");
}

static void wait_flock(struct thing *thing)
{
	if (flock(thing->fds[0], LOCK_EX) || flock(thing->fds[0], LOCK_UN))
		die("flock");
}

static void end_flock(struct thing *thing)
{
	flock(thing->fds[1], LOCK_UN);
}

static void prepare_terminal(struct thing *thing)
{
	thing->fds[1] = posix_openpt(O_RDWR | O_NOCTTY);
	if (thing->fds[1] < 0 || grantpt(thing->fds[1]) || unlockpt(thing->fds[1]))
		die("posix_openpt");
	thing_name(thing, ptsname(thing->fds[1]));
	thing->fds[0] = open(thing->name, O_RDWR | O_NOCTTY);
	if (thing->fds[0] < 0)
		die("open");
}

static void write_line(struct thing *thing)
{
	if (write(thing->fds[1], "\n", 1) != 1)
		die("write");
}

/* Files without a name. */

static void prepare_eventfd(struct thing *thing)
{
	thing->fds[0] = thing->fds[1] = eventfd(0, 0);
}

static void prepare_timerfd(struct thing *thing)
{
	thing->fds[0] = timerfd_create(CLOCK_MONOTONIC, 0);
}

static void wait_timerfd(struct thing *thing)
{
	struct itimerspec once = {.it_value.tv_nsec = THING_WAIT_MS * NS_PER_MS};

	if (timerfd_settime(thing->fds[0], 0, &once, NULL))
		die("timerfd_settime");
	read_some(thing);
}

/* All threads inherit that the signal is blocked. */
static void prepare_signalfd(struct thing *thing)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	thing->fds[0] = signalfd(-1, &set, 0);
}

static void send_signal(struct thing *thing)
{
	(void)thing;
	kill(getpid(), SIGUSR1);
}

/* What is changed is a file that is open: making one might wait for a disk. */
static void prepare_inotify(struct thing *thing)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/watched", folder);
	thing->fds[1] = open(path, O_RDWR | O_CREAT, 0600);
	thing->fds[0] = inotify_init1(0);
	if (thing->fds[1] < 0 || inotify_add_watch(thing->fds[0], path, IN_ATTRIB) < 0)
		die("inotify_add_watch");
}

static void change_file(struct thing *thing)
{
	if (fchmod(thing->fds[1], 0600))
		die("fchmod");
}

static pid_t sleeping_child;

static void prepare_pidfd(struct thing *thing)
{
	sleeping_child = fork();
	if (!sleeping_child) {
		set_name("sleeping-child");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	thing->fds[0] = (int)syscall(SYS_pidfd_open, sleeping_child, 0);
	if (sleeping_child < 0 || thing->fds[0] < 0)
		die("pidfd_open");
}

static void wait_poll_timeout(struct thing *thing)
{
	struct pollfd one = {.fd = thing->fds[0], .events = POLLIN};

	if (poll(&one, 1, THING_WAIT_MS + 1))
		die("poll");
}

/* One file out of many. */

static void wait_poll_one(struct thing *thing)
{
	struct pollfd one = {.fd = thing->fds[0], .events = POLLIN};

	if (poll(&one, 1, -1) != 1)
		die("poll");
	read_some(thing);
}

static void prepare_poll_several(struct thing *thing)
{
	prepare_pipe(thing);
	thing->address = 0;
}

static void wait_poll_several(struct thing *thing)
{
	struct pollfd several[] = {
		{.fd = thing->fds[1], .events = POLLPRI}, {.fd = thing->fds[0], .events = POLLIN}};

	if (poll(several, 2, -1) != 1)
		die("poll");
	read_some(thing);
}

static int epoll_of(const int *fds, int count)
{
	int epoll = epoll_create1(0);

	for (int i = 0; i < count; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = fds[i]};
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event))
			die("epoll_ctl");
	}
	return epoll;
}

/* Among them one that becomes ready, which is not the first. */
static void prepare_epoll_event(struct thing *thing)
{
	int fds[4];

	if (pipe(fds))
		die("pipe");
	for (int i = 1; i < 4; i++)
		fds[i] = eventfd(0, EFD_NONBLOCK);
	thing->fds[1] = fds[2];
	thing->fds[0] = epoll_of(fds, 4);
}

static void wait_epoll(struct thing *thing)
{
	struct epoll_event event;
	char bytes[8];

	if (epoll_wait(thing->fds[0], &event, 1, -1) != 1 ||
		read(event.data.fd, bytes, sizeof(bytes)) <= 0)
		die("epoll_wait");
}

static void prepare_epoll_timeout(struct thing *thing)
{
	int fd = eventfd(0, 0);

	thing->fds[0] = epoll_of(&fd, 1);
}

static void wait_epoll_timeout(struct thing *thing)
{
	struct epoll_event event;

	if (epoll_wait(thing->fds[0], &event, 1, THING_WAIT_MS + 1))
		die("epoll_wait");
}

/* clang-format off */
static struct thing things[] = {
	{"pipe", "pipe", prepare_pipe, .wait = read_some, .end = write_byte},
	{"fifo", "pipe", prepare_fifo, .wait = read_some, .end = write_byte},
	{"flock", "file", prepare_flock, .begin = begin_flock, .wait = wait_flock, .end = end_flock},
	{"terminal", "device", prepare_terminal, .wait = read_some, .end = write_line},
	{"eventfd", "eventfd", prepare_eventfd, .wait = read_some, .end = write_number},
	{"timerfd", "timerfd", prepare_timerfd, .wait = wait_timerfd},
	{"signalfd", "signalfd", prepare_signalfd, .wait = read_some, .end = send_signal},
	{"inotify", "inotify", prepare_inotify, .wait = read_some, .end = change_file},
	{"pidfd", "pidfd", prepare_pidfd, .wait = wait_poll_timeout},
	{"poll one", "pipe", prepare_pipe, .wait = wait_poll_one, .end = write_byte},
	{"poll several", "poll set", prepare_poll_several, .wait = wait_poll_several, .end = write_byte},
	{"epoll event", "eventfd", prepare_epoll_event, .wait = wait_epoll, .end = write_number},
	{"epoll timeout", "epoll", prepare_epoll_timeout, .wait = wait_epoll_timeout},
};
/* clang-format on */

int main(int argc, char **argv)
{
	if (!realpath(argc > 1 ? argv[1] : ".", folder))
		die("realpath");
	things_run(things, sizeof(things) / sizeof(*things));
	if (sleeping_child > 0)
		kill(sleeping_child, SIGKILL);
	return 0;
}
