/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of Go's runtime at which a stack begins or goes on elsewhere. Go describes them like
 * any others, as if they had a caller on the same stack; its own tracebacks know them by name
 * (runtime/traceback.go).
 */
#ifndef DWELL_ELF_CFI_GO_H
#define DWELL_ELF_CFI_GO_H

#include <stddef.h>
#include <stdint.h>

#include "contract/unwind.h"

struct elf_file;

struct cfi_special {
	uint64_t start;
	struct unwind_rule rule; /* holds in the whole function */
};

/* Twice the names that are looked for: functions in assembly may have a wrapper. */
#define CFI_GO_MAX 24

/* Fills ret and returns how many there are: 0 for a file that is not Go's or has no symbols. */
size_t cfi_go_read(const struct elf_file *file, struct cfi_special ret[static CFI_GO_MAX]);

#endif
