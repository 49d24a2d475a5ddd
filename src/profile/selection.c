// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows through filters. What a kernel stack means (reason, operation, own timer) is worked out once
 * for each stack, kind of thread and task letter, and kept.
 */
#include "profile/selection_private.h"

#include <errno.h>
#include <string.h>

#include "profile/slow.h"
#include "profile/span.h"
#include "util/text.h"

static bool has_id(const uint32_t *ids, size_t count, uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return !count;
}

static bool thread_passes(const struct selection *selection, const struct rec_thread *thread)
{
	const struct view_filter *filter = selection->filter;
	const struct rec_process *process = recording_process_of(selection->recording, thread);

	return has_id(filter->pids.at, filter->pids.count, process->pid) &&
	       has_id(filter->tids.at, filter->tids.count, thread->tid) &&
	       (!filter->comm_glob || text_matches_glob(thread->comm, filter->comm_glob)) &&
	       !(filter->is_user_only && thread->is_kernel) &&
	       !(filter->is_kernel_only && !thread->is_kernel);
}

static int set_range(struct selection *selection, struct why *why)
{
	const struct rec_meta *meta = recording_meta(selection->recording);
	const struct view_filter *filter = selection->filter;
	uint64_t slice_ns = meta->slice_ns ? meta->slice_ns : UINT64_MAX;
	uint64_t to_ns = filter->to_ns < meta->window_ns ? filter->to_ns : meta->window_ns;

	selection->from_ns = 0;
	selection->to_ns = meta->window_ns;
	selection->slice_to = UINT32_MAX;
	if (!filter->from_ns && to_ns == meta->window_ns)
		return 0;
	if (filter->from_ns >= meta->window_ns)
		return why_set(why, -ERANGE,
			"nothing passes: --from %.3f s lies behind the recording's end at %.3f s",
			(double)filter->from_ns / 1e9, (double)meta->window_ns / 1e9);
	selection->slice_from = (uint32_t)(filter->from_ns / slice_ns);
	selection->slice_to = (uint32_t)((to_ns - 1) / slice_ns) + 1;
	selection->from_ns = selection->slice_from * slice_ns;
	if (to_ns < meta->window_ns && selection->slice_to * slice_ns < meta->window_ns)
		selection->to_ns = selection->slice_to * slice_ns;
	else
		selection->slice_to = UINT32_MAX;
	selection->has_range = selection->from_ns || selection->to_ns < meta->window_ns;
	return 0;
}

int selection_new(struct recording *recording, const struct view_filter *filter,
	struct selection **ret, struct why *why)
{
	struct selection *selection = xcalloc(1, sizeof(*selection));
	int error;

	selection->recording = recording;
	selection->chosen_before = recording_slow_function(recording);
	selection->filter = filter;
	selection->spots.recording = recording;
	selection->things.recording = recording;
	selection->threads = recording_threads(recording, &selection->thread_count);
	selection->passes = xcalloc(selection->thread_count + 1, sizeof(bool));
	for (size_t i = 0; i < selection->thread_count; i++)
		selection->passes[i] = thread_passes(selection, &selection->threads[i]);
	error = set_range(selection, why);
	if (!error)
		error = slow_choose(recording, filter->slow_function, why);
	if (error) {
		selection_free(selection);
		return error;
	}
	*ret = selection;
	return 0;
}

void selection_free(struct selection *selection)
{
	if (!selection)
		return;
	recording_choose_slow(selection->recording, selection->chosen_before);
	free(selection->passes);
	vec_clear(&selection->meanings);
	map64_clear(&selection->meaning_of);
	spots_clear(&selection->spots);
	map64_clear(&selection->asked_things);
	sleeps_clear(&selection->sleeps);
	things_clear(&selection->things);
	free(selection);
}

uint64_t selection_from_ns(const struct selection *selection)
{
	return selection->from_ns;
}

uint64_t selection_to_ns(const struct selection *selection)
{
	return selection->to_ns;
}

bool selection_has_range(const struct selection *selection)
{
	return selection->has_range;
}

bool selection_has_thread(const struct selection *selection, uint32_t thread_index)
{
	return thread_index < selection->thread_count && selection->passes[thread_index];
}

