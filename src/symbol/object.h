/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code objects of user space: ELF files, the vdso, regions without a file. Each distinct file is
 * opened and its symbols are read once, on the first name asked for, for all processes that map it.
 * Its variables are another table, which is read on the first one asked for.
 */
#ifndef DWELL_SYMBOL_OBJECT_H
#define DWELL_SYMBOL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_kind {
	CODE_FILE,
	CODE_VDSO,
	CODE_ANONYMOUS, /* executable memory without a file: addresses stay raw */
};

/* Why there are no names, other than that the file has none. */
enum code_lack {
	CODE_LACK_NONE,
	CODE_LACK_RIGHT,  /* the user may not read the file */
	CODE_LACK_ANSWER, /* reading it took too long, or broke the reader */
	CODE_LACK_ROOM,   /* all names together are too many */
};

/* Owned by its table; lives as long as that. */
struct code_object {
	uint64_t id; /* from the build-id; without one from path, size and mtime */
	enum code_kind kind;
	const char *path;     /* as the process sees it, without " (deleted)" */
	const char *build_id; /* hex or "" */
	bool is_readable;     /* the file could be opened and is ELF */
	bool has_symbols;     /* known after the first code_object_name() */
	enum code_lack lack;  /* the same */
};

struct object_table;

struct outside;

/* NULL: without helpers. Borrowed until the table is freed. */
struct object_table *object_table_new(struct outside *outside);
void object_table_free(struct object_table *table);

/*
 * The function at an address of the object (its own virtual addresses), demangled. Borrowed, lives
 * as long as the table; NULL if none is known to cover the address.
 */
const char *code_object_name(struct code_object *object, uint64_t address, uint64_t *ret_offset);
/*
 * Where the function at an address begins, named or not: stripped functions are known by their
 * unwind information. false: not even that.
 */
bool code_object_function(struct code_object *object, uint64_t address, uint64_t *ret_start);

struct file_stamp;

/*
 * The object of a file that is at hand as an O_PATH fd (borrowed), mapped by a process at that
 * path: for callers who know the mappings themselves. Never NULL.
 */
struct code_object *object_table_adopt(struct object_table *table, uint32_t pid, const char *path,
	const struct file_stamp *stamp, int path_fd);
struct code_object *object_table_vdso(struct object_table *table);

/* The executable mappings of one process, as they were when read. */
struct code_maps;

struct code_place {
	struct code_object *object;
	uint64_t address; /* in the object; raw for CODE_ANONYMOUS; a file offset if not readable */
};

struct map_lines;

/* Reads /proc/PID/maps. 0, -ESRCH if the process is gone or has no memory of its own, -errno. */
int code_maps_read(struct object_table *table, uint32_t pid, struct code_maps **ret);
/*
 * The same of lines that somebody has read: files are looked for now. Is the process gone, or
 * another's number by now? Then they are looked for as those that were told (code_maps_add()).
 */
struct code_maps *code_maps_of_lines(
	struct object_table *table, uint32_t pid, bool is_gone, const struct map_lines *lines);
void code_maps_free(struct code_maps *maps);

/* An executable mapping as it was told when it was made. */
struct code_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t inode;
	const char *path;  /* "" or "//anon": no file */
	uint32_t relative; /* a process that should see the same files, 0: none known */
};

/* Mappings put together one by one, for a process that may be gone before /proc is read. */
struct code_maps *code_maps_new(void);
struct code_maps *code_maps_copy(const struct code_maps *maps);
/* What was mapped at these addresses before is replaced. */
void code_maps_add(struct object_table *table, struct code_maps *maps, uint32_t pid,
	const struct code_mapping *added);
/* false: no executable mapping holds the address. */
bool code_maps_find(const struct code_maps *maps, uint64_t pc, struct code_place *ret);

/* Data of an object: where its code is mapped says where its data is, .bss as well. */
struct data_place {
	struct code_object *object;
	uint64_t address; /* in the object */
	uint64_t code_start;
	uint64_t code_end; /* the mapping of code that it is known by */
};

/* false: the address is not in the data of any object whose code is mapped. */
bool code_maps_find_data(const struct code_maps *maps, uint64_t address, struct data_place *ret);
/*
 * The variable there, demangled. Borrowed, lives as long as the table; NULL if none is known. The
 * first question about an object reads its variables, by the process's mapping if its file is not
 * at hand any more.
 */
const char *code_object_variable(
	const struct data_place *place, uint32_t pid, uint64_t *ret_offset, uint64_t *ret_bytes);

#endif
