/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the call frame information of a file, .eh_frame or .debug_frame: one FDE after the other,
 * each with the facts of its CIE. Reads plain bytes, allocates nothing and never leaves them. The
 * bytes are hostile: a record that makes no sense is skipped and counted, one whose length makes no
 * sense ends the walk.
 */
#ifndef DWELL_ELF_EH_FRAME_H
#define DWELL_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum eh_frame_kind {
	EH_FRAME_RUNTIME, /* .eh_frame */
	EH_FRAME_DEBUG,   /* .debug_frame */
};

/* What many FDEs have in common. */
struct eh_cie {
	uint64_t offset; /* in the section */
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	uint8_t version;
	uint8_t address_encoding; /* DW_EH_PE_*: of an FDE's addresses */
	bool has_augmentation;    /* its FDEs have augmentation data, too */
	bool is_signal_frame;
	bool has_personality; /* its functions are asked when stacks are unwound */
	uint64_t personality; /* where its address is written, or the address: the same for all of
				 one routine */
	const unsigned char *program; /* the first instructions of each FDE; borrowed */
	size_t program_bytes;
};

/* One function, or one part of it. */
struct eh_fde {
	uint64_t start;
	uint64_t end; /* after start */
	struct eh_cie cie;
	const unsigned char *program; /* borrowed from the section */
	size_t program_bytes;
};

struct eh_frame {
	const unsigned char *bytes;
	size_t count;
	uint64_t vaddr;
	enum eh_frame_kind kind;
	size_t next; /* offset of the next record */
	struct eh_cie cie;
	bool has_cie;
	uint64_t skipped; /* records that made no sense */
	bool is_cut;      /* the end was not reached */
};

/* Borrows the section's bytes, which the file has at vaddr. */
void eh_frame_init(struct eh_frame *frames, enum eh_frame_kind kind, const void *bytes,
	size_t count, uint64_t vaddr);
/* The next FDE, in the order of the file; false at the end. */
bool eh_frame_next(struct eh_frame *frames, struct eh_fde *ret);

#endif
