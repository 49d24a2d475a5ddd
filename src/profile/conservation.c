// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The conservation check. A (thread, slice) pair is remembered from its first row until its rows
 * add up to the life in it; then one bit is left of it. A row that spans slices fills those between
 * its ends completely (a thread is in one interval at a time), so they are marked without being
 * remembered. At the end, what is still remembered deviates, and so do slices with nothing at all.
 */
#include "profile/conservation.h"

#include "util/map64.h"
#include "util/mem.h"

struct books {
	uint64_t row_ns[TIME_STATES];
	uint64_t *exact; /* a bit for each slice of its life, from its first; NULL: none yet */
	uint64_t exact_slices;
};

struct check {
	const struct rec_thread *threads;
	struct books *books; /* by thread index */
	uint64_t slice_ns;
	uint32_t slice_count;
	struct map64 pending; /* thread index << 32 | slice -> row time so far */
	uint64_t worst_slice_ns;
};

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void note(struct check *check, uint64_t deviation_ns)
{
	if (deviation_ns > check->worst_slice_ns)
		check->worst_slice_ns = deviation_ns;
}

static uint64_t life_in_slice(const struct check *check, uint32_t thread, uint32_t slice)
{
	uint64_t start = slice * check->slice_ns, end = start + check->slice_ns;

	/* One slice that never ends: a recording without slices. */
	if (end < start)
		end = UINT64_MAX;
	if (start < check->threads[thread].start_ns)
		start = check->threads[thread].start_ns;
	if (end > check->threads[thread].end_ns)
		end = check->threads[thread].end_ns;
	return start < end ? end - start : 0;
}

/* The slices of a life are [first, first + count). */
static uint32_t first_slice(const struct check *check, uint32_t thread)
{
	uint64_t slice = check->threads[thread].start_ns / check->slice_ns;

	return slice < check->slice_count ? (uint32_t)slice : check->slice_count;
}

static uint32_t slices_of_life(const struct check *check, uint32_t thread)
{
	const struct rec_thread *at = &check->threads[thread];
	uint64_t last;

	if (at->start_ns >= at->end_ns)
		return 0;
	last = (at->end_ns - 1) / check->slice_ns;
	if (last >= check->slice_count)
		last = (uint64_t)check->slice_count - 1;
	return last < first_slice(check, thread)
		       ? 0
		       : (uint32_t)(last - first_slice(check, thread) + 1);
}

static bool is_exact(const struct check *check, uint32_t thread, uint32_t slice)
{
	const uint64_t *exact = check->books[thread].exact;
	uint32_t bit = slice - first_slice(check, thread);

	return exact && slice >= first_slice(check, thread) &&
	       bit < slices_of_life(check, thread) && (exact[bit / 64] >> bit % 64 & 1);
}

/* False if it was already, or is no slice of the thread's life. */
static bool mark_exact(struct check *check, uint32_t thread, uint32_t slice)
{
	struct books *books = &check->books[thread];
	uint32_t count = slices_of_life(check, thread);
	uint32_t bit = slice - first_slice(check, thread);

	if (slice < first_slice(check, thread) || bit >= count || is_exact(check, thread, slice))
		return false;
	if (!books->exact)
		books->exact = xcalloc(count / 64 + 1, sizeof(*books->exact));
	books->exact[bit / 64] |= 1ULL << bit % 64;
	books->exact_slices++;
	return true;
}

/* What comes to a slice that was exact stays pending: it is all too much. */
static void add_to_slice(struct check *check, uint32_t thread, uint32_t slice, uint64_t ns)
{
	uint64_t key = (uint64_t)thread << 32 | slice;
	uint64_t *so_far;

	if (!ns)
		return;
	so_far = map64_put(&check->pending, key, NULL);
	*so_far += ns;
	if (*so_far == life_in_slice(check, thread, slice) && mark_exact(check, thread, slice))
		map64_remove(&check->pending, key);
}

/* The slices between the ends of a row that spans them. */
static void add_between(struct check *check, uint32_t thread, const struct rec_sum *sum)
{
	uint32_t between = sum->slice_last - sum->slice_first - 1;
	uint64_t between_ns = sum->ns - sum->first_ns - sum->last_ns;

	if (sum->first_ns + sum->last_ns > sum->ns) {
		note(check, sum->first_ns + sum->last_ns - sum->ns);
		between_ns = 0;
	}
	note(check, between ? difference(between_ns / between, check->slice_ns) : between_ns);
	for (uint32_t slice = sum->slice_first + 1; slice < sum->slice_last; slice++)
		if (!mark_exact(check, thread, slice))
			note(check, check->slice_ns);
}

