// SPDX-License-Identifier: GPL-2.0-or-later
/* Words for awaited things, and which of them a wait can have been for. */
#include "model/awaited.h"

#include <inttypes.h>
#include <string.h>

#include "util/mem.h"
#include "util/text.h"

/* What a thing of a kind is called: stored, by itself, and several that are not told apart. */
struct kind {
	const char *name;
	const char *one;
	const char *several;
};

/* clang-format off */
static const struct kind kinds[AWAITED_KINDS] = {
	[AWAITED_NONE] = {"none", "nothing told", "nothing told"},
	[AWAITED_FILE] = {"file", "a file", "other files"},
	[AWAITED_DEVICE] = {"device", "a device", "other devices"},
	[AWAITED_PIPE] = {"pipe", "a pipe", "other pipes"},
	[AWAITED_TCP_TO] = {"tcp to", "TCP to", "other TCP servers"},
	[AWAITED_TCP_FROM] = {"tcp from", "a TCP client", "other TCP clients"},
	[AWAITED_TCP_LISTEN] = {"tcp listen", "TCP connections", "other TCP connections"},
	[AWAITED_UDP] = {"udp", "UDP", "other UDP sockets"},
	[AWAITED_UNIX_TO] = {"unix to", "unix socket", "other unix sockets"},
	[AWAITED_UNIX_FROM] = {"unix from", "its client on a unix socket", "other clients on unix sockets"},
	[AWAITED_UNIX_LISTEN] = {"unix listen", "connections to unix socket", "other connections to unix sockets"},
	[AWAITED_UNIX_PAIR] = {"unix pair", "an unnamed unix socket", "other unnamed unix sockets"},
	[AWAITED_SOCKET] = {"socket", "a socket", "other sockets"},
	[AWAITED_EVENTFD] = {"eventfd", "an eventfd", "other eventfds"},
	[AWAITED_TIMERFD] = {"timerfd", "a timerfd", "other timerfds"},
	[AWAITED_SIGNALFD] = {"signalfd", "a signal (signalfd)", "other signalfds"},
	[AWAITED_INOTIFY] = {"inotify", "a change of files (inotify)", "other inotify descriptors"},
	[AWAITED_PIDFD] = {"pidfd", "a process (pidfd)", "other pidfds"},
	[AWAITED_EPOLL] = {"epoll", "an epoll set", "an epoll set"},
	[AWAITED_IO_URING] = {"io_uring", "an io_uring", "other io_urings"},
	[AWAITED_ANONYMOUS] = {"anonymous", "an anonymous file", "other anonymous files"},
	[AWAITED_POLL_SET] = {"poll set", "one of several files", "one of several files"},
	[AWAITED_CHILD] = {"child", "process", "other children"},
	[AWAITED_ANY_CHILD] = {"any child", "any child", "any child"},
	[AWAITED_FUTEX] = {"futex", "a futex", "other futexes"},
	[AWAITED_KERNEL_MUTEX] = {"kernel mutex", "a kernel mutex", "other kernel mutexes"},
	[AWAITED_KERNEL_RWSEM] = {"kernel rwsem", "a kernel rwsem", "other kernel rwsems"},
	[AWAITED_KERNEL_SEMAPHORE] = {"kernel semaphore", "a kernel semaphore", "other kernel semaphores"},
	[AWAITED_MMAP_LOCK] = {"mmap_lock", "its address space (mmap_lock)", "address spaces (mmap_lock)"},
	[AWAITED_FAULT] = {"fault", "a page of a file", "pages of other files"},
	[AWAITED_SEMAPHORES] = {"semaphores", "System V semaphores", "other System V semaphores"},
	[AWAITED_MESSAGE_QUEUE] = {"message queue", "a message queue", "other message queues"},
};
/* clang-format on */

static const struct kind *kind_of(enum awaited_kind kind)
{
	return &kinds[(unsigned int)kind < AWAITED_KINDS ? kind : AWAITED_NONE];
}

const char *awaited_kind_name(enum awaited_kind kind)
{
	return (unsigned int)kind < AWAITED_KINDS ? kinds[kind].name : "unknown";
}

#define BIT(reason) (1u << (reason))

