/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of memory: what lies at a user address at which threads wait, as a futex does. A variable
 * is named by its symbol and its object. Of other memory the kind is known. A variable of at most
 * NAMER_WHOLE_BYTES goes by its plain name wherever in it the address is: locks, conditions and
 * semaphores are no larger, and which of their words a thread waits at says nothing to people. In a
 * larger one the offset tells its parts apart (_PyRuntime+0x1b0).
 */
#ifndef DWELL_CAPTURE_NAMER_DATA_H
#define DWELL_CAPTURE_NAMER_DATA_H

#include "capture/namer.h"

/* glibc's largest, pthread_rwlock_t, has 56; what is padded to a cache line has 64. */
#define NAMER_WHOLE_BYTES 64

enum data_kind {
	DATA_UNKNOWN,
	DATA_OBJECT, /* place: the name of a program, library or other file, without its folder */
	DATA_HEAP,
	DATA_STACK,     /* of the first thread; those of others are anonymous memory */
	DATA_ANONYMOUS, /* malloc(3) takes such for threads, too */
	DATA_SHARED,    /* place: its path, if it has one */
};

struct data_name {
	enum data_kind kind;
	char *symbol; /* demangled; "": none is known */
	char *place;  /* "": DATA_UNKNOWN */
};

/*
 * What lies at an address of a process image, as far as is known now; to be cleared. The process's
 * mappings are those of this moment: for an image that runs, ask soon after the wait was seen. Both
 * texts are the process's own words, and not clean.
 */
void namer_data(struct namer *namer, uint32_t image, uint64_t address, struct data_name *ret);
void data_name_clear(struct data_name *name);

#endif
