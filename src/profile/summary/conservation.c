// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The conservation check. A (thread, slice) pair is remembered from its first row until its rows
 * add up to the life in it; then one bit is left of it. A row that spans slices fills those between
 * its ends completely (a thread is in one interval at a time), so they are marked without being
 * remembered. At the end, what is still remembered deviates, and so do slices with nothing at all.
 */
#include "profile/summary/conservation.h"

#include "util/map64.h"
#include "util/mem.h"

struct tally {
	uint64_t row_ns[TIME_STATES];
	/* A bit for each slice of its life, from its first. Most threads live for few. */
	union {
		uint64_t few;   /* WORD_BITS at most */
		uint64_t *many; /* NULL: none yet */
	} exact;
	uint64_t exact_slices;
};

struct conservation_run {
	const struct rec_thread *threads;
	size_t thread_count;
	struct tally *tallies; /* by thread index */
	uint64_t slice_ns;
	uint32_t slice_count;
	struct map64 pending; /* thread index << 32 | slice -> row time so far */
	uint64_t worst_slice_ns;
};

#define WORD_BITS 64

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void note(struct conservation_run *run, uint64_t deviation_ns)
{
	if (deviation_ns > run->worst_slice_ns)
		run->worst_slice_ns = deviation_ns;
}

static uint64_t life_in_slice(const struct conservation_run *run, uint32_t thread, uint32_t slice)
{
	uint64_t start = slice * run->slice_ns, end = start + run->slice_ns;

	/* One slice that never ends: a recording without slices. */
	if (end < start)
		end = UINT64_MAX;
	if (start < run->threads[thread].start_ns)
		start = run->threads[thread].start_ns;
	if (end > run->threads[thread].end_ns)
		end = run->threads[thread].end_ns;
	return start < end ? end - start : 0;
}

/* The slices of a life are [first, first + count). */
static uint32_t first_slice(const struct conservation_run *run, uint32_t thread)
{
	uint64_t slice = run->threads[thread].start_ns / run->slice_ns;

	return slice < run->slice_count ? (uint32_t)slice : run->slice_count;
}

static uint32_t slices_of_life(const struct conservation_run *run, uint32_t thread)
{
	const struct rec_thread *at = &run->threads[thread];
	uint64_t last;

	if (at->start_ns >= at->end_ns)
		return 0;
	last = (at->end_ns - 1) / run->slice_ns;
	if (last >= run->slice_count)
		last = (uint64_t)run->slice_count - 1;
	return last < first_slice(run, thread) ? 0
					       : (uint32_t)(last - first_slice(run, thread) + 1);
}

static bool is_exact(const struct conservation_run *run, uint32_t thread, uint32_t slice)
{
	const struct tally *tally = &run->tallies[thread];
	uint32_t bit = slice - first_slice(run, thread), count = slices_of_life(run, thread);
	const uint64_t *exact = count <= WORD_BITS ? &tally->exact.few : tally->exact.many;

	return exact && slice >= first_slice(run, thread) && bit < count &&
	       (exact[bit / WORD_BITS] >> bit % WORD_BITS & 1);
}

/* False if it was already, or is no slice of the thread's life. */
static bool mark_exact(struct conservation_run *run, uint32_t thread, uint32_t slice)
{
	struct tally *tally = &run->tallies[thread];
	uint32_t count = slices_of_life(run, thread);
	uint32_t bit = slice - first_slice(run, thread);

	if (slice < first_slice(run, thread) || bit >= count || is_exact(run, thread, slice))
		return false;
	if (count <= WORD_BITS) {
		tally->exact.few |= 1ULL << bit;
	} else {
		if (!tally->exact.many)
			tally->exact.many = xcalloc(count / WORD_BITS + 1, sizeof(uint64_t));
		tally->exact.many[bit / WORD_BITS] |= 1ULL << bit % WORD_BITS;
	}
	tally->exact_slices++;
	return true;
}

/* Time that comes to a slice which was exact already stays pending: all of it is too much. */
static void add_to_slice(struct conservation_run *run, uint32_t thread, uint32_t slice, uint64_t ns)
{
	uint64_t key = (uint64_t)thread << 32 | slice;
	uint64_t *so_far;

	if (!ns)
		return;
	so_far = map64_put(&run->pending, key, NULL);
	*so_far += ns;
	if (*so_far == life_in_slice(run, thread, slice) && mark_exact(run, thread, slice))
		map64_remove(&run->pending, key);
}

/* The slices between the ends of a row that spans them. */
static void add_between(struct conservation_run *run, uint32_t thread, const struct rec_sum *sum)
{
	uint32_t between = sum->slice_last - sum->slice_first - 1;
	uint64_t between_ns = sum->ns - sum->first_ns - sum->last_ns;

	if (sum->first_ns + sum->last_ns > sum->ns) {
		note(run, sum->first_ns + sum->last_ns - sum->ns);
		between_ns = 0;
	}
	note(run, between ? difference(between_ns / between, run->slice_ns) : between_ns);
	for (uint32_t slice = sum->slice_first + 1; slice < sum->slice_last; slice++)
		if (!mark_exact(run, thread, slice))
			note(run, run->slice_ns);
}

