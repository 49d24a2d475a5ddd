/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditional jumps of x86-64. A probe at one is passed whether it jumps or not, and what it does
 * then is in the flags.
 */
#ifndef DWELL_CONTRACT_JUMP_H
#define DWELL_CONTRACT_JUMP_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* Conditions are the lowest four bits of the opcodes of those jumps; this is none. */
#define JUMP_ALWAYS 16

#define FLAG_CARRY (1U << 0)
#define FLAG_PARITY (1U << 2)
#define FLAG_ZERO (1U << 6)
#define FLAG_SIGN (1U << 7)
#define FLAG_OVERFLOW (1U << 11)

/* Of the conditions, each second one is the opposite of the one before. */
static inline int jump_is_taken(__u32 condition, __u64 flags)
{
	int is_less = !(flags & FLAG_SIGN) != !(flags & FLAG_OVERFLOW);
	int is_met;

	if (condition >= JUMP_ALWAYS)
		return 1;
	switch (condition >> 1) {
	case 0:
		is_met = !!(flags & FLAG_OVERFLOW);
		break;
	case 1:
		is_met = !!(flags & FLAG_CARRY);
		break;
	case 2:
		is_met = !!(flags & FLAG_ZERO);
		break;
	case 3:
		is_met = !!(flags & (FLAG_CARRY | FLAG_ZERO));
		break;
	case 4:
		is_met = !!(flags & FLAG_SIGN);
		break;
	case 5:
		is_met = !!(flags & FLAG_PARITY);
		break;
	case 6:
		is_met = is_less;
		break;
	default:
		is_met = is_less || (flags & FLAG_ZERO);
	}
	return is_met != (int)(condition & 1);
}

#endif
