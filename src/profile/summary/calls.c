// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of calls, summed by function, and by function and name. */
#include "profile/summary/calls.h"

#include <stdlib.h>
#include <string.h>

#include "profile/summary/summary.h"
#include "util/mem.h"

/* Of more than one in so many calls nobody knows which one it was. */
#define MANY_UNMATCHED 100

/* Lengths of a group are kept by band until all are known: few have calls in many bands. */
struct group_band {
	uint64_t group; /* index of the function << 32 | root */
	uint32_t band;
	uint64_t count;
	uint64_t ns;
	uint64_t max_ns;
};

struct group_total {
	uint64_t group;
	struct call_total all;
};

struct gathering {
	struct recording *recording;
	struct selection *selection;
	struct placer *placer;
	called_list *list;
	struct map64 group_index; /* group -> index into totals */
	struct map64 band_index;  /* index of a group << 8 | band -> index into bands */
	VEC(struct group_total) totals;
	VEC(struct group_band) bands;
};

static void add_to(
	struct call_total *total, uint64_t count, uint64_t wall_ns, const uint64_t *part_ns)
{
	total->count += count;
	total->wall_ns += wall_ns;
	for (unsigned int i = 0; i < TIME_STATES; i++)
		total->part_ns[i] += part_ns[i];
}

/* Time within other calls of the same function is theirs. */
static void add_call(struct call_total *total, const struct rec_call *call)
{
	static const uint64_t none[TIME_STATES];

	add_to(total, call->count, call->is_inner ? 0 : call->wall_ns,
		call->is_inner ? none : call->part_ns);
}

static void add_to_group(struct gathering *gathering, const struct rec_called *row)
{
	size_t unused;
	const struct rec_thread *threads = recording_threads(gathering->recording, &unused);
	uint32_t root = row->thread_index == REC_NONE
				? TREE_ROOT
				: placer_root(gathering->placer, &threads[row->thread_index]);
	uint64_t group = (uint64_t)row->function_index << 32 | root;
	uint32_t band_number = row->call.band & (CONTRACT_CALL_BANDS - 1);
	bool is_new;
	uint64_t *index = map64_put(&gathering->group_index, group, &is_new);

	if (is_new) {
		*index = gathering->totals.count;
		vec_push(&gathering->totals, ((struct group_total){.group = group}));
	}
	add_call(&gathering->totals.at[*index].all, &row->call);
	index = map64_put(&gathering->band_index, *index << 8 | band_number, &is_new);
	if (is_new) {
		*index = gathering->bands.count;
		vec_push(&gathering->bands,
			((struct group_band){.group = group, .band = band_number}));
	}
	struct group_band *band = &gathering->bands.at[*index];
	band->count += row->call.count;
	band->ns += row->call.wall_ns;
	if (row->call.max_ns > band->max_ns)
		band->max_ns = row->call.max_ns;
}

static void note_early(struct called *called, const struct rec_call *call)
{
	const struct rec_function *function = called->function;

	if (function->rule[0] != 'p' || call->band >= call_band_of(function->slow_from_ns))
		return;
	called->early_slow += call->count;
	if (call->band < called->early_band)
		called->early_band = call->band;
}

static int on_call(const struct rec_called *row, void *context)
{
	struct gathering *gathering = context;
	struct called *called = &gathering->list->at[row->function_index];
	const struct rec_call *call = &row->call;

	call_lengths_add(&called->lengths, call->band, call->count, call->wall_ns, call->max_ns);
	add_call(&called->all, call);
	add_call(call->is_slow ? &called->slow : &called->typical, call);
	if (call->is_slow)
		note_early(called, call);
	if (call->is_error)
		called->errors += call->count;
	add_to_group(gathering, row);
	return 0;
}

static int on_open_call(const struct rec_opened *row, void *context)
{
	static const uint64_t none[TIME_STATES];
	struct gathering *gathering = context;
	struct called *called = &gathering->list->at[row->function_index];
	size_t unused;
	const struct rec_thread *threads = recording_threads(gathering->recording, &unused);
	const struct rec_open_call *call = &row->call;
	struct called_open open = {.thread = &threads[row->thread_index],
		.wall_ns = call->wall_ns,
		.state = call->state,
		.is_inner = call->is_inner,
		.is_slow = call->is_slow,
		.node = placer_stack(gathering->placer, &row->stacks)};

	open.process = recording_process_of(gathering->recording, open.thread);
	memcpy(open.part_ns, call->part_ns, sizeof(open.part_ns));
	if (call->state == TIME_BLOCKED) {
		struct rec_chain_hop where = {.waited_node = row->stacks.kernel_node,
			.waited_user_node = row->stacks.user_node,
			.waited_for = row->awaited};
		struct waited waited = selection_waited(gathering->selection, &where);
		open.reason = waited.reason;
		open.operation = waited.operation;
		if (waited.thing != REC_NONE)
			open.thing = xstrdup(
				selection_things(gathering->selection)->at.at[waited.thing].text);
	}
	vec_push(&called->opened, open);
	add_to(&called->open, 1, call->is_inner ? 0 : call->wall_ns,
		call->is_inner ? none : call->part_ns);
	if (call->is_slow)
		add_to(&called->open_slow, 1, call->wall_ns, call->part_ns);
	return 0;
}

static int compare_bands(const void *left, const void *right)
{
	const struct group_band *a = left, *b = right;

	return a->group != b->group ? (a->group > b->group ? 1 : -1) : (int)a->band - (int)b->band;
}

static int compare_totals(const void *left, const void *right)
{
	const struct group_total *a = left, *b = right;

	return a->group < b->group ? -1 : a->group > b->group;
}

