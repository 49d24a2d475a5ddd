/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The books of calls: what came of each function so far. */
#ifndef DWELL_CAPTURE_BOOKS_CALLS_H
#define DWELL_CAPTURE_BOOKS_CALLS_H

#include "capture/books.h"
#include "model/call.h"

struct books_call_total {
	struct call_lengths lengths;   /* of all that ended */
	uint64_t outer;                /* but those within others of the same function; of these: */
	uint64_t wall_ns;              /* */
	uint64_t part_ns[TIME_STATES]; /* */
	uint64_t errors;
	uint64_t slow;
	uint64_t slow_from_ns; /* as it is now; set by whoever tells the kernel side */
	uint64_t open;         /* when it was looked last */
	uint64_t oldest_ns;
	uint64_t left;       /* open at the end, with their frames gone */
	uint64_t mismatched; /* open at the end, and what their thread did does not add up */
};

/* Before any batch is booked: so many functions are watched. */
void books_set_calls(struct books *books, size_t functions);
/* By their numbers. */
struct books_call_total *books_calls(struct books *books, size_t *ret_count);
/* Booked with the other rows of a batch. */
void books_add_calls(struct books *books, const struct kernel_call_rows *rows);
/* What is open, for those who look on. */
void books_note_open_calls(struct books *books, const kernel_open_calls *open, uint64_t until_ns);
struct errands;

/* At the window's end, of which moment the batch's open threads and calls are, and these waits. */
void books_close_calls(struct books *books, const struct batch *batch,
	const kernel_slow_rows *waits, uint64_t end_ns, struct errands *errands);

#endif
