/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the kernel's symbol table, for its two makers; symbol/kernel.h is for others. */
#ifndef DWELL_SYMBOL_KERNEL_TABLE_H
#define DWELL_SYMBOL_KERNEL_TABLE_H

#include "symbol/kernel.h"
#include "util/intern.h"
#include "util/vec.h"

struct kernel_entry {
	uint64_t start;
	uint64_t end;
	const char *name; /* in names */
	uint32_t module;  /* in modules; 0: core kernel */
	uint8_t rank;
};

/* Names stay where they are until the table is freed. */
struct kernel_names {
	VEC(char *) blocks;
	size_t used; /* of the last block */
};

struct kernel_symbols {
	VEC(struct kernel_entry) entries;
	struct kernel_names names;
	struct intern modules;
	VEC(uint64_t) module_bases; /* first address, by number of the module */
	uint64_t text;
	uint64_t text_end;
	uint64_t init_text_end;
	/* Of the last look at the system; 0 if the table is a stream's. */
	uint64_t modules_hash;
	uint64_t looked_ns;
	uint64_t read_ns;
	uint64_t patience_ns; /* how long an unchanged list of modules is trusted */
};

/* A lasting copy. */
const char *kernel_names_keep(struct kernel_names *names, const char *name);

#endif
