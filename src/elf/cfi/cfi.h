/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of one file: its call frame information (.eh_frame, and .debug_frame where
 * that says more) boiled down to the rows, page words and rules of contract/unwind.h. x86-64 only.
 * The bytes are hostile: an FDE that makes no sense is skipped and counted (one whose instructions
 * make none has a BAD rule); time and memory stay within a constant factor of the sections.
 */
#ifndef DWELL_ELF_CFI_H
#define DWELL_ELF_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/unwind.h"
#include "util/why.h"

struct elf_file;

/* What was met on the way; for tests and for the curious. */
struct cfi_counts {
	uint64_t fdes;     /* described a piece of text */
	uint64_t skipped;  /* FDEs that made no sense, or whose instructions did not */
	uint64_t foreign;  /* FDEs outside the text: of functions that the linker dropped */
	uint64_t covered;  /* FDEs of code that another one describes */
	uint64_t raw_rows; /* before equal neighbours were dropped */
	uint64_t bad_rows; /* those with a rule that we do not follow */
	bool is_cut;       /* a section ended inside a record, or was damaged */
};

/*
 * Rule numbers in rows are those of `rules` here: a dictionary of this table alone. Invariants,
 * which hold for tables from the cache, too: row_count >= 1 and row 0 is a GAP; pages[0] == 1,
 * pages never descend, pages[page_count] == row_count; the rows of a page ascend strictly; every
 * rule number is below rule_count, every kind below its enum's end; counts are within the limits
 * of contract/unwind.h.
 */
struct cfi_table {
	/* Address in the object of the first page, a multiple of 4 KiB. Pages cover the executable
	 * segments; whoever makes a mapping of it for the kernel side cuts it to them. */
	uint64_t first_page;
	uint32_t row_count;
	uint32_t page_count; /* pages has one word more */
	uint32_t rule_count;
	uint32_t *rows;
	uint32_t *pages;
	struct unwind_rule *rules;
	struct cfi_counts counts; /* all 0 for one from the cache */
};

/*
 * Builds the table. The file may be one in memory (the vdso). 0; -ENOENT: it has no call frame
 * information; -ENOTSUP: a machine other than x86-64; -E2BIG: beyond the limits; -EBADMSG: damaged,
 * nothing usable.
 */
int cfi_table_read(const struct elf_file *file, struct cfi_table *ret, struct why *why);
/* All zero is a valid empty table. */
void cfi_table_clear(struct cfi_table *table);

/* The rule that holds at an address of the object; a GAP outside the text. For tests and for walks
 * in user space. */
struct unwind_rule cfi_table_find(const struct cfi_table *table, uint64_t address);

#endif