bool awaited_fits(enum awaited_kind kind, enum reason reason)
{
	/* What reading or writing a file can wait for, beside its disk. */
	static const unsigned int file = BIT(REASON_DISK) | BIT(REASON_JOURNAL) | BIT(REASON_LOCK) |
					 BIT(REASON_KERNEL) | BIT(REASON_UNKNOWN) |
					 BIT(REASON_TTY) | BIT(REASON_POLL) | BIT(REASON_SLEEP) |
					 BIT(REASON_SIGNAL);
	static const unsigned int socket = BIT(REASON_SOCKET) | BIT(REASON_ACCEPT) |
					   BIT(REASON_POLL) | BIT(REASON_LOCK) |
					   BIT(REASON_UNKNOWN) | BIT(REASON_KERNEL);
	static const unsigned int polled = BIT(REASON_POLL) | BIT(REASON_UNKNOWN) |
					   BIT(REASON_KERNEL) | BIT(REASON_SLEEP) |
					   BIT(REASON_SIGNAL);
	unsigned int reasons;

	switch (kind) {
	case AWAITED_FILE:
	case AWAITED_DEVICE:
		reasons = file;
		break;
	case AWAITED_PIPE:
		reasons = BIT(REASON_PIPE) | BIT(REASON_POLL) | BIT(REASON_LOCK) |
			  BIT(REASON_UNKNOWN);
		break;
	case AWAITED_TCP_TO:
	case AWAITED_TCP_FROM:
	case AWAITED_TCP_LISTEN:
	case AWAITED_UDP:
	case AWAITED_UNIX_TO:
	case AWAITED_UNIX_FROM:
	case AWAITED_UNIX_LISTEN:
	case AWAITED_UNIX_PAIR:
	case AWAITED_SOCKET:
		reasons = socket;
		break;
	case AWAITED_IO_URING:
		reasons = BIT(REASON_IO_URING) | BIT(REASON_POLL) | BIT(REASON_UNKNOWN);
		break;
	case AWAITED_CHILD:
	case AWAITED_ANY_CHILD:
		reasons = BIT(REASON_CHILD);
		break;
	case AWAITED_FUTEX:
		reasons = BIT(REASON_FUTEX) | BIT(REASON_LOCK);
		break;
	case AWAITED_KERNEL_MUTEX:
	case AWAITED_KERNEL_RWSEM:
	case AWAITED_KERNEL_SEMAPHORE:
	case AWAITED_MMAP_LOCK:
		reasons = BIT(REASON_LOCK);
		break;
	case AWAITED_FAULT:
		reasons = BIT(REASON_FAULT) | BIT(REASON_DISK) | BIT(REASON_JOURNAL);
		break;
	case AWAITED_SEMAPHORES:
	case AWAITED_MESSAGE_QUEUE:
		reasons = BIT(REASON_LOCK) | BIT(REASON_UNKNOWN) | BIT(REASON_KERNEL) |
			  BIT(REASON_SIGNAL);
		break;
	case AWAITED_NONE:
		return false;
	default:
		reasons = polled;
	}
	return (unsigned int)reason < REASONS && (reasons & BIT(reason));
}

/* Of an IPv6 address in brackets, so that the port can be told from it. */
static char *with_port(const char *what, const char *address, uint32_t port)
{
	bool is_v6 = strchr(address, ':');

	return xasprintf("%s %s%s%s:%u", what, is_v6 ? "[" : "", address, is_v6 ? "]" : "", port);
}

static char *text_of_network(const struct awaited *awaited, const char *address)
{
	switch (awaited->kind) {
	case AWAITED_TCP_TO:
		return *address ? with_port("TCP to", address, awaited->port)
				: xasprintf("TCP to port %u", awaited->port);
	case AWAITED_TCP_FROM:
		return *address ? xasprintf("its client on :%u from %s", awaited->port, address)
				: xasprintf("its client on :%u", awaited->port);
	case AWAITED_TCP_LISTEN:
		return xasprintf("TCP connections to :%u", awaited->port);
	default:
		return *address ? with_port("UDP to", address, awaited->port)
				: xasprintf("UDP on :%u", awaited->port);
	}
}

static char *text_of_futex(const struct awaited *awaited, const char *primitive)
{
	const char *what = primitive ? primitive : "futex";

	if (*awaited->name)
		return xasprintf(
			"%s %s%s", what, *awaited->name == '/' ? "in " : "", awaited->name);
	if (*awaited->place)
		return xasprintf(
			"%s at 0x%" PRIx64 " (%s)", what, awaited->address, awaited->place);
	return xasprintf("%s at 0x%" PRIx64, what, awaited->address);
}

static char *text_of_file(const struct awaited *awaited, const char *path)
{
	const char *one = kind_of(awaited->kind)->one;

	if (*path)
		return awaited->kind == AWAITED_FAULT ? xasprintf("a page of %s", path)
						      : xstrdup(path);
	return *awaited->place ? xasprintf("%s on %s", one, awaited->place) : xstrdup(one);
}

char *awaited_text(const struct awaited *awaited, const char *primitive, bool is_redacted)
{
	const struct kind *kind = kind_of(awaited->kind);
	_cleanup_free_ char *name = text_clean(is_redacted ? "" : awaited->name, false);

	if (awaited->is_folded)
		return xstrdup(kind->several);
	switch (awaited->kind) {
	case AWAITED_FILE:
	case AWAITED_DEVICE:
	case AWAITED_FAULT:
		return text_of_file(awaited, name);
	case AWAITED_TCP_TO:
	case AWAITED_TCP_FROM:
	case AWAITED_TCP_LISTEN:
	case AWAITED_UDP:
		return text_of_network(awaited, name);
	case AWAITED_UNIX_FROM:
		return *name ? xasprintf("its client on %s", name) : xstrdup(kind->one);
	case AWAITED_PIPE:
		return *name ? xasprintf("pipe %s", name)
			     : xasprintf("pipe %" PRIu64, awaited->address);
	case AWAITED_CHILD:
		return xasprintf("process %" PRIu64, awaited->address);
	case AWAITED_SEMAPHORES:
	case AWAITED_MESSAGE_QUEUE:
		return xasprintf("%s %" PRIu64, kind->one, awaited->address);
	case AWAITED_FUTEX: {
		/* Symbols are no secret, as functions' names are none; paths of shared memory are.
		 */
		struct awaited clean = *awaited;
		bool is_secret = is_redacted && *awaited->name == '/';
		_cleanup_free_ char *symbol = text_clean(is_secret ? "" : awaited->name, false);
		_cleanup_free_ char *place = text_clean(awaited->place, false);
		clean.name = symbol;
		clean.place = place;
		return text_of_futex(&clean, primitive);
	}
	case AWAITED_KERNEL_MUTEX:
	case AWAITED_KERNEL_RWSEM:
	case AWAITED_KERNEL_SEMAPHORE:
	case AWAITED_ANONYMOUS: {
		_cleanup_free_ char *word = text_clean(awaited->name, false);
		return *word ? xasprintf("%s (%s)", kind->one, word) : xstrdup(kind->one);
	}
	default:
		return *name ? xasprintf("%s %s", kind->one, name) : xstrdup(kind->one);
	}
}
