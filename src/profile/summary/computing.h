/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads computed in, by the samples that were taken while they ran: for each process of the
 * report and for each name of threads the functions that had most of them. What a function has the
 * kernel and the usual wrappers do is its own, as it is where threads wait.
 */
#ifndef DWELL_PROFILE_SUMMARY_COMPUTING_H
#define DWELL_PROFILE_SUMMARY_COMPUTING_H

#include "profile/family.h"
#include "profile/selection.h"
#include "util/intern.h"
#include "util/map64.h"

#define COMPUTED_FUNCTIONS 5

struct computed_function {
	const char *name;
	uint64_t samples;
};

struct computed {
	uint64_t samples;
	bool is_mixed; /* of a name: processes of several names have such threads */
	struct computed_function functions[COMPUTED_FUNCTIONS]; /* largest first; NULL: no more */
	/* The innermost function that has half of them or more, with all that it calls; or NULL */
	struct computed_function common;
};

/* All zero is valid and empty. */
struct computing {
	VEC(struct computed) at;
	struct map64 by_group; /* node of a group's name -> index */
	struct map64 by_name;  /* hash of a name, or of its family's -> index */
	struct intern texts;   /* names of functions */
};

struct computing_maker;

struct computing_maker *computing_begin(
	const struct recording *recording, const struct families *families);
/* Takes a row of samples; `group` is the node of its process's name. */
void computing_add(struct computing_maker *maker, const struct selection_row *row, uint32_t group);
/* Frees the maker. */
void computing_end(struct computing_maker *maker, struct computing *ret);
void computing_clear(struct computing *computing);

/* NULL where there are too few samples to tell; of a name also where it is mixed. */
const struct computed *computed_by_group(const struct computing *computing, uint32_t group);
const struct computed *computed_by_name(const struct computing *computing, const char *name);
/* Is it one? Else it stands for all code of which nobody knows more. */
bool computed_has_name(const struct computed_function *function);
/* Are so many samples a `part`-th of all or more? */
static inline bool computed_is_part(
	uint64_t samples, unsigned int part, const struct computed *computed)
{
	return (unsigned __int128)samples * part >= computed->samples;
}
/* The function of the program that half of the samples or more are in; NULL: there is none. */
const char *computed_mostly_in(const struct computed *computed);

#endif
