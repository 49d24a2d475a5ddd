/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the code of a file is. */
#ifndef DWELL_ELF_CFI_TEXTS_H
#define DWELL_ELF_CFI_TEXTS_H

#include "elf/cfi/cfi_source.h"
#include "util/vec.h"

struct elf_file;

struct cfi_texts {
	VEC(struct cfi_text) texts; /* ascending, not touching */
	VEC(struct cfi_plt) plts;
	VEC(struct cfi_text) pieces; /* the sections themselves, but PLTs; ascending */
};

/*
 * Executable sections inside executable segments, those next to each other as one; the segments
 * themselves if there are no sections. Linkers that save pages put headers and constants into the
 * segment of the code, too: they are no hole in it. false: there is no code.
 */
bool cfi_texts_read(struct cfi_texts *texts, const struct elf_file *file);
void cfi_texts_clear(struct cfi_texts *texts);

#endif