static int on_row(const struct rec_row *row, void *context)
{
	struct check *check = context;
	const struct rec_sum *sum = &row->sum;
	uint32_t thread = row->thread_index;

	if (sum->state >= TIME_STATES)
		return 0;
	check->books[thread].row_ns[sum->state] += sum->ns;
	if (sum->slice_first >= sum->slice_last) {
		add_to_slice(check, thread, sum->slice_first, sum->ns);
		return 0;
	}
	add_to_slice(check, thread, sum->slice_first, sum->first_ns);
	add_to_slice(check, thread, sum->slice_last, sum->last_ns);
	add_between(check, thread, sum);
	return 0;
}

/* Slices of a life that no row ever named. */
static void note_empty_slices(struct check *check, uint32_t thread, uint64_t pending)
{
	uint32_t first = first_slice(check, thread), count = slices_of_life(check, thread);

	if (check->books[thread].exact_slices + pending == count)
		return;
	for (uint32_t slice = first; slice < first + count; slice++)
		if (!is_exact(check, thread, slice) &&
			!map64_find(&check->pending, (uint64_t)thread << 32 | slice))
			note(check, life_in_slice(check, thread, slice));
}

/* What never added up. */
static void note_leftovers(struct check *check, size_t thread_count)
{
	_cleanup_free_ uint64_t *pending = xcalloc(thread_count + 1, sizeof(*pending));

	for (size_t i = 0; i < check->pending.room; i++) {
		const struct map64_slot *slot = &check->pending.slots[i];
		uint32_t thread = (uint32_t)(slot->key >> 32), slice = (uint32_t)slot->key;
		uint64_t life_ns;
		if (!slot->is_used)
			continue;
		life_ns = life_in_slice(check, thread, slice);
		if (is_exact(check, thread, slice)) {
			note(check, slot->value);
			continue;
		}
		note(check, difference(slot->value, life_ns));
		pending[thread] += life_ns > 0;
	}
	for (size_t i = 0; i < thread_count; i++)
		note_empty_slices(check, (uint32_t)i, pending[i]);
}

/* A thread's time: its rows, and what its exact totals know beyond them. */
static uint64_t accounted_ns(
	const struct books *books, const struct rec_thread *thread, uint64_t *unsliced_ns)
{
	uint64_t sum = 0;

	for (unsigned int state = 0; state < TIME_STATES; state++) {
		uint64_t row_ns = books->row_ns[state], total_ns = thread->total_ns[state];
		sum += row_ns;
		if (total_ns > row_ns) {
			sum += total_ns - row_ns;
			*unsliced_ns += total_ns - row_ns;
		}
	}
	return sum;
}

static void sum_up(const struct check *check, size_t thread_count, struct conservation *ret)
{
	*ret = (struct conservation){
		.worst_slice_ns = check->worst_slice_ns, .worst_thread = REC_NONE};
	for (size_t i = 0; i < thread_count; i++) {
		const struct rec_thread *thread = &check->threads[i];
		uint64_t life_ns =
			thread->end_ns > thread->start_ns ? thread->end_ns - thread->start_ns : 0;
		uint64_t ns = accounted_ns(&check->books[i], thread, &ret->unsliced_ns);
		ret->expected_ns += life_ns;
		ret->accounted_ns += ns;
		if (difference(ns, life_ns) > ret->worst_thread_ns) {
			ret->worst_thread_ns = difference(ns, life_ns);
			ret->worst_thread = (uint32_t)i;
		}
	}
}

int conservation_check(struct recording *recording, struct conservation *ret, struct why *why)
{
	const struct rec_meta *meta = recording_meta(recording);
	size_t thread_count;
	const struct rec_thread *threads = recording_threads(recording, &thread_count);
	_cleanup_free_ struct books *books = xcalloc(thread_count + 1, sizeof(*books));
	struct check check = {.threads = threads,
		.books = books,
		.slice_ns = meta->slice_ns ? meta->slice_ns : UINT64_MAX,
		.slice_count = recording_slice_count(recording)};
	int error = recording_each_row(recording, on_row, &check, why);

	if (!error) {
		note_leftovers(&check, thread_count);
		sum_up(&check, thread_count, ret);
	}
	for (size_t i = 0; i < thread_count; i++)
		free(books[i].exact);
	map64_clear(&check.pending);
	return error;
}
