// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What waits were for, in a cube: the largest things by time, and of each kind one that stands for
 * all others. Where a recording has no more things than may be kept, they are numbered as they
 * come; else a walk of its own finds the largest first.
 */
#include "profile/cube/cube_parts.h"

struct ranked_thing {
	uint32_t thing; /* of the selection */
	uint64_t ns;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked_thing *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->thing < b->thing ? -1 : a->thing > b->thing;
}

static uint32_t add_thing(struct cube_building *building, const struct cube_thing *thing)
{
	vec_push(&building->cube->things, *thing);
	return (uint32_t)building->cube->things.count;
}

static struct cube_thing thing_of(const struct thing *thing)
{
	return (struct cube_thing){.awaited = thing->said, .primitive = thing->primitive};
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

	return thing->is_folded ? other_of(building, thing->kind) : add_thing(building, &kept);
}

static const struct thing *thing_at(const struct cube_building *building, uint32_t thing)
{
	return &selection_things(building->selection)->at.at[thing];
}

uint32_t cube_thing_of(struct cube_building *building, const struct selection_row *row)
{
	if (row->thing == REC_NONE)
		return 0;
	while (building->thing_of.count <= row->thing)
		vec_push(&building->thing_of, 0);
	if (!building->thing_of.at[row->thing])
		building->thing_of.at[row->thing] = keep(building, thing_at(building, row->thing));
	return building->thing_of.at[row->thing];
}

typedef VEC(struct ranked_thing) ranked_things;

static int rank_row(const struct selection_row *row, void *context)
{
	ranked_things *ranks = context;

	if (row->thing == REC_NONE)
		return 0;
	while (ranks->count <= row->thing) {
		struct ranked_thing ranked = {(uint32_t)ranks->count, 0};
		vec_push(ranks, ranked);
	}
	ranks->at[row->thing].ns += row->ns;
	return 0;
}

int cube_choose_things(struct cube_building *building, uint32_t most, struct why *why)
{
	ranked_things ranks = {0};
	size_t count;
	int error;

	recording_awaited(building->recording, &count);
	if (count <= most)
		return 0;
	error = selection_each_row(building->selection, rank_row, &ranks, why);
	vec_sort(&ranks, compare_ranked);
	for (size_t i = 0; i < ranks.count; i++)
		vec_push(&building->thing_of, 0);
	/* The others are only wakers', or larger ones have their places. */
	for (size_t i = 0; i < ranks.count && ranks.at[i].ns; i++) {
		const struct thing *thing = thing_at(building, ranks.at[i].thing);
		bool is_kept = i < most || thing->is_folded;
		building->thing_of.at[ranks.at[i].thing] =
			is_kept ? keep(building, thing) : other_of(building, thing->kind);
		building->cube->folded_things += !is_kept;
	}
	vec_clear(&ranks);
	return error;
}
