// SPDX-License-Identifier: GPL-2.0-or-later
/* Things by rows; each thing of the recording is put into words once. */
#include "profile/things.h"

#include <string.h>

#include "util/hash.h"
#include "util/text.h"

/* The word for what a program made of a futex; NULL where its name tells nothing about the word. */
static const char *primitive_of(const struct awaited *awaited, const struct known_wait *known)
{
	bool is_told = known->kind == KNOWN_LOCK || known->kind == KNOWN_SIGNAL ||
		       known->kind == KNOWN_OTHERS;

	return awaited->kind == AWAITED_FUTEX && is_told ? known->name : NULL;
}

/* One that reads the same and belongs to the same process, or a new one. */
static uint32_t add(struct things *things, const struct rec_awaited *awaited, const char *primitive)
{
	_cleanup_free_ char *text = awaited_text(&awaited->thing, primitive, false);
	uint32_t label = intern(&things->texts, text);
	uint64_t key = hash_add(0, (uint64_t)awaited->thing.kind);
	bool is_new;
	uint64_t *number;

	key = hash_add(hash_add(key, awaited->process), label);
	number = map64_put(&things->by_identity, key, &is_new);
	if (is_new) {
		struct thing thing = {.awaited = &awaited->thing,
			.primitive = primitive,
			.text = intern_text(&things->texts, label),
			.process = awaited->process};
		vec_push(&things->at, thing);
		*number = things->at.count;
	}
	things->at.at[*number - 1].members++;
	return (uint32_t)*number;
}

uint32_t things_find(struct things *things, const struct selection_row *row)
{
	size_t count;
	const struct rec_awaited *all = recording_awaited(things->recording, &count);
	uint32_t index = row->row->awaited;

	if (row->row->sum.state != TIME_BLOCKED || index >= count ||
		!awaited_fits(all[index].thing.kind, row->reason))
		return 0;
	const char *primitive = primitive_of(&all[index].thing, &row->known);
	uint64_t key = hash_add(index, primitive ? hash_text(1, primitive) : 0);
	bool is_new;
	uint64_t *number = map64_put(&things->by_row, key, &is_new);
	if (is_new)
		*number = add(things, &all[index], primitive);
	return (uint32_t)*number;
}

const struct thing *things_get(const struct things *things, uint32_t number)
{
	return &things->at.at[number - 1];
}

void things_clear(struct things *things)
{
	vec_clear(&things->at);
	intern_clear(&things->texts);
	map64_clear(&things->by_row);
	map64_clear(&things->by_identity);
}

bool thing_matches(const struct thing *thing, const char *pattern)
{
	const struct awaited *awaited = thing->awaited;
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
