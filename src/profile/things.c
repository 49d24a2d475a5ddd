// SPDX-License-Identifier: GPL-2.0-or-later
/* Awaited things into what is said of them. */
#include "profile/things.h"

#include <string.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/text.h"

/* Who waits for a thing. */
#define WAITER_NONE UINT32_MAX
#define WAITER_SEVERAL (UINT32_MAX - 1)

/* Keeps families apart from things that happen to read so. */
#define FAMILY_SEED (1ULL << 32)

char *thing_text_of_event(const struct recording *recording, uint32_t awaited, bool is_redacted)
{
	size_t count;
	const struct rec_awaited *all = recording_awaited(recording, &count);

	if (awaited >= count || all[awaited].thing.kind == AWAITED_NONE)
		return NULL;
	struct awaited said = all[awaited].thing;
	/* A page of a file is that file's. */
	if (said.kind == AWAITED_FAULT)
		said.kind = AWAITED_FILE;
	_cleanup_free_ char *text = awaited_text(&said, NULL, is_redacted);
	return text_clean(text, false);
}

void things_note(struct things *things, const struct rec_row *row)
{
	uint32_t *waiter;

	if (row->awaited == REC_NONE)
		return;
	while (things->waiters.count <= row->awaited)
		vec_push(&things->waiters, WAITER_NONE);
	waiter = &things->waiters.at[row->awaited];
	if (*waiter == WAITER_NONE)
		*waiter = row->thread_index;
	else if (*waiter != row->thread_index)
		*waiter = WAITER_SEVERAL;
}

/*
 * A lock is told by its address if need be. Anything else has a name, or it is left out: addresses
 * of conditions say nothing. What no function is known for may be a thread's parking place, as long
 * as only that thread waits there; with a name, too: that of Go's first thread is in a variable.
 */
static bool is_futex_told(const struct things *things, uint32_t awaited,
	const struct awaited *futex, struct known_wait known)
{
	if (known.name)
		return known.is_word && (known.kind == KNOWN_LOCK || futex->name[0]);
	return futex->name[0] && awaited < things->waiters.count &&
	       things->waiters.at[awaited] == WAITER_SEVERAL;
}

static bool is_told(const struct things *things, uint32_t awaited, const struct awaited *thing,
	enum reason reason, struct known_wait known)
{
	if (!awaited_fits(thing->kind, reason))
		return false;
	/* How a program's own lock waits is its own affair: the lock is what was waited for. */
	if (known.kind == KNOWN_LOCK && reason != REASON_LOCK && thing->kind != AWAITED_FUTEX)
		return false;
	switch (thing->kind) {
	/* That it was one of several says nothing. */
	case AWAITED_EPOLL:
	case AWAITED_POLL_SET:
	case AWAITED_ANY_CHILD:
		return false;
	case AWAITED_FUTEX:
		return !thing->is_folded && is_futex_told(things, awaited, thing, known);
	default:
		return true;
	}
}

/* The thing that reads so, made if need be. */
static uint32_t put(
	struct things *things, uint32_t awaited, const struct awaited *said, const char *primitive)
{
	_cleanup_free_ char *text = awaited_text(said, primitive, false);
	uint64_t *number = map64_put(&things->by_text,
		hash_text((uint64_t)said->kind << 1 | said->is_folded, text), NULL);

	if (!*number) {
		struct thing thing = {.kind = said->kind,
			.text = xstrdup(text),
			.redacted = awaited_text(said, primitive, true),
			.said = *said,
			.primitive = primitive,
			.awaited = awaited,
			.is_folded = said->is_folded};
		thing.shown = thing.text;
		vec_push(&things->at, thing);
		*number = things->at.count;
	}
	things->at.at[*number - 1].members++;
	return (uint32_t)*number;
}

uint32_t things_find(
	struct things *things, uint32_t awaited, enum reason reason, struct known_wait known)
{
	size_t count;
	const struct rec_awaited *all = recording_awaited(things->recording, &count);
	struct awaited said;
	const char *primitive;
	uint64_t *number;

	if (awaited >= count || !is_told(things, awaited, &all[awaited].thing, reason, known))
		return REC_NONE;
	said = all[awaited].thing;
	primitive = said.kind == AWAITED_FUTEX ? known.name : NULL;
	/* Names are constants of known_wait.c: each is one pointer. */
	number = map64_put(
		&things->by_awaited, hash_add(awaited, (uint64_t)(uintptr_t)primitive), NULL);
	if (!*number) {
		/* Clients are many, and come and go: the port tells what they are clients of. */
		if (said.kind == AWAITED_TCP_FROM)
			said.name = "";
		*number = put(things, awaited, &said, primitive);
	}
	return (uint32_t)*number - 1;
}

static bool has_idle_numbers(enum awaited_kind kind)
{
	return kind == AWAITED_CHILD || kind == AWAITED_PIPE || kind == AWAITED_FILE ||
	       kind == AWAITED_FAULT;
}

uint32_t things_family(struct things *things, uint32_t index)
{
	const struct thing *one = &things->at.at[index];
	struct thing family = *one;
	_cleanup_free_ char *text = NULL;
	uint64_t *number;

	if (!has_idle_numbers(one->kind) || one->is_folded)
		return index;
	text = text_fold_digits(one->text);
	number = map64_put(
		&things->by_text, hash_text((uint64_t)one->kind << 1 | FAMILY_SEED, text), NULL);
	if (!*number) {
		family.text = xstrdup(text);
		family.redacted = text_fold_digits(one->redacted);
		family.shown = one->shown == one->text ? family.text : family.redacted;
		family.members = 0;
		vec_push(&things->at, family);
		*number = things->at.count;
	}
	return (uint32_t)*number - 1;
}

bool things_has_owner(
	const struct thing *thing, enum reason reason, struct known_wait known, bool tells_owner)
{
	switch (thing->kind) {
	case AWAITED_KERNEL_MUTEX:
	case AWAITED_KERNEL_RWSEM:
	case AWAITED_MMAP_LOCK:
		return true;
	case AWAITED_PIPE:
		return reason != REASON_LOCK && known.kind != KNOWN_LOCK;
	case AWAITED_FUTEX:
		return tells_owner && known.kind == KNOWN_LOCK && known.is_word;
	default:
		return false;
	}
}

bool thing_matches(const struct thing *thing, const struct awaited *awaited, const char *pattern)
{
	const char *name = awaited->is_folded ? "" : awaited->name;
	bool is_v6 = strchr(name, ':');
	_cleanup_free_ char *with_port = name[0] && awaited->port
						 ? xasprintf("%s%s%s:%u", is_v6 ? "[" : "", name,
							   is_v6 ? "]" : "", awaited->port)
						 : xstrdup("");
	const char *texts[] = {thing->text, name, with_port};
	bool is_glob = strpbrk(pattern, "*?");

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i][0] && (is_glob ? text_matches_glob(texts[i], pattern)
					    : strstr(texts[i], pattern) != NULL))
			return true;
	return false;
}

void things_redact(struct things *things)
{
	vec_each (thing, &things->at)
		thing->shown = thing->redacted;
}

void things_clear(struct things *things)
{
	vec_each (thing, &things->at) {
		free(thing->text);
		free(thing->redacted);
	}
	vec_clear(&things->at);
	map64_clear(&things->by_text);
	map64_clear(&things->by_awaited);
	vec_clear(&things->waiters);
}
