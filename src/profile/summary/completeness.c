// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums by (process name, end); samples by thread first, as their weight is known at the end only.
 */
#include "profile/summary/completeness.h"

#include "util/hash.h"
#include "util/map64.h"

#define END_BITS 16
#define END_MASK ((1u << END_BITS) - 1)
_Static_assert(UNWIND_ROOM <= END_MASK, "an end fits");

struct part {
	const char *process;
	enum unwind_end end;
	double ns;
	uint64_t count;
};

struct completeness_maker {
	struct recording *recording;
	const struct rec_thread *threads;
	struct map64 samples;  /* thread index << END_BITS | end -> how many */
	uint64_t *all_samples; /* by thread index */
	VEC(struct part) parts;
	struct map64 by_key;
};

struct completeness_maker *completeness_begin(struct recording *recording, size_t thread_count)
{
	struct completeness_maker *maker = xcalloc(1, sizeof(*maker));
	size_t count;

	maker->recording = recording;
	maker->threads = recording_threads(recording, &count);
	maker->all_samples = xcalloc(thread_count + 1, sizeof(*maker->all_samples));
	return maker;
}

static struct part *part_of(
	struct completeness_maker *maker, const struct rec_thread *thread, enum unwind_end end)
{
	const char *process = recording_process_of(maker->recording, thread)->name;
	bool is_new;
	uint64_t *index = map64_put(&maker->by_key, hash_text(end, process), &is_new);

	if (is_new) {
		struct part part = {.process = process, .end = end};
		*index = maker->parts.count;
		vec_push(&maker->parts, part);
	}
	return &maker->parts.at[*index];
}

void completeness_add(struct completeness_maker *maker, const struct selection_row *row)
{
	enum unwind_end end = row->row->stacks.user_end;
	uint64_t count = row->count + row->unended;

	if (row->thread->is_kernel || end == UNWIND_NONE || end == UNWIND_SKIPPED ||
		row->row->sum.state == TIME_RUNNING)
		return;
	struct part *part = part_of(maker, row->thread, end);
	if (row->row->sum.state == TIME_SAMPLE) {
		count = row->count;
		*map64_put(&maker->samples, (uint64_t)row->row->thread_index << END_BITS | end,
			NULL) += count;
		maker->all_samples[row->row->thread_index] += count;
	} else {
		part->ns += (double)row->ns;
	}
	part->count += count;
}

static void weigh_samples(
	struct completeness_maker *maker, uint64_t (*running_ns)(void *, size_t), void *context)
{
	for (size_t i = 0; i < maker->samples.room; i++) {
		const struct map64_slot *slot = &maker->samples.slots[i];
		size_t thread = slot->key >> END_BITS;
		if (!slot->is_used || !slot->value)
			continue;
		part_of(maker, &maker->threads[thread], (enum unwind_end)(slot->key & END_MASK))
			->ns += (double)running_ns(context, thread) * (double)slot->value /
				(double)maker->all_samples[thread];
	}
}

static int by_time(const void *a, const void *b)
{
	const struct incomplete *first = a, *second = b;

	if (first->by_time > second->by_time || first->by_time < second->by_time)
		return first->by_time < second->by_time ? 1 : -1;
	return (first->by_count < second->by_count) - (first->by_count > second->by_count);
}

void completeness_end(struct completeness_maker *maker,
	uint64_t (*running_ns)(void *context, size_t thread), void *context,
	struct completeness *ret)
{
	double ns = 0, count = 0, end_ns[UNWIND_ROOM] = {0}, whole_count = 0;

	weigh_samples(maker, running_ns, context);
	vec_each (part, &maker->parts) {
		ns += part->ns;
		count += (double)part->count;
		end_ns[part->end] += part->ns;
		if (part->end == UNWIND_COMPLETE)
			whole_count += (double)part->count;
	}
	vec_each (part, &maker->parts) {
		struct incomplete share = {.process = part->process,
			.end = part->end,
			.by_time = ns > 0 ? part->ns / ns : 0,
			.by_count = count > 0 ? (double)part->count / count : 0};
		if (part->end != UNWIND_COMPLETE)
			vec_push(&ret->incomplete, share);
	}
	for (unsigned int end = 0; end < UNWIND_ROOM && ns > 0; end++)
		ret->ends_by_time[end] = end_ns[end] / ns;
	ret->by_time = ns > 0 ? ret->ends_by_time[UNWIND_COMPLETE] : 1;
	ret->by_count = count > 0 ? whole_count / count : 1;
	vec_sort(&ret->incomplete, by_time);
	vec_clear(&maker->parts);
	map64_clear(&maker->by_key);
	map64_clear(&maker->samples);
	free(maker->all_samples);
	free(maker);
}

void completeness_clear(struct completeness *completeness)
{
	vec_clear(&completeness->incomplete);
}
