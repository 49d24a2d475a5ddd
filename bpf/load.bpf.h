/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One word of the kernel's memory. */
#ifndef DWELL_LOAD_BPF_H
#define DWELL_LOAD_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/*
 * Single words are read without a call if bpf_rdonly_cast() is there, since 6.2: so it is where a
 * type of 6.3 is. Asked in this way the answer is in the code when it is loaded. A setting in
 * read-only data would be read again at each word: the verifier only leaves out what depends on it.
 */
static __always_inline bool has_loads(void)
{
	return bpf_core_type_exists(struct bpf_rb_root);
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

#endif
