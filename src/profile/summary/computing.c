// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples into functions. Samples of one group, name and stack are summed first, so that each stack
 * is walked once for each of them; then all functions of a stack get its samples, each once.
 */
#include "profile/summary/computing.h"

#include <string.h>

#include "model/plumbing.h"
#include "util/hash.h"
#include "util/intern.h"

/* Shares of fewer samples than these are chance. */
#define FEWEST_SAMPLES 20

/* Stands for functions of which nobody knows more. */
static const char nameless[] = "code without names";

/* Whose samples: a group's, or a name's. */
struct owner {
	uint64_t samples;
	uint64_t key;
	bool is_group;
	bool is_mixed;  /* a name that threads of several groups have */
	uint32_t group; /* of a name: that of its first thread */
};

/* Samples of one owner in one stack. */
struct stack_samples {
	uint32_t owner;
	uint32_t user_node;
	uint64_t samples;
};

/* A function in the samples of one owner. */
struct function {
	uint32_t owner;
	uint32_t number; /* of its name */
	uint64_t own;    /* samples that are its own */
	uint64_t with;   /* and those of functions that it called */
	size_t last;     /* number of the stack that it was counted in last, from 1 on */
};

/* A frame of the stack at hand. */
struct place {
	uint32_t number; /* of its name; 0: it has none */
	bool is_wrapper;
};

struct computing_maker {
	const struct recording *recording;
	const struct families *families;
	VEC(struct owner) owners;
	struct map64 groups, names; /* key -> index + 1 */
	VEC(struct stack_samples) stacks;
	struct map64 by_stack; /* owner << 32 | user node -> index + 1 */
	/* Names of functions, each with a number; by frame, once it was met. */
	struct intern texts;
	uint32_t nameless, main;
	VEC(struct place) places;
	VEC(bool) are_known;
	VEC(struct place) at_hand; /* the stack's, leaf first */
	VEC(struct function) functions;
	struct map64 by_function; /* owner << 32 | number of a name -> index + 1 */
};

struct computing_maker *computing_begin(
	const struct recording *recording, const struct families *families)
{
	struct computing_maker *maker = xcalloc(1, sizeof(*maker));

	maker->recording = recording;
	maker->families = families;
	return maker;
}

static uint32_t owner_of(struct computing_maker *maker, uint64_t key, bool is_group, uint32_t group)
{
	uint64_t *number = map64_put(is_group ? &maker->groups : &maker->names, key, NULL);

	if (!*number) {
		struct owner owner = {.key = key, .is_group = is_group, .group = group};
		vec_push(&maker->owners, owner);
		*number = maker->owners.count;
	}
	if (maker->owners.at[*number - 1].group != group)
		maker->owners.at[*number - 1].is_mixed = true;
	return (uint32_t)(*number - 1);
}

static void add(struct computing_maker *maker, uint32_t owner, const struct selection_row *row)
{
	uint32_t node = row->row->stacks.user_node;
	uint64_t *number = map64_put(&maker->by_stack, (uint64_t)owner << 32 | node, NULL);

	if (!*number) {
		struct stack_samples stack = {.owner = owner, .user_node = node};
		vec_push(&maker->stacks, stack);
		*number = maker->stacks.count;
	}
	maker->stacks.at[*number - 1].samples += row->count;
	maker->owners.at[owner].samples += row->count;
}

void computing_add(struct computing_maker *maker, const struct selection_row *row, uint32_t group)
{
	const char *name = family_of(maker->families, row->thread->comm);

	add(maker, owner_of(maker, group, true, group), row);
	add(maker, owner_of(maker, hash_text(0, name), false, group), row);
}

/* A file without symbols has no names; what a runtime has made is code without names. */
static struct place place_of(struct computing_maker *maker, const struct rec_named_frame *frame)
{
	size_t unused;
	const struct rec_object *objects = recording_objects(maker->recording, &unused);

	if (frame->name[0])
		return (struct place){intern(&maker->texts, frame->name), plumbing_is(frame->name)};
	return (struct place){
		objects[frame->object].kind == OBJECT_ANONYMOUS ? maker->nameless : 0, false};
}

/* Puts the frames of a stack at hand. */
static void take(struct computing_maker *maker, uint32_t node)
{
	size_t unused, frame_count;
	const struct rec_node *nodes = recording_nodes(maker->recording, &unused);
	const struct rec_named_frame *frames = recording_frames(maker->recording, &frame_count);

	while (maker->places.count < frame_count) {
		vec_push(&maker->places, (struct place){0});
		vec_push(&maker->are_known, false);
	}
	maker->at_hand.count = 0;
	for (; node != REC_NONE; node = nodes[node].parent) {
		uint32_t frame = nodes[node].frame;
		if (!maker->are_known.at[frame])
			maker->places.at[frame] = place_of(maker, &frames[frame]);
		maker->are_known.at[frame] = true;
		vec_push(&maker->at_hand, maker->places.at[frame]);
	}
}

/*
 * Whose own a sample is: the innermost function of the program. Where that is main or none, as in
 * an interpreter, the innermost of all tells more.
 */
