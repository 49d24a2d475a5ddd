/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the bytes of the sections to the table, without the file around them: what cfi_table_read()
 * does once it has found them. Pure, so that it can be fuzzed.
 */
#ifndef DWELL_ELF_CFI_SOURCE_H
#define DWELL_ELF_CFI_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "elf/cfi/cfi.h"
#include "elf/cfi/cfi_code.h"
#include "elf/cfi/cfi_go.h"
#include "elf/eh_frame.h"

/* Less than this between two functions is padding, in which nobody runs. */
#define CFI_PADDING_BYTES 16
#define CFI_MAX_CODE_READS 64

/* A piece of text. */
struct cfi_text {
	uint64_t start;
	uint64_t end; /* after start */
};

/* Jumps into other files. Some linkers (lld, mold) do not describe them, but all are alike. */
struct cfi_plt {
	struct cfi_text text;
	bool is_lazy; /* its entries push before the first jump to the dynamic linker */
};

struct cfi_section {
	enum eh_frame_kind kind;
	const unsigned char *bytes;
	size_t count;
	uint64_t vaddr;
};

struct cfi_source {
	uint64_t start;               /* what may be mapped as code: page words cover all of it */
	uint64_t end;                 /* after start */
	const struct cfi_text *texts; /* inside of that; ascending, not touching */
	size_t text_count;            /* at least 1 */
	const struct cfi_plt *plts;   /* inside of texts */
	size_t plt_count;
	const struct cfi_text *pieces; /* sections inside of texts, but PLTs; ascending */
	size_t piece_count;
	/*
	 * Reads code that no FDE describes; false if it cannot. NULL: none can be read. Not called
	 * for more than CFI_CODE_BYTES at once, and CFI_MAX_CODE_READS times at most.
	 */
	bool (*read_code)(void *context, uint64_t start, size_t count, unsigned char *to);
	void *code_context;
	uint64_t entry;                     /* where the program starts; 0: a library */
	const struct cfi_section *sections; /* the first that describes a function wins */
	size_t section_count;
	const struct cfi_special *specials; /* functions whose description is wrong */
	size_t special_count;
};

/* As cfi_table_read(). */
int cfi_source_read(const struct cfi_source *source, struct cfi_table *ret, struct why *why);

#endif
