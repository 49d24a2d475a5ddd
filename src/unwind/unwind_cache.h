/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables on disk, so that a file is parsed once and not once per run: one file for each
 * build-id in a folder of the user who runs dwell (/var/cache/dwell for root, else
 * $XDG_CACHE_HOME/dwell or ~/.cache/dwell). What is read back is hostile until checked: it feeds
 * the kernel side. Any number of threads may use one cache, and any number of dwells one folder:
 * files appear by rename, complete. A cache that cannot be used costs time only, never a recording.
 */
#ifndef DWELL_UNWIND_CACHE_H
#define DWELL_UNWIND_CACHE_H

#include <stdint.h>
#include <sys/types.h>

#include "elf/cfi/cfi.h"
#include "util/why.h"

struct unwind_cache;

/* The usual bound of a folder. */
#define UNWIND_CACHE_BYTES (256ULL << 20)

/*
 * Opens the folder for the effective user, and makes it if need be. 0; -errno if there is none to
 * be had: no home (or one that cannot be believed: dwell has file capabilities), a read-only file
 * system, a folder that others own or may write to.
 */
int unwind_cache_open(uint64_t limit_bytes, struct unwind_cache **ret, struct why *why);
/* The same in a folder of the caller's choice; its parent must exist. */
int unwind_cache_open_at(
	const char *folder, uint64_t limit_bytes, struct unwind_cache **ret, struct why *why);
/* NULL is allowed. */
void unwind_cache_free(struct unwind_cache *cache);

/*
 * The table of the file with this build-id (lower-case hex) and this owner (st_uid; 0 for the
 * vdso). The owner is part of the key: else anybody could forge a build-id and spoil the table of
 * a system library for root's later runs. 0; -ENOENT: not there; -EBADMSG: damaged, and removed;
 * -errno.
 */
int unwind_cache_load(
	struct unwind_cache *cache, const char *build_id, uid_t owner, struct cfi_table *ret);
/*
 * Keeps a table; those used longest ago go when the folder is beyond its limit. 0; -EINVAL: no
 * such build-id can be; -E2BIG: larger than a quarter of the limit; -errno, for which nothing is to
 * be done.
 */
int unwind_cache_store(struct unwind_cache *cache, const char *build_id, uid_t owner,
	const struct cfi_table *table);

#endif
