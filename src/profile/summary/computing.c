// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples into functions. Samples of one group, name and stack are summed first, so that each stack
 * is walked once for each of them; then all functions of a stack get its samples, each once.
 */
#include "profile/summary/computing.h"

#include <string.h>

#include "model/plumbing.h"
#include "util/hash.h"

/* Shares of fewer samples than these are chance. */
#define FEWEST_SAMPLES 20

/* Stands for functions of which nobody knows more. */
static const char nameless[] = "code without names";

/* Whose samples: a group's, or a name's. */
struct owner {
	uint64_t samples;
	uint64_t key;
	bool is_group;
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
	const char *name;
	uint64_t own;  /* samples that are its own */
	uint64_t with; /* and those of functions that it called */
	size_t last;   /* number of the stack that it was counted in last, from 1 on */
};

struct computing_maker {
	const struct families *families;
	struct spots spots;
	VEC(const char *) at_hand; /* names of a stack, leaf first */
	VEC(struct owner) owners;
	struct map64 groups, names; /* key -> index + 1 */
	VEC(struct stack_samples) stacks;
	struct map64 by_stack; /* owner << 32 | user node -> index + 1 */
	VEC(struct function) functions;
	struct map64 by_function; /* hash of owner and name -> index + 1 */
};

struct computing_maker *computing_begin(
	const struct recording *recording, const struct families *families)
{
	struct computing_maker *maker = xcalloc(1, sizeof(*maker));

	maker->families = families;
	maker->spots.recording = recording;
	return maker;
}

static uint32_t owner_of(struct computing_maker *maker, uint64_t key, bool is_group)
{
	uint64_t *number = map64_put(is_group ? &maker->groups : &maker->names, key, NULL);

	if (!*number) {
		struct owner owner = {.key = key, .is_group = is_group};
		vec_push(&maker->owners, owner);
		*number = maker->owners.count;
	}
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

	add(maker, owner_of(maker, group, true), row);
	add(maker, owner_of(maker, hash_text(0, name), false), row);
}

static struct function *function_of(struct computing_maker *maker, uint32_t owner, const char *name)
{
	for (uint64_t hash = hash_text(owner, name);; hash++) {
		uint64_t *number = map64_put(&maker->by_function, hash, NULL);
		if (!*number) {
			struct function added = {.owner = owner, .name = name};
			vec_push(&maker->functions, added);
			*number = maker->functions.count;
		}
		struct function *function = &maker->functions.at[*number - 1];
		if (function->owner == owner && !strcmp(function->name, name))
			return function;
	}
}

/* The functions of a stack, leaf first; of a file without symbols NULL, of a JIT `nameless`. */
static const char *const *functions_of(
	struct computing_maker *maker, uint32_t node, size_t *ret_count)
{
	size_t unused;
	const struct recording *recording = maker->spots.recording;
	const struct rec_node *nodes = recording_nodes(recording, &unused);
	const struct rec_named_frame *frames = recording_frames(recording, &unused);
	const struct rec_object *objects = recording_objects(recording, &unused);

	maker->at_hand.count = 0;
	for (; node != REC_NONE; node = nodes[node].parent) {
		const struct rec_named_frame *frame = &frames[nodes[node].frame];
		bool is_jit = objects[frame->object].kind == OBJECT_ANONYMOUS;
		vec_push(&maker->at_hand, frame->name[0] ? frame->name : is_jit ? nameless : NULL);
	}
	*ret_count = maker->at_hand.count;
	return maker->at_hand.at;
}

/*
 * Whose own a sample is: the innermost function of the program. Where that is main or none, as in
 * an interpreter, the innermost of all tells more. `count`: it has no name.
 */
static size_t innermost(const char *const *names, const bool *are_wrappers, size_t count)
{
	size_t own = 0;

	while (own < count && (!names[own] || are_wrappers[own]))
		own++;
	if (own < count && strcmp(names[own], "main"))
		return own;
	return count && names[0] ? 0 : count;
}

static void add_own(
	struct computing_maker *maker, const struct stack_samples *stack, const char *name)
{
	function_of(maker, stack->owner, name)->own += stack->samples;
}

/* Gives the samples of a stack to its functions; one has them as its own. */
static void spread(struct computing_maker *maker, size_t index)
{
	const struct stack_samples *stack = &maker->stacks.at[index];
	const bool *are_wrappers = spots_wrappers(&maker->spots, stack->user_node);
	size_t count;
	const char *const *names = functions_of(maker, stack->user_node, &count);
	size_t own = innermost(names, are_wrappers, count);

	if (count)
		add_own(maker, stack, own < count ? names[own] : nameless);
	for (size_t i = 0; i < count; i++) {
		if (!names[i] || names[i] == nameless || (are_wrappers[i] && i != own))
			continue;
		struct function *function = function_of(maker, stack->owner, names[i]);
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
		struct computed_function with = {function->name, function->with};
		rank(computed, (struct computed_function){function->name, function->own});
		/* A stack's functions were met leaf first: of equals the first is innermost. */
		if (with.samples * 2 >= computed->samples &&
			(!computed->common.name || with.samples < computed->common.samples))
			computed->common = with;
	}
}

void computing_end(struct computing_maker *maker, struct computing *ret)
{
	*ret = (struct computing){0};
	for (size_t i = 0; i < maker->owners.count; i++) {
		const struct owner *owner = &maker->owners.at[i];
		vec_push(&ret->at, (struct computed){.samples = owner->samples});
		*map64_put(owner->is_group ? &ret->by_group : &ret->by_name, owner->key, NULL) = i;
	}
	for (size_t i = 0; i < maker->stacks.count; i++)
		spread(maker, i);
	settle(maker, ret);
	spots_clear(&maker->spots);
	vec_clear(&maker->at_hand);
	vec_clear(&maker->owners);
	map64_clear(&maker->groups);
	map64_clear(&maker->names);
	vec_clear(&maker->stacks);
	map64_clear(&maker->by_stack);
	vec_clear(&maker->functions);
	map64_clear(&maker->by_function);
	free(maker);
}

void computing_clear(struct computing *computing)
{
	vec_clear(&computing->at);
	map64_clear(&computing->by_group);
	map64_clear(&computing->by_name);
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
	return find(computing, &computing->by_name, hash_text(0, name));
}

const char *computed_mostly_in(const struct computed *computed)
{
	const struct computed_function *first = computed ? computed->functions : NULL;

	return first && first->name && first->samples * 2 >= computed->samples &&
			       first->name != nameless && !plumbing_is(first->name)
		       ? first->name
		       : NULL;
}
