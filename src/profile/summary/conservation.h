/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Law 1, checked: for every thread, in every slice, the rows' time equals the thread's life there.
 * Time that did not fit into rows but is in its thread's totals is accounted for: every view shows
 * it as [overflow]. It is missing in its slices, though.
 */
#ifndef DWELL_PROFILE_SUMMARY_CONSERVATION_H
#define DWELL_PROFILE_SUMMARY_CONSERVATION_H

#include "recording/reader.h"

struct conservation {
	uint64_t expected_ns;     /* lives of all threads */
	uint64_t accounted_ns;    /* time of all rows, and unsliced_ns */
	uint64_t unsliced_ns;     /* time in the threads' exact totals that no row has */
	uint64_t worst_thread_ns; /* largest |accounted - life| of a thread */
	uint32_t worst_thread;    /* its index, REC_NONE if all are exact */
	uint64_t worst_slice_ns;  /* largest |rows - life| of a thread in one slice */
};

/*
 * The check, row by row, for those who have the rows at hand. Memory follows the (thread, slice)
 * pairs that do not add up so far, and a bit for each slice of a thread's life. Borrows the
 * threads.
 */
struct conservation_run;
struct conservation_run *conservation_begin(const struct rec_thread *threads, size_t thread_count,
	uint64_t slice_ns, uint32_t slice_count);
void conservation_add(
	struct conservation_run *run, uint32_t thread_index, const struct rec_sum *sum);
/* Gives the result and frees the run. ret may be NULL. */
void conservation_end(struct conservation_run *run, struct conservation *ret);

/* The same for all rows of a recording. 0, or -errno with why. */
int conservation_check(struct recording *recording, struct conservation *ret, struct why *why);

#endif
