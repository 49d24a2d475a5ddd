// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are numbered, and so are sleeps: a name in one kernel stack. An edge (A, sleep of B) holds
 * how much of that sleep lies inside waits of A: all that A's chains tell behind a hop by B.
 * Several may wait for one sleep at once, so no more of it than there is counts as seen. The name
 * with the largest share is hidden first; one is hidden only if all that were hidden before it stay
 * covered without it.
 */
#include "profile/roots.h"

#include "profile/shares.h"
#include "util/intern.h"
#include "util/map64.h"

struct edge {
	uint32_t from; /* name: whose chains */
	uint32_t to;   /* sleep */
	uint64_t ns;
};

struct sleep {
	uint32_t name;
	uint64_t blocked_ns;
	uint64_t inside_ns; /* in the chains of those that are shown */
};

struct name {
	uint64_t blocked_ns;
	uint64_t inside_ns;
	bool is_hidden;
};

struct roots {
	const struct recording *recording;
	struct intern texts;
	VEC(struct name) names; /* by number of its text */
	VEC(struct sleep) sleeps;
	struct map64 sleep_of; /* name << 32 | kernel node -> index into sleeps */
	VEC(struct edge) edges;
	struct map64 by_pair; /* from << 32 | to -> index into edges */
	uint32_t *name_of;    /* by thread index */
	uint64_t *blocked_ns; /* by thread index */
	size_t thread_count;
	size_t hidden_threads;
	uint64_t hidden_ns;
};

static uint32_t number_of(struct roots *roots, const char *text)
{
	uint32_t number = intern(&roots->texts, text);

	while (roots->names.count <= number)
		vec_push(&roots->names, (struct name){0});
	return number;
}

static uint32_t find_sleep(struct roots *roots, uint32_t name, uint32_t node)
{
	bool is_new;
	uint64_t *index = map64_put(&roots->sleep_of, (uint64_t)name << 32 | node, &is_new);

	if (is_new) {
		*index = roots->sleeps.count;
		vec_push(&roots->sleeps, ((struct sleep){.name = name}));
	}
	return (uint32_t)*index;
}

static void add_edge(struct roots *roots, uint32_t from, uint32_t to, uint64_t ns)
{
	bool is_new;
	uint64_t *index = map64_put(&roots->by_pair, (uint64_t)from << 32 | to, &is_new);

	if (is_new) {
		*index = roots->edges.count;
		vec_push(&roots->edges, ((struct edge){from, to, 0}));
	}
	roots->edges.at[*index].ns += ns;
}

static void add_chain(struct roots *roots, const struct selection_row *row, uint32_t from)
{
	size_t unused;
	const struct rec_linked_chain *chain =
		&recording_chains(roots->recording, &unused)[row->row->chain];
	const struct rec_chain_hop *hops =
		recording_hops(roots->recording, &unused) + chain->first_hop;
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];
	uint64_t behind_ns = row->ns;

	shares_in_range(row, shares);
	/* The chain does not tell in what its last waker had slept: there is no edge to it. */
	for (uint32_t i = 0; i + 1 < chain->hop_count; i++) {
		uint32_t to = number_of(roots, hops[i].name);
		behind_ns -= share_ns(&shares[i]);
		/* A thread is not hidden for waking others of its own name. */
		if (to != from && behind_ns)
			add_edge(roots, from, find_sleep(roots, to, hops[i + 1].waited_node),
				behind_ns);
	}
}

static int on_row(const struct selection_row *row, void *context)
{
	struct roots *roots = context;
	uint32_t index = row->row->thread_index;

	if (row->row->sum.state != TIME_BLOCKED)
		return 0;
	if (!roots->name_of[index])
		roots->name_of[index] = number_of(roots, row->thread->comm) + 1;
	uint32_t name = roots->name_of[index] - 1;
	roots->names.at[name].blocked_ns += row->ns;
	uint32_t sleep = find_sleep(roots, name, row->row->stacks.kernel_node);
	roots->sleeps.at[sleep].blocked_ns += row->ns;
	roots->blocked_ns[index] += row->ns;
	if (row->row->chain != REC_NONE)
		add_chain(roots, row, name);
	return 0;
}

