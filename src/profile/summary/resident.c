// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of memory come by process; they are summed by slice. */
#include "profile/summary/resident.h"

#include "util/map64.h"
#include "util/mem.h"

struct gathering {
	const struct recording *recording;
	const struct selection *selection;
	const bool *is_wanted; /* by process index */
	resident_list *list;
	struct map64 by_slice; /* slice -> index + 1 */
};

static uint64_t end_of(const struct recording *recording, uint32_t slice)
{
	const struct rec_meta *meta = recording_meta(recording);
	uint64_t end_ns = ((uint64_t)slice + 1) * meta->slice_ns;

	return end_ns < meta->window_ns ? end_ns : meta->window_ns;
}

/* Is the moment of which it tells in the range? */
static bool is_in_range(const struct gathering *gathering, uint64_t at_ns)
{
	return at_ns > selection_from_ns(gathering->selection) &&
	       at_ns <= selection_to_ns(gathering->selection);
}

static int add(const struct rec_resident *row, void *context)
{
	struct gathering *gathering = context;
	uint64_t at_ns = end_of(gathering->recording, row->memory.slice);

	if (!gathering->is_wanted[row->process_index] || !is_in_range(gathering, at_ns))
		return 0;
	uint64_t *index = map64_put(&gathering->by_slice, row->memory.slice, NULL);
	if (!*index) {
		struct resident resident = {.slice = row->memory.slice, .at_ns = at_ns};
		vec_push(gathering->list, resident);
		*index = gathering->list->count;
	}
	struct resident *sum = &gathering->list->at[*index - 1];
	/* Sums of a damaged file may be senseless, but never less than their parts. */
	if (__builtin_add_overflow(sum->rss_bytes, row->memory.rss_bytes, &sum->rss_bytes))
		sum->rss_bytes = UINT64_MAX;
	if (__builtin_add_overflow(
		    sum->anonymous_bytes, row->memory.anonymous_bytes, &sum->anonymous_bytes))
		sum->anonymous_bytes = UINT64_MAX;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct resident *a = left, *b = right;

	return a->slice < b->slice ? -1 : a->slice > b->slice;
}

/* Processes of which a thread passes. */
static bool *find_wanted(const struct recording *recording, const struct selection *selection)
{
	size_t threads, processes;
	const struct rec_thread *thread = recording_threads(recording, &threads);
	const struct rec_process *first = recording_processes(recording, &processes);
	bool *is_wanted = xcalloc(processes + 1, sizeof(*is_wanted));

	for (size_t i = 0; i < threads; i++)
		if (selection_has_thread(selection, (uint32_t)i))
			is_wanted[recording_process_of(recording, &thread[i]) - first] = true;
	return is_wanted;
}

int resident_gather(struct recording *recording, const struct selection *selection,
	resident_list *ret, struct why *why)
{
	_cleanup_free_ bool *is_wanted = find_wanted(recording, selection);
	struct gathering gathering = {recording, selection, is_wanted, ret, {0}};

	*ret = (resident_list){0};
	int error = recording_each_memory(recording, add, &gathering, why);
	map64_clear(&gathering.by_slice);
	if (error)
		vec_clear(ret);
	else
		vec_sort(ret, compare);
	return error;
}
