// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What waits were for, in a cube: the largest things by time, and of each kind one that stands for
 * all others. Where a recording has no more things than may be kept, they are numbered as they
 * come; else a walk of its own finds the largest first.
 */
#include "profile/cube/cube_parts.h"

struct ranked_thing {
	uint32_t number; /* in building->things */
	uint64_t ns;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked_thing *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static uint32_t add_thing(struct cube_building *building, const struct cube_thing *thing)
{
	vec_push(&building->cube->things, *thing);
	return (uint32_t)building->cube->things.count;
}

static struct cube_thing thing_of(const struct thing *thing)
{
	return (struct cube_thing){.awaited = *thing->awaited,
		.primitive = thing->primitive,
		.process = thing->process};
}

/* "other files": the one that stands for all others of a kind, made if need be. */
static uint32_t other_of(struct cube_building *building, enum awaited_kind kind)
{
	bool is_new;
	uint64_t *number = map64_put(&building->other_things, (uint64_t)kind, &is_new);

	if (is_new)
		*number = add_thing(building, &(struct cube_thing){.awaited = {
									   .kind = kind,
									   .is_folded = true,
									   .name = "",
									   .place = "",
								   }});
	return (uint32_t)*number;
}

static uint32_t keep(struct cube_building *building, const struct thing *thing)
{
	const struct cube_thing kept = thing_of(thing);

	return thing->awaited->is_folded ? other_of(building, thing->awaited->kind)
					 : add_thing(building, &kept);
}

uint32_t cube_thing_of(struct cube_building *building, const struct selection_row *row)
{
	uint32_t number = things_find(&building->things, row);

	while (building->thing_of.count < building->things.at.count) {
		uint32_t next = (uint32_t)building->thing_of.count + 1;
		uint32_t made = keep(building, things_get(&building->things, next));
		vec_push(&building->thing_of, made);
	}
	return number ? building->thing_of.at[number - 1] : 0;
}

typedef VEC(struct ranked_thing) ranked_things;

struct ranking {
	struct cube_building *building;
	ranked_things ranks;
};

static int rank_row(const struct selection_row *row, void *context)
{
	struct ranking *ranking = context;
	uint32_t number = things_find(&ranking->building->things, row);

	while (ranking->ranks.count < ranking->building->things.at.count) {
		struct ranked_thing ranked = {(uint32_t)ranking->ranks.count + 1, 0};
		vec_push(&ranking->ranks, ranked);
	}
	if (number)
		ranking->ranks.at[number - 1].ns += row->ns;
	return 0;
}

int cube_choose_things(struct cube_building *building, uint32_t most, struct why *why)
{
	struct ranking ranking = {.building = building};
	size_t count;
	int error;

	recording_awaited(building->recording, &count);
	if (count <= most)
		return 0;
	error = selection_each_row(building->selection, rank_row, &ranking, why);
	vec_sort(&ranking.ranks, compare_ranked);
	for (size_t i = 0; i < ranking.ranks.count; i++)
		vec_push(&building->thing_of, 0);
	for (size_t i = 0; i < ranking.ranks.count; i++) {
		uint32_t number = ranking.ranks.at[i].number;
		const struct thing *thing = things_get(&building->things, number);
		bool is_kept = i < most || thing->awaited->is_folded;
		building->thing_of.at[number - 1] =
			is_kept ? keep(building, thing) : other_of(building, thing->awaited->kind);
		building->cube->folded_things += !is_kept;
	}
	vec_clear(&ranking.ranks);
	return error;
}
