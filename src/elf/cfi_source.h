/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the bytes of the sections to the table, without the file around them: what cfi_table_read()
 * does once it has found them. Pure, so that it can be fuzzed.
 */
#ifndef DWELL_ELF_CFI_SOURCE_H
#define DWELL_ELF_CFI_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "elf/cfi.h"
#include "elf/cfi_code.h"
#include "elf/eh_frame.h"

/* Less than this between two functions is padding, in which nobody runs. */
#define CFI_PADDING_BYTES 16

/* A piece of text. */
struct cfi_text {
	uint64_t start;
	uint64_t end; /* after start */
};

/*
 * The first bytes of a section of code, or of it from where the program starts: what compilers add
 * to a program is there.
 */
struct cfi_head {
	struct cfi_text section; /* or what follows in it */
	size_t count;
	unsigned char bytes[CFI_CODE_BYTES];
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
	const struct cfi_head *heads; /* inside of texts; ascending */
	size_t head_count;
	uint64_t entry;                     /* where the program starts; 0: a library */
	const struct cfi_section *sections; /* the first that describes a function wins */
	size_t section_count;
};

/* As cfi_table_read(). */
int cfi_source_read(const struct cfi_source *source, struct cfi_table *ret, struct why *why);

#endif
