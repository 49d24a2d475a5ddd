/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts a table together, row after row in ascending order: keeps each rule once, drops rows that
 * say what the one before says, and fills in the page words.
 */
#ifndef DWELL_ELF_CFI_BUILD_H
#define DWELL_ELF_CFI_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/cfi/cfi.h"
#include "util/vec.h"

struct cfi_build {
	uint64_t first_page;
	uint32_t page_count;
	uint32_t next_page; /* the first one without a word yet */
	uint32_t last_rule; /* of the last row */
	bool is_full;       /* rows were left out: the table is useless */
	bool needs_bx;      /* some rule can be followed only if rbx is */
	uint64_t raw_rows;
	uint64_t bad_rows;
	VEC(uint32_t) rows;
	uint32_t *pages;
	VEC(struct unwind_rule) rules;
	uint32_t *slots; /* a hash table of rules: number + 1, or 0 */
};

struct cfi_mark {
	size_t rows;
	uint32_t next_page;
	uint32_t last_rule;
	uint64_t raw_rows;
	uint64_t bad_rows;
};

/* For text from first_page, a multiple of 4 KiB, on; at most UNWIND_MAX_PAGES. */
void cfi_build_init(struct cfi_build *build, uint64_t first_page, uint32_t page_count);
void cfi_build_clear(struct cfi_build *build);

/* Addresses ascend strictly and are inside the pages. A rule beyond the limit becomes BAD. */
void cfi_build_add(struct cfi_build *build, uint64_t address, const struct unwind_rule *rule);
/* Rows added after a mark can be taken back. */
struct cfi_mark cfi_build_mark(const struct cfi_build *build);
void cfi_build_rewind(struct cfi_build *build, const struct cfi_mark *mark);
/* Hands the table over; the counts are not touched. */
void cfi_build_finish(struct cfi_build *build, struct cfi_table *ret);

#endif
