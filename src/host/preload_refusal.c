// SPDX-License-Identifier: GPL-2.0-or-later
/* What a program's file says of how it is started: its loader, its rights, what it is linked to. */
#include "host/preload_refusal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/io.h"
#include "util/mem.h"

#define MOST_SEGMENTS 64
#define MOST_NAME 256
#define MOST_DYNAMIC 4096

struct program {
	int fd;
	Elf64_Ehdr head;
	Elf64_Phdr segments[MOST_SEGMENTS];
	unsigned int segment_count;
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return at <= INT64_MAX && io_read(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static bool read_segments(struct program *program)
{
	unsigned int count = program->head.e_phnum;

	if (program->head.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	program->segment_count = count < MOST_SEGMENTS ? count : MOST_SEGMENTS;
	return !count ||
	       read_at(program->fd, program->segments, program->segment_count * sizeof(Elf64_Phdr),
		       program->head.e_phoff);
}

static const Elf64_Phdr *find_segment(const struct program *program, uint32_t type)
{
	for (unsigned int i = 0; i < program->segment_count; i++)
		if (program->segments[i].p_type == type)
			return &program->segments[i];
	return NULL;
}

/* A name in the file, cut if it is longer than any that is asked for. */
static bool read_name(const struct program *program, uint64_t at, char ret[static MOST_NAME])
{
	ssize_t got = at <= INT64_MAX ? io_read(program->fd, ret, MOST_NAME - 1, (off_t)at) : -1;

	if (got < 0)
		return false;
	ret[got] = '\0';
	return true;
}

/* Where in the file an address is. */
static uint64_t place_of(const struct program *program, uint64_t address)
{
	for (unsigned int i = 0; i < program->segment_count; i++) {
		const Elf64_Phdr *segment = &program->segments[i];
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
			address - segment->p_vaddr < segment->p_filesz)
			return segment->p_offset + (address - segment->p_vaddr);
	}
	return UINT64_MAX;
}

struct dynamic {
	Elf64_Dyn *entries; /* owned */
	size_t count;
	uint64_t names; /* where they are in the file */
};

static bool read_dynamic(const struct program *program, struct dynamic *ret)
{
	const Elf64_Phdr *segment = find_segment(program, PT_DYNAMIC);
	size_t count = segment ? segment->p_filesz / sizeof(Elf64_Dyn) : 0;

	*ret = (struct dynamic){.names = UINT64_MAX};
	if (!count)
		return false;
	ret->count = count < MOST_DYNAMIC ? count : MOST_DYNAMIC;
	ret->entries = xcalloc(ret->count, sizeof(*ret->entries));
	if (!read_at(program->fd, ret->entries, ret->count * sizeof(*ret->entries),
		    segment->p_offset))
		return false;
	for (size_t i = 0; i < ret->count; i++)
		if (ret->entries[i].d_tag == DT_STRTAB)
			ret->names = place_of(program, ret->entries[i].d_un.d_ptr);
	return ret->names != UINT64_MAX;
}

/* Is there an entry of that kind whose name begins with one of these words? */
static bool has_name(const struct program *program, const struct dynamic *dynamic, int64_t tag,
	const char *const *words, size_t word_count)
{
	char name[MOST_NAME];

	for (size_t i = 0; i < dynamic->count; i++) {
		const Elf64_Dyn *entry = &dynamic->entries[i];
		if (entry->d_tag != tag ||
			!read_name(program, dynamic->names + entry->d_un.d_val, name))
			continue;
		for (size_t word = 0; word < word_count; word++)
			if (!strncmp(name, words[word], strlen(words[word])))
				return true;
	}
	return false;
}

/* Their runtimes want to be the first library, and end the program if they are not. */
static bool is_sanitized(const struct program *program)
{
	static const char *const words[] = {
		"libasan.", "libtsan.", "libmsan.", "libhwasan.", "liblsan.", "libclang_rt."};
	struct dynamic dynamic;
	bool is = read_dynamic(program, &dynamic) &&
		  has_name(program, &dynamic, DT_NEEDED, words, ARRAY_SIZE(words));

	free(dynamic.entries);
	return is;
}

/* The dynamic linker, given a program to start: it loads libraries into that. */
static bool is_loader(const struct program *program)
{
	static const char *const words[] = {"ld-linux", "ld64.", "ld.so"};
	struct dynamic dynamic;
	bool is = read_dynamic(program, &dynamic) &&
		  has_name(program, &dynamic, DT_SONAME, words, ARRAY_SIZE(words));

	free(dynamic.entries);
	return is;
}

/* The loader then takes no libraries from whoever starts it; see AT_SECURE in getauxval(3). */
static const char *change_of_rights(const struct stat *status)
{
	const mode_t set_gid = S_ISGID | S_IXGRP;

	if (status->st_mode & S_ISUID && status->st_uid != geteuid())
		return "changes its user when it starts (set-uid)";
	if ((status->st_mode & set_gid) == set_gid && status->st_gid != getegid())
		return "changes its group when it starts (set-gid)";
	return NULL;
}

static const char *refusal_of(struct program *program)
{
	const Elf64_Phdr *loader;
	char name[MOST_NAME];

	if (program->head.e_ident[EI_CLASS] != ELFCLASS64)
		return "is a 32-bit program";
	if (!read_segments(program))
		return NULL;
	loader = find_segment(program, PT_INTERP);
	if (!loader)
		return is_loader(program) ? NULL : "is statically linked";
	if (!read_name(program, loader->p_offset, name))
		return NULL;
	if (strstr(name, "ld-musl"))
		return "is linked to musl";
	return is_sanitized(program) ? "is built with a sanitizer, whose library has to come first"
				     : NULL;
}

const char *preload_refusal(const char *program)
{
	_cleanup_close_ int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct program found = {.fd = fd};
	struct stat status;

	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) ||
		!read_at(fd, &found.head, sizeof(found.head), 0) ||
		memcmp(found.head.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (change_of_rights(&status))
		return change_of_rights(&status);
	return refusal_of(&found);
}
