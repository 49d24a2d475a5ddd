/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How functions of a file are left by their own code: returns, and jumps to elsewhere with where
 * they lead. What compilers put elsewhere of a function (NAME.cold) is a part of it. Each function
 * is read once, however many lead to it.
 */
#ifndef DWELL_ELF_WAYS_OUT_H
#define DWELL_ELF_WAYS_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

struct elf_file;
struct code_reader;

struct way_out {
	uint64_t offset;   /* in the file */
	uint64_t target;   /* of a jump whose target is written in it; 0: it is none */
	uint8_t condition; /* contract/jump.h */
	bool is_emulated;  /* by the kernel, under a uprobe */
	bool may_stay;     /* or is it within? Only the stack pointer tells */
	bool is_unfit;     /* for a probe: refused there, or it is not seen whether it jumps */
};

/* Of one function. Addresses are those in memory. */
struct ways_out {
	uint64_t start;
	uint64_t end;
	/* 0; -EBADMSG: its code is not understood to its end, or a return is unfit for a probe;
	 * -E2BIG: too much of it. */
	int error;
	bool has_tables; /* jumps to what a register or memory says, which are not among the ways */
	bool has_unseen; /* it is not known that all of these are switches */
	bool has_dropped; /* ways to which nothing in it leads: numbers, or of others that jump
			     there */
	VEC(struct way_out) ways;
};

/* The file is borrowed. */
struct code_reader *code_reader_new(const struct elf_file *file);
void code_reader_free(struct code_reader *reader);

/* Of the function of so many bytes; borrowed from the reader. */
const struct ways_out *ways_out_of(struct code_reader *reader, uint64_t start, uint64_t bytes);
/*
 * Of the function that a jump leads to, to its beginning or to an instruction in it. NULL: it is
 * not known where that begins and ends, or it is of another file.
 */
const struct ways_out *ways_out_behind(struct code_reader *reader, uint64_t target);

#endif
