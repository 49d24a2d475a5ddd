/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file is, as an awaited thing: a number made from what identifies it, and, when that is
 * new, a record that says what it is called. All of it is read by words that may be anything
 * (load.bpf.h): what cannot be read is 0, and a file that is being closed gives a thing without a
 * name at worst.
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
enum awaited_slot { AWAITED_IN_SWITCH, AWAITED_IN_ITERATOR, AWAITED_IN_WAKE, AWAITED_SLOTS };

/* Room for records that are being made. */
struct awaited_room {
	struct record_awaited record;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, AWAITED_SLOTS);
	__type(key, u32);
	__type(value, struct awaited_room);
} awaited_rooms SEC(".maps");

const volatile bool cfg_awaited;

static __always_inline struct awaited_room *awaited_room_of(u32 slot)
{
	return cfg_awaited ? bpf_map_lookup_elem(&awaited_rooms, &slot) : NULL;
}

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

/* The highest bit is never set: that of the kernel's addresses is, see is_address(). */
static __always_inline u64 id_of_thing(u32 kind, u64 what, u64 more)
{
	u64 id = mix(mix(RECORD_AWAITED + kind, what), more) << AWAITED_KIND_BITS | kind;

	id &= ~(1ULL << 63);
	return id < AWAITED_FIRST_ID ? id | AWAITED_FIRST_ID : id;
}

/* Is it no thing's number, but where something is in the kernel? */
static __always_inline bool is_address(u64 id)
{
	return id >> 63;
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

/* Parts of a path that are looked at, mounts included. */
#define PATH_STEPS 40

/* What is walked over: stored, so that the verifier knows as little of it in each round. */
struct path_walk {
	u64 dentry;
	u64 mount;
	u64 root_dentry;
	u64 root_mount;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, AWAITED_SLOTS);
	__type(key, u32);
	__type(value, struct path_walk);
} path_walks SEC(".maps");

static __always_inline struct path_walk *path_walk_of(u32 slot)
{
	return cfg_awaited ? bpf_map_lookup_elem(&path_walks, &slot) : NULL;
}

/* A dentry's name behind what the record has, with a NUL. */
static __always_inline void add_part(struct record_awaited *record, u64 dentry)
{
	u32 length = FIELD(dentry, dentry, d_name.len), at = record->name_bytes;

	/* Or the compiler leaves out what bounds it, which it knows and old kernels do not. */
	opaque(at);
	length &= AWAITED_PART_BYTES - 1;
	bpf_probe_read_kernel(&record->name[at & (AWAITED_NAME_BYTES - 1)], length,
		(void *)FIELD(dentry, dentry, d_name.name));
	at += length;
	record->name_bytes = at + 1;
	opaque(at);
	record->name[at & (2 * AWAITED_NAME_BYTES - 1)] = 0;
}

/* One step towards the root; false at the end. */
static __always_inline bool path_step(struct path_walk *walk, struct record_awaited *record)
{
	u64 dentry = walk->dentry, mount = walk->mount, parent;

	if (dentry == walk->root_dentry && mount == walk->root_mount)
		return false;
	if (mount && dentry == FIELD(mount, vfsmount, mnt_root)) {
		u64 whole = mount - bpf_core_field_offset(struct mount, mnt);

		parent = FIELD(whole, mount, mnt_parent);
		if (!parent || parent == whole)
			return false;
		walk->dentry = FIELD(whole, mount, mnt_mountpoint);
		walk->mount = parent + bpf_core_field_offset(struct mount, mnt);
		return true;
	}
	parent = FIELD(dentry, dentry, d_parent);
	if (!parent || parent == dentry)
		return false;
	if (record->name_bytes >= AWAITED_NAME_BYTES) {
		record->is_cut = true;
		return false;
	}
	add_part(record, dentry);
	walk->dentry = parent;
	return true;
}

