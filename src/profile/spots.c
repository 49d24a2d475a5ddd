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

/* Whether each frame of the stack at hand is a wrapper. Worked out once for each frame. */
static void find_wrappers(struct spots *spots, uint32_t node)
{
	enum { NOT_KNOWN, OWN_CODE, WRAPPER };
	size_t unused, frame_count;
	const struct rec_node *nodes = recording_nodes(spots->recording, &unused);
	const struct rec_named_frame *frames = recording_frames(spots->recording, &frame_count);

	while (spots->frame_kinds.count < frame_count)
		vec_push(&spots->frame_kinds, NOT_KNOWN);
	spots->are_wrappers.count = 0;
	for (; node != REC_NONE; node = nodes[node].parent) {
		uint32_t frame = nodes[node].frame;
		uint8_t *kind = &spots->frame_kinds.at[frame];
		if (*kind == NOT_KNOWN)
			*kind = plumbing_is(frames[frame].name) ? WRAPPER : OWN_CODE;
		vec_push(&spots->are_wrappers, *kind == WRAPPER);
	}
}

static struct spot make(struct spots *spots, uint32_t user_node)
{
	size_t count;
	const char *const *names = spots_names(spots, user_node, &count);
	struct spot spot = {0};

	find_wrappers(spots, user_node);
	spot.known = known_wait_of_user(names, spots->are_wrappers.at, count);
	spot.tells_owner = known_wait_tells_owner(names, count);
	for (size_t i = 0; i < count && spot.count < SPOT_FRAMES; i++)
		if (names[i] && !spots->are_wrappers.at[i])
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
	vec_clear(&spots->are_wrappers);
	vec_clear(&spots->frame_kinds);
}
