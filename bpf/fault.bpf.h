/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that is mapped at an address of the current process, as a thing: what a page fault
 * faulted in. The address space's lock is tried and never waited for: who changes it just now costs
 * the name of one fault, not the fault.
 *
 * Where interrupts are off, as they are in events of new kernels, the lock is given back by one
 * that a CPU sends itself, which takes 10 us in a virtual machine. So each CPU remembers the last
 * mapping that it found, for as long as the address space is as it was, which kernels tell
 * since 6.4.
 */
#ifndef DWELL_FAULT_BPF_H
#define DWELL_FAULT_BPF_H

#include "thing_name.bpf.h"

/* A mapping, and the thing that it is of; 0: memory without a file. */
struct fault_memo {
	u64 mm; /* 0: nothing is remembered */
	u64 changes;
	u64 start;
	u64 end;
	u64 id;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fault_memo);
} fault_memos SEC(".maps");

struct mapped_file {
	u64 file; /* 0: none */
	u64 start;
	u64 end;
};

static long note_mapping(struct task_struct *task, struct vm_area_struct *vma, void *context)
{
	struct mapped_file *found = context;

	/* As numbers: it may be gone when the address space is let go. */
	found->file = (u64)BPF_CORE_READ(vma, vm_file);
	found->start = BPF_CORE_READ(vma, vm_start);
	found->end = BPF_CORE_READ(vma, vm_end);
	return 0;
}

/* How often an address space has been changed; false: it does not tell. */
static __always_inline bool changes_of(u64 mm, u64 *ret)
{
	if (bpf_core_field_exists(struct mm_struct___counted, mm_lock_seq))
		*ret = (u32)FIELD(mm, mm_struct___counted, mm_lock_seq.sequence);
	else if (bpf_core_field_exists(struct mm_struct, mm_lock_seq))
		*ret = (u32)FIELD(mm, mm_struct, mm_lock_seq);
	else
		return false;
	return true;
}

/* A file that was closed meanwhile gives a thing without a name at worst. */
static __always_inline u64 thing_of_mapping(struct cpu *cpu, u64 task, u64 file)
{
	u32 slot = AWAITED_IN_FAULT;
	u64 inode = FIELD(file, file, f_inode), id;

	/* The same number as that of a wait for the page. */
	id = id_of_inode(AWAITED_FAULT, inode, FIELD(inode, inode, i_sb));
	cpu->calls[slot].task = task;
	if (!was_sent(id))
		send_file(cpu, file, id, slot);
	return id;
}

/* 0: memory without a file, or it is not known. */
static __always_inline u64 file_at(u64 address)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mapped_file found = {};
	struct fault_memo *memo;
	struct cpu *cpu = this_cpu();
	u64 mm, changes = 0;
	bool has_changes;
	u32 zero = 0;

	memo = bpf_map_lookup_elem(&fault_memos, &zero);
	if (!cfg_awaited || !cpu || !memo)
		return 0;
	mm = (u64)BPF_CORE_READ(task, mm);
	has_changes = changes_of(mm, &changes);
	if (has_changes && memo->mm == mm && memo->changes == changes && address >= memo->start &&
		address < memo->end)
		return memo->id;
	if (bpf_find_vma(task, address, note_mapping, &found, 0))
		return 0;
	memo->mm = mm;
	memo->changes = changes;
	memo->start = found.start;
	memo->end = found.end;
	memo->id = found.file ? thing_of_mapping(cpu, (u64)task, found.file) : 0;
	return memo->id;
}

#endif
