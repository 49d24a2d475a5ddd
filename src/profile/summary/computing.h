/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads computed in, by the samples that were taken while they ran: for each process of the
 * report and for each name of threads the functions of the program that had most of them. What a
 * function has called of libraries and of the kernel is its own, as it is where threads wait.
 */
#ifndef DWELL_PROFILE_SUMMARY_COMPUTING_H
#define DWELL_PROFILE_SUMMARY_COMPUTING_H

#include "profile/family.h"
#include "profile/selection.h"
#include "util/map64.h"

#define COMPUTED_FUNCTIONS 5

struct computed_function {
	const char *name; /* the recording's */
	uint64_t samples;
};

struct computed {
	uint64_t samples;
	struct computed_function functions[COMPUTED_FUNCTIONS]; /* largest first; NULL: no more */
	/* The innermost function that has, with all that it calls, half of them or more; or NULL.
	 */
	struct computed_function common;
};

/* All zero is valid and empty. */
struct computing {
	VEC(struct computed) at;
	struct map64 by_group; /* node of a group's name -> index */
	struct map64 by_name;  /* hash of a name, or of its family's -> index */
};

struct computing_maker;

struct computing_maker *computing_begin(
	const struct recording *recording, const struct families *families);
/* Takes a row of samples; `group` is the node of its process's name. */
void computing_add(struct computing_maker *maker, const struct selection_row *row, uint32_t group);
/* Frees the maker. */
void computing_end(struct computing_maker *maker, struct computing *ret);
void computing_clear(struct computing *computing);

/* NULL where there are too few samples to tell. */
const struct computed *computed_by_group(const struct computing *computing, uint32_t group);
const struct computed *computed_by_name(const struct computing *computing, const char *name);
/* The function of the program that half of the samples or more are in; NULL: there is none. */
const char *computed_mostly_in(const struct computed *computed);

#endif
