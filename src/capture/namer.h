/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From raw stacks of the kernel side to named stacks of the recording. A raw stack is known by the
 * id that the kernel side gave it; the recording knows it by its content: frames as (object,
 * address). New objects, frames and stack nodes are written as they turn up.
 */
#ifndef DWELL_CAPTURE_NAMER_H
#define DWELL_CAPTURE_NAMER_H

#include "unwind/loader.h"
#include "host/map_events.h"
#include "kernel/own_code.h"
#include "contract/contract.h"
#include "model/known_wait.h"
#include "recording/writer.h"
#include "symbol/kernel.h"

struct namer;

struct outside;

/*
 * Borrows all three; symbols may be NULL: kernel frames then say that they are hidden; outside,
 * too: then all is done without helpers.
 */
struct namer *namer_new(struct recording_writer *writer, struct kernel_symbols *symbols,
	struct outside *outside, bool follows_all);
void namer_free(struct namer *namer);

/* Who knows the objects that frames are numbered by; borrowed. */
void namer_set_loader(struct namer *namer, struct loader *loader);
/* Where dwell's own programs are, which are left out of kernel stacks; borrowed. */
void namer_set_own_code(struct namer *namer, const struct own_code *own);
/*
 * The library that COMMAND was started with. User stacks lose its frames where they lead on to
 * others, and all at the leaf if that is the hook. Borrowed.
 */
void namer_set_hook(struct namer *namer, const char *library, const char *function);
/* From now on a new image is looked at when its first stack asks for it. */
void namer_set_started(struct namer *namer);

/*
 * A process is announced to run `image` now. start_stack is the image's mark in /proc/PID/stat:
 * what /proc says counts only while it still bears that mark. A known image is left as it is.
 */
void namer_add_image(struct namer *namer, uint32_t image, uint32_t pid, uint64_t start_stack);
/* The path of an image's program, "" if it is not known. Borrowed. */
const char *namer_exe(const struct namer *namer, uint32_t image);
/* A process that will be announced after its next exec; see spaces_new() for follows_all. */
void namer_watch(struct namer *namer, uint32_t pid);
/* A process mapped code, began anew, forked or ended: told in order of time. */
void namer_apply(struct namer *namer, const struct map_event *event);
/* Nobody will ask for the image's stacks after the rows at hand. */
void namer_drop_image(struct namer *namer, uint32_t image);

/* Learns a raw stack; a malformed record is ignored. */
void namer_add_stack(struct namer *namer, const struct record_stack *record, size_t length);
/* The recording's id of a raw id; codes below STACK_FIRST_ID stay, an unknown one is STACK_LOST. */
uint64_t namer_stack(const struct namer *namer, uint64_t raw_id);
/* Is it a stack of a lock that has its owner's tid in it (known_wait_tells_owner())? */
enum known_owner namer_tells_owner(const struct namer *namer, uint64_t raw_id);
/* The kernel function at that address, "" if it is not known. */
const char *namer_kernel_function(struct namer *namer, uint64_t address);

#endif
