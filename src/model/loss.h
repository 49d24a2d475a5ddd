/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could not be kept: the kinds of loss that a recording stores and every output shows. */
#ifndef DWELL_MODEL_LOSS_H
#define DWELL_MODEL_LOSS_H

#include <stdbool.h>
#include <stdint.h>

enum loss {
	LOSS_OVERFLOW,            /* stacks of these intervals did not fit: shown as [overflow] */
	LOSS_UNSLICED,            /* neither did their slice: only in the thread's totals */
	LOSS_SAMPLES,             /* on-CPU samples that found no room */
	LOSS_BARE_SAMPLES,        /* on-CPU samples whose stacks did not fit */
	LOSS_EVENTS,              /* events that were seen and are in no row */
	LOSS_BARE_EVENTS,         /* events whose stacks did not fit, or never arrived */
	LOSS_ODD_VALUES,          /* events whose number was below 0 or absurd */
	LOSS_UNTRACKED_BLOCKS,    /* allocations whose end cannot be seen: they are not in live */
	LOSS_UNWATCHED_PROCESSES, /* whose allocations were not seen at all */
	LOSS_CALL_MISMATCH,       /* calls whose parts did not add up: a bug, must be 0 */
	LOSS_CALLS,               /* calls that found no room: in no figure */
	LOSS_BARE_CALLS,          /* calls whose threads are not told */
	LOSS_SLOW_WAITS,          /* waits of slow calls whose stacks did not fit */
	LOSS_STACKS,              /* intervals whose stack record never arrived */
	LOSS_THREAD_ENDS,         /* threads whose last record was lost, with their lives */
	LOSS_UNCLOSED,            /* threads seen that were never closed, with their lives */
	LOSS_NO_STORAGE,          /* threads that could not be followed at all */
	LOSS_NO_WAKER,        /* waits that ended without a wake seen: counted blocked to the end */
	LOSS_MISSED_SWITCHES, /* switches not seen, healed at the thread's next one */
	LOSS_KERNEL_STACKS,   /* kernel stacks that could not be walked */
	LOSS_USER_STACKS,     /* user stacks that could not be read at all */
	LOSS_WRONG_STACKS,    /* stacks by rules or memos that an audit found wrong: must be 0 */
	LOSS_UNKNOWN_THREADS, /* rows of a thread never introduced */
	LOSS_MAPPINGS,        /* records of new mappings: names may be missing */
	LOSS_UNWIND_TABLES,   /* files whose unwind tables found no room */
	LOSS_CHAIN_MISMATCH,  /* waits whose shares did not add up: a bug, must be 0 */
	LOSS_CHAIN_TRUNCATED, /* chains longer than --depth */
	LOSS_CHAIN_OVERFLOW,  /* chains shortened because a table was full */
	LOSS_WAKER_STACKS,    /* stacks of wakers left out as asked (--waker-stacks-from) */
	LOSS_THINNED, /* stacks left out as asked (--budget); ns: of those nobody stands for */
	LOSS_AWAITED_FOLDED,  /* waits for things that were too many to tell apart */
	LOSS_AWAITED_UNNAMED, /* waits for things whose record never arrived */
	LOSS_UNANSWERED,      /* files or memory of others that were not read in time */
	LOSS_CPUS, /* CPUs that came while recording: no samples and no perf events of them */
	/* Of imports: what the file says was lost, and lines of it that could not be used. */
	LOSS_LOGGED,           /* events that the other tool lost, and said so */
	LOSS_OTHER_SAMPLES,    /* of a further clock or cycles: not in running time */
	LOSS_UNPLACED_SAMPLES, /* samples without a tid, whose thread is not known */
	LOSS_TOO_LARGE,        /* intervals or samples whose sum would be more than fits */
	LOSS_LINES_BINARY,
	LOSS_LINES_TOO_LONG,
	LOSS_LINES_NO_COUNT,
	LOSS_LINES_NEGATIVE,
	LOSS_LINES_TOO_LARGE,
	LOSS_LINES_NO_STACK,
	LOSS_LINES_NO_TIME,
	LOSS_LINES_HISTOGRAM,
	LOSS_LINES_UNKNOWN,
	LOSS_LINES_CUT,      /* kept, but their stacks lost outer frames */
	LOSS_LINES_NOT_UTF8, /* kept: bytes of names are shown as ? */
	LOSS_NAMES_CUT,      /* names longer than a recording keeps */
	LOSS_STACKS_CUT,     /* stacks deeper than a recording keeps: without their outer frames */
	LOSSES,              /* also, as read: one that this dwell does not have */
	LOSS_NOTED,          /* as read: takes nothing away, but is told by its name */
};

/* The word stored in a recording: "overflow", "unsliced", ... */
const char *loss_name(enum loss loss);
/* A sentence's end: "waits lost their stacks (table full; raise --memory)". */
const char *loss_text(enum loss loss);
/* The same after a count of one: "wait lost its stack (...)". */
const char *loss_text_of_one(enum loss loss);
/* Whichever fits the count; of a kind that is not known, its stored name. */
const char *loss_words(enum loss loss, const char *stored_name, uint64_t count);
/* Does it take time or detail away from the report? (no_waker and missed_switches do not.) */
bool loss_is_serious(enum loss loss);
bool loss_from_name(const char *name, enum loss *ret);

#endif
