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

/* How a system call says what it waits for; by its number, from user space to the programs. */
enum awaited_call {
	CALL_SAYS_NOTHING,
	CALL_OF_FILE,   /* the file of argument 0 */
	CALL_OF_STREAM, /* the same, but of two files the other one may be waited for: only if it is
			   a pipe or a socket */
	CALL_OF_EPOLL,  /* whatever of the set of argument 0 becomes ready first */
	CALL_OF_POLL,   /* argument 0: an array of as many files as argument 1 says */
	CALL_OF_SELECT, /* one of several */
	CALL_OF_CHILD,  /* the pid of argument 0; none above 0: any child */
	CALL_OF_WAITID, /* the same in argument 1, of the type in argument 0 */
	CALL_OF_FUTEX,  /* the address in argument 0, operation, expected value */
	CALL_OF_FUTEX_2, /* the address in argument 0, expected value */
	CALL_OF_FUTEXES, /* one of several */
	CALL_OF_SEMAPHORES,
	CALL_OF_MESSAGES,
};
#define AWAITED_CALLS 512

/* Room for a path, and the longest name in one. */
#define AWAITED_NAME_BYTES 1024
#define AWAITED_PART_BYTES 256

/*
 * RECORD_AWAITED: what a number stands for. A path comes as its parts, the last one first, each
 * with a NUL behind it: as the kernel has it. Only name_bytes of the name are sent.
 */
struct record_awaited {
	__u32 kind;
	__u8 awaited_kind;  /* enum awaited_kind */
	__u8 family;        /* of host: AF_INET or AF_INET6; 0: there is none */
	__u8 is_path;       /* the name is one, in parts */
	__u8 is_gone : 1;   /* the file has no name any more */
	__u8 is_cut : 1;    /* the path has more parts */
	__u8 is_shared : 1; /* a futex that other processes may use, too */
	__u8 pad : 5;
	__u64 id;
	__u32 image; /* of a futex */
	__u32 port;
	__u64 address; /* inode, pid, id of System V, or where a futex is */
	__u8 host[16];
	char place[32]; /* the file system's device */
	__u32 name_bytes;
	__u32 pad_2;
	char name[2 * AWAITED_NAME_BYTES];
};

#endif
