/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of a selection share: selection.c cuts rows to the range and says what they mean,
 * idle.c which of them are idle, selection_others.c has rows of other kinds. Nobody else includes it.
 */
#ifndef DWELL_PROFILE_SELECTION_PRIVATE_H
#define DWELL_PROFILE_SELECTION_PRIVATE_H

#include "profile/selection.h"
#include "profile/sleeps.h"
#include "profile/things.h"
#include "util/map64.h"
#include "util/vec.h"

/* Of a kernel stack. */
struct meaning {
	enum reason reason;
	bool is_own_timer;
	const char *operation;
	struct known_wait known;
};

struct selection {
	struct recording *recording;
	const struct view_filter *filter;
	uint32_t chosen_before; /* slow calls of which function: the recording's choice until then */
	const struct rec_thread *threads;
	size_t thread_count;
	bool *passes; /* by thread index */
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t slice_from;
	uint32_t slice_to;
	bool has_range;
	VEC(struct meaning) meanings;
	struct map64 meaning_of; /* kernel node, thread kind, letter -> index into meanings */
	struct spots spots;
	struct map64 asked_things; /* awaited thing, thing -> does the filter ask for it? */
	struct sleeps sleeps;
	struct things things;
	uint64_t idle_hidden_ns; /* in the last walk */
	bool has_sleeps;         /* they, and who waits for what, are gathered when first needed */
};

/* Is a blocked row idle, by what its stack means and the kind of wait that it is known as? */
enum idle_kind selection_idle(struct selection *selection, const struct rec_row *row,
	const struct meaning *meaning, enum known_kind known);

#endif
