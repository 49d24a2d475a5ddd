/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All FDEs of a file, in the order of their addresses, none covering another. */
#ifndef DWELL_ELF_CFI_FDES_H
#define DWELL_ELF_CFI_FDES_H

#include <stdint.h>

#include "elf/cfi/cfi_program.h"
#include "elf/cfi/cfi_source.h"
#include "util/vec.h"

struct cfi_fde {
	uint64_t start;
	uint64_t end; /* after start, not beyond the next one's start */
	const unsigned char *program;
	uint32_t program_bytes;
	uint32_t cie; /* in cies */
};

/* The CIE of what no file says: PLTs that are described by us. */
#define CFI_OWN_CIE 0

struct cfi_fdes {
	VEC(struct cfi_fde) fdes;
	VEC(struct cfi_program) cies;
};

/* 0 or -E2BIG. PLTs that nobody describes are described as GNU ld does it. Counts what is left out.
 */
int cfi_fdes_read(
	struct cfi_fdes *fdes, const struct cfi_source *source, struct cfi_counts *counts);
void cfi_fdes_clear(struct cfi_fdes *fdes);

#endif
