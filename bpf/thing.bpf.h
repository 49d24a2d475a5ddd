/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file is, as an awaited thing: a number made from what identifies it. All of it is read by
 * words that may be anything (load.bpf.h): what cannot be read is 0. What it is called is in
 * thing_name.bpf.h.
 *
 * Sockets go by what stays the same from request to request: the ephemeral side is left out, or a
 * server would have a thing for each connection that it ever had.
 */
#ifndef DWELL_THING_BPF_H
#define DWELL_THING_BPF_H

#include "carry.bpf.h"

/*
 * Whose wait is looked at: the current thread's, which leaves its CPU; one that an iterator meets;
 * one that is being woken. Memory can be read of the current one only. Each has room for records of
 * its own: an iterator may be interrupted by the others.
 */
enum awaited_slot {
	AWAITED_IN_SWITCH,
	AWAITED_IN_ITERATOR,
	AWAITED_IN_WAKE,
	AWAITED_IN_FAULT, /* no wait: what an event was on */
	AWAITED_SLOTS
};

const volatile bool cfg_awaited;

#define FIELD(at, type, field) load_word((at) + bpf_core_field_offset(struct type, field))

/* include/uapi/linux/magic.h, stat.h, socket.h, net/tcp_states.h. */
#define ANON_INODE_MAGIC 0x09041934
#define PIPEFS_MAGIC 0x50495045
#define PIDFS_MAGIC 0x50494446
#define S_IFMT 0170000
#define S_IFIFO 0010000
#define S_IFCHR 0020000
#define S_IFBLK 0060000
#define S_IFSOCK 0140000
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define TCP_ESTABLISHED 1
#define TCP_LISTEN 10

/* Eight characters as the word that they are in memory. */
#define WORD8(a, b, c, d, e, f, g, h)                                                              \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 |             \
		(u64)(f) << 40 | (u64)(g) << 48 | (u64)(h) << 56)

/*
 * The highest bits are never set. That of the kernel's addresses is, see is_address(); the one
 * below says in thread.awaited that thread.await.owner is the owner of this thing.
 */
#define HAS_ADDRESS (1ULL << 63)
#define HAS_OWNER (1ULL << 62)

static __always_inline u64 id_of_thing(u32 kind, u64 what, u64 more)
{
	u64 id = mix(mix(RECORD_AWAITED + kind, what), more) << AWAITED_KIND_BITS | kind;

	id &= ~(HAS_ADDRESS | HAS_OWNER);
	return id < AWAITED_FIRST_ID ? id | AWAITED_FIRST_ID : id;
}

/* Is it no thing's number, but where something is in the kernel? */
static __always_inline bool is_address(u64 id)
{
	return id & HAS_ADDRESS;
}

static __always_inline u32 kind_of_thing(u64 id)
{
	return id & (AWAITED_FIRST_ID - 1);
}

/* A thing without a file on any disk: by the beginning of the kernel's word for it. */
static __always_inline u32 kind_of_anonymous(u64 file)
{
	u64 dentry = FIELD(file, file, f_path.dentry);
	u64 word = load_word(FIELD(dentry, dentry, d_name.name));

	if (word == WORD8('[', 'e', 'v', 'e', 'n', 't', 'f', 'd'))
		return AWAITED_EVENTFD;
	if (word == WORD8('[', 't', 'i', 'm', 'e', 'r', 'f', 'd'))
		return AWAITED_TIMERFD;
	if (word == WORD8('[', 's', 'i', 'g', 'n', 'a', 'l', 'f'))
		return AWAITED_SIGNALFD;
	if (word == WORD8('[', 'e', 'v', 'e', 'n', 't', 'p', 'o'))
		return AWAITED_EPOLL;
	if (word == WORD8('[', 'i', 'o', '_', 'u', 'r', 'i', 'n'))
		return AWAITED_IO_URING;
	if (word == WORD8('[', 'p', 'i', 'd', 'f', 'd', ']', 0))
		return AWAITED_PIDFD;
	if (word == WORD8('i', 'n', 'o', 't', 'i', 'f', 'y', 0))
		return AWAITED_INOTIFY;
	return AWAITED_ANONYMOUS;
}

/* struct sock_common is the first in struct sock, and that in all others. */
#define SOCK_FIELD(sock, field) FIELD(sock, sock_common, field)

