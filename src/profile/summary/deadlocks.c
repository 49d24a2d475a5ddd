// SPDX-License-Identifier: GPL-2.0-or-later
/* Circles of threads that wait for each other. */
#include "profile/summary/deadlocks.h"

#include "util/mem.h"

static uint64_t key_of(const struct rec_thread *thread)
{
	return (uint64_t)(uintptr_t)thread;
}

void deadlocks_add(struct deadlocks *deadlocks, struct selection *selection,
	const struct selection_row *row, const struct rec_thread *threads)
{
	if (!row->row->is_unended)
		return;
	const struct spot *spot = selection_spot(selection, row->row->stacks.user_node);
	struct last_wait wait = {.thread = row->thread,
		.owner = row->owner == REC_NONE ? NULL : &threads[row->owner],
		.reason = row->reason,
		.operation = row->operation,
		.spot = spot->count ? spot->frames[0] : NULL,
		.thing = row->thing,
		.is_for_pipe = row->thing != REC_NONE &&
			       selection_things(selection)->at.at[row->thing].kind == AWAITED_PIPE,
		.ns = row->max_ns};
	uint64_t *number = map64_put(&deadlocks->by_thread, key_of(row->thread), NULL);

	if (*number) {
		deadlocks->waits.at[*number - 1] = wait;
		return;
	}
	vec_push(&deadlocks->waits, wait);
	*number = deadlocks->waits.count;
}

const struct last_wait *deadlocks_wait_of(
	const struct deadlocks *deadlocks, const struct rec_thread *thread)
{
	const uint64_t *number = thread ? map64_find(&deadlocks->by_thread, key_of(thread)) : NULL;

	return number ? &deadlocks->waits.at[*number - 1] : NULL;
}

/* The index of the wait of whoever has what this one is for; SIZE_MAX: it leads nowhere. */
static size_t next_of(const struct deadlocks *deadlocks, size_t index, uint64_t least_ns)
{
	const struct last_wait *wait = &deadlocks->waits.at[index];
	const struct last_wait *next = deadlocks_wait_of(deadlocks, wait->owner);

	return wait->is_for_pipe || wait->ns < least_ns || !next
		       ? SIZE_MAX
		       : (size_t)(next - deadlocks->waits.at);
}

/* A circle, from its member with the smallest tid on. */
static void add_circle(struct deadlocks *deadlocks, size_t index, uint64_t least_ns)
{
	struct deadlock made = {.first = deadlocks->members.count};
	size_t first = index;

	for (size_t at = next_of(deadlocks, index, least_ns); at != index;
		at = next_of(deadlocks, at, least_ns))
		if (deadlocks->waits.at[at].thread->tid < deadlocks->waits.at[first].thread->tid)
			first = at;
	for (size_t at = first; !made.count || at != first; at = next_of(deadlocks, at, least_ns)) {
		vec_push(&deadlocks->members, at);
		deadlocks->waits.at[at].deadlock = deadlocks->at.count + 1;
		made.count++;
	}
	vec_push(&deadlocks->at, made);
}

void deadlocks_find(struct deadlocks *deadlocks, uint64_t least_ns)
{
	/* By index: the walk that came by first, from 1 on. Whoever meets its own steps has found a
	 * circle; whoever meets another's has nothing new before it. */
	_cleanup_free_ size_t *walked = xcalloc(deadlocks->waits.count + 1, sizeof(*walked));

	for (size_t i = 0; i < deadlocks->waits.count; i++) {
		size_t at = i;
		while (at != SIZE_MAX && !walked[at]) {
			walked[at] = i + 1;
			at = next_of(deadlocks, at, least_ns);
		}
		if (at != SIZE_MAX && walked[at] == i + 1)
			add_circle(deadlocks, at, least_ns);
	}
}

const struct last_wait *deadlocks_member(
	const struct deadlocks *deadlocks, const struct deadlock *deadlock, size_t i)
{
	return &deadlocks->waits.at[deadlocks->members.at[deadlock->first + i % deadlock->count]];
}

const struct last_wait *deadlocks_before(
	const struct deadlocks *deadlocks, const struct deadlock *deadlock, size_t i)
{
	return deadlocks_member(deadlocks, deadlock, i + deadlock->count - 1);
}

void deadlocks_clear(struct deadlocks *deadlocks)
{
	vec_clear(&deadlocks->waits);
	map64_clear(&deadlocks->by_thread);
	vec_clear(&deadlocks->at);
	vec_clear(&deadlocks->members);
}
