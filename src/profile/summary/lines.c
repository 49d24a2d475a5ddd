// SPDX-License-Identifier: GPL-2.0-or-later
/* From waits to lines: kinds first, then things, then places in the program. */
#include "profile/summary/lines.h"

#include <string.h>

#include "util/hash.h"
#include "util/text.h"

/* A part of a kind that is smaller than a tenth is no line of its own. */
#define LEAST_PART 10

struct making {
	struct summary *summary;
	struct selection *selection;
	uint32_t *kind_of;      /* by index of the wait: its kind + 1; 0: set aside */
	uint32_t *line_of_wait; /* by number of the wait; UINT32_MAX: none */
	struct map64 kinds;     /* hash of name, reason, operation, known wait -> kind + 1 */
	VEC(uint32_t) roots;    /* by kind: node of its name */
	VEC(uint64_t) hashes;   /* by kind */
};

/* The name that the line goes by. Names of several parts (--by) stay as they are. */
static uint32_t family_root(struct making *making, uint32_t root)
{
	struct tree *tree = &making->summary->tree;
	bool is_new;
	uint64_t *made = map64_put(&making->summary->family_roots, root, &is_new);

	if (is_new) {
		*made = root;
		if (making->summary->is_by_comm) {
			const char *name = tree_label(tree, root);
			const char *family = family_of(&making->summary->families, name);
			if (family != name)
				*made = tree_child(tree, TREE_ROOT, family, FRAME_NAME);
		}
	}
	return (uint32_t)*made;
}

static uint64_t hash_kind(const char *name, bool is_runnable, enum reason reason,
	const char *operation, const char *known)
{
	uint64_t hash = hash_text(is_runnable ? REASONS : (uint64_t)reason, name);

	if (is_runnable)
		return hash;
	return hash_text(hash_text(hash, operation ? operation : ""), known ? known : "");
}

static uint32_t kind_of(struct making *making, const struct summary_wait *wait)
{
	uint32_t root = family_root(making, wait->root);
	_cleanup_free_ char *name = summary_root_name(making->summary, root);
	uint64_t hash = hash_kind(name, state_is_runnable(wait->state), wait->reason,
		wait->operation, wait->known.name);
	uint64_t *number = map64_put(&making->kinds, hash, NULL);

	if (!*number) {
		vec_push(&making->roots, root);
		vec_push(&making->hashes, hash);
		*number = making->roots.count;
	}
	return (uint32_t)*number;
}

/* The first `depth` frames of where it was asked for, as one number. */
static uint64_t hash_spot(const struct spot *spot, uint32_t depth)
{
	/* 0 stands for small parts together. */
	uint64_t hash = 1;

	for (uint32_t i = 0; i < depth && i < spot->count; i++)
		hash = hash_text(hash, spot->frames[i]);
	return hash;
}

/* Waits of one kind, or of a part of it: indices into summary->waits. */
struct members {
	const uint32_t *at;
	size_t count;
	uint64_t least_ns; /* of a line of its own: of the whole kind's time */
	uint64_t hash;     /* of the kind or of the part */
	enum thing_part part;
};

static uint64_t ns_of(const struct making *making, const struct members *members, size_t i)
{
	return making->summary->waits.at[members->at[i]].total_ns;
}

static const struct spot *spot_of(
	const struct making *making, const struct members *members, size_t i)
{
	return selection_spot(
		making->selection, making->summary->waits.at[members->at[i]].user_node);
}

/* How much time each place has; the number of those with a part that is a line of its own. */
static size_t weigh(const struct making *making, const struct members *members, uint32_t depth,
	struct map64 *ns_by_spot)
{
	size_t large = 0;

	for (size_t i = 0; i < members->count; i++)
		*map64_put(ns_by_spot, hash_spot(spot_of(making, members, i), depth), NULL) +=
			ns_of(making, members, i);
	for (size_t i = 0; i < ns_by_spot->room; i++)
		large += ns_by_spot->slots[i].is_used &&
			 ns_by_spot->slots[i].value >= members->least_ns;
	return large;
}

static void add_to_line(struct summary_line *line, const struct summary_wait *wait)
{
	line->count += wait->count + wait->unended;
	if (wait->unended_max_ns > line->unended_max_ns) {
		line->unended_max_ns = wait->unended_max_ns;
		line->unended_by = wait->unended_by;
	}
	line->total_ns += wait->total_ns;
	line->uncounted_ns += wait->uncounted_ns;
	line->woken_ns += wait->state == TIME_WOKEN ? wait->total_ns : 0;
	if (wait->max_ns > line->max_ns) {
		line->max_ns = wait->max_ns;
		line->owner = wait->owner;
	}
	for (unsigned int band = 0; band < CONTRACT_BANDS; band++)
		line->band_ns[band] += wait->band_ns[band];
}

