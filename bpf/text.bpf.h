/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of kernel text, start and end; 0: not known. User space reads the kernel's symbols while
 * the programs are verified, so these are no settings of load time: they are written before
 * anything is attached, and in a map of their own, whose cache lines are hardly written to
 * afterwards.
 */
#ifndef DWELL_TEXT_BPF_H
#define DWELL_TEXT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "contract/frames.h"

#define TEXT SEC(".data.text")

/* All of the kernel's own, and its length. */
volatile __u64 text_core TEXT;
volatile __u64 text_core_bytes TEXT;
volatile __u64 text_schedule[2] TEXT;
volatile __u64 text_interrupts[2] TEXT;
volatile __u64 text_softirqs[2] TEXT;
volatile __u64 text_signals[6] TEXT;
volatile __u64 text_wakes[6] TEXT;
volatile __u64 text_ipis[6] TEXT;
/*
 * What softirqs run: a function of the vector's, in pairs of start and end, and the vector. Where
 * stacks show them no program has to run in each softirq, of which there can be several between two
 * switches.
 */
volatile __u64 text_softirq_actions[2 * TEXT_ACTIONS] TEXT;
volatile __u8 text_softirq_vectors[TEXT_ACTIONS] TEXT;
volatile bool stacks_show_softirqs TEXT;

static __always_inline bool is_within(u64 address, const volatile u64 *range)
{
	return address >= range[0] && address < range[1];
}

static __always_inline bool is_within_any(u64 address, const volatile u64 *ranges)
{
	return is_within(address, &ranges[0]) || is_within(address, &ranges[2]) ||
	       is_within(address, &ranges[4]);
}

#endif
