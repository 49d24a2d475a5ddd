/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a stack ended, and why a frame has no name: reason codes, stored in recordings by number. */
#ifndef DWELL_MODEL_UNWIND_H
#define DWELL_MODEL_UNWIND_H

#include <stdbool.h>

#include "contract/unwind.h"

/* Numbers are part of the recording format: append only. */
enum unwind_end {
	UNWIND_COMPLETE = 0, /* reached the thread's first function */
	UNWIND_CUT = 1,      /* frame limit reached */
	UNWIND_BROKEN = 2,   /* ended elsewhere: code without frame pointers */
	UNWIND_FAILED = 3,   /* the kernel could not read the stack */
	UNWIND_LOST = 4,     /* walked, but its record was lost on the way to user space */
	UNWIND_OVERFLOW = 5, /* the sum table was full */
	UNWIND_SKIPPED = 6,  /* not asked for */
	UNWIND_NONE = 7,     /* there is none: a kernel thread has no user stack */
	UNWIND_EARLIER = 8,  /* the thread fell asleep before the recording began */
	/* Walks by table. */
	UNWIND_NO_TABLES = 9,       /* the process was too young: its tables were not there yet */
	UNWIND_NOT_MAPPED = 10,     /* an address in no known mapping */
	UNWIND_NO_FILE = 11,        /* code without a file, and without frame pointers */
	UNWIND_NO_CFI = 12,         /* a file whose call frame information is missing or unusable */
	UNWIND_GAP = 13,            /* code that its file does not describe */
	UNWIND_BAD_RULE = 14,       /* code described in a way that we do not follow */
	UNWIND_ABSENT = 15,         /* a page of the stack is not in memory */
	UNWIND_BACKWARDS = 16,      /* the stack does not lead to its root */
	UNWIND_COMPAT = 17,         /* 32-bit code */
	UNWIND_NO_WAKER_STACK = 18, /* of a waker: the wait was too short to ask for it */
	UNWIND_NO_ROOM = 19,        /* a file whose table found no room */
	UNWIND_NOT_OPENED = 20,     /* a file that could not be opened */
	UNWIND_PROBED = 21,         /* in a uprobe's code, which hides the caller */
	UNWIND_OTHER_STACK = 22,    /* goes on on another stack, which is not followed */
	UNWIND_DOUBTFUL = 23,       /* reached a root by way of code that may hide callers */
	UNWIND_THINNED = 24,        /* left out to keep to --budget */
	UNWIND_MORE_WAITS = 25,     /* a slow call's earlier waits, more than are kept of one */
	UNWIND_ENDS,
};

/* How a walk by table ended. */
enum unwind_end unwind_end_of(enum unwind_stop stop);
/* A short phrase: "complete", "cut at the frame limit", ... */
const char *unwind_end_text(enum unwind_end end);
/* The frame shown where the missing part would be: "[broken]", "[cut]", ...; NULL: nothing to show.
 */
const char *unwind_end_frame(enum unwind_end end);

enum name_reason {
	NAME_OK = 0,
	NAME_NO_SYMBOL = 1,    /* the file has symbols, none covers the address */
	NAME_STRIPPED = 2,     /* the file has no symbols at all */
	NAME_NO_FILE = 3,      /* the mapped file could not be opened, or is not 64-bit ELF */
	NAME_NOT_MAPPED = 4,   /* no mapping holds the address */
	NAME_ANONYMOUS = 5,    /* code without a file: JIT */
	NAME_PROCESS_GONE = 6, /* the process ended before its mappings were read */
	NAME_HIDDEN = 7,       /* kernel addresses are hidden from us (kptr_restrict) */
	NAME_NO_ROOM = 8,      /* all names together are beyond their budget */
	NAME_NO_ANSWER = 9,    /* reading the file took too long, or broke the reader */
	NAME_FORBIDDEN = 10,   /* the invoking user may not read the file */
	NAME_INLINED = 11,     /* it has one: of a function that was inlined into its caller */
	NAME_REASONS,
};

const char *name_reason_text(enum name_reason reason);

#endif
