/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel has a page of a user's memory: looked up in the page tables of its process, as
 * the processor does it. The kernel has all memory in one piece, the direct map, so that a word of
 * the page is then one load instead of a call that costs as much as twenty.
 *
 * For the current thread's own memory, with interrupts off: page tables are not freed then, which
 * is what the kernel's own gup_fast stands on. A page that is taken away meanwhile shows by its
 * entry, which is another afterwards. A load that faults gives 0, so that a page counts only if
 * it gives something else.
 *
 * Built for the kernel and for the host. Who includes this has load_word(), direct_base, where the
 * kernel has physical address 0, and direct_shift, the bits below those that the first table of
 * page tables is for. x86-64.
 */
#ifndef DWELL_PAGES_BPF_H
#define DWELL_PAGES_BPF_H

#include "contract/walk.h"

#define PAGE_SHIFT 12
#define PAGE_BYTES (1ULL << PAGE_SHIFT)
/* What one table of the last level is for. */
#define REGION_SHIFT 21
/* Bits that one table is for, and tables on the way, with five levels. */
#define TABLE_SHIFT 9
#define TABLE_LEVELS 5

/* arch/x86/include/asm/pgtable_types.h */
#define ENTRY_PRESENT (1ULL << 0)
#define ENTRY_USER (1ULL << 2)
#define ENTRY_LARGE (1ULL << 7)   /* before the last level: the memory itself, not a table */
#define ENTRY_SPECIAL (1ULL << 9) /* of a device, say: the kernel may not have it */
#define ENTRY_ADDRESS 0x000ffffffffff000ULL

/* Do two entries lead to different pages? */
static __always_inline bool is_other_page(__u64 one, __u64 other)
{
	return (one ^ other) & (ENTRY_ADDRESS | ENTRY_PRESENT | ENTRY_USER);
}

/* Is the page that is at hand still the one that was found? */
static __always_inline void check_page(struct pages *pages)
{
	if (pages->to && is_other_page(load_word(pages->entry_at), pages->entry))
		pages->has_moved = 1;
}

/* Makes the page with the word at `at` the one at hand; 0 if the kernel has it. */
__noinline int find_page(struct pages *pages, __u64 at)
{
	__u64 table, entry_at = 0, entry = 0, mask, to, word_at;
	__u32 shift;

	if (!pages)
		return 1;
	check_page(pages);
	pages->to = 0;
	/* The first table's upper half is the kernel's. */
	if (at >> ((direct_shift + TABLE_SHIFT - 1) & 63))
		return 1;
	shift = PAGE_SHIFT;
	table = pages->table;
	if (!table || at >> REGION_SHIFT != pages->region) {
		shift = direct_shift;
		table = pages->root;
	}
	for (int i = 0; i < TABLE_LEVELS; i++) {
		entry_at = table + (at >> shift & ((1 << TABLE_SHIFT) - 1)) * sizeof(__u64);
		entry = load_word(entry_at);
		if (!(entry & ENTRY_PRESENT))
			return 1;
		if (shift <= PAGE_SHIFT || entry & ENTRY_LARGE)
			break;
		table = direct_base + (entry & ENTRY_ADDRESS);
		shift -= TABLE_SHIFT;
	}
	if ((entry & (ENTRY_USER | ENTRY_SPECIAL)) != ENTRY_USER)
		return 1;
	if (shift == PAGE_SHIFT) {
		pages->table = table;
		pages->region = at >> REGION_SHIFT;
	}
	mask = (1ULL << (shift & 63)) - 1;
	pages->entry_at = entry_at;
	pages->entry = entry;
	pages->at = at & ~(PAGE_BYTES - 1);
	to = direct_base + (entry & ENTRY_ADDRESS & ~mask) + (pages->at & mask);
	/* A word that is not 0, of two, shows that it can be loaded from. */
	word_at = to + (at & (PAGE_BYTES - sizeof(__u64)));
	if (!(load_word(word_at) | load_word(word_at ^ sizeof(__u64))))
		return 1;
	pages->to = to;
	return 0;
}

#endif