/* Fills in the path of the dentry in that slot's walk. Global: verified once. */
__noinline int add_path(u32 slot)
{
	struct path_walk *walk = path_walk_of(slot);
	struct awaited_room *room = awaited_room_of(slot);
	u64 parent;

	if (!walk || !room)
		return 0;
	parent = FIELD(walk->dentry, dentry, d_parent);
	/* What is in no folder and is no file system's root has a name by itself: "memfd:x". */
	if (parent == walk->dentry && walk->dentry != FIELD(walk->mount, vfsmount, mnt_root)) {
		add_part(&room->record, walk->dentry);
		return 0;
	}
	room->record.is_path = true;
	room->record.is_gone = parent != walk->dentry && !FIELD(walk->dentry, dentry, d_hash.pprev);
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < PATH_STEPS; i++)
		if (!path_step(walk, &room->record))
			return 0;
	room->record.is_cut = true;
	return 0;
}

static __always_inline void name_path(struct cpu *cpu, u32 slot, u64 dentry, u64 mount)
{
	struct path_walk *walk = path_walk_of(slot);
	u64 fs = FIELD(cpu->await_task[slot & 3], task_struct, fs);

	if (!walk)
		return;
	walk->dentry = dentry;
	walk->mount = mount;
	walk->root_dentry = FIELD(fs, fs_struct, root.dentry);
	walk->root_mount = FIELD(fs, fs_struct, root.mnt);
	add_path(slot);
}

static __always_inline void name_network(struct record_awaited *record, u64 sock, u32 family)
{
	bool is_connected = SOCK_FIELD(sock, skc_dport) & 0xffff;
	u32 kind = record->awaited_kind;

	record->port = (u16)SOCK_FIELD(sock, skc_num);
	if (kind == AWAITED_TCP_TO || (kind == AWAITED_UDP && is_connected))
		record->port = __builtin_bswap16((u16)SOCK_FIELD(sock, skc_dport));
	if (kind == AWAITED_TCP_LISTEN || !is_connected)
		return;
	record->family = family;
	if (family == AF_INET)
		bpf_probe_read_kernel(record->host, sizeof(u32),
			(void *)(sock + bpf_core_field_offset(struct sock_common, skc_daddr)));
	else if (bpf_core_field_exists(struct sock_common, skc_v6_daddr))
		bpf_probe_read_kernel(record->host, sizeof(record->host),
			(void *)(sock + bpf_core_field_offset(struct sock_common, skc_v6_daddr)));
}

/* The family that an address begins with is left out. */
static __always_inline void name_unix(struct record_awaited *record, u64 sock)
{
	bool is_own;
	u64 address = unix_address_of(sock, &is_own);
	u32 length = FIELD(address, unix_address, len);

	if (!address || length <= 2)
		return;
	length -= 2;
	if (length > 108)
		length = 108;
	bpf_probe_read_kernel(record->name, length & 127,
		(void *)(address + bpf_core_field_offset(struct unix_address, name) + 2));
	record->name_bytes = length;
}

static __always_inline void name_socket(struct record_awaited *record, u64 file)
{
	u64 sock = sock_of(file);
	u32 family = (u16)SOCK_FIELD(sock, skc_family);

	if (family == AF_UNIX)
		name_unix(record, sock);
	else if (family == AF_INET || family == AF_INET6)
		name_network(record, sock, family);
}

static __always_inline void begin_record(struct record_awaited *record, u64 id)
{
	__builtin_memset(record, 0, __builtin_offsetof(struct record_awaited, name));
	record->kind = RECORD_AWAITED;
	record->awaited_kind = kind_of_thing(id);
	record->id = id;
}

