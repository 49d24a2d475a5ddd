/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in its program a thread waited: the frames of a user stack that tell it, without the
 * wrappers that every wait goes through, and the name that people have for such a wait. Worked out
 * once for each stack.
 */
#ifndef DWELL_PROFILE_SPOTS_H
#define DWELL_PROFILE_SPOTS_H

#include "model/known_wait.h"
#include "recording/reader.h"
#include "util/map64.h"
#include "util/vec.h"

/* More callers than these tell no two waits apart. */
#define SPOT_FRAMES 6

struct spot {
	struct known_wait known;
	bool tells_owner; /* of a lock: known_wait_tells_owner() */
	uint32_t count;
	const char *frames[SPOT_FRAMES]; /* leaf first; the recording's texts */
};

/* All zero but the recording is valid and empty. */
struct spots {
	const struct recording *recording;
	VEC(struct spot) at;
	struct map64 by_node;     /* user node -> index */
	VEC(const char *) names;  /* of the stack at hand, leaf first */
	VEC(bool) are_wrappers;   /* likewise */
	VEC(uint8_t) frame_kinds; /* by frame */
};

/* The names of a stack, leaf first; NULL for frames without one. Valid until the next call. */
const char *const *spots_names(struct spots *spots, uint32_t node, size_t *ret_count);
/* Valid until the next call; REC_NONE has a spot without frames. */
const struct spot *spots_find(struct spots *spots, uint32_t user_node);
void spots_clear(struct spots *spots);

#endif