static void measure(struct roots *roots)
{
	vec_each (name, &roots->names)
		name->inside_ns = 0;
	vec_each (sleep, &roots->sleeps)
		sleep->inside_ns = 0;
	vec_each (edge, &roots->edges)
		if (!roots->names.at[edge->from].is_hidden)
			roots->sleeps.at[edge->to].inside_ns += edge->ns;
	vec_each (sleep, &roots->sleeps)
		roots->names.at[sleep->name].inside_ns +=
			sleep->inside_ns < sleep->blocked_ns ? sleep->inside_ns : sleep->blocked_ns;
}

static bool is_covered(const struct name *name)
{
	return name->blocked_ns &&
	       (unsigned __int128)name->inside_ns * 100 >=
		       (unsigned __int128)name->blocked_ns * ROOTS_SHARE_PERCENT;
}

static bool all_hidden_are_covered(const struct roots *roots)
{
	vec_each (name, &roots->names)
		if (name->is_hidden && !is_covered(name))
			return false;
	return true;
}

static double cover_of(const struct name *name)
{
	return name->blocked_ns ? (double)name->inside_ns / (double)name->blocked_ns : 0;
}

/* The best name that has not been tried; false if none is covered. */
static bool find_next(const struct roots *roots, const bool *is_tried, uint32_t *ret)
{
	bool is_found = false;

	for (uint32_t i = 0; i < roots->names.count; i++) {
		const struct name *name = &roots->names.at[i];
		if (name->is_hidden || is_tried[i] || !is_covered(name))
			continue;
		if (!is_found || cover_of(name) > cover_of(&roots->names.at[*ret]))
			*ret = i;
		is_found = true;
	}
	return is_found;
}

static void choose(struct roots *roots)
{
	_cleanup_free_ bool *is_tried = xcalloc(roots->names.count + 1, sizeof(bool));
	uint32_t next = 0;

	measure(roots);
	while (find_next(roots, is_tried, &next)) {
		is_tried[next] = true;
		roots->names.at[next].is_hidden = true;
		measure(roots);
		if (all_hidden_are_covered(roots))
			continue;
		roots->names.at[next].is_hidden = false;
		measure(roots);
	}
	for (uint32_t i = 0; i < roots->thread_count; i++)
		if (roots_hides(roots, i)) {
			roots->hidden_threads++;
			roots->hidden_ns += roots->blocked_ns[i];
		}
}

int roots_new(const struct recording *recording, struct selection *selection, struct roots **ret,
	struct why *why)
{
	struct roots *roots = xcalloc(1, sizeof(*roots));
	int error;

	roots->recording = recording;
	recording_threads(recording, &roots->thread_count);
	roots->name_of = xcalloc(roots->thread_count + 1, sizeof(*roots->name_of));
	roots->blocked_ns = xcalloc(roots->thread_count + 1, sizeof(*roots->blocked_ns));
	error = selection_each_row(selection, on_row, roots, why);
	if (error) {
		roots_free(roots);
		return error;
	}
	choose(roots);
	*ret = roots;
	return 0;
}

void roots_free(struct roots *roots)
{
	if (!roots)
		return;
	intern_clear(&roots->texts);
	vec_clear(&roots->names);
	vec_clear(&roots->sleeps);
	map64_clear(&roots->sleep_of);
	vec_clear(&roots->edges);
	map64_clear(&roots->by_pair);
	free(roots->name_of);
	free(roots->blocked_ns);
	free(roots);
}

bool roots_hides(const struct roots *roots, uint32_t thread_index)
{
	uint32_t name = roots->name_of[thread_index];

	return name && roots->names.at[name - 1].is_hidden;
}

size_t roots_hidden_threads(const struct roots *roots)
{
	return roots->hidden_threads;
}

uint64_t roots_hidden_ns(const struct roots *roots)
{
	return roots->hidden_ns;
}
