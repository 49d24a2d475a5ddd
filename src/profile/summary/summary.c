// SPDX-License-Identifier: GPL-2.0-or-later
/* The figures of a report, gathered row by row. */
#include "profile/summary/summary.h"

#include <string.h>

#include "profile/summary/line_index.h"
#include "profile/summary/line_things.h"
#include "profile/summary/lines.h"

/* Threads that waited so long for each other, or half of the window, will wait for ever. */
#define DEADLOCK_LEAST_NS 1000000000ULL

struct gathering {
	struct summary *summary;
	struct placer *placer;
	struct placer *group_placer;
	const struct rec_thread *threads;
	struct summary_thread *figures; /* by thread index; the summary's, not yet chosen among */
	struct map64 groups;            /* root -> index into groups */
	struct map64 kinds;             /* state, letter, reason, idle and stack -> small number */
	struct map64 kinds_for;         /* such a kind and a thing -> small number, too */
	struct map64 waits;             /* kind << 32 | root -> index into waits */
	struct completeness_maker *completeness;
	struct computing_maker *computing;
	struct recording *recording;
	struct selection *selection;
	bool sets_aside;
};

static struct summary_group *group_of(struct gathering *gathering, const struct rec_thread *thread)
{
	uint32_t root = placer_root(gathering->group_placer, thread);
	bool is_new;
	uint64_t *index = map64_put(&gathering->groups, root, &is_new);

	if (is_new) {
		struct summary_group group = {.root = root};
		*index = gathering->summary->groups.count;
		vec_push(&gathering->summary->groups, group);
	}
	return &gathering->summary->groups.at[*index];
}

static struct summary_wait *wait_of(struct gathering *gathering, const struct selection_row *row)
{
	const struct rec_sum *sum = &row->row->sum;
	uint64_t kind = (uint64_t)sum->state | (uint64_t)(unsigned char)sum->task_letter << 8 |
			(uint64_t)row->reason << 16 | (uint64_t)row->idle << 24;
	uint32_t root = placer_root(gathering->placer, row->thread);
	uint32_t node = placer_stack(gathering->placer, &row->row->stacks);
	uint64_t *kind_number = map64_put(&gathering->kinds, kind << 32 | node, NULL);
	bool is_new;
	uint64_t *index;

	if (!*kind_number)
		*kind_number = gathering->kinds.count + gathering->kinds_for.count;
	if (row->thing != REC_NONE) {
		kind_number =
			map64_put(&gathering->kinds_for, *kind_number << 32 | row->thing, NULL);
		if (!*kind_number)
			*kind_number = gathering->kinds.count + gathering->kinds_for.count;
	}
	index = map64_put(&gathering->waits, *kind_number << 32 | root, &is_new);
	if (is_new) {
		struct summary_wait wait = {
			.root = root,
			.node = node,
			.number = (uint32_t)gathering->summary->waits.count,
			.state = sum->state,
			.task_letter = sum->task_letter,
			.reason = row->reason,
			.operation = row->operation,
			.known = row->known,
			.user_node = row->row->stacks.user_node,
			.thing = row->thing,
			.idle = row->idle,
			.is_aside = row->idle != IDLE_NOT && gathering->sets_aside,
		};
		*index = gathering->summary->waits.count;
		vec_push(&gathering->summary->waits, wait);
	}
	return &gathering->summary->waits.at[*index];
}

static void add_wait(struct gathering *gathering, const struct selection_row *row)
{
	struct summary_wait *wait = wait_of(gathering, row);
	unsigned int band = row->row->sum.band;

	wait->count += row->count;
	wait->unended += row->unended;
	wait->total_ns += row->ns;
	if (row->max_ns > wait->max_ns) {
		wait->max_ns = row->max_ns;
		wait->owner = row->owner == REC_NONE ? NULL : &gathering->threads[row->owner];
	}
	if (row->row->is_unended && row->max_ns > wait->unended_max_ns) {
		wait->unended_max_ns = row->max_ns;
		wait->unended_by = row->thread;
	}
	if (row->is_unsliced) {
		wait->uncounted_ns += row->ns;
	} else if (band < CONTRACT_BANDS) {
		wait->band_count[band] += row->count;
		wait->band_ns[band] += row->ns;
	}
	if (!wait->is_aside)
		causes_add(&gathering->summary->causes, gathering->recording, gathering->selection,
			row, wait->number);
}

