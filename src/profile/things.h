/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits were for, as people tell it apart: awaited things of a recording that read the same
 * are one, as clients of one port are. A thing is told only where it says something and can be
 * true: it fits the wait's reason, and an address of a futex is one of a lock. Most runtimes have a
 * futex for each thread, at which nobody else ever waits: its own parking place, which is no thing.
 */
#ifndef DWELL_PROFILE_THINGS_H
#define DWELL_PROFILE_THINGS_H

#include "model/known_wait.h"
#include "recording/reader.h"
#include "util/map64.h"
#include "util/vec.h"

struct thing {
	enum awaited_kind kind;
	char *text;            /* "its client on :5432", "/var/lib/db/wal", "mutex cache_lock" */
	char *redacted;        /* the same without paths and addresses */
	const char *shown;     /* one of these: for sentences that may be redacted */
	struct awaited said;   /* as far as it is said; texts are the recording's */
	const char *primitive; /* what a futex is for its program, or NULL */
	uint32_t awaited;      /* the first one of the recording that reads so */
	uint32_t members;      /* how many do; of several only kind, port and text are in common */
	bool is_folded;        /* stands for those of its kind that were not told apart */
};

/* The frame and the line of waits of which it is not known what they were for. */
#define THING_NOT_TOLD "[not told]"

/* All zero but the recording is valid and empty. */
struct things {
	const struct recording *recording;
	VEC(struct thing) at;
	struct map64 by_text;    /* hash -> index + 1 */
	struct map64 by_awaited; /* awaited thing and what its wait is known as -> index + 1 */
	VEC(uint32_t) waiters;   /* by awaited thing: nobody yet, a thread's index, or several */
};

/*
 * What an event was on: such as the file that was faulted in, which reads as the file that a wait
 * for its page was for. `awaited` is the recording's thing, or REC_NONE: then, and if nothing can
 * be told, NULL. The caller frees it.
 */
char *thing_text_of_event(const struct recording *recording, uint32_t awaited, bool is_redacted);

/* Who waits for what. To be called for all rows before any thing is looked for. */
void things_note(struct things *things, const struct rec_row *row);
/*
 * The index of the thing that such a wait was for; REC_NONE: nothing that could be told. `awaited`
 * is the recording's thing or REC_NONE.
 */
uint32_t things_find(
	struct things *things, uint32_t awaited, enum reason reason, struct known_wait known);
/* Is it a lock that has an owner, which may be believed, or a pipe, of which the owner has the
 * other end? tells_owner: by the wait's user stack. */
bool things_has_owner(
	const struct thing *thing, enum reason reason, struct known_wait known, bool tells_owner);
/*
 * Does a thing answer to what people call it (--for)? `awaited` is the recording's that it is one
 * of. With a * or ? the pattern has to match as a whole, a plain word matches anywhere; against the
 * text, the name, and name:port.
 */
bool thing_matches(const struct thing *thing, const struct awaited *awaited, const char *pattern);
/*
 * The thing that stands for all whose texts differ from this one's in numbers only, if its numbers
 * only count what comes and goes: processes, pipes, files of a series. Others stand for themselves:
 * ports and addresses tell servers apart.
 */
uint32_t things_family(struct things *things, uint32_t thing);
/* From now on they are shown without paths and addresses. */
void things_redact(struct things *things);
void things_clear(struct things *things);

#endif
