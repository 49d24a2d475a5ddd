// SPDX-License-Identifier: GPL-2.0-or-later
/* Kinds of time: each row's, found again by what it is made of. */
#include "profile/cube/cube_parts.h"
#include "profile/summary/lines.h"
#include "util/hash.h"

/* Operations, lines and things are the recording's; kinds must stay few. */
#define MOST_KINDS 60000

static uint64_t hash_of(const struct cube_kind *kind)
{
	uint64_t words = (uint64_t)kind->operation << 32 | (uint64_t)kind->reason << 20 |
			 (uint64_t)kind->idle << 16 |
			 (uint64_t)(unsigned char)kind->task_letter << 8 |
			 (uint64_t)kind->state << 1 | kind->is_unsliced;
	uint64_t hash = hash_add(0, words);

	return hash_add(
		hash_add(hash, (uint64_t)kind->line << 32 | kind->thing), (uint64_t)kind->called);
}

uint32_t cube_kind_of(struct cube_building *building, const struct selection_row *row)
{
	const struct rec_sum *sum = &row->row->sum;
	bool is_blocked = sum->state == TIME_BLOCKED;
	struct cube_kind kind = {.state = sum->state,
		.task_letter = is_blocked ? sum->task_letter : 0,
		.reason = row->reason,
		.called = row->called,
		.idle = row->idle,
		.operation =
			is_blocked && row->operation ? cube_label(building, row->operation) : 0,
		.line = building->summary ? lines_find(building->summary, building->selection, row)
					  : 0,
		.thing = cube_thing_of(building, row),
		.is_unsliced = row->is_unsliced};
	uint64_t *index = map64_find(&building->kinds, hash_of(&kind));
	bool is_new;

	if (index)
		return (uint32_t)*index;
	/* A row whose kind found no room has none in later walks either: all that were made before
	 * the room was full are found above. */
	if (building->cube->kinds.count >= MOST_KINDS)
		kind.operation = kind.line = kind.thing = 0;
	index = map64_put(&building->kinds, hash_of(&kind), &is_new);
	if (is_new) {
		*index = building->cube->kinds.count;
		vec_push(&building->cube->kinds, kind);
	}
	return (uint32_t)*index;
}