/* Threads of several names may wait in one stack. */
static void weigh_stack(struct summary_line *line, const struct summary_wait *wait, uint32_t index,
	const struct spot *spot, struct map64 *ns_by_stack)
{
	uint64_t *ns = map64_put(ns_by_stack, (uint64_t)line->number << 32 | wait->node, NULL);

	*ns += wait->total_ns;
	if (*ns > line->heaviest_ns) {
		line->heaviest_ns = *ns;
		line->heaviest = index;
		line->spot = spot->count ? spot->frames[0] : NULL;
	}
}

/* A line like this wait, which is of a kind. */
static struct summary_line line_like(
	const struct making *making, const struct summary_wait *wait, uint32_t kind)
{
	struct summary_line line = {.number = (uint32_t)making->summary->lines.count,
		.root = making->roots.at[kind],
		.is_runnable = state_is_runnable(wait->state)};

	if (!line.is_runnable) {
		line.reason = wait->reason;
		line.operation = wait->operation;
		line.known = wait->known;
	}
	return line;
}

/*
 * Lines of one kind or of one part of it. The waits are told apart by as many frames as make two
 * large parts; small parts are one line together.
 */
static void split_by_spots(struct making *making, const struct members *members, uint32_t kind)
{
	struct summary *summary = making->summary;
	struct map64 ns_by_spot = {0}, lines = {0}, ns_by_stack = {0};
	bool has_spots = !state_is_runnable(summary->waits.at[members->at[0]].state);
	uint32_t depth = 0;

	for (uint32_t deep = 1; has_spots && !depth && deep <= SPOT_FRAMES; deep++) {
		map64_clear(&ns_by_spot);
		if (weigh(making, members, deep, &ns_by_spot) > 1)
			depth = deep;
	}
	*map64_put(&summary->depth_by_part, members->hash, NULL) = depth;
	for (size_t i = 0; i < members->count; i++) {
		const struct summary_wait *wait = &summary->waits.at[members->at[i]];
		const struct spot *spot = spot_of(making, members, i);
		uint64_t hash = depth ? hash_spot(spot, depth) : 0;
		bool is_large = depth && *map64_find(&ns_by_spot, hash) >= members->least_ns;
		uint64_t *number = map64_put(&lines, is_large ? hash : 0, NULL);
		if (!*number) {
			struct summary_line line = line_like(making, wait, kind);
			line.is_rest = depth && !is_large;
			line.part = members->part;
			*map64_put(&summary->line_by_spot,
				hash_add(members->hash, is_large ? hash : 0), NULL) = line.number;
			vec_push(&summary->lines, line);
			*number = summary->lines.count;
		}
		struct summary_line *line = &summary->lines.at[*number - 1];
		add_to_line(line, wait);
		weigh_stack(line, wait, members->at[i], spot, &ns_by_stack);
		making->line_of_wait[wait->number] = line->number;
	}
	map64_clear(&ns_by_spot);
	map64_clear(&lines);
	map64_clear(&ns_by_stack);
}

static const struct thing *thing_of(const struct making *making, uint32_t wait)
{
	uint32_t thing = making->summary->waits.at[wait].thing;

	return thing == REC_NONE ? NULL : &selection_things(making->selection)->at.at[thing];
}

/* Chooses the things that tell waits of a kind apart; false if none of them was for any. */
static bool choose_parts(struct making *making, const struct members *members)
{
	_cleanup_free_ struct thing_weight *weights = xcalloc(members->count, sizeof(*weights));
	bool has_things = false;

	for (size_t i = 0; i < members->count; i++) {
		weights[i].thing = thing_of(making, members->at[i]);
		weights[i].ns = ns_of(making, members, i);
		has_things |= weights[i].thing != NULL;
	}
	if (has_things)
		thing_parts_choose(&making->summary->parts, members->hash, weights, members->count,
			members->least_ns);
	return has_things;
}

/* Lines of one kind: part by part, each in the order of the waits. */
static void split(struct making *making, const struct members *members, uint32_t kind)
{
	_cleanup_free_ uint32_t *sorted = xcalloc(members->count, sizeof(*sorted));
	struct map64 numbers = {0}; /* hash of the part -> index + 1 */
	VEC(struct members) parts = {0};
	size_t filled = 0;

	if (!choose_parts(making, members)) {
		split_by_spots(making, members, kind);
		return;
	}
	for (size_t i = 0; i < members->count; i++) {
		struct members part = {.least_ns = members->least_ns};
		part.hash = thing_parts_find(&making->summary->parts, members->hash,
			thing_of(making, members->at[i]), &part.part);
		uint64_t *number = map64_put(&numbers, part.hash, NULL);
		if (!*number) {
			vec_push(&parts, part);
			*number = parts.count;
		}
		parts.at[*number - 1].count++;
	}
	vec_each (part, &parts) {
		enum thing_part unused;
		part->at = sorted + filled;
		for (size_t i = 0; i < members->count; i++)
			if (thing_parts_find(&making->summary->parts, members->hash,
				    thing_of(making, members->at[i]), &unused) == part->hash)
				sorted[filled++] = members->at[i];
		split_by_spots(making, part, kind);
	}
	vec_clear(&parts);
	map64_clear(&numbers);
}

