// SPDX-License-Identifier: GPL-2.0-or-later
/* Free pieces as a sorted list: there are few, because most is taken once and kept. */
#include "unwind/extents.h"

#include <string.h>

void extents_init(struct extents *extents, uint32_t room)
{
	struct extent all = {.start = 0, .count = room};

	memset(extents, 0, sizeof(*extents));
	extents->room = room;
	if (room)
		vec_push(&extents->free, all);
}

void extents_clear(struct extents *extents)
{
	vec_clear(&extents->free);
	vec_clear(&extents->resting);
}

static void remove_free(struct extents *extents, size_t at)
{
	extents->free.count--;
	memmove(extents->free.at + at, extents->free.at + at + 1,
		(extents->free.count - at) * sizeof(*extents->free.at));
}

static void insert_free(struct extents *extents, struct extent piece)
{
	size_t at = 0;

	while (at < extents->free.count && extents->free.at[at].start < piece.start)
		at++;
	if (at && extents->free.at[at - 1].start + extents->free.at[at - 1].count == piece.start) {
		at--;
		piece.start = extents->free.at[at].start;
		piece.count += extents->free.at[at].count;
		remove_free(extents, at);
	}
	if (at < extents->free.count && piece.start + piece.count == extents->free.at[at].start) {
		piece.count += extents->free.at[at].count;
		remove_free(extents, at);
	}
	vec_push(&extents->free, piece);
	memmove(extents->free.at + at + 1, extents->free.at + at,
		(extents->free.count - 1 - at) * sizeof(*extents->free.at));
	extents->free.at[at] = piece;
}

static void settle(struct extents *extents, uint64_t now_ns)
{
	size_t rested = 0;

	while (rested < extents->resting.count &&
		now_ns - extents->resting.at[rested].given_ns >= EXTENTS_REST_NS) {
		extents->used -= extents->resting.at[rested].count;
		insert_free(extents, extents->resting.at[rested++]);
	}
	if (!rested)
		return;
	extents->resting.count -= rested;
	memmove(extents->resting.at, extents->resting.at + rested,
		extents->resting.count * sizeof(*extents->resting.at));
}

bool extents_take(struct extents *extents, uint32_t count, uint64_t now_ns, uint32_t *ret)
{
	settle(extents, now_ns);
	for (size_t i = 0; i < extents->free.count; i++) {
		struct extent *piece = &extents->free.at[i];
		if (piece->count < count)
			continue;
		*ret = piece->start;
		piece->start += count;
		piece->count -= count;
		extents->used += count;
		if (!piece->count)
			remove_free(extents, i);
		return true;
	}
	return false;
}

void extents_give(struct extents *extents, uint32_t start, uint32_t count, uint64_t now_ns)
{
	struct extent piece = {.start = start, .count = count, .given_ns = now_ns};

	if (count)
		vec_push(&extents->resting, piece);
}
