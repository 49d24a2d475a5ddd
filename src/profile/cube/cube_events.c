// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a recording counts beside thread time, as tables of a cube: each measure with its own keys,
 * cells and part of the limits, all of them made in the same two walks over the rows. An event lies
 * in one slice, so its bucket has all of it.
 */
#include "profile/cube/cube_parts.h"

/* The tables of all measures while rows go into them. */
struct event_tables {
	struct cube_building *building;
	struct cube_making *makings; /* by index of the measure */
	size_t count;
};

/* From here on keys and cells are those of the row's measure. */
static struct cube_building *begin_row(struct event_tables *tables, const struct rec_counted *row)
{
	tables->building->making = &tables->makings[row->measure_index];
	return tables->building;
}

/* An event has no kind, band or chain; figures are not part of the key. */
static uint32_t key_of_event(struct cube_building *building, const struct rec_counted *row)
{
	struct cube_key key = {.thread = building->thread_of[row->thread_index],
		.node = placer_place(building->placer, row->thread_index, &row->stacks),
		.first_share = CUBE_NO_SHARES};

	return cube_key_index(building, &key);
}

static int add_event_to_key(const struct rec_counted *row, void *context)
{
	struct event_tables *tables = context;
	struct cube_building *building = begin_row(tables, row);
	uint32_t index = key_of_event(building, row);
	struct cube_key *sum = &building->making->table->keys.at[index];

	sum->weight += row->count.value;
	sum->count += row->count.events;
	sum->samples += row->count.count;
	return 0;
}

static int add_event_to_cell(const struct rec_counted *row, void *context)
{
	struct event_tables *tables = context;
	struct cube_building *building = begin_row(tables, row);
	uint32_t index = building->making->chosen.at[key_of_event(building, row)];
	struct cube_cell *cell = cube_add_cell(building, cube_bucket_of(building, row->count.slice),
		index, row->count.value, row->count.events);

	cell->samples += row->count.count;
	return 0;
}

static struct event_tables begin_tables(struct cube_building *building, size_t count)
{
	struct event_tables tables = {building, xcalloc(count + 1, sizeof(*tables.makings)), count};

	for (size_t i = 0; i < count; i++) {
		struct cube_measure measure = {0};
		view_of_measure(building->recording, (uint32_t)i, &measure.view);
		vec_push(&building->cube->measures, measure);
	}
	for (size_t i = 0; i < count; i++)
		tables.makings[i].table = &building->cube->measures.at[i].events;
	return tables;
}

static void end_tables(struct event_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		cube_making_clear(&tables->makings[i]);
	free(tables->makings);
}

int cube_add_measures(
	struct cube_building *building, const struct cube_limits *limits, struct why *why)
{
	struct selection *selection = building->selection;
	size_t count;
	int error;

	recording_measures(building->recording, &count);
	if (!count)
		return 0;
	_cleanup_(end_tables) struct event_tables tables = begin_tables(building, count);
	error = selection_each_count(selection, add_event_to_key, &tables, why);
	for (size_t i = 0; i < count && !error; i++) {
		building->making = &tables.makings[i];
		cube_choose_keys(building, limits->keys / count);
	}
	if (!error)
		error = selection_each_count(selection, add_event_to_cell, &tables, why);
	for (size_t i = 0; i < count && !error; i++) {
		building->making = &tables.makings[i];
		cube_choose_cells(building, limits->cells / count);
	}
	return error;
}