static void add_blocked(struct gathering *gathering, const struct selection_row *row)
{
	struct summary *summary = gathering->summary;
	struct summary_group *group = group_of(gathering, row->thread);

	if (row->idle != IDLE_NOT) {
		gathering->figures[row->row->thread_index].idle_ns += row->ns;
		summary->idle_ns[row->idle] += row->ns;
		group->idle_ns += row->ns;
	}
	if (row->idle != IDLE_NOT && gathering->sets_aside) {
		summary->aside_ns += row->ns;
		group->aside_ns += row->ns;
	} else {
		summary->reason_ns[row->reason] += row->ns;
		group->reason_ns[row->reason] += row->ns;
		summary->called_ns[row->called] += row->ns;
		group->called_ns[row->called] += row->ns;
	}
}

static int on_row(const struct selection_row *row, void *context)
{
	struct gathering *gathering = context;
	enum time_state state = row->row->sum.state;

	completeness_add(gathering->completeness, row);
	if (state == TIME_SAMPLE) {
		computing_add(gathering->computing, row,
			placer_root(gathering->group_placer, row->thread));
		return 0;
	}
	gathering->summary->total_ns[state] += row->ns;
	gathering->figures[row->row->thread_index].total_ns[state] += row->ns;
	group_of(gathering, row->thread)->total_ns[state] += row->ns;
	if (state == TIME_BLOCKED) {
		add_blocked(gathering, row);
		deadlocks_add(&gathering->summary->deadlocks, gathering->selection, row,
			gathering->threads);
	}
	if (state != TIME_RUNNING)
		add_wait(gathering, row);
	return 0;
}

static uint64_t within_calls_ns(const struct summary_thread *figures)
{
	uint64_t ns = 0;

	for (unsigned int state = 0; state < TIME_STATES; state++)
		ns += figures->total_ns[state];
	return ns;
}

static void add_threads(struct gathering *gathering, const struct selection *selection,
	struct recording *recording, size_t count)
{
	struct summary *summary = gathering->summary;
	struct map64 processes = {0};

	/* In place: there may be a million. */
	summary->threads.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct summary_thread *figures = &summary->threads.at[summary->threads.count];
		struct summary_group *group;
		if (!selection_has_thread(selection, (uint32_t)i))
			continue;
		*figures = gathering->figures[i];
		figures->thread = &gathering->threads[i];
		figures->process = recording_process_of(recording, figures->thread);
		figures->life_ns = summary->slow ? within_calls_ns(figures)
						 : selection_life_ns(selection, (uint32_t)i);
		/* It lived outside the range. */
		if (!figures->life_ns && (summary->slow || selection_has_range(selection)))
			continue;
		summary->threads.count++;
		summary->life_ns += figures->life_ns;
		group = group_of(gathering, figures->thread);
		group->threads++;
		group->life_ns += figures->life_ns;
		map64_put(&processes, figures->process->id, NULL);
	}
	/* Few of them are in slow calls, of which there may be several summaries. */
	if (summary->slow) {
		summary->threads.room = summary->threads.count + 1;
		summary->threads.at = xreallocarray(summary->threads.at, summary->threads.room,
			sizeof(*summary->threads.at));
	}
	summary->process_count = processes.count;
	map64_clear(&processes);
}

/* Runtimes that are worth a word: they have a share of what there is to see. */
static void find_runtimes(struct summary *summary, const struct recording *recording)
{
	vec_each (figures, &summary->threads) {
		uint64_t busy_ns = figures->life_ns - figures->idle_ns;
		if (figures->idle_ns <= figures->life_ns)
			runtimes_add(&summary->runtimes, figures->process, busy_ns);
	}
	runtimes_finish(&summary->runtimes, summary->busy_ns);
	runtimes_add_frames(&summary->runtimes, recording);
}

static uint64_t running_ns_of(void *context, size_t thread)
{
	const struct gathering *gathering = context;

	return gathering->figures[thread].total_ns[TIME_RUNNING];
}

uint32_t summary_family_root(const struct summary *summary, uint32_t root)
{
	const uint64_t *family = map64_find(&summary->family_roots, root);

	return family ? (uint32_t)*family : root;
}

uint64_t summary_group_busy_ns(const struct summary_group *group)
{
	uint64_t busy = 0;

	for (unsigned int state = 0; state < TIME_STATES; state++)
		busy += group->total_ns[state];
	return busy - group->aside_ns;
}