uint64_t selection_life_ns(const struct selection *selection, uint32_t thread_index)
{
	const struct rec_thread *thread;
	uint64_t start, end;

	if (!selection_has_thread(selection, thread_index))
		return 0;
	thread = &selection->threads[thread_index];
	start = thread->start_ns > selection->from_ns ? thread->start_ns : selection->from_ns;
	end = thread->end_ns < selection->to_ns ? thread->end_ns : selection->to_ns;
	return start < end ? end - start : 0;
}

/* Was there a kernel stack that could not be kept? */
static bool is_lost(const struct rec_row *row)
{
	return row->stacks.kernel_node == REC_NONE &&
	       (row->stacks.kernel_end == UNWIND_OVERFLOW ||
		       row->stacks.kernel_end == UNWIND_LOST ||
		       row->stacks.kernel_end == UNWIND_FAILED);
}

static const struct meaning *meaning_of(
	struct selection *selection, uint32_t kernel_node, bool is_kernel, char letter)
{
	uint64_t key =
		(uint64_t)kernel_node << 9 | (uint64_t)is_kernel << 8 | (unsigned char)letter;
	bool is_new;
	uint64_t *index = map64_put(&selection->meaning_of, key, &is_new);

	if (is_new) {
		struct meaning meaning;
		size_t count;
		const char *const *names = spots_names(&selection->spots, kernel_node, &count);
		meaning.reason = reason_of_stack(names, count, is_kernel, letter);
		meaning.is_own_timer = reason_is_own_timer(names, count);
		meaning.operation = reason_operation(names, count);
		meaning.known = known_wait_of_kernel(names, count, meaning.reason);
		*index = selection->meanings.count;
		vec_push(&selection->meanings, meaning);
	}
	return &selection->meanings.at[*index];
}

/* Waits that a program builds its own of: their names are in the program's functions. */
static bool is_of_programs(enum reason reason)
{
	return reason == REASON_FUTEX || reason == REASON_POLL || reason == REASON_SLEEP;
}

struct waited selection_waited(struct selection *selection, const struct rec_chain_hop *hop)
{
	/* Of a waker only its stack is known: what begins in kthread() is a kernel thread. */
	const struct meaning *meaning = meaning_of(selection, hop->waited_node, false, 'S');
	const struct spot *spot = spots_find(&selection->spots, hop->waited_user_node);
	bool is_known = is_of_programs(meaning->reason);
	struct waited waited = {.reason = meaning->reason,
		.operation = meaning->operation,
		.spot = spot->count ? spot->frames[0] : NULL,
		.is_lock = (is_known && spot->known.kind == KNOWN_LOCK) ||
			   meaning->reason == REASON_LOCK,
		.thing = things_find(&selection->things, hop->waited_for, meaning->reason,
			is_known ? spot->known : (struct known_wait){0})};

	/* Runtimes sleep in ways of their own. */
	if (is_known && spot->known.kind == KNOWN_SLEEP) {
		waited.reason = REASON_SLEEP;
		waited.operation = spot->known.name;
	}
	return waited;
}

const struct spot *selection_spot(struct selection *selection, uint32_t user_node)
{
	return spots_find(&selection->spots, user_node);
}

const struct things *selection_things(const struct selection *selection)
{
	return &selection->things;
}

uint32_t selection_thing_family(struct selection *selection, uint32_t thing)
{
	return things_family(&selection->things, thing);
}

struct things selection_take_things(struct selection *selection)
{
	struct things taken = selection->things;

	selection->things = (struct things){.recording = selection->recording};
	return taken;
}

static const char *name_of_stop(char letter)
{
	return letter == 'T'   ? "stopped by a signal"
	       : letter == 't' ? "held by a tracer"
			       : "frozen";
}

/* Time, count and max inside the range; false if nothing of the row lies in it. */
static bool cut_to_range(
	const struct selection *selection, const struct rec_row *row, struct selection_row *ret)
{
	const struct rec_sum *sum = &row->sum;
	bool ends_inside = !selection->has_range || (sum->slice_last >= selection->slice_from &&
							    sum->slice_last < selection->slice_to);

	ret->ns = sum->ns;
	if (selection->has_range)
		ret->ns = selection->slice_to == UINT32_MAX
				  ? sum->ns - span_ns_before(sum, selection->slice_from)
				  : span_ns(sum, selection->slice_from, selection->slice_to);
	ret->count = ends_inside ? sum->count : 0;
	ret->unended = row->is_unended ? 1 : ends_inside ? 0 : sum->count;
	ret->max_ns = ret->count || sum->max_ns < ret->ns ? sum->max_ns : ret->ns;
	return ret->ns || ret->count;
}