static __always_inline u64 id_of_network(u64 sock, u32 family)
{
	u64 host = (u32)SOCK_FIELD(sock, skc_daddr), more = 0;
	u32 here = (u16)SOCK_FIELD(sock, skc_num);
	u32 there = __builtin_bswap16((u16)SOCK_FIELD(sock, skc_dport));
	u32 type = (u16)FIELD(sock, sock, sk_type);

	if (family == AF_INET6 && bpf_core_field_exists(struct sock_common, skc_v6_daddr)) {
		host = SOCK_FIELD(sock, skc_v6_daddr);
		more = load_word(sock + bpf_core_field_offset(struct sock_common, skc_v6_daddr) +
				 sizeof(u64));
	}
	if (type != SOCK_STREAM && type != SOCK_DGRAM)
		return id_of_thing(AWAITED_SOCKET, mix(host, more), type);
	if (type == SOCK_DGRAM)
		return id_of_thing(AWAITED_UDP, mix(host, more), there ? there : here << 16);
	if ((u8)SOCK_FIELD(sock, skc_state) == TCP_LISTEN)
		return id_of_thing(AWAITED_TCP_LISTEN, here, 0);
	/* An accepted socket has its listener's backlog; one that connected never had any. */
	if ((u32)FIELD(sock, sock, sk_max_ack_backlog))
		return id_of_thing(AWAITED_TCP_FROM, mix(host, more), here);
	return id_of_thing(AWAITED_TCP_TO, mix(host, more), there);
}

/* Whose address a unix socket is known by: its own, else that which it is connected to. */
static __always_inline u64 unix_address_of(u64 sock, bool *is_own)
{
	u64 address = FIELD(sock, unix_sock, addr);

	*is_own = address;
	if (!address)
		address = FIELD(FIELD(sock, unix_sock, peer), unix_sock, addr);
	return address;
}

/* Words of the longest name of a unix socket, with its family. */
#define UNIX_NAME_WORDS 14

/* Global: verified once. */
__noinline u64 hash_of_name(u64 at, u32 length)
{
	u64 hash = length;

#pragma clang loop unroll(disable)
	for (u32 i = 0; i < UNIX_NAME_WORDS; i++) {
		if (i * sizeof(u64) >= length)
			break;
		hash = mix(hash, load_word(at + i * sizeof(u64)));
	}
	return hash;
}

static __always_inline u64 id_of_unix(u64 sock, u64 inode)
{
	bool is_own, is_stream = (u16)FIELD(sock, sock, sk_type) != SOCK_DGRAM;
	u64 address = unix_address_of(sock, &is_own), name;
	u32 kind, length;

	if (!address)
		return id_of_thing(AWAITED_UNIX_PAIR, FIELD(inode, inode, i_ino), 0);
	/* The address may be another's by now, in the same place: its name tells. */
	length = FIELD(address, unix_address, len);
	name = hash_of_name(address + bpf_core_field_offset(struct unix_address, name), length);
	kind = !is_own || !is_stream ? AWAITED_UNIX_TO : AWAITED_UNIX_FROM;
	if ((u8)SOCK_FIELD(sock, skc_state) == TCP_LISTEN)
		kind = AWAITED_UNIX_LISTEN;
	return id_of_thing(kind, address ^ length, name);
}

static __always_inline u64 sock_of(u64 file)
{
	return FIELD(FIELD(file, file, private_data), socket, sk);
}

static __always_inline u64 id_of_socket(u64 file, u64 inode)
{
	u64 sock = sock_of(file);
	u32 family = (u16)SOCK_FIELD(sock, skc_family);

	if (family == AF_INET || family == AF_INET6)
		return id_of_network(sock, family);
	if (family == AF_UNIX)
		return id_of_unix(sock, inode);
	return id_of_thing(AWAITED_SOCKET, FIELD(inode, inode, i_ino), family);
}

/* Numbers are given again when files are deleted, but not with the same generation. */
static __always_inline u64 number_of_inode(u64 inode)
{
	return FIELD(inode, inode, i_ino) ^ FIELD(inode, inode, i_generation) << 32;
}

static __always_inline u64 id_of_inode(u32 kind, u64 inode, u64 disk)
{
	return id_of_thing(kind, number_of_inode(inode), (u32)FIELD(disk, super_block, s_dev));
}

static __always_inline u64 id_of_file(u64 file)
{
	u64 inode = FIELD(file, file, f_inode), disk, magic;
	u32 mode = FIELD(inode, inode, i_mode) & S_IFMT;

	if (!inode)
		return 0;
	if (mode == S_IFSOCK)
		return id_of_socket(file, inode);
	disk = FIELD(inode, inode, i_sb);
	if (mode == S_IFIFO)
		return id_of_inode(AWAITED_PIPE, inode, disk);
	magic = FIELD(disk, super_block, s_magic);
	if (magic == ANON_INODE_MAGIC)
		return id_of_thing(kind_of_anonymous(file), FIELD(file, file, private_data), 0);
	if (magic == PIDFS_MAGIC)
		return id_of_inode(AWAITED_PIDFD, inode, disk);
	return id_of_inode(
		mode == S_IFCHR || mode == S_IFBLK ? AWAITED_DEVICE : AWAITED_FILE, inode, disk);
}

#endif