static int by_size(uint64_t a, uint64_t b, uint32_t a_node, uint32_t b_node)
{
	if (a != b)
		return a > b ? -1 : 1;
	return a_node < b_node ? -1 : a_node > b_node;
}

static int compare_groups(const void *left, const void *right)
{
	const struct summary_group *a = left, *b = right;

	if (summary_group_busy_ns(a) != summary_group_busy_ns(b))
		return summary_group_busy_ns(a) > summary_group_busy_ns(b) ? -1 : 1;
	return by_size(a->aside_ns, b->aside_ns, a->root, b->root);
}

static int compare_waits(const void *left, const void *right)
{
	const struct summary_wait *a = left, *b = right;

	return by_size(a->total_ns, b->total_ns, a->number, b->number);
}

static void finish(
	struct summary *summary, struct recording *recording, struct selection *selection)
{
	uint64_t window_ns = summary->to_ns - summary->from_ns;

	for (unsigned int state = 0; state < TIME_STATES; state++)
		summary->busy_ns += summary->total_ns[state];
	summary->busy_ns -= summary->aside_ns;
	vec_sort(&summary->groups, compare_groups);
	vec_sort(&summary->waits, compare_waits);
	lines_make(summary, selection);
	summary->things = selection_take_things(selection);
	line_things_make(summary);
	deadlocks_find(&summary->deadlocks,
		window_ns / 2 < DEADLOCK_LEAST_NS ? window_ns / 2 : DEADLOCK_LEAST_NS);
	line_index_make(summary);
	summary->has_chains = recording_has_chains(recording);
	summary->losses = recording_losses(recording, &summary->loss_count);
	for (size_t i = 0; i < summary->loss_count; i++)
		if (loss_is_serious(summary->losses[i].loss))
			summary->lost_events += summary->losses[i].count;
}

/* One walk over the rows that pass. */
static int gather(struct summary *summary, struct recording *recording, struct selection *selection,
	const struct summary_shapes *shapes, const struct view_filter *filter, struct why *why)
{
	size_t thread_count;
	const struct rec_thread *threads = recording_threads(recording, &thread_count);

	families_gather(&summary->families, recording);
	summary->is_by_comm = shapes->waits.by_count == 1 && shapes->waits.by[0] == BY_COMM;
	summary->causes.families = &summary->families;
	summary->threads.room = thread_count + 1;
	summary->threads.at = xcalloc(summary->threads.room, sizeof(*summary->threads.at));
	struct gathering gathering = {.summary = summary,
		.recording = recording,
		.selection = selection,
		.placer = placer_new(recording, &shapes->waits, &summary->tree),
		.group_placer = placer_new(recording, &shapes->groups, &summary->tree),
		.threads = threads,
		.figures = summary->threads.at,
		.completeness = completeness_begin(recording, thread_count),
		.computing = computing_begin(recording, &summary->families),
		.sets_aside = filter->idle == IDLE_HIDE};
	int error = selection_each_row(selection, on_row, &gathering, why);

	/* A filter that asks for what only rows of time have leaves none of them. */
	if (!error && !view_filter_asks_for_time(filter)) {
		families_gather(&summary->occupant_families, recording);
		error = queues_gather(selection, threads, gathering.placer,
			&summary->occupant_families, &summary->queues, why);
	}

	completeness_end(gathering.completeness, running_ns_of, &gathering, &summary->completeness);
	computing_end(gathering.computing, &summary->computing);
	/* Freed before the next step, which needs as much memory again. */
	placer_free(gathering.placer);
	map64_clear(&gathering.kinds);
	map64_clear(&gathering.kinds_for);
	map64_clear(&gathering.waits);
	if (!error) {
		add_threads(&gathering, selection, recording, thread_count);
		finish(summary, recording, selection);
		find_runtimes(summary, recording);
	}
	placer_free(gathering.group_placer);
	map64_clear(&gathering.groups);
	return error;
}

