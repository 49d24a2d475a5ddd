/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both sides agree on about awaited things: what a wait was for. A thing is known by a number
 * whose low bits are its kind; what it is called travels once, like a stack.
 */
#ifndef DWELL_CONTRACT_AWAITED_H
#define DWELL_CONTRACT_AWAITED_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* The numbers are part of the recording format: append only. model/awaited.h has the words. */
enum awaited_kind {
	AWAITED_NONE = 0,
	AWAITED_FILE = 1,         /* a file or folder, by its path */
	AWAITED_DEVICE = 2,       /* a device, by its path */
	AWAITED_PIPE = 3,         /* a pipe; a named one by its path */
	AWAITED_TCP_TO = 4,       /* a connection that this side made: the other's address, port */
	AWAITED_TCP_FROM = 5,     /* one that it accepted: its own port, the other's address */
	AWAITED_TCP_LISTEN = 6,   /* new connections, by the port */
	AWAITED_UDP = 7,          /* the other's address and port if connected, else the own port */
	AWAITED_UNIX_TO = 8,      /* a unix socket, by the path or name that it was connected to */
	AWAITED_UNIX_FROM = 9,    /* one that was accepted, by the path of its listener */
	AWAITED_UNIX_LISTEN = 10, /* new connections, by the path */
	AWAITED_UNIX_PAIR = 11,   /* a unix socket without names */
	AWAITED_SOCKET = 12,      /* of another family */
	AWAITED_EVENTFD = 13,
	AWAITED_TIMERFD = 14,
	AWAITED_SIGNALFD = 15,
	AWAITED_INOTIFY = 16,
	AWAITED_PIDFD = 17,
	AWAITED_EPOLL = 18,     /* an epoll set, of which nothing became ready, or it is not told */
	AWAITED_IO_URING = 19,  /* a ring: not which of its requests */
	AWAITED_ANONYMOUS = 20, /* another thing without a file, by the kernel's word for it */
	AWAITED_POLL_SET = 21,  /* one of several files */
	AWAITED_CHILD = 22,     /* a process's end, by its pid */
	AWAITED_ANY_CHILD = 23,
	AWAITED_FUTEX = 24,        /* a word of memory: whose, and where */
	AWAITED_KERNEL_MUTEX = 25, /* the kernel's own locks; the name is what they are in */
	AWAITED_KERNEL_RWSEM = 26,
	AWAITED_KERNEL_SEMAPHORE = 27,
	AWAITED_MMAP_LOCK = 28,  /* a process's address space */
	AWAITED_FAULT = 29,      /* a page of a file, which a fault needed */
	AWAITED_SEMAPHORES = 30, /* of System V, by their id */
	AWAITED_MESSAGE_QUEUE = 31,
	AWAITED_KINDS,
};

/*
 * Numbers below AWAITED_FIRST_ID are kinds: things of that kind that are not told apart, because
 * there were too many of them or because nothing tells them apart.
 */
#define AWAITED_KIND_BITS 6
#define AWAITED_FIRST_ID (1 << AWAITED_KIND_BITS)

#endif