static __always_inline void send_record(struct cpu *cpu, struct record_awaited *record)
{
	u32 slot = (record->id ^ record->id >> 32) & cfg_seen_mask;
	u64 *known = bpf_map_lookup_elem(&seen, &slot);
	u64 bytes = record->name_bytes;

	if (!known)
		return;
	if (bytes > sizeof(record->name))
		bytes = sizeof(record->name);
	if (bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > cfg_ring_for_stacks ||
		bpf_ringbuf_output(&records, record,
			__builtin_offsetof(struct record_awaited, name) + bytes, BPF_RB_NO_WAKEUP))
		count(cpu, COUNTER_LOST_AWAITED, 1);
	else
		*known = record->id;
}

/* Whether names of a kind are those of the file system. */
static __always_inline bool has_path(u32 kind)
{
	return kind == AWAITED_FILE || kind == AWAITED_DEVICE || kind == AWAITED_PIPE ||
	       kind == AWAITED_FAULT || kind == AWAITED_ANONYMOUS;
}

static __always_inline void note_inode(struct record_awaited *record, u64 inode)
{
	u64 disk = FIELD(inode, inode, i_sb);

	record->address = FIELD(inode, inode, i_ino);
	bpf_probe_read_kernel(record->place, sizeof(record->place),
		(void *)(disk + bpf_core_field_offset(struct super_block, s_id)));
}

/* Says what the thing with that number, which is this file, is called. Global: verified once. */
__noinline int send_file(struct cpu *cpu, u64 file, u64 id, u32 slot)
{
	struct awaited_room *room = awaited_room_of(slot);
	u32 kind = kind_of_thing(id);

	if (!cpu || !room)
		return 0;
	begin_record(&room->record, id);
	if (kind >= AWAITED_TCP_TO && kind <= AWAITED_SOCKET)
		name_socket(&room->record, file);
	else if (has_path(kind))
		name_path(
			cpu, slot, FIELD(file, file, f_path.dentry), FIELD(file, file, f_path.mnt));
	if (kind != AWAITED_ANONYMOUS)
		note_inode(&room->record, FIELD(file, file, f_inode));
	send_record(cpu, &room->record);
	return 0;
}

/* The number of the thing that a file is, which user space is told of; 0: none. */
static __always_inline u64 thing_of_file(struct cpu *cpu, u64 file, u32 slot)
{
	u64 id = file ? id_of_file(file) : 0;

	if (id && !was_sent(id))
		send_file(cpu, file, id, slot);
	return id;
}

/* Where a file system is mounted first; there may be other places. */
static __always_inline u64 first_mount(u64 disk)
{
	if (!bpf_core_field_exists(struct mount___listed, mnt_instance))
		return FIELD(disk, super_block, s_mounts);
	return FIELD(disk, super_block___listed, s_mounts.next) -
	       bpf_core_field_offset(struct mount___listed, mnt_instance);
}

/* The same of a page that was faulted in, of which the file's inode is known. */
__noinline int send_fault(struct cpu *cpu, u64 inode, u64 id, u32 slot)
{
	struct awaited_room *room = awaited_room_of(slot);
	u64 dentry = FIELD(inode, inode, i_dentry.first), mount;

	if (!cpu || !room)
		return 0;
	begin_record(&room->record, id);
	note_inode(&room->record, inode);
	mount = first_mount(FIELD(inode, inode, i_sb));
	if (dentry)
		name_path(cpu, slot, dentry - bpf_core_field_offset(struct dentry, d_u.d_alias),
			mount ? mount + bpf_core_field_offset(struct mount, mnt) : 0);
	send_record(cpu, &room->record);
	return 0;
}

/* Things that a number says all of: pids, ids of System V, addresses. */
static __always_inline u64 thing_of_number(
	struct cpu *cpu, u32 kind, u32 image, u64 number, bool is_shared, u32 slot)
{
	u64 id = id_of_thing(kind, image, number);
	struct awaited_room *room;

	if (was_sent(id))
		return id;
	room = awaited_room_of(slot);
	if (!room)
		return id;
	begin_record(&room->record, id);
	room->record.image = image;
	room->record.address = number;
	room->record.is_shared = is_shared;
	send_record(cpu, &room->record);
	return id;
}

#endif