/* What is known of whole threads and processes, if no filter asks for what only time has. */
static int gather_others(struct summary *summary, struct recording *recording,
	struct selection *selection, const struct summary_shapes *shapes,
	const struct view_filter *filter, struct why *why)
{
	int error = 0;

	if (!view_filter_asks_for_time(filter))
		error = measured_all(recording, selection, &shapes->groups, &summary->tree,
			&summary->measures, why);
	if (!error && !view_filter_asks_for_time(filter))
		error = resident_gather(recording, selection, &summary->resident, why);
	if (!error && !view_filter_asks_for_waits(filter))
		error = calls_gather(recording, selection, &shapes->groups, &summary->tree,
			&summary->calls, why);
	if (error)
		return error;
	faulted_find(summary);
	recording_measures(recording, &summary->hidden_measures);
	summary->hidden_measures -= summary->measures.count;
	if (view_filter_asks_for_waits(filter))
		recording_functions(recording, &summary->hidden_calls);
	return 0;
}

/* Takes over what the filters say. */
static void describe(struct summary *summary, struct recording *recording,
	const struct selection *selection, const struct view_filter *filter)
{
	struct view_filter named = *filter;
	uint32_t slow = recording_slow_function(recording);
	size_t functions;
	const struct rec_function *function = recording_functions(recording, &functions);
	_cleanup_free_ char *name = slow < functions ? xstrdup(function[slow].name) : NULL;

	/* By its whole name, whatever part of it was given. */
	named.slow_function = name;
	summary->slow = name ? &function[slow] : NULL;
	summary->filter_text = view_filter_text(&named);
	summary->is_filtered = !view_filter_is_open(filter);
	summary->has_all_running = !summary->filter_text[0] && filter->idle != IDLE_ONLY;
	summary->from_ns = selection_from_ns(selection);
	summary->to_ns = selection_to_ns(selection);
	summary->has_range = selection_has_range(selection);
}

int summary_new(struct recording *recording, const struct view_filter *filter,
	const struct summary_shapes *shapes, struct summary **ret, struct why *why)
{
	/* Borrows the vectors; idle time is set aside here, not by the selection. */
	struct view_filter whole = *filter;
	struct summary *summary = xcalloc(1, sizeof(*summary));
	struct selection *selection = NULL;
	int error;

	if (filter->idle == IDLE_HIDE)
		whole.idle = IDLE_SHOW;
	tree_init(&summary->tree);
	summary->meta = recording_meta(recording);
	summary->is_live = recording_is_live(recording);
	summary->words = recording_words(recording);
	error = selection_new(recording, &whole, &selection, why);
	if (!error) {
		describe(summary, recording, selection, filter);
		error = gather(summary, recording, selection, shapes, filter, why);
	}
	if (!error)
		error = gather_others(summary, recording, selection, shapes, filter, why);
	selection_free(selection);
	if (!error && !summary->slow)
		error = conservation_check(recording, &summary->conservation, why);
	if (!error && !summary->slow)
		error = calls_explain(recording, filter, shapes, &summary->calls, why);
	if (error) {
		summary_free(summary);
		return error;
	}
	*ret = summary;
	return 0;
}

void summary_free(struct summary *summary)
{
	if (!summary)
		return;
	free(summary->filter_text);
	vec_clear(&summary->threads);
	vec_clear(&summary->groups);
	vec_clear(&summary->waits);
	vec_clear(&summary->lines);
	things_clear(&summary->things);
	vec_clear(&summary->line_things);
	deadlocks_clear(&summary->deadlocks);
	causes_clear(&summary->causes);
	families_clear(&summary->families);
	families_clear(&summary->occupant_families);
	map64_clear(&summary->line_by_what);
	map64_clear(&summary->parts);
	map64_clear(&summary->depth_by_part);
	map64_clear(&summary->line_by_spot);
	map64_clear(&summary->family_roots);
	vec_clear(&summary->queues);
	tree_clear(&summary->tree);
	completeness_clear(&summary->completeness);
	computing_clear(&summary->computing);
	vec_clear(&summary->runtimes);
	measured_clear(&summary->measures);
	faulted_clear(&summary->faulted);
	vec_clear(&summary->resident);
	calls_clear(&summary->calls);
	free(summary);
}

char *summary_root_name(const struct summary *summary, uint32_t root)
{
	const struct tree_node *node = &summary->tree.nodes.at[root];

	if (node->parent == TREE_ROOT)
		return xstrdup(tree_label(&summary->tree, root));
	_cleanup_free_ char *outer = summary_root_name(summary, node->parent);
	return xasprintf("%s;%s", outer, tree_label(&summary->tree, root));
}
