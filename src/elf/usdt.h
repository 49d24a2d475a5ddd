/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probes that a program's authors left in it (USDT, SystemTap's sdt.h): notes in .note.stapsdt
 * that say where each is, where the counter is that switches it on, and where its arguments are
 * then. A probe of one name can be in many places, as its function is inlined.
 */
#ifndef DWELL_ELF_USDT_H
#define DWELL_ELF_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

#define ELF_USDT_MAX_ARGUMENTS 12
/* Of one probe, and names in one file; real ones have dozens. */
#define ELF_USDT_MAX_PLACES 1024
#define ELF_USDT_MAX_NAMES 16384
/* Of "provider:name". */
#define ELF_USDT_MAX_NAME_BYTES 512

enum elf_usdt_kind {
	ELF_USDT_NONE,     /* there is none, or it is written in a way that is not understood */
	ELF_USDT_REGISTER, /* the lowest bytes of a register */
	ELF_USDT_CONSTANT,
	ELF_USDT_MEMORY, /* at reg + index * scale + value */
};

#define ELF_USDT_NO_REGISTER UINT8_MAX

struct elf_usdt_argument {
	uint8_t kind;  /* enum elf_usdt_kind */
	uint8_t bytes; /* 1, 2, 4, 8 */
	bool is_signed;
	uint8_t reg;   /* where struct pt_regs of the x86-64 kernel has it, in bytes */
	uint8_t index; /* of ELF_USDT_MEMORY: likewise, or ELF_USDT_NO_REGISTER */
	uint8_t scale; /* 1, 2, 4, 8 */
	int64_t value; /* the constant, or what is added to the address */
};

/* Plain data: all of it is set, so that it can be sent as bytes. */
struct elf_usdt_place {
	uint64_t offset;         /* in the file, of the instruction that is there for the probe */
	uint64_t semaphore;      /* in the file, of the counter that switches it on; 0: none */
	uint32_t argument_count; /* as many as the note has, also those that are not understood */
	uint32_t is_nop5;        /* what is there must not be probed: elf/x86_length.h */
	struct elf_usdt_argument arguments[ELF_USDT_MAX_ARGUMENTS];
};

/*
 * All places of a probe, in order, each once; the caller frees them. 0; -ENOENT if there is no such
 * probe, -E2BIG if it is in more places than ELF_USDT_MAX_PLACES, -EBADMSG if the notes are
 * damaged.
 */
int elf_usdt_places(const struct elf_file *file, const char *provider, const char *name,
	struct elf_usdt_place **ret, size_t *ret_count);
/* Is it what elf_usdt_places() makes of some note? */
bool elf_usdt_place_is_sound(const struct elf_usdt_place *place);

struct elf_usdt_name {
	char *text;           /* "provider:name" */
	uint32_t place_count; /* how many there are of that name */
	uint32_t argument_count;
};

/*
 * The probes of a file by name, each once, sorted. 0, also if there is none; -E2BIG if there are
 * more than ELF_USDT_MAX_NAMES, -EBADMSG. Longer names than ELF_USDT_MAX_NAME_BYTES are left out.
 */
int elf_usdt_names(const struct elf_file *file, struct elf_usdt_name **ret, size_t *ret_count);
/* NULL is allowed. */
void elf_usdt_names_free(struct elf_usdt_name *names, size_t count);

/*
 * One argument as the assembler wrote it, "-4@20(%rbp)", of so many bytes. What is not understood
 * is ELF_USDT_NONE.
 */
struct elf_usdt_argument elf_usdt_argument(const char *text, size_t length);

#endif
