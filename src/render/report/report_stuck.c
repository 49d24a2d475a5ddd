// SPDX-License-Identifier: GPL-2.0-or-later
/* Sentences about threads that cannot go on by themselves. */
#include "render/report/report_stuck.h"

#include <string.h>

#include "render/report/report_things.h"
#include "render/report/report_what.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

/* A lock that was waited for through this part of the window, without end, is a lock for ever. */
#define STUCK_PART 2
#define MOST_STUCK 3
/* Threads of a deadlock that are named: more make no sentence. */
#define MOST_MEMBERS 8

static bool is_in_deadlock(const struct summary *summary, const struct summary_line *line)
{
	const struct last_wait *wait = deadlocks_wait_of(&summary->deadlocks, line->unended_by);

	return wait && wait->deadlock && line->unended_max_ns >= line->total_ns / 2;
}

bool report_is_stuck(const struct summary *summary, const struct summary_line *line)
{
	bool is_lock =
		line->known.kind == KNOWN_LOCK || (line->reason == REASON_LOCK && line->owner);

	return !line->is_runnable && is_lock &&
	       (line->unended_max_ns >= (summary->to_ns - summary->from_ns) / STUCK_PART ||
		       is_in_deadlock(summary, line));
}

static bool is_stopped(const struct summary *summary, const struct summary_line *line)
{
	return !line->is_runnable && line->reason == REASON_STOPPED &&
	       line->total_ns >= (summary->to_ns - summary->from_ns) / STUCK_PART;
}

/* A thread of a deadlock; with its tid if others there have the same name. */
static char *member_name(const struct summary *summary, const struct deadlock *deadlock, size_t at)
{
	const struct rec_thread *thread =
		deadlocks_member(&summary->deadlocks, deadlock, at)->thread;
	_cleanup_free_ char *name = text_clean(thread->comm, false);

	for (size_t i = 0; i < deadlock->count; i++) {
		const struct last_wait *other = deadlocks_member(&summary->deadlocks, deadlock, i);
		if (other->thread != thread && !strcmp(other->thread->comm, thread->comm))
			return xasprintf("%s (%u)", name, thread->tid);
	}
	return xstrdup(name);
}

static char *lock_of(const struct summary *summary, const struct last_wait *wait)
{
	/* Who has an owner has a thing. */
	return thing_text(&summary->things.at.at[wait->thing], THING_COLUMNS);
}

/* "Deadlock: left holds mutex a and waits for mutex b (take_both); right holds ..." */
static void put_deadlock(FILE *out, const struct summary *summary, const struct deadlock *deadlock)
{
	fputs("Deadlock: ", out);
	for (size_t i = 0; i < deadlock->count && i < MOST_MEMBERS; i++) {
		const struct last_wait *wait = deadlocks_member(&summary->deadlocks, deadlock, i);
		_cleanup_free_ char *name = member_name(summary, deadlock, i);
		_cleanup_free_ char *wanted = lock_of(summary, wait);
		_cleanup_free_ char *held =
			lock_of(summary, deadlocks_before(&summary->deadlocks, deadlock, i));
		_cleanup_free_ char *spot = wait->spot ? text_clean(wait->spot, false) : NULL;
		_cleanup_free_ char *where = spot ? xasprintf(" (%s)", spot) : xstrdup("");
		fputs(i ? "; " : "", out);
		if (deadlock->count == 1)
			fprintf(out, "%s waits for %s%s, which it holds itself", name, wanted,
				where);
		else
			fprintf(out, "%s holds %s and waits for %s%s", name, held, wanted, where);
	}
	if (deadlock->count > MOST_MEMBERS)
		fprintf(out, "; and so on through %zu more", deadlock->count - MOST_MEMBERS);
	fputs(".", out);
}

/* ", and y holds it, asleep in nap": who has what somebody is stuck at, and what that one does. */
static char *holder_text(const struct summary *summary, const struct last_wait *stuck)
{
	if (!stuck || !stuck->owner)
		return xstrdup(", and nobody let it go on");
	const struct rec_thread *owner = stuck->owner;
	const struct last_wait *wait = deadlocks_wait_of(&summary->deadlocks, owner);
	_cleanup_free_ char *name = text_clean(owner->comm, false);

	if (!wait && owner->is_closed && owner->end_ns < summary->to_ns)
		return xasprintf("; %s, which had it, has ended", name);
	if (!wait)
		return xasprintf("; %s holds it", name);
	if (wait->deadlock)
		return xasprintf("; %s, which holds it, is part of the deadlock", name);
	_cleanup_free_ char *spot = wait->spot ? text_clean(wait->spot, false) : NULL;
	_cleanup_free_ char *call = thing_in_call(wait->operation, wait->reason,
		wait->thing == REC_NONE ? NULL : &summary->things.at.at[wait->thing]);
	return wait->reason == REASON_SLEEP
		       ? xasprintf(
				 "; %s, which holds it, is asleep in %s", name, spot ? spot : call)
		       : xasprintf("; %s, which holds it, is in %s%s%s%s", name, call,
				 spot ? " (" : "", spot ? spot : "", spot ? ")" : "");
}

static void put_stuck(FILE *out, const struct summary *summary, const struct summary_line *line)
{
	_cleanup_free_ char *name = summary_root_name(summary, line->root);
	_cleanup_free_ char *what = report_what(summary, line, NULL);
	char amount[UNITS_ROOM];

	if (line->reason == REASON_STOPPED) {
		fprintf(out, "%s was %s for %s%s.", name,
			line->known.name ? line->known.name : "stopped",
			units_duration(line->total_ns, amount),
			line->unended_max_ns ? " and has not gone on" : "");
		return;
	}
	_cleanup_free_ char *holder =
		holder_text(summary, deadlocks_wait_of(&summary->deadlocks, line->unended_by));
	fprintf(out, "%s is stuck: it waits %s for %s%s.", name, what,
		units_duration(line->unended_max_ns, amount), holder);
}

size_t report_stuck(FILE *out, const struct summary *summary)
{
	size_t count = 0;

	vec_each (deadlock, &summary->deadlocks.at) {
		if (count == MOST_STUCK)
			return count;
		fputs(count++ ? " " : "", out);
		put_deadlock(out, summary, deadlock);
	}
	vec_each (line, &summary->lines) {
		if ((!report_is_stuck(summary, line) && !is_stopped(summary, line)) ||
			is_in_deadlock(summary, line) || count == MOST_STUCK)
			continue;
		fputs(count++ ? " " : "", out);
		put_stuck(out, summary, line);
	}
	return count;
}