void conservation_add(struct conservation_run *run, uint32_t thread, const struct rec_sum *sum)
{
	if (sum->state >= TIME_STATES)
		return;
	run->tallies[thread].row_ns[sum->state] += sum->ns;
	if (sum->slice_first >= sum->slice_last) {
		add_to_slice(run, thread, sum->slice_first, sum->ns);
		return;
	}
	add_to_slice(run, thread, sum->slice_first, sum->first_ns);
	add_to_slice(run, thread, sum->slice_last, sum->last_ns);
	add_between(run, thread, sum);
}

/* Slices of a life that no row ever named. */
static void note_empty_slices(struct conservation_run *run, uint32_t thread, uint64_t pending)
{
	uint32_t first = first_slice(run, thread), count = slices_of_life(run, thread);

	if (run->tallies[thread].exact_slices + pending == count)
		return;
	for (uint32_t slice = first; slice < first + count; slice++)
		if (!is_exact(run, thread, slice) &&
			!map64_find(&run->pending, (uint64_t)thread << 32 | slice))
			note(run, life_in_slice(run, thread, slice));
}

/* Slices that never added up are noted with what they are off by. */
static void note_leftovers(struct conservation_run *run)
{
	_cleanup_free_ uint64_t *pending = xcalloc(run->thread_count + 1, sizeof(*pending));

	for (size_t i = 0; i < run->pending.room; i++) {
		const struct map64_slot *slot = &run->pending.slots[i];
		uint32_t thread = (uint32_t)(slot->key >> 32), slice = (uint32_t)slot->key;
		uint64_t life_ns;
		if (!slot->is_used)
			continue;
		life_ns = life_in_slice(run, thread, slice);
		if (is_exact(run, thread, slice)) {
			note(run, slot->value);
			continue;
		}
		note(run, difference(slot->value, life_ns));
		pending[thread] += life_ns > 0;
	}
	for (size_t i = 0; i < run->thread_count; i++)
		note_empty_slices(run, (uint32_t)i, pending[i]);
}

/* A thread's time: its rows, and what its exact totals know beyond them. */
static uint64_t accounted_ns(
	const struct tally *tally, const struct rec_thread *thread, uint64_t *unsliced_ns)
{
	uint64_t sum = 0;

	for (unsigned int state = 0; state < TIME_STATES; state++) {
		uint64_t row_ns = tally->row_ns[state], total_ns = thread->total_ns[state];
		sum += row_ns;
		if (total_ns > row_ns) {
			sum += total_ns - row_ns;
			*unsliced_ns += total_ns - row_ns;
		}
	}
	return sum;
}

static void sum_up(const struct conservation_run *run, struct conservation *ret)
{
	*ret = (struct conservation){
		.worst_slice_ns = run->worst_slice_ns, .worst_thread = REC_NONE};
	for (size_t i = 0; i < run->thread_count; i++) {
		const struct rec_thread *thread = &run->threads[i];
		uint64_t life_ns =
			thread->end_ns > thread->start_ns ? thread->end_ns - thread->start_ns : 0;
		uint64_t ns = accounted_ns(&run->tallies[i], thread, &ret->unsliced_ns);
		ret->expected_ns += life_ns;
		ret->accounted_ns += ns;
		if (difference(ns, life_ns) > ret->worst_thread_ns) {
			ret->worst_thread_ns = difference(ns, life_ns);
			ret->worst_thread = (uint32_t)i;
		}
	}
}

struct conservation_run *conservation_begin(const struct rec_thread *threads, size_t thread_count,
	uint64_t slice_ns, uint32_t slice_count)
{
	struct conservation_run *run = xcalloc(1, sizeof(*run));

	*run = (struct conservation_run){.threads = threads,
		.thread_count = thread_count,
		.tallies = xcalloc(thread_count + 1, sizeof(*run->tallies)),
		.slice_ns = slice_ns ? slice_ns : UINT64_MAX,
		.slice_count = slice_count};
	return run;
}

void conservation_end(struct conservation_run *run, struct conservation *ret)
{
	if (ret) {
		note_leftovers(run);
		sum_up(run, ret);
	}
	for (size_t i = 0; i < run->thread_count; i++)
		if (slices_of_life(run, (uint32_t)i) > WORD_BITS)
			free(run->tallies[i].exact.many);
	free(run->tallies);
	map64_clear(&run->pending);
	free(run);
}

static int add_row(const struct rec_row *row, void *context)
{
	conservation_add(context, row->thread_index, &row->sum);
	return 0;
}

int conservation_check(struct recording *recording, struct conservation *ret, struct why *why)
{
	size_t thread_count;
	const struct rec_thread *threads = recording_threads(recording, &thread_count);
	struct conservation_run *run = conservation_begin(threads, thread_count,
		recording_meta(recording)->slice_ns, recording_slice_count(recording));
	int error = recording_each_row(recording, add_row, run, why);

	conservation_end(run, error ? NULL : ret);
	return error;
}
