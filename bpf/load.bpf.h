/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One word of the kernel's memory. */
#ifndef DWELL_LOAD_BPF_H
#define DWELL_LOAD_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/*
 * Single words are read without a call where bpf_rdonly_cast() is there, since 6.2. The programs
 * are built for either (src/kernel/open.h): a question asked of the kernel at each word, or a
 * setting in read-only data, would cost code at each, and time to load it.
 */
static __always_inline bool has_loads(void)
{
	return HAS_LOADS;
}

static __always_inline u64 read_word(u64 address)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (void *)address);
	return word;
}

/* 0 also for what cannot be read. */
static __always_inline u64 load_word(u64 address)
{
	/* pt_regs begins with a word; any type that does would do. */
	return has_loads() ? *(u64 *)bpf_rdonly_cast(
				     (void *)address, bpf_core_type_id_kernel(struct pt_regs))
			   : read_word(address);
}

/*
 * A word at the end of some pointers: LOAD_ALONG(task, task_struct, files, fdt, max_fds). Where a
 * pointer has its type each further step is a load and nothing else, at a third less code than a
 * FIELD() for each. What it ends in is no pointer to a struct: with that no number could be made.
 */
#define LOAD_ALONG(at, type, ...)                                                                  \
	(has_loads() ? (u64)___arrow(((struct type *)bpf_rdonly_cast(                              \
					     (void *)(at), bpf_core_type_id_kernel(struct type))), \
			       __VA_ARGS__)                                                        \
		     : (u64)BPF_CORE_READ((struct type *)(at), __VA_ARGS__))

#endif