static uint32_t innermost(const struct computing_maker *maker)
{
	vec_each (place, &maker->at_hand) {
		if (!place->number || place->is_wrapper)
			continue;
		if (place->number == maker->main)
			break;
		return place->number;
	}
	return maker->at_hand.at[0].number ? maker->at_hand.at[0].number : maker->nameless;
}

static struct function *function_of(struct computing_maker *maker, uint32_t owner, uint32_t number)
{
	uint64_t *place = map64_put(&maker->by_function, (uint64_t)owner << 32 | number, NULL);

	if (!*place) {
		struct function added = {.owner = owner, .number = number};
		vec_push(&maker->functions, added);
		*place = maker->functions.count;
	}
	return &maker->functions.at[*place - 1];
}

/* Gives the samples of a stack to its functions; one has them as its own. */
static void spread(struct computing_maker *maker, size_t index)
{
	const struct stack_samples *stack = &maker->stacks.at[index];
	uint32_t own;

	if (maker->owners.at[stack->owner].samples < FEWEST_SAMPLES)
		return;
	take(maker, stack->user_node);
	if (!maker->at_hand.count)
		return;
	own = innermost(maker);
	function_of(maker, stack->owner, own)->own += stack->samples;
	vec_each (place, &maker->at_hand) {
		if (!place->number || place->number == maker->nameless ||
			(place->is_wrapper && place->number != own))
			continue;
		struct function *function = function_of(maker, stack->owner, place->number);
		if (function->last == index + 1)
			continue;
		function->last = index + 1;
		function->with += stack->samples;
	}
}

/* Keeps the largest, of two of one size the one whose name comes first. */
static void rank(struct computed *computed, struct computed_function one)
{
	for (size_t i = 0; i < COMPUTED_FUNCTIONS && one.samples; i++) {
		struct computed_function *place = &computed->functions[i], other = *place;
		if (other.name &&
			(other.samples > one.samples ||
				(other.samples == one.samples && strcmp(other.name, one.name) < 0)))
			continue;
		*place = one;
		one = other;
	}
}

static void settle(const struct computing_maker *maker, struct computing *ret)
{
	vec_each (function, &maker->functions) {
		struct computed *computed = &ret->at.at[function->owner];
		const char *name = function->number == maker->nameless
					   ? nameless
					   : intern_text(&ret->texts, function->number);
		struct computed_function with = {name, function->with};
		rank(computed, (struct computed_function){name, function->own});
		/* A stack's functions were met leaf first: of equals the first is innermost. */
		if (computed_is_part(with.samples, 2, computed) &&
			(!computed->common.name || with.samples < computed->common.samples))
			computed->common = with;
	}
}

static void clear(struct computing_maker *maker)
{
	vec_clear(&maker->owners);
	map64_clear(&maker->groups);
	map64_clear(&maker->names);
	vec_clear(&maker->stacks);
	map64_clear(&maker->by_stack);
	vec_clear(&maker->places);
	vec_clear(&maker->are_known);
	vec_clear(&maker->at_hand);
	vec_clear(&maker->functions);
	map64_clear(&maker->by_function);
	free(maker);
}

void computing_end(struct computing_maker *maker, struct computing *ret)
{
	*ret = (struct computing){0};
	maker->nameless = intern(&maker->texts, nameless);
	maker->main = intern(&maker->texts, "main");
	for (size_t i = 0; i < maker->owners.count; i++) {
		const struct owner *owner = &maker->owners.at[i];
		struct computed computed = {.samples = owner->samples, .is_mixed = owner->is_mixed};
		vec_push(&ret->at, computed);
		*map64_put(owner->is_group ? &ret->by_group : &ret->by_name, owner->key, NULL) = i;
	}
	for (size_t i = 0; i < maker->stacks.count; i++)
		spread(maker, i);
	ret->texts = maker->texts;
	settle(maker, ret);
	clear(maker);
}

void computing_clear(struct computing *computing)
{
	vec_clear(&computing->at);
	map64_clear(&computing->by_group);
	map64_clear(&computing->by_name);
	intern_clear(&computing->texts);
}

static const struct computed *find(
	const struct computing *computing, const struct map64 *map, uint64_t key)
{
	const uint64_t *index = map64_find(map, key);

	return index && computing->at.at[*index].samples >= FEWEST_SAMPLES
		       ? &computing->at.at[*index]
		       : NULL;
}

const struct computed *computed_by_group(const struct computing *computing, uint32_t group)
{
	return find(computing, &computing->by_group, group);
}

const struct computed *computed_by_name(const struct computing *computing, const char *name)
{
	const struct computed *found = find(computing, &computing->by_name, hash_text(0, name));

	return found && !found->is_mixed ? found : NULL;
}

bool computed_has_name(const struct computed_function *function)
{
	return function->name != nameless;
}

const char *computed_mostly_in(const struct computed *computed)
{
	const struct computed_function *first = computed ? computed->functions : NULL;

	return first && first->name && computed_is_part(first->samples, 2, computed) &&
			       computed_has_name(first) && !plumbing_is(first->name)
		       ? first->name
		       : NULL;
}
