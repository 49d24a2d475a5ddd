// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The images of wakers. The kernel side introduces each of them once, target or not, and tells
 * nothing of their ends: an image is kept while its process may wake somebody with it, and when
 * there are many, those that are over are looked for.
 */
#include "capture/books_private.h"

#include <errno.h>
#include <signal.h>

#include "util/clock.h"
#include "util/units.h"

#define MANY_WAKERS 1024
#define SWEEP_EVERY_NS NS_PER_S

void books_add_waker(struct books *books, const struct record_thread *record)
{
	namer_add_image(books->namer, record->image, record->pid, record->start_stack);
	*map64_put(&books->wakers, record->image, NULL) = record->pid;
}

bool books_has_waker(const struct books *books, uint32_t image)
{
	return map64_find(&books->wakers, image);
}

/* The last image of each process: serials grow. */
static void find_latest(const struct map64 *wakers, struct map64 *ret)
{
	for (size_t i = 0; i < wakers->room; i++) {
		const struct map64_slot *waker = &wakers->slots[i];
		if (!waker->is_used)
			continue;
		uint64_t *latest = map64_put(ret, waker->value, NULL);
		if (*latest < waker->key)
			*latest = waker->key;
	}
}

static bool is_over(const struct map64 *latest, uint32_t image, uint32_t pid)
{
	return *map64_find(latest, pid) > image || (kill((pid_t)pid, 0) && errno == ESRCH);
}

void books_sweep_wakers(struct books *books)
{
	uint64_t now = clock_monotonic_ns();
	struct map64 latest = {0};
	size_t first = books->leaving_wakers.count;

	if (books->wakers.count <= MANY_WAKERS || now < books->next_sweep_ns)
		return;
	books->next_sweep_ns = now + SWEEP_EVERY_NS;
	find_latest(&books->wakers, &latest);
	for (size_t i = 0; i < books->wakers.room; i++) {
		const struct map64_slot *waker = &books->wakers.slots[i];
		struct books_leaving leaving = {
			.image = (uint32_t)waker->key, .left_at = books->flips};
		if (waker->is_used && is_over(&latest, leaving.image, (uint32_t)waker->value))
			vec_push(&books->leaving_wakers, leaving);
	}
	for (size_t i = first; i < books->leaving_wakers.count; i++)
		map64_remove(&books->wakers, books->leaving_wakers.at[i].image);
	map64_clear(&latest);
}
