/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of code that a process made itself, from the text file that JIT compilers write for perf:
 * /tmp/perf-PID.map in the process's own root, with the pid as the process itself sees it. The file
 * is hostile: it counts only if it is a regular one of the process's user or of root, which the
 * process has not mounted or linked there, and only its first 256 MiB and 4 million functions are
 * read, as far as the budget for names allows.
 */
#ifndef DWELL_SYMBOL_JIT_H
#define DWELL_SYMBOL_JIT_H

#include <stdbool.h>
#include <stdint.h>

struct jit_map;
struct outside;

/*
 * Borrows outside, whose budget it takes from. 0, -ENOENT if the process has no such file, -EPERM
 * if it is not to be trusted, -EACCES if the user may not read it, -errno.
 */
int jit_map_read(struct outside *outside, uint32_t pid, struct jit_map **ret);
/* NULL is allowed. */
void jit_map_free(struct jit_map *map);

/* The function at an address of the process. Borrowed until the next refresh; NULL if none. */
const char *jit_map_name(struct jit_map *map, uint64_t address, uint64_t *ret_offset);
/*
 * Reads what was added, or all of it if it is another file. 1 if there was something new, 0 if not,
 * -errno if the file is gone or no longer to be trusted; then all that was read before stays.
 */
int jit_map_refresh(struct jit_map *map);

#endif