/* A band that this dwell does not have is longer than all that it has. */
static bool band_passes(const struct view_filter *filter, unsigned int band)
{
	return band >= filter->min_band &&
	       (band <= filter->max_band || filter->max_band == CONTRACT_BANDS - 1);
}

static bool is_asked_for(const struct view_filter *filter, const struct selection_row *row)
{
	const struct rec_sum *sum = &row->row->sum;
	enum time_state state = sum->state == TIME_SAMPLE ? TIME_RUNNING : sum->state;

	if (!(filter->states & 1u << state))
		return false;
	if (state != TIME_RUNNING && !band_passes(filter, sum->band))
		return false;
	if (filter->reasons != VIEW_ALL_REASONS &&
		(state != TIME_BLOCKED ||
			!(filter->reasons & (1u << row->reason | 1u << row->called))))
		return false;
	return state != TIME_BLOCKED || !filter->letters[0] ||
	       (sum->task_letter && strchr(filter->letters, sum->task_letter));
}

/* What waits were for is asked last: it takes words. */
static bool is_for_asked_thing(struct selection *selection, const struct selection_row *row)
{
	const char *pattern = selection->filter->thing_pattern;
	const struct rec_awaited *all;
	uint64_t *is_asked;
	size_t count;
	bool is_new;

	if (!pattern)
		return true;
	if (row->thing == REC_NONE)
		return false;
	is_asked = map64_put(
		&selection->asked_things, (uint64_t)row->row->awaited << 32 | row->thing, &is_new);
	if (is_new) {
		all = recording_awaited(selection->recording, &count);
		*is_asked = thing_matches(&selection->things.at.at[row->thing],
			&all[row->row->awaited].thing, pattern);
	}
	return *is_asked;
}

/* Idle waits come last, so that what is set aside is what would be shown with --idle show. */
static bool is_as_idle_as_asked(struct selection *selection, const struct selection_row *row)
{
	bool is_idle = row->idle != IDLE_NOT;

	switch (selection->filter->idle) {
	case IDLE_SHOW:
		return true;
	case IDLE_ONLY:
		return is_idle;
	default:
		selection->idle_hidden_ns += is_idle ? row->ns : 0;
		return !is_idle;
	}
}

struct row_walk {
	struct selection *selection;
	selection_row_fn each;
	void *context;
	uint64_t (*row_ns)[TIME_STATES]; /* by thread index */
};

/* What a row of blocked time was for, and who had it. */
static void find_thing(
	struct selection *selection, const struct rec_row *row, struct selection_row *out)
{
	if (row->awaited == REC_NONE)
		return;
	out->thing = things_find(&selection->things, row->awaited, out->reason, out->known);
	if (out->thing != REC_NONE &&
		things_has_owner(&selection->things.at.at[out->thing], out->reason, out->known,
			spots_find(&selection->spots, row->stacks.user_node)->tells_owner))
		out->owner = row->owner;
}