static int compare_groups(const void *left, const void *right)
{
	const struct called_group *a = left, *b = right;

	if (a->all.wall_ns != b->all.wall_ns)
		return a->all.wall_ns > b->all.wall_ns ? -1 : 1;
	return a->root < b->root ? -1 : a->root > b->root;
}

/* Both lists are in the order of groups. */
static void make_groups(struct gathering *gathering)
{
	_cleanup_free_ struct call_lengths *lengths = xcalloc(1, sizeof(*lengths));
	size_t at = 0;

	vec_sort(&gathering->totals, compare_totals);
	vec_sort(&gathering->bands, compare_bands);
	vec_each (total, &gathering->totals) {
		struct called_group group = {.root = (uint32_t)total->group, .all = total->all};
		*lengths = (struct call_lengths){0};
		for (; at < gathering->bands.count && gathering->bands.at[at].group == total->group;
			at++) {
			const struct group_band *band = &gathering->bands.at[at];
			call_lengths_add(lengths, band->band, band->count, band->ns, band->max_ns);
		}
		group.p50_ns = call_lengths_at(lengths, 500000);
		group.p99_ns = call_lengths_at(lengths, 990000);
		group.max_ns = lengths->max_ns;
		vec_push(&gathering->list->at[total->group >> 32].groups, group);
	}
}

static int compare_open(const void *left, const void *right)
{
	const struct called_open *a = left, *b = right;

	if (a->wall_ns != b->wall_ns)
		return a->wall_ns > b->wall_ns ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static uint64_t all_wall_ns(const struct called *called)
{
	return called->all.wall_ns + called->open.wall_ns;
}

static int compare_called(const void *left, const void *right)
{
	const struct called *a = left, *b = right;

	if (all_wall_ns(a) != all_wall_ns(b))
		return all_wall_ns(a) > all_wall_ns(b) ? -1 : 1;
	return a->function->id < b->function->id ? -1 : 1;
}

static void called_clear(struct called *called)
{
	vec_each (open, &called->opened)
		free(open->thing);
	vec_clear(&called->opened);
	vec_clear(&called->groups);
	summary_free(called->waits);
}

/* Of several only the one whose slow calls are asked for. */
static void keep_only(called_list *list, uint32_t index)
{
	for (size_t i = 0; i < list->count; i++)
		if (i != index)
			called_clear(&list->at[i]);
	list->at[0] = list->at[index];
	list->count = 1;
}

static void finish(struct gathering *gathering)
{
	called_list *list = gathering->list;
	uint32_t slow = recording_slow_function(gathering->recording);

	make_groups(gathering);
	vec_each (called, list) {
		vec_sort(&called->opened, compare_open);
		vec_sort(&called->groups, compare_groups);
	}
	if (slow < list->count)
		keep_only(list, slow);
	vec_sort(list, compare_called);
}

int calls_gather(struct recording *recording, struct selection *selection,
	const struct stack_shape *shape, struct tree *tree, called_list *ret, struct why *why)
{
	struct gathering gathering = {.recording = recording, .selection = selection, .list = ret};
	size_t count;
	const struct rec_function *functions = recording_functions(recording, &count);
	int error;

	*ret = (called_list){0};
	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		vec_push(ret, ((struct called){.function = &functions[i],
				      .early_band = CONTRACT_CALL_BANDS,
				      .kind = call_kind_from_name(functions[i].kind)}));
	gathering.placer = placer_new(recording, shape, tree);
	error = selection_each_call(selection, on_call, &gathering, why);
	if (!error)
		error = selection_each_open_call(selection, on_open_call, &gathering, why);
	if (!error)
		finish(&gathering);
	placer_free(gathering.placer);
	map64_clear(&gathering.group_index);
	map64_clear(&gathering.band_index);
	vec_clear(&gathering.totals);
	vec_clear(&gathering.bands);
	if (error)
		calls_clear(ret);
	return error;
}

int calls_explain(struct recording *recording, const struct view_filter *filter,
	const struct summary_shapes *shapes, called_list *list, struct why *why)
{
	struct view_filter slow = *filter;
	int error = 0;

	for (size_t i = 0; i < list->count && i < CALLED_MOST_EXPLAINED && !error; i++) {
		struct called *called = &list->at[i];
		_cleanup_free_ char *name = xstrdup(called->function->name);
		if (!called_all_slow(called).count)
			continue;
		slow.slow_function = name;
		error = summary_new(recording, &slow, shapes, &called->waits, why);
	}
	return error;
}

void calls_clear(called_list *list)
{
	vec_each (called, list)
		called_clear(called);
	vec_clear(list);
}

bool called_were_mostly_early(const struct called *called)
{
	double percentile =
		called->function->rule[0] == 'p' ? strtod(called->function->rule + 1, NULL) : 0;
	double expected = (double)called->all.count * (1 - percentile / 100);

	return called->early_slow > called->slow.count / 2 &&
	       (double)called->slow.count > 2 * expected + 2;
}

struct call_total called_all_slow(const struct called *called)
{
	struct call_total total = called->slow;

	add_to(&total, called->open_slow.count, called->open_slow.wall_ns,
		called->open_slow.part_ns);
	return total;
}

bool called_has_many_unmatched(const struct called *called)
{
	return called->function->unmatched > called->all.count / MANY_UNMATCHED;
}

bool called_was_seen(const struct called *called)
{
	const struct rec_function *function = called->function;

	return called->all.count || called->open.count || function->begun_before ||
	       function->left || function->died_inside || function->too_deep ||
	       function->unmatched || function->in_interrupt;
}
