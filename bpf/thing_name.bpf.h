/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What awaited things are called: a record for each that is new, with its path, address or number.
 * A file that is being closed gives a thing without a name at worst.
 */
#ifndef DWELL_THING_NAME_BPF_H
#define DWELL_THING_NAME_BPF_H

#include "thing.bpf.h"

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

static __always_inline struct awaited_room *awaited_room_of(u32 slot)
{
	return cfg_awaited ? bpf_map_lookup_elem(&awaited_rooms, &slot) : NULL;
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

/* One step of that slot's walk towards the root; 0 at the end. Global: verified once. */
__noinline int path_step(u32 slot)
{
	struct path_walk *walk = path_walk_of(slot);
	struct awaited_room *room = awaited_room_of(slot);
	u64 dentry, mount, parent;

	if (!walk || !room)
		return 0;
	dentry = walk->dentry;
	mount = walk->mount;
	if (dentry == walk->root_dentry && mount == walk->root_mount)
		return 0;
	if (mount && dentry == FIELD(mount, vfsmount, mnt_root)) {
		u64 whole = mount - bpf_core_field_offset(struct mount, mnt);

		parent = FIELD(whole, mount, mnt_parent);
		if (!parent || parent == whole)
			return 0;
		walk->dentry = FIELD(whole, mount, mnt_mountpoint);
		walk->mount = parent + bpf_core_field_offset(struct mount, mnt);
		return 1;
	}
	parent = FIELD(dentry, dentry, d_parent);
	if (!parent || parent == dentry)
		return 0;
	if (room->record.name_bytes >= AWAITED_NAME_BYTES) {
		room->record.is_cut = true;
		return 0;
	}
	add_part(&room->record, dentry);
	walk->dentry = parent;
	return 1;
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
		if (!path_step(slot))
			return 0;
	room->record.is_cut = true;
	return 0;
}

static __always_inline void name_path(struct cpu *cpu, u32 slot, u64 dentry, u64 mount)
{
	struct path_walk *walk = path_walk_of(slot);
	u64 fs = FIELD(cpu->calls[slot & 3].task, task_struct, fs);

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

/*
 * The number of the thing that a file is, which user space is told of; 0: none. Global: verified
 * once.
 */
__noinline u64 thing_of_file(struct cpu *cpu, u64 file, u32 slot)
{
	u64 id = file ? id_of_file(file) : 0;

	if (!cpu)
		return 0;
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

/* With a kind: the memory that it is in is shared with other processes. */
#define AWAITED_SHARED (1U << 31)

/* Things that a number says all of: pids, ids of System V, addresses. Global: verified once. */
__noinline u64 thing_of_number(struct cpu *cpu, u32 kind, u32 image, u64 number, u32 slot)
{
	struct awaited_room *room;
	u64 id;

	if (!cpu)
		return 0;
	id = id_of_thing(kind & ~AWAITED_SHARED, image, number);
	if (was_sent(id))
		return id;
	room = awaited_room_of(slot);
	if (!room)
		return id;
	begin_record(&room->record, id);
	room->record.image = image;
	room->record.address = number;
	room->record.is_shared = kind & AWAITED_SHARED ? 1 : 0;
	send_record(cpu, &room->record);
	return id;
}

#endif
