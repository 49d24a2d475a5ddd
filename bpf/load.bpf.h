/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One word of the kernel's memory. */
#ifndef DWELL_LOAD_BPF_H
#define DWELL_LOAD_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* Single words are read without a call: bpf_rdonly_cast() is there, since 6.2. */
const volatile bool cfg_has_loads;

extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/* 0 also for what cannot be read. */
static __always_inline u64 load_word(u64 address)
{
	u64 word = 0;

	if (cfg_has_loads) {
		struct pt_regs *at =
			bpf_rdonly_cast((void *)address, bpf_core_type_id_kernel(struct pt_regs));
		return at->r15;
	}
	bpf_probe_read_kernel(&word, sizeof(word), (void *)address);
	return word;
}

#endif
