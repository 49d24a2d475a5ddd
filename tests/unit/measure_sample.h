/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that counts things beside thread time, for the tests of that. Include after cmocka.
 */
#ifndef DWELL_TESTS_MEASURE_SAMPLE_H
#define DWELL_TESTS_MEASURE_SAMPLE_H

#include "view_sample.h"

static const struct rec_measure faults = {7, "page-faults", "count", "page fault",
	"where memory was touched for the first time", "event"};
static const struct rec_measure bytes = {
	9, "alloc", "bytes", "allocation", "memory by who asked", "event"};
static const struct rec_measure quanta = {
	10, "quanta", "furlongs", "quantum", "of a newer dwell", "entropy"};

/* Two threads that each live 3 s, with events of three measures in three slices. */
static inline void make(struct view_sample *sample)
{
	const uint64_t totals[TIME_STATES] = {1000 * MS, 0, 0, 2000 * MS};

	sample_begin(sample, 3);
	for (uint32_t thread = 1; thread <= 2; thread++) {
		sample_add_thread(sample, thread, thread == 1 ? "shop" : "batch",
			thread == 1 ? "shop" : "batch", false, 0, 3000 * MS, totals);
		sample_add_row(
			sample, thread, 0, TIME_RUNNING, 1, 1000 * MS, STACK_NONE, STACK_NONE);
		for (uint32_t slice = 1; slice <= 2; slice++)
			sample_add_row(sample, thread, slice, TIME_BLOCKED, 1, 1000 * MS,
				sample_user(sample, "main;nap"), sample_kernel(sample, KERNEL_NAP));
	}
	recording_writer_put_measure(sample->writer, &faults);
	recording_writer_put_measure(sample->writer, &bytes);
	recording_writer_put_measure(sample->writer, &quanta);
	sample_add_count(sample, &faults, 1, 0, "main;grow;touch", 30, 30);
	sample_add_count(sample, &faults, 1, 2, "main;grow;touch", 5, 5);
	sample_add_count(sample, &faults, 1, 1, "main;load", 10, 10);
	sample_add_count(sample, &faults, 2, 1, "main;load", 4, 4);
	sample_add_count(sample, &faults, 2, 1, NULL, 1, 1);
	sample_add_count(sample, &bytes, 1, 0, "main;grow", 3, 3ULL << 20);
	sample_add_count(sample, &quanta, 2, 2, "main", 2, 500);
	/* Slice 1 is told twice. */
	for (uint32_t i = 0; i < 4; i++)
		recording_writer_put_memory(sample->writer,
			&(struct rec_memory){1, i < 2 ? i : i - 1, (uint64_t)(16 * i) << 20, i});
	sample_finish(sample);
}

#endif
