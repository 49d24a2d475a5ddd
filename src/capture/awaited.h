/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Awaited things as the kernel side numbers them, and what they are in the recording. A thing's
 * record comes once; it is written when the first row or chain has it.
 */
#ifndef DWELL_CAPTURE_AWAITED_H
#define DWELL_CAPTURE_AWAITED_H

#include "capture/namer.h"
#include "contract/contract.h"
#include "recording/writer.h"

struct awaited_things;

/* Borrows both. */
struct awaited_things *awaited_new(struct recording_writer *writer, struct namer *namer);
void awaited_free(struct awaited_things *things);

/*
 * RECORD_AWAITED; a damaged one is ignored. `process` is the recording's number of the image in it,
 * 0: the recording does not have it.
 */
void awaited_add(
	struct awaited_things *things, const void *record, size_t length, uint32_t process);
/* Which image the record is about; 0: none. */
uint32_t awaited_image(const void *record, size_t length);
/*
 * The recording's id of a raw id, 0 of 0. Of a thing whose record did not come it is that of its
 * kind, and counts as unnamed.
 */
uint64_t awaited_id(struct awaited_things *things, uint64_t raw_id);
/* Where a futex is; 0: it is none, or not known. */
uint64_t awaited_address(const struct awaited_things *things, uint64_t raw_id);
/* The inode of a pipe without a name, in the same way. */
uint64_t awaited_pipe(const struct awaited_things *things, uint64_t raw_id);
/* How often a thing was not known. */
uint64_t awaited_unnamed(const struct awaited_things *things);

#endif