static int on_row(const struct rec_row *row, void *context)
{
	struct row_walk *walk = context;
	struct selection *selection = walk->selection;
	struct selection_row out = {.row = row, .thing = REC_NONE, .owner = REC_NONE};

	if (!selection_has_thread(selection, row->thread_index))
		return 0;
	if (row->sum.state < TIME_STATES)
		walk->row_ns[row->thread_index][row->sum.state] += row->sum.ns;
	out.thread = &selection->threads[row->thread_index];
	if (!cut_to_range(selection, row, &out))
		return 0;
	if (row->sum.state == TIME_BLOCKED) {
		/* A copy: asking what others waited in may move them. */
		struct meaning meaning = *meaning_of(selection, row->stacks.kernel_node,
			out.thread->is_kernel, row->sum.task_letter);
		out.reason = is_lost(row) ? REASON_LOST : meaning.reason;
		out.operation = meaning.operation;
		if (is_of_programs(meaning.reason))
			out.known = spots_find(&selection->spots, row->stacks.user_node)->known;
		if (meaning.known.name)
			out.known = meaning.known;
		/* Who asks for what locks wait in, and not for locks, calls them so. */
		out.called = out.known.kind == KNOWN_LOCK &&
					     selection->filter->reasons & 1u << REASON_LOCK
				     ? REASON_LOCK
				     : out.reason;
		if (out.reason == REASON_STOPPED)
			out.known.name = name_of_stop(row->sum.task_letter);
		/* A thread within a call has something to do. */
		if (!selection->filter->slow_function)
			out.idle = selection_idle(selection, row, &meaning, out.known.kind);
		find_thing(selection, row, &out);
	}
	if (!is_asked_for(selection->filter, &out) || !is_for_asked_thing(selection, &out) ||
		!is_as_idle_as_asked(selection, &out))
		return 0;
	return walk->each(&out, walk->context);
}

static enum sleep_waiter waiter_of(void *context, const struct rec_stacks *stacks)
{
	struct selection *selection = context;
	enum reason reason = meaning_of(selection, stacks->kernel_node, false, 'S')->reason;

	if (reason == REASON_CHILD ||
		spots_find(&selection->spots, stacks->user_node)->known.kind == KNOWN_OTHERS)
		return WAITER_WANTS_END;
	return reason == REASON_POLL || reason == REASON_ACCEPT ? WAITER_IS_LOOP : WAITER_NEEDS_IT;
}

/* Can time be shown of which nothing but thread and state is known? */
static bool shows_unsliced(const struct selection *selection)
{
	const struct view_filter *filter = selection->filter;

	return !filter->slow_function && !selection->has_range && !filter->min_band &&
	       filter->max_band == CONTRACT_BANDS - 1 && filter->reasons == VIEW_ALL_REASONS &&
	       !filter->thing_pattern && !filter->letters[0] && filter->idle != IDLE_ONLY;
}

static int hand_out_unsliced(struct row_walk *walk, uint32_t thread_index, enum time_state state)
{
	const struct rec_thread *thread = &walk->selection->threads[thread_index];
	uint64_t known_ns = walk->row_ns[thread_index][state];
	struct rec_row row = {
		.sum = {.thread = thread->id, .state = state},
		.thread_index = thread_index,
		.stacks = {REC_NONE, REC_NONE, UNWIND_OVERFLOW, UNWIND_OVERFLOW},
		.chain = REC_NONE,
		.awaited = REC_NONE,
		.owner = REC_NONE,
	};
	struct selection_row out = {.row = &row,
		.thread = thread,
		.is_unsliced = true,
		.thing = REC_NONE,
		.owner = REC_NONE};

	if (thread->total_ns[state] <= known_ns || !(walk->selection->filter->states & 1u << state))
		return 0;
	out.ns = row.sum.ns = thread->total_ns[state] - known_ns;
	if (state == TIME_BLOCKED)
		out.reason = out.called = REASON_LOST;
	return walk->each(&out, walk->context);
}

int selection_each_row(
	struct selection *selection, selection_row_fn each, void *context, struct why *why)
{
	_cleanup_free_ uint64_t(*row_ns)[TIME_STATES] =
		xcalloc(selection->thread_count + 1, sizeof(*row_ns));
	struct row_walk walk = {selection, each, context, row_ns};
	int error = 0;

	selection->idle_hidden_ns = 0;
	if (!selection->has_sleeps && selection->filter->states & 1u << TIME_BLOCKED)
		error = sleeps_gather(&selection->sleeps, &selection->things, selection->recording,
			waiter_of, selection, why);
	selection->has_sleeps = !error;
	if (!error)
		error = recording_each_row(selection->recording, on_row, &walk, why);

	if (error || !shows_unsliced(selection))
		return error;
	for (size_t i = 0; i < selection->thread_count && !error; i++)
		for (unsigned int state = 0; state < TIME_STATES && !error; state++)
			if (selection->passes[i])
				error = hand_out_unsliced(
					&walk, (uint32_t)i, (enum time_state)state);
	return error;
}

uint64_t selection_idle_hidden_ns(const struct selection *selection)
{
	return selection->idle_hidden_ns;
}
