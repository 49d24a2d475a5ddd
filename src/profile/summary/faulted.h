/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page faults and what they cost: by file that was faulted in, how often, and how long threads were
 * blocked for its pages. Counts are those of measures, time is that of waits; they are told beside
 * each other and never added.
 */
#ifndef DWELL_PROFILE_SUMMARY_FAULTED_H
#define DWELL_PROFILE_SUMMARY_FAULTED_H

#include "profile/summary/measured.h"

/* What a measure of faults counts, by its name. */
enum fault_weight {
	FAULTS_MINOR,
	FAULTS_MAJOR,
	FAULTS_ALL, /* not told apart */
	FAULT_WEIGHTS,
};

/* "minor", "major", "page" */
const char *fault_weight_name(enum fault_weight weight);
enum fault_weight fault_weight_of(const struct measured *measured);

struct faulted {
	char *text; /* as people call the file; "": waits of which it is not told */
	uint64_t count[FAULT_WEIGHTS];
	uint64_t samples[FAULT_WEIGHTS];
	uint64_t wait_ns; /* blocked for its pages */
	uint64_t waits;
};

struct faulted_files {
	VEC(struct faulted) at; /* most blocked time first, then most major faults, then any */
	uint64_t wait_ns;       /* of all faults */
	uint64_t waits;
};

struct summary;

/* Nothing where no faults were counted. */
void faulted_find(struct summary *summary);
void faulted_clear(struct faulted_files *files);

#endif
