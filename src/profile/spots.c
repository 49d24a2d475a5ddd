// SPDX-License-Identifier: GPL-2.0-or-later
/* User stacks into spots. */
#include "profile/spots.h"

#include "model/plumbing.h"

const char *const *spots_names(struct spots *spots, uint32_t node, size_t *ret_count)
{
	size_t unused;
	const struct rec_node *nodes = recording_nodes(spots->recording, &unused);
	const struct rec_named_frame *frames = recording_frames(spots->recording, &unused);

	spots->names.count = 0;
	for (; node != REC_NONE; node = nodes[node].parent) {
		const char *name = frames[nodes[node].frame].name;
		vec_push(&spots->names, name[0] ? name : NULL);
	}
	*ret_count = spots->names.count;
	return spots->names.at;
}

static struct spot make(struct spots *spots, uint32_t user_node)
{
	size_t count;
	const char *const *names = spots_names(spots, user_node, &count);
	struct spot spot = {.known = known_wait_of_user(names, count)};

	for (size_t i = 0; i < count && spot.count < SPOT_FRAMES; i++)
		if (names[i] && !plumbing_is(names[i]))
			spot.frames[spot.count++] = names[i];
	return spot;
}

const struct spot *spots_find(struct spots *spots, uint32_t user_node)
{
	static const struct spot nowhere;
	bool is_new;

	if (user_node == REC_NONE)
		return &nowhere;
	uint64_t *index = map64_put(&spots->by_node, user_node, &is_new);
	if (is_new) {
		*index = spots->at.count;
		vec_push(&spots->at, make(spots, user_node));
	}
	return &spots->at.at[*index];
}

void spots_clear(struct spots *spots)
{
	vec_clear(&spots->at);
	map64_clear(&spots->by_node);
	vec_clear(&spots->names);
}
