/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits were for, as a reader sees it. Things of a recording that read the same and belong to
 * the same process are one (twelve eventfds are "an eventfd"); a futex that is used as a mutex in
 * one place and as a condition in another is two. A wait whose reason does not agree with the kind
 * of its thing has none: the system call alone does not tell what a thread waited for.
 */
#ifndef DWELL_PROFILE_THINGS_H
#define DWELL_PROFILE_THINGS_H

#include "profile/selection.h"
#include "util/intern.h"
#include "util/map64.h"

/* The frame and the line of waits of which it is not known what they were for. */
#define THING_NOT_TOLD "[not told]"

struct thing {
	const struct awaited *awaited; /* the recording's; of several the first */
	const char *primitive;         /* what a futex is for its program, or NULL */
	const char *text;              /* clean for terminals */
	uint32_t process;              /* rec_process.id of a futex's process; else 0 */
	uint32_t members;              /* things of the recording that it stands for */
};

/* All zero but the recording is valid and empty. */
struct things {
	const struct recording *recording;
	VEC(struct thing) at;
	struct intern texts;
	struct map64 by_row;      /* thing of the recording, primitive -> number */
	struct map64 by_identity; /* text with kind and process -> number */
};

/* The thing of a row: its number, from 1 on; 0: the row is no wait, or it is not told. */
uint32_t things_find(struct things *things, const struct selection_row *row);
/* Valid until the next find. */
const struct thing *things_get(const struct things *things, uint32_t number);
void things_clear(struct things *things);

/*
 * Does a thing answer to what people call it (--for)? With a * or ? the pattern has to match as a
 * whole, a plain word matches anywhere; against the text, the name, and name:port.
 */
bool thing_matches(const struct thing *thing, const char *pattern);

#endif
