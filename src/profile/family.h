/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads whose names differ in numbers only do the same: worker-0 to worker-5 are worker-*. A name
 * that has no brothers in the recording stays as it is; so do names of kernel threads that say
 * which device they belong to.
 */
#ifndef DWELL_PROFILE_FAMILY_H
#define DWELL_PROFILE_FAMILY_H

#include "recording/reader.h"
#include "util/intern.h"
#include "util/map64.h"

/* All zero is valid and empty. */
struct families {
	struct intern texts;
	VEC(uint32_t) only;   /* by number of a family's text: its one name; 0: none, or several */
	VEC(bool) is_several; /* by the same */
};

/* Takes the names of all threads and wakers in. */
void families_gather(struct families *families, const struct recording *recording);
/* One more name. */
void families_add(struct families *families, const char *name);
/* The name that stands for it: itself, or its family's. The families' or the caller's text. */
const char *family_of(const struct families *families, const char *name);
void families_clear(struct families *families);

#endif
