// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of all measures, handed out in one walk: stacks are summed first, then their names. */
#include "profile/summary/measured.h"

#include <string.h>

#include "profile/things.h"
#include "util/hash.h"
#include "util/units.h"

uint64_t measured_age_ns(unsigned int age)
{
	static const uint64_t from_ns[MEASURED_AGES] = {0, NS_PER_S, 10 * NS_PER_S, 60 * NS_PER_S};

	return from_ns[age < MEASURED_AGES ? age : MEASURED_AGES - 1];
}

static int compare_parts(const void *left, const void *right)
{
	const struct measured_part *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int compare_things(const void *left, const void *right)
{
	const struct measured_thing *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* The last of the names above a stack. */
static uint32_t name_above(const struct tree *tree, uint32_t node)
{
	while (node != TREE_ROOT && tree->nodes.at[node].kind != FRAME_NAME)
		node = tree->nodes.at[node].parent;
	return node;
}

/* Adds to the part of that node; a new one is made if there is none yet. */
static void add_part(measured_parts *parts, struct map64 *known, const struct measured_part *part)
{
	bool is_new;
	uint64_t *index = map64_put(known, part->node, &is_new);

	if (is_new) {
		*index = parts->count;
		vec_push(parts, *part);
		return;
	}
	parts->at[*index].weight += part->weight;
	parts->at[*index].count += part->count;
	parts->at[*index].samples += part->samples;
}

/* The measures of a recording while its rows are handed out to them. */
struct measuring {
	const struct recording *recording;
	measured_list *list;
	struct placer *placer;
	struct map64 *known;  /* by measure: node -> index into its stacks */
	struct map64 *things; /* by measure: awaited thing, or text, -> index into its things + 1 */
	struct map64 living;  /* processes that were there at the end */
};

static void find_living(struct measuring *measuring)
{
	size_t count;
	const struct rec_thread *threads = recording_threads(measuring->recording, &count);
	uint64_t end_ns = recording_meta(measuring->recording)->window_ns;

	for (size_t i = 0; i < count; i++)
		if (threads[i].end_ns >= end_ns)
			map64_put(&measuring->living, threads[i].process, NULL);
}

static bool has_ended(const struct measuring *measuring, size_t thread_index)
{
	size_t unused;
	const struct rec_thread *threads = recording_threads(measuring->recording, &unused);

	return !map64_find(&measuring->living, threads[thread_index].process);
}

/* Texts beside numbers of things in one map. */
#define TEXT_SEED (1ULL << 32)

/* The index + 1 of a measure's thing: things that read the same are one. */
static uint64_t find_thing(
	struct measuring *measuring, struct measured *measured, const struct rec_counted *row)
{
	struct map64 *things = &measuring->things[row->measure_index];
	_cleanup_free_ char *text = thing_text_of_event(measuring->recording, row->awaited, false);
	uint64_t *number;

	if (!text)
		return 0;
	number = map64_put(things, hash_text(TEXT_SEED, text), NULL);
	if (!*number) {
		struct measured_thing thing = {.text = xstrdup(text)};
		vec_push(&measured->things, thing);
		*number = measured->things.count;
	}
	return *number;
}

static void add_thing(
	struct measuring *measuring, struct measured *measured, const struct rec_counted *row)
{
	bool is_new;

	if (row->awaited == REC_NONE)
		return;
	uint64_t known = *map64_put(&measuring->things[row->measure_index], row->awaited, &is_new);
	if (is_new) {
		known = find_thing(measuring, measured, row);
		*map64_put(&measuring->things[row->measure_index], row->awaited, NULL) = known;
	}
	if (!known)
		return;
	struct measured_thing *thing = &measured->things.at[known - 1];
	thing->weight += row->count.value;
	thing->count += row->count.events;
	thing->samples += row->count.count;
}

/* By the end of its slice, which is the age of the youngest in it. */
static unsigned int age_of(const struct recording *recording, uint32_t slice)
{
	const struct rec_meta *meta = recording_meta(recording);
	uint64_t end_ns = ((uint64_t)slice + 1) * meta->slice_ns;
	uint64_t age_ns = end_ns < meta->window_ns ? meta->window_ns - end_ns : 0;
	unsigned int age = 0;

	while (age + 1 < MEASURED_AGES && age_ns >= measured_age_ns(age + 1))
		age++;
	return age;
}

static int on_count(const struct rec_counted *row, void *context)
{
	struct measuring *measuring = context;
	struct measured *measured = &measuring->list->at[row->measure_index];
	struct measured_part part = {
		placer_place(measuring->placer, row->thread_index, &row->stacks), row->count.value,
		row->count.events, row->count.count};

	measured->weight += part.weight;
	measured->count += part.count;
	measured->samples += part.samples;
	if (has_ended(measuring, row->thread_index))
		measured->of_ended += part.weight;
	measured->by_age[age_of(measuring->recording, row->count.slice)] += part.weight;
	if (measured->view.type.kind == MEASURE_FAULTS)
		measured->by_mode[fault_mode_of(measuring->recording, &row->stacks)] += part.count;
	else if (measured->view.type.kind == MEASURE_EVENT &&
		 event_is_in_interrupt(measuring->recording, &row->stacks))
		measured->in_interrupts += part.count;
	add_thing(measuring, measured, row);
	add_part(&measured->stacks, &measuring->known[row->measure_index], &part);
	return 0;
}

static void sum_names(struct measured *measured, const struct tree *tree)
{
	struct map64 known = {0};

	vec_each (stack, &measured->stacks) {
		struct measured_part part = *stack;
		part.node = name_above(tree, part.node);
		add_part(&measured->names, &known, &part);
	}
	map64_clear(&known);
	vec_sort(&measured->stacks, compare_parts);
	vec_sort(&measured->names, compare_parts);
	vec_sort(&measured->things, compare_things);
}

/* Each measure of the recording, with nothing counted yet. */
static void list_measures(const struct recording *recording, size_t count, measured_list *list)
{
	for (size_t i = 0; i < count; i++) {
		struct measured measured = {0};
		view_of_measure(recording, (uint32_t)i, &measured.view);
		vec_push(list, measured);
	}
}

int measured_all(struct recording *recording, struct selection *selection,
	const struct stack_shape *shape, struct tree *tree, measured_list *ret, struct why *why)
{
	size_t count;
	int error;

	*ret = (measured_list){0};
	recording_measures(recording, &count);
	if (!count)
		return 0;
	list_measures(recording, count, ret);
	_cleanup_free_ struct map64 *known = xcalloc(count, sizeof(*known));
	_cleanup_free_ struct map64 *things = xcalloc(count, sizeof(*things));
	struct measuring measuring = {
		recording, ret, placer_new(recording, shape, tree), known, things, {0}};
	find_living(&measuring);
	error = selection_each_count(selection, on_count, &measuring, why);
	placer_free(measuring.placer);
	map64_clear(&measuring.living);
	for (size_t i = 0; i < count; i++) {
		map64_clear(&known[i]);
		map64_clear(&things[i]);
		if (!error)
			sum_names(&ret->at[i], tree);
	}
	if (error)
		measured_clear(ret);
	return error;
}

void measured_clear(measured_list *list)
{
	vec_each (measured, list) {
		view_choice_clear(&measured->view);
		vec_clear(&measured->names);
		vec_clear(&measured->stacks);
		vec_each (thing, &measured->things)
			free(thing->text);
		vec_clear(&measured->things);
	}
	vec_clear(list);
}

const struct measured *measured_of_kind(const measured_list *list, enum measure_kind kind)
{
	vec_each (measured, list)
		if (measured->view.type.kind == kind)
			return measured;
	return NULL;
}
