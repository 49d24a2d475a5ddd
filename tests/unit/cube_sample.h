/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cubes of sample recordings, and their sums beside those of the summary. Include after cmocka. */
#ifndef DWELL_TESTS_CUBE_SAMPLE_H
#define DWELL_TESTS_CUBE_SAMPLE_H

#include "profile/cube/cube.h"
#include "profile/summary/summary.h"
#include "view_sample.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};
static const struct cube_limits roomy = {120, 1000, 1000, 1000, 1000, 0, 0};

static inline void open_known(struct view_sample *sample, struct view_filter *filter)
{
	view_filter_init(filter);
	sample_begin(sample, 10);
	sample_fill(sample);
	sample_finish(sample);
}

static inline struct cube *cube_of(struct view_sample *sample, const struct view_filter *filter,
	const struct cube_limits *limits)
{
	struct cube *cube = NULL;
	struct why why = {""};

	if (cube_new(sample->recording, filter, &by_comm, limits, NULL, &cube, &why))
		fail_msg("%s", why.text);
	return cube;
}

/* Time of all threads in that state, by keys. */
static inline uint64_t key_sum(const struct cube *cube, enum time_state state)
{
	uint64_t sum = 0;

	vec_each (key, &cube->time.keys)
		if (cube->kinds.at[key->kind].state == state)
			sum += key->weight;
	return sum;
}

/* The same by cells, in the buckets from `from` to before `to`. */
static inline uint64_t cell_sum(
	const struct cube *cube, enum time_state state, uint32_t from, uint32_t to)
{
	uint64_t sum = 0;

	vec_each (cell, &cube->time.cells)
		if (cell->bucket >= from && cell->bucket < to &&
			cube->kinds.at[cube->time.keys.at[cell->key].kind].state == state)
			sum += cell->weight;
	return sum;
}

static inline void assert_sums(
	struct view_sample *sample, const struct view_filter *filter, const struct cube *cube)
{
	struct summary_shapes shapes = {by_comm, by_comm};
	struct summary *summary = NULL;
	struct why why = {""};

	if (summary_new(sample->recording, filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	for (unsigned int state = 0; state < TIME_STATES; state++) {
		assert_int_equal(key_sum(cube, (enum time_state)state), summary->total_ns[state]);
		assert_int_equal(cell_sum(cube, (enum time_state)state, 0, cube->buckets),
			summary->total_ns[state]);
	}
	summary_free(summary);
}

#endif