/* Waits by kind, each kind in the order of the waits. */
static void split_all(struct making *making)
{
	struct summary *summary = making->summary;
	size_t kinds = making->roots.count;
	_cleanup_free_ size_t *first = xcalloc(kinds + 2, sizeof(*first));
	_cleanup_free_ uint32_t *sorted = xcalloc(summary->waits.count + 1, sizeof(*sorted));
	_cleanup_free_ struct members *members = xcalloc(kinds + 1, sizeof(*members));
	_cleanup_free_ uint64_t *total_ns = xcalloc(kinds + 1, sizeof(*total_ns));

	for (size_t i = 0; i < summary->waits.count; i++)
		first[making->kind_of[i]]++;
	for (size_t kind = 0, at = 0; kind <= kinds; kind++) {
		size_t count = first[kind];
		first[kind] = at;
		at += count;
	}
	for (size_t i = 0; i < summary->waits.count; i++) {
		const struct summary_wait *wait = &summary->waits.at[i];
		uint32_t kind = making->kind_of[i];
		sorted[first[kind]++] = (uint32_t)i;
		members[kind].count++;
		total_ns[kind] += wait->total_ns;
	}
	for (size_t kind = 1; kind <= kinds; kind++) {
		members[kind].at = sorted + first[kind] - members[kind].count;
		members[kind].least_ns = total_ns[kind] / LEAST_PART;
		members[kind].hash = making->hashes.at[kind - 1];
		split(making, &members[kind], (uint32_t)kind - 1);
	}
}

static int compare_lines(const void *left, const void *right)
{
	const struct summary_line *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->heaviest < b->heaviest ? -1 : a->heaviest > b->heaviest;
}

/* Each wait knows its line, which is the owner of its chains, too. */
static void settle(
	struct summary *summary, struct selection *selection, const uint32_t *line_of_wait)
{
	_cleanup_free_ uint32_t *owners = xcalloc(summary->waits.count + 1, sizeof(*owners));
	_cleanup_free_ uint32_t *places = xcalloc(summary->lines.count + 1, sizeof(*places));

	for (size_t i = 0; i < summary->lines.count; i++)
		places[summary->lines.at[i].number] = (uint32_t)i;
	for (size_t i = 0; i < summary->line_by_spot.room; i++)
		if (summary->line_by_spot.slots[i].is_used)
			summary->line_by_spot.slots[i].value =
				places[summary->line_by_spot.slots[i].value] + 1;
	for (size_t i = 0; i < summary->waits.count; i++)
		owners[i] = line_of_wait[i] == UINT32_MAX ? UINT32_MAX : places[line_of_wait[i]];
	vec_each (wait, &summary->waits)
		wait->line = owners[wait->number] == UINT32_MAX ? 0 : owners[wait->number] + 1;
	causes_settle(&summary->causes, selection, owners);
}

void lines_make(struct summary *summary, struct selection *selection)
{
	_cleanup_free_ uint32_t *kinds = xcalloc(summary->waits.count + 1, sizeof(*kinds));
	_cleanup_free_ uint32_t *line_of_wait =
		xcalloc(summary->waits.count + 1, sizeof(*line_of_wait));
	struct making making = {.summary = summary,
		.selection = selection,
		.kind_of = kinds,
		.line_of_wait = line_of_wait};

	for (size_t i = 0; i < summary->waits.count; i++) {
		const struct summary_wait *wait = &summary->waits.at[i];
		line_of_wait[wait->number] = UINT32_MAX;
		kinds[i] = wait->is_aside ? 0 : kind_of(&making, wait);
	}
	split_all(&making);
	vec_sort(&summary->lines, compare_lines);
	settle(summary, selection, line_of_wait);
	map64_clear(&making.kinds);
	vec_clear(&making.roots);
	vec_clear(&making.hashes);
}

uint32_t lines_find(
	const struct summary *summary, struct selection *selection, const struct selection_row *row)
{
	enum time_state state = row->row->sum.state;
	_cleanup_free_ char *comm = text_clean(row->thread->comm, true);
	uint64_t kind = hash_kind(family_of(&summary->families, comm), state_is_runnable(state),
		row->reason, row->operation, row->known.name);
	enum thing_part unused;
	uint64_t part = thing_parts_find(&summary->parts, kind,
		row->thing == REC_NONE ? NULL : &selection_things(selection)->at.at[row->thing],
		&unused);
	const uint64_t *depth = map64_find(&summary->depth_by_part, part);

	if (!depth || (state != TIME_BLOCKED && !state_is_runnable(state)))
		return 0;
	uint64_t spot = *depth ? hash_spot(selection_spot(selection, row->row->stacks.user_node),
					 (uint32_t)*depth)
			       : 0;
	const uint64_t *line = map64_find(&summary->line_by_spot, hash_add(part, spot));
	if (!line)
		line = map64_find(&summary->line_by_spot, hash_add(part, 0));
	return line ? (uint32_t)*line : 0;
}
