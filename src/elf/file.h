/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF program or library as its bytes describe it: build-id, executable segments, and the
 * addresses that it takes in memory. Only
 * 64-bit files of this machine's byte order. The bytes are hostile: whatever they hold, the answer
 * is a fact or an error, and memory stays bounded.
 */
#ifndef DWELL_ELF_FILE_H
#define DWELL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;
struct elf_file;

/* An executable PT_LOAD. */
struct elf_segment {
	uint64_t offset; /* in the file */
	uint64_t bytes;  /* in the file */
	uint64_t vaddr;
};

/* The addresses that all PT_LOADs take, data and .bss too; all of them are loaded by one bias. */
struct elf_extent {
	uint64_t start;
	uint64_t end; /* start: nothing is loaded */
};

/* The most executable segments a file may have; real ones have one to three. */
#define ELF_MAX_SEGMENTS 64

/*
 * Reads headers and notes. The fd is borrowed and stays open while the file is read from. 0,
 * -ENOEXEC if it is no 64-bit ELF program or library of ours, -EBADMSG if it is damaged, -errno.
 */
int elf_file_open(int fd, struct elf_file **ret);
/* The same for an image in memory, which is borrowed. */
int elf_file_from_memory(const void *image, size_t bytes, struct elf_file **ret);
/* NULL is allowed. */
void elf_file_free(struct elf_file *file);

/* Lower-case hex, or "". Borrowed. */
const char *elf_file_build_id(const struct elf_file *file);
/* Number of executable segments; they are borrowed. */
size_t elf_file_segments(const struct elf_file *file, const struct elf_segment **ret);
struct elf_extent elf_file_extent(const struct elf_file *file);
/* Is its code that of x86-64? */
bool elf_file_is_x86(const struct elf_file *file);
/*
 * The code from an offset on, as much as its segment has and not more than `most`, which stays the
 * file's until that is freed; NULL if it is no code, or cannot be read.
 */
const unsigned char *elf_file_code(
	const struct elf_file *file, uint64_t offset, uint64_t most, size_t *ret_count);
/* libelf's handle, for the other readers of this folder. Borrowed. */
struct Elf *elf_file_handle(const struct elf_file *file);

/*
 * The virtual address of a file offset. The kernel maps whole pages, so offsets on the first and
 * last page of a segment belong to it, if no other segment holds them. false: in none of them.
 */
bool elf_segments_vaddr(
	const struct elf_segment *segments, size_t count, uint64_t offset, uint64_t *ret);

#endif
