/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which threads can be left out of a chain graph because their waits are seen in the chains of
 * others: those of a name of whose blocked time at least 90 % lies inside the chains of names that
 * are still shown. Chains know wakers by their comm, so threads of one comm are hidden together.
 */
#ifndef DWELL_PROFILE_ROOTS_H
#define DWELL_PROFILE_ROOTS_H

#include "profile/selection.h"

#define ROOTS_SHARE_PERCENT 90

struct roots;

/* Walks all rows that pass. 0 or -errno. */
int roots_new(const struct recording *recording, struct selection *selection, struct roots **ret,
	struct why *why);
void roots_free(struct roots *roots);

bool roots_hides(const struct roots *roots, uint32_t thread_index);
/* Threads with blocked time that are hidden, and that time. */
size_t roots_hidden_threads(const struct roots *roots);
uint64_t roots_hidden_ns(const struct roots *roots);

#endif
